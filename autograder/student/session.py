"""A notebook being graded: run from top to bottom once, then asked. Survives cells and calls that do not.

A cell that hangs is interrupted. One that kills the process, or cannot be interrupted, is taken statement by
statement in a new process, and only the statement that kills is left out. A call that hangs or kills costs
itself; the notebook is run again for the next. One budget of seconds bounds all of it; cells that hang leave half
of it to the calls, and once they have had theirs, only definitions are read.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from autograder.problems import MachineFault
from autograder.student.host import Host
from autograder.student.process import Answer, CellRun, Ended, StudentProcess

MAX_RERUNS = 12
MAX_SHOWN = 32  # times what is kept of one cell's output is kept of all together
MAX_HANGS = 2  # of one function; a third call of it would hang as well
LEFT_OUT = "A picture of the course's own stands here. Figures are not drawn while grading."


@dataclass
class Lost:
    """Why a call has no answer. `how` is hung, died, garbled, budget, given-up, memory or processes."""

    how: str
    seconds: float = 0.0
    limit: int = 0  # of what was used up: megabytes or processes


@dataclass
class Session:
    """One submission's code cells (`code`: position and source) in a process of their own.

    Cells at the positions `pictures` are not run: they only draw, and nothing else needs them.
    """

    host: Host
    code: list[tuple[int, str]]
    files: dict[str, bytes] = field(default_factory=dict)
    figures: bool = False
    pictures: frozenset[int] = frozenset()
    runs: dict[int, CellRun] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _process: StudentProcess | None = None
    _spent: float = 0.0
    _since: float | None = None  # while a run or a call goes on: when it began
    _plan: dict[int, list[int]] = field(default_factory=dict)
    _left_out: set[int] = field(default_factory=set)
    _cut: set[int] = field(default_factory=set)  # the cells of which only definitions are read
    _hangs: dict[str, int] = field(default_factory=dict)
    _reruns: int = 0
    _shown: int = 0  # how much output is kept of all cells of this run

    @property
    def remaining(self) -> float:
        """Seconds left of the submission's budget."""
        now = 0.0 if self._since is None else time.monotonic() - self._since
        return self.host.limits.submission_seconds - self._spent - now

    def run(self) -> None:
        """Run the notebook. Afterwards `runs` holds what became of each cell, `notes` what was cut short."""
        with self._spending():
            while not self._run_once():
                pass

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Answer | Lost:
        """Call a function of the notebook; where the process is lost, say how."""
        if self._hangs.get(name, 0) >= MAX_HANGS:
            return Lost("given-up", self.host.limits.call_seconds)
        if self._process is None and self.remaining > 0:
            self.run()
        if self._process is None or self.remaining <= 0:
            return Lost("budget", self.host.limits.submission_seconds)
        try:
            with self._spending():
                answer = self._process.call(name, args, kwargs)
        except Ended as ended:
            why = self._lose()
            if why:
                return Lost(why, limit=self._limit(why))
            if ended.how == "killed":
                self._hangs[name] = self._hangs.get(name, 0) + 1
                return Lost("hung", self.host.limits.call_seconds)
            return Lost(ended.how)
        if answer.interrupted:
            self._hangs[name] = self._hangs.get(name, 0) + 1
            return Lost("hung", self.host.limits.call_seconds)
        return answer

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None

    @contextlib.contextmanager
    def _spending(self) -> Iterator[None]:
        """What goes on meanwhile counts towards the budget."""
        self._since = time.monotonic()
        try:
            yield
        finally:
            self._spent += time.monotonic() - self._since
            self._since = None

    def _run_once(self) -> bool:
        """Run all cells in a new process. Returns False where it was lost and another try makes sense."""
        self.close()
        self._shown = 0
        try:
            self._process = StudentProcess(self.host, self.files, self.figures)
        except Ended as ended:  # before a student's byte ran
            raise MachineFault("a student's process ended before it could be used") from ended
        for index, source in self.code:
            if index in self._left_out:
                continue
            if index in self.pictures:
                self.runs[index] = CellRun([{"output_type": "stream", "name": "stdout", "text": LEFT_OUT + "\n"}])
                continue
            if self.remaining <= 0:
                self._leave_out_from(index)
                return True
            try:
                run = self._process.run_cell(source, self._plan.get(index), self._is_cut_short(index))
            except Ended as ended:
                self._after_loss(index, ended, self._lose())
                self._reruns += 1
                return False
            if index not in self._cut or index not in self.runs:
                self._keep(index, run)
        return True

    def _is_cut_short(self, index: int) -> bool:
        """Whether only the definitions of a cell are read: those that hang leave half of the time to the calls."""
        before = self.runs.get(index)
        hung = self._reruns > 0 or any(run.interrupted for run in self.runs.values())
        half = self.host.limits.submission_seconds / 2
        if hung and self.remaining < half and (before is None or before.interrupted) and index not in self._cut:
            if not self._cut:
                self._note(index, f"and those after it gave only definitions: what hung had taken {half:g} seconds")
            self._cut.add(index)
        return index in self._cut

    def _keep(self, index: int, run: CellRun) -> None:
        first_time = index not in self.runs
        self.runs[index] = run
        self._shown += run.size
        if self._shown > MAX_SHOWN * self.host.limits.output_kb * 1024:
            run.outputs, run.truncated = [], True
        if run.interrupted and first_time:
            self._note(index, f"was stopped after {self.host.limits.cell_seconds:g} seconds")

    def _lose(self) -> str:
        """Give up the process. Returns "memory" or "processes" where it had used too much of them, else ""."""
        process = self._process
        self.close()
        return process.why if process is not None else ""

    def _limit(self, why: str) -> int:
        return self.host.limits.memory_mb if why == "memory" else self.host.limits.processes

    def _after_loss(self, index: int, ended: Ended, why: str) -> None:
        """Decide how the cell that cost the process is run next time."""
        how = "could not be interrupted" if ended.how == "killed" else "ended the Python process"
        if why:
            how = f"used more than {self._limit(why)} {'MB of memory' if why == 'memory' else 'processes'}"
        plan = self._plan.get(index)
        if self._reruns >= MAX_RERUNS or (plan is not None and ended.statement in (None, *plan)):
            self._left_out.add(index)
            self.runs[index] = CellRun()
            self._note(index, f"{how} and was left out")
        elif plan is None:
            self._plan[index] = []
        else:
            plan.append(ended.statement)  # type: ignore[arg-type]
            self._note(index, f"{how}; the statement that did it was left out")

    def _leave_out_from(self, index: int) -> None:
        late = [position for position, _ in self.code if position >= index]
        self._left_out.update(late)
        seconds = self.host.limits.submission_seconds
        self._note(index, f"and those after it were not run: the notebook's {seconds:g} seconds were used up")

    def _note(self, index: int, what: str) -> None:
        number = [position for position, _ in self.code].index(index) + 1
        note = f"Code cell {number} {what}."
        if note not in self.notes:
            self.notes.append(note)
