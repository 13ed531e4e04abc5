"""What an answer to try the hidden checks with is, and how most of the attention functions among them are written.

A snippet defines only the functions that it changes; the others are the model answer's.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Broken:
    """An answer with one mistake. It fails `check`, those in `also` that look at the same thing, and no other."""

    check: str
    assignment: str
    code: str
    also: tuple[str, ...] = ()
    misconception: str | None = None


@dataclass(frozen=True)
class Right:
    """A right answer written in another way than the model answer. It passes every check."""

    name: str
    assignment: str
    code: str


ROWS = """
def rows(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""


def attention(
    name: str,
    scores: str = "Q @ K.T / np.sqrt(K.shape[1])",
    weights: str = "rows(scores)",
    result: str = "weights @ V, weights",
) -> str:
    """An attention function with its own softmax, in three steps of which any can be replaced."""
    return f"""{ROWS}
def {name}(Q, K, V):
    n = len(Q)
    scores = {scores}
    weights = {weights}
    return {result}
"""
