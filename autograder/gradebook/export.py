"""`nbgrader export` with nbgrader's columns, where a score that waits for a person is blank and never 0."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.plugins.export import ExportPlugin

from autograder.course import load_course
from autograder.gradebook.lms.sheet import plain
from autograder.gradebook.scores import Standing, standings

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


class CourseExport(ExportPlugin):
    """Writes grades.csv, or the file given with --to."""

    def export(self, gradebook: Gradebook) -> None:
        destination = self.to or "grades.csv"
        parent: Any = self.parent
        course = load_course(Path(parent.coursedir.root))
        self.log.info("Exporting grades to %s", destination)
        with open(destination, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            for assignment in gradebook.assignments:
                if self.assignment and assignment.name not in map(str, self.assignment):
                    continue
                if not assignment.max_score:  # nothing in it is graded, so there is no grade to get out
                    continue
                for standing in standings(gradebook, course, assignment.name):
                    if not self.student or standing.person.id in map(str, self.student):
                        writer.writerow(_row(assignment, standing))


def _row(assignment: Any, standing: Standing) -> dict[str, Any]:
    """Return a line. Names that a spreadsheet program would run as formulas are made plain text."""
    person = standing.person
    return {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "timestamp": standing.timestamp or "",
        "student_id": plain(person.id),
        "last_name": plain(person.last_name),
        "first_name": plain(person.first_name),
        "email": plain(person.email),
        "raw_score": "" if standing.raw_score is None else standing.raw_score,
        "late_submission_penalty": standing.penalty,
        "score": "" if standing.score is None else standing.score,
        "max_score": standing.max_score,
    }
