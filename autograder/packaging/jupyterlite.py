"""A web site on which the released notebooks open in the browser, with nothing to install: JupyterLite.

The site is made of files alone, so any web server can give it out. JupyterLite has an extra of its own
(`attention-course[jupyterlite]`): only who builds the site needs it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.course import Course
from autograder.packaging import archive
from autograder.problems import CourseError
from autograder.reading.submission import IGNORED

NAME = "attention-course-jupyterlite"
NEEDED = ("jupyterlite_core", "jupyterlite_pyodide_kernel", "jupyter_server")
PYODIDE = "JUPYTERLITE_PYODIDE_URL"  # JupyterLite's own: a Pyodide distribution to put into the site
MAX_SECONDS = 900


def build(course: Course, destination: Path) -> tuple[Path, Path]:
    """Write the site as a folder and as a zip in `destination`. Returns (folder, zip).

    Raises CourseError where JupyterLite is not installed or stops, or where a notebook is not released.
    """
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        raise CourseError("JupyterLite is not installed", "python -m pip install 'attention-course[jupyterlite]'")
    return archive.build(destination, NAME, lambda folder: _fill(course, folder))


def _fill(course: Course, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        contents = Path(scratch) / "contents"
        for name in course.names:
            notebook = archive.released(course.root, name)
            shutil.copytree(notebook.parent, contents / name, ignore=shutil.ignore_patterns(*IGNORED, "*.pyc"))
        command = [sys.executable, "-m", "jupyterlite_core", "build", "--apps", "lab", "--no-sourcemaps"]
        command += ["--ignore-sys-prefix", "federated_extensions"]  # nbgrader's have nothing to talk to there
        command += [f"--LiteBuildConfig.federated_extensions={_kernel()}"]
        command += ["--lite-dir", scratch, "--contents", str(contents), "--output-dir", str(folder.resolve())]
        try:
            done = subprocess.run(
                command, cwd=scratch, env=_environment(), capture_output=True, text=True, timeout=MAX_SECONDS
            )
        except subprocess.TimeoutExpired as error:
            raise CourseError("JupyterLite took more than 15 minutes", f"see what {PYODIDE} names") from error
    if done.returncode or not (folder / "lab" / "index.html").is_file():
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        last = lines[-1] if lines else "without a word"
        raise CourseError(f"JupyterLite stopped: {last}", "`jupyter lite build` by itself says more")


def _kernel() -> Path:
    """Return the folder of the Pyodide kernel's extension, wherever pip put it."""
    from jupyter_core.paths import jupyter_path

    for path in map(Path, jupyter_path("labextensions", "@jupyterlite", "pyodide-kernel-extension")):
        if path.is_dir():
            return path
    raise CourseError(
        "JupyterLite's Pyodide kernel is not complete",
        "python -m pip install --force-reinstall jupyterlite-pyodide-kernel",
    )


def _environment() -> dict[str, str]:
    """Return the environment for JupyterLite, where a file is still found from another folder."""
    environment = dict(os.environ)
    pyodide = environment.get(PYODIDE, "")
    if pyodide and "://" not in pyodide:
        if not Path(pyodide).exists():
            raise CourseError(
                f"{PYODIDE} names {pyodide}, which is not there", "name a Pyodide distribution, or unset it"
            )
        environment[PYODIDE] = str(Path(pyodide).resolve())
    return environment
