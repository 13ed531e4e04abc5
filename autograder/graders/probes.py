"""The inputs that the checks use: small, seeded, and of sizes at which wrong ideas give different numbers.

Canary: attention-course-canary-f37c41c353215d82

n, d_k and d_v all differ, and so do n_q and n_k; d_k is none of 1, 4, 8, 16, 64, where some wrong scalings agree
with the right one. There are never two queries: an answer that returns the output alone would unpack into a pair.
All arrays are read-only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, wraps
from typing import TypeVar, cast

import numpy as np

from autograder.graders import reference
from autograder.grading.checks import PROBE_SEED

CANARY = "attention-course-canary-f37c41c353215d82"

Made = TypeVar("Made", bound=Callable)
SEED = 20_406
LOW_SCORE = 140.0  # a score replaced by -100 would stand out above these
DOMINANT_GAP = 150.0  # logits: above any finite fill up to -100, below 700, where exp runs out of small numbers


@dataclass(frozen=True)
class Probe:
    """Q (n_q, d_k), K (n_k, d_k) and V (n_k, d_v), with the reference answers to them."""

    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    allowed: reference.Allowed = reference.everywhere

    @property
    def inputs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.Q, self.K, self.V

    @property
    def d_k(self) -> int:
        return self.Q.shape[1]

    @cached_property
    def weights_shape(self) -> tuple[int, int]:
        return len(self.Q), len(self.K)

    @cached_property
    def output_shape(self) -> tuple[int, int]:
        return len(self.Q), self.V.shape[1]

    @cached_property
    def scores(self) -> np.ndarray:
        """The dot products without any scaling, (n_q, n_k)."""
        return reference.dot_products(self.Q, self.K)

    @cached_property
    def open(self) -> np.ndarray:
        """True where a query may see a key, (n_q, n_k)."""
        rows, columns = self.weights_shape
        return np.array([[self.allowed(i, j) for j in range(columns)] for i in range(rows)])

    @cached_property
    def weights(self) -> np.ndarray:
        return reference.weights(self.Q, self.K, self.allowed)

    @cached_property
    def output(self) -> np.ndarray:
        return reference.blend(self.weights, self.V)


def seeded(make: Made) -> Made:
    """Keep what a function returns, for each probe_seed by itself."""
    kept = cache(lambda term, *arguments, **keywords: make(*arguments, **keywords))
    return cast(Made, wraps(make)(lambda *arguments, **keywords: kept(PROBE_SEED.get(), *arguments, **keywords)))


def _random(seed: int) -> np.random.Generator:
    term = PROBE_SEED.get()  # the course's own number; 0 leaves the inputs as they are shipped
    return np.random.default_rng([SEED, seed, term] if term else [SEED, seed])


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


def _probe(seed: int, n_q: int, n_k: int, d_k: int, d_v: int, *, spread: float = 1.0, causal: bool = False) -> Probe:
    random = _random(seed)
    return Probe(
        _frozen(random.normal(0, spread, (n_q, d_k))),
        _frozen(random.normal(0, spread, (n_k, d_k))),
        _frozen(random.normal(0, 1, (n_k, d_v))),
        reference.up_to_itself if causal else reference.everywhere,
    )


@seeded
def square() -> Probe:
    """Self-attention of 6 positions."""
    return _probe(1, 6, 6, 11, 3)


@seeded
def causal() -> Probe:
    """Causal self-attention of 6 positions."""
    return _probe(2, 6, 6, 11, 3, causal=True)


@seeded
def crossed() -> Probe:
    """Five queries from one sequence, seven keys from another."""
    return _probe(3, 5, 7, 11, 3)


@seeded
def of_lengths(n_q: int, n_k: int, causal: bool = False) -> Probe:
    """Other lengths, with widths unlike them."""
    return _probe(100 + 10 * n_q + n_k, n_q, n_k, 13, 5, causal=causal)


@seeded
def of_width(d_k: int, n_q: int, n_k: int, causal: bool = False) -> Probe:
    """V is the identity, so that the output shows the weights too; scores small enough for every scaling."""
    plain = _probe(1000 + d_k, n_q, n_k, d_k, n_k, spread=0.7, causal=causal)
    return Probe(plain.Q, plain.K, _frozen(np.eye(n_k)), plain.allowed)


@seeded
def of_equal_widths(n_q: int, n_k: int) -> Probe:
    """d_v is d_k, so that scores made with V do not raise; for diagnoses alone."""
    return _probe(9, n_q, n_k, 7, 7)


@seeded
def whole_numbers() -> Probe:
    """Q, K and V of small integers, stored as integers."""
    random = _random(4)
    Q, K, V = (_frozen(random.integers(-2, 3, (5, width))) for width in (11, 11, 3))
    return Probe(Q, K, V)


@seeded
def huge_scores(n_q: int, n_k: int, causal: bool = False) -> Probe:
    """Scores in the thousands; the first two keys are one and the same, and best for every second query.

    Without `causal` the other queries make rows of scores far below zero throughout.
    With it, the first two keys are best for all queries, so that no future key outweighs the past.
    """
    random = _random(5)
    direction = random.normal(0, 1, 11)
    direction /= math.sqrt(float(direction @ direction))
    queries = np.array([90.0, -75.0, 60.0, -100.0, 80.0, 95.0, -85.0])[:n_q]  # lengths along the direction
    keys = np.array([60.0, 60.0, 45.0, 40.0, 50.0, 42.0, 55.0])[:n_k]
    return Probe(
        _frozen(np.outer(np.abs(queries) if causal else queries, direction)),
        _frozen(np.outer(keys, direction)),
        _frozen(random.normal(0, 1, (n_k, 3))),
        reference.up_to_itself if causal else reference.everywhere,
    )


@seeded
def far_below_zero(n_q: int, n_k: int) -> Probe:
    """All scores are in the thousands below zero, and near each other; for diagnoses alone."""
    plain = _probe(10, n_q, n_k, 11, 3, spread=0.5)
    Q, K = plain.Q.copy(), plain.K.copy()
    Q[:, -1], K[:, -1] = 100.0, -100.0
    return Probe(_frozen(Q), _frozen(K), plain.V)


@seeded
def other_future(cut: int) -> Probe:
    """The causal probe with every position from `cut` on replaced: queries, keys and values."""
    past, random = causal(), _random(6 + cut)
    arrays = [array.copy() for array in past.inputs]
    for array in arrays:
        array[cut:] = random.normal(0, 1.5, array[cut:].shape)
    Q, K, V = map(_frozen, arrays)
    return Probe(Q, K, V, reference.up_to_itself)


@seeded
def before_dominant_key() -> Probe:
    """A causal probe whose queries all lean on one feature that all keys lack: every score is far below zero."""
    plain = _probe(7, 6, 6, 11, 3, spread=0.8, causal=True)
    Q, K = plain.Q.copy(), plain.K.copy()
    Q[:, -1], K[:, -1] = 6.0, -LOW_SCORE * math.sqrt(plain.d_k) / 6.0
    return Probe(_frozen(Q), _frozen(K), plain.V, plain.allowed)


@seeded
def with_dominant_key(position: int) -> Probe:
    """The same with one key whose logit lies DOMINANT_GAP above what it was, for every query."""
    plain = before_dominant_key()
    K, V = plain.K.copy(), plain.V.copy()
    K[position, -1] += DOMINANT_GAP * math.sqrt(plain.d_k) / 6.0
    V[position] += 5.0
    return Probe(plain.Q, _frozen(K), _frozen(V), plain.allowed)


@seeded
def numbers(*sizes: int) -> np.ndarray:
    """An ordinary vector or matrix for softmax."""
    return _frozen(_random(50 + sum(sizes)).normal(0, 1.3, sizes))


# The right softmaxes of these depend neither on the base of the exponential nor on rounding.
HIGH = _frozen(np.array([3000.0, 3000.0, 1200.0, -2500.0]))
LOW = _frozen(np.array([-5000.0, -4000.0, -4000.0]))
ROWS_FAR_APART = _frozen(np.array([[0.0, 0.0, -800.0], [2000.0, 900.0, 2000.0], [-3000.0, -2000.0, -2000.0]]))
INTEGERS = _frozen(np.array([2, -1, 0, 3, 0, -2]))


@seeded
def stochastic(n_q: int, n_k: int, causal: bool = False) -> np.ndarray:
    """A good matrix of weights."""
    return of_lengths(n_q, n_k, causal).weights


@dataclass(frozen=True)
class Sequences:
    """Decoder and encoder states and three projections."""

    X_dec: np.ndarray
    X_enc: np.ndarray
    W_q: np.ndarray
    W_k: np.ndarray
    W_v: np.ndarray

    @property
    def inputs(self) -> tuple[np.ndarray, ...]:
        return self.X_dec, self.X_enc, self.W_q, self.W_k, self.W_v


@seeded
def sequences(n_q: int, n_k: int) -> Sequences:
    """Decoder and encoder states with d_model 4, to be brought to d_k 11 and d_v 3."""
    random = _random(8 + n_q + 10 * n_k)
    shapes = (n_q, 4), (n_k, 4), (4, 11), (4, 11), (4, 3)
    return Sequences(*(_frozen(random.normal(0, 1, shape)) for shape in shapes))
