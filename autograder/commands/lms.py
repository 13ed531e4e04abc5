"""`course roster`, `course collect`, `course extensions` and `course export`: to and from the LMS, and plain CSV."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.commands.files import check_writable, write_whole
from autograder.problems import CourseError

if TYPE_CHECKING:
    from autograder.course import Course

FORMS = ("canvas", "moodle", "csv")


def roster(course: Course, file: Path, id_column: str | None) -> int:
    """Import a class list into nbgrader's gradebook. Returns the exit status."""
    from autograder.gradebook.lms.book import import_roster
    from autograder.gradebook.lms.sheet import read_sheet

    done = import_roster(course, read_sheet(file), id_column)
    said = [f"{len(done.added)} students added, {len(done.known)} known already"]
    if done.others:
        said.append(f"in the gradebook and not in {file.name} (kept): {', '.join(done.others)}")
    _say(said)
    return 0


def extensions(course: Course, file: Path) -> int:
    """Grant the extensions in a CSV file. Returns the exit status."""
    from autograder.gradebook.lms.book import import_extensions
    from autograder.gradebook.lms.sheet import read_sheet

    done = import_extensions(course, read_sheet(file))
    _say(done.said)
    _say(
        f"{who} is graded already: `course autograde {name} --student {who} --force` takes the new date into account"
        for who, name in done.graded
    )
    return 0


def collect(course: Course, name: str, paths: list[Path], pattern: str | None, force: bool) -> int:
    """Sort downloads into submitted/. Returns the exit status."""
    course.assignment(name)
    from autograder.gradebook.lms.collect import collect as collected

    done = collected(course, name, paths, pattern, force)
    _say([f"{len(done.chosen)} submissions of {name} are in submitted/", *done.said])
    _say(f"left out: {line}" for line in done.left_out)
    return 0


def export(
    course: Course,
    form: str,
    name: str,
    file: Path | None,
    output: Path | None,
    column: str | None,
    by: str | None,
) -> int:
    """Write a grade file: an LMS's own with one column filled in, or a plain one. Returns the exit status."""
    course.assignment(name)
    if (file is None) != (form == "csv"):
        raise CourseError(
            f"`course export {form}` needs the file that {form.title()} exported"
            if file is None
            else "csv fills in no file",
            "name it with --gradebook-file" if file is None else "leave --gradebook-file out",
        )
    if output is not None:
        check_writable(output)
    from nbgrader.api import MissingEntry

    from autograder.gradebook.lms import fill
    from autograder.gradebook.lms.book import open_gradebook, write_due_dates
    from autograder.gradebook.lms.sheet import read_sheet
    from autograder.gradebook.scores import GRADED, WAITS, standings

    sheet = read_sheet(file) if file is not None else None
    with open_gradebook(course) as gradebook:
        try:
            gradebook.find_assignment(name)
        except MissingEntry as error:
            raise CourseError(
                f"{name} is not in the gradebook yet", f"run `nbgrader generate_assignment {name}`, collect and grade"
            ) from error
        write_due_dates(course, gradebook)
        standing = standings(gradebook, course, name)
    if not any(one.state in (GRADED, WAITS) for one in standing):
        raise CourseError(f"nothing of {name} is graded yet", f"run `course autograde {name}` first")
    if sheet is None:
        data, said = fill.table(standing, name).data(), [f"{len(standing)} students"]
        said += [f"blank ({one.state}): {one.person.id}" for one in standing if one.score is None]
    else:
        filled = (
            fill.canvas(sheet, standing, name, column, by)
            if form == "canvas"
            else fill.moodle(sheet, standing, column, by)
        )
        data, said = filled.sheet.data(), [f"{filled.count} scores of {name} filled in", *filled.said]
    if output is None:
        sys.stdout.buffer.write(data)
    else:
        write_whole(output, data)
    _say(said)
    return 0


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"course: {line}", file=sys.stderr)
