"""Grade what lies in submitted/ and record it in nbgrader's gradebook, with nbgrader's own converter."""

from __future__ import annotations

import datetime
import logging
import os
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy.exc
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograder.course import Course
from autograder.gradebook.command import KEY, Command
from autograder.grading import pool
from autograder.grading.grader import Graded, Grader
from autograder.grading.report import UNGRADABLE, Report
from autograder.problems import CourseError
from autograder.reading.folder import read_folder
from autograder.reading.submission import Submission


@dataclass
class Outcome:
    """What one run did: reports of what was graded, students that were unchanged, absent, or could not be recorded."""

    reports: list[Report] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    unrecorded: dict[str, str] = field(default_factory=dict)


class _Directory(CourseDirectory):
    """nbgrader's, except that a timestamp.txt that holds no time stops nobody."""

    def get_existing_timestamp(self, dest_path: str) -> datetime.datetime | None:
        try:
            return super().get_existing_timestamp(dest_path)
        except (AttributeError, ValueError, OverflowError, OSError):  # nbgrader calls a method that it lacks
            return None


class _OneSubmission(Autograde):
    """nbgrader's, for one student whose folder is known to be there: its exporter chooses the notebook in it."""

    def init_notebooks(self) -> None:
        name = self.coursedir.assignment_id
        folder = self._format_source(name, self.coursedir.student_id)
        self.assignments = {folder: [str(Path(folder) / f"{name}.ipynb")]}


class Recorder:
    """Grades and records one assignment of a course."""

    def __init__(self, course: Course, name: str) -> None:
        put_tools_on_path()
        self.course = course
        self.assignment = course.assignment(name)
        self.directory = _Directory(config=course.config)
        self.directory.assignment_id = name
        self.log = logging.getLogger("course.nbgrader")
        self.log.setLevel(logging.ERROR)

    def students(self) -> list[str]:
        """Return the students with a folder for this assignment in submitted/."""
        root = self.course.root / self.directory.submitted_directory
        found = [path.parent.name for path in root.glob(f"*/{self.assignment.name}") if path.is_dir()]
        return sorted(student for student in found if not student.startswith("."))

    def run(
        self,
        student: str | None = None,
        force: bool = False,
        jobs: int = 1,
        started: Callable[[int], Callable[[], None]] = lambda total: lambda: None,
    ) -> Outcome:
        """Grade and record. `started` is told the number of submissions and returns what to call after each."""
        outcome = Outcome(absent=self._absent())
        students = self.students()
        if student is not None:
            if student not in students:
                raise CourseError(f"{student} has handed in no {self.assignment.name}", "look into submitted/")
            students = [student]
        waiting = [who for who in students if force or self._is_new(who)]
        outcome.unchanged = [who for who in students if who not in waiting]
        submissions = [self._read(who) for who in waiting]
        step = started(2 * len(submissions))
        with Grader(self.course) as grader:
            graded = (
                pool.grade(grader, self.assignment.name, submissions, jobs, step, pages=True) if submissions else []
            )
        for result in graded:
            try:
                self._record(result, force)
            except (NbGraderException, sqlalchemy.exc.SQLAlchemyError) as error:
                outcome.unrecorded[result.report.student] = str(error).splitlines()[0]
            else:
                outcome.reports.append(result.report)
            step()
        return outcome

    # -- reading ----------------------------------------------------------------------------------------------

    def _folder(self, step: str, student: str) -> Path:
        return Path(self.directory.format_path(step, student, self.assignment.name))

    def _is_new(self, student: str) -> bool:
        """Whether a submission has not been graded, or is newer than what was: nbgrader's own rule."""
        handed_in = self._folder(self.directory.submitted_directory, student)
        graded = self._folder(self.directory.autograded_directory, student)
        if not (graded / f"{self.assignment.name}.ipynb").is_file():
            return True
        new = self.directory.get_existing_timestamp(str(handed_in))
        old = self.directory.get_existing_timestamp(str(graded))
        return new is not None and old is not None and new > old

    def _read(self, student: str) -> Submission:
        folder = self._folder(self.directory.submitted_directory, student)
        max_bytes = self.course.limits.submission_mb * 10**6
        submission = read_folder(folder, self.assignment, student, max_bytes, others=self.course.assignments())
        stamp = folder / "timestamp.txt"
        if stamp.is_file() and self.directory.get_existing_timestamp(str(folder)) is None:
            submission.notes.append("The time in timestamp.txt cannot be read, so nobody knows whether it was late.")
        return submission

    # -- recording --------------------------------------------------------------------------------------------

    def gradebook(self) -> Gradebook:
        """Return the open gradebook. Raises CourseError where it cannot be used or lacks the assignment."""
        try:
            gradebook = Gradebook(self.directory.db_url, self.directory.course_id)
            gradebook.find_assignment(self.assignment.name)
        except MissingEntry as error:
            raise CourseError(
                f"{self.assignment.name} is not in the gradebook yet",
                f"run `nbgrader generate_assignment {self.assignment.name}` first",
            ) from error
        except sqlalchemy.exc.SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).splitlines()[0]
            raise CourseError(
                f"the gradebook {self.directory.db_url} cannot be used ({reason})",
                "close what holds it, or run `nbgrader db upgrade` after a backup",
            ) from error
        return gradebook

    def _absent(self) -> list[str]:
        """Return the students of the gradebook who have handed in nothing for this assignment."""
        with self.gradebook() as gradebook:
            return sorted({student.id for student in gradebook.students} - set(self.students()))

    def _record(self, graded: Graded, force: bool) -> None:
        if graded.report.status == UNGRADABLE:
            self._record_ungradable(graded)
            return
        student = graded.report.student
        self.directory.student_id = student
        converter = _OneSubmission(coursedir=self.directory, config=self.course.config, log=self.log)
        converter.force = True
        command = Command(self.course)
        command.ready[student] = graded
        setattr(converter, KEY, command)
        converter.start()

    def _record_ungradable(self, graded: Graded) -> None:
        """Leave a submission that cannot be judged to a person, with the reason as a comment; never a zero."""
        name, student = self.assignment.name, graded.report.student
        timestamp = self.directory.get_existing_timestamp(
            str(self._folder(self.directory.submitted_directory, student))
        )
        with self.gradebook() as gradebook:
            gradebook.update_or_create_student(student)
            known: dict[str, Any] = {"timestamp": timestamp} if timestamp else {}
            submission = gradebook.update_or_create_submission(name, student, **known)
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    grade.auto_score = None
                    grade.needs_manual_grade = True
                for comment in notebook.comments:
                    comment.auto_comment = graded.report.message
            gradebook.db.commit()


def put_tools_on_path() -> None:
    """nbgrader starts a bare `alembic` when it makes a database: it must be found without an activated environment."""
    scripts = sysconfig.get_path("scripts")
    folders = os.environ.get("PATH", "").split(os.pathsep)
    for folder in (scripts, str(Path(sys.executable).parent)):
        if folder not in folders:
            folders.insert(0, folder)
    os.environ["PATH"] = os.pathsep.join(folders)
