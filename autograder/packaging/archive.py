"""A package is a folder and a zip of the same files, each replaced as a whole."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from autograder.problems import CourseError
from autograder.reading.assignment import SOLUTION_MARKERS
from autograder.reading.notebook import read_notebook

SCRIPTS = {"setup.sh", "run_autograder"}  # these are run by name


def build(destination: Path, name: str, fill: Callable[[Path], None], inside: bool = True) -> tuple[Path, Path]:
    """Let `fill` write the package's files to a folder, and put it and its zip in `destination`.

    Returns (folder, zip). With `inside`, the zip holds the folder; otherwise the files are at its root. Nothing is
    changed where `fill` raises. Raises CourseError where something cannot be written.
    """
    try:
        destination.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=destination) as scratch:
            made = Path(scratch) / name
            made.mkdir()
            fill(made)
            archive = _zip(made, Path(scratch) / f"{name}.zip", made.parent if inside else made)
            folder, target = destination / name, destination / f"{name}.zip"
            if folder.exists():
                shutil.rmtree(folder)
            made.replace(folder)
            archive.replace(target)
    except OSError as error:
        raise CourseError(
            f"{destination} cannot be written ({error.strerror})", "name another folder with --output"
        ) from error
    return folder, target


def released(root: Path, assignment: str) -> Path:
    """Return the released notebook. Raises CourseError where there is none, or where it still holds model answers."""
    path = root / "release" / assignment / f"{assignment}.ipynb"
    if not path.is_file():
        raise CourseError(f"release/{assignment} is not there", f"run `nbgrader generate_assignment {assignment}`")
    notebook, _ = read_notebook(path, 10**8)
    if any(marker in cell["source"] for cell in notebook["cells"] for marker in SOLUTION_MARKERS):
        raise CourseError(
            f"release/{assignment} holds model answers", f"run `nbgrader generate_assignment {assignment} --force`"
        )
    return path


def _zip(folder: Path, target: Path, base: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(base).as_posix(), (1980, 1, 1, 0, 0, 0))
                entry.external_attr = (0o100755 if path.name in SCRIPTS else 0o100644) << 16
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return target
