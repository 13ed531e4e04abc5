"""A class in a scratch course: grade it, look into its gradebook, change what was handed in."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import notebook_path, read, write

from autograder.commands import autograde
from autograder.course import load_course
from autograder.gradebook.outcome import Wish

ASSIGNMENT = "ex2-causal-masking"

GRADES = """
    SELECT student.id, base_cell.name, grade.auto_score, grade.manual_score, grade.extra_credit,
           grade.needs_manual_grade
    FROM grade JOIN base_cell ON base_cell.id = grade.cell_id
    JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
    JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
    JOIN student ON student.id = submitted_assignment.student_id ORDER BY 1, 2
"""
COMMENTS = (
    GRADES.replace("grade.auto_score, grade.manual_score, grade.extra_credit,", "grade.auto_comment,")
    .replace("grade.needs_manual_grade", "grade.manual_comment")
    .replace("FROM grade", "FROM comment grade")
)
SUBMISSIONS = """
    SELECT student.id, submitted_assignment.timestamp, submitted_assignment.extension, notebook.name,
           submitted_notebook.flagged, submitted_notebook.late_submission_penalty
    FROM submitted_notebook JOIN notebook ON notebook.id = submitted_notebook.notebook_id
    JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
    JOIN student ON student.id = submitted_assignment.student_id ORDER BY 1, 4
"""


@dataclass
class Class:
    """A scratch course with submissions in it."""

    root: Path

    def autograde(self, student: str | None = None, jobs: int = 1, **wish: bool) -> int:
        """Run `course autograde` in this process. Returns its exit status."""
        return autograde.run(load_course(self.root), ASSIGNMENT, student, Wish(**wish), jobs)

    def rows(self, question: str) -> list[Any]:
        with sqlite3.connect(self.root / "gradebook.db") as db:
            return db.execute(question).fetchall()

    def tables(self) -> dict[str, list[Any]]:
        """Return all that grading writes into the gradebook, in order and without nbgrader's random ids."""
        return {"grades": self.rows(GRADES), "comments": self.rows(COMMENTS), "submissions": self.rows(SUBMISSIONS)}

    def scores(self) -> dict[str, float]:
        """Return each student's points by the checks."""
        found: dict[str, float] = {}
        for student, _, score, *_ in self.rows(GRADES):
            found[student] = found.get(student, 0.0) + (score or 0.0)
        return found

    def change_grade(self, student: str, cell: str, assignment: str) -> None:
        """Set columns of one grade, as a person does in Formgrader: `assignment` is the SQL after SET."""
        question = (
            f"UPDATE grade SET {assignment} WHERE cell_id IN (SELECT id FROM base_cell WHERE name = ?) "
            "AND notebook_id IN (SELECT n.id FROM submitted_notebook n JOIN submitted_assignment a "
            "ON a.id = n.assignment_id WHERE a.student_id = ?)"
        )
        with sqlite3.connect(self.root / "gradebook.db") as db:
            assert db.execute(question, (cell, student)).rowcount == 1

    def notebook(self, student: str) -> Path:
        return notebook_path(self.root / "submitted" / student, ASSIGNMENT)

    def autograded(self, student: str) -> dict[str, Any]:
        return read(notebook_path(self.root / "autograded" / student, ASSIGNMENT))

    def answer(self, student: str, source: str) -> None:
        """Add a cell with another answer to what a student handed in."""
        notebook = read(self.notebook(student))
        cell = {"cell_type": "code", "execution_count": None, "id": f"more-{len(notebook['cells'])}", "metadata": {}}
        notebook["cells"].append({**cell, "outputs": [], "source": source})
        write(self.notebook(student), notebook)
