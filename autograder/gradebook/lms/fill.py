"""Grade files that a learning management system imports as they are: its own export with one column filled in.

Everything else in the file stays as it was, for the LMS finds its students and assignments by it. Where there is no
score (a person has to look, or nothing counts yet), the cell stays as it was too: blank, and never 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from autograder.gradebook.lms.match import CANVAS, MOODLE, Match, match
from autograder.gradebook.lms.sheet import Sheet, decimals, plain
from autograder.gradebook.scores import NOTHING, Standing
from autograder.problems import CourseError
from autograder.reading.names import listed
from autograder.text import escaped

_TITLE = re.compile(r"(?P<title>.*\S)\s+\((?P<id>\d+)\)")
_POINTS = "points possible"
_TEST_STUDENT = ("student, test", "test student")
_LOCKED = {"no", "nein", "non", "nee", "não", "nej", "нет", "否"}
PLAIN_COLUMNS = ("student_id", "last_name", "first_name", "email", "assignment", "score", "max_score", "state")


@dataclass
class Filled:
    """A filled-in file, and what whoever imports it should know: one line each."""

    sheet: Sheet
    count: int = 0
    said: list[str] = field(default_factory=list)


def canvas(
    sheet: Sheet, standings: Sequence[Standing], assignment: str, column: str | None = None, by: str | None = None
) -> Filled:
    """Fill in a gradebook exported from Canvas. Raises CourseError where it is none or lacks the assignment."""
    advice = "in Canvas choose Grades, Export, Export Entire Gradebook"
    name_place = sheet.need("Student", "LastName", advice=advice)
    id_place = sheet.need("ID", advice=advice)
    limits = next((n for n, row in enumerate(sheet.rows[:3]) if row[0].strip().casefold().startswith(_POINTS)), None)
    if limits is None:
        raise CourseError(f"{sheet.name}: the row 'Points Possible' below the header is missing", advice)
    place = _canvas_column(sheet, sheet.rows[limits], assignment, column, id_place)
    rows = [
        number
        for number, row in enumerate(sheet.rows)
        if number > limits and _canvas_name(sheet, row, name_place) not in _TEST_STUDENT
    ]
    held = {"EX": "excused in Canvas", "N/A": "not assigned to them in Canvas"}
    return _fill(
        sheet,
        place,
        match(sheet, rows, [standing.person for standing in standings], CANVAS, by),
        standings,
        {row: sheet.rows[limits][place] for row in rows},
        {row: held[text] for row in rows if (text := sheet.rows[row][place].strip().upper()) in held},
        name_place,
    )


def moodle(sheet: Sheet, standings: Sequence[Standing], column: str | None = None, by: str | None = None) -> Filled:
    """Fill in a grading worksheet of Moodle's. Raises CourseError where it is none.

    Moodle writes the columns' names in the language of whoever downloads the file. `column` and `by` name the column
    of grades and that of the IDs where it is not English.
    """
    advice = "in Moodle choose Download grading worksheet; --column and --match name columns of another language"
    if column is None or by is None:
        sheet.need("Identifier", advice=advice)
        if sheet.find("Last modified (grade)") is None:
            raise CourseError(
                f"{sheet.name}: there is no column 'Last modified (grade)', without which Moodle refuses it",
                advice,
            )
    place = sheet.need(column or "Grade", advice=advice)
    most, locked = _maximum(sheet, place), sheet.find("Grade can be changed")
    rows = range(len(sheet.rows))
    return _fill(
        sheet,
        place,
        match(sheet, rows, [standing.person for standing in standings], MOODLE, by),
        standings,
        {row: sheet.rows[row][most] for row in rows} if most is not None else {},
        {
            row: "locked in Moodle's gradebook"
            for row in rows
            if locked is not None and sheet.rows[row][locked].strip().casefold() in _LOCKED
        },
        sheet.find("Full name") or 0,
    )


def _maximum(sheet: Sheet, place: int) -> int | None:
    """Return the place of the maximum grades: the column of that name, else the numbers right of the grades."""
    named = sheet.find("Maximum Grade")
    if named is None and place + 1 < len(sheet.header) and all(_number(row[place + 1]) for row in sheet.rows):
        return place + 1
    return named


def table(standings: Iterable[Standing], assignment: str) -> Sheet:
    """Return a CSV file of our own: one line for each student. Names that would run as formulas are made plain text."""
    rows = []
    for standing in standings:
        person = standing.person
        texts = (person.id, person.last_name, person.first_name, person.email, assignment)
        score = "" if standing.score is None else f"{standing.score:.2f}"
        rows.append([*map(plain, texts), score, f"{standing.max_score:.2f}", standing.state])
    return Sheet("grades", list(PLAIN_COLUMNS), rows, [], newline="\n")


def _canvas_name(sheet: Sheet, row: Sequence[str], place: int) -> str:
    first = sheet.find("FirstName")
    return (row[place] if first is None else f"{row[place]}, {row[first]}").strip().casefold()


def _canvas_column(sheet: Sheet, limits: Sequence[str], assignment: str, column: str | None, id_place: int) -> int:
    """Return the place of the assignment's column, `Title (number)`."""
    wanted = (column or assignment).strip()
    offered = {}
    for place, cell in enumerate(sheet.header):
        found = _TITLE.fullmatch(cell.strip())
        if place > id_place and found and "read only" not in limits[place].casefold():
            offered[place] = (cell.strip(), found["title"], found["id"])
    matches = [place for place, names in offered.items() if wanted in names]
    matches = matches or [place for place, names in offered.items() if _loose(wanted) == _loose(names[1])]
    if len(matches) != 1:
        titles = listed([repr(names[0]) for names in offered.values()]) or "no assignment at all"
        how = "is no column" if not matches else f"are {len(matches)} columns"
        raise CourseError(
            f"{sheet.name}: there {how} for {wanted!r} (found: {titles})",
            "name the assignment's column, or its number, with --column",
        )
    return matches[0]


def _loose(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _fill(
    sheet: Sheet,
    place: int,
    pairs: Match,
    standings: Sequence[Standing],
    limits: dict[int, str],
    held: dict[int, str],
    name_place: int,
) -> Filled:
    """Write the scores into a column, scaled to the LMS's own maximum (`limits`). Rows in `held` are left alone."""
    by_id = {standing.person.id: standing for standing in standings}
    written = decimals([*limits.values(), *(row[place] for row in sheet.rows)])
    filled = Filled(sheet)
    left: dict[str, list[str]] = {}
    scaled: set[str] = set()
    for row, person in pairs.students.items():
        standing = by_id[person.id]
        if row in held:
            left.setdefault(held[row], []).append(person.id)
        elif standing.score is None:
            left.setdefault(standing.state, []).append(person.id)
        else:
            most = _number(limits.get(row, ""))
            score = standing.score
            if most and standing.max_score and most != standing.max_score:
                scaled.add(f"{standing.max_score:g} points are {most:g} in the file")
                score *= most / standing.max_score
            sheet.rows[row][place] = written(score)
            filled.count += 1
    filled.said.append(f"students matched by {pairs.how}")
    if not any(map(_number, limits.values())):
        filled.said.append("the file names no maximum, so the points are those of the course")
    filled.said += [f"scores are scaled: {how}" for how in sorted(scaled)]
    filled.said += [f"left as it was ({why}): {', '.join(who)}" for why, who in left.items()]
    if pairs.rows:
        names = [
            f"{escaped(plain(sheet.rows[row][name_place].strip()))} (line {sheet.lines[row]})" for row in pairs.rows
        ]
        filled.said.append(f"in the file and not in the gradebook: {', '.join(names)}")
    absent = [person for person in pairs.people]
    if absent:
        names = [person.id + ("" if by_id[person.id].state != NOTHING else " (nothing handed in)") for person in absent]
        filled.said.append(f"in the gradebook and not in the file: {', '.join(names)}")
    return filled


def _number(text: str) -> float:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return 0.0
