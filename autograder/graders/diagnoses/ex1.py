"""What tells wrong ideas apart in exercise 1, and the ideas about its verification and its experiment.

Canary: attention-course-canary-74a0c85e9b12fd63
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.graders import compare, probes
from autograder.graders.diagnoses import ways
from autograder.graders.diagnoses.idea import (
    ARGUMENTS,
    CORE,
    LARGE,
    WHOLE,
    Call,
    Idea,
    Subject,
    arrays,
    verdict,
)
from autograder.graders.verification import DUST

CANARY = "attention-course-canary-74a0c85e9b12fd63"


@probes.seeded
def _numbers() -> tuple[Call, ...]:
    square, wide = probes.numbers(5, 5), probes.numbers(4, 6)
    calls = (Call((probes.numbers(5),)), Call((square,), {"axis": -1}), Call((square,), {"axis": 0}))
    return *calls, Call((wide,), {"axis": 1}), Call((wide,), {"axis": 0}), Call((wide,))


def _large_numbers() -> tuple[Call, ...]:
    vectors = [Call((x,), tolerance=compare.STRESS) for x in (probes.HIGH, probes.LOW)]
    return *vectors, Call((probes.ROWS_FAR_APART,), {"axis": -1}, compare.STRESS)


def _whole_numbers() -> tuple[Call, ...]:
    return (Call((probes.INTEGERS,)),)


@probes.seeded
def attention_calls(causal: bool = False) -> tuple[Call, ...]:
    """Three lengths and widths that differ from each other, the last with d_v = d_k."""
    shown = probes.causal() if causal else probes.square()
    return tuple(
        Call(probe.inputs)
        for probe in (shown, probes.of_lengths(9, 9, causal), probes.of_equal_widths(5, 5), probes.of_lengths(1, 1))
    )


def _large_scores() -> tuple[Call, ...]:
    shown = probes.huge_scores(5, 5), probes.far_below_zero(5, 5)
    return tuple(Call(probe.inputs, tolerance=compare.STRESS) for probe in shown)


def _whole_attention() -> tuple[Call, ...]:
    return (Call(probes.whole_numbers().inputs),)


@probes.seeded
def _matrices() -> tuple[Call, ...]:
    """Good and bad weights, each of which some wrong verification takes for the other."""
    good, wide = probes.stochastic(4, 4), probes.stochastic(5, 7)
    odd = [wide.copy() for _ in range(5)]
    odd[0][1, 2] += DUST
    odd[1][3, 1] -= 1e-3
    odd[2][0, 2] += 1e-3
    odd[2][2, 4] -= 1e-3
    odd[3][2, 5] = np.nan
    odd[4][4, 0] += 0.5
    matrices = (
        good,
        wide,
        good.T.copy(),
        good / len(good),
        good * 1.5,
        probes.stochastic(11, 13).astype(np.float32),
        *odd,
    )
    return tuple(Call((matrix,)) for matrix in matrices)


@probes.seeded
def _peaked() -> tuple[Call, ...]:
    return tuple(Call(probes.of_width(d_k, n, n).inputs[:2]) for d_k, n in ((7, 6), (11, 5), (13, 9)))


def _peaks(Q: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return ways.softmax(Q @ K.T), ways.softmax(ways.scaled(Q, K))


def rows_are_shares(weights: np.ndarray) -> bool:
    return bool(np.all(np.abs(weights.sum(axis=1) - 1) < 1e-5))


def nothing() -> tuple[Call, ...]:
    """The panel of the check on arguments, which sees for itself."""
    return ()


SUBJECTS = (
    Subject(
        "softmax",
        arrays(1),
        {CORE: _numbers, LARGE: _large_numbers, WHOLE: _whole_numbers, ARGUMENTS: nothing},
        ways.softmax,
    ),
    Subject(
        ways.SELF,
        arrays(2),
        {CORE: attention_calls, LARGE: _large_scores, WHOLE: _whole_attention, ARGUMENTS: nothing},
        ways.right(ways.everything),
    ),
    Subject("rows_sum_to_one", verdict, {CORE: _matrices}, rows_are_shares),
    Subject(
        "peakedness",
        arrays(2),
        {CORE: _peaked, ARGUMENTS: nothing},
        lambda Q, K: tuple(table.max() for table in _peaks(Q, K)),
    ),
)

Says = Callable[[np.ndarray], Any]


def _sums(says: Says) -> dict[str, tuple[Says, ...]]:
    """A verdict on the sums of the rows."""
    return {"rows_sum_to_one": (lambda weights: says(weights.sum(axis=1)),)}


def _of_peaks(*results: Callable[[np.ndarray, np.ndarray], tuple[Any, Any]]) -> dict[str, tuple[Any, ...]]:
    return {"peakedness": tuple((lambda Q, K, result=result: result(*_peaks(Q, K))) for result in results)}


IDEAS = (
    Idea(
        "axis-ignored",
        "Whatever axis says, you work along the last one: which steps should follow the argument?",
        {"softmax": (lambda x, axis=-1: ways.softmax(x, -1),)},
    ),
    Idea(
        "always-true",
        "It says True of everything: what does it look at?",
        {"rows_sum_to_one": (lambda weights: True,), "is_causal": (lambda weights: True,)},
    ),
    Idea(
        "always-false",
        "It says False of everything: what does it look at?",
        {"rows_sum_to_one": (lambda weights: False,), "is_causal": (lambda weights: False,)},
    ),
    Idea(
        "sums-of-columns",
        "It adds up columns: along which axis do you sum?",
        {"rows_sum_to_one": (lambda weights: np.allclose(weights.sum(axis=0), 1),)},
    ),
    Idea(
        "sum-of-everything",
        "It judges all rows together, so one that is too large can hide one that is too small.",
        {
            "rows_sum_to_one": tuple(
                (lambda weights, atol=atol: abs(weights.sum() - len(weights)) < atol) for atol in (1e-5, 1e-6, 1e-8)
            )
            + (lambda weights: np.isclose(weights.sum(axis=1).mean(), 1),)
            + (lambda weights: np.isclose(weights.sum(), len(weights)),),
        },
    ),
    Idea(
        "first-row-alone",
        "It looks at one row and judges all by it: what about the others?",
        {"rows_sum_to_one": (lambda weights: np.isclose(weights[0].sum(), 1),)},
    ),
    Idea(
        "any-row",
        "One good row is enough for it: should one be, or all?",
        {"rows_sum_to_one": (lambda weights: bool(np.isclose(weights.sum(axis=1), 1).any()),)},
    ),
    Idea(
        "exact-comparison",
        "It asks for exact equality, and sums of floating-point numbers are rarely exact: how much may rounding do?",
        {
            "rows_sum_to_one": (lambda weights: bool((weights.sum(axis=1) == 1).all()),),
            "is_causal": (
                lambda weights: np.array_equal(weights, np.tril(weights)),
                lambda weights: bool(np.all(np.triu(weights, 1) == 0)),
            ),
        },
    ),
    Idea(
        "tolerance-too-wide",
        "It forgives more than rounding: how large is a rounding error, and how large a small mistake?",
        {
            "rows_sum_to_one": tuple(
                (lambda weights, atol=atol: np.allclose(weights.sum(axis=1), 1, rtol=0, atol=atol))
                for atol in (0.002, 0.01, 0.1)
            ),
            "is_causal": tuple(
                (lambda weights, atol=atol: np.allclose(np.triu(weights, 1), 0, atol=atol))
                for atol in (2e-4, 1e-3, 1e-2)
            ),
        },
    ),
    Idea(
        "tolerance-too-narrow",
        "It forgives less than the rounding of single precision, which is about 1e-7.",
        {
            "rows_sum_to_one": tuple(
                (lambda weights, atol=atol: np.allclose(weights.sum(axis=1), 1, rtol=0, atol=atol))
                for atol in (1e-9, 1e-10, 1e-11)
            ),
        },
    ),
    Idea(
        "blind-to-nan",
        "Every comparison with NaN is False, so asking whether something is wrong overlooks it: ask what is right.",
        {
            "rows_sum_to_one": (
                lambda weights: not (np.abs(weights.sum(axis=1) - 1) > 1e-4).any(),
                lambda weights: np.allclose(np.nansum(weights[~np.isnan(weights).any(axis=1)], axis=1), 1),
            ),
            "is_causal": (lambda weights: not (np.abs(np.triu(weights, 1)) > 1e-5).any(),),
        },
    ),
    Idea(
        "peakedness-swapped",
        "The two numbers are in the wrong order.",
        _of_peaks(lambda plain, scaled: (scaled.max(), plain.max())),
    ),
    Idea(
        "peak-without-scaling-twice",
        "Your two numbers are the same: where does the scaling come in?",
        _of_peaks(lambda plain, scaled: (plain.max(), plain.max())),
    ),
    Idea(
        "peak-with-scaling-twice",
        "Your two numbers are the same: the first one is to be without the scaling.",
        _of_peaks(lambda plain, scaled: (scaled.max(), scaled.max())),
    ),
    Idea(
        "peak-of-one-row",
        "You look at one row: the largest entry of the whole matrix is asked for.",
        _of_peaks(
            lambda plain, scaled: (plain[0].max(), scaled[0].max()),
            lambda plain, scaled: (plain.max(), scaled[0].max()),
            lambda plain, scaled: (plain[-1].max(), scaled[-1].max()),
        ),
    ),
    Idea(
        "peak-averaged",
        "You average the rows: the largest entry of the whole matrix is asked for.",
        _of_peaks(
            lambda plain, scaled: (plain.max(1).mean(), scaled.max(1).mean()),
            lambda plain, scaled: (plain.max(1).mean(), scaled.max()),
        ),
    ),
    Idea(
        "peak-of-scores",
        "You look at the scores: the largest entry of the weights is asked for.",
        {"peakedness": (lambda Q, K: ((Q @ K.T).max(), ways.scaled(Q, K).max()),)},
    ),
    Idea(
        "peak-scaled-by-d-k",
        "The scaling of your second number calms the scores too much: compare it with the one in your attention.",
        {"peakedness": (lambda Q, K: (_peaks(Q, K)[0].max(), ways.softmax(Q @ K.T / K.shape[1]).max()),)},
    ),
)
