"""What the gradebook says of a class, in one query for each assignment: names, scores, links to Formgrader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy.exc
from nbgrader.api import Assignment, Grade, Gradebook, Student, SubmittedAssignment, SubmittedNotebook

from autograder.course import Course
from autograder.gradebook.opening import is_there, unusable
from autograder.gradebook.places import db_url
from autograder.outputs.standing import Place

FORMGRADER = "http://localhost:8888/formgrader"  # where JupyterLab serves it unless told otherwise


def places(course: Course, names: Sequence[str], formgrader: str) -> tuple[list[Place], dict[str, str]]:
    """Return (everybody's place in the assignments `names`, people's names by student).

    Both are empty where there is no gradebook yet. Raises CourseError where there is one that cannot be read.
    """
    url = db_url(course)
    if not is_there(url):
        return [], {}
    try:
        with Gradebook(url, course.config.CourseDirectory.course_id) as gradebook:
            people = gradebook.db.query(Student.id, Student.first_name, Student.last_name).all()
            called = {who: " ".join(part for part in (first, last) if part) for who, first, last in people}
            return list(_places(gradebook, names, formgrader.rstrip("/"))), called
    except sqlalchemy.exc.SQLAlchemyError as error:
        raise unusable(url, error) from error


def _places(gradebook: Any, names: Sequence[str], formgrader: str) -> Iterable[Place]:
    for name in names:
        rows = (
            gradebook.db.query(
                SubmittedNotebook.id,
                Student.id,
                SubmittedNotebook.late_submission_penalty,
                Grade.score,
                Grade.max_score,
                Grade.auto_score,
                Grade.manual_score,
                Grade.needs_manual_grade,
            )
            .select_from(SubmittedNotebook)
            .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
            .join(Student, SubmittedAssignment.student_id == Student.id)
            .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
            .filter(Assignment.name == name)
            .all()
        )
        of_notebook: dict[str, list[Any]] = {}
        for row in rows:
            of_notebook.setdefault(row[0], []).append(row)
        for notebook, grades in of_notebook.items():
            undecided = any(auto is None and manual is None and needs for *_, auto, manual, needs in grades)
            penalty = float(grades[0][2] or 0.0)
            reached = sum(float(row[3] or 0.0) for row in grades)
            yield Place(
                student=grades[0][1],
                assignment=name,
                score=None if undecided else max(0.0, reached - penalty),
                max_score=sum(float(row[4] or 0.0) for row in grades),
                penalty=penalty,
                needs_a_person=any(row[7] for row in grades),
                link=f"{formgrader}/submissions/{notebook}",
            )
