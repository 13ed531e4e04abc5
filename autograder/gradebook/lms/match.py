"""Which row of a file is which student: by one column for the whole file, the one that knows most of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from autograder.gradebook.lms.sheet import Sheet, first_of
from autograder.gradebook.scores import Person
from autograder.problems import CourseError

Key = tuple[str, str, Callable[[Person], str]]  # a column, what it is compared with, and how to get that of a person

LMS_ID, ID, EMAIL = "LMS id", "student id", "email address"


def _keys(*pairs: tuple[str, str]) -> tuple[Key, ...]:
    values: dict[str, Callable[[Person], str]] = {
        LMS_ID: lambda person: person.lms_id,
        ID: lambda person: person.id,
        EMAIL: lambda person: person.email,
    }
    return tuple((column, what, values[what]) for column, what in pairs)


# In order of trust. Names of people are in none: two students may have the same one.
CANVAS = _keys(
    ("ID", LMS_ID),
    ("SIS Login ID", ID),
    ("SIS User ID", ID),
    ("ID", ID),
    ("Integration ID", ID),
    ("SIS Login ID", EMAIL),
)
MOODLE = _keys(
    ("Username", ID),
    ("ID number", ID),
    ("Email address", ID),
    ("Email address", EMAIL),
    ("Identifier", ID),  # blind marking: the number is all there is
)


@dataclass(frozen=True)
class Match:
    """`students` maps a row's place to its student. `rows` and `people` are those that found no partner."""

    how: str
    students: dict[int, Person]
    rows: tuple[int, ...]
    people: tuple[Person, ...]


def match(
    sheet: Sheet, rows: Sequence[int], people: Sequence[Person], keys: Iterable[Key], column: str | None = None
) -> Match:
    """Pair the rows at the places `rows` with students. `column` names the column in place of the known ones.

    Raises CourseError where nobody matches, or where one value stands for two rows or two students.
    """
    if column is not None:
        sheet.need(column)
        keys = _keys((column, ID), (column, EMAIL), (column, LMS_ID))
    best: tuple[int, Key] | None = None
    tried = []
    for key in keys:
        place = sheet.find(key[0])
        if place is None:
            continue
        known = {_norm(key[2](person), key[0]) for person in people} - {""}
        count = sum(_norm(sheet.rows[row][place], key[0]) in known for row in rows)
        tried.append(f"{key[0]} ({key[1]})")
        if count and (best is None or count > best[0]):
            best = count, key
    if best is None:
        raise CourseError(
            f"{sheet.name}: no row is a student of the gradebook (compared: {', '.join(tried) or 'no column of IDs'})",
            "import the class list with `course roster`, or name the column that holds the student ids with --match",
        )
    return _paired(sheet, rows, people, best[1])


def _paired(sheet: Sheet, rows: Sequence[int], people: Sequence[Person], key: Key) -> Match:
    column, what, value = key
    place = sheet.need(column)
    problems = []
    by_value: dict[str, Person] = {}
    for person in people:
        own = _norm(value(person), column)
        if own in by_value:
            problems.append(f"students {by_value[own].id} and {person.id} have the same {what} {own!r}")
        elif own:
            by_value[own] = person
    first_line: dict[str, int] = {}
    students: dict[int, Person] = {}
    for row in rows:
        own = _norm(sheet.rows[row][place], column)
        if own in first_line:
            problems.append(f"{own!r} stands in lines {first_line[own]} and {sheet.lines[row]} of column {column}")
        elif own:
            first_line[own] = sheet.lines[row]
            if own in by_value:
                students[row] = by_value[own]
    if problems:
        raise first_of(problems, "leave one of them, or match by another column with --match", sheet.name)
    met = {person.id for person in students.values()}
    return Match(
        f"{column} = {what}",
        students,
        tuple(row for row in rows if row not in students),
        tuple(person for person in people if person.id not in met),
    )


def _norm(text: str, column: str) -> str:
    """Return a value as it is compared: without case, and of Moodle's `Participant 12345` the number."""
    text = text.strip().casefold()
    return text.rpartition(" ")[2] if column == "Identifier" else text
