"""`--format gradescope`: the results.json that a Gradescope autograder leaves, for one submission."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from autograder.grading.outcome import FAILED, PASSED
from autograder.grading.report import GRADED, UNGRADABLE, CheckResult, Report
from autograder.outputs.single import the_one
from autograder.outputs.table import points


def render(reports: Sequence[Report]) -> str:
    """Return results.json for the one submission. Raises CourseError for several."""
    return _dumped(results(the_one(reports, "results.json")))


def results(report: Report) -> dict[str, Any]:
    """Return the fields of results.json that Gradescope documents.

    A check that could not be judged has neither points nor a status of its own, and what is said about the whole
    submission says that the score is not final.
    """
    tests = [
        _test(f"{number}.{place}", cell.grade_id, check)
        for number, cell in enumerate(report.cells, start=1)
        for place, check in enumerate(cell.checks, start=1)
    ]
    return {
        "score": _rounded(report.score),
        "execution_time": report.seconds,
        "output": _said(report),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",  # what the grader prints is for instructors
        "tests": tests,
        "extra_data": {
            "assignment": report.assignment,
            "status": report.status,
            "max_score": _rounded(report.max_score),
            "isolation": report.isolation,
            "graded_at": report.graded_at,
            "kit_version": report.kit_version,
            "checks_digest": report.checks_digest,
            "submission_digest": report.submission_digest,
        },
    }


def no_results(reason: str) -> str:
    """Return results.json for a submission that could not be graded at all, by no fault of the student's."""
    said = (
        "This submission could not be graded, through no fault of yours. The 0 is no score: tell your instructor, "
        f"and hand in again when it is mended. The reason: {reason}"
    )
    return _dumped(
        {
            "score": 0.0,
            "execution_time": 0.0,
            "output": said,
            "output_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "tests": [],
            "extra_data": {"status": "needs-review"},
        }
    )


def _test(number: str, grade_id: str, check: CheckResult) -> dict[str, Any]:
    test = {
        "name": check.title,
        "number": number,
        "score": _rounded(check.score),
        "max_score": _rounded(check.max_score),
        "status": "passed" if check.outcome == PASSED else "failed",
        "output": check.message,
        "output_format": "text",
        "visibility": "visible",
        "extra_data": {"check": check.name, "cell": grade_id, "misconception": check.misconception},
    }
    if check.outcome not in (PASSED, FAILED):  # not judged: to show a 0 would be to blame the student
        del test["score"], test["status"]
        test["output"] = f"Not judged yet; a person will look at it. {check.message}"
    return test


def _said(report: Report) -> str:
    if report.status == UNGRADABLE:
        return f"{report.message} Nothing was run. Mend this and hand in again."
    score = f"{points(report.score)} of {points(report.max_score)} points."
    if report.status != GRADED:
        score = f"Not final: {points(report.score)} of {points(report.max_score)} points so far."
    return f"{score} {report.message}" if report.message else score


def _rounded(score: float) -> float:
    """Return points without the last digits of a third."""
    return round(score, 6)


def _dumped(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
