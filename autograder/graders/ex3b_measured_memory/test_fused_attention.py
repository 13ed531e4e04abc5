"""Attention in one call: the right numbers, and no table of scores.

Canary: attention-course-canary-e05b7f8c29d4613a
"""

from __future__ import annotations

from typing import Any

from autograder.graders import words
from autograder.graders.diagnoses import diagnosed
from autograder.graders.ex3b_measured_memory.attending import require_attention, units
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-e05b7f8c29d4613a"

LENGTHS = 1024, 2048
# The output is 0.03 units at n = 2048, and 0.15 where Q, K and V are copied too; kernels on a GPU take a little more.
MOST = 0.2
TABLE = 0.45  # a table of n times n numbers in half precision is 0.5 units


@cell("fused-attention-check")
def test_fused_attention_agrees_with_the_reference(student: Any) -> None:
    """The output of the fused way is attention"""
    require_attention(student, "fused_attention")


@cell("fused-attention-check")
@diagnosed("fused_attention")
def test_fused_attention_makes_no_table(student: Any) -> None:
    """The fused way never makes a table of n times n numbers"""
    for n, (peak, largest) in zip(LENGTHS, units(student, "fused_attention", LENGTHS), strict=True):
        if largest >= TABLE:
            raise Failure(
                f"For {n} positions your function made a tensor as large as {words.show(round(largest, 2))} tables of "
                "n times n numbers, where none was to be made.",
                "PyTorch takes its fused kernels where everything is as they want it, and writes the table down where "
                "it is not.",
            )
        if n == LENGTHS[-1] and not 0 < peak < MOST:
            raise Failure(
                f"For {n} positions your function held {words.show(round(peak, 3))} tables of n times n numbers at "
                f"its busiest moment, and between 0 and {MOST} are enough.",
                "The output is needed, and hardly anything else.",
            )
