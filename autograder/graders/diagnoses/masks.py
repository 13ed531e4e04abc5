"""Wrong ideas about masks: the mask itself, and causal attention with such a mask.

Canary: attention-course-canary-a17f0c93e6b25d84
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.graders.diagnoses import ways
from autograder.graders.diagnoses.idea import CORE, LARGE, Idea
from autograder.graders.diagnoses.ways import CAUSAL, scaled, softmax, triangle

CANARY = "attention-course-canary-a17f0c93e6b25d84"


LOWEST = float(np.finfo(np.float64).min), float(np.finfo(np.float32).min)
FILLS = -np.inf, -1e9, -1e10, -1e4, -1e5, -1e6, -1e12, *LOWEST
WEAK = (
    -0.5, -1.0, -2.0, -3.0, -5.0, -9.0, -10.0, -20.0, -30.0, -50.0, -99.0, -100.0, -200.0, -500.0, -999.0, -1000.0,
    -5000.0, -9999.0,
)  # fmt: skip
SIZES = 2, 3, 4, 5, 6, 7, 8, 9, 10, 16


def mask(n: int, fill: float = -np.inf, k: int = 1) -> np.ndarray:
    return np.triu(np.full((n, n), fill), k)


def masks(*makers: Callable[[int, float], np.ndarray], fills: tuple[float, ...] = FILLS) -> tuple[Any, ...]:
    return tuple((lambda n, make=make, fill=fill: make(n, fill)) for make in makers for fill in fills)


def attend(weigh: Callable[[np.ndarray], np.ndarray], scores: Callable[..., np.ndarray] = scaled) -> Any:
    """Attention whose weights are made from the scores in a way of its own."""

    def run(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights = weigh(scores(Q, K))
        return weights @ V, weights

    return run


def filled(fill: float, k: int = 0, then: Callable[[np.ndarray], np.ndarray] = softmax) -> Any:
    return attend(lambda s: then(np.where(triangle(s, k), s, fill)))


def masked(mask: Callable[[int, float], np.ndarray], *fills: float) -> tuple[Any, ...]:
    """Attention with a mask added to its scores, one for each fill."""

    def weigh(fill: float) -> Callable[[np.ndarray], np.ndarray]:
        return lambda s: softmax(s + mask(len(s), fill))

    return tuple(attend(weigh(fill)) for fill in fills)


def added(mask: Callable[[int], np.ndarray]) -> Any:
    return attend(lambda s: softmax(s + mask(len(s))))


def plain(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ K.T


def cut(s: np.ndarray) -> np.ndarray:
    return np.tril(softmax(s))


def counted(s: np.ndarray) -> np.ndarray:
    return cut(s) / np.arange(1, len(s) + 1)[:, None]


def rest_on_self(s: np.ndarray) -> np.ndarray:
    return cut(s) + np.diag(1 - cut(s).sum(axis=1))


def zeroed(s: np.ndarray) -> np.ndarray:
    return softmax(np.tril(s))


def shown_apart(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> tuple[Any, Any]:
    return softmax(scaled(Q, K)) @ V, softmax(ways.past(scaled(Q, K)))


def masked_apart(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> tuple[Any, Any]:
    return softmax(ways.past(scaled(Q, K))) @ V, softmax(scaled(Q, K))


def last_rows_wiped(s: np.ndarray) -> np.ndarray:
    wiped = s.copy()
    wiped[~np.tri(len(s), dtype=int)] = -np.inf
    return softmax(wiped)


def nan_to_zero(s: np.ndarray) -> np.ndarray:
    return np.nan_to_num(softmax(s))


def mirrored(n: int, fill: float = -np.inf) -> np.ndarray:
    return np.fliplr(mask(n, fill))


def of_size(size: int) -> Any:
    return lambda Q, K, V: ways.attend(Q, K, V, lambda s: s + mask(size))


IDEAS = (
    Idea(
        "mask-not-additive",
        "This mask will be added to scores: what has to be added to leave a score as it is, and what to forbid it?",
        {
            "causal_mask": (
                lambda n: np.tri(n),
                lambda n: 1 - np.tri(n),
                *masks(lambda n, fill: np.where(np.tri(n) > 0, 1.0, fill)),
                *masks(lambda n, fill: np.where(np.tri(n) > 0, fill, 1.0)),
            )
        },
    ),
    Idea(
        "mask-too-weak",
        "A strong enough score still gets through such a mask: how low must an entry be to forbid any score?",
        {
            "causal_mask": masks(mask, fills=WEAK),
            CAUSAL: tuple(filled(fill) for fill in WEAK) + masked(mask, *WEAK),
        },
        (CORE, LARGE),
    ),
    Idea(
        "mask-sign",
        "The exponential turns such an entry into the largest weight of all: check the sign.",
        {
            "causal_mask": masks(mask, fills=tuple(-fill for fill in FILLS)),
            CAUSAL: tuple(filled(-fill) for fill in FILLS) + masked(mask, *(-fill for fill in FILLS)),
        },
    ),
    Idea(
        "zero-times-infinity",
        "Zero times infinity is NaN: put the infinities in place instead of multiplying.",
        {
            "causal_mask": (lambda n: mask(n, 1.0) * -np.inf, lambda n: np.tri(n) * -np.inf),
            CAUSAL: (
                added(lambda n: mask(n, 1.0) * -np.inf),
                attend(lambda s: softmax(s * np.where(np.tri(len(s)) > 0, 1, -np.inf))),
            ),
        },
    ),
    Idea(
        "diagonal-blocked",
        "A position may see itself: what is left for row 0 in yours?",
        {
            "causal_mask": masks(lambda n, fill: mask(n, fill, 0)),
            CAUSAL: (
                *(filled(fill, -1) for fill in FILLS),
                *masked(lambda n, fill: mask(n, fill, 0), *FILLS),
                filled(-np.inf, -1, nan_to_zero),
            ),
        },
    ),
    Idea(
        "one-step-ahead",
        "Each position also sees its next neighbour: where does the future begin?",
        {
            "causal_mask": masks(lambda n, fill: mask(n, fill, 2)),
            CAUSAL: (filled(-np.inf, 1), filled(-1e9, 1)),
        },
    ),
    Idea(
        "past-blocked",
        "It is the past that your mask forbids: which of query and key counts the rows, and which the columns?",
        {
            "causal_mask": masks(
                lambda n, fill: mask(n, fill).T,
                lambda n, fill: np.tril(np.full((n, n), fill)),
            ),
            CAUSAL: (
                *masked(lambda n, fill: mask(n, fill).T, -np.inf, -1e9),
                *masked(lambda n, fill: np.tril(np.full((n, n), fill)), -np.inf, -1e9),
                attend(lambda s: softmax(np.where(np.tri(len(s)) > 0, -np.inf, s))),
                attend(lambda s: nan_to_zero(np.where(np.tri(len(s)) > 0, -np.inf, s))),
            ),
        },
    ),
    Idea(
        "mirrored-mask",
        "Your mask runs along the other diagonal: which keys may row 0 see, and which the last row?",
        {
            "causal_mask": masks(mirrored, lambda n, fill: np.flipud(mask(n, fill))),
            CAUSAL: (added(mirrored), added(lambda n: np.flipud(mask(n)))),
        },
    ),
    Idea(
        "mask-of-fixed-size",
        "It is made for one length only: which number says how many positions there are?",
        {
            "causal_mask": tuple(
                (lambda n, size=size, fill=fill: mask(size, fill)) for size in SIZES for fill in FILLS
            ),
            CAUSAL: tuple(of_size(size) for size in SIZES),
        },
    ),
    Idea(
        "mask-of-zeros",
        "Your mask forbids nothing: which entries have to be far below zero?",
        {"causal_mask": (lambda n: np.zeros((n, n)),)},
    ),
    Idea(
        "mask-of-one-row",
        "Each query needs a row of its own: how many rows has your mask?",
        {
            "causal_mask": (
                *masks(lambda n, fill: np.full(n, fill)),
                lambda n: np.zeros(n),
                lambda n: np.full((1, n), -np.inf),
            )
        },
    ),
)
