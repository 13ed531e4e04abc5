"""Grades recipes into a gradebook, by `course autograde` or plain `nbgrader autograde`, in a scratch course."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from support import Person, copy_course

from .recipe import EX2, Recipe

CELLS = """
SELECT student.id, base_cell.name, grade.auto_score, grade.needs_manual_grade FROM grade
JOIN submitted_notebook ON grade.notebook_id = submitted_notebook.id
JOIN submitted_assignment ON submitted_notebook.assignment_id = submitted_assignment.id
JOIN student ON submitted_assignment.student_id = student.id
JOIN base_cell ON grade.cell_id = base_cell.id
"""


@dataclass
class Recorded:
    """What one command left: the cells' scores by student, which wait for a person, and what it said."""

    folder: Path
    scores: dict[str, dict[str, float | None]]
    waiting: dict[str, set[str]]
    said: str

    def total(self, student: str) -> float | None:
        """Return a student's score; None where a cell has none."""
        found = list(self.scores.get(student, {}).values())
        return None if not found or None in found else sum(score for score in found if score is not None)


def make_course(folder: Path) -> Path:
    """Make a course with one assignment in its gradebook."""
    Person(copy_course(folder), folder.parent / f"{folder.name}-home").nbgrader("generate_assignment", EX2)
    return folder


def hand_in(recipes: Sequence[Recipe], course: Path, folder: Path) -> Person:
    """Copy a course to `folder`, with these submissions."""
    shutil.copytree(course, folder)
    for recipe in recipes:
        recipe.write(folder / "submitted")
    return Person(folder, folder.parent / f"{folder.name}-home")


def read_gradebook(folder: Path, said: str) -> Recorded:
    scores: dict[str, dict[str, float | None]] = {}
    waiting: dict[str, set[str]] = {}
    with contextlib.closing(sqlite3.connect(folder / "gradebook.db")) as database:
        for student, cell, score, manual in database.execute(CELLS):
            scores.setdefault(student, {})[cell] = score
            if manual:
                waiting.setdefault(student, set()).add(cell)
    return Recorded(folder, scores, waiting, said)


def digests(folder: Path) -> dict[str, str]:
    """Return a digest of every file below a folder, or its size where it is very large."""
    found = {}
    for parent, _, files in os.walk(folder):
        for name in files:
            path = Path(parent) / name
            small = path.stat().st_size < 10**8
            data = path.read_bytes() if small else str(path.stat().st_size).encode()
            found[str(path.relative_to(folder))] = hashlib.sha256(data).hexdigest()
    return found
