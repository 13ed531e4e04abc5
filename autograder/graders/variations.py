"""Inputs and right answers for exercise 5: masks, other ways to share out, several heads.

Canary: attention-course-canary-7b1de05c94f3a628

The answers are computed with loops over Python floats, as in `reference`; sparsemax by halving an interval for its
level, where students sort; linear attention from its table of weights, where students use running sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from autograder.graders import probes, reference

CANARY = "attention-course-canary-7b1de05c94f3a628"

HALVINGS = 200  # of an interval: far more than a float has digits
LONG = 20_000  # positions: a table of all pairs in float64 takes 3.2 GB, more than a submission may use
BLOCK = 8  # of different positions, which the long sequence repeats


def seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng([probes.SEED, seed])


def frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


# -- masks ----------------------------------------------------------------------------------------------------------


def padding_blocked(lengths: Sequence[int], n: int) -> np.ndarray:
    """True where key j of text b is padding, (batch, n, n)."""
    return np.array([[[j >= length for j in range(n)] for _ in range(n)] for length in lengths])


def prefix_blocked(n: int, prefix: int) -> np.ndarray:
    """True where key j is later than query i and outside the prefix, (n, n)."""
    return np.array([[j > i and j >= prefix for j in range(n)] for i in range(n)])


def additive(blocked: np.ndarray, fill: float = -np.inf) -> np.ndarray:
    """The mask to add: 0 where open, `fill` where blocked."""
    return frozen(np.where(blocked, fill, 0.0))


@cache
def masks_of(n: int) -> tuple[np.ndarray, ...]:
    """Three different patterns of blocked cells, (n, n) each: of the future, of a key, of single cells."""
    random = seeded(300 + n)
    key = np.zeros((n, n), dtype=np.bool_)
    key[:, n - 2] = True
    return np.array([[j > i for j in range(n)] for i in range(n)]), key, random.random((n, n)) < 0.3


@cache
def batch_of_masks(n: int) -> np.ndarray:
    """Padding of three texts, (3, n, n)."""
    return padding_blocked((n, n - 2, 1), n)


@dataclass(frozen=True)
class Masked:
    """Attention with a mask given: `allowed` of the probe says which keys are open."""

    probe: probes.Probe
    mask: np.ndarray

    @property
    def inputs(self) -> tuple[np.ndarray, ...]:
        return *self.probe.inputs, self.mask

    @cached_property
    def empty(self) -> np.ndarray:
        """The numbers of the rows in which nothing is open."""
        return np.flatnonzero([not any(row) for row in self.probe.open.tolist()])


@cache
def masked(n_q: int = 5, n_k: int = 7, empty: tuple[int, ...] = (), fills: tuple[float, ...] = (-np.inf,)) -> Masked:
    """Every row leaves three keys or more open, but for the rows in `empty`; the fills take turns from row to row."""
    plain = probes.of_lengths(n_q, n_k)
    random = seeded(400 + 10 * n_q + n_k)
    blocked = np.zeros((n_q, n_k), dtype=np.bool_)
    for i in range(n_q):
        blocked[i, random.permutation(n_k)[: max(n_k - 3, 0)]] = True
    blocked[list(empty)] = True
    rows = np.array([fills[i % len(fills)] for i in range(n_q)])[:, None]
    mask = frozen(np.where(blocked, rows, 0.0))
    return Masked(probes.Probe(*plain.inputs, lambda i, j: not blocked[i, j]), mask)


# -- shares ---------------------------------------------------------------------------------------------------------


def jacobian(p: np.ndarray) -> np.ndarray:
    """Entry (i, j) is p_i (1 - p_i) on the diagonal and -p_i p_j elsewhere."""
    shares = p.tolist()
    return np.array([[a * (1 - a) if i == j else -a * b for j, b in enumerate(shares)] for i, a in enumerate(shares)])


def sparsemax(x: np.ndarray) -> np.ndarray:
    """max(x_i - tau, 0) with the level tau at which the shares sum to 1 (Martins and Astudillo 2016)."""
    scores = x.tolist()
    low, high = min(scores) - 1.0, max(scores)  # at `low` the shares sum to 1 or more, at `high` to 0
    for _ in range(HALVINGS):
        level = (low + high) / 2
        if math.fsum(max(score - level, 0.0) for score in scores) >= 1.0:
            low = level
        else:
            high = level
    return np.array([max(score - low, 0.0) for score in scores])


@cache
def weights_of_one_row(m: int) -> np.ndarray:
    """Shares of m entries that sum to 1."""
    return frozen(reference.softmax_rows(probes.numbers(m)))


# Some entries get a share and some none, in no order; in the last two one gets everything.
SOME_SHARES = tuple(
    frozen(np.array(x))
    for x in (
        [0.31, -0.52, 0.74, 0.05, -1.3],
        [-2.1, -1.75, -3.0, -2.4, -1.9, -4.2, -2.02],
        [0.0, 3.02, 3.55, 3.3],
        [2.2, 1.9, 2.35, 1.1, 0.4, 2.0],
        [0.4, 3.9, 1.2, -3.0],
        [3.0, 1.5],
    )
)
ALL_SHARES = tuple(frozen(np.array(x)) for x in ([0.11, 0.3, -0.02, 0.2], [-1.5, -1.5, -1.5], [2.2, 2.5], [-5.5]))


# -- linear attention -----------------------------------------------------------------------------------------------


def feature(x: float) -> float:
    """elu(x) + 1."""
    return x + 1.0 if x > 0 else math.exp(x)


def linear_weights(Q: np.ndarray, K: np.ndarray, causal: bool = False) -> np.ndarray:
    """The table of weights that linear attention never makes, (n_q, n_k)."""
    queries = [[feature(x) for x in row] for row in Q.tolist()]
    keys = [[feature(x) for x in row] for row in K.tolist()]
    table = np.zeros((len(queries), len(keys)))
    for i, query in enumerate(queries):
        seen = keys[: i + 1] if causal else keys
        products = [math.fsum(a * b for a, b in zip(query, key, strict=True)) for key in seen]
        table[i, : len(seen)] = [product / math.fsum(products) for product in products]
    return table


def linear_output(probe: probes.Probe, causal: bool = False) -> np.ndarray:
    """Row i is the mean of V with those weights, (n_q, d_v)."""
    return reference.blend(linear_weights(probe.Q, probe.K, causal), probe.V)


@cache
def repeated(times: int) -> probes.Probe:
    """A block of positions, again and again: repeating all keys and values leaves every mean as it is."""
    random = seeded(500)
    block = [random.normal(0, 1, (BLOCK, width)) for width in (3, 3, 2)]
    Q, K, V = (frozen(np.tile(part, (times, 1))) for part in block)
    return probes.Probe(Q, K, V)


@cache
def other_from(cut: int) -> probes.Probe:
    """The square probe with keys, values and queries from `cut` on replaced."""
    past, random = probes.square(), seeded(510 + cut)
    arrays = [array.copy() for array in past.inputs]
    for array in arrays:
        array[cut:] = random.normal(0, 1.5, array[cut:].shape)
    Q, K, V = map(frozen, arrays)
    return probes.Probe(Q, K, V)


@cache
def other_start() -> probes.Probe:
    """The square probe with another key and another value at position 0."""
    Q, K, V = (array.copy() for array in probes.square().inputs)
    K[0], V[0] = -K[0] + 0.5, V[0] + 3.0
    return probes.Probe(frozen(Q), frozen(K), frozen(V))


# -- several heads --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heads:
    """A sequence X (n, d_model), four matrices (d_model, d_model) and a number of heads."""

    X: np.ndarray
    W_q: np.ndarray
    W_k: np.ndarray
    W_v: np.ndarray
    W_o: np.ndarray
    n_heads: int

    @property
    def inputs(self) -> tuple[np.ndarray | int, ...]:
        return self.X, self.W_q, self.W_k, self.W_v, self.W_o, self.n_heads

    @property
    def weights_shape(self) -> tuple[int, int, int]:
        return self.n_heads, len(self.X), len(self.X)

    @cached_property
    def each(self) -> tuple[probes.Probe, ...]:
        """What each head attends with: its strip of the columns of Q, K and V."""
        projected = [reference.project(self.X, W) for W in (self.W_q, self.W_k, self.W_v)]
        width = self.X.shape[1] // self.n_heads
        made = []
        for head in range(self.n_heads):
            Q, K, V = (frozen(part[:, head * width : (head + 1) * width].copy()) for part in projected)
            made.append(probes.Probe(Q, K, V))
        return tuple(made)

    def mixed(self, weights: Sequence[np.ndarray]) -> np.ndarray:
        """The output that belongs to one table of weights for each head, (n, d_model)."""
        strips = [w @ head.V for w, head in zip(weights, self.each, strict=True)]  # (n, d_head) each
        return np.concatenate(strips, axis=1) @ self.W_o

    @cached_property
    def output(self) -> np.ndarray:
        return self.mixed([head.weights for head in self.each])


@cache
def heads(n: int, d_model: int, n_heads: int) -> Heads:
    """Matrices that leave the scores of a head small enough for its scaling to be seen."""
    random = seeded(600 + 100 * n + 10 * d_model + n_heads)
    matrices = (random.normal(0, d_model**-0.5, (d_model, d_model)) for _ in range(4))
    W_q, W_k, W_v, W_o = map(frozen, matrices)
    return Heads(frozen(random.normal(0, 1, (n, d_model))), W_q, W_k, W_v, W_o, n_heads)
