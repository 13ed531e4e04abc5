"""What scaled_dot_product_attention divides the scores by.

Canary: attention-course-canary-f5923310e0abfa32
"""

from __future__ import annotations

import math
from typing import Any

from autograder.graders import attention, compare, probes, words
from autograder.graders.diagnoses import diagnosed
from autograder.graders.ex1_scaled_dot_product import own_softmax
from autograder.graders.failure import Failure
from autograder.grading.checks import CheckFailed, cell

CANARY = "attention-course-canary-f5923310e0abfa32"

NAME = "scaled_dot_product_attention"
LENGTH = 6
WIDTHS = 7, 29


def _softmax_is_to_blame(student: Any, probe: probes.Probe) -> bool:
    """The weights cannot be read as a softmax because the student's own softmax is none: the scaling is right."""
    try:
        weights = attention.weights_of(student, NAME, probe)
    except CheckFailed:
        return False
    return own_softmax.explains(student, weights, probe)


@cell("attention-scaling")
@diagnosed(NAME)
def test_scores_are_scaled_before_the_softmax(student: Any) -> None:
    """The scores are divided by the right number before the softmax"""
    probe = probes.of_width(11, LENGTH, LENGTH)
    try:
        attention.check_scaling(student, NAME, probe)
    except CheckFailed:
        if not _softmax_is_to_blame(student, probe):
            raise


@cell("attention-scaling")
@diagnosed(NAME)
def test_scaling_follows_the_width(student: Any) -> None:
    """The scaling changes with the width of the keys as it should"""
    narrow, wide = (probes.of_width(d_k, LENGTH, LENGTH) for d_k in WIDTHS)
    factors = [attention.visible_factor(student, NAME, probe) for probe in (narrow, wide)]
    first, second = factors
    if first is None or second is None:
        if all(_softmax_is_to_blame(student, probe) for probe in (narrow, wide)):
            return
        raise Failure(
            f"At d_k = {WIDTHS[0]} and {WIDTHS[1]} your weights could not be recognised as made from the scores "
            "Q Kᵀ, so their scaling cannot be seen.",
            "Repair the weights first; this check may then pass by itself.",
        )
    ratio = second.divisor / first.divisor
    if not abs(ratio / math.sqrt(WIDTHS[1] / WIDTHS[0]) - 1) <= 2 * compare.SCALING:  # a nan must fail
        raise Failure(
            f"From d_k = {WIDTHS[0]} to {WIDTHS[1]} the number that your scores are divided by went from "
            f"{words.show(first.divisor)} to {words.show(second.divisor)}.",
            "How does the spread of a dot product grow with the width of its vectors?",
        )
