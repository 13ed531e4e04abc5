"""What cross_attention returns for queries of one sequence and keys and values of another.

Canary: attention-course-canary-d2517af01481734c
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import attention, expect, probes
from autograder.graders.diagnoses import ARGUMENTS, LARGE, diagnosed
from autograder.grading.checks import cell

CANARY = "attention-course-canary-d2517af01481734c"

NAME = "cross_attention"
WIDTH = 29


@cell("cross-attention-values", weight=6)
@diagnosed(NAME)
def test_cross_rows_sum_to_one(student: Any) -> None:
    """Every row of cross-attention weights sums to 1 and no weight is negative"""
    attention.check_rows(attention.weights_of(student, NAME, probes.crossed()))


@cell("cross-attention-values", weight=4)
@diagnosed(NAME)
def test_cross_weights_follow_the_scores(student: Any) -> None:
    """The weights in row i are the softmax of the scores of decoder position i"""
    probe = probes.crossed()
    weights = attention.weights_of(student, NAME, probe)
    past = np.tri(*weights.shape, dtype=np.bool_)  # a causal mask left in place is looked at elsewhere
    is_masked = not np.any(weights[~past]) and np.all(weights[past] > 0)
    attention.check_weights(weights, probe, past if is_masked else None)


@cell("cross-attention-values", weight=2)
@diagnosed(NAME)
def test_cross_output_blends_the_values(student: Any) -> None:
    """The output of cross-attention in row i is the mean of V weighted by row i of the weights"""
    probe = probes.crossed()
    output, weights = attention.ask(student, NAME, probe)
    attention.check_output(
        expect.matrix(output, probe.output_shape, "your output"),
        expect.matrix(weights, probe.weights_shape, "your weights"),
        probe,
    )


@cell("cross-attention-values", weight=3)
@diagnosed(NAME)
def test_cross_scores_are_scaled(student: Any) -> None:
    """The scores of cross-attention are divided by the right number before the softmax"""
    attention.check_scaling(student, NAME, probes.of_width(WIDTH, 5, 7))


@cell("cross-attention-values", weight=0.5)
@diagnosed(NAME, LARGE)
def test_cross_attention_of_very_large_scores(student: Any) -> None:
    """Cross-attention stays finite at very large scores"""
    weights = attention.weights_of(student, NAME, probes.huge_scores(4, 6), finite=False)
    attention.check_large_scores(weights, first=2)  # a causal mask left in place is looked at elsewhere


@cell("cross-attention-values", weight=0.5)
@diagnosed(NAME, ARGUMENTS)
def test_cross_attention_leaves_its_arguments_alone(student: Any) -> None:
    """Cross-attention does not change Q, K or V"""
    attention.check_unchanged(student, NAME, probes.crossed().inputs, ("Q", "K", "V"), results=2)
