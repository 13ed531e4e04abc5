"""What a regrade changes for whom, and by which check; and what a person gave, which it leaves as it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.grading.grader import Graded
from autograder.grading.outcome import PASSED
from autograder.grading.report import UNGRADABLE, Report
from autograder.outputs.table import points


@dataclass(frozen=True)
class Score:
    """One cell in the gradebook: what the checks gave, and what a person gave in its place (None: nothing)."""

    auto: float | None
    manual: float | None = None


@dataclass
class Change:
    """A submission that was graded before: its scores by cell before and after, and why."""

    student: str
    before: float
    after: float
    open: bool = False  # a person has to look at it, so the score after is not final
    cells: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)
    why: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # what a person gave, cell by cell

    @property
    def is_one(self) -> bool:
        return bool(self.cells)

    def line(self) -> str:
        """Say it in one line."""
        after = f"{points(self.after)}{' so far; the rest is for a person' if self.open else ''}"
        reasons = "; ".join(self.why) or "the points or checks of " + ", ".join(self.cells)
        return f"{self.student}: {points(self.before)} -> {after} ({reasons})"


def change(student: str, before: Mapping[str, Score], report: Report, earlier: Mapping[str, Any] | None) -> Change:
    """Return what recording `report` changes. `earlier` is the report recorded before, where it is known."""
    ungradable = report.status == UNGRADABLE
    after = {cell.grade_id: None if ungradable else cell.score for cell in report.cells}
    made = Change(
        student,
        sum(score.auto or 0.0 for score in before.values()),
        sum(score or 0.0 for score in after.values()),
        any(score is None for score in after.values()),
    )
    for name, score in after.items():
        old = before.get(name, Score(None))
        if not _same(old.auto, score):
            made.cells[name] = (old.auto, score)
        if old.manual is not None:
            hidden = "" if _same(old.auto, score) else f", and hides the new {points(score)}"
            made.kept.append(f"{name}: {points(old.manual)} given by a person stays{hidden}; to be looked at again")
    if made.cells:
        made.why = _reasons(made, report, earlier)
    return made


def not_lowered(graded: Graded, before: Mapping[str, Score]) -> Graded:
    """Return the result with no cell below what the gradebook holds for it."""
    cells = []
    for cell in graded.report.cells:
        old = before.get(cell.grade_id, Score(None)).auto
        if old is not None and (cell.score is None or cell.score < old):
            cell = dataclasses.replace(cell, score=min(old, cell.max_score))
        cells.append(cell)
    if cells == list(graded.report.cells):
        return graded
    note = "Where the checks now give less than before, the score before was kept."
    message = f"{graded.report.message} {note}" if graded.report.message else note
    score = sum(cell.score or 0.0 for cell in cells)
    report = dataclasses.replace(graded.report, cells=tuple(cells), score=score, message=message)
    return dataclasses.replace(graded, report=report)


def _reasons(made: Change, report: Report, earlier: Mapping[str, Any] | None) -> list[str]:
    """Say which checks ended otherwise than before, where it is known how they ended then."""
    if report.status == UNGRADABLE:
        return ["it can no longer be judged"]
    if earlier is None:
        return []
    then = {check["name"]: check["outcome"] for cell in earlier["cells"] for check in cell["checks"]}
    now = {check.name: check.outcome for cell in report.cells if cell.grade_id in made.cells for check in cell.checks}
    words = {PASSED: "passes"}
    reasons = [
        f"{name} {words.get(outcome, outcome)}, {then.get(name, 'new')} before"
        for name, outcome in now.items()
        if then.get(name) != outcome
    ]
    gone = [name for name in then if name not in {c.name for cell in report.cells for c in cell.checks}]
    return reasons + [f"{name} is no longer a check" for name in gone]


def _same(one: float | None, other: float | None) -> bool:
    return one is other or (one is not None and other is not None and abs(one - other) < 1e-9)
