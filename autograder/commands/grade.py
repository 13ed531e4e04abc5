"""`course grade`: grade notebooks wherever they lie, and say the result in the format that is asked for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.commands.files import check_writable, write_whole
from autograder.commands.progress import Progress
from autograder.course import Course
from autograder.grading import pool
from autograder.grading.grader import Graded, Grader, unknown
from autograder.grading.report import Report
from autograder.outputs import FORMATS, SINGLE, github
from autograder.problems import CourseError
from autograder.reading.discover import UNKNOWN, read_all

GRADED, BELOW, NEEDS_A_PERSON = 0, 1, 3


def grade_paths(
    course: Course,
    paths: Sequence[Path],
    assignment: str | None = None,
    student: str | None = None,
    jobs: int = 1,
    single: str = "",
) -> list[Report]:
    """Grade the notebooks at and below `paths`. Returns their reports, in the order in which they were found.

    `single` names a format that holds one submission: where there are several, CourseError is raised before any
    is graded.
    """
    wanted = course.assignment(assignment) if assignment else None
    known = course.assignments()
    max_bytes = course.limits.submission_mb * 10**6
    submissions = read_all(paths, known, max_bytes, wanted, student)
    if single and len(submissions) != 1:
        raise CourseError(f"{single} holds one submission, and there are {len(submissions)}", "name one notebook")
    graded: dict[int, Graded] = {}
    with Grader(course) as grader, Progress("grading", len(submissions)) as progress:
        for name in dict.fromkeys(submission.assignment for submission in submissions):
            batch = [submission for submission in submissions if submission.assignment == name]
            if name == UNKNOWN:
                results = [unknown(submission) for submission in batch]
            else:
                results = pool.grade(grader, name, batch, jobs, progress.step)
            graded.update(zip(map(id, batch), results, strict=True))
    return [graded[id(submission)].report for submission in submissions]


def run(
    course: Course,
    paths: Sequence[Path],
    output_format: str = "table",
    output: Path | None = None,
    fail_under: float | None = None,
    assignment: str | None = None,
    student: str | None = None,
    jobs: int = 1,
    also: Sequence[tuple[str, Path]] = (),
) -> int:
    """Grade and write the result to `output` or standard output. Returns the exit status of the contract.

    `also` are other formats of the same result, each with its file.
    """
    for path in [output, *(path for _, path in also)]:
        if path is not None:
            check_writable(path)
    formats = [output_format, *(name for name, _ in also)]
    single = next((f"the format {name}" for name in formats if name in SINGLE), "")
    reports = grade_paths(course, paths, assignment, student, jobs, single)
    text = FORMATS[output_format](reports)
    for path, other in [(path, FORMATS[name](reports)) for name, path in also]:
        write_whole(path, other)
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)
    if "github" in formats:
        sys.stderr.write(github.annotated(reports))
    return exit_status(reports, fail_under)


def exit_status(reports: Sequence[Report], fail_under: float | None) -> int:
    """Return 3 where something needs a person, 1 where a score is below `fail_under` per cent, else 0."""
    if any(report.needs_a_person for report in reports):
        return NEEDS_A_PERSON
    if fail_under is not None and any(report.score < report.max_score * fail_under / 100 for report in reports):
        return BELOW
    return GRADED
