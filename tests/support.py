"""What the tests of the whole course share: a scratch copy of it, its notebooks, and commands run as a person would."""

from __future__ import annotations

import ast
import html.parser
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

Course = Callable[..., "subprocess.CompletedProcess[str]"]  # the fixture `course`

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENTS = (
    "ex1-scaled-dot-product",
    "ex2-causal-masking",
    "ex3-memory-cost",
    "ex4-cross-attention",
    "ex5-variations",
)
TOUR = "ex0-chapter-tour"  # handed out with the others; nothing in it is graded
WITH_TORCH = importlib.util.find_spec("torch") is not None
needs_torch = pytest.mark.skipif(not WITH_TORCH, reason="torch is not installed")
GRADERS = ROOT / "autograder" / "graders"
QUICK = ROOT / "tests" / "quick"  # what makes commands start faster
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def copy_course(folder: Path, changes: dict[str, str] | None = None, added: str = "") -> Path:
    """Copy what an instructor writes (configuration and source/) to `folder`.

    In course_config.py, `changes` replace texts that are there once, and `added` stands at the end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(ROOT / "source", folder / "source", ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    text = (ROOT / "course_config.py").read_text("utf-8")
    for old, new in (changes or {}).items():
        assert text.count(old) == 1, f"course_config.py should hold {old!r} once"
        text = text.replace(old, new)
    (folder / "course_config.py").write_text(text + added, "utf-8")
    return folder


# -- commands -----------------------------------------------------------------------------------------------------


@dataclass
class Person:
    """Somebody with a folder of their own: no settings, caches or submissions are shared with anybody else."""

    folder: Path
    home: Path
    variables: dict[str, str] = field(default_factory=dict)

    def run(self, *command: str, status: int = 0, seconds: float = 240) -> subprocess.CompletedProcess[str]:
        """Run a command in the person's folder, and fail with all that it said unless it ends with `status`."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        said = f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == status, said
        return done

    def start(self, *command: str, said: Path) -> subprocess.Popen[bytes]:
        """Start a command that goes on running, and write what it says to a file. The caller ends it."""
        with said.open("wb") as file:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def nbgrader(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        return self.run("nbgrader", *arguments, status=status)

    def course(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        return self.run("course", *arguments, status=status)

    def python(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, *arguments, status=status)

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTEST"))}
        return kept | {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(QUICK), os.environ.get("PYTHONPATH")])),
            "JUPYTER_CONFIG_DIR": str(self.home / "config"),
            "JUPYTER_DATA_DIR": str(self.home / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.home / "runtime"),
            "IPYTHONDIR": str(self.home / "ipython"),
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            **self.variables,
        }


# -- notebooks ----------------------------------------------------------------------------------------------------


def read(path: Path) -> dict[str, Any]:
    """Return a notebook as plain data, with the text of each cell and output in one piece."""
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
        for output in cell.get("outputs", []):
            if "text" in output:
                output["text"] = "".join(output["text"])
            for kind, data in output.get("data", {}).items():
                output["data"][kind] = "".join(data) if isinstance(data, list) else data
    return notebook


def write(path: Path, notebook: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


def notebook_path(folder: Path, assignment: str) -> Path:
    return folder / assignment / f"{assignment}.ipynb"


def flags(cell: dict[str, Any]) -> dict[str, Any]:
    return cell["metadata"].get("nbgrader", {})


def graded_cells(notebook: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the notebook's graded cells by grade_id."""
    return {flags(cell)["grade_id"]: cell for cell in notebook["cells"] if flags(cell).get("grade")}


def model_answers(assignment: str) -> dict[str, str]:
    """Return the text of each solution cell in source/, without the markers around the solution."""
    cells = read(notebook_path(ROOT / "source", assignment))["cells"]
    return {
        flags(cell)["grade_id"]: "\n".join(
            line for line in cell["source"].split("\n") if line.strip() not in (BEGIN, END)
        )
        for cell in cells
        if flags(cell).get("solution") and cell["cell_type"] == "code"
    }


def solution_lines(assignment: str) -> set[str]:
    """Return the lines of code between the solution markers in source/ that say something."""
    found = set()
    for cell in read(notebook_path(ROOT / "source", assignment))["cells"]:
        inside = False
        for line in map(str.strip, cell["source"].split("\n")):
            if line in (BEGIN, END):
                inside = line == BEGIN
            elif inside and len(line) > 12:
                found.add(line)
    return found


def shown_text(notebook: dict[str, Any]) -> str:
    """Return everything in a notebook that can be read: cells, outputs and metadata."""
    parts = [json.dumps(notebook["metadata"])]
    for cell in notebook["cells"]:
        parts += [cell["source"], json.dumps(cell["metadata"])]
        for output in cell.get("outputs", []):
            parts += [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
            parts += [data for data in output.get("data", {}).values() if isinstance(data, str)]
    return "\n".join(parts)


def output_text(cell: dict[str, Any]) -> str:
    """Return what a code cell printed."""
    return "".join(output["text"] for output in cell["outputs"] if output["output_type"] == "stream")


# -- web pages ----------------------------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """A web page: its `text`, its `scripts`, and each element as (tag, attributes) in `elements`."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._text: list[str] = []
        self._raw = ""
        self.feed(source)
        self.close()

    @property
    def text(self) -> str:
        return "".join(self._text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._raw = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._raw:
            self._raw = ""

    def handle_data(self, data: str) -> None:
        if self._raw == "script":
            self.scripts.append(data)
        elif not self._raw:
            self._text.append(data)


# -- secrets ------------------------------------------------------------------------------------------------------


def canaries() -> dict[str, str]:
    """Return the canary of each file of hidden checks, by path."""
    found = {}
    for path in sorted(GRADERS.rglob("*.py")):
        named = set(re.findall(r"attention-course-canary-[0-9a-f]{16}", path.read_text("utf-8")))
        assert len(named) == 1, f"{path.name} should hold one canary, but holds {len(named)}"
        found[path.relative_to(GRADERS).as_posix()] = named.pop()
    return found


def hidden_lines() -> dict[str, str]:
    """Return the lines of the hidden checks that nobody may see, each with the file that it is from.

    These are all lines of more than 40 characters but imports and the titles of checks. A message's line counts with
    its quotation marks and the code around it, so the message itself may be shown.
    """
    found = {}
    for path in sorted(GRADERS.rglob("*.py")):
        source = path.read_text("utf-8")
        meant_to_be_seen = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                meant_to_be_seen.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            elif isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
                meant_to_be_seen.add(node.body[0].lineno)
        for number, line in enumerate(map(str.strip, source.split("\n")), start=1):
            if len(line) > 40 and number not in meant_to_be_seen:
                found[line] = path.relative_to(GRADERS).as_posix()
    return found
