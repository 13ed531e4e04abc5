"""The right answers, computed with loops over Python floats so that nothing is shared with a vectorised answer.

Canary: attention-course-canary-36d56ca75f459a0d

Sums use `math.fsum`, which rounds once: the results are the exact values to within the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

CANARY = "attention-course-canary-36d56ca75f459a0d"

Allowed = Callable[[int, int], bool]


def everywhere(i: int, j: int) -> bool:
    """Query i may see key j: always."""
    return True


def up_to_itself(i: int, j: int) -> bool:
    """Query i may see key j: no key that comes later."""
    return j <= i


def softmax(scores: list[float]) -> list[float]:
    """exp(s_j) / sum_k exp(s_k), each exponent taken relative to the largest (the factor cancels)."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = math.fsum(powers)
    return [power / total for power in powers]


def softmax_rows(x: np.ndarray) -> np.ndarray:
    """Softmax of every row of a matrix, or of a vector."""
    if x.ndim == 1:
        return np.array(softmax(x.tolist()))
    return np.array([softmax(row) for row in x.tolist()])


def dot_products(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    """S_ij = sum_c Q_ic K_jc, without any scaling."""
    keys = K.tolist()
    return np.array(  # (n_q, n_k)
        [[math.fsum(a * b for a, b in zip(query, key, strict=True)) for key in keys] for query in Q.tolist()]
    )


def weights(Q: np.ndarray, K: np.ndarray, allowed: Allowed = everywhere) -> np.ndarray:
    """softmax over the allowed keys of q.k / sqrt(d_k); the rest are 0 (Vaswani et al. 2017, eq. 1)."""
    width = math.sqrt(Q.shape[1])
    scores = dot_products(Q, K)  # (n_q, n_k)
    table = np.zeros(scores.shape)
    for i, row in enumerate(scores.tolist()):
        seen = [j for j in range(len(row)) if allowed(i, j)]
        if not seen:
            continue  # nothing to share out: the row stays 0
        for j, weight in zip(seen, softmax([row[j] / width for j in seen]), strict=True):
            table[i, j] = weight
    return table


def blend(w: np.ndarray, V: np.ndarray) -> np.ndarray:
    """output_ic = sum_j w_ij V_jc."""
    columns = V.T.tolist()
    return np.array(  # (n_q, d_v)
        [[math.fsum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in w.tolist()]
    )


def project(X: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Each row x of X (n, d_model) becomes x W, (n, width of W)."""
    return blend(X, W)


def attention_bytes(n: int, dtype_bytes: int) -> int:
    """One number for every (query, key): n rows of n."""
    return sum(n * dtype_bytes for _ in range(n)) if n <= 1000 else dtype_bytes * n**2


def ffn_bytes(n: int, d_model: int, dtype_bytes: int, expansion: int) -> int:
    """One number for every (position, hidden unit) with expansion * d_model hidden units."""
    return n * (d_model * expansion) * dtype_bytes


def crossover(d_model: int, expansion: int) -> int:
    """Smallest n >= 1 with n * n >= n * expansion * d_model, found by halving an interval."""
    low, high = 0, 1  # at `low` attention is smaller (or n is 0), at `high` it is not
    while high * high < high * expansion * d_model:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if middle * middle >= middle * expansion * d_model:
            high = middle
        else:
            low = middle
    return high
