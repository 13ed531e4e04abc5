"""Repairs: what a tool did to a notebook is put right from the course's copy, and said.

Roles, points and locked cells come from the course and never from the submitted file. The student's own cells
stay as they are; nothing here changes what a student wrote in a cell made for answers.
"""

from __future__ import annotations

import copy
import re
from typing import Any

from autograder.reading.assignment import Assignment, CourseCell
from autograder.reading.notebook import grade_id

_FLAGS = ("grade", "solution", "locked", "task", "points")


def repair(notebook: dict[str, Any], assignment: Assignment) -> list[str]:
    """Repair the notebook's cells in place. Returns a sentence for each repair worth telling."""
    notes: list[str] = []
    cells: list[dict[str, Any]] = notebook["cells"]
    _drop_unknown_ids(cells, assignment)
    _find_lost_metadata(cells, assignment, notes)
    _one_cell_per_id(cells, notes)
    _keep_misplaced_answers(cells, assignment, notes)
    for cell in cells:
        name = grade_id(cell)
        if name is not None:
            _restore(cell, assignment.cells[name], notes)
    _put_back(cells, assignment, notes)
    return notes


def _drop_unknown_ids(cells: list[dict[str, Any]], assignment: Assignment) -> None:
    """Make cells with the roles of another course, or with none, ordinary cells."""
    for cell in cells:
        if grade_id(cell) not in assignment.cells:
            cell["metadata"].pop("nbgrader", None)


def _find_lost_metadata(cells: list[dict[str, Any]], assignment: Assignment, notes: list[str]) -> None:
    """Give cells whose metadata was emptied their role back, by cell id or by the text of a locked cell."""
    present = {grade_id(cell) for cell in cells}
    missing = [cell for name, cell in assignment.cells.items() if name not in present]
    free = [cell for cell in cells if not cell["metadata"].get("nbgrader")]
    found = 0
    for wanted in missing:
        for cell in free:
            same_id = wanted.cell_id is not None and cell.get("id") == wanted.cell_id
            if same_id or (wanted.locked and _same_text(cell["source"], wanted.source)):
                cell["metadata"]["nbgrader"] = copy.deepcopy(wanted.flags)
                free.remove(cell)
                found += 1
                break
    if found:
        notes.append(f"The grading metadata of {_count(found, 'cell')} was missing and was restored.")


def _one_cell_per_id(cells: list[dict[str, Any]], notes: list[str]) -> None:
    """Leave each grade_id to its first cell; copies stay as ordinary cells."""
    seen: set[str] = set()
    doubled: list[str] = []
    for cell in cells:
        name = grade_id(cell)
        if name is None:
            continue
        if name in seen:
            doubled.append(name)
            del cell["metadata"]["nbgrader"]
        else:
            seen.add(name)
    for name in dict.fromkeys(doubled):
        notes.append(f"The cell {name} was there more than once; it is counted once.")


def _keep_misplaced_answers(cells: list[dict[str, Any]], assignment: Assignment, notes: list[str]) -> None:
    """Copy answers that were written into a locked cell to a cell of their own above it."""
    for index in reversed(range(len(cells))):
        course = assignment.cells.get(grade_id(cells[index]) or "")
        if course is None or not course.locked or cells[index]["cell_type"] != "code":
            continue
        source = cells[index]["source"]
        misplaced = [name for name in assignment.functions if defines(source, name) > defines(course.source, name)]
        if misplaced:
            kept = {"cell_type": "code", "id": f"{course.grade_id}-answer"[:64], "metadata": {}, "source": source}
            cells.insert(index, {**kept, "outputs": [], "execution_count": None})
            names = ", ".join(misplaced)
            notes.append(f"The answer {names} in the locked cell {course.grade_id} was moved to a cell of its own.")


def defines(source: str, name: str) -> bool:
    """Whether a function `name` is defined in the source, at any depth."""
    return re.search(rf"^\s*(async\s+)?def\s+{re.escape(name)}\b", source, re.MULTILINE) is not None


def _restore(cell: dict[str, Any], course: CourseCell, notes: list[str]) -> None:
    """Put type, flags, points and (where locked) the text of the course's copy back."""
    if cell["cell_type"] != course.cell["cell_type"]:
        notes.append(f"The cell {course.grade_id} had been made a {cell['cell_type']} cell; it was changed back.")
        cell["cell_type"] = course.cell["cell_type"]
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
        else:
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
        cell.pop("attachments", None)
    flags = cell["metadata"]["nbgrader"]
    if any(flags.get(flag) != course.flags.get(flag) for flag in _FLAGS):
        notes.append(f"The points or flags of the cell {course.grade_id} had been changed and were restored.")
    checksum = flags.get("checksum")
    cell["metadata"]["nbgrader"] = copy.deepcopy(course.flags)
    if isinstance(checksum, str):
        cell["metadata"]["nbgrader"].setdefault("checksum", checksum)
    if course.locked:
        if not _same_text(cell["source"], course.source):
            notes.append(f"The locked cell {course.grade_id} had been edited; the course's text was used.")
        cell["source"] = course.source


def _put_back(cells: list[dict[str, Any]], assignment: Assignment, notes: list[str]) -> None:
    """Put missing locked cells back behind the course cell that they follow."""
    places = {grade_id(cell): index for index, cell in enumerate(cells)}
    previous: str | None = None
    for name, course in assignment.cells.items():
        if name not in places:
            if not course.locked:
                continue
            index = places[previous] + 1 if previous is not None else 0
            cells.insert(index, copy.deepcopy(course.cell))
            places = {grade_id(cell): place for place, cell in enumerate(cells)}
            notes.append(f"The cell {name} was missing and was put back.")
        previous = name


def _same_text(first: str, second: str) -> bool:
    """Whether two texts are the same but for spaces at the ends of lines, which editors change by themselves."""
    return [line.rstrip() for line in first.strip().split("\n")] == [
        line.rstrip() for line in second.strip().split("\n")
    ]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
