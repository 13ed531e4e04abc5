"""What causal_attention returns, apart from leaks: among the positions that a row may see.

Canary: attention-course-canary-1310c0443bffc107
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import attention, expect, probes
from autograder.graders.diagnoses import ARGUMENTS, LARGE, diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-1310c0443bffc107"

NAME = "causal_attention"
WIDTH = 29


@cell("causal-attention-values")
@diagnosed(NAME)
def test_causal_attention_returns_output_and_weights(student: Any) -> None:
    """Causal attention returns the output and the weights, both of the right shape"""
    attention.check_shapes(student, NAME, probes.causal())


@cell("causal-attention-values", weight=3)
@diagnosed(NAME)
def test_causal_rows_sum_to_one(student: Any) -> None:
    """Every row of causal weights after the first sums to 1 and no weight is negative"""
    attention.check_rows(attention.weights_of(student, NAME, probes.causal(), finite=False), first=1)


@cell("causal-attention-values", weight=3)
@diagnosed(NAME)
def test_causal_weights_follow_the_scores(student: Any) -> None:
    """Among the positions that a row may see, its weights follow the scores"""
    probe = probes.causal()
    attention.check_weights(attention.weights_of(student, NAME, probe), probe)


@cell("causal-attention-values", weight=2)
@diagnosed(NAME)
def test_causal_output_blends_the_values(student: Any) -> None:
    """The output of causal attention in row i is the mean of V weighted by row i of the weights"""
    probe = probes.causal()
    output, weights = attention.ask(student, NAME, probe)
    attention.check_output(
        expect.matrix(output, probe.output_shape, "your output", finite=False),
        expect.matrix(weights, probe.weights_shape, "your weights", finite=False),
        probe,
    )


@cell("causal-attention-values", weight=4)
@diagnosed(NAME)
def test_causal_scores_are_scaled(student: Any) -> None:
    """The scores of causal attention are divided by the right number before the softmax"""
    attention.check_scaling(student, NAME, probes.of_width(WIDTH, 6, 6, causal=True))


@cell("causal-attention-values")
@diagnosed(NAME)
def test_causal_attention_at_other_lengths(student: Any) -> None:
    """Causal attention works for a single position and for more positions than in the notebook"""
    for length in (1, 9):
        attention.check_shapes(student, NAME, probes.of_lengths(length, length, causal=True))


@cell("causal-attention-values")
@diagnosed(NAME, LARGE)
def test_causal_attention_of_very_large_scores(student: Any) -> None:
    """Causal attention stays finite at very large scores"""
    probe = probes.huge_scores(6, 6, causal=True)
    weights = attention.weights_of(student, NAME, probe, finite=False)
    ordinary = attention.weights_of(student, NAME, probes.causal(), finite=False)
    if not np.all(np.isfinite(weights[2:])) and not np.all(np.isfinite(ordinary[2:])):
        raise Failure(
            "Your causal weights hold something else than numbers even for small scores, so large ones say nothing.",
            "Repair that first: look for rows in which nothing is left to see.",
        )
    attention.check_large_scores(weights, first=2)


@cell("causal-attention-values")
@diagnosed(NAME, ARGUMENTS)
def test_causal_attention_leaves_its_arguments_alone(student: Any) -> None:
    """Causal attention does not change Q, K or V"""
    attention.check_unchanged(student, NAME, probes.causal().inputs, ("Q", "K", "V"), results=2)
