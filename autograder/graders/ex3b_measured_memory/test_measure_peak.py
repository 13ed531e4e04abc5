"""measure_peak_bytes on functions that make and free tensors of known sizes.

Canary: attention-course-canary-94d2ab6c03f7e158

Each check but the first looks at one trap with functions that return all that they made, where the end is the peak.
"""

from __future__ import annotations

from typing import Any

from autograder.graders import expect, measuring, words
from autograder.graders.diagnoses import diagnosed
from autograder.graders.failure import Failure
from autograder.graders.measuring import Pattern
from autograder.grading.checks import cell

CANARY = "attention-course-canary-94d2ab6c03f7e158"

NAME = "measure_peak_bytes"
# Tensors are counted to the byte on a CPU, where a profiler adds rounding to 64 bytes. The patterns are large enough
# for the same on a GPU, whose allocator counts what was requested.
SHARE = 0.02

# In no size a multiple of 1024, so that pages and blocks show.
IN_THE_MIDDLE = (
    Pattern((6_000_100, 9_000_500, -1, -2, 700_300), returned=3),
    Pattern((2_000_300, 2_500_700, -1, 1_000_900, -2), returned=3),
)
SMALLER_AND_SMALLER = tuple(Pattern((size,), 1) for size in (12_000_700, 3_000_100, 900_300))
OF_LARGE_INPUTS = tuple(
    Pattern((size,), 1, inputs=inputs)
    for size, inputs in ((1_500_100, (8_000_300, 4_000_900)), (900_700, (3_000_500,)))
)
MADE_ONCE = tuple(Pattern((size,), 1, once=once) for size, once in ((1_500_100, 7_000_300), (700_900, 2_000_500)))


def _measure(student: Any, patterns: tuple[Pattern, ...]) -> list[float]:
    answer = getattr(student, NAME)(measuring.MEASURED, *(pattern.sent for pattern in patterns))
    return [expect.real(expect.whole_number(said, NAME), NAME) for said in expect.several(answer, len(patterns), NAME)]


def _require(student: Any, patterns: tuple[Pattern, ...], what: str, advice: str) -> None:
    for said, pattern in zip(_measure(student, patterns), patterns, strict=True):
        if abs(said - pattern.peak) > SHARE * pattern.peak:
            times = words.show(round(said / pattern.peak, 3))
            raise Failure(f"You measured {times} times the memory that {what} takes.", advice)


@cell("measure-peak-check", weight=2)
@diagnosed(NAME)
def test_measuring_finds_the_busiest_moment(student: Any) -> None:
    """The busiest moment of a call is found, wherever in it it lies"""
    _require(
        student,
        IN_THE_MIDDLE,
        "a function with the most alive in the middle",
        "What is alive at the end is not what was alive at the busiest moment.",
    )


@cell("measure-peak-check")
@diagnosed(NAME)
def test_measuring_starts_afresh(student: Any) -> None:
    """A small function measured after a large one is small"""
    _require(
        student,
        SMALLER_AND_SMALLER,
        "one of several functions, the largest measured first,",
        "Measure a large function and then a small one: does the order make a difference?",
    )


@cell("measure-peak-check")
@diagnosed(NAME)
def test_measuring_leaves_the_inputs_out(student: Any) -> None:
    """What was there before the call is not counted, inputs included"""
    _require(
        student,
        OF_LARGE_INPUTS,
        "a function with inputs larger than what it makes",
        "How much was alive before the call began?",
    )


@cell("measure-peak-check")
@diagnosed(NAME)
def test_measuring_warms_up(student: Any) -> None:
    """What a function makes once and keeps is not counted"""
    _require(
        student,
        MADE_ONCE,
        "a function whose first call makes something that it keeps",
        "The first call of a function may differ from those that follow.",
    )
