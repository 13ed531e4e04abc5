"""`--format classroom50`: the result.json of Classroom 50 (schema classroom50/result/v1), for one submission."""

from __future__ import annotations

import json
import os
import urllib.parse
from collections.abc import Mapping, Sequence
from typing import Any

from autograder.grading.outcome import PASSED
from autograder.grading.report import CellResult, Report
from autograder.outputs.single import the_one

SCHEMA = "classroom50/result/v1"
TYPES = ("individual", "group", "team")
WHOLE = 100  # Classroom 50 counts in whole numbers: hundredths of a point


def render(reports: Sequence[Report]) -> str:
    """Return result.json for the one submission. Raises CourseError for several."""
    fields = result(the_one(reports, "result.json"), os.environ)
    return json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def result(report: Report, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of result.json. Scores are hundredths of a point.

    Whose submission it is, is told by the variables that Classroom 50's runner sets (CLASSROOM, ASSIGNMENT, OWNER,
    SUBMISSION_TAG, COMMIT_URL, ...). Outside it GitHub's own are used, then the submission's digest; the runner
    writes owner, type and times anew anyway.
    """
    tests = [test for cell in report.cells for test in _tests(cell, report)]
    digest = report.submission_digest.removeprefix("sha256:")
    tag = environment.get("SUBMISSION_TAG") or f"submit/{report.graded_at.replace(':', '-')}-{digest[:7]}"
    repository, sha = environment.get("GITHUB_REPOSITORY"), environment.get("GITHUB_SHA")
    server = environment.get("GITHUB_SERVER_URL") or "https://github.com"
    commit, release = f"urn:sha256:{digest}", f"urn:sha256:{digest}"
    if repository and sha:
        commit = f"{server}/{repository}/commit/{sha}"
        release = f"{server}/{repository}/releases/tag/{urllib.parse.quote(tag, safe='')}"
    commit = environment.get("COMMIT_URL") or commit
    kind = environment.get("ASSIGNMENT_TYPE", "").strip().lower()
    return {
        "schema": SCHEMA,
        "classroom": environment.get("CLASSROOM") or "attention",
        "assignment": environment.get("ASSIGNMENT") or report.assignment,
        "assignment_type": kind if kind in TYPES else "individual",
        "owner": environment.get("OWNER") or environment.get("USERNAME") or report.student,
        "submission": tag,
        "commit": commit,
        "release": environment.get("RELEASE_URL") or release,
        "review": environment.get("REVIEW_URL") or commit,
        "datetime": report.graded_at,
        "graded_at": report.graded_at,
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def _tests(cell: CellResult, report: Report) -> list[dict[str, Any]]:
    if not cell.checks:  # it was never run
        return [_test(cell.grade_id, False, round(WHOLE * cell.max_score), report.message or "")]
    shares = whole_shares([check.max_score for check in cell.checks], round(WHOLE * cell.max_score))
    return [
        _test(f"{cell.grade_id}: {check.title}", check.outcome == PASSED, share, check.message)
        for check, share in zip(cell.checks, shares, strict=True)
    ]


def _test(name: str, passed: bool, worth: int, message: str) -> dict[str, Any]:
    test = {"test-name": name, "passed": passed, "score": worth if passed else 0, "max-score": worth}
    return test | {"message": message} if message else test


def whole_shares(parts: Sequence[float], total: int) -> list[int]:
    """Return whole numbers in the proportion of `parts` that sum to `total`: what is left goes to the largest rests."""
    whole = sum(parts)
    exact = [total * part / whole if whole else 0.0 for part in parts]
    shares = [int(value) for value in exact]
    by_rest = sorted(range(len(parts)), key=lambda index: shares[index] - exact[index])
    for index in by_rest[: total - sum(shares) if whole else 0]:
        shares[index] += 1
    return shares
