"""What attention_memory_bytes counts; each check holds one dependence against the student's own other answers.

Canary: attention-course-canary-d088787b907370b2
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from autograder.graders import expect, reference, words
from autograder.graders.diagnoses import CORE, LARGE, diagnosed
from autograder.graders.ex3_memory_cost.counts import ask, has_fixed_size, is_multiple
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-d088787b907370b2"

NAME = "attention_memory_bytes"
N = 101  # no power of two, no multiple of anything else in use
LONG = 70_000  # its square is beyond 32 bits
LONGEST = 100_000_007  # its square is beyond what a float holds exactly


@cell("attention-memory-check", weight=2)
@diagnosed(NAME)
def test_attention_memory_counts_every_pair(student: Any) -> None:
    """Attention counts one number for each pair of a query and a key"""
    for n in (N, 1):
        got = expect.whole_number(student.attention_memory_bytes(n, 1), NAME)
        wanted = reference.attention_bytes(n, 1)
        if got != wanted and not has_fixed_size(student, got, wanted, NAME, n):
            times = got // wanted if got % wanted == 0 else 0
            raise Failure(
                f"{'For a single position' if n == 1 else 'For some n'} and one byte a number, {NAME} returned "
                f"{words.show(got)}, and that is not how many pairs there are.",
                f"It is {times} times as many: only one matrix of scores is to be counted."
                if times in (2, 3, 4, 8)
                else "Write down the shape of the matrix of scores, and count its entries.",
            )


@cell("attention-memory-check")
@diagnosed(NAME)
def test_attention_memory_follows_the_byte_size(student: Any) -> None:
    """The bytes of attention follow dtype_bytes, which is 2 unless told otherwise"""
    single = ask(student, NAME, N, 1)
    for times, got in ((8, ask(student, NAME, N, dtype_bytes=8)), (2, ask(student, NAME, N))):
        if not is_multiple(got, single, times):
            raise Failure(
                f"Going from numbers of 1 byte to numbers of {times} bytes{' (the default)' if times == 2 else ''}, "
                f"your answer went from {words.show(single)} to {words.show(got)}.",
                "How many bytes does one number take, with and without being told?",
            )


@cell("attention-memory-check")
@diagnosed(NAME)
def test_attention_memory_grows_with_the_square(student: Any) -> None:
    """Twice as many positions take four times the memory"""
    short, double = ask(student, NAME, N), ask(student, NAME, 2 * N)
    if not is_multiple(double, short, 4):
        raise Failure(
            f"With twice as many positions your answer went from {words.show(short)} to {words.show(double)}.",
            "What happens to the number of rows of the score matrix, and what to the number of its columns?",
        )


@cell("attention-memory-check")
@diagnosed(NAME, CORE, LARGE)
def test_attention_memory_of_very_long_sequences(student: Any) -> None:
    """The memory of very long sequences is exact"""
    short = ask(student, NAME, N)
    for n in (LONG, LONGEST):
        got = ask(student, NAME, n)
        if not is_multiple(got, short, Fraction(n, N) ** 2):
            raise Failure(
                f"For a very long sequence {NAME} returned {words.show(got)}, which does not fit its "
                f"{words.show(short)} for a short one.",
                "Python's own integers never overflow and are never rounded.",
            )
