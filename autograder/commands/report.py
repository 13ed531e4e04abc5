"""`course report`: the class at a glance, from the gradebook and from what `course autograde` recorded."""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.commands.grade import check_writable, write_whole
from autograder.course import Course
from autograder.grading.report import Report
from autograder.outputs import class_page
from autograder.outputs.standing import Place
from autograder.problems import CourseError

WRITTEN = "name a file that `course grade --format json` wrote"


def run(
    course: Course,
    assignments: Sequence[str] = (),
    output: Path | None = None,
    hide_names: bool = False,
    reports: Path | None = None,
    formgrader: str | None = None,
) -> int:
    """Write the page to `output` or standard output. Returns 0.

    `reports` is a file that `course grade --format json` wrote, to be used in place of what was recorded.
    """
    for name in assignments:
        course.assignment(name)
    if output is not None:
        check_writable(output)
    text = made(course, assignments, hide_names, reports, formgrader)
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)
    return 0


def made(
    course: Course,
    assignments: Sequence[str] = (),
    hide_names: bool = False,
    reports: Path | None = None,
    formgrader: str | None = None,
) -> str:
    """Return the page. Raises CourseError where there is nothing to show."""
    names = list(assignments) or list(course.names)
    where: list[Place] = []
    called: dict[str, str] = {}
    if reports is not None:
        found = [report for report in read_reports(reports) if report.assignment in names]
    else:
        from autograder.gradebook.class_list import FORMGRADER, places
        from autograder.gradebook.stored import reports_of_course

        found = reports_of_course(course, names)
        where, called = places(course, names, formgrader or FORMGRADER)
    if not found and not where:
        raise CourseError(
            f"nothing of {', '.join(names)} was graded yet",
            "run `course autograde NAME` first, or name a file of reports with --reports",
        )
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    return class_page.render(found, where, called, hide_names, now)


def read_reports(path: Path) -> list[Report]:
    """Return the reports in a file with one JSON object a line. Raises CourseError that names the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise CourseError(f"{path} cannot be read ({reason})", WRITTEN) from error
    found = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                found.append(Report.from_dict(json.loads(line)))
            except (ValueError, TypeError) as error:
                raise CourseError(f"{path}, line {number}: no report ({error})", WRITTEN) from error
    return found
