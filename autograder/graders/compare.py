"""When two results count as equal, where they differ, and by what factor scores were scaled before a softmax.

Canary: attention-course-canary-bae412ac22061668
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autograder.graders import words
from autograder.graders.failure import Failure

CANARY = "attention-course-canary-bae412ac22061668"

# Right answers in another order of summation, or in float32, stay within 1.6e-7 of the reference on the probes;
# the nearest wrong one is 1.5e-4 away.
VALUES = 1e-6
# With scores in the thousands float32 itself is off by about 1e-4.
STRESS = 5e-3
# A scaling is recognised to 1 %: weights rounded to three digits still show theirs, and the nearest wrong scaling
# (the square root of d_k + 1) is off by 2 % or more.
SCALING = 0.01
SPARE_CELLS = 4  # more cells than unknowns, without which everything fits


def close(got: np.ndarray, want: np.ndarray, atol: float = VALUES) -> bool:
    """Every entry within `atol`; NaN is close to nothing."""
    if got.shape != want.shape:
        return False
    with np.errstate(all="ignore"):
        return bool(np.all(np.abs(got - want) <= atol))


def same_or_both_nan(got: np.ndarray, want: np.ndarray, atol: float = VALUES) -> bool:
    """Every entry within `atol`, or NaN in both."""
    return (
        got.shape == want.shape
        and close(got[~np.isnan(want)], want[~np.isnan(want)], atol)
        and bool(np.all(np.isnan(got[np.isnan(want)])))
    )


def place(index: tuple[int, ...]) -> str:
    """An index in words."""
    if len(index) == 1:
        return f"index {index[0]} (counting from 0)"
    return f"row {index[0]}, column {index[1]} (counting from 0)"


def worst(got: np.ndarray, want: np.ndarray) -> tuple[int, ...]:
    """The index of the largest difference; NaN counts as the largest of all."""
    with np.errstate(all="ignore"):
        gaps = np.nan_to_num(np.abs(got - want), nan=np.inf)
    return tuple(int(index) for index in np.unravel_index(int(np.argmax(gaps)), gaps.shape))


def require_close(got: np.ndarray, want: np.ndarray, what: str, advice: str) -> None:
    """Fail with the entry that is furthest off."""
    if not close(got, want):
        index = worst(got, want)
        raise Failure(
            f"At {place(index)} {what} came back with {words.show(got[index])}, and that is not the right value.",
            advice,
        )


@dataclass(frozen=True)
class Fit:
    """log w_ij = factor * S_ij + (something for row i) [+ (something for column j)], as well as it can be met."""

    factor: float
    fitted: np.ndarray  # the weights that the fit predicts, at the cells used
    misfit: float  # root mean square of the logarithm's errors

    @property
    def divisor(self) -> float:
        """What the scores look divided by."""
        return 1 / self.factor if self.factor else np.inf


def fit(weights: np.ndarray, scores: np.ndarray, cells: np.ndarray, *, columns: bool = True) -> Fit | None:
    """How the weights depend on the scores, whatever they were normalised over; None where that cannot be read.

    The terms per row and per column soak up every normalisation (over rows, over columns, over everything, none),
    so the factor tells the scaling alone.
    """
    seen = weights[cells]
    if not np.all(np.isfinite(seen)) or not np.all(seen > 0):
        return None
    rows, keys = np.nonzero(cells)
    design = np.zeros((len(seen), 1 + weights.shape[0] + (weights.shape[1] if columns else 0)))
    design[:, 0] = scores[cells]
    design[np.arange(len(seen)), 1 + rows] = 1
    if columns:
        design[np.arange(len(seen)), 1 + weights.shape[0] + keys] = 1
    logs = np.log(seen)
    solution, _, rank, _ = np.linalg.lstsq(design, logs, rcond=None)
    if len(seen) < rank + SPARE_CELLS:
        return None
    predicted = design @ solution
    with np.errstate(all="ignore"):
        return Fit(float(solution[0]), np.exp(predicted), float(np.sqrt(np.mean((logs - predicted) ** 2))))
