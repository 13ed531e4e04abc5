"""Wrong code for attention and softmax in pieces, from which the entries of the catalogue are put together.

Canary: attention-course-canary-0f7d92b6a41ce835

The wrong code takes Q, K, V and `see`, which puts -inf in place of the scores that a row may not use: of the future in
causal attention, of nothing in the other two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.graders.diagnoses.idea import Wrong

CANARY = "attention-course-canary-0f7d92b6a41ce835"

SELF, CAUSAL, CROSS = "scaled_dot_product_attention", "causal_attention", "cross_attention"
See = Callable[[np.ndarray], np.ndarray]
Step = Callable[..., Any]
Pair = tuple[np.ndarray, np.ndarray]


def everything(scores: np.ndarray) -> np.ndarray:
    return scores


def triangle(scores: np.ndarray, k: int = 0) -> np.ndarray:
    """True where key j comes no later than k positions after query i."""
    rows, columns = scores.shape
    return np.tri(rows, columns, k) > 0


def past(scores: np.ndarray) -> np.ndarray:
    return np.where(triangle(scores), scores, -np.inf)


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def d_k(K: np.ndarray) -> int:
    return int(K.shape[1])


def root(K: np.ndarray) -> float:
    return float(np.sqrt(K.shape[1]))


def scaled(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ K.T / root(K)


def attend(Q: np.ndarray, K: np.ndarray, V: np.ndarray, see: See) -> tuple[np.ndarray, np.ndarray]:
    weights = softmax(see(scaled(Q, K)))
    return weights @ V, weights


def right(see: See) -> Wrong:
    return lambda Q, K, V: attend(Q, K, V, see)


def anywhere(*steps: Step, functions: tuple[str, ...] = (SELF, CAUSAL, CROSS), **more: tuple[Wrong, ...]) -> dict:
    """Wrong code for each attention function from steps that take (Q, K, V, see)."""

    def bind(step: Step, see: See) -> Wrong:
        return lambda Q, K, V: step(Q, K, V, see)

    return {
        function: tuple(bind(step, past if function == CAUSAL else everything) for step in steps)
        for function in functions
    } | more


def of_scores(*ways: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]) -> tuple[Step, ...]:
    """Steps that differ in the scores alone."""

    def step(way: Callable[..., np.ndarray]) -> Step:
        def run(Q: np.ndarray, K: np.ndarray, V: np.ndarray, see: See) -> tuple[np.ndarray, np.ndarray]:
            weights = softmax(see(way(Q, K, V)))
            return weights @ V, weights

        return run

    return tuple(step(way) for way in ways)


def divided(*ways: Callable[[np.ndarray, np.ndarray, np.ndarray], float]) -> tuple[Step, ...]:
    """Steps that differ in the divisor of the scores alone."""
    return of_scores(*((lambda Q, K, V, way=way: Q @ K.T / way(Q, K, V)) for way in ways))


def of_weights(*ways: Callable[[np.ndarray, See], np.ndarray], scale: bool = True) -> tuple[Step, ...]:
    """Steps that differ in what is made of the scores, before anything is blocked, alone."""

    def step(way: Callable[..., np.ndarray]) -> Step:
        def run(Q: np.ndarray, K: np.ndarray, V: np.ndarray, see: See) -> tuple[np.ndarray, np.ndarray]:
            weights = way(scaled(Q, K) if scale else Q @ K.T, see)
            return weights @ V, weights

        return run

    return tuple(step(way) for way in ways)


def of_result(*ways: Callable[..., Any]) -> tuple[Step, ...]:
    """Steps that differ in what is made of right weights alone."""

    def step(way: Callable[..., Any]) -> Step:
        return lambda Q, K, V, see: way(softmax(see(scaled(Q, K))), Q, K, V)

    return tuple(step(way) for way in ways)


def over_everything(x: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def sum_without_keepdims(x: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis)


def plain_sum_without_keepdims(x: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(x - x.max())
    return powers / powers.sum(axis=axis)


def max_without_keepdims(x: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(x - x.max(axis=axis))
    return powers / powers.sum(axis=axis, keepdims=True)


def neither_with_keepdims(x: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(x - x.max(axis=axis))
    return powers / powers.sum(axis=axis)


def shares(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return x / x.sum(axis=axis, keepdims=True)


def shares_of_sizes(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return shares(np.where(np.isfinite(x), np.abs(x), 0), axis)


def shares_above_zero(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return shares(np.maximum(x, 0), axis)


def open_shares(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return shares(np.where(np.isfinite(x), x, 0), axis)


def above_the_least(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return shares(x - x.min(axis=axis, keepdims=True), axis)


def powers(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.exp(x)


def shifted_powers(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.exp(x - x.max(axis=axis, keepdims=True))


def sigmoid(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def twice(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return softmax(softmax(x, axis), axis)


def of_base_two(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return shares(2.0**x, axis)


def of_base_ten(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return shares(10.0**x, axis)


def negative(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return softmax(np.where(np.isfinite(x), -x, x), axis)


def best_alone(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return (x == x.max(axis=axis, keepdims=True)) * 1.0


def as_it_is(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return x


def logarithm(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.log(softmax(x, axis))


def even(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return softmax(np.where(np.isfinite(x), 0.0, x), axis)


def without_shift(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return shares(np.exp(x), axis)


def global_shift(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return shares(np.exp(x - x.max()), axis)


def shift_not_below_zero(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return shares(np.exp(x - np.maximum(0, x.max(axis=axis, keepdims=True))), axis)


def clipped(*limits: float) -> tuple[Wrong, ...]:
    both = tuple((lambda x, axis=-1, c=c: softmax(np.clip(x, -c, c), axis)) for c in limits)
    above = tuple((lambda x, axis=-1, c=c: shares(np.exp(np.minimum(x, c)), axis)) for c in limits)
    return both + above


def rounded(x: np.ndarray, axis: int = -1, digits: int = 3) -> np.ndarray:
    return softmax(x, axis).round(digits)


def in_whole_numbers(x: np.ndarray, axis: int = -1) -> np.ndarray:
    kept = np.zeros_like(x)
    kept[...] = softmax(x, axis)
    return kept


def both(*ways: Wrong, scale: bool = True, before: bool = True) -> dict:
    """Wrong code for softmax and for the attention functions from ways to normalise.

    With `before` the future is blocked before the way is taken, which is what a student does whose softmax it is.
    """

    def weigh(way: Wrong) -> Callable[[np.ndarray, See], np.ndarray]:
        return lambda scores, see: way(see(scores), axis=-1)

    return anywhere(*of_weights(*map(weigh, ways), scale=scale), softmax=ways)


DIGITS = 1, 2, 3, 4, 5
LIMITS = 10.0, 20.0, 30.0, 50.0, 88.0, 100.0, 200.0, 300.0, 500.0, 700.0, 709.0
