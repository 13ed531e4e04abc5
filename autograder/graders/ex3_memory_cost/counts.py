"""How counts of bytes are asked for and held against each other, exactly.

Canary: attention-course-canary-017d411f216d4277
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from autograder.graders import expect, words
from autograder.graders.failure import Failure

CANARY = "attention-course-canary-017d411f216d4277"

EXACT = Fraction(1, 10**9)  # of a quotient, for answers in another unit than bytes, which are floats


def ask(student: Any, function: str, *arguments: int, **keywords: int) -> float:
    """A positive count from the student's function."""
    got = expect.number(getattr(student, function)(*arguments, **keywords), function)
    if got <= 0:
        raise Failure(
            f"Asked for a number of bytes, {function} returned {words.show(got)}.",
            "Memory is more than 0; numbers of 32 bits can overflow, Python's own integers cannot.",
        )
    return got


def is_multiple(after: float, before: float, factor: Fraction | int) -> bool:
    """Is `after` exactly `factor` times `before`? Fractions of a byte (another unit) may be off by rounding."""
    exact = Fraction(after) / Fraction(before) / factor
    if Fraction(after).denominator == 1 and Fraction(before).denominator == 1:
        return exact == 1
    return Fraction(1) - EXACT < exact < Fraction(1) + EXACT


def has_fixed_size(student: Any, got: int, wanted: int, function: str, *sizes: int, **keywords: int) -> bool:
    """Is the count right but for a byte size that is built in? That has a check of its own."""
    if got not in (2 * wanted, 4 * wanted, 8 * wanted):
        return False
    return ask(student, function, *sizes, dtype_bytes=8, **keywords) == got
