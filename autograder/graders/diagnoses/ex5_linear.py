"""Wrong ideas about linear attention and its causal form.

Canary: attention-course-canary-f2905b7ce1d8643a
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from autograder.graders import probes
from autograder.graders.diagnoses.ex1 import nothing
from autograder.graders.diagnoses.idea import ARGUMENTS, CORE, LARGE, Call, Idea, Subject, arrays
from autograder.graders.diagnoses.ways import root, softmax

CANARY = "attention-course-canary-f2905b7ce1d8643a"

LINEAR, CAUSAL_LINEAR = "linear_attention", "causal_linear_attention"


@cache
def _linear() -> tuple[Call, ...]:
    shown = probes.crossed(), probes.of_lengths(7, 4), probes.of_equal_widths(6, 6), probes.of_lengths(1, 6)
    return tuple(Call(probe.inputs) for probe in shown)


@cache
def _causal_linear() -> tuple[Call, ...]:
    shown = probes.square(), probes.of_lengths(9, 9), probes.of_equal_widths(5, 5), probes.of_lengths(1, 1)
    return tuple(Call(probe.inputs) for probe in shown)


def _phi(x: np.ndarray) -> np.ndarray:
    above = x > 0
    return np.where(above, 1.0 + x, np.exp(np.where(above, 0.0, x)))


def _elu(x: np.ndarray) -> np.ndarray:
    return _phi(x) - 1.0


def _relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0.0)


FEATURES = np.exp, _elu, _relu, np.abs, np.square, softmax, lambda x: _relu(x) + 1.0, lambda x: 1 / (1 + np.exp(-x))


def _products(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return _phi(Q) @ _phi(K).T


def _past(table: np.ndarray) -> np.ndarray:
    return np.tril(table)


def _shared(table: np.ndarray) -> np.ndarray:
    return table / table.sum(axis=1, keepdims=True)


SUBJECTS = (
    Subject(
        LINEAR,
        arrays(1),
        {CORE: _linear, ARGUMENTS: nothing},
        lambda Q, K, V: _shared(_products(Q, K)) @ V,
    ),
    Subject(
        CAUSAL_LINEAR,
        arrays(1),
        {CORE: _causal_linear, ARGUMENTS: nothing},
        lambda Q, K, V: _shared(_past(_products(Q, K))) @ V,
    ),
)


def _of_tables(*ways: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> dict[str, tuple[Any, ...]]:
    """A table of products made in a way of its own, for both functions."""
    return {
        LINEAR: tuple((lambda Q, K, V, way=way: _shared(way(Q, K)) @ V) for way in ways),
        CAUSAL_LINEAR: tuple((lambda Q, K, V, way=way: _shared(_past(way(Q, K))) @ V) for way in ways),
    }


def _causal(*tables: Callable[[np.ndarray], np.ndarray]) -> tuple[Any, ...]:
    """Causal linear attention from all products, in a way of its own."""
    return tuple((lambda Q, K, V, table=table: table(_products(Q, K)) @ V) for table in tables)


IDEAS = (
    Idea(
        "feature-map-left-out",
        "Without the feature map a dot product can be below 0: what has to happen to queries and keys first?",
        _of_tables(lambda Q, K: Q @ K.T),
    ),
    Idea(
        "feature-map-once",
        "One of queries and keys did not go through the feature map: both have to.",
        _of_tables(lambda Q, K: _phi(Q) @ K.T, lambda Q, K: Q @ _phi(K).T),
    ),
    Idea(
        "values-mapped",
        "The values went through the feature map as well: are they compared with anything?",
        {
            LINEAR: (lambda Q, K, V: _shared(_products(Q, K)) @ _phi(V),),
            CAUSAL_LINEAR: (lambda Q, K, V: _shared(_past(_products(Q, K))) @ _phi(V),),
        },
    ),
    Idea(
        "another-feature-map",
        "Your weights are positive, but made with another function than the one that is given.",
        _of_tables(*((lambda Q, K, f=f: f(Q) @ f(K).T) for f in FEATURES)),
    ),
    Idea(
        "softmax-in-linear-attention",
        "This is attention with a softmax, which needs the whole table: what does the feature map replace?",
        {
            LINEAR: (
                lambda Q, K, V: softmax(Q @ K.T / root(K)) @ V,
                lambda Q, K, V: softmax(Q @ K.T) @ V,
                lambda Q, K, V: softmax(_products(Q, K)) @ V,
                lambda Q, K, V: softmax(_products(Q, K) / root(K)) @ V,
            ),
            CAUSAL_LINEAR: (
                lambda Q, K, V: softmax(np.where(np.tri(len(Q)) > 0, Q @ K.T / root(K), -np.inf)) @ V,
                lambda Q, K, V: softmax(np.where(np.tri(len(Q)) > 0, _products(Q, K), -np.inf)) @ V,
            ),
        },
    ),
    Idea(
        "linear-not-normalised",
        "Your rows are sums and no means yet: what do the weights of one query have to add up to?",
        {
            LINEAR: (
                lambda Q, K, V: _products(Q, K) @ V,
                lambda Q, K, V: _products(Q, K) @ V / len(K),
                lambda Q, K, V: _products(Q, K) @ V / root(K),
            ),
            CAUSAL_LINEAR: (
                lambda Q, K, V: _past(_products(Q, K)) @ V,
                lambda Q, K, V: _past(_products(Q, K)) @ V / np.arange(1, len(K) + 1)[:, None],
            ),
        },
    ),
    Idea(
        "normalised-over-the-wrong-axis",
        "You divide by a sum that belongs to something else than one query: along which axis does each sum run?",
        {
            LINEAR: (
                lambda Q, K, V: _products(Q, K) / _products(Q, K).sum(axis=0) @ V,
                lambda Q, K, V: _products(Q, K) / _products(Q, K).sum() @ V,
                lambda Q, K, V: _products(Q, K) @ V / (_phi(Q) @ _phi(K).sum(axis=0)),
                lambda Q, K, V: _phi(Q) @ (_phi(K).T @ V / _phi(K).sum(axis=0)[:, None]),
                lambda Q, K, V: _phi(Q) @ (_phi(K).T @ V) / _phi(Q).sum(axis=1, keepdims=True),
                lambda Q, K, V: _phi(Q) @ (_phi(K).T @ V) / _phi(K).sum(),
                lambda Q, K, V: _products(Q, K) @ V / (_phi(Q) @ _phi(Q).sum(axis=0))[:, None],
                lambda Q, K, V: (_phi(Q) / _phi(Q).sum(1, keepdims=True)) @ ((_phi(K) / _phi(K).sum(0)).T @ V),
                lambda Q, K, V: _products(Q, K) @ V / (_products(Q, K) @ V).sum(axis=1, keepdims=True),
            ),
            CAUSAL_LINEAR: _causal(
                lambda table: _past(table / table.sum(axis=0)),
                lambda table: _past(table) / _past(table).sum(axis=0),
                lambda table: _past(table) / _past(table).sum(),
            ),
        },
    ),
    Idea(
        "future-below-the-line",
        "Above the line your sums end at the query, and below it they run over all keys: where should that one end?",
        {CAUSAL_LINEAR: _causal(lambda table: _past(_shared(table)))},
    ),
    Idea(
        "future-in-the-sums",
        "Every row sees all keys: where do the sums have to end for query i?",
        {CAUSAL_LINEAR: _causal(_shared)},
    ),
    Idea(
        "itself-left-out",
        "The sums end one position too early: may a position see itself?",
        {
            CAUSAL_LINEAR: _causal(
                lambda table: _shared(np.tril(table, -1)),
                lambda table: np.nan_to_num(_shared(np.tril(table, -1))),
                lambda table: np.tril(table, -1) / np.tril(table).sum(axis=1, keepdims=True),
            )
        },
    ),
    Idea(
        "sums-forgotten",
        "Each row sees one position alone: what do S and z keep from one step to the next?",
        {CAUSAL_LINEAR: _causal(lambda table: np.eye(len(table)), lambda table: np.diag(np.diag(table)))},
    ),
    Idea(
        "table-of-all-pairs",
        "Which product can be taken first, so that no array has a row and a column for every position?",
        about=(LARGE,),
    ),
)
