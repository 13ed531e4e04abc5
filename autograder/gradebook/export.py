"""`nbgrader export` with nbgrader's columns, where a score that waits for a person is blank and never 0.

Where the course has optional assignments, each student's lines are followed by one for the course as a whole, named
TOTAL. Optional points are added to those of the others, and nothing is asked for them: they can make up for points lost
elsewhere, up to the full points of the course, and a missing or poor optional assignment lowers no total.
"""

from __future__ import annotations

import csv
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins.export import ExportPlugin

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
        self.log.info("Exporting grades to %s", destination)
        with open(destination, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            rows = [
                _row(gradebook, assignment, student)
                for assignment in gradebook.assignments
                if not self.assignment or assignment.name in map(str, self.assignment)
                for student in gradebook.students
                if not self.student or student.id in map(str, self.student)
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


def _row(gradebook: Gradebook, assignment: Any, student: Any) -> dict[str, Any]:
    row = {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "timestamp": "",
        "student_id": student.id,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "raw_score": 0.0,
        "late_submission_penalty": 0.0,
        "score": 0.0,
        "max_score": assignment.max_score,
    }
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return row
    penalty = submission.late_submission_penalty or 0.0
    row.update(timestamp=submission.timestamp, late_submission_penalty=penalty)
    if undecided(submission):
        row.update(raw_score="", score="")
    else:
        row.update(raw_score=submission.score, score=max(0.0, submission.score - penalty))
    return row


def undecided(submission: Any) -> bool:
    """Whether some cell of a submission has neither an automatic nor a manual score, and waits for one."""
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    return any(g.auto_score is None and g.manual_score is None and g.needs_manual_grade for g in grades)
