"""What is_causal says of good and of leaking weights.

Canary: attention-course-canary-412325fba0a69619
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import probes
from autograder.graders.diagnoses import diagnosed
from autograder.graders.verification import DUST, check_verdicts
from autograder.grading.checks import cell

CANARY = "attention-course-canary-412325fba0a69619"

NAME = "is_causal"
LEAK = 1e-4


def _leaking(matrix: np.ndarray, cell_index: tuple[int, int], amount: float) -> np.ndarray:
    """The matrix with a little weight moved from the first column of a row to another cell."""
    changed = matrix.copy()
    changed[cell_index] += amount
    if np.isfinite(amount):
        changed[cell_index[0], 0] -= amount
    return changed


@cell("is-causal-check")
@diagnosed(NAME)
def test_is_causal_tells_good_from_bad(student: Any) -> None:
    """is_causal accepts causal weights and refuses weights that look ahead"""
    check_verdicts(
        student,
        NAME,
        {
            "causal weights": probes.stochastic(5, 5, causal=True),
            "weights of positions that see only themselves": np.eye(4),
            "the weight of a single position": np.ones((1, 1)),
            "causal numbers whose rows do not sum to 1": 0.6 * probes.stochastic(5, 5, causal=True),
        },
        {
            "weights without any mask": probes.stochastic(5, 5),
            "weights that see only the future and themselves": probes.stochastic(5, 5, causal=True)[::-1, ::-1],
        },
        "Which cells of the matrix belong to keys later than the query?",
    )


@cell("is-causal-check")
@diagnosed(NAME)
def test_is_causal_looks_closely(student: Any) -> None:
    """is_causal forgives rounding, and nothing else"""
    good = probes.stochastic(7, 7, causal=True)
    check_verdicts(
        student,
        NAME,
        {"causal weights with rounding dust of 1e-12": _leaking(_leaking(good, (1, 4), DUST), (3, 4), -DUST)},
        {
            "weights in which one position sees its next neighbour with weight 1e-4": _leaking(good, (3, 4), LEAK),
            "weights in which the first position sees the last one with weight 1e-4": _leaking(good, (0, 6), LEAK),
            "weights in which the second position has a weight below 0 on the last": _leaking(good, (1, 6), -LEAK),
            "weights with a NaN in the future": _leaking(good, (2, 5), np.nan),
        },
        "Look at every cell of the future, at its size without the sign, within a tolerance that suits rounding.",
    )
