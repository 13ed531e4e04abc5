"""Formats that hold one submission and no more."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.grading.report import Report
from autograder.problems import CourseError


def the_one(reports: Sequence[Report], file: str) -> Report:
    """Return the only report. Raises CourseError where there are several: one file cannot hold them."""
    if len(reports) != 1:
        raise CourseError(f"{file} holds one submission, and there are {len(reports)}", "name one notebook")
    return reports[0]
