"""`nbgrader export` with nbgrader's columns, where a score that waits for a person is blank and never 0."""

from __future__ import annotations

import csv
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins.export import ExportPlugin

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
            for assignment in gradebook.assignments:
                if self.assignment and assignment.name not in map(str, self.assignment):
                    continue
                if not assignment.max_score:  # nothing in it is graded, so there is no grade to get out
                    continue
                for student in gradebook.students:
                    if not self.student or student.id in map(str, self.student):
                        writer.writerow(_row(gradebook, assignment, student))


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
