"""How answers are written down: short names of checks, and most attention functions in three steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from autograder.sample.collection import Right, Wrong

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


def wrong_answers(assignment: str, checks: Mapping[str, str]) -> Callable[..., Wrong]:
    """A function that makes the wrong answers to an assignment, with checks by the short names in `checks`."""

    def wrong(name: str, code: str, must: str, idea: str | None = None, may: str = "", why: str = "") -> Wrong:
        musts, mays = (tuple(checks[short] for short in text.split()) for text in (must, may))
        return Wrong(name, assignment, code, musts, mays, idea, why)

    return wrong


def right_answers(assignment: str) -> Callable[..., Right]:
    """A function that makes the right answers to an assignment."""

    def right(name: str, code: str, loses: tuple[str, ...] = (), needs: str | None = None) -> Right:
        return Right(name, assignment, code, loses, needs)

    return right
