"""causal_linear_attention: its values, and what the past and the future do to them.

Canary: attention-course-canary-1d64f0e8b25a97c3
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import attention, compare, expect, probes, variations, words
from autograder.graders.diagnoses import ARGUMENTS, diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-1d64f0e8b25a97c3"

NAME = "causal_linear_attention"
CUTS = 1, 3, 5


def _output(student: Any, probe: probes.Probe) -> np.ndarray:
    got = student.causal_linear_attention(*probe.inputs)
    return expect.matrix(got, probe.output_shape, "your output", finite=False)


@cell("causal-linear-check", weight=6)
@diagnosed(NAME)
def test_causal_linear_attention_blends_the_past(student: Any) -> None:
    """Row i is the mean of values 0 to i weighted by the dot products of the feature maps"""
    for probe in (probes.square(), probes.of_lengths(1, 1), probes.of_lengths(9, 9)):
        compare.require_close(
            _output(student, probe),
            variations.linear_output(probe, causal=True),
            "your output",
            "Row i is a mean of rows 0 to i of V: check where the two sums end, and what you divide by.",
        )


@cell("causal-linear-check", weight=4)
@diagnosed(NAME)
def test_the_future_plays_no_part_in_the_sums(student: Any) -> None:
    """The future cannot change the past of linear attention, and the past does change the future"""
    before = _output(student, probes.square())
    for cut in CUTS:
        after = _output(student, variations.other_from(cut))
        if not compare.close(after[:cut], before[:cut]):
            i, j = compare.worst(after[:cut], before[:cut])
            raise Failure(
                f"All positions from {cut} on were given other content, and row {i} of your output changed with it: "
                f"column {j} went {words.change(before[i, j], after[i, j])} (counting from 0).",
                "Nothing that comes after a position may play a part in its row, above the line or below it.",
            )
    start = _output(student, variations.other_start())
    still = [i for i in range(len(before)) if compare.close(start[i], before[i])]
    if still:
        raise Failure(
            f"Position 0 was given another key and another value, and row {still[0]} of your output (counting from 0) "
            "stayed as it was.",
            "Every position sees itself and all positions before it.",
        )


@cell("causal-linear-check", weight=2)
@diagnosed(NAME)
def test_the_first_row_is_the_first_value(student: Any) -> None:
    """The first position returns its own value, and later ones a mix"""
    probe = probes.square()
    output = _output(student, probe)
    if not compare.close(output[0], probe.V[0]):
        (j,) = compare.worst(output[0], probe.V[0])
        raise Failure(
            f"Row 0 of your output holds {words.show(output[0, j])} in column {j} (counting from 0), and that is not "
            "the value of position 0.",
            "The first position sees itself alone: what do the sums hold when it is answered?",
        )
    if compare.close(output[1], probe.V[1]) or not np.all(np.isfinite(output)):
        raise Failure(
            f"Row 1 of your output begins with {words.show(output[1, 0])}, which is no mix of values 0 and 1.",
            "From the second position on there is more than one value to blend.",
        )


@cell("causal-linear-check")
@diagnosed(NAME, ARGUMENTS)
def test_causal_linear_attention_leaves_its_arguments_alone(student: Any) -> None:
    """Causal linear attention does not change Q, K or V"""
    attention.check_unchanged(student, NAME, probes.square().inputs, ("Q", "K", "V"))
