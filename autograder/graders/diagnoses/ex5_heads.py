"""Wrong ideas about several heads: how they are split, scaled, put together and mixed.

Canary: attention-course-canary-83c5e0d7f4a1b629
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

CANARY = "attention-course-canary-83c5e0d7f4a1b629"

HEADS = "multi_head_attention"
Array = np.ndarray
Split = Callable[[Array, int], Array]  # (n, d_model) -> (n_heads, n, d_head)
Join = Callable[[Array], Array]  # (n_heads, n, d_head) -> (n, d_model)


@cache
def _calls() -> tuple[Call, ...]:
    """n is a multiple of the number of heads in the first two, so that splits of positions do not raise."""
    sizes = (6, 12, 3), (4, 10, 2), (5, 12, 4), (5, 6, 1)
    return tuple(Call(variations.heads(*size).inputs) for size in sizes)


def _strips(table: Array, n_heads: int) -> Array:
    n, d_model = table.shape
    return table.reshape(n, n_heads, d_model // n_heads).transpose(1, 0, 2)


def _reshaped(table: Array, n_heads: int) -> Array:
    n, d_model = table.shape
    return table.reshape(n_heads, n, d_model // n_heads)


def _interleaved(table: Array, n_heads: int) -> Array:
    n, d_model = table.shape
    return table.reshape(n, d_model // n_heads, n_heads).transpose(2, 0, 1)


def _side_by_side(outputs: Array) -> Array:
    n_heads, n, d_head = outputs.shape
    return outputs.transpose(1, 0, 2).reshape(n, n_heads * d_head)


def _joined_by_reshape(outputs: Array) -> Array:
    n_heads, n, d_head = outputs.shape
    return outputs.reshape(n, n_heads * d_head)


def _interleaved_back(outputs: Array) -> Array:
    n_heads, n, d_head = outputs.shape
    return outputs.transpose(1, 2, 0).reshape(n, n_heads * d_head)


def _made(
    split: Split = _strips,
    join: Join = _side_by_side,
    *,
    scale: Callable[[int, int, int], float] = lambda d_head, d_model, n_heads: d_head**0.5,
    weigh: Callable[[Array], Array] = softmax,
    mix: Callable[[Array, Array], Array] = lambda together, W_o: together @ W_o,
    project: Callable[[Array, Array], Array] = lambda X, W: X @ W,
    split_values: Split | None = None,
) -> Any:
    """Multi-head attention of which each step can be replaced."""

    def run(X: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, n_heads: int) -> tuple[Array, Array]:
        d_model = X.shape[1]
        Q, K = (split(project(X, W), n_heads) for W in (W_q, W_k))  # (n_heads, n, d_head)
        V = (split_values or split)(project(X, W_v), n_heads)
        weights = weigh(Q @ K.transpose(0, 2, 1) / scale(d_model // n_heads, d_model, n_heads))
        return mix(join(weights @ V), W_o), weights

    return run


def _by_positions(X: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, n_heads: int) -> tuple[Array, Array]:
    """Each head gets some of the positions, and all columns."""
    parts = [np.stack(np.split(X @ W, n_heads)) for W in (W_q, W_k, W_v)]  # (n_heads, n / n_heads, d_model)
    Q, K, V = parts
    weights = softmax(Q @ K.transpose(0, 2, 1) / (X.shape[1] // n_heads) ** 0.5)
    return np.concatenate(list(weights @ V)) @ W_o, weights


def _among_heads(X: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, n_heads: int) -> tuple[Array, Array]:
    """At each position the heads attend to each other."""
    Q, K, V = (_strips(X @ W, n_heads).transpose(1, 0, 2) for W in (W_q, W_k, W_v))  # (n, n_heads, d_head)
    weights = softmax(Q @ K.transpose(0, 2, 1) / Q.shape[2] ** 0.5)
    return (weights @ V).reshape(X.shape) @ W_o, weights


def _one_head(X: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, n_heads: int) -> tuple[Array, Array]:
    weights = softmax((X @ W_q) @ (X @ W_k).T / X.shape[1] ** 0.5)
    return weights @ (X @ W_v) @ W_o, weights


def _copies(X: Array, W_q: Array, W_k: Array, W_v: Array, W_o: Array, n_heads: int) -> tuple[Array, Array]:
    output, weights = _one_head(X, W_q, W_k, W_v, W_o, n_heads)
    return output, np.stack([weights] * n_heads)


def _first_strip_alone(table: Array, n_heads: int) -> Array:
    return np.stack([_strips(table, n_heads)[0]] * n_heads)


def _all_columns(table: Array, n_heads: int) -> Array:
    return np.stack([table] * n_heads)


def _results(make: Callable[[Array, Array], Any]) -> Any:
    return lambda *inputs: make(*_made()(*inputs))


SUBJECTS = (Subject(HEADS, arrays(2), {CORE: _calls, ARGUMENTS: nothing}, _made()),)

# What an idea of another module makes of this function.
ALSO: dict[str, dict[str, tuple[Any, ...]]] = {
    "no-scaling": {HEADS: (_made(scale=lambda d_head, d_model, n_heads: 1.0),)},
    "softmax-over-queries": {HEADS: (_made(weigh=lambda s: softmax(s, 1)),)},
    "softmax-twice": {HEADS: (_made(weigh=lambda s: softmax(softmax(s))),)},
    "not-normalised": {HEADS: (_made(weigh=np.exp),)},
    "swapped-return": {HEADS: (_results(lambda output, weights: (weights, output)),)},
    "output-only": {HEADS: (_results(lambda output, weights: output),)},
    "scores-returned": {
        HEADS: (
            lambda X, W_q, W_k, W_v, W_o, h: (
                _made()(X, W_q, W_k, W_v, W_o, h)[0],
                _made(weigh=lambda s: s)(X, W_q, W_k, W_v, W_o, h)[1],
            ),
        )
    },
}

IDEAS = (
    Idea(
        "heads-split-along-positions",
        "Your heads share out the positions among them: every head sees all positions, and some of the columns.",
        {HEADS: (_by_positions,)},
    ),
    Idea(
        "attention-among-heads",
        "At each position your heads attend to each other: which two axes should the scores of one head have?",
        {HEADS: (_among_heads,)},
    ),
    Idea(
        "reshape-without-transpose",
        "A reshape alone cuts the numbers in the order of memory, so heads get pieces of rows: try it on 0 to 11.",
        {HEADS: (_made(_reshaped), _made(_reshaped, _joined_by_reshape))},
    ),
    Idea(
        "heads-joined-without-transpose",
        "Your heads are right, but a reshape alone mixes positions when they are put together: which axis comes first?",
        {HEADS: (_made(join=_joined_by_reshape),)},
    ),
    Idea(
        "columns-dealt-in-turn",
        "Your heads get every so many-th column instead of neighbouring ones: which columns does head 0 get?",
        {HEADS: (_made(_interleaved, _interleaved_back), _made(_interleaved), _made(join=_interleaved_back))},
    ),
    Idea(
        "output-matrix-missing",
        "The heads stand side by side and nothing mixes them: which matrix is left over?",
        {HEADS: (_made(mix=lambda together, W_o: together),)},
    ),
    Idea(
        "matrix-transposed",
        "One of your matrices is transposed: which sizes belong together, and which index is summed over?",
        {
            HEADS: (
                _made(mix=lambda together, W_o: together @ W_o.T),
                _made(project=lambda X, W: X @ W.T),
                _made(project=lambda X, W: X @ W.T, mix=lambda together, W_o: together @ W_o.T),
            )
        },
    ),
    Idea(
        "scale-by-d-model",
        "Your scores are calmed for vectors as wide as the model: how long are the vectors that one head compares?",
        {HEADS: (_made(scale=lambda d_head, d_model, n_heads: d_model**0.5),)},
    ),
    Idea(
        "scale-of-a-head",
        "Your scaling does follow the width of a head, but not in the right way: which power of it?",
        {
            HEADS: (
                _made(scale=lambda d_head, d_model, n_heads: d_head),
                _made(scale=lambda d_head, d_model, n_heads: n_heads**0.5),
                _made(scale=lambda d_head, d_model, n_heads: d_head**-0.5),
                _made(scale=lambda d_head, d_model, n_heads: d_model),
            )
        },
    ),
    Idea(
        "one-head-alone",
        "The number of heads makes no difference to your weights: what does each head get for itself?",
        {HEADS: (_one_head, _copies, _made(_first_strip_alone))},
    ),
    Idea(
        "heads-added-up",
        "Your heads are added up or averaged: where does each one stand in the output before the mix?",
        {
            HEADS: (
                _made(_all_columns, lambda o: o.sum(axis=0)),
                _made(_all_columns, lambda o: o.mean(axis=0)),
                _made(join=lambda o: np.tile(o.sum(axis=0), (1, len(o)))),
                _made(join=lambda o: np.tile(o.mean(axis=0), (1, len(o)))),
            )
        },
    ),
    Idea(
        "heads-in-another-order",
        "Your heads are right, but stand in another order side by side: which one is on the left?",
        {HEADS: (_made(join=lambda o: _side_by_side(o[::-1])),)},
    ),
    Idea(
        "values-not-split",
        "The heads share one V: which columns of the values does each head blend?",
        {HEADS: (_made(split_values=_first_strip_alone),)},
    ),
    Idea(
        "weights-of-heads-averaged",
        "One table of weights came back for all heads: each head has its own.",
        {
            HEADS: (
                _results(lambda output, weights: (output, weights.mean(axis=0))),
                _results(lambda output, weights: (output, weights[-1])),
                _results(lambda output, weights: (output, weights[0])),
            )
        },
    ),
)
