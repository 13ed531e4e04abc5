"""A batch of submissions of one assignment as one pytest session.

The batch is the parameter of the session-scoped `student` fixture, so pytest runs all checks of one submission,
then those of the next. The model answer goes first: where it does not pass everything, the machine or a check is
at fault, and every outcome of the batch is an error rather than somebody's zero.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.grading import picture
from autograder.grading.checks import PROBE_SEED
from autograder.grading.outcome import ERROR, FAILED, PASSED, CheckFailed
from autograder.grading.picture import examples_of
from autograder.grading.report import CheckResult, Picture
from autograder.grading.student import Call, Student, one_line
from autograder.problems import MachineFault
from autograder.reading.submission import Submission
from autograder.student.host import Host
from autograder.student.process import CellRun
from autograder.student.session import Session

GRADERS = Path(__file__).resolve().parent.parent / "graders"
MODEL = "model answer"


@dataclass
class Entry:
    """One submission in a batch, and what grading it left: results by check, runs by cell, notes.

    `wanted` are the checks that it is asked, where not all; `pictures` the cells that are not run.
    """

    submission: Submission
    wanted: frozenset[str] | None = None
    pictures: frozenset[int] = frozenset()
    results: dict[str, CheckResult] = field(default_factory=dict)
    cells: dict[str, tuple[str, float]] = field(default_factory=dict)  # check -> (grade_id, weight)
    runs: dict[int, CellRun] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    drawn: list[Picture] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)  # kept where one check alone is run


class Batch:
    """A pytest plugin that grades `entries`; the first may be the model answer (`has_model`).

    With `only`, the name of a check, that check alone is run, and its calls are kept. With `pages`, submissions
    are also asked for the public examples, before the checks.
    """

    def __init__(
        self,
        host: Host,
        folder: str,
        entries: list[Entry],
        has_model: bool,
        figures: bool = False,
        done: Callable[[Entry], None] | None = None,
        only: str | None = None,
        pages: bool = False,
        probe_seed: int = 0,
    ) -> None:
        self.examples = examples_of(GRADERS / folder) if pages else ()
        self.probe_seed = probe_seed
        self.only = only
        self.host = host
        self.folder = folder
        self.entries = entries
        self.has_model = has_model
        self.figures = figures
        self.done = done
        self.model_fault: str | None = None
        self.checks: dict[str, tuple[str, float]] = {}
        self.broken: list[str] = []
        self.interrupted = False

    # -- pytest's hooks ---------------------------------------------------------------------------------------

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[BATCH] = self
        config.pluginmanager.register(sys.modules[__name__], "attention-course-student")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Any:
        """The checks of this session, and nobody else's, have the course's own inputs."""
        token = PROBE_SEED.set(self.probe_seed)
        try:
            return (yield)
        finally:
            PROBE_SEED.reset(token)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "student" in metafunc.fixturenames:
            names = [entry.submission.student or str(index) for index, entry in enumerate(self.entries)]
            if self.has_model:
                names[0] = MODEL
            metafunc.parametrize("student", range(len(self.entries)), indirect=True, ids=names, scope="session")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken.append(_last_line(report.longreprtext))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Refuse to grade with checks of which one would hide another, or count for nothing."""
        seen: set[tuple[str, Any]] = set()
        for item in items:
            callspec = getattr(item, "callspec", None)
            if callspec is None or "student" not in callspec.params:
                continue
            name = getattr(item, "originalname", item.name)
            if item.get_closest_marker("cell") is None:
                self.broken.append(f"the check {name} does not say with @cell which graded cell it belongs to")
            if (name, callspec.params["student"]) in seen:
                self.broken.append(f"there are two checks named {name}")
            seen.add((name, callspec.params["student"]))
        if self.broken:
            items.clear()
        items[:] = [item for item in items if self._is_asked(item)]

    def _is_asked(self, item: pytest.Item) -> bool:
        """Whether a check is run for its submission. One that is retired is not, and everybody gets its share."""
        name = getattr(item, "originalname", item.name)
        if self.only is not None and name != self.only:
            return False
        place = _place(item)
        if place is None:
            return True
        index, marker = place
        wanted = self.entries[index].wanted
        if wanted is not None and name not in wanted:
            return False
        if marker.kwargs.get("retired"):
            message = f"This check was withdrawn: {marker.kwargs['retired']}."
            self._note(item, index, marker, (PASSED, message, None))
            return False
        return True

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.interrupted = excinfo.type is KeyboardInterrupt

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.broken.append(excinfo.exconly())

    def serve(self, index: int) -> Iterator[Student]:
        """Run the notebook of one entry, and keep it to be asked until its checks are done."""
        entry = self.entries[index]
        if self.model_fault:
            raise MachineFault(self.model_fault)
        session = Session(self.host, entry.submission.code, entry.submission.files, self.figures, entry.pictures)
        began = time.monotonic()
        has_run = False
        try:
            session.run()
            has_run = True
            if self.examples and not session.notes and not (self.has_model and index == 0):
                entry.drawn = picture.draw(session, self.examples)
            yield Student(session, entry.submission.texts, entry.calls.append if self.only else None)
        finally:
            session.close()
            entry.seconds = time.monotonic() - began
            entry.runs, entry.notes = session.runs, session.notes
            if self.has_model and index == 0:
                self._judge_model(entry, has_run)
            elif self.done is not None:
                self.done(entry)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        with np.errstate(all="ignore"):  # a student's odd numbers must not warn in the grader
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        if call.when == "call" or (call.when == "setup" and call.excinfo is not None):
            self._record(item, call)
        return report

    # -- results ----------------------------------------------------------------------------------------------

    def _record(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        place = _place(item)
        if place is not None:
            self._note(item, *place, judge(call.excinfo))

    def _note(self, item: pytest.Item, index: int, marker: pytest.Mark, judged: tuple[str, str, str | None]) -> None:
        outcome, message, misconception = judged
        entry, function = self.entries[index], item.function  # type: ignore[attr-defined]
        title = (function.__doc__ or function.__name__).strip().splitlines()[0].rstrip(".")
        name = function.__name__
        entry.results[name] = CheckResult(name, title, outcome, 0.0, 0.0, message, misconception)
        entry.cells[name] = self.checks[name] = (marker.args[0], float(marker.kwargs.get("weight", 1)))

    def _judge_model(self, entry: Entry, has_run: bool) -> None:
        wrong = [result for result in entry.results.values() if result.outcome != PASSED]
        if not has_run:
            self.model_fault = "the model answer cannot be run on this machine, so nobody is graded"
        elif wrong:
            self.model_fault = (
                f"the model answer does not pass on this machine ({wrong[0].name}: {wrong[0].message}), "
                "so nobody is graded; `course doctor` and `course check` say more"
            )


def _place(item: pytest.Item) -> tuple[int, pytest.Mark] | None:
    """Return (which entry, the marker of its cell) for a check of a student's work; None for any other test."""
    marker, callspec = item.get_closest_marker("cell"), getattr(item, "callspec", None)
    if marker is None or callspec is None or "student" not in callspec.params:
        return None
    return callspec.params["student"], marker


BATCH = pytest.StashKey[Batch]()


@pytest.fixture(scope="session")
def student(request: pytest.FixtureRequest) -> Iterator[Student]:
    """The functions of the notebook that is being graded."""
    yield from request.config.stash[BATCH].serve(request.param)


def judge(excinfo: pytest.ExceptionInfo[BaseException] | None) -> tuple[str, str, str | None]:
    """Return (outcome, message, misconception) of a check from how it ended.

    A CheckFailed, or an assert in a check itself, is about the student's work. Everything else is a fault.
    """
    if excinfo is None:
        return PASSED, "", None
    error = excinfo.value
    if isinstance(error, CheckFailed):
        return FAILED, error.message, error.misconception
    if isinstance(error, AssertionError) and GRADERS in Path(excinfo.traceback[-1].path).parents:
        return FAILED, str(error).split("\nassert ")[0] or "Your answer does not do what this check asks for.", None
    if isinstance(error, MachineFault):
        return ERROR, f"This check could not be run: {error}.", None
    kind = type(error).__name__
    return ERROR, f"The check itself stopped ({kind}: {one_line(str(error), 200)}). A person has to look at it.", None


def _last_line(text: str) -> str:
    """Return the line of a traceback that says what happened."""
    marked = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    return marked[-1] if marked else text.strip().splitlines()[-1]


def run_batch(batch: Batch, arguments: tuple[str, ...] = ()) -> None:
    """Run a batch quietly in this process. Raises MachineFault where pytest itself could not do its work."""
    target = GRADERS / batch.folder
    options = ["-p", "no:cacheprovider", "-p", "no:warnings", "-p", "no:logging", "-p", "no:terminalreporter"]
    options += ["-p", "no:faulthandler", "-p", "no:unraisableexception", "-p", "no:threadexception"]
    options += ["-p", "autograder.grading.plugin"]
    options += ["-c", "/dev/null", f"--rootdir={GRADERS}", "--assert=plain", "--capture=no", "-q", *arguments]
    with _nobody_elses_options():
        status = pytest.main([*options, str(target)], plugins=[batch])
    if batch.interrupted:
        raise KeyboardInterrupt
    all_retired = status == pytest.ExitCode.NO_TESTS_COLLECTED and batch.checks and not batch.broken
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not all_retired:
        reason = one_line("; ".join(dict.fromkeys(batch.broken)), 400) or f"pytest ended with status {int(status)}"
        raise MachineFault(f"the hidden checks in {batch.folder} could not be run: {reason}")


@contextlib.contextmanager
def _nobody_elses_options() -> Iterator[None]:
    """What is set for another pytest (options, plugins that reorder or select) must not touch a score."""
    wanted = {"PYTEST_ADDOPTS": "", "PYTEST_PLUGINS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
