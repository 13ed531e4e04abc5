"""A stand-in for Formgrader's server, run in the course's folder: does what a button of the page does.

    python nbgrader_api.py ASSIGNMENT STUDENT [--error CHECK]

Autogrades by the call that the page makes and prints, as JSON, that call's answer and the gradebook before and
after it. With --error, the hidden check of that name ends as if it were itself at fault.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from typing import Any

from nbgrader.apps import NbGrader
from nbgrader.apps.api import NbGraderAPI


def gradebook(api: NbGraderAPI) -> dict[str, Any]:
    """Return the gradebook as {student: {assignment: scores}}."""
    told: dict[str, Any] = {}
    with api.gradebook as book:
        for assignment in book.assignments:
            for submission in assignment.submissions:
                told.setdefault(submission.student.id, {})[assignment.name] = {
                    "score": submission.score,
                    "max_score": submission.max_score,
                    "penalty": submission.late_submission_penalty,
                    "seconds_late": submission.total_seconds_late,
                    "needs_manual_grade": submission.needs_manual_grade,
                    "cells": {
                        grade.name: {
                            "auto_score": grade.auto_score,
                            "manual_score": grade.manual_score,
                            "max_score": grade.max_score,
                            "needs_manual_grade": grade.needs_manual_grade,
                        }
                        for notebook in submission.notebooks
                        for grade in notebook.grades
                    },
                }
    return told


def break_check(name: str) -> None:
    """Make a check end in error, whatever it finds."""
    from autograder.grading import batch
    from autograder.grading.outcome import ERROR
    from autograder.grading.report import CheckResult

    record = batch.Batch._record

    def recorded(self: batch.Batch, item: Any, call: Any) -> None:
        record(self, item, call)
        for entry in self.entries[1 if self.has_model else 0 :]:
            result = entry.results.get(name)
            if isinstance(result, CheckResult):
                entry.results[name] = dataclasses.replace(result, outcome=ERROR, message="The check itself stopped.")

    batch.Batch._record = recorded  # type: ignore[method-assign]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("assignment")
    parser.add_argument("student")
    parser.add_argument("--error", metavar="CHECK")
    arguments = parser.parse_args()
    if arguments.error:
        break_check(arguments.error)
    app = NbGrader()
    app.initialize([])
    api = NbGraderAPI(app.coursedir, app.authenticator, parent=app)
    before = gradebook(api)
    answer = api.autograde(arguments.assignment, arguments.student)
    print(json.dumps({"answer": answer, "before": before, "after": gradebook(api)}))


if __name__ == "__main__":
    main()
