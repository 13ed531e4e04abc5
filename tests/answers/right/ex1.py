"""Right answers to exercise 1: attention."""

from __future__ import annotations

from answers.writing import attention, right_answers

NAME = "scaled_dot_product_attention"
right = right_answers("ex1-scaled-dot-product")

IN_LISTS = """
import math
def softmax(x, axis=-1):
    x = np.asarray(x)
    if x.ndim == 1:
        powers = [math.exp(float(v) - float(max(x))) for v in x]
        return [p / math.fsum(powers) for p in powers]
    if axis == 0:
        return np.transpose(softmax(x.T)).tolist()
    return [softmax(row) for row in x]
def scaled_dot_product_attention(Q, K, V):
    table = [softmax([sum(a * b for a, b in zip(q, k)) / math.sqrt(len(k)) for k in K]) for q in Q]
    out = [[sum(p * v[c] for p, v in zip(row, V)) for c in range(V.shape[1])] for row in table]
    return out, table
def rows_sum_to_one(weights):
    return all(math.isclose(sum(map(float, row)), 1, abs_tol=1e-5) for row in weights)
def peakedness(Q, K):
    _, plain = scaled_dot_product_attention(Q * math.sqrt(K.shape[1]), K, K)
    _, scaled = scaled_dot_product_attention(Q, K, K)
    return [max(map(max, plain)), max(map(max, scaled))]
"""
IN_SINGLE_PRECISION = """
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=np.float32)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
def scaled_dot_product_attention(Q, K, V):
    q, k, v = (np.asarray(t, dtype=np.float32) for t in (Q, K, V))
    weights = softmax(q @ k.T / np.float32(k.shape[1] ** 0.5))
    return weights @ v, weights
def rows_sum_to_one(weights):
    return np.all(np.abs(np.sum(weights, -1) - 1) <= 1e-5)
"""
AS_MATRICES = """
def scaled_dot_product_attention(Q, K, V):
    q, k, v = map(np.asmatrix, (Q, K, V))
    e = q * k.T / np.sqrt(k.shape[1])
    e = np.exp(e - e.max(1))
    e = e / e.sum(1)
    return e * v, e
"""
BY_LOGARITHMS = """
def scaled_dot_product_attention(Q, K, V):
    s = np.einsum("id,jd->ij", Q, K) * K.shape[-1] ** -0.5
    w = np.exp(s - np.logaddexp.reduce(s, axis=1)[:, None])
    return np.einsum("ij,jc->ic", w, V), w
"""
ONLINE = """
def scaled_dot_product_attention(Q, K, V):
    n, m = len(Q), len(K)
    top, total, out = np.full(n, -np.inf), np.zeros(n), np.zeros((n, V.shape[1]))
    for k, v in zip(K, V):
        s = Q @ k / np.sqrt(len(k))
        higher = np.maximum(top, s)
        old, new = np.exp(top - higher), np.exp(s - higher)
        total, out, top = total * old + new, out * old[:, None] + new[:, None] * v, higher
    weights = np.stack([np.exp(Q @ k / np.sqrt(len(k)) - top) / total for k in K], axis=1)
    return out / total[:, None], weights
"""
AS_MASKED_ARRAYS = """
from collections import namedtuple
Result = namedtuple("Result", "output weights")
def scaled_dot_product_attention(Q, K, V):
    weights = softmax(np.ma.array(Q @ K.T / np.sqrt(K.shape[1])))
    return Result(np.ma.array(np.asarray(weights) @ V), weights)
def rows_sum_to_one(weights):
    return np.array(np.allclose(np.einsum("ij->i", weights), 1))
"""
AS_CLASS = """
class Look:
    def __init__(self, queries, keys):
        self.scores = queries @ keys.T / np.sqrt(keys.shape[-1])
    @property
    def weights(self):
        return softmax(self.scores)
    def up(self, values):
        return self.weights @ values
def scaled_dot_product_attention(Q, K, V):
    look = Look(Q, K)
    return look.up(V), look.weights
"""
BY_RECURSION = """
def attend(queries, K, V):
    if len(queries) == 0:
        return []
    row = softmax(K @ queries[0] / np.sqrt(K.shape[1]))
    return [(row @ V, row)] + attend(queries[1:], K, V)
def scaled_dot_product_attention(Q, K, V):
    outputs, weights = zip(*attend(Q, K, V))
    return np.array(outputs), np.array(weights)
"""
WITH_TYPES = '''
from __future__ import annotations
from typing import NamedTuple
Array = np.ndarray
class Attended(NamedTuple):
    """What attention gives."""
    output: Array
    weights: Array
def scaled_dot_product_attention(Q: Array, K: Array, V: Array) -> Attended:
    if Q.shape[1] != K.shape[1]:
        raise ValueError(f"{Q.shape=} does not fit {K.shape=}")
    weights: Array = softmax(Q @ K.T / np.sqrt(Q.shape[1]), axis=-1)
    return Attended(weights @ V, weights)
'''
WITH_FUNCTOOLS = """
from functools import partial, reduce
def scaled_dot_product_attention(Q, K, V):
    weigh = partial(softmax, axis=-1)
    weights = weigh(Q @ K.T / np.sqrt(K.shape[1]))
    output = reduce(np.add, (np.outer(weights[:, j], V[j]) for j in range(len(K))))
    return output, weights
"""
WITH_GLOBALS = """
scale = weights = None
def scaled_dot_product_attention(Q, K, V):
    global scale, weights
    scale = 1 / np.sqrt(K.shape[1])
    weights = softmax(scale * (Q @ K.T))
    return weights @ V, weights
"""
READ_ONLY = """
def scaled_dot_product_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    output = weights @ V
    for array in (output, weights):
        array.setflags(write=False)
    return output, weights
"""
NOT_CONTIGUOUS = """
def scaled_dot_product_attention(Q, K, V):
    wide = np.zeros((2 * len(Q), 3 * len(K)))
    wide[::2, ::3] = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    weights = wide[::2, ::3]
    return np.asfortranarray(weights @ V)[::-1][::-1], weights
"""
DOWN_THE_COLUMNS = """
def scaled_dot_product_attention(Q, K, V):
    turned = K @ Q.T / np.sqrt(K.shape[1])
    shares = softmax(turned, axis=0)
    return (V.T @ shares).T, shares.T
"""
BY_TORCH = """
import torch
def scaled_dot_product_attention(Q, K, V):
    q, k, v = (torch.as_tensor(np.array(t), dtype=torch.float64) for t in (Q, K, V))
    weights = torch.softmax(q @ k.T / k.shape[1] ** 0.5, dim=-1)
    return weights @ v, weights
"""

RIGHT = [
    right("attention: lists and loops", IN_LISTS),
    right("attention: single precision", IN_SINGLE_PRECISION),
    right("attention: np.matrix", AS_MATRICES),
    right("attention: einsum and logarithms", BY_LOGARITHMS),
    right("attention: online softmax", ONLINE),
    right("attention: masked arrays in a named tuple", AS_MASKED_ARRAYS),
    right("attention: a list of two", attention(NAME, result="[weights @ V, weights]")),
    right("attention: a class", AS_CLASS),
    right("attention: recursion", BY_RECURSION),
    right("attention: type hints and a named tuple", WITH_TYPES),
    right("attention: functools", WITH_FUNCTOOLS),
    right("attention: globals", WITH_GLOBALS),
    right("attention: read-only results", READ_ONLY),
    right("attention: results that are not contiguous", NOT_CONTIGUOUS),
    right("attention: down the columns, then turned", DOWN_THE_COLUMNS),
    right("attention: torch inside", BY_TORCH, needs="torch"),
    right(
        "attention: base two",
        attention(
            NAME,
            "Q @ K.T * np.log2(np.e) / np.sqrt(K.shape[1])",
            "np.exp2(scores - scores.max(1)[:, None]) / np.exp2(scores - scores.max(1)[:, None]).sum(1)[:, None]",
        ),
    ),
    right("attention: keys scaled first", attention(NAME, "Q @ (K / np.sqrt(K.shape[1])).T")),
    right(
        "attention: both scaled by the fourth root",
        attention(NAME, "(Q / K.shape[1] ** 0.25) @ (K / K.shape[1] ** 0.25).T"),
    ),
    right("attention: doubled precision", attention(NAME, "Q.astype(np.longdouble) @ K.T / np.sqrt(K.shape[1])")),
    right(
        "attention: a lambda",
        f"{NAME} = lambda Q, K, V: (lambda w: (w @ V, w))"
        "(softmax(np.inner(Q, K) / np.linalg.norm(np.ones(K.shape[1]))))\n",
    ),
    right(
        "attention: other names of arguments, a default",
        f"def {NAME}(queries, keys, values, axis=-1):\n"
        "    shares = softmax(np.dot(queries, np.transpose(keys)) / keys.shape[1] ** .5, axis)\n"
        "    return np.matmul(shares, values), shares\n",
    ),
]
