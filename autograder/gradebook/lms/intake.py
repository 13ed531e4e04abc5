"""Whose a downloaded file is, and which attempt of theirs: read from the names that Canvas and Moodle give, or by a
pattern of the instructor's own. Where several attempts of a student are there, `c.Course.several` says which counts.

Canvas    doejane_LATE_4321_98765_ex1.ipynb: a name, LATE if it was, the student's number in Canvas, the file's number
Moodle    Jane Doe_12345_assignsubmission_file_/ex1.ipynb, or ..._file_ex1.ipynb without folders: the number is that of
          the participant in this one assignment, as in the grading worksheet

What a student typed into the LMS (_text.html, _assignsubmission_onlinetext_) is collected too, for a person to read.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from autograder.gradebook.lms.book import valid_id
from autograder.gradebook.lms.downloads import Entry, clean
from autograder.problems import CourseError
from autograder.reading.names import listed, readable

CANVAS = re.compile(r"(?:.*/)?[^/]+?_(?P<late>LATE_)?(?P<number>\d+)_(?P<order>\d+)_(?P<file>[^/]+)")
CANVAS_BLIND = re.compile(r"(?:.*/)?(?P<late>LATE_)?anon_(?P<number>[A-Za-z0-9]+)_(?P<order>\d+)_(?P<file>[^/]+)")
CANVAS_TEXT = re.compile(r"(?:.*/)?[^/]+?_(?P<late>LATE_)?(?P<number>\d+)_(?P<file>(?:text|link)\.html)")
MOODLE = re.compile(r"(?:.*?/)?[^/]*?_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?:/|(?<=_))(?P<file>.+)")
_TIME = re.compile(r"(\d{4})\D?(\d\d)\D?(\d\d)(?:\D?(\d\d)\D?(\d\d)(?:\D?(\d\d))?)?\D*")
_OWN_TIME = "timestamp.txt"  # nbgrader believes it; a student must not write their own

Who = Callable[[str, str], str]  # (LMS, its number) to a student's id


@dataclass
class Attempt:
    """What a student handed in at one time. `order` compares attempts; `when` is when it was handed in, if known."""

    student: str
    source: str
    part: str
    order: tuple[int, ...] = ()
    when: datetime.datetime | None = None
    late: bool = False
    lms: str = ""
    files: dict[str, Entry] = field(default_factory=dict)


@dataclass(frozen=True)
class Pattern:
    """The instructor's pattern. Its group `student` names the student; `attempt`, `timestamp`, `file` are optional."""

    regex: re.Pattern[str]

    @classmethod
    def of(cls, text: str) -> Pattern:
        """Raises CourseError where the text is no pattern with a group `student`."""
        try:
            regex = re.compile(text)
        except re.error as error:
            raise CourseError(f"{text!r} is no pattern ({error})", "write a regular expression of Python") from error
        if "student" not in regex.groupindex:
            raise CourseError(
                f"the pattern {text!r} does not say where the student's id is", "write it as (?P<student>...)"
            )
        return cls(regex)


def attempts(found: Iterable[Entry], who: Who, pattern: Pattern | None, left_out: list[str]) -> list[Attempt]:
    """Return the attempts that the files belong to; files that belong to nobody are said in `left_out`.

    Raises CourseError where two different files would be one, or a student's id cannot be one.
    """
    made: dict[tuple[str, str, str], Attempt] = {}
    for entry in found:
        read = _by_pattern(entry, pattern) if pattern else _by_lms(entry, who)
        if read is None:
            left_out.append(f"{readable(entry.name)} (its name does not say whose it is)")
            continue
        attempt, file = read[0], clean(read[1])  # part of a clean name need not be clean
        if file is None:
            left_out.append(f"{readable(entry.name)} (its name cannot be written)")
            continue
        if not valid_id(attempt.student):
            raise CourseError(
                f"{readable(entry.name)}: {readable(attempt.student)!r} is no student id",
                "mend the pattern or the class list; an id has letters, digits and . @ + - _",
            )
        if file.casefold() == _OWN_TIME:
            left_out.append(f"{readable(entry.name)} (when it was handed in is not for the student to say)")
            continue
        attempt = made.setdefault((attempt.student, attempt.source, attempt.part), attempt)
        other = next((name for name in attempt.files if name.casefold() == file.casefold()), None)
        if other is not None and attempt.files[other].content() != entry.content():
            raise CourseError(
                f"{attempt.student} has two different files {readable(file)} "
                f"({readable(attempt.files[other].name)}, {readable(entry.name)})",
                "take one out, or tell attempts apart with a group (?P<attempt>...) or (?P<timestamp>...)",
            )
        attempt.files[file] = entry
        attempt.order = max(attempt.order, _order(entry, pattern))
        attempt.late = attempt.late or _is_late(entry, pattern)
    return list(made.values())


def latest(student: str, candidates: list[Attempt]) -> Attempt:
    """Return the latest attempt. Raises CourseError where that cannot be told."""
    ordered = sorted(candidates, key=lambda attempt: attempt.order)
    if ordered[-1].order == ordered[-2].order or not ordered[0].order:
        raise CourseError(
            f"{student} has several submissions, and nothing says which is the latest: "
            + listed([readable(next(iter(attempt.files.values())).name) for attempt in ordered[-2:]]),
            "take one out, or tell them apart with a group (?P<attempt>...) or (?P<timestamp>...)",
        )
    return ordered[-1]


def without_copies(candidates: list[Attempt]) -> list[Attempt]:
    """Return the attempts, of equal ones the last: a download that was made twice is no second attempt."""
    kept: dict[tuple[tuple[str, bytes], ...], Attempt] = {}
    for attempt in sorted(candidates, key=lambda attempt: attempt.order):
        content = sorted((file, hashlib.sha256(entry.content()).digest()) for file, entry in attempt.files.items())
        kept[tuple(content)] = attempt
    return list(kept.values())


def named_by_lms(name: str) -> tuple[str, re.Match[str]] | None:
    """Return (LMS, what its pattern found) for a file's name, or None.

    The number that comes first is the LMS's. The end of a name is the student's choice, and may look like another's.
    """
    patterns = (("Moodle", MOODLE), ("Canvas", CANVAS_BLIND), ("Canvas", CANVAS), ("Canvas", CANVAS_TEXT))
    found = [(lms, regex.fullmatch(name)) for lms, regex in patterns]
    matches = [(lms, match) for lms, match in found if match]
    return min(matches, key=lambda pair: pair[1].start("number"), default=None)


def _by_lms(entry: Entry, who: Who) -> tuple[Attempt, str] | None:
    named = named_by_lms(entry.name)
    if named is None:
        return None
    lms, found = named
    return Attempt(who(lms, found["number"]), entry.source, "", lms=lms), found["file"]


def _by_pattern(entry: Entry, pattern: Pattern) -> tuple[Attempt, str] | None:
    found = pattern.regex.search(entry.name)
    if found is None or not found["student"]:
        return None
    named = found.groupdict()
    part = named.get("timestamp") or named.get("attempt") or ""
    attempt = Attempt(found["student"].strip(), entry.source if not part else "", part)
    if named.get("timestamp"):
        attempt.when = _moment(named["timestamp"], entry.name)
    return attempt, named.get("file") or entry.name.rpartition("/")[2]


def _order(entry: Entry, pattern: Pattern | None) -> tuple[int, ...]:
    """What orders attempts: Canvas numbers files as they arrive, Moodle's archive keeps the time of each."""
    if pattern:
        found = pattern.regex.search(entry.name)
        named = found.groupdict() if found else {}
        if named.get("timestamp"):
            return tuple(_moment(named["timestamp"], entry.name).timetuple()[:6])
        digits = re.sub(r"\D", "", named.get("attempt") or "")
        return (int(digits),) if digits else ()
    named_by = named_by_lms(entry.name)
    if named_by is None or named_by[0] == "Moodle":
        return entry.when
    order = named_by[1].groupdict().get("order")
    return (int(order),) if order else ()


def _is_late(entry: Entry, pattern: Pattern | None) -> bool:
    named = None if pattern else named_by_lms(entry.name)
    return named is not None and bool(named[1].groupdict().get("late"))


def _moment(text: str, name: str) -> datetime.datetime:
    """Return the time in a file's name, in UTC: the digits of year, month, day, and hour, minute, second if there."""
    found = _TIME.fullmatch(text.strip())
    try:
        if found is None:
            raise ValueError(text)
        return datetime.datetime(*(int(part or 0) for part in found.groups()), tzinfo=datetime.UTC)  # type: ignore[misc, arg-type]
    except ValueError as error:
        raise CourseError(
            f"{readable(name)}: {text!r} is no time", "write the group as year, month, day, hour, minute, second"
        ) from error
