"""fit_exponent on exact powers, and on points that lie near one.

Canary: attention-course-canary-b3c8f05e6192d74a
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from autograder.graders import expect, words
from autograder.graders.diagnoses import NEAR, diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-b3c8f05e6192d74a"

NAME = "fit_exponent"
EXACT = 1e-6  # least squares on logarithms of exact powers is right to about 1e-14
LOOSE = 1e-3  # the nearest other fit of the inexact points is off by 0.05

POWERS: tuple[tuple[list[int], Sequence[float], float], ...] = (
    ([64, 256, 1024, 4096], [5 * n * n for n in (64, 256, 1024, 4096)], 2.0),
    ([1000, 10, 300], [12.5 * n for n in (1000, 10, 300)], 1.0),
    ([3, 7], [0.25 * 3**3, 0.25 * 7**3], 3.0),
    ([100, 400, 900], [9.0 * math.sqrt(n) for n in (100, 400, 900)], 0.5),
)
# A square with a term in proportion to n, which counts for the short ones most.
MIXED = [128, 256, 512, 1024, 2048, 4096], [4 * n * n + 4 * 900 * n for n in (128, 256, 512, 1024, 2048, 4096)]


def least_squares(ns: Sequence[float], sizes: Sequence[float]) -> float:
    """The slope of the closest line through the logarithms, from sums."""
    x, y = [math.log(n) for n in ns], [math.log(size) for size in sizes]
    middle_x, middle_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    over = math.fsum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return over / math.fsum((a - middle_x) ** 2 for a in x)


def _ask(student: Any, ns: Sequence[float], sizes: Sequence[float]) -> float:
    return expect.real(student.fit_exponent(ns, sizes), NAME)


@cell("fit-exponent-check", weight=2)
@diagnosed(NAME)
def test_fitting_finds_exact_powers(student: Any) -> None:
    """The exponent of an exact power is found, whatever it is and in whatever order the lengths come"""
    for ns, sizes, power in POWERS:
        got = _ask(student, ns, sizes)
        if not abs(got - power) <= EXACT:
            raise Failure(
                f"For sizes that are an exact power of n, {NAME} returned {words.show(got)}, which is not the power.",
                "What are the two axes of the line, and which of its two numbers is the exponent?",
            )


@cell("fit-exponent-check")
@diagnosed(NAME, NEAR)
def test_fitting_takes_all_points(student: Any) -> None:
    """All points count for the exponent, where they do not lie on one line"""
    ns, sizes = MIXED
    got = _ask(student, ns, sizes)
    if not abs(got - least_squares(ns, sizes)) <= LOOSE:
        raise Failure(
            f"For points that lie only near a power, {NAME} returned {words.show(got)}, which is not the slope of the "
            "line that lies closest to all of them.",
            "Does your line follow all points, or some of them?",
        )
