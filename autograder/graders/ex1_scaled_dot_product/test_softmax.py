"""What softmax returns at ordinary and at extreme numbers, along either axis.

Canary: attention-course-canary-a5f93dd01a34a805
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import attention, compare, expect, probes, reference, words
from autograder.graders.diagnoses import ARGUMENTS, CORE, LARGE, WHOLE, diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-a5f93dd01a34a805"

WHAT = "your softmax"
SHIFT = 3.5  # small enough for an exponential without any protection


@cell("softmax-values")
@diagnosed("softmax", CORE, WHOLE)
def test_softmax_of_a_vector(student: Any) -> None:
    """softmax of a list of numbers gives the right weights, also of whole numbers and of a single number"""
    for x in (probes.numbers(5), probes.INTEGERS, probes.numbers(1)):
        got = expect.matrix(student.softmax(x), x.shape, WHAT)
        compare.require_close(
            got, reference.softmax_rows(x), WHAT, "Each entry is an exponential divided by the sum of all of them."
        )


@cell("softmax-values", weight=2)
@diagnosed("softmax")
def test_softmax_of_each_row(student: Any) -> None:
    """softmax works on each row of a matrix with axis=-1, with axis=1 and by default"""
    x = probes.numbers(4, 6)
    want = reference.softmax_rows(x)
    for chosen in ({"axis": -1}, {"axis": 1}, {}):
        got = expect.matrix(student.softmax(x, **chosen), x.shape, WHAT)
        along_columns = compare.close(got, reference.softmax_rows(x.T).T)
        compare.require_close(
            got,
            want,
            WHAT,
            "Row and column: print the sums of your result along both axes."
            if along_columns
            else "Compute one row of such a matrix by hand and print every step.",
        )


@cell("softmax-values")
@diagnosed("softmax")
def test_softmax_follows_its_axis_argument(student: Any) -> None:
    """softmax with axis=0 works on each column"""
    x = probes.numbers(4, 6)
    got = expect.matrix(student.softmax(x, axis=0), x.shape, WHAT)
    ignored = compare.close(got, reference.softmax_rows(x))
    compare.require_close(
        got,
        reference.softmax_rows(x.T).T,
        WHAT + " with axis=0",
        "Your rows sum to 1 here: is the argument axis used?" if ignored else "Does every step use the argument axis?",
    )


@cell("softmax-values")
@diagnosed("softmax")
def test_softmax_ignores_a_shift(student: Any) -> None:
    """softmax does not change when the same number is added to all scores"""
    x = probes.numbers(4, 6)
    got = expect.matrix(student.softmax(x, axis=-1), x.shape, WHAT)
    shifted = expect.matrix(student.softmax(x + SHIFT, axis=-1), x.shape, WHAT)
    if float(np.ptp(got)) < compare.VALUES:
        raise Failure(f"Every entry of {WHAT} is {words.show(got[0, 0])}, whatever the scores: it must use them.")
    if not compare.close(got, shifted):
        i, j = compare.worst(shifted, got)
        raise Failure(
            f"After the same number was added to all scores, the entry at {compare.place((i, j))} went "
            f"{words.change(got[i, j], shifted[i, j])}.",
            "A quotient of exponentials loses such a shift: compare your formula with it.",
        )


@cell("softmax-values")
@diagnosed("softmax", ARGUMENTS)
def test_softmax_leaves_its_argument_alone(student: Any) -> None:
    """softmax does not change the array it is given"""
    attention.check_unchanged(student, "softmax", (probes.numbers(4, 6),), ("x",))


def _require_stable(got: np.ndarray, want: np.ndarray, asked: str) -> None:
    if not np.all(np.isfinite(got)):
        index = tuple(int(part) for part in np.argwhere(~np.isfinite(got))[0])
        raise Failure(
            f"Asked for the softmax of {asked}, yours holds {words.show(got[index])} at {compare.place(index)}.",
            "Softmax ignores a shift of a whole row: which shift keeps the exponential within bounds?",
        )
    if not compare.close(got, want, compare.STRESS):
        index = compare.worst(got, want)
        raise Failure(
            f"For {asked} your softmax is finite, but the entry {words.show(got[index])} at {compare.place(index)} "
            "is not right.",
            "Only a shift of all scores of a row leaves softmax as it is; clipping does not.",
        )


@cell("softmax-stability")
@diagnosed("softmax", LARGE)
def test_softmax_of_very_large_scores(student: Any) -> None:
    """softmax stays right when all scores are in the thousands, above or below zero"""
    for x, asked in ((probes.HIGH, "scores in the thousands"), (probes.LOW, "scores far below zero")):
        got = expect.matrix(student.softmax(x), x.shape, WHAT, finite=False)
        _require_stable(got, reference.softmax_rows(x), asked)


@cell("softmax-stability")
@diagnosed("softmax", LARGE)
def test_softmax_of_rows_far_apart(student: Any) -> None:
    """softmax stays right when one row of scores lies far above another"""
    x = probes.ROWS_FAR_APART
    got = expect.matrix(student.softmax(x, axis=-1), x.shape, WHAT, finite=False)
    over_columns = reference.softmax_rows(x.T).T  # the axis is looked at elsewhere
    if not compare.close(got, over_columns, compare.STRESS):
        _require_stable(got, reference.softmax_rows(x), "rows thousands apart")
