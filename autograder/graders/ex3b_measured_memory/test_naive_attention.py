"""Attention step by step: the right numbers, and a peak that grows with the square of the length.

Canary: attention-course-canary-7a39c5e2d1f0486b
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import words
from autograder.graders.ex3b_measured_memory.attending import require_attention, units
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-7a39c5e2d1f0486b"

LENGTHS = 768, 1280
# What grows in proportion to n pulls the exponent down: to 1.94 for one table in place, to 1.91 for copies in float64.
LOWEST, HIGHEST = 1.9, 2.05
FEWEST_TABLES = 0.95  # a peak below one table has no table of float32 in it


@cell("naive-attention-check")
def test_naive_attention_agrees_with_the_reference(student: Any) -> None:
    """The output of the naive way is attention"""
    require_attention(student, "naive_attention")


@cell("naive-attention-check")
def test_naive_attention_grows_with_the_square(student: Any) -> None:
    """The memory of the naive way grows with the square of the length"""
    found = units(student, "naive_attention", LENGTHS)
    tables = [peak for peak, _ in found]
    if min(tables) <= 0:
        raise Failure(
            "At its busiest moment your function held no tensor at all.", "Compute with PyTorch's tensors alone."
        )
    growth = np.polyfit(np.log(LENGTHS), np.log([peak * n * n for peak, n in zip(tables, LENGTHS, strict=True)]), 1)[0]
    if tables[-1] < FEWEST_TABLES or not LOWEST <= growth <= HIGHEST:
        raise Failure(
            f"The memory of your function grows with the power {words.show(round(float(growth), 2))} of the length and "
            f"is {words.show(round(tables[-1], 3))} tables of n times n numbers at the longest.",
            "The naive way writes the whole table of scores down: make it in one step, for all queries at once.",
        )
