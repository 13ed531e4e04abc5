"""What tells wrong ideas apart in exercise 4: about projections, and about attention to another sequence.

Canary: attention-course-canary-1ac7e85b42d960f3
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.graders import compare, probes
from autograder.graders.diagnoses import ways
from autograder.graders.diagnoses.ex1 import nothing
from autograder.graders.diagnoses.idea import ARGUMENTS, CORE, LARGE, Call, Idea, Subject, arrays
from autograder.graders.diagnoses.ways import CROSS, scaled, softmax, triangle

CANARY = "attention-course-canary-1ac7e85b42d960f3"

PROJECT = "project"
FIXED = (4, 0), (5, 0), (7, 0), (4, 1), (6, 1), (7, 1)  # a number of queries (0) or of keys (1)


@probes.seeded
def _crossed() -> tuple[Call, ...]:
    """More keys, more queries, as many of both with d_v = d_k, and single positions."""
    shown = probes.crossed(), probes.of_lengths(7, 4), probes.of_equal_widths(6, 6), probes.of_lengths(1, 6)
    return tuple(Call(probe.inputs) for probe in shown)


def _large() -> tuple[Call, ...]:
    shown = probes.huge_scores(4, 6), probes.far_below_zero(4, 6)
    return tuple(Call(probe.inputs, tolerance=compare.STRESS) for probe in shown)


@probes.seeded
def _sequences() -> tuple[Call, ...]:
    return tuple(Call(probes.sequences(*lengths).inputs) for lengths in ((5, 7), (7, 1), (3, 3)))


SUBJECTS = (
    Subject(
        PROJECT,
        arrays(3),
        {CORE: _sequences, ARGUMENTS: nothing},
        lambda X_dec, X_enc, W_q, W_k, W_v: (X_dec @ W_q, X_enc @ W_k, X_enc @ W_v),
    ),
    Subject(CROSS, arrays(2), {CORE: _crossed, LARGE: _large, ARGUMENTS: nothing}, ways.right(ways.everything)),
)


def _from(*sources: str) -> tuple[Any, ...]:
    """Projections of other sequences, d for the decoder and e for the encoder, in the order Q, K, V."""

    def project(source: str, X_dec: Any, X_enc: Any, W_q: Any, W_k: Any, W_v: Any) -> Any:
        states = [X_dec if letter == "d" else X_enc for letter in source]
        return tuple(X @ W for X, W in zip(states, (W_q, W_k, W_v), strict=True))

    return tuple((lambda *inputs, source=source: project(source, *inputs)) for source in sources)


def _in_other_orders() -> tuple[Any, ...]:
    """The right results in other orders."""

    def project(order: Any, X_dec: Any, X_enc: Any, W_q: Any, W_k: Any, W_v: Any) -> Any:
        results = X_dec @ W_q, X_enc @ W_k, X_enc @ W_v
        return tuple(results[place] for place in order)

    orders = [order for order in itertools.permutations(range(3)) if order != (0, 1, 2)]
    orders = [order for order in orders if order != (0, 2, 1)]  # the matrices of K and V mixed up give that as well
    return tuple((lambda *inputs, order=order: project(order, *inputs)) for order in orders)


def _with_other_matrices() -> tuple[Any, ...]:
    def project(X_dec: Any, X_enc: Any, matrices: tuple[Any, ...], order: Any) -> Any:
        return tuple(X @ matrices[place] for X, place in zip((X_dec, X_enc, X_enc), order, strict=True))

    orders = [order for order in itertools.product(range(3), repeat=3) if order != (0, 1, 2)]
    return tuple((lambda d, e, *matrices, order=order: project(d, e, matrices, order)) for order in orders)


def _weigh(way: Callable[..., np.ndarray]) -> Any:
    def run(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights = way(Q, K, V)
        return weights @ V, weights

    return run


def _masked(scores: np.ndarray, k: int = 0, fill: float = -np.inf) -> np.ndarray:
    return softmax(np.where(triangle(scores, k), scores, fill))


def _cut(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Any:
    weights = softmax(scaled(Q, K[: len(Q)]))
    return weights @ V[: len(Q)], weights


def _cut_and_padded(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Any:
    width = min(len(Q), len(K))
    weights = np.zeros((len(Q), len(K)))
    weights[:, :width] = softmax(scaled(Q, K[:width]))
    return weights @ V, weights


def _cut_to_shorter(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Any:
    width = min(len(Q), len(K))
    weights = softmax(scaled(Q, K[:width]))
    return weights @ V[:width], weights


def _square_only(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Any:
    if len(Q) != len(K):
        raise ValueError
    return ways.attend(Q, K, V, ways.everything)


def _of_size(n: int, place: int) -> Any:
    def run(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Any:
        if len((Q, K)[place]) != n:
            raise ValueError
        return ways.attend(Q, K, V, ways.everything)

    return run


IDEAS = (
    Idea(
        "roles-swapped",
        "The roles of the two sequences are the wrong way round: which one asks, and which one is looked up?",
        {PROJECT: _from("edd")},
    ),
    Idea(
        "everything-from-the-decoder",
        "All three are made from the decoder, which is self-attention: which sequence is looked up?",
        {PROJECT: _from("ddd")},
    ),
    Idea(
        "everything-from-the-encoder",
        "All three are made from the encoder, which is self-attention: which sequence asks?",
        {PROJECT: _from("eee")},
    ),
    Idea(
        "keys-from-the-decoder",
        "A key is the label of a value, so both come from one sequence: which one?",
        {PROJECT: _from("dde", "ede")},
    ),
    Idea(
        "values-from-the-decoder",
        "A value is what its key stands for, so both come from one sequence: which one?",
        {PROJECT: _from("ded", "eed")},
    ),
    Idea(
        "results-in-another-order",
        "The results are right ones, but in another order than asked for.",
        {PROJECT: _in_other_orders()},
    ),
    Idea(
        "matrices-mixed-up",
        "Your sequences are right, but one is multiplied by the matrix of another role: read the letters once more.",
        {PROJECT: _with_other_matrices()},
    ),
    Idea(
        "projection-left-out",
        "One of the sequences came back as it was: what are the matrices for?",
        {
            PROJECT: (
                lambda d, e, q, k, v: (d, e, e),
                lambda d, e, q, k, v: (d @ q, e, e),
                lambda d, e, q, k, v: (d @ q, e @ k, e),
                lambda d, e, q, k, v: (d, e @ k, e @ v),
            )
        },
    ),
    Idea(
        "projections-transposed",
        "Rows and columns are exchanged: how many rows should each result have?",
        {
            PROJECT: (
                lambda d, e, q, k, v: ((d @ q).T, (e @ k).T, (e @ v).T),
                lambda d, e, q, k, v: (d @ q, (e @ k).T, e @ v),
            )
        },
    ),
    Idea(
        "projections-normalised",
        "Each result is one product and nothing else: what did you do to it besides?",
        {
            PROJECT: (
                lambda d, e, q, k, v: tuple(softmax(x) for x in (d @ q, e @ k, e @ v)),
                lambda d, e, q, k, v: (d @ q / k.shape[1] ** 0.5, e @ k, e @ v),
                lambda d, e, q, k, v: (d @ q / k.shape[1] ** 0.5, e @ k / k.shape[1] ** 0.5, e @ v),
            )
        },
    ),
    Idea(
        "causal-mask-in-cross-attention",
        "The whole source is known from the start: may a target position not read all of it?",
        {
            CROSS: (
                *(_weigh(lambda Q, K, V, f=f: _masked(scaled(Q, K), 0, f)) for f in (-np.inf, -1e9)),
                _weigh(lambda Q, K, V: np.tril(softmax(scaled(Q, K)))),
                _weigh(lambda Q, K, V: _masked(scaled(Q, K), len(K) - len(Q))),
            )
        },
    ),
    Idea(
        "no-scaling-and-causal-mask",
        "Two things at once: some queries may not read the whole source, and nothing calms scores of wide vectors.",
        {CROSS: (_weigh(lambda Q, K, V: _masked(Q @ K.T)),)},
    ),
    Idea(
        "keys-cut-to-the-queries",
        "Only as many keys as there are queries are used: how long is the source?",
        {CROSS: (_cut, _cut_and_padded, _cut_to_shorter)},
    ),
    Idea(
        "square-alone",
        "Your code needs two sequences of one length: which line makes them equal?",
        {CROSS: (_square_only,)},
    ),
    Idea(
        "length-hard-coded",
        "Your code works at one length only: which number in it should come from the inputs?",
        {CROSS: tuple(_of_size(n, place) for n, place in FIXED)},
    ),
    Idea(
        "encoder-averaged",
        "Every row of your output is the plain mean of V: which numbers say how much of each row goes into it?",
        {CROSS: (lambda Q, K, V: (np.tile(V.mean(axis=0), (len(Q), 1)), softmax(scaled(Q, K))),)},
    ),
)
