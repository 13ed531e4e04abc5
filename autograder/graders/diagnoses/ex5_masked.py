"""Wrong ideas about attention with a mask given.

Canary: attention-course-canary-5bd2f8a0936e47c1
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from autograder.graders import probes, variations
from autograder.graders.diagnoses.ex1 import nothing
from autograder.graders.diagnoses.idea import ARGUMENTS, CORE, Call, Idea, Subject, arrays
from autograder.graders.diagnoses.masks import WEAK
from autograder.graders.diagnoses.ways import root, softmax
from autograder.graders.variations import additive

CANARY = "attention-course-canary-5bd2f8a0936e47c1"

MASKED = "masked_attention"


@cache
def _masked_calls() -> tuple[Call, ...]:
    """Every row sees something; then some rows see nothing, with -inf and with -1e9; then a key stands out."""
    rows = variations.masked(), variations.masked(empty=(1, 3)), variations.masked(empty=(1, 3), fills=(-1e9,))
    dominant = probes.with_dominant_key(4)
    calls = [Call(given.inputs) for given in rows]
    return *calls, Call((*dominant.inputs, additive(~dominant.open)))


def _attend(weigh: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Any:
    """Attention whose weights are made from the scaled scores and the mask in a way of its own."""

    def run(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights = weigh(Q @ K.T / root(K), mask)
        return weights @ V, weights

    return run


def _zeroed(weights: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The weights with 0 in the rows in which nothing is open."""
    return np.where((mask <= -1e4).all(axis=1, keepdims=True), 0.0, weights)


def _right(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return _zeroed(softmax(scores + mask), mask)


def _nan_row_alone(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.nan_to_num(softmax(scores + mask))


def _even(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.where((mask <= -1e4).all(axis=1, keepdims=True), 1 / mask.shape[1], _right(scores, mask))


def _finite(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return softmax(np.where(mask < 0, -1e9, scores))


SUBJECTS = (Subject(MASKED, arrays(2), {CORE: _masked_calls, ARGUMENTS: nothing}, _attend(_right)),)


def _scaled(factor: Callable[[np.ndarray], float]) -> tuple[Any, ...]:
    """Attention with other scores, and with each way of treating empty rows."""

    def run(way: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Any:
        return lambda Q, K, V, mask: _attend(lambda s, m: way(s * factor(K), m))(Q, K, V, mask)

    return tuple(run(way) for way in (_right, _nan_row_alone, lambda s, m: softmax(s + m)))


def _both(weigh: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> tuple[Any, ...]:
    """Wrong weights, with empty rows as they come out and with 0 in them."""
    return _attend(weigh), _attend(lambda s, mask: _zeroed(weigh(s, mask), mask))


def _filled(fill: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    return lambda s, mask: softmax(np.where(mask < 0, fill, s))


def _shrunk(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    output, weights = _attend(_right)(Q, K, V, mask)
    return output / root(K), weights


# What an idea of another module makes of this function.
ALSO: dict[str, dict[str, tuple[Any, ...]]] = {
    "mask-sign": {MASKED: _both(lambda s, mask: softmax(s - mask))},
    "infinity-alone-blocks": {
        MASKED: (_attend(lambda s, mask: np.nan_to_num(softmax(np.where(np.isinf(mask), -np.inf, s)))),)
    },
    "mask-ignored": {MASKED: _both(lambda s, mask: softmax(s))},
    "mask-after-softmax": {MASKED: _both(lambda s, mask: np.where(mask < 0, 0.0, softmax(s)))},
    "zero-for-blocked": {MASKED: _both(lambda s, mask: softmax(np.where(mask < 0, 0.0, s)))},
    "no-scaling": {MASKED: _scaled(root)},
    "scale-the-output": {MASKED: (_shrunk,)},
    "mask-too-weak": {MASKED: tuple(_both(_filled(fill))[1] for fill in WEAK)},
    "scale-by-d-k": {MASKED: _scaled(lambda K: 1 / root(K))},
}

IDEAS = (
    Idea(
        "mask-multiplied",
        "The mask is there to be added: what becomes of a score that is multiplied by 0?",
        {
            MASKED: (
                _attend(lambda s, mask: softmax(s * mask)),
                _attend(lambda s, mask: np.nan_to_num(softmax(s * mask))),
            )
        },
    ),
    Idea(
        "empty-row-not-treated",
        "What should a row do that has nothing to see? Softmax does not know; look at the mask before it.",
        {
            MASKED: (
                _attend(lambda s, mask: softmax(s + mask)),
                _attend(lambda s, mask: softmax(np.where(mask <= -1e4, -np.inf, s))),
            )
        },
    ),
    Idea(
        "empty-row-told-by-nan",
        "A row of large negative numbers gives no NaN, and is blocked all the same: look at the mask instead.",
        {MASKED: (_attend(_nan_row_alone),)},
    ),
    Idea(
        "empty-row-even",
        "Where nothing is open you share out evenly: how much should a blocked key get?",
        {MASKED: (_attend(_even), _attend(_finite))},
    ),
)
