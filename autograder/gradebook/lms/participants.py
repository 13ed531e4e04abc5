"""Which student an LMS's number is, and when they handed in, as far as the LMS's own files say."""

from __future__ import annotations

import contextlib
import datetime
import re
import zoneinfo
from collections.abc import Iterable

from dateutil import parser as dates

from autograder.gradebook.lms.book import CANVAS_IDS, ROSTER_IDS, valid_id
from autograder.gradebook.lms.intake import Attempt
from autograder.gradebook.lms.match import CANVAS, MOODLE, Key, match
from autograder.gradebook.lms.sheet import Sheet
from autograder.gradebook.scores import Person
from autograder.problems import CourseError


class Numbers:
    """Which student an LMS's number is: by its own files where they were given, else by lms_user_id."""

    def __init__(self, roster: list[Person], sheets: list[Sheet], timezone: str) -> None:
        try:
            utc = timezone.upper() == "UTC"  # which is known on machines without a table of zones too
            self.zone: datetime.tzinfo = datetime.UTC if utc else zoneinfo.ZoneInfo(timezone)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError) as error:
            raise CourseError(f"the timezone {timezone!r} is not known", "write one such as 'Europe/Berlin'") from error
        self.unknown: set[str] = set()
        self._unread: list[str] = []
        self._when: dict[str, datetime.datetime] = {}  # by student, from Moodle's worksheet
        self._known: dict[tuple[str, str], str] = {("Canvas", p.lms_id): p.id for p in roster if p.lms_id}
        self._has_worksheet = False
        for sheet in sheets:
            if sheet.find("Identifier") is not None:
                self._has_worksheet = True
                self._learn("Moodle", sheet, "Identifier", roster, MOODLE)
            elif sheet.find("Student", "LastName") is not None and sheet.find("ID") is not None:
                self._learn("Canvas", sheet, "ID", roster, CANVAS)
            else:
                raise CourseError(
                    f"{sheet.name} is neither Moodle's grading worksheet nor Canvas's gradebook",
                    "leave it out; a worksheet has to be downloaded with Moodle set to English",
                )

    def _learn(self, lms: str, sheet: Sheet, column: str, roster: list[Person], keys: Iterable[Key]) -> None:
        place, time = sheet.need(column), sheet.find("Last modified (submission)")
        rows = range(len(sheet.rows))
        numbers = {row: sheet.rows[row][place].strip().rpartition(" ")[2] for row in rows}
        # who is not in the class list has the id that it would give them; where there is none (blind), the number
        columns = [sheet.find(name) for name in (ROSTER_IDS if lms == "Moodle" else CANVAS_IDS)]
        ids = [place for place in columns if place is not None]
        students = {row: next((v for at in ids if valid_id(v := sheet.rows[row][at].strip())), number)
                    for row, number in numbers.items() if number}  # fmt: skip
        if roster and ids:
            students |= {row: person.id for row, person in match(sheet, rows, roster, keys).students.items()}
        for row, who in students.items():
            self._known[lms, numbers[row]] = who
            text = sheet.rows[row][time].strip() if time is not None else "-"
            when = _worksheet_time(text, self.zone)
            if when is not None:
                self._when[who] = when
            elif text not in ("", "-"):
                self._unread.append(text)

    @property
    def said(self) -> list[str]:
        said = []
        if self.unknown:
            said.append(f"numbers of nobody in the class list, taken as ids: {', '.join(sorted(self.unknown))}")
        if self._unread:
            said.append(
                f"{len(self._unread)} times in the worksheet cannot be read ({self._unread[0]!r}), so these students "
                "count as in time: write the times to timestamp.txt, or download the worksheet in English"
            )
        return said

    def who(self, lms: str, number: str) -> str:
        """Return the student of a number; the number itself where nobody in the class list has it."""
        if lms == "Moodle" and not self._has_worksheet:
            raise CourseError(
                "Moodle numbers its participants anew for each assignment, so the archive does not say who they are",
                "give the assignment's grading worksheet (a CSV file) together with the archive",
            )
        if (lms, number) not in self._known:
            self.unknown.add(number)
        return self._known.get((lms, number), number)

    def tell_time(self, own: list[Attempt]) -> None:
        """Give a student's attempts from Moodle their times: the worksheet's is that of the last one."""
        mine = sorted((attempt for attempt in own if attempt.lms == "Moodle"), key=lambda attempt: attempt.order)
        for attempt in mine[:-1]:
            with contextlib.suppress(ValueError):  # an archive can claim a month 0
                attempt.when = datetime.datetime(*attempt.order[:6], tzinfo=self.zone)  # type: ignore[misc, arg-type]
        for attempt in mine[-1:]:
            attempt.when = self._when.get(attempt.student)


def _worksheet_time(text: str, zone: datetime.tzinfo) -> datetime.datetime | None:
    """Return the time in a worksheet, such as `Friday, 1 December 2023, 10:30 PM`; None where it is none."""
    if not re.search(r"\b\d{4}\b.*\d:\d\d", text):
        return None  # what is missing would be taken from today
    try:
        return dates.parse(text).replace(tzinfo=zone)
    except (ValueError, OverflowError):
        return None
