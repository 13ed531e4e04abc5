"""The course's gradebook, opened with one clear error, and what is written into it: people, due dates, extensions."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import sqlalchemy.exc
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory

from autograder.course import Course, moment, naive_utc
from autograder.gradebook.lms.sheet import Sheet, first_of
from autograder.gradebook.opening import put_tools_on_path, unusable
from autograder.gradebook.scores import people, untouched
from autograder.problems import CourseError

_ID = re.compile(r"\w[\w.@+-]{0,127}")
ROSTER_IDS = ("id", "student_id", "Username", "ID number", "Email address")
CANVAS_IDS = ("SIS Login ID", "SIS User ID", "ID")
_LONGEST = datetime.timedelta(days=3650)


@contextmanager
def open_gradebook(course: Course) -> Iterator[Gradebook]:
    """The course's gradebook, closed at the end. Raises CourseError where it cannot be used."""
    directory = CourseDirectory(config=course.config)
    put_tools_on_path()
    try:
        gradebook = Gradebook(directory.db_url, directory.course_id)
    except sqlalchemy.exc.SQLAlchemyError as error:
        raise unusable(directory.db_url, error) from error
    try:
        yield gradebook
    except sqlalchemy.exc.SQLAlchemyError as error:
        raise unusable(directory.db_url, error) from error
    finally:
        gradebook.close()


def valid_id(text: str) -> bool:
    """Whether a student id can be the name of a folder everywhere and begins like no formula."""
    return _ID.fullmatch(text) is not None


def write_due_dates(course: Course, gradebook: Gradebook) -> list[str]:
    """Write the due dates of course_config.py over the gradebook's. Returns the assignments that had another."""
    changed = []
    for assignment in gradebook.assignments:
        if assignment.name in course.due:
            due = naive_utc(course.due[assignment.name])
            if assignment.duedate != due:
                changed.append(assignment.name)
                gradebook.update_or_create_assignment(assignment.name, duedate=due)
    return changed


# -- class lists --------------------------------------------------------------------------------------------------


@dataclass
class Roster:
    """What an import did: ids of students."""

    added: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # in the gradebook and not in the file


def import_roster(course: Course, sheet: Sheet, id_column: str | None = None) -> Roster:
    """Add the students of a class list to the gradebook, or update them; nobody is removed.

    The list is a CSV file with a column `id`, a gradebook exported from Canvas, or Moodle's list of participants. A
    blank cell leaves what the gradebook has. Raises CourseError before anything is written.
    """
    canvas = sheet.find("Student", "LastName") is not None and sheet.find("ID") is not None
    ids = [id_column] if id_column else CANVAS_IDS if canvas else ROSTER_IDS
    place = sheet.need(*ids, advice="name it with --id-column")
    columns = {
        "first_name": sheet.find("first_name", "First name", "FirstName", "Given name"),
        "last_name": sheet.find("last_name", "Last name", "LastName", "Surname"),
        "email": sheet.find("email", "Email address", "E-mail"),
        "lms_user_id": sheet.find("lms_user_id"),
    }
    if canvas and columns["lms_user_id"] is None:
        columns["lms_user_id"] = sheet.find("ID")
    names = sheet.find("Student", "Full name")
    entries: dict[str, dict[str, str]] = {}
    problems = []
    for row, line in zip(sheet.rows, sheet.lines, strict=True):
        if canvas and _is_no_student(row, sheet, names):
            continue
        who = row[place].strip()
        if not valid_id(who):
            problems.append(f"line {line}: {repr(who) + ' is no student id' if who else 'the student id is blank'}")
        elif who in entries:
            problems.append(f"line {line}: {who!r} is there twice")
        else:
            known = {name: row[at].strip() for name, at in columns.items() if at is not None and row[at].strip()}
            if names is not None and "last_name" not in known and "first_name" not in known:
                known |= _name(row[names].strip())
            entries[who] = known
    if problems:
        raise first_of(problems, "mend the list; an id has letters, digits and . @ + - _", sheet.name)
    if not entries:
        raise CourseError(f"{sheet.name} has no students", "name a file with a header and a line for each student")
    with open_gradebook(course) as gradebook:
        before = {person.id for person in people(gradebook)}
        for who, known in entries.items():
            gradebook.update_or_create_student(who, **known)
        write_due_dates(course, gradebook)
    new = [who for who in entries if who not in before]
    return Roster(new, [who for who in entries if who in before], sorted(before - set(entries)))


def _is_no_student(row: list[str], sheet: Sheet, names: int | None) -> bool:
    """Whether a row of Canvas's is one about assignments, or the instructor's test student."""
    number = sheet.need("ID")
    return not row[number].strip() or (names is not None and row[names].strip().casefold() == "student, test")


def _name(text: str) -> dict[str, str]:
    """Return first and last name of `Last, First`; any other form is kept whole, as nobody can tell the parts."""
    last, comma, first = text.partition(", ")
    return {"last_name": last, "first_name": first} if comma else {"last_name": text} if text else {}


# -- extensions ---------------------------------------------------------------------------------------------------


@dataclass
class Extensions:
    """What an import did, as lines for whoever ran it, and (student, assignment) where a grade was there before."""

    said: list[str] = field(default_factory=list)
    graded: list[tuple[str, str]] = field(default_factory=list)


def import_extensions(course: Course, sheet: Sheet) -> Extensions:
    """Grant the extensions of a CSV file (student, assignment, and hours or due) in the gradebook.

    nbgrader keeps an extension with the submission, so an empty entry is made for who has handed in nothing; it counts
    as nothing handed in. Extensions do not add up: the last one counts, and 0 hours takes it back. Raises CourseError
    before anything is written.
    """
    who_at, name_at = sheet.need("student", "student_id"), sheet.need("assignment")
    hours_at, due_at = sheet.find("hours"), sheet.find("due")
    if hours_at is None and due_at is None:
        sheet.need("hours", "due")
    with open_gradebook(course) as gradebook:
        students = {person.id for person in people(gradebook)}
        dates = {assignment.name: assignment.duedate for assignment in gradebook.assignments}
        dates |= {n: naive_utc(d) for n, d in course.due.items() if n in dates}
        granted: dict[tuple[str, str], datetime.timedelta] = {}
        problems = []
        for row, line in zip(sheet.rows, sheet.lines, strict=True):
            who, name = row[who_at].strip(), row[name_at].strip()
            hours = row[hours_at].strip() if hours_at is not None else ""
            due = row[due_at].strip() if due_at is not None else ""
            try:
                if who not in students:
                    raise ValueError(f"{who!r} is no student of the gradebook")
                if name not in dates:
                    raise ValueError(f"{name!r} is no assignment of the gradebook")
                if (who, name) in granted:
                    raise ValueError(f"{who} and {name} are there twice")
                granted[who, name] = _extension(name, dates[name], hours, due)
            except ValueError as error:
                problems.append(f"line {line}: {error}")
        if problems:
            raise first_of(problems, "mend these lines; nothing was written", sheet.name)
        write_due_dates(course, gradebook)
        done = Extensions()
        for (who, name), time in granted.items():
            submission = gradebook.update_or_create_submission(name, who)
            if not untouched(submission):
                done.graded.append((who, name))
            gradebook.grant_extension(name, who, minutes=time.total_seconds() / 60)
            until = f"until {dates[name] + time:%Y-%m-%d %H:%M} UTC" if time else "no extension any more"
            done.said.append(f"{who}, {name}: {until}")
    return done


def _extension(name: str, date: datetime.datetime | None, hours: str, due: str) -> datetime.timedelta:
    """Return how much later than `date` (naive, UTC). Raises ValueError with what is wrong."""
    if date is None:
        raise ValueError(f"{name} has no due date that could be extended; write one in course_config.py")
    if bool(hours) == bool(due):
        raise ValueError("write either hours or a new due date")
    try:
        time = datetime.timedelta(hours=float(hours.replace(",", "."))) if hours else naive_utc(moment(due)) - date
    except (ValueError, OverflowError) as error:
        wrong = f"{hours!r} is no number of hours" if hours else f"{due!r} is no date such as '2027-01-31 23:59 UTC'"
        raise ValueError(wrong) from error
    if not datetime.timedelta() <= time <= _LONGEST:
        raise ValueError(f"{hours + ' hours' if hours else due} is before the due date or more than ten years after it")
    return time
