"""The figures of a class report: who passed which check, how hard each check is, and what it tells about a student."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autograder.grading.outcome import ERROR, FAILED, PASSED
from autograder.grading.report import UNGRADABLE, Report

FEWEST = 8  # submissions; of fewer nothing can be said about what a check tells
FIFTHS = 5


@dataclass(frozen=True)
class Item:
    """One check over the class. `discrimination` is None where too few, or all alike, passed it.

    `fifths` is the share that passed it in each fifth of the class, the lowest scores first.
    """

    name: str
    title: str
    grade_id: str
    passed: int
    failed: int
    open: int
    discrimination: float | None
    fifths: tuple[float, ...]

    @property
    def share(self) -> float | None:
        """The share of those judged who passed: the difficulty as it is usually given, 1 is easiest."""
        judged = self.passed + self.failed
        return self.passed / judged if judged else None

    @property
    def remark(self) -> str:
        if self.open:
            return f"open for {self.open}"
        if self.failed == 0:
            return "nobody fails it"
        if self.passed == 0:
            return "nobody passes it"
        if self.discrimination is not None and self.discrimination < 0:
            return "those with more points fail it more often: look at this check"
        if self.discrimination is not None and self.discrimination < 0.15:
            return "says little about the rest"
        return ""


@dataclass(frozen=True)
class Sitting:
    """One assignment as the class did it: judged reports by rising score, checks, and `passed` (checks, reports).

    In `passed` 1 is passed, 0 failed, nan open or not there.
    """

    assignment: str
    reports: tuple[Report, ...]
    items: tuple[Item, ...]
    passed: np.ndarray
    scores: np.ndarray  # per cent, (reports,)


def sittings(reports: Sequence[Report]) -> list[Sitting]:
    """Return each assignment with the submissions that were judged, in the order in which assignments appear."""
    names = dict.fromkeys(report.assignment for report in reports)
    return [_sitting(name, [report for report in reports if report.assignment == name]) for name in names]


def _sitting(name: str, reports: list[Report]) -> Sitting:
    judged = [report for report in reports if report.status != UNGRADABLE and report.max_score]
    judged.sort(key=lambda report: (report.score / report.max_score, report.student))
    known: dict[str, tuple[str, str]] = {}
    for report in judged:
        for cell in report.cells:
            for check in cell.checks:
                known.setdefault(check.name, (check.title, cell.grade_id))
    rows = {check: index for index, check in enumerate(known)}
    passed = np.full((len(known), len(judged)), np.nan)
    worth = np.zeros_like(passed)
    for column, report in enumerate(judged):
        for cell in report.cells:
            for check in cell.checks:
                if check.outcome != ERROR:
                    passed[rows[check.name], column] = check.outcome == PASSED
                worth[rows[check.name], column] = check.score
    total = worth.sum(axis=0)
    items = tuple(
        Item(
            check,
            title,
            grade_id,
            passed=int(np.sum(row == 1)),
            failed=int(np.sum(row == 0)),
            open=int(np.sum(np.isnan(row))),
            discrimination=_correlation(row, total - own),
            fifths=tuple(share(part) for part in np.array_split(row, FIFTHS)) if len(row) >= FIFTHS else (),
        )
        for (check, (title, grade_id)), row, own in zip(known.items(), passed, worth, strict=True)
    )
    scores = np.array([100 * report.score / report.max_score for report in judged])
    return Sitting(name, tuple(judged), items, passed, scores)


def share(row: np.ndarray) -> float:
    """Return the share of those judged who passed; nan where nobody was."""
    judged = row[~np.isnan(row)]
    return float(judged.mean()) if len(judged) else float("nan")


def _correlation(row: np.ndarray, rest: np.ndarray) -> float | None:
    """Return the correlation of passing a check with the points of all others (point-biserial, corrected)."""
    known = ~np.isnan(row)
    if known.sum() < FEWEST or np.ptp(row[known]) == 0 or np.ptp(rest[known]) < 1e-9:
        return None
    return float(np.corrcoef(row[known], rest[known])[0, 1])


def diagnoses(reports: Sequence[Report]) -> list[tuple[str, int, list[str]]]:
    """Return each diagnosis with the number of submissions it was given to, and their assignments; most first."""
    count: Counter[str] = Counter()
    where: dict[str, dict[str, None]] = {}
    for report in reports:
        for idea in {check.misconception for cell in report.cells for check in cell.checks if check.misconception}:
            count[idea] += 1
            where.setdefault(idea, {})[report.assignment] = None
    return [(idea, number, list(where[idea])) for idea, number in sorted(count.items(), key=lambda i: (-i[1], i[0]))]


def undiagnosed(reports: Sequence[Report]) -> int:
    """Return how many submissions failed a check without any diagnosis."""
    return sum(
        any(check.outcome == FAILED for cell in report.cells for check in cell.checks)
        and not any(check.misconception for cell in report.cells for check in cell.checks)
        for report in reports
    )
