"""The one result of grading a submission. Every output is a view of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
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
class Picture:
    """What a student's function returned for the course's public example, beside what was wanted.

    `yours` and `wanted` are matrices (rows of numbers; None where a number is not finite) of the same shape.
    `closed` are the places (i, j) at which nothing but 0 is right. It never shows a hidden input.
    """

    grade_ids: tuple[str, ...]
    function: str
    about: str
    rows: str
    columns: str
    yours: tuple[tuple[float | None, ...], ...]
    wanted: tuple[tuple[float | None, ...], ...]
    closed: tuple[tuple[int, int], ...] = ()

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Picture:
        """Return the picture that `dataclasses.asdict` made plain. Raises TypeError or KeyError for anything else."""
        matrices = {side: tuple(map(tuple, kept[side])) for side in ("yours", "wanted", "closed")}
        return cls(**{**kept, **matrices, "grade_ids": tuple(kept["grade_ids"])})


@dataclass(frozen=True)
class CodeCell:
    """A code cell of the student's notebook (`number` counts code cells from 1), and what it said when it ran."""

    number: int
    source: str
    said: str = ""
    answers: tuple[str, ...] = ()  # the graded cells that ask for what is defined here
    grade_id: str = ""


@dataclass(frozen=True)
class Work:
    """What a page shows beside a report: the student's code cells, and pictures.

    `functions` are those that a graded cell asks for, by grade_id.
    """

    cells: tuple[CodeCell, ...] = ()
    pictures: tuple[Picture, ...] = ()
    functions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def answering(self, grade_id: str) -> list[CodeCell]:
        return [cell for cell in self.cells if grade_id in cell.answers]

    def pictures_of(self, grade_id: str) -> list[Picture]:
        """Return the pictures to be shown at a graded cell: each stands once, at the first of its cells."""
        return [picture for picture in self.pictures if picture.grade_ids[:1] == (grade_id,)]


@dataclass(frozen=True)
class Report:
    """One submission's result, as in the contract for `--format json` (schema attention-course/report/v1).

    `work` is no part of the contract: it is for pages, and there where a page was asked for.
    """

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
    work: Work = field(default=Work(), repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, in the contract's order of keys."""
        data = {"schema": SCHEMA, **asdict(replace(self, work=Work()))}
        del data["work"]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Report:
        """Return the report that `to_dict` made plain data of. Raises ValueError where the data are no report."""
        try:
            if data["schema"] != SCHEMA:
                raise ValueError(f"its schema is {data['schema']!r}, and {SCHEMA!r} is read here")
            cells = tuple(
                CellResult(**{**cell, "checks": tuple(CheckResult(**check) for check in cell["checks"])})
                for cell in data["cells"]
            )
            return cls(**{key: value for key, value in data.items() if key != "schema"} | {"cells": cells})
        except (KeyError, TypeError) as error:
            raise ValueError(f"a report lacks or has something else than it should ({error})") from error

    def with_titles_only(self) -> Report:
        """Return the report as a student sees it who may read titles and outcomes, but no messages and no pictures."""
        cells = tuple(
            replace(cell, checks=tuple(replace(check, message="", misconception=None) for check in cell.checks))
            for cell in self.cells
        )
        return replace(self, cells=cells, work=replace(self.work, pictures=()))

    @property
    def needs_a_person(self) -> bool:
        return self.status != GRADED


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
