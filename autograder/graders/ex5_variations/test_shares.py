"""softmax_jacobian, and the shares of sparsemax.

Canary: attention-course-canary-915fa0d4c7e2836b
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import attention, compare, expect, variations, words
from autograder.graders.diagnoses import ARGUMENTS, diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-915fa0d4c7e2836b"

JACOBIAN, SPARSEMAX = "softmax_jacobian", "sparsemax"
ONE = np.ones(1)
SIZES = 5, 3, 7
# float32 holds scores of about 4, and sums of them, to about 1e-6; the nearest wrong level is 1e-2 away.
SHARES = 1e-5


def _jacobians(student: Any, *more: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """What came back and what should have, for shares of several lengths."""
    shares = [variations.weights_of_one_row(m) for m in SIZES] + list(more)
    return [
        (
            expect.matrix(student.softmax_jacobian(p), (len(p), len(p)), f"the Jacobian of {len(p)} weights"),
            variations.jacobian(p),
        )
        for p in shares
    ]


@cell("softmax-jacobian-check")
@diagnosed(JACOBIAN)
def test_jacobian_on_the_diagonal(student: Any) -> None:
    """The diagonal of the Jacobian says how each weight grows with its own score"""
    for got, want in _jacobians(student, ONE):
        compare.require_close(
            np.diag(got),
            np.diag(want),
            "the diagonal",
            "How does a weight react to its own score, and how at weight 1?",
        )


@cell("softmax-jacobian-check")
@diagnosed(JACOBIAN)
def test_jacobian_off_the_diagonal(student: Any) -> None:
    """Off the diagonal the Jacobian says how each weight shrinks when another score grows"""
    for got, want in _jacobians(student):
        apart = ~np.eye(len(want), dtype=np.bool_)
        compare.require_close(
            np.where(apart, got, 0),
            np.where(apart, want, 0),
            "the Jacobian",
            "What does a weight lose when another grows?",
        )


def _check_shares(student: Any, x: np.ndarray, kind: str) -> None:
    got = expect.matrix(student.sparsemax(x), x.shape, f"the shares of {len(x)} numbers", finite=False)
    if not np.all(np.isfinite(got)):
        expect.all_finite(got, "an array of shares")
    negative = np.flatnonzero(got < 0)
    if len(negative):
        raise Failure(
            f"Of {kind}, index {negative[0]} (counting from 0) got the share {words.show(got[negative[0]])}, "
            "and a share is never below 0.",
            "What becomes of a score below the level?",
        )
    if abs(got.sum() - 1) > SHARES:
        raise Failure(
            f"The shares of {kind} should sum to 1, and yours sum to {words.show(got.sum())}.",
            "How many scores stick out, and is the level made from just these?",
        )
    want = variations.sparsemax(x)
    if not compare.close(got, want, SHARES):
        index = compare.worst(got, want)
        raise Failure(
            f"Of {kind}, {compare.place(index)} got the share {words.show(got[index])}, and that is not the right one.",
            "Which scores stick out, and by how much above the level?",
        )


@cell("sparsemax-check", weight=6)
@diagnosed(SPARSEMAX)
def test_sparsemax_gives_shares_to_some(student: Any) -> None:
    """sparsemax gives the right shares to scores near the top and none to the rest"""
    for x in variations.SOME_SHARES:
        _check_shares(student, x, "numbers that are not all near the top")


@cell("sparsemax-check", weight=2)
@diagnosed(SPARSEMAX)
def test_sparsemax_gives_something_to_all(student: Any) -> None:
    """sparsemax gives every score a share where all are close together"""
    for x in variations.ALL_SHARES:
        _check_shares(student, x, "numbers that are close together" if len(x) > 1 else "a single number")


@cell("sparsemax-check")
@diagnosed(SPARSEMAX, ARGUMENTS)
def test_sparsemax_leaves_its_argument_alone(student: Any) -> None:
    """sparsemax does not change the array it is given"""
    attention.check_unchanged(student, SPARSEMAX, variations.SOME_SHARES[:1], ("x",))
