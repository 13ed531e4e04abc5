"""Grades submissions: batches of them through one zygote, each to a `Graded`."""

from __future__ import annotations

import datetime
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autograder import __version__
from autograder.course import ISOLATION, Course
from autograder.grading.batch import Batch, Entry, run_batch
from autograder.grading.digests import checks_digest, folder_of
from autograder.grading.outcome import ERROR, FAILED
from autograder.grading.ran import Ran
from autograder.grading.report import (
    GRADED,
    NEEDS_REVIEW,
    UNGRADABLE,
    CellResult,
    CheckResult,
    Report,
    Work,
    cell_result,
)
from autograder.grading.showing import work_of
from autograder.problems import CourseError, MachineFault
from autograder.reading.assignment import Assignment
from autograder.reading.pictures import Pictures
from autograder.reading.submission import Submission, from_notebook
from autograder.student import gpu
from autograder.student.host import Host
from autograder.student.process import CellRun
from autograder.student.sandbox import Sandbox
from autograder.student.starting import Starting

BATCH = 200


@dataclass(frozen=True)
class Graded:
    """A submission's report, and what became of each of its cells (by position in the repaired notebook).

    `fault` is why nothing is known about it, where the machine or a check is to blame.
    """

    submission: Submission
    report: Report
    runs: dict[int, CellRun] = field(default_factory=dict)
    fault: str | None = None


class Grader:
    """Grades submissions of a course's assignments. Use as a context manager: it owns the zygote."""

    def __init__(
        self, course: Course, fork: bool = True, sandbox: Sandbox | None = None, starting: Starting | None = None
    ) -> None:
        self.course = course
        self.starting = starting  # whoever has it closes it
        self.fork = fork
        self.sandbox = sandbox
        self._hosts: dict[tuple[tuple[str, ...], bool], Host] = {}  # by the libraries they load, and whether on a GPU

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
            if self.starting is not None and not libraries:
                host = self.starting.host()
            else:
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
        pages: bool = False,
    ) -> list[Graded]:
        """Grade submissions of one assignment, in their order. `done` is told of each as it is finished.

        With `pages`, reports carry what a student's page shows beside the result: code, and pictures.
        """
        waiting = list(submissions)
        if not assignment.graded:
            if done is not None:
                for submission in waiting:
                    done(submission)
            return [graded(assignment, submission, None, "") for submission in waiting]
        ran = iter(self.run(assignment, [s for s in waiting if s.problem is None], done, figures, pages=pages))
        digest = checks_digest(assignment, self.course.probe_seed)
        return [graded(assignment, s, None if s.problem is not None else next(ran), digest, pages) for s in waiting]

    def run(
        self,
        assignment: Assignment,
        submissions: Sequence[Submission],
        done: Callable[[Submission], None] | None = None,
        figures: bool | None = None,
        wanted: Sequence[frozenset[str] | None] = (),
        pages: bool = False,
    ) -> list[Ran]:
        """Run submissions and ask them the checks: all of them, or those in `wanted` (one entry for each).

        With `pages`, they are asked for the public examples as well.
        """
        drawn = self.course.figures if figures is None else figures
        pictures = Pictures(assignment)
        entries = [
            Entry(
                submission,
                wanted[index] if wanted else None,
                frozenset() if drawn else pictures.left_out(submission.code),
            )
            for index, submission in enumerate(submissions)
        ]
        ran: list[Ran] = []
        for start in range(0, len(entries), BATCH):
            ran += self._batch(assignment, entries[start : start + BATCH], done, drawn, pictures, pages)
        return ran

    def _batch(
        self,
        assignment: Assignment,
        entries: list[Entry],
        done: Callable[[Submission], None] | None,
        figures: bool,
        pictures: Pictures,
        pages: bool,
    ) -> list[Ran]:
        """Run one batch, after the model answer where the course's copy holds one."""
        model = from_notebook(assignment.notebook, assignment, "", assignment.name)
        wanted = (
            None
            if any(entry.wanted is None for entry in entries)
            else frozenset[str]().union(*(entry.wanted or () for entry in entries))
        )
        left_out = frozenset[int]() if figures else pictures.left_out(model.code)
        known_good = [Entry(model, wanted, left_out)] if _has_answers(assignment) else []
        isolation, fault, checks = "none", None, {}
        try:
            host = self.host_for(assignment.name)
            isolation = host.isolation
            batch = Batch(
                host,
                folder_of(assignment.name),
                [*known_good, *entries],
                has_model=bool(known_good),
                figures=figures,
                done=None if done is None else lambda entry: done(entry.submission),
                pages=pages,
                probe_seed=self.course.probe_seed,
            )
            run_batch(batch)
            checks, fault = batch.checks, batch.model_fault
        except MachineFault as error:
            fault = str(error)
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return [
            Ran(
                entry.results,
                {name: place for name, place in checks.items() if entry.wanted is None or name in entry.wanted},
                entry.runs,
                entry.drawn,
                entry.notes,
                round(entry.seconds, 3),
                isolation,
                now,
                fault,
            )
            for entry in entries
        ]


def graded(assignment: Assignment, submission: Submission, ran: Ran | None, digest: str, pages: bool = False) -> Graded:
    """Return a submission's report from what running it gave; `ran` is None where it is ungradable.

    It carries pictures of what failed, where the public examples were asked; with `pages` also the student's code.

    In an assignment without graded cells nothing is run, and 0 of 0 points is all there is.
    """
    if not assignment.graded and submission.problem is None:
        return Graded(submission, _report(submission, GRADED, ["Nothing in this notebook is graded."], Ran()))
    if ran is None:
        cells = tuple(CellResult(cell.grade_id, 0.0, cell.points) for cell in assignment.graded)
        problem = [f"Not graded: {submission.problem}."]
        return Graded(submission, _report(submission, UNGRADABLE, problem, Ran(), cells, digest))
    notes = [*submission.notes, *ran.notes]
    cells = tuple(_cells(assignment, ran))
    errors = [c for cell in cells for c in cell.checks if c.outcome == ERROR]
    status = NEEDS_REVIEW if errors or any(cell.score is None for cell in cells) else GRADED
    if status == NEEDS_REVIEW:
        reason = ran.fault or (errors[0].message if errors else "a graded cell has no checks")
        notes.insert(0, f"A person has to look at this: {reason.rstrip('.')}.")
    report = _report(submission, status, notes, ran, cells, digest)
    failed = {cell.grade_id for cell in cells for check in cell.checks if check.outcome == FAILED}
    shown = [replace(p, grade_ids=tuple(g for g in p.grade_ids if g in failed)) for p in ran.pictures]
    work = Work(pictures=tuple(picture for picture in shown if picture.grade_ids))
    if pages:
        outputs = {index: run.outputs for index, run in ran.runs.items()}
        work = work_of(submission.notebook, assignment, outputs, work.pictures)
    report = replace(report, work=work)
    return Graded(submission, report, dict(ran.runs), ran.fault)


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
    return Graded(submission, _report(submission, UNGRADABLE, [f"Not graded: {submission.problem}."], Ran()))


def _report(
    submission: Submission,
    status: str,
    notes: list[str],
    ran: Ran,
    cells: tuple[CellResult, ...] = (),
    checks_digest: str = "",
) -> Report:
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Report(
        assignment=submission.assignment,
        student=submission.student,
        notebook=submission.shown_path,
        status=status,
        message=" ".join(notes) or None,
        score=sum(cell.score or 0.0 for cell in cells),
        max_score=sum(cell.max_score for cell in cells),
        isolation=ran.isolation,
        seconds=ran.seconds,
        graded_at=ran.graded_at or now,
        kit_version=__version__,
        checks_digest=checks_digest,
        submission_digest=submission.digest,
        cells=cells,
    )


def _cells(assignment: Assignment, ran: Ran) -> Iterable[CellResult]:
    for cell in assignment.graded:
        found: list[tuple[CheckResult, float]] = []
        for name, (grade_id, weight) in ran.checks.items():
            if grade_id == cell.grade_id:
                result = ran.results.get(name)
                if result is None or ran.fault is not None:
                    title = result.title if result else name
                    message = f"This check could not be run: {ran.fault or 'it did not finish'}."
                    result = CheckResult(name, title, ERROR, 0.0, 0.0, message)
                found.append((result, weight))
        yield cell_result(cell.grade_id, cell.points, found)


def _has_answers(assignment: Assignment) -> bool:
    """Whether the course's copy holds model answers: a released notebook, in a package, does not."""
    return assignment.folder.parent.name != "release"
