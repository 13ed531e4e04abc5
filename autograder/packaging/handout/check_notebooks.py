"""Run notebooks from top to bottom, as they are run when they are graded, and say which visible checks stop.

    python check_notebooks.py                    every notebook in this folder and below it
    python check_notebooks.py PATH...            these notebooks and folders

Needs what requirements.txt names. Ends with 0 where every visible check passes, with 1 where one stops, and with 2
where a notebook cannot be read. The hidden checks are not here: they run after you hand in.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError

CELL_SECONDS = 60
LEFTOVERS = {".ipynb_checkpoints", "__MACOSX", ".venv", ".git"}
MAX_TEXT = 600
_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Check:
    """A visible check: the locked cell's grade_id, whether it ran through, and what it said if not."""

    name: str
    passed: bool
    points: float
    message: str = ""


class Unreadable(Exception):
    """The file is no notebook."""


def read(path: Path) -> nbformat.NotebookNode:
    """Return a notebook in format 4. Raises Unreadable."""
    try:
        notebook = nbformat.read(path, as_version=4)
        cells = notebook.cells
    except Exception as error:  # nbformat raises what its parts raise
        raise Unreadable(f"{path} is no notebook that can be read ({type(error).__name__}): save it again") from error
    for cell in cells:
        cell.setdefault("metadata", nbformat.NotebookNode())
    return notebook


def checks_of(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return the cells with visible checks: those that are graded and hold code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and _flags(cell).get("grade")]


def run(notebook: nbformat.NotebookNode, folder: Path) -> list[Check]:
    """Run a notebook in a kernel of its own, in `folder`, errors and all. Returns its visible checks.

    A cell that takes longer than a minute is interrupted. Where a cell ends Python, the checks after it have failed.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        interrupt_on_timeout=True,
        allow_errors=True,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    ended = ""
    try:
        client.execute()
    except DeadKernelError:
        ended = "Python ended before this check: a cell above it stops the whole process."
    return [_check(cell, ended) for cell in checks_of(notebook)]


def _check(cell: nbformat.NotebookNode, ended: str) -> Check:
    errors = [output for output in cell.outputs if output.output_type == "error"]
    ran = cell.execution_count is not None
    message = f"{errors[0].ename}: {errors[0].evalue}" if errors else "" if ran else ended or "It was not run."
    return Check(str(_flags(cell).get("grade_id", "check")), ran and not errors, points(cell), tidy(message))


def points(cell: nbformat.NotebookNode) -> float:
    """Return what a graded cell is worth; 0 where somebody wrote no number."""
    worth = _flags(cell).get("points", 0)
    return float(worth) if isinstance(worth, (int, float)) else 0.0


def _flags(cell: nbformat.NotebookNode) -> dict[str, Any]:
    flags = cell.metadata.get("nbgrader", {})
    return flags if isinstance(flags, dict) else {}


def tidy(text: str) -> str:
    """Return text in one line that a log shows and does not obey: no colours, no workflow commands."""
    line = " ".join(_CODES.sub("", text).split()).replace("##[", "# #[").replace("::", ": :")
    return line if len(line) <= MAX_TEXT else line[:MAX_TEXT] + " ..."


def find(paths: Iterable[Path]) -> list[Path]:
    """Return the notebooks at and below paths, without checkpoints."""
    found = []
    for path in paths:
        inside = sorted(path.rglob("*.ipynb")) if path.is_dir() else [path]
        found += [one for one in inside if not LEFTOVERS & set(one.parts)]
    return found


def summary(told: Sequence[tuple[str, list[Check]]]) -> str:
    """Return what was found as Markdown, for the summary of a job."""
    lines = ["### Visible checks", ""]
    for name, checks in told:
        passed = sum(check.passed for check in checks)
        lines += [f"**{name}**: {passed} of {len(checks)} visible checks pass", ""]
        lines += [
            f"- {check.name} stops: <code>{_escaped(check.message)}</code>" for check in checks if not check.passed
        ]
        lines.append("")
    return "\n".join([*lines, "The hidden checks run after you hand in.", ""])


def _escaped(text: str) -> str:
    return "".join(letter if letter.isalnum() or letter == " " else f"&#{ord(letter)};" for letter in text)


def main(arguments: Sequence[str]) -> int:
    """Run notebooks and print what was found; on GitHub also as the job's summary."""
    status = 0
    told = []
    notebooks = find([Path(argument) for argument in arguments] or [Path(__file__).resolve().parent])
    if not notebooks:
        print("there is no notebook here", file=sys.stderr)
        return 2
    for path in notebooks:
        try:
            checks = run(read(path), path.parent)
        except Unreadable as error:
            print(error, file=sys.stderr)
            status = 2
            continue
        told.append((tidy(path.name), checks))
        print(f"{tidy(path.name)}: {sum(check.passed for check in checks)} of {len(checks)} visible checks pass")
        for check in checks:
            if not check.passed:
                print(f"  {tidy(check.name)} stops: {check.message}")
                status = max(status, 1)
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as file:
            file.write(summary(told))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
