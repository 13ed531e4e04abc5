"""Whether causal_attention lets the future through: the future is changed and the past is watched.

Canary: attention-course-canary-ea7b2d084708d64b

The scaling plays no part: only the student's answers to two sets of inputs are compared with each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import attention, compare, expect, probes, words
from autograder.graders.diagnoses import CORE, LARGE, diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-ea7b2d084708d64b"

NAME = "causal_attention"
CUTS = 1, 2, 3, 4, 5
DOMINANT = 4


def _answers(student: Any, probe: probes.Probe) -> dict[str, np.ndarray]:
    output, weights = attention.ask(student, NAME, probe)
    return {
        "weights": expect.matrix(weights, probe.weights_shape, "your weights", finite=False),
        "output": expect.matrix(output, probe.output_shape, "your output", finite=False),
    }


def _require_same_past(
    before: dict[str, np.ndarray], after: dict[str, np.ndarray], cut: int, what_happened: str
) -> None:
    """The first `cut` rows stayed as they were, and the rest of the weights did not."""
    if not np.any(np.isfinite(before["weights"][:-1])):
        raise Failure(
            f"No row of your weights but the last holds a number; row 0 begins with "
            f"{words.show(before['weights'][0, 0])}, so nothing can be said of a leak.",
            "Look for rows in which nothing is left to see.",
        )
    for name in ("weights", "output"):
        past, now = before[name][:cut], after[name][:cut]
        if not compare.same_or_both_nan(now, past):
            i, j = compare.worst(now, past)
            raise Failure(
                f"{what_happened}, and row {i} of your {name} changed with it: column {j} went "
                f"{words.change(past[i, j], now[i, j])} (counting from 0).",
                "Nothing that comes after a position may play a part in its row.",
            )
    if compare.same_or_both_nan(after["weights"][cut:], before["weights"][cut:]):
        raise Failure(
            f"{what_happened}, and your weights stayed as they were in every row, even where they should change.",
            "They have to be computed from Q and K.",
        )


@cell("causal-leakage", weight=2)
@diagnosed(NAME)
def test_the_future_cannot_change_the_past(student: Any) -> None:
    """The future cannot change the past"""
    before = _answers(student, probes.causal())
    for cut in CUTS:
        after = _answers(student, probes.other_future(cut))
        _require_same_past(before, after, cut, f"All positions from {cut} on were given other content")


@cell("causal-leakage")
@diagnosed(NAME, CORE, LARGE)
def test_a_dominating_future_key_is_ignored(student: Any) -> None:
    """A future key that suits every query best is still not seen"""
    before = _answers(student, probes.before_dominant_key())
    after = _answers(student, probes.with_dominant_key(DOMINANT))
    _require_same_past(
        before,
        after,
        DOMINANT,
        f"Key {DOMINANT} was made to outweigh all others by far in every row",
    )


@cell("causal-leakage")
@diagnosed(NAME)
def test_the_first_position_sees_only_itself(student: Any) -> None:
    """The first position sees only itself"""
    probe = probes.causal()
    answers = _answers(student, probe)
    first = np.zeros(len(probe.K))
    first[0] = 1.0
    for name, want in (("weights", first), ("output", probe.V[0])):
        row = answers[name][0]
        if not compare.close(row, want):
            (j,) = compare.worst(row, want)
            raise Failure(
                f"Row 0 of your {name} holds {words.show(row[j])} in column {j} (counting from 0), as if the first "
                "position saw something else than itself alone.",
                "What is left for this row after masking?",
            )
