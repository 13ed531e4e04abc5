"""Where nbgrader keeps a course's folders and gradebook, and what state they are in. Without importing nbgrader.

nbgrader's import takes seconds. Where nothing has changed since a class was last recorded, nothing of it is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.course import CONFIG, Course
from autograder.gradebook.opening import is_there
from autograder.grading.digests import engine_digest
from autograder.reading.assignment import Assignment
from autograder.reading.submission import MAX_FOLDERS

FACTS = (
    "SELECT s.student_id, s.id, s.timestamp, s.extension, a.duedate, n.late_submission_penalty, g.cell_id, "
    "g.auto_score FROM submitted_assignment s JOIN assignment a ON a.id = s.assignment_id "
    "JOIN submitted_notebook n ON n.assignment_id = s.id LEFT JOIN grade g ON g.notebook_id = n.id "
    "WHERE a.name = :name"
)
SOME = " AND s.student_id IN :students"
STUDENTS = "SELECT id FROM student"


Files = list[tuple[str, list[int]]]  # by relative name: size, times, inode and mode


@dataclass
class Facts:
    """What the gradebook holds: all students, and by student what a recorded submission depends on."""

    students: set[str] = field(default_factory=set)
    submissions: dict[str, str] = field(default_factory=dict)


def root_of(course: Course) -> Path:
    """Return the folder that nbgrader takes for the course's."""
    return Path(course.config.CourseDirectory.get("root", course.root))


def db_url(course: Course) -> str:
    """Return the address of the course's gradebook."""
    return course.config.CourseDirectory.get("db_url", f"sqlite:///{root_of(course) / 'gradebook.db'}")


class Places:
    """The folders and the gradebook of one assignment of a course."""

    def __init__(self, course: Course, assignment: Assignment) -> None:
        self.course = course
        self.assignment = assignment
        directory = course.config.CourseDirectory
        self.root = root_of(course)
        self.structure = directory.get(
            "directory_structure", os.path.join("{nbgrader_step}", "{student_id}", "{assignment_id}")
        )
        self.submitted_directory = directory.get("submitted_directory", "submitted")
        self.autograded_directory = directory.get("autograded_directory", "autograded")
        self.db_url = db_url(course)

    def submitted(self, student: str) -> Path:
        return self._folder(self.submitted_directory, student)

    def autograded(self, student: str) -> Path:
        return self._folder(self.autograded_directory, student)

    def students(self) -> list[str]:
        """Return the students with a folder for this assignment in submitted/."""
        return [student for student in self._handed_in() if _is_text(student)]

    def unusable(self) -> list[str]:
        """Return the names of folders in submitted/ that no gradebook can hold: they are no text."""
        return [student for student in self._handed_in() if not _is_text(student)]

    def _handed_in(self) -> list[str]:
        found = self.root.glob(str(self._relative(self.submitted_directory, "*")))
        place = self._relative(self.submitted_directory, "*").parts.index("*")
        depth = len(self.root.parts) + place
        return sorted({p.parts[depth] for p in found if p.is_dir() and not p.parts[depth].startswith(".")})

    def facts(self, students: Sequence[str] | None = None) -> Facts:
        """Return what the gradebook holds of these students or of all; nothing, where it cannot be read."""
        import sqlalchemy

        if not is_there(self.db_url):
            return Facts()
        question = sqlalchemy.text(FACTS if students is None else FACTS + SOME)
        values: dict[str, Any] = {"name": self.assignment.name}
        if students is not None:
            question = question.bindparams(sqlalchemy.bindparam("students", expanding=True))
            values["students"] = list(students)
        engine = sqlalchemy.create_engine(self.db_url)
        try:
            with engine.connect() as connection:
                everybody = {row[0] for row in connection.execute(sqlalchemy.text(STUDENTS))}
                rows: dict[str, list[str]] = {}
                for row in connection.execute(question, values):
                    rows.setdefault(row[0], []).append(repr(tuple(row[1:])))
                return Facts(everybody, {student: repr(sorted(known)) for student, known in rows.items()})
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

    def files(self, student: str) -> Files:
        """Return the marks of the files that a student handed in."""
        return list(_files(self.places.submitted(student)))

    def of(self, student: str, facts: Facts, files: Files | None = None) -> str:
        """Return the state of a student's submission as a digest; "" where it has not been recorded.

        `files` are the marks of what was read, where that may have been replaced in the meantime.
        """
        graded = self.places.autograded(student) / f"{self.places.assignment.name}.ipynb"
        known = facts.submissions.get(student)
        if known is None or not graded.is_file():
            return ""
        parts = [self._decides, known, self.files(student) if files is None else files, _mark(graded)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _files(folder: Path | str, depth: int = 0) -> Iterator[tuple[str, list[int]]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if depth < MAX_FOLDERS and entry.is_dir(follow_symlinks=False):
            for name, mark in _files(entry.path, depth + 1):
                yield f"{entry.name}/{name}", mark
        else:
            yield entry.name, _mark(entry.path)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _mark(path: Path | str) -> list[int]:
    try:
        known = os.stat(path, follow_symlinks=False)
    except OSError:
        return []
    return [known.st_size, known.st_mtime_ns, known.st_ctime_ns, known.st_ino, known.st_mode]
