"""The arguments of the commands in `autograder.commands.lms`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.commands import lms

if TYPE_CHECKING:
    from autograder.course import Course

FindCourse = Callable[[argparse.Namespace], "Course"]


def add(commands: Any, add_course: Callable[[argparse.ArgumentParser], None], course: FindCourse) -> None:
    """Add the commands. `add_course` adds the option --course, `course` loads what it names."""
    for build, name, text in (
        (_roster, "roster", "import a class list into nbgrader's gradebook"),
        (_collect, "collect", "sort downloads from Canvas, Moodle or elsewhere into submitted/"),
        (_extensions, "extensions", "grant the extensions in a CSV file"),
        (_export, "export", "grade files that Canvas, Moodle or a spreadsheet program takes as they are"),
    ):
        parser = commands.add_parser(name, help=text)
        build(parser, course)
        add_course(parser)


def _roster(parser: argparse.ArgumentParser, course: FindCourse) -> None:
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="CSV: id, first_name, ...; or Canvas's or Moodle's list"
    )
    parser.add_argument("--id-column", metavar="COLUMN", help="the column that holds the student ids")
    parser.set_defaults(run=lambda given: lms.roster(course(given), given.file, given.id_column))


def _collect(parser: argparse.ArgumentParser, course: FindCourse) -> None:
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        type=Path,
        help="archives, folders and the LMS's CSV files (default: what is in downloaded/ASSIGNMENT/archive)",
    )
    parser.add_argument(
        "--student-pattern",
        metavar="REGEX",
        help="where the student's id is in a file's name, such as '(?P<student>s\\d+)_'; may have the groups attempt, "
        "timestamp and file too",
    )
    parser.add_argument("--force", action="store_true", help="replace submissions that are in submitted/ already")
    parser.set_defaults(
        run=lambda given: lms.collect(course(given), given.assignment, given.paths, given.student_pattern, given.force)
    )


def _extensions(parser: argparse.ArgumentParser, course: FindCourse) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="CSV: student, assignment, and hours or due")
    parser.set_defaults(run=lambda given: lms.extensions(course(given), given.file))


def _export(parser: argparse.ArgumentParser, course: FindCourse) -> None:
    parser.add_argument("form", choices=lms.FORMS, help="for whom")
    parser.add_argument("--assignment", metavar="NAME", required=True)
    parser.add_argument(
        "--gradebook-file", metavar="FILE", type=Path, help="Canvas's exported gradebook, or Moodle's grading worksheet"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write it (default: standard output)")
    parser.add_argument(
        "--column", metavar="COLUMN", help="the column to fill in, where its name is not the assignment's"
    )
    parser.add_argument("--match", metavar="COLUMN", help="the column that holds the student ids or email addresses")
    parser.set_defaults(
        run=lambda given: lms.export(
            course(given), given.form, given.assignment, given.gradebook_file, given.output, given.column, given.match
        )
    )
