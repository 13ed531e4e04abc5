"""What the checks of both attention functions share: inputs, tolerances, and how the memory is asked for.

Canary: attention-course-canary-1e8d40b7f6a35c92
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import compare, expect, measuring, reference, words
from autograder.graders.failure import Failure

CANARY = "attention-course-canary-1e8d40b7f6a35c92"

# float32 and another order of summation are off by less than 1e-6 here; the nearest wrong scaling by more than 1e-2.
VALUES = 1e-5
WIDTH = 64  # of the memory checks: fused kernels want Q, K and V of one width
SIZES = (
    (37, 24, 40),
    (11, 40, 3),
)  # (n, d_k, d_v): all different, and neither d_k a width for which wrong scalings agree


def inputs(n: int, d_k: int, d_v: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, K (n, d_k) and V (n, d_v) in float32."""
    random = np.random.default_rng(n)
    Q, K, V = (random.normal(size=(n, width)) for width in (d_k, d_k, d_v))
    return tuple(array.astype(np.float32) for array in (1.5 * Q, 1.5 * K, V))  # type: ignore[return-value]


def require_attention(student: Any, function: str) -> None:
    """Fail where the function is not attention, for two sizes, or changes its inputs."""
    for size in SIZES:
        Q, K, V = inputs(*size)
        result, left = expect.pair(getattr(student, function)(measuring.OUTPUTS, Q, K, V), function)
        n, _, d_v = size
        if isinstance(result, (tuple, list)):
            raise Failure(
                f"Asked for the output alone, {function} returned {words.describe(result)}.",
                "Return one tensor and nothing beside it.",
            )
        got = expect.matrix(result, (n, d_v), "your output")
        want = reference.blend(reference.weights(Q.astype(np.float64), K.astype(np.float64)), V)
        if not compare.close(got, want, VALUES):
            gap = float(np.max(np.abs(got - want)))
            raise Failure(
                f"Your output is off by up to {words.show(gap)} from attention computed in another way, and rounding "
                f"explains no more than {VALUES:g}.",
                "Which number scales the scores, and along which dimension do the weights of one query sum to 1?",
            )
        if not expect.truth(left, "the inputs"):
            raise Failure(
                f"After a call of {function} Q, K or V is another than before, so a second call gives something else.",
                "Operations such as `/=` and those whose names end with an underscore write into a tensor itself.",
            )


def units(student: Any, function: str, lengths: tuple[int, ...]) -> list[tuple[float, float]]:
    """(peak, largest tensor) of the function for each length, in tables of n times n float32."""
    answer = getattr(student, function)(measuring.PEAKS, list(lengths), WIDTH)
    found = expect.several(answer, len(lengths), function)
    pairs = [expect.pair(item, function) for item in found]
    sizes = [tuple(expect.real(part, function) for part in pair) for pair in pairs]
    return [(peak / (4 * n * n), largest / (4 * n * n)) for n, (peak, largest) in zip(lengths, sizes, strict=True)]
