"""Wrong ideas about the Jacobian of softmax and about sparsemax.

Canary: attention-course-canary-06e9a4c7b1d853f2
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from autograder.graders import variations
from autograder.graders.diagnoses.ex1 import nothing
from autograder.graders.diagnoses.idea import ARGUMENTS, CORE, Call, Idea, Subject, arrays
from autograder.graders.diagnoses.ways import softmax

CANARY = "attention-course-canary-06e9a4c7b1d853f2"

JACOBIAN, SPARSEMAX = "softmax_jacobian", "sparsemax"


@cache
def _weights() -> tuple[Call, ...]:
    return tuple(Call((variations.weights_of_one_row(m),)) for m in (5, 3, 7))


@cache
def _numbers() -> tuple[Call, ...]:
    return tuple(Call((x,)) for x in (*variations.SOME_SHARES, *variations.ALL_SHARES))


SUBJECTS = (
    Subject(JACOBIAN, arrays(1), {CORE: _weights}, lambda p: np.diag(p) - np.outer(p, p)),
    Subject(SPARSEMAX, arrays(1), {CORE: _numbers, ARGUMENTS: nothing}, variations.sparsemax),
)


def _level(x: np.ndarray, kept: Callable[[int, int], int] = lambda k, m: k, one: float = 1.0) -> float:
    """The level of sparsemax with so many scores above it as `kept` says, and `one` to share out."""
    ordered = np.sort(x)[::-1]
    k = int(np.count_nonzero(1 + np.arange(1, len(x) + 1) * ordered > np.cumsum(ordered)))
    used = kept(k, len(x))
    return float((np.cumsum(ordered)[used - 1] - one) / used)


def _above(level: Callable[[np.ndarray], float]) -> Any:
    return lambda x: np.maximum(x - level(x), 0.0)


def _first_that_fails(x: np.ndarray) -> np.ndarray:
    """The number of scores kept as the index of the first that does not stick out, which is 0 where all do."""
    ordered = np.sort(x)[::-1]
    sticks_out = 1 + np.arange(1, len(x) + 1) * ordered > np.cumsum(ordered)
    k = int(np.argmin(sticks_out))
    return np.maximum(x - (np.cumsum(ordered)[k - 1] - 1) / k, 0.0)


def _with_counts(in_sum: int, in_count: int) -> Callable[[np.ndarray], float]:
    """The level from the sum of k + in_sum scores, divided by k + in_count."""

    def level(x: np.ndarray) -> float:
        ordered = np.sort(x)[::-1]
        k = int(np.count_nonzero(1 + np.arange(1, len(x) + 1) * ordered > np.cumsum(ordered)))
        return float((ordered[: max(k + in_sum, 0)].sum() - 1) / max(k + in_count, 1))

    return level


def _in_order_given(ordered: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The level as if `ordered` were sorted downwards."""
    k = np.flatnonzero(1 + np.arange(1, len(x) + 1) * ordered > np.cumsum(ordered)).max() + 1
    return np.maximum(x - (np.cumsum(ordered)[k - 1] - 1) / k, 0.0)


IDEAS = (
    Idea(
        "jacobian-of-the-scores",
        "The argument holds weights already: is softmax taken once more?",
        {JACOBIAN: (lambda p: np.diag(softmax(p)) - np.outer(softmax(p), softmax(p)),)},
    ),
    Idea(
        "diagonal-alone",
        "Your table is 0 off the diagonal, as if each weight had a budget of its own: who pays when one of them grows?",
        {JACOBIAN: (lambda p: np.diag(p * (1 - p)), lambda p: np.diag(p))},
    ),
    Idea(
        "diagonal-left-out",
        "On the diagonal a part is missing: what does the formula say where i equals j?",
        {JACOBIAN: (lambda p: -np.outer(p, p),)},
    ),
    Idea(
        "jacobian-sign",
        "A sign is wrong: which way does a weight move when another score grows, and which way when its own does?",
        {
            JACOBIAN: (
                lambda p: np.outer(p, p) - np.diag(p),
                lambda p: np.diag(p) + np.outer(p, p),
                lambda p: np.where(np.eye(len(p)) > 0, p * (1 - p), np.outer(p, p)),
            )
        },
    ),
    Idea(
        "derivative-of-a-sigmoid",
        "One number for each weight came back: how many pairs of a weight and a score are there?",
        {JACOBIAN: (lambda p: p * (1 - p), lambda p: p - p @ p, lambda p: 1 - p)},
    ),
    Idea(
        "scalar-for-a-table",
        "The product of a vector with itself is one number: how is the table of all products made?",
        {JACOBIAN: (lambda p: np.diag(p) - p @ p, lambda p: np.diag(p) - np.dot(p, p) * np.eye(len(p)))},
    ),
    Idea(
        "delta-minus-both",
        "One factor is missing or stands where it should not: multiply the formula out for two entries by hand.",
        {
            JACOBIAN: (
                lambda p: np.eye(len(p)) - np.outer(p, p),
                lambda p: p[:, None] * np.eye(len(p)) - p[None, :],
                lambda p: np.eye(len(p)) - p[None, :],
                lambda p: np.diag(p) - p[None, :],
            )
        },
    ),
    Idea(
        "softmax-for-sparsemax",
        "Every score gets a share from you, however far it lies behind: these are the shares of softmax.",
        {SPARSEMAX: (softmax,)},
    ),
    Idea(
        "everything-to-the-best",
        "The largest score takes everything from you, even where others are close behind.",
        {
            SPARSEMAX: (
                lambda x: (np.arange(len(x)) == x.argmax()) * 1.0,
                lambda x: (x == x.max()) / (x == x.max()).sum(),
            )
        },
    ),
    Idea(
        "clipped-and-divided",
        "Your shares sum to 1, but by a division: the level is what makes them sum to 1, and it moves with the scores.",
        {
            SPARSEMAX: (
                lambda x: np.maximum(x, 0) / np.maximum(x, 0).sum(),
                lambda x: np.maximum(x - x.mean(), 0) / np.maximum(x - x.mean(), 0).sum(),
                lambda x: np.maximum(x - x.max() + 1, 0) / np.maximum(x - x.max() + 1, 0).sum(),
            )
        },
    ),
    Idea(
        "level-not-cut",
        "Some of your shares are below 0: what becomes of a score below the level?",
        {SPARSEMAX: (lambda x: x - _level(x), lambda x: x - (x.sum() - 1) / len(x))},
    ),
    Idea(
        "level-of-all-scores",
        "Your level is made from all scores, also from those that do not stick out.",
        {SPARSEMAX: (_above(lambda x: float((x.sum() - 1) / len(x))),)},
    ),
    Idea(
        "threshold-off-by-one",
        "Your level belongs to one score more or less than stick out: k counts from 1, and indices from 0.",
        {
            SPARSEMAX: (
                *(_above(_with_counts(*pair)) for pair in ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, 1), (1, 0))),
                _above(lambda x: _level(x, lambda k, m: max(k - 1, 1))),
                _above(lambda x: _level(x, lambda k, m: min(k + 1, m))),
                _above(lambda x: _level(x, lambda k, m: min(k, max(m - 1, 1)))),
            )
        },
    ),
    Idea(
        "none-fails",
        "Where all scores stick out you find none that fails: what is k then?",
        {SPARSEMAX: (_first_that_fails,)},
    ),
    Idea(
        "one-forgotten",
        "The shares should sum to 1: where does that 1 enter your level?",
        {SPARSEMAX: (_above(lambda x: _level(x, one=0.0)), _above(lambda x: _level(x, one=-1.0)))},
    ),
    Idea(
        "sorted-shares",
        "Your shares are right, but stand in the order of their size: whose share belongs in the first place?",
        {
            SPARSEMAX: (
                lambda x: np.sort(_above(_level)(x))[::-1],
                lambda x: np.sort(_above(_level)(x)),
            )
        },
    ),
    Idea(
        "not-sorted",
        "Your sums run over the scores as they come: which of them are the k largest?",
        {SPARSEMAX: (lambda x: _in_order_given(x, x),)},
    ),
)
