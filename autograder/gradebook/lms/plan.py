"""Which attempt of each student counts, from downloads: planned as a whole before the first file is written."""

from __future__ import annotations

import datetime
import errno
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook

from autograder.course import Course
from autograder.gradebook.late import LatePolicy
from autograder.gradebook.lms.book import open_gradebook
from autograder.gradebook.lms.downloads import Entry, entries, members
from autograder.gradebook.lms.intake import Attempt, Pattern, attempts, latest, named_by_lms, without_copies
from autograder.gradebook.lms.participants import Numbers
from autograder.gradebook.lms.sheet import Sheet, read_sheet
from autograder.gradebook.scores import people
from autograder.grading.grader import Grader
from autograder.problems import CourseError
from autograder.reading.folder import read_folder
from autograder.reading.names import listed, readable


@dataclass
class Plan:
    """What to write for each student, and what whoever collects should know."""

    chosen: dict[str, Attempt] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def plan(course: Course, name: str, sources: list[Path], pattern: str = "", timezone: str = "UTC") -> Plan:
    """Return which attempt of each student counts. Raises CourseError where that cannot be told; writes nothing.

    `sources` are archives and folders, and CSV files of the LMS (Moodle's grading worksheet, Canvas's gradebook) that
    say which number is which student. `timezone` is that of the times in the worksheet.
    """
    made = Plan()
    by_pattern = Pattern.of(pattern) if pattern else None
    found, sheets = _look(sources, by_pattern, course.limits.submission_mb * 10**6, made.left_out)
    with open_gradebook(course) as gradebook:
        roster = people(gradebook)
        lost = _lateness(course, name, gradebook)
    numbers = Numbers(roster, sheets, timezone)
    by_student: dict[str, list[Attempt]] = {}
    known = {person.id.casefold(): person.id for person in roster}
    for attempt in attempts(found, numbers.who, by_pattern, made.left_out):
        attempt.student = known.get(attempt.student.casefold(), attempt.student)
        attempt.files = _without_number(name, attempt.files)
        by_student.setdefault(attempt.student, []).append(attempt)
    if not by_student:
        raise CourseError(
            f"no file in {listed([str(source) for source in sources])} is named as Canvas or Moodle name submissions",
            "name the archive as it was downloaded, or say with --student-pattern where the student's id is",
        )
    for own in by_student.values():
        numbers.tell_time(own)
    kept = {who: without_copies(own) if len(own) > 1 else own for who, own in by_student.items()}
    several = {who: own for who, own in kept.items() if len(own) > 1}
    made.chosen = {who: own[0] for who, own in kept.items() if who not in several}
    if several and course.several == "best":
        made.chosen |= best(course, name, several, lost, made.said)
    else:
        made.chosen |= {who: latest(who, own) for who, own in several.items()}
    made.said += [f"{who}: {len(several[who])} submissions, the {course.several} counts" for who in sorted(several)]
    made.said += numbers.said
    strangers = sorted(who for who in made.chosen if who.casefold() not in known and who not in numbers.unknown)
    if strangers:
        made.said.append(f"not in the class list: {', '.join(strangers)}")
    late = sorted(who for who, attempt in made.chosen.items() if attempt.late and attempt.when is None)
    if late:
        made.said.append(f"late, says Canvas, whose archive does not say when: {', '.join(late)}")
    return made


def _look(
    sources: list[Path], pattern: Pattern | None, max_bytes: int, left_out: list[str]
) -> tuple[list[Entry], list[Sheet]]:
    """Return the files that were handed in, and the LMS's own tables."""

    def is_named(file: str) -> bool:
        return bool(pattern.regex.search(file)) if pattern else named_by_lms(file) is not None

    found: list[Entry] = []
    sheets: list[Sheet] = []
    for source in sources:
        near = sorted(source.iterdir()) if source.is_dir() else [source]
        tables = [path for path in near if path.suffix.lower() == ".csv" and not pattern and not is_named(path.name)]
        sheets += [read_sheet(table) for table in tables]
        names = {table.name for table in tables}
        if source not in tables:
            found += [e for e in entries(source, max_bytes, is_named, left_out) if e.name not in names]
    return found, sheets


def _lateness(course: Course, name: str, gradebook: Gradebook) -> Callable[[Attempt, float], float]:
    """Return what being late costs an attempt of a score, with the student's extension."""
    here = [assignment for assignment in gradebook.assignments if assignment.name == name]
    extensions = {s.student_id: s.extension for assignment in here for s in assignment.submissions}
    due = course.due.get(name)
    if due is None and here and here[0].duedate is not None:
        due = here[0].duedate.replace(tzinfo=datetime.UTC)
    policy = LatePolicy(config=course.config)

    def lost(attempt: Attempt, score: float) -> float:
        if due is None or attempt.when is None:
            return 0.0
        seconds = (attempt.when - due - (extensions.get(attempt.student) or datetime.timedelta())).total_seconds()
        return policy.late_submission_penalty(attempt.student, score, max(0.0, seconds)) or 0.0

    return lost


def _without_number(name: str, files: dict[str, Entry]) -> dict[str, Entry]:
    """Take off the number that Canvas adds to a notebook's name when it is handed in again, where one has it."""
    plain = f"{name}.ipynb"
    numbered = [file for file in files if re.fullmatch(rf"{re.escape(name)}-\d+\.ipynb", file)]
    if len(numbered) != 1 or plain in files:
        return files
    return {plain if file in numbered else file: entry for file, entry in files.items()}


def best(
    course: Course,
    name: str,
    several: dict[str, list[Attempt]],
    lost: Callable[[Attempt, float], float],
    said: list[str],
) -> dict[str, Attempt]:
    """Return the attempt of each student with the most points after the late penalty; of equal ones the latest.

    `lost` is what being late costs of a score. An attempt whose score a person has to decide is no candidate as long
    as another one has a score.
    """
    assignment, max_bytes = course.assignment(name), course.limits.submission_mb * 10**6
    tried = [attempt for own in several.values() for attempt in own]
    with tempfile.TemporaryDirectory() as scratch, Grader(course) as grader:
        submissions = []
        for number, attempt in enumerate(tried):
            folder = Path(scratch) / str(number)
            write_attempt(attempt, folder, max_bytes, [])
            others = course.assignments()
            submissions.append(read_folder(folder, assignment, attempt.student, max_bytes, others=others))
        graded = grader.grade(assignment, submissions)
    ranked: dict[str, list[tuple[bool, float, tuple[int, ...], int]]] = {}
    for number, (attempt, result) in enumerate(zip(tried, graded, strict=True)):
        score = result.report.score
        rank = (not result.report.needs_a_person, round(score - lost(attempt, score), 6), attempt.order, number)
        ranked.setdefault(attempt.student, []).append(rank)
    chosen = {}
    for who, ranks in ranked.items():
        decided, _, _, number = max(ranks)
        chosen[who] = tried[number]
        if not all(rank[0] for rank in ranks):
            which = "one of them" if decided else "all of them"
            said.append(f"{who}: a person has to look at {which} to know which is the best")
    return chosen


def write_attempt(attempt: Attempt, folder: Path, max_bytes: int, left_out: list[str]) -> None:
    """Write the files of an attempt; a zip archive among them is unpacked beside itself, without archives in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, entry in sorted(attempt.files.items()):
        if _write(folder, file, entry.content(), left_out) and file.lower().endswith(".zip"):
            _unpack(folder, file, max_bytes, left_out)
    if attempt.when is not None:
        (folder / "timestamp.txt").write_text(f"{attempt.when.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S} UTC", "utf-8")


def _unpack(folder: Path, file: str, max_bytes: int, left_out: list[str]) -> None:
    """Unpack a student's archive into a folder beside it. A broken one is theirs alone: it stays as it came."""
    path, left = folder / file, max_bytes
    into = (path.parent / (path.stem.strip(". ") or "archive")).relative_to(folder)
    try:
        for member in members(path.name, path, max_bytes, left_out):
            data = member.content()
            left -= len(data)
            if left < 0:
                left_out.append(f"{path.name}: the rest of it (it unpacks to more than {max_bytes // 10**6} MB)")
                return
            _write(folder, f"{into.as_posix()}/{member.name}", data, left_out)
        path.unlink()
    except CourseError as error:
        left_out.append(str(error))


def _write(folder: Path, file: str, data: bytes, left_out: list[str]) -> bool:
    """Write a file below a folder, and nowhere else. Returns whether that could be done."""
    path = folder / file
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            raise OSError(errno.EPERM, "it would lie elsewhere")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        left_out.append(f"{readable(file)} ({error.strerror})")
        return False
    return True
