"""Reports as grading makes them, for tests of what is made of reports."""

from __future__ import annotations

import dataclasses
from typing import Any

from autograder.grading.outcome import FAILED, PASSED
from autograder.grading.report import (
    GRADED,
    CellResult,
    CheckResult,
    CodeCell,
    Picture,
    Report,
    Work,
    cell_result,
)

ASSIGNMENT = "ex2-causal-masking"
CODE = """\
def causal_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))  # (n, n)
    return weights @ V, weights
"""
VERDICT = "def is_causal(weights):\n    return True\n"
MESSAGE = "Row 1 of your weights holds `0.25` in column 2. Nothing that comes later may play a part."
LEAKING = Picture(
    ("causal-leakage",),
    "causal_attention",
    "Attention weights for 3 positions.",
    "query",
    "key",
    ((0.5, 0.25, 0.25), (0.5, 0.25, 0.25), (0.4, 0.3, 0.3)),
    ((1.0, 0.0, 0.0), (0.6, 0.4, 0.0), (0.4, 0.3, 0.3)),
    ((0, 1), (0, 2), (1, 2)),
)


def check(name: str, outcome: str = PASSED, message: str = "", misconception: str | None = None) -> CheckResult:
    return CheckResult(f"test_{name}", f"Title of {name}", outcome, 0.0, 0.0, message, misconception)


def cell(grade_id: str, points: float, *checks: CheckResult) -> CellResult:
    return cell_result(grade_id, points, [(one, 1) for one in checks])


def report(*cells: CellResult, student: str = "s01", assignment: str = ASSIGNMENT, **changes: Any) -> Report:
    made = Report(
        assignment=assignment,
        student=student,
        notebook=f"{student}/{assignment}.ipynb",
        status=GRADED,
        message=None,
        score=sum(one.score or 0.0 for one in cells),
        max_score=sum(one.max_score for one in cells),
        isolation="full",
        seconds=0.5,
        graded_at="2026-11-29T17:00:00Z",
        kit_version="0.1.0",
        checks_digest="sha256:0",
        submission_digest="sha256:1",
        cells=cells,
    )
    return dataclasses.replace(made, **changes)


def leaking(**changes: Any) -> Report:
    """A submission whose attention leaks: 5 of 8 points, with its code and a picture."""
    cells = (
        cell("causal-attention-values", 3, check("shapes"), check("rows")),
        cell("causal-leakage", 3, check("future", FAILED, MESSAGE, "no-mask")),
        cell("is-causal-check", 2, check("verdict")),
    )
    work = Work(
        (
            CodeCell(2, CODE, answers=("causal-attention-values", "causal-leakage"), grade_id="causal-attention"),
            CodeCell(4, VERDICT, answers=("is-causal-check",), grade_id="is-causal"),
            CodeCell(6, "print('mine')", "mine"),
        ),
        (LEAKING,),
        {
            "causal-attention-values": ("causal_attention",),
            "causal-leakage": ("causal_attention",),
            "is-causal-check": ("is_causal",),
        },
    )
    return report(*cells, work=work, **changes)


def a_class(students: int, assignments: tuple[str, ...] = (ASSIGNMENT, "ex3-memory-cost")) -> list[Report]:
    """Reports of a class in which the first check is passed by all, the last only by every third."""
    made = []
    for number in range(students):
        for assignment in assignments:
            level = number % 3
            checks = [check("easy")]
            for least, name in ((1, "middle"), (2, "hard")):
                right = level >= least
                checks.append(check(name) if right else check(name, FAILED, "It is wrong.", name))
            odd = check("odd", FAILED if level == 2 else PASSED, "It is wrong.")
            cells = (cell("first", 6, *checks), cell("second", 1, odd))
            made.append(report(*cells, student=f"s{number:04}", assignment=assignment, seconds=0.1 + number / 1000))
    return made
