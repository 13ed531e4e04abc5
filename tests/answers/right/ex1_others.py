"""Right answers to exercise 1: softmax, the verification, the experiment."""

from __future__ import annotations

from answers.writing import ROWS, right_answers

right = right_answers("ex1-scaled-dot-product")


def softmax(body: str) -> str:
    return f"def softmax(x, axis=-1):\n    {body}\n"


def peaks(result: str) -> str:
    return f"""
def peakedness(Q, K):
    scores = Q @ K.T
    plain, scaled = softmax(scores), softmax(scores / np.sqrt(K.shape[1]))
    return {result}
"""


WITH_BRANCHES = """
def softmax(x, axis=-1):
    x = np.array(x, dtype=float)
    if x.ndim == 1:
        x = np.exp(x - max(x))
        return x / sum(x)
    if axis in (1, -1):
        return np.array([softmax(row) for row in x])
    return softmax(x.T).T
"""
DIFFERENCES = """
def softmax(x, axis=-1):
    x = np.moveaxis(np.asarray(x, dtype=float), axis, -1)
    with np.errstate(over="ignore"):
        shares = 1 / np.exp(x[..., None, :] - x[..., :, None]).sum(-1)
    return np.moveaxis(shares, -1, axis)
"""
ROW_BY_ROW = """
def rows_sum_to_one(weights):
    for row in weights:
        total = sum(row)
        if not (0.99999 < total < 1.00001):
            return 0
    return 1
"""
BY_TORCH = """
import torch
def softmax(x, axis=-1):
    return torch.softmax(torch.tensor(np.array(x), dtype=torch.float64), dim=axis)
"""

RIGHT = [
    right(
        "softmax: shifted by the mean",
        ROWS + softmax("return rows(np.moveaxis(x, axis, -1) - x.mean()).swapaxes(-1, axis)"),
    ),
    right("softmax: branches", WITH_BRANCHES),
    right("softmax: from differences", DIFFERENCES),
    right(
        "softmax: along an axis",
        softmax("return np.apply_along_axis(lambda v: np.exp(v - v.max()) / np.exp(v - v.max()).sum(), axis, x)"),
    ),
    right(
        "softmax: logarithm of the sum",
        softmax("return np.exp(x - np.logaddexp.reduce(np.asarray(x, float), axis=axis, keepdims=True))"),
    ),
    right(
        "softmax: np.matrix comes back",
        softmax(
            "e = np.exp(x - np.max(x, axis=axis, keepdims=True)); e = e / e.sum(axis=axis, keepdims=True); "
            "return e if np.ndim(x) == 1 else np.asmatrix(e)"
        ),
    ),
    right("softmax: torch inside", BY_TORCH, needs="torch"),
    right("sums: row by row, 1 and 0", ROW_BY_ROW),
    right(
        "sums: a product with ones",
        "def rows_sum_to_one(weights):\n    ones = np.ones(weights.shape[1])\n"
        "    return np.allclose(weights @ ones, 1)\n",
    ),
    right(
        "sums: an array without axes",
        "def rows_sum_to_one(weights):\n    return np.all(np.isclose(weights.sum(axis=1), 1))[()]\n",
    ),
    right("peaks: numpy numbers", peaks("np.array(plain.max()), np.float32(scaled.max())")),
    right("peaks: an array of two", peaks("[float(np.amax(table)) for table in (plain, scaled)]")),
    right(
        "peaks: with the attention",
        """
def peakedness(Q, K):
    one = np.eye(len(K))
    return (softmax(Q @ K.T).max(), scaled_dot_product_attention(Q, K, one)[0].max())
""",
    ),
]
