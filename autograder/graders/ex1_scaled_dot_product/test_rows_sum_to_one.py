"""What rows_sum_to_one says of good and of bad weights.

Canary: attention-course-canary-f5c3cd3d624f3445
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import probes
from autograder.graders.diagnoses import diagnosed
from autograder.graders.verification import DUST, check_verdicts
from autograder.grading.checks import cell

CANARY = "attention-course-canary-f5c3cd3d624f3445"

NAME = "rows_sum_to_one"


def _changed(matrix: np.ndarray, changes: dict[tuple[int, int], float]) -> np.ndarray:
    changed = matrix.copy()
    for index, amount in changes.items():
        changed[index] += amount
    return changed


@cell("rows-sum-to-one-check")
@diagnosed(NAME)
def test_rows_sum_to_one_tells_good_from_bad(student: Any) -> None:
    """rows_sum_to_one accepts proper weights and refuses weights of another normalisation"""
    good = probes.stochastic(4, 4)
    check_verdicts(
        student,
        NAME,
        {"a square matrix whose rows sum to 1": good, "a matrix with more columns than rows": probes.stochastic(3, 5)},
        {
            "a matrix whose columns sum to 1, but not its rows": good.T,
            "a matrix whose entries sum to 1 all together": good / len(good),
            "a matrix whose rows sum to more than 1": good * 1.5,
        },
        "Which axis do you sum over, and do you look at every row?",
    )


@cell("rows-sum-to-one-check")
@diagnosed(NAME)
def test_rows_sum_to_one_looks_closely(student: Any) -> None:
    """rows_sum_to_one forgives rounding, and nothing else"""
    good = probes.stochastic(5, 7)
    check_verdicts(
        student,
        NAME,
        {
            "a matrix that is off by rounding alone, 1e-12": _changed(good, {(1, 2): DUST, (4, 0): -DUST}),
            "a matrix of single precision": probes.stochastic(11, 13).astype(np.float32),
        },
        {
            "a matrix in which one row sums to 0.999": _changed(good, {(3, 1): -1e-3}),
            "a matrix in which one row is too large by as much as another is too small": _changed(
                good, {(0, 2): 1e-3, (2, 4): -1e-3}
            ),
            "a matrix that holds a NaN": _changed(good, {(2, 5): np.nan}),
        },
        "Compare every row sum with 1, within a tolerance that suits rounding, and try it on a NaN.",
    )
