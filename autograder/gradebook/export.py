"""`nbgrader export` with nbgrader's columns, where a score that waits for a person is blank and never 0.

Where the course has optional assignments, each student's lines are followed by one for the course as a whole, named
TOTAL. Optional points are added to those of the others, and nothing is asked for them: they can make up for points lost
elsewhere, up to the full points of the course, and a missing or poor optional assignment lowers no total.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.plugins.export import ExportPlugin

from autograder.course import load_course
from autograder.gradebook.lms.sheet import plain
from autograder.gradebook.scores import Standing, standings

TOTAL = "course total"
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
            rows = [
                _row(assignment, standing)
                for assignment in gradebook.assignments
                if not self.assignment or assignment.name in map(str, self.assignment)
                if assignment.max_score  # else nothing in it is graded, and there is no grade to get out
                for standing in standings(gradebook, course, assignment.name)
                if not self.student or standing.person.id in map(str, self.student)
            ]
            writer.writerows(rows)
            optional, names = self._optional(), {row["assignment"] for row in rows}
            if optional & names and names - optional:
                writer.writerows(totals(rows, optional))

    def _optional(self) -> set[str]:
        section = self.config.get("Course", {})
        return {name for name, entry in section.get("assignments", {}).items() if entry.get("optional")}


def totals(rows: list[dict[str, Any]], optional: set[str]) -> list[dict[str, Any]]:
    """Return a line for each student with the total of the course, blank where one that counts waits for a person."""
    lines = []
    for student in dict.fromkeys(row["student_id"] for row in rows):
        own = [row for row in rows if row["student_id"] == student]
        counted = [row for row in own if row["assignment"] not in optional]
        line = {**own[0], "assignment": TOTAL, "duedate": "", "timestamp": ""}
        line["max_score"] = sum(row["max_score"] for row in counted)
        line["late_submission_penalty"] = sum(row["late_submission_penalty"] for row in counted)
        for column in ("raw_score", "score"):
            waits = any(row[column] == "" for row in counted)
            earned = sum(row[column] or 0.0 for row in own)  # an optional one that waits adds nothing yet
            line[column] = "" if waits else min(earned, line["max_score"])
        lines.append(line)
    return lines


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
