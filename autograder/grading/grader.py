"""Grades submissions: batches of them through one zygote, each to a `Graded`."""

from __future__ import annotations

import datetime
import hashlib
import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from autograder import __version__
from autograder.course import ISOLATION, Course
from autograder.grading.batch import GRADERS, Batch, Entry, run_batch
from autograder.grading.outcome import ERROR
from autograder.grading.report import (
    GRADED,
    NEEDS_REVIEW,
    UNGRADABLE,
    CellResult,
    CheckResult,
    Report,
    cell_result,
)
from autograder.problems import CourseError, MachineFault
from autograder.reading.assignment import Assignment
from autograder.reading.submission import Submission, from_notebook
from autograder.student import gpu
from autograder.student.host import Host
from autograder.student.process import CellRun
from autograder.student.sandbox import Sandbox

BATCH = 200


@dataclass(frozen=True)
class Graded:
    """A submission's report, and what became of each of its cells (by position in the repaired notebook)."""

    submission: Submission
    report: Report
    runs: dict[int, CellRun] = field(default_factory=dict)


class Grader:
    """Grades submissions of a course's assignments. Use as a context manager: it owns the zygote."""

    def __init__(self, course: Course, fork: bool = True, sandbox: Sandbox | None = None) -> None:
        self.course = course
        self.fork = fork
        self.sandbox = sandbox
        self._hosts: dict[tuple[tuple[str, ...], bool], Host] = {}  # by the libraries they load, and whether on a GPU
        self._proven: set[str] = set()  # assignments whose model answer has passed in this zygote

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def close(self) -> None:
        for host in self._hosts.values():
            host.close()
        self._hosts.clear()

    @property
    def host(self) -> Host:
        """The running zygote for notebooks that need nothing beyond what the kit brings; see `host_for`."""
        return self._host(())

    def host_for(self, assignment: str) -> Host:
        """The running zygote with what an assignment requires loaded; one for all that require the same.

        Raises MachineFault where it cannot be started or a library is missing, and CourseError where this machine
        confines student code less than the course accepts.
        """
        libraries = self.course.requires.get(assignment, ())
        fault = missing(assignment, libraries)
        if fault:
            raise MachineFault(fault)
        return self._host(libraries, assignment in self.course.on_gpu)

    def _host(self, libraries: tuple[str, ...], on_gpu: bool = False) -> Host:
        if (libraries, on_gpu) not in self._hosts:
            sandbox = self.sandbox or Sandbox(hidden=(self.course.root,))
            host = Host(self.course.limits, sandbox, self.fork, libraries, on_gpu)
            if ISOLATION.index(host.isolation) < ISOLATION.index(self.course.isolation):
                host.close()
                raise CourseError(
                    f"this machine's isolation of student code is {host.isolation!r}, and the course accepts no less "
                    f"than {self.course.isolation!r}",
                    "`course doctor` says what is missing; or lower c.Course.isolation in course_config.py",
                )
            reason = gpu.fault(host) if on_gpu else None
            if reason is not None:
                host.close()
                raise MachineFault(reason)
            self._hosts[libraries, on_gpu] = host
        return self._hosts[libraries, on_gpu]

    def grade(
        self,
        assignment: Assignment,
        submissions: Iterable[Submission],
        done: Callable[[Submission], None] | None = None,
        figures: bool | None = None,
    ) -> list[Graded]:
        """Grade submissions of one assignment, in their order. `done` is told of each as it is finished."""
        waiting = list(submissions)
        drawn = self.course.figures if figures is None else figures
        graded: list[Graded] = []
        for start in range(0, len(waiting), BATCH):
            graded += self._batch(assignment, waiting[start : start + BATCH], done, drawn)
        return graded

    def _batch(
        self,
        assignment: Assignment,
        submissions: list[Submission],
        done: Callable[[Submission], None] | None,
        figures: bool,
    ) -> list[Graded]:
        model = from_notebook(assignment.notebook, assignment, "", assignment.name)
        entries = [Entry(submission) for submission in submissions if submission.problem is None]
        fault = None
        isolation = "none"
        checks: dict[str, tuple[str, float]] = {}
        if entries:
            try:
                host = self.host_for(assignment.name)
                isolation = host.isolation
                known_good = [Entry(model)] if _has_answers(assignment) else []
                batch = Batch(
                    host,
                    folder_of(assignment.name),
                    [*known_good, *entries],
                    has_model=bool(known_good),
                    figures=figures,
                    done=None if done is None else lambda entry: done(entry.submission),
                )
                run_batch(batch)
                checks = batch.checks
                fault = batch.model_fault
                if known_good and not fault:
                    self._proven.add(assignment.name)
            except MachineFault as error:
                fault = str(error)
        results = {id(entry.submission): entry for entry in entries}
        digest = checks_digest(assignment)
        return [
            self._graded(assignment, submission, results.get(id(submission)), checks, fault, isolation, digest)
            for submission in submissions
        ]

    def _graded(
        self,
        assignment: Assignment,
        submission: Submission,
        entry: Entry | None,
        checks: dict[str, tuple[str, float]],
        fault: str | None,
        isolation: str,
        digest: str,
    ) -> Graded:
        notes = [*submission.notes, *(entry.notes if entry else [])]
        if entry is None:
            cells = tuple(CellResult(cell.grade_id, 0.0, cell.points) for cell in assignment.graded)
            status, notes = UNGRADABLE, [f"Not graded: {submission.problem}."]
        else:
            cells = tuple(_cells(assignment, entry, checks, fault))
            errors = [c for cell in cells for c in cell.checks if c.outcome == ERROR]
            status = NEEDS_REVIEW if errors or any(cell.score is None for cell in cells) else GRADED
            if status == NEEDS_REVIEW:
                reason = fault or (errors[0].message if errors else "a graded cell has no checks")
                notes.insert(0, f"A person has to look at this: {reason.rstrip('.')}.")
        report = _report(
            submission,
            status,
            notes,
            cells=cells,
            isolation=isolation,
            seconds=round(entry.seconds, 3) if entry else 0.0,
            checks_digest=digest,
        )
        return Graded(submission, report, dict(entry.runs) if entry else {})


def missing(assignment: str, libraries: tuple[str, ...]) -> str | None:
    """Return the sentence on the first library that is not installed here and what to do; None where all are."""
    for library in libraries:
        if importlib.util.find_spec(library) is None:
            return (
                f"{library} is not installed here, and {assignment} cannot be graded without it; "
                f"install it with `python -m pip install {library}` and grade again"
            )
    return None


def unknown(submission: Submission) -> Graded:
    """Return the result for a file of no known assignment: ungradable, worth nothing out of nothing."""
    return Graded(submission, _report(submission, UNGRADABLE, [f"Not graded: {submission.problem}."]))


def _report(
    submission: Submission,
    status: str,
    notes: list[str],
    cells: tuple[CellResult, ...] = (),
    isolation: str = "none",
    seconds: float = 0.0,
    checks_digest: str = "",
) -> Report:
    return Report(
        assignment=submission.assignment,
        student=submission.student,
        notebook=submission.shown_path,
        status=status,
        message=" ".join(notes) or None,
        score=sum(cell.score or 0.0 for cell in cells),
        max_score=sum(cell.max_score for cell in cells),
        isolation=isolation,
        seconds=seconds,
        graded_at=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        kit_version=__version__,
        checks_digest=checks_digest,
        submission_digest=submission.digest,
        cells=cells,
    )


def _cells(
    assignment: Assignment, entry: Entry, checks: dict[str, tuple[str, float]], fault: str | None
) -> Iterable[CellResult]:
    for cell in assignment.graded:
        found: list[tuple[CheckResult, float]] = []
        for name, (grade_id, weight) in checks.items():
            if grade_id == cell.grade_id:
                result = entry.results.get(name)
                if result is None or fault is not None:
                    title = result.title if result else name
                    message = f"This check could not be run: {fault or 'it did not finish'}."
                    result = CheckResult(name, title, ERROR, 0.0, 0.0, message)
                found.append((result, weight))
        yield cell_result(cell.grade_id, cell.points, found)


def _has_answers(assignment: Assignment) -> bool:
    """Whether the course's copy holds model answers: a released notebook, in a package, does not."""
    return assignment.folder.parent.name != "release"


def folder_of(assignment: str) -> str:
    """Return the folder of an assignment's hidden checks, below autograder/graders/."""
    folder = assignment.replace("-", "_")
    if not (GRADERS / folder).is_dir():
        raise CourseError(f"{assignment} has no hidden checks", f"write them in autograder/graders/{folder}/test_*.py")
    return folder


def checks_digest(assignment: Assignment) -> str:
    """Return a digest of everything that decides a score: the checks, what they share, and the points."""
    digest = hashlib.sha256()
    shared = [*GRADERS.glob("*.py"), *(GRADERS / "diagnoses").glob("*.py")]
    files = sorted((GRADERS / folder_of(assignment.name)).rglob("*.py")) + sorted(shared)
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    points = {cell.grade_id: cell.points for cell in assignment.graded}
    digest.update(repr(sorted(points.items())).encode())
    return "sha256:" + digest.hexdigest()
