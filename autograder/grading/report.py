"""The one result of grading a submission. Every output is a view of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from autograder.grading.outcome import ERROR

SCHEMA = "attention-course/report/v1"
GRADED = "graded"
UNGRADABLE = "ungradable"
NEEDS_REVIEW = "needs-review"


@dataclass(frozen=True)
class CheckResult:
    """How one hidden check ended. `message` is for the student; `outcome` is passed, failed or error."""

    name: str
    title: str
    outcome: str
    score: float
    max_score: float
    message: str = ""
    misconception: str | None = None


@dataclass(frozen=True)
class CellResult:
    """A graded cell with its checks. `score` is None while one of them is in error."""

    grade_id: str
    score: float | None
    max_score: float
    checks: tuple[CheckResult, ...] = ()


@dataclass(frozen=True)
class Report:
    """One submission's result, as in the contract for `--format json` (schema attention-course/report/v1)."""

    assignment: str
    student: str
    notebook: str
    status: str
    message: str | None
    score: float
    max_score: float
    isolation: str
    seconds: float
    graded_at: str
    kit_version: str
    checks_digest: str
    submission_digest: str
    cells: tuple[CellResult, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, in the contract's order of keys."""
        return {"schema": SCHEMA, **asdict(self)}

    @property
    def needs_a_person(self) -> bool:
        return self.status != GRADED


def from_dict(fields: dict[str, Any]) -> Report:
    """Return the report that `to_dict` made plain data of. Raises KeyError or TypeError for anything else."""
    values = dict(fields)
    del values["schema"]
    cells = [
        CellResult(**{**cell, "checks": tuple(CheckResult(**check) for check in cell["checks"])})
        for cell in values.pop("cells")
    ]
    return Report(**values, cells=tuple(cells))


def cell_result(grade_id: str, points: float, checks: list[tuple[CheckResult, float]]) -> CellResult:
    """Return a cell's result from its checks and their weights: each check's share of `points` is by weight."""
    total = sum(weight for _, weight in checks)
    shared = []
    for check, weight in checks:
        share = points * weight / total if total else 0.0
        score = share if check.outcome == "passed" else 0.0
        shared.append(
            CheckResult(check.name, check.title, check.outcome, score, share, check.message, check.misconception)
        )
    if not total or any(check.outcome == ERROR for check in shared):
        return CellResult(grade_id, None, points, tuple(shared))
    passed = sum(weight for check, weight in checks if check.outcome == "passed")
    return CellResult(grade_id, points * passed / total, points, tuple(shared))
