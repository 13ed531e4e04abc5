"""What counts for each student in an assignment: a score, or the reason why there is none yet."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory

from autograder.course import Course, naive_utc

GRADED = "graded"
WAITS = "waits for a person"
NOT_GRADED = "handed in, not graded yet"
NOTHING = "nothing handed in"
NOT_DUE = "nothing handed in, and not due yet"


@dataclass(frozen=True)
class Person:
    """A student of the gradebook. `lms_id` is nbgrader's lms_user_id."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_id: str = ""


@dataclass(frozen=True)
class Standing:
    """One student's result: `score` is what counts after the late penalty, in points, or None where it stays blank."""

    person: Person
    state: str
    score: float | None
    raw_score: float | None
    penalty: float
    max_score: float
    timestamp: datetime.datetime | None = None  # naive, UTC, as nbgrader keeps it


def people(gradebook: Gradebook) -> list[Person]:
    return [
        Person(s.id, s.first_name or "", s.last_name or "", s.email or "", s.lms_user_id or "")
        for s in gradebook.students
    ]


def standings(gradebook: Gradebook, course: Course, name: str, now: datetime.datetime | None = None) -> list[Standing]:
    """Return the standing of every student of the gradebook, sorted by id. `now` is aware."""
    assignment = gradebook.find_assignment(name)
    directory = CourseDirectory(config=course.config)
    submissions = {submission.student_id: submission for submission in assignment.submissions}
    now = naive_utc(now or datetime.datetime.now(datetime.UTC))
    due = naive_utc(course.due[name]) if name in course.due else assignment.duedate
    return [
        _standing(person, submissions.get(person.id), assignment.max_score, course, directory, name, due, now)
        for person in sorted(people(gradebook), key=lambda person: person.id)
    ]


def _standing(
    person: Person,
    submission: Any,
    max_score: float,
    course: Course,
    directory: CourseDirectory,
    name: str,
    due: datetime.datetime | None,
    now: datetime.datetime,
) -> Standing:
    if submission is None or untouched(submission):
        for step, state in ((directory.autograded_directory, WAITS), (directory.submitted_directory, NOT_GRADED)):
            folder = Path(directory.format_path(step, person.id, name))
            if folder.is_dir() and any(folder.iterdir()):
                return Standing(person, state, None, None, 0.0, max_score)
        extension = getattr(submission, "extension", None) or datetime.timedelta()
        if due is not None and due + extension > now:
            return Standing(person, NOT_DUE, None, None, 0.0, max_score)
        score = 0.0 if course.nothing_handed_in == "zero" else None
        return Standing(person, NOTHING, score, score, 0.0, max_score)
    penalty = submission.late_submission_penalty or 0.0
    if undecided(submission):
        return Standing(person, WAITS, None, None, penalty, max_score, submission.timestamp)
    score = max(0.0, submission.score - penalty)
    return Standing(person, GRADED, score, submission.score, penalty, max_score, submission.timestamp)


def undecided(submission: Any) -> bool:
    """Whether some cell of a submission has neither an automatic nor a manual score, and waits for one."""
    return any(g.auto_score is None and g.manual_score is None and g.needs_manual_grade for g in _grades(submission))


def untouched(submission: Any) -> bool:
    """Whether the entry holds nothing of a student's: nbgrader needs one for an extension alone.

    Such an entry says that it needs manual grading, as every new one does.
    """
    scores = [score for grade in _grades(submission) for score in (grade.auto_score, grade.manual_score)]
    comments = [comment.comment for notebook in submission.notebooks for comment in notebook.comments]
    return submission.timestamp is None and not any(comments) and all(score is None for score in scores)


def _grades(submission: Any) -> list[Any]:
    return [grade for notebook in submission.notebooks for grade in notebook.grades]
