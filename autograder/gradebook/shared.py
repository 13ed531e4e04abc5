"""nbgrader's Gradebook for many students in one session, with one commit.

nbgrader's steps open the gradebook anew for each notebook, look every cell up by a join over six tables and commit
after each. Here the steps are nbgrader's own; only the gradebook that they are given is one that stays open, knows what
they will ask for, and commits when a part of the class is done.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    SourceCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy.orm import selectinload


class SharedGradebook(Gradebook):
    """A Gradebook for one assignment. nbgrader's steps "commit" and "close" it as they like; `part` does it once."""

    def __init__(self, db_url: str, course_id: str, assignment: str) -> None:
        super().__init__(db_url, course_id)
        self.db: Any = _Session(self.db)
        self.name = assignment
        self._assignment: Assignment | None = None
        self._cells: dict[tuple[str, str], SourceCell] = {}
        self._graded: dict[tuple[str, str], Any] = {}
        self._cell_ids: dict[str, str] = {}
        self._notebooks: dict[str, Notebook] = {}
        self._students: dict[str, Student] = {}
        self._submissions: dict[str, SubmittedAssignment] = {}

    @contextlib.contextmanager
    def part(self, students: Iterable[str]) -> Iterator[None]:
        """Hold the records of these students; what is done with them meanwhile is committed together, or not at all.

        Raises MissingEntry where the gradebook does not know the assignment.
        """
        try:
            with self.db.no_autoflush:  # all rows of the part are written together, at its end
                self._load(list(students))
                yield
            self.db.commit_all()
        except BaseException:
            self.db.rollback()
            raise
        finally:
            self.db.expunge_all()
            for known in (self._cells, self._graded, self._cell_ids, self._notebooks, self._students):
                known.clear()
            self._submissions.clear()
            self._assignment = None

    def end(self) -> None:
        super().close()

    def close(self) -> None:
        """nbgrader's steps close the gradebook after each notebook; this one stays open until `end`."""

    def _load(self, students: list[str]) -> None:
        self._assignment = super().find_assignment(self.name)
        for notebook in self._assignment.notebooks:
            self._notebooks[notebook.name] = notebook
            for cell in notebook.source_cells:
                self._cells[notebook.name, cell.name] = cell
            for cell in [*notebook.grade_cells, *notebook.task_cells]:
                self._graded[notebook.name, cell.name] = cell
            for cell in [*notebook.grade_cells, *notebook.solution_cells, *notebook.task_cells]:
                self._cell_ids[cell.id] = cell.name
        for start in range(0, len(students), 500):  # a database takes only so many values in one question
            some = students[start : start + 500]
            self._students.update({s.id: s for s in self.db.query(Student).filter(Student.id.in_(some))})
            found = (
                self.db.query(SubmittedAssignment)
                .filter(SubmittedAssignment.assignment_id == self._assignment.id)
                .filter(SubmittedAssignment.student_id.in_(some))
                .options(
                    selectinload(SubmittedAssignment.notebooks).selectinload(SubmittedNotebook.grades),
                    selectinload(SubmittedAssignment.notebooks).selectinload(SubmittedNotebook.comments),
                )
            )
            self._submissions.update({submission.student_id: submission for submission in found})

    # -- what nbgrader's steps ask, answered from what is known --------------------------------------------------

    def find_assignment(self, name: str) -> Assignment:
        if self._assignment is None or name != self.name:
            return super().find_assignment(name)
        return self._assignment

    def find_notebook(self, name: str, assignment: str) -> Notebook:
        return self._known(self._notebooks, name, f"notebook {assignment}/{name}")

    def find_source_cell(self, name: str, notebook: str, assignment: str) -> SourceCell:
        return self._known(self._cells, (notebook, name), f"source cell {assignment}/{notebook}/{name}")

    def find_graded_cell(self, name: str, notebook: str, assignment: str) -> Any:
        return self._known(self._graded, (notebook, name), f"graded cell {assignment}/{notebook}/{name}")

    def find_student(self, student_id: str) -> Student:
        return self._known(self._students, student_id, f"student {student_id}")

    def add_student(self, student_id: str, **known: Any) -> Student:
        self._students[student_id] = super().add_student(student_id, **known)
        return self._students[student_id]

    def find_submission(self, assignment: str, student: str) -> SubmittedAssignment:
        return self._known(self._submissions, student, f"submission {assignment} of {student}")

    def add_submission(self, assignment: str, student: str, **known: Any) -> SubmittedAssignment:
        self._submissions[student] = super().add_submission(assignment, student, **known)
        return self._submissions[student]

    def find_submission_notebook(self, notebook: str, assignment: str, student: str) -> SubmittedNotebook:
        submission = self.find_submission(assignment, student)
        for found in submission.notebooks:
            if found.notebook is self._notebooks.get(notebook):
                if submission.total_seconds_late > 0:  # its score is asked for, which the database adds up
                    self.db.flush()
                    self.db.refresh(found, ["score"])
                return found
        raise MissingEntry(f"there is no notebook {assignment}/{notebook} of {student} in the gradebook")

    def find_grade(self, grade_cell: str, notebook: str, assignment: str, student: str) -> Grade:
        return self._of_cell("grades", grade_cell, notebook, assignment, student)

    def find_comment(self, solution_cell: str, notebook: str, assignment: str, student: str) -> Comment:
        return self._of_cell("comments", solution_cell, notebook, assignment, student)

    def _of_cell(self, what: str, cell: str, notebook: str, assignment: str, student: str) -> Any:
        for submitted in self.find_submission(assignment, student).notebooks:
            if submitted.notebook is self._notebooks.get(notebook):
                for found in getattr(submitted, what):
                    if self._cell_ids.get(found.cell_id) == cell:
                        return found
        raise MissingEntry(f"there are no {what} of {assignment}/{notebook}/{cell} for {student} in the gradebook")

    def _known(self, known: dict[Any, Any], key: Any, what: str) -> Any:
        if key not in known:
            raise MissingEntry(f"there is no {what} in the gradebook")
        return known[key]


class _Session:
    """A Gradebook's session in which `commit` does nothing, until `commit_all`."""

    def __init__(self, session: Any) -> None:
        self._session = session
        session().expire_on_commit = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def commit(self) -> None:
        """What belongs together is committed together."""

    def commit_all(self) -> None:
        self._session.commit()


@contextlib.contextmanager
def shared(gradebook: SharedGradebook, users: Iterable[Any]) -> Iterator[None]:
    """Meanwhile the modules of `users`, which open a `Gradebook` by that name, are given the one that is open."""
    kinds = {kind for user in users for kind in type(user).__mro__}
    modules = {sys.modules[kind.__module__] for kind in kinds if hasattr(sys.modules[kind.__module__], "Gradebook")}
    before = [(module, module.Gradebook) for module in modules]  # type: ignore[attr-defined]
    for module, _ in before:
        module.Gradebook = lambda *arguments, **keywords: gradebook  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for module, kind in before:
            module.Gradebook = kind  # type: ignore[attr-defined]
