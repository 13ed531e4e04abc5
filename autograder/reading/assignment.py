"""An assignment as the course defines it: its notebook's cells, points and functions."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.problems import CourseError
from autograder.reading.notebook import Unreadable, grade_id, read_notebook

SOLUTION_MARKERS = ("### BEGIN SOLUTION", "### END SOLUTION")
MAX_BYTES = 50 * 2**20


@dataclass(frozen=True)
class CourseCell:
    """A cell of the course's copy that nbgrader knows by its grade_id."""

    grade_id: str
    position: int
    cell_id: str | None
    cell: dict[str, Any]

    @property
    def flags(self) -> dict[str, Any]:
        return self.cell["metadata"]["nbgrader"]

    @property
    def locked(self) -> bool:
        return bool(self.flags.get("locked")) and not self.flags.get("solution")

    @property
    def graded(self) -> bool:
        return bool(self.flags.get("grade"))

    @property
    def points(self) -> float:
        return float(self.flags.get("points", 0))

    @property
    def source(self) -> str:
        return self.cell["source"]


@dataclass(frozen=True)
class Assignment:
    """One assignment: `notebook` is the course's copy with the model answers, or the released one."""

    name: str
    notebook: dict[str, Any]
    cells: dict[str, CourseCell]
    functions: tuple[str, ...]
    folder: Path

    @property
    def graded(self) -> list[CourseCell]:
        return [cell for cell in self.cells.values() if cell.graded]

    @property
    def max_score(self) -> float:
        return sum(cell.points for cell in self.graded)

    @property
    def title(self) -> str:
        """The notebook's first heading, or the assignment's name."""
        for cell in self.notebook["cells"]:
            for line in cell["source"].splitlines():
                if line.startswith("# "):
                    return line[2:].strip()
        return self.name


def load_assignment(name: str, folder: Path) -> Assignment:
    """Return the assignment in `folder`/`name`.ipynb. Raises CourseError where the notebook is not in order."""
    path = folder / f"{name}.ipynb"
    where = f"{folder.parent.name}/{name}/{name}.ipynb"
    try:
        notebook, _ = read_notebook(path, MAX_BYTES)
    except Unreadable as error:
        raise CourseError(f"{where}: {error}") from error
    return as_assignment(name, notebook, folder)


def as_assignment(name: str, notebook: dict[str, Any], folder: Path) -> Assignment:
    """Return the assignment that `notebook` is the course's copy of. Raises CourseError where it is not in order."""
    where = f"{folder.parent.name}/{name}/{name}.ipynb"
    cells: dict[str, CourseCell] = {}
    functions: list[str] = []
    for position, cell in enumerate(notebook["cells"]):
        name_of_cell = grade_id(cell)
        if name_of_cell is None:
            continue
        if name_of_cell in cells:
            raise CourseError(
                f"{where}: two cells have the grade_id {name_of_cell!r}",
                "give one of them another id in the Create Assignment view",
            )
        identity = cell.get("id")
        found = CourseCell(name_of_cell, position, identity if isinstance(identity, str) else None, cell)
        cells[name_of_cell] = found
        if found.graded and not _are_points(found.flags.get("points")):
            raise CourseError(
                f"{where}: the graded cell {name_of_cell!r} has {found.flags.get('points')!r} points",
                "give it a number from 0 up in the Create Assignment view",
            )
        if found.flags.get("solution") and cell["cell_type"] == "code":
            functions += defined(cell["source"])
    return Assignment(name, notebook, cells, tuple(functions), folder)


def _are_points(points: Any) -> bool:
    return isinstance(points, (int, float)) and not isinstance(points, bool) and 0 <= points < math.inf


def defined(source: str) -> list[str]:
    """Return the names of the functions that a cell defines at its top level; none where it is no Python."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return []
    return [node.name for node in body if isinstance(node, ast.FunctionDef)]
