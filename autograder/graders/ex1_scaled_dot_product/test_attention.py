"""What scaled_dot_product_attention returns, apart from the scaling.

Canary: attention-course-canary-717538027e078941
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograder.graders import attention, compare, expect, probes
from autograder.graders.diagnoses import ARGUMENTS, LARGE, WHOLE, diagnosed
from autograder.graders.ex1_scaled_dot_product import own_softmax
from autograder.grading.checks import CheckFailed, cell

CANARY = "attention-course-canary-717538027e078941"

NAME = "scaled_dot_product_attention"


@cell("attention-values", weight=0.4)
@diagnosed(NAME)
def test_attention_returns_output_and_weights(student: Any) -> None:
    """Attention returns the output and the weights, both of the right shape"""
    attention.check_shapes(student, NAME, probes.square())


@cell("attention-values", weight=8)
@diagnosed(NAME)
def test_attention_rows_sum_to_one(student: Any) -> None:
    """Every row of attention weights sums to 1 and no weight is negative"""
    attention.check_rows(attention.weights_of(student, NAME, probes.square()))


@cell("attention-values", weight=4)
@diagnosed(NAME)
def test_attention_weights_follow_the_scores(student: Any) -> None:
    """The weights in row i are the softmax of the scores of query i"""
    probe = probes.square()
    weights = attention.weights_of(student, NAME, probe)
    if attention.follows_scores(weights, probe) or own_softmax.explains(student, weights, probe):
        return
    attention.check_weights(weights, probe)


@cell("attention-values", weight=2)
@diagnosed(NAME)
def test_attention_output_blends_the_values(student: Any) -> None:
    """The output in row i is the mean of V weighted by row i of the weights"""
    probe = probes.square()
    output, weights = attention.ask(student, NAME, probe)
    attention.check_output(
        expect.matrix(output, probe.output_shape, "your output"),
        expect.matrix(weights, probe.weights_shape, "your weights"),
        probe,
    )


@cell("attention-values", weight=0.4)
@diagnosed(NAME)
def test_attention_at_other_lengths(student: Any) -> None:
    """Attention works for a single position and for more positions than in the notebook"""
    for length in (1, 9):
        probe = probes.of_lengths(length, length)
        attention.check_shapes(student, NAME, probe)


@cell("attention-values", weight=0.4)
@diagnosed(NAME, WHOLE)
def test_attention_of_whole_numbers(student: Any) -> None:
    """Attention of integer arrays equals attention of the same numbers as floats"""
    probe = probes.whole_numbers()
    floats = [array.astype(float) for array in probe.inputs]
    of_integers = attention.ask(student, NAME, probe)
    of_floats = expect.pair(getattr(student, NAME)(*floats), NAME)
    for part, other, shape, what in zip(
        of_integers,
        of_floats,
        (probe.output_shape, probe.weights_shape),
        ("your output", "your weights"),
        strict=True,
    ):
        got = expect.matrix(part, shape, what)
        want = expect.matrix(other, shape, what)
        compare.require_close(
            got,
            want,
            f"for integer inputs {what}",
            "The same numbers as floats give something else: where do whole numbers become fractions in your code?",
        )


@cell("attention-values", weight=0.4)
@diagnosed(NAME, ARGUMENTS)
def test_attention_leaves_its_arguments_alone(student: Any) -> None:
    """Attention does not change Q, K or V"""
    attention.check_unchanged(student, NAME, probes.square().inputs, ("Q", "K", "V"), results=2)


@cell("attention-values", weight=0.4)
@diagnosed(NAME, LARGE)
def test_attention_of_very_large_scores(student: Any) -> None:
    """Attention stays finite at very large scores, as softmax should"""
    probe = probes.huge_scores(5, 5)
    weights = attention.weights_of(student, NAME, probe, finite=False)
    try:
        attention.check_large_scores(weights)
    except CheckFailed:  # a softmax that fails at these scores itself has cost its points already
        if not _softmax_fails_too(student, probe, weights):
            raise


def _softmax_fails_too(student: Any, probe: probes.Probe, weights: np.ndarray) -> bool:
    """Does the student's own softmax overflow at these scores, or give the same wrong weights?"""
    ordinary = own_softmax.softmax(student, probes.square().scores)
    if ordinary is None or not own_softmax.is_uneven(ordinary):
        return False
    plain, scaled = (own_softmax.softmax(student, probe.scores / by) for by in (1, math.sqrt(probe.d_k)))
    return plain is None or scaled is None or compare.close(weights, scaled)
