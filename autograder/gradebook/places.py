"""Where nbgrader keeps a course's folders and gradebook, and what state they are in. Without importing nbgrader.

nbgrader's import takes seconds. Where nothing has changed since a class was last recorded, nothing of it is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.course import CONFIG, Course
from autograder.grading.digests import engine_digest
from autograder.reading.assignment import Assignment

FACTS = (
    "SELECT s.student_id, s.id, s.timestamp, s.extension, a.duedate FROM submitted_assignment s "
    "JOIN assignment a ON a.id = s.assignment_id WHERE a.name = :name"
)
STUDENTS = "SELECT id FROM student"


@dataclass
class Facts:
    """What the gradebook holds: all students, and by student what a recorded submission depends on."""

    students: set[str] = field(default_factory=set)
    submissions: dict[str, str] = field(default_factory=dict)


class Places:
    """The folders and the gradebook of one assignment of a course."""

    def __init__(self, course: Course, assignment: Assignment) -> None:
        self.course = course
        self.assignment = assignment
        directory = course.config.CourseDirectory
        self.root = Path(directory.get("root", course.root))
        self.structure = directory.get(
            "directory_structure", os.path.join("{nbgrader_step}", "{student_id}", "{assignment_id}")
        )
        self.submitted_directory = directory.get("submitted_directory", "submitted")
        self.autograded_directory = directory.get("autograded_directory", "autograded")
        self.db_url = directory.get("db_url", f"sqlite:///{self.root / 'gradebook.db'}")

    def submitted(self, student: str) -> Path:
        return self._folder(self.submitted_directory, student)

    def autograded(self, student: str) -> Path:
        return self._folder(self.autograded_directory, student)

    def students(self) -> list[str]:
        """Return the students with a folder for this assignment in submitted/."""
        found = self.root.glob(str(self._relative(self.submitted_directory, "*")))
        place = self._relative(self.submitted_directory, "*").parts.index("*")
        depth = len(self.root.parts) + place
        return sorted({p.parts[depth] for p in found if p.is_dir() and not p.parts[depth].startswith(".")})

    def facts(self) -> Facts:
        """Return what the gradebook holds; nothing, where it is not there or cannot be read."""
        import sqlalchemy

        if self.db_url.startswith("sqlite:///") and not Path(self.db_url.removeprefix("sqlite:///")).is_file():
            return Facts()
        try:
            engine = sqlalchemy.create_engine(self.db_url)
            with engine.connect() as connection:
                students = {row[0] for row in connection.execute(sqlalchemy.text(STUDENTS))}
                rows = connection.execute(sqlalchemy.text(FACTS), {"name": self.assignment.name})
                return Facts(students, {row[0]: repr(tuple(row[1:])) for row in rows})
        except sqlalchemy.exc.SQLAlchemyError:
            return Facts()
        finally:
            engine.dispose()

    def _folder(self, step: str, student: str) -> Path:
        return self.root / self._relative(step, student)

    def _relative(self, step: str, student: str) -> Path:
        return Path(self.structure.format(nbgrader_step=step, student_id=student, assignment_id=self.assignment.name))


class States:
    """Says in what state each submission is: its files, what is made of them, and everything that decides a grade.

    Files count by size, inode and times, as git's index has them: two equal states are the same bytes.
    """

    def __init__(self, places: Places, checks: Mapping[str, str]) -> None:
        self.places = places
        course, assignment = places.course, places.assignment
        decides: list[Any] = [engine_digest(), sorted(checks.items()), course.limits.as_dict(), course.figures]
        decides += [list(_files(assignment.folder)), (course.root / CONFIG).read_bytes().hex()]
        self._decides = hashlib.sha256(json.dumps(decides).encode()).hexdigest()

    def of(self, student: str, facts: Facts) -> str:
        """Return the state of a student's submission as a digest; "" where it has not been recorded."""
        graded = self.places.autograded(student) / f"{self.places.assignment.name}.ipynb"
        known = facts.submissions.get(student)
        if known is None or not graded.is_file():
            return ""
        parts = [self._decides, known, list(_files(self.places.submitted(student))), _mark(graded)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _files(folder: Path | str) -> Iterator[tuple[str, list[int]]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            for name, mark in _files(entry.path):
                yield f"{entry.name}/{name}", mark
        else:
            yield entry.name, _mark(entry.path)


def _mark(path: Path | str) -> list[int]:
    try:
        known = os.stat(path, follow_symlinks=False)
    except OSError:
        return []
    return [known.st_size, known.st_mtime_ns, known.st_ctime_ns, known.st_ino, known.st_mode]
