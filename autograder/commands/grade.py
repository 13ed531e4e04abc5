"""`course grade`: grade notebooks wherever they lie, and say the result in the format that is asked for."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from autograder.commands.files import check_writable, write_whole
from autograder.commands.progress import Progress
from autograder.course import Course
from autograder.grading import pool
from autograder.grading.grader import Graded, Grader, unknown
from autograder.grading.report import Report
from autograder.grading.showing import for_student
from autograder.outputs import FORMATS, SINGLE, github, html
from autograder.problems import CourseError
from autograder.reading.discover import UNKNOWN, read_all
from autograder.student.starting import Starting

GRADED, BELOW, NEEDS_A_PERSON = 0, 1, 3
FOR_STUDENTS = ("html", "gradescope", "classroom50", "github")  # how much is seen there is the instructor's choice


def grade_paths(
    course: Course,
    paths: Sequence[Path],
    assignment: str | None = None,
    student: str | None = None,
    jobs: int = 1,
    single: str = "",
    pages: bool = False,
    starting: Starting | None = None,
) -> list[Report]:
    """Grade the notebooks at and below `paths`. Returns their reports, in the order in which they were found.

    `single` names a format that holds one submission: where there are several, CourseError is raised before any
    is graded. With `pages`, reports carry the students' code and pictures.
    """
    wanted = course.assignment(assignment) if assignment else None
    known = course.assignments()
    max_bytes = course.limits.submission_mb * 10**6
    submissions = read_all(paths, known, max_bytes, wanted, student)
    if single and len(submissions) != 1:
        raise CourseError(f"{single} holds one submission, and there are {len(submissions)}", "name one notebook")
    graded: dict[int, Graded] = {}
    with Grader(course, starting=starting) as grader, Progress("grading", len(submissions)) as progress:
        for name in dict.fromkeys(submission.assignment for submission in submissions):
            batch = [submission for submission in submissions if submission.assignment == name]
            if name == UNKNOWN:
                results = [unknown(submission) for submission in batch]
            else:
                results = pool.grade(grader, name, batch, jobs, progress.step, pages)
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
    starting: Starting | None = None,
) -> int:
    """Grade and write the result to `output` or standard output. Returns the exit status of the contract.

    `also` are other formats of the same result, each with its file.
    """
    a_page_each = output is not None and output_format == "html" and output.is_dir()
    for path in [None if a_page_each else output, *(path for _, path in also)]:
        if path is not None:
            check_writable(path)
    formats = [output_format, *(name for name, _ in also)]
    single = next((f"the format {name}" for name in formats if name in SINGLE), "")
    reports = grade_paths(course, paths, assignment, student, jobs, single, pages="html" in formats, starting=starting)
    status = exit_status(reports, fail_under)
    shown = [for_student(course, report) for report in reports]

    def rendered(name: str) -> str:
        return FORMATS[name](shown if name in FOR_STUDENTS else reports)

    others = [(path, rendered(name)) for name, path in also]
    for path, other in others:
        write_whole(path, other)
    if output is not None and a_page_each:
        write_pages(output, shown)
        return status
    text = rendered(output_format)
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)
    if "github" in formats:
        sys.stderr.write(github.annotated(shown))
    return status


def write_pages(folder: Path, reports: Sequence[Report]) -> None:
    """Write a page for each submission, as STUDENT/ASSIGNMENT.html below `folder`: no student gets another's.

    Raises CourseError, before anything is written, where two submissions would have the same page.
    """
    paths = [folder / file_name(report.student) / f"{file_name(report.assignment)}.html" for report in reports]
    twice = [path for path, count in Counter(paths).items() if count > 1]
    if twice:
        raise CourseError(
            f"two submissions would be written to {twice[0]}", "grade them one by one, with --student and --output FILE"
        )
    for report, path in zip(reports, paths, strict=True):
        try:
            path.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise CourseError(f"{path.parent} cannot be made ({error.strerror})", "name another folder") from error
        write_whole(path, html.render([report]))


def file_name(text: str) -> str:
    """Return text as the name of one file or folder."""
    return re.sub(r"[^\w.@+ -]", "_", text).strip(". ") or "_"


def exit_status(reports: Sequence[Report], fail_under: float | None) -> int:
    """Return 3 where something needs a person, 1 where a score is below `fail_under` per cent, else 0."""
    if any(report.needs_a_person for report in reports):
        return NEEDS_A_PERSON
    if fail_under is not None and any(report.score < report.max_score * fail_under / 100 for report in reports):
        return BELOW
    return GRADED
