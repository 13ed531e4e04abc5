"""A batch of submissions of one assignment as one pytest session.

The batch is the parameter of the session-scoped `student` fixture, so pytest runs all checks of one submission,
then those of the next. The model answer goes first: where it does not pass everything, the machine or a check is
at fault, and every outcome of the batch is an error rather than somebody's zero.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.grading.outcome import ERROR, FAILED, PASSED, CheckFailed
from autograder.grading.report import CheckResult
from autograder.grading.student import Student, one_line
from autograder.problems import MachineFault
from autograder.reading.submission import Submission
from autograder.student.host import Host
from autograder.student.process import CellRun
from autograder.student.session import Session

GRADERS = Path(__file__).resolve().parent.parent / "graders"
MODEL = "model answer"


@dataclass
class Entry:
    """One submission in a batch, and what grading it left: results by check, runs by cell, notes."""

    submission: Submission
    results: dict[str, CheckResult] = field(default_factory=dict)
    cells: dict[str, tuple[str, float]] = field(default_factory=dict)  # check -> (grade_id, weight)
    runs: dict[int, CellRun] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    fault: str | None = None


class Batch:
    """A pytest plugin that grades `entries`; the first may be the model answer (`has_model`)."""

    def __init__(
        self,
        host: Host,
        folder: str,
        entries: list[Entry],
        has_model: bool,
        figures: bool = False,
        done: Callable[[Entry], None] | None = None,
    ) -> None:
        self.host = host
        self.folder = folder
        self.entries = entries
        self.has_model = has_model
        self.figures = figures
        self.done = done
        self.model_fault: str | None = None
        self.checks: dict[str, tuple[str, float]] = {}
        self.broken: list[str] = []

    # -- pytest's hooks ---------------------------------------------------------------------------------------

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "student" in metafunc.fixturenames:
            names = [entry.submission.student or str(index) for index, entry in enumerate(self.entries)]
            if self.has_model:
                names[0] = MODEL
            metafunc.parametrize("student", range(len(self.entries)), indirect=True, ids=names, scope="session")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken.append(_last_line(report.longreprtext))

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.broken.append(excinfo.exconly())

    @pytest.fixture(scope="session")
    def student(self, request: pytest.FixtureRequest) -> Any:
        """The functions of the notebook that is being graded."""
        entry = self.entries[request.param]
        if self.model_fault:
            raise MachineFault(self.model_fault)
        session = Session(self.host, entry.submission.code, entry.submission.files, self.figures)
        began = time.monotonic()
        try:
            session.run()
            yield Student(session)
        finally:
            session.close()
            entry.seconds = time.monotonic() - began
            entry.runs, entry.notes = session.runs, session.notes
            if self.has_model and request.param == 0:
                self._judge_model(entry)
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
        function = getattr(item, "function", None)
        marker = item.get_closest_marker("cell")
        callspec = getattr(item, "callspec", None)
        if function is None or marker is None or callspec is None or "student" not in callspec.params:
            return
        entry = self.entries[callspec.params["student"]]
        outcome, message, misconception = judge(call.excinfo)
        title = (function.__doc__ or function.__name__).strip().splitlines()[0].rstrip(".")
        name = function.__name__
        entry.results[name] = CheckResult(name, title, outcome, 0.0, 0.0, message, misconception)
        entry.cells[name] = self.checks[name] = (marker.args[0], float(marker.kwargs.get("weight", 1)))

    def _judge_model(self, entry: Entry) -> None:
        wrong = [result for result in entry.results.values() if result.outcome != PASSED]
        if wrong:
            self.model_fault = (
                f"the model answer does not pass on this machine ({wrong[0].name}: {wrong[0].message}), "
                "so nobody is graded; `course doctor` and `course check` say more"
            )


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
    options += ["-c", "/dev/null", f"--rootdir={GRADERS}", "--assert=plain", "--capture=no", "-q", *arguments]
    status = pytest.main([*options, str(target)], plugins=[batch])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        reason = one_line("; ".join(dict.fromkeys(batch.broken)), 400) or f"pytest ended with status {int(status)}"
        raise MachineFault(f"the hidden checks in {batch.folder} could not be run: {reason}")
