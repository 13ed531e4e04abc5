"""Right answers to exercise 2. A mask of truth values loses the check that it can be added, and no other."""

from __future__ import annotations

from answers.writing import right_answers
from answers.wrong.ex2_attention import SCALED, causal

right = right_answers("ex2-causal-masking")
ADDED = ("test_mask_is_there_to_be_added",)


def mask(expression: str) -> str:
    return f"def causal_mask(n):\n    return {expression}\n"


def verdict(expression: str) -> str:
    return f"def is_causal(weights):\n    return {expression}\n"


IN_LISTS = """
import math
def causal_mask(n):
    return [[0 if j <= i else -math.inf for j in range(n)] for i in range(n)]
def causal_attention(Q, K, V):
    table, out = [], []
    for i, q in enumerate(Q):
        s = [float(q @ K[j]) / math.sqrt(len(q)) for j in range(i + 1)]
        e = [math.exp(x - max(s)) for x in s]
        table.append([x / sum(e) for x in e] + [0] * (len(K) - i - 1))
        out.append([sum(p * v[c] for p, v in zip(table[-1], V)) for c in range(V.shape[1])])
    return out, table
def is_causal(weights):
    return all(abs(weights[i][j]) < 1e-6 for i in range(len(weights)) for j in range(i + 1, len(weights)))
"""
RENORMALISED = causal(SCALED, "rows(scores) * np.tri(n)").replace(
    "return weights @", "weights = weights / weights.sum(1, keepdims=True); return weights @"
)
IN_SINGLE_PRECISION = """
def causal_mask(n):
    return np.triu(np.full((n, n), np.float32(-1e9)), 1)
def causal_attention(Q, K, V):
    Q, K, V = (np.asarray(t, dtype=np.float32) for t in (Q, K, V))
    weights = softmax(Q @ K.T / np.float32(np.sqrt(K.shape[1])) + causal_mask(len(Q)))
    return weights @ V, weights
"""
AS_MATRICES = """
def causal_attention(Q, K, V):
    q, k, v = map(np.asmatrix, (Q, K, V))
    s = q * k.T / np.sqrt(k.shape[1]) + causal_mask(len(q))
    e = np.exp(s - s.max(1))
    e = e / e.sum(1)
    return [e * v, e]
def is_causal(weights):
    return np.bool_(np.abs(np.asmatrix(weights)[np.triu_indices(len(weights), 1)]).sum() < 1e-6)
"""
MASKED_ARRAY = """
def causal_attention(Q, K, V):
    s = np.ma.array(Q @ K.T / np.sqrt(K.shape[1]), mask=np.tri(len(Q)) < 1)
    e = np.ma.exp(s - s.max(1).data[:, None])
    w = e / e.sum(1).data[:, None]
    return w.filled(0) @ V, w
"""
TRUTH = """
def causal_mask(n):
    return np.tri(n, dtype=bool)
def causal_attention(Q, K, V):
    s = np.where(causal_mask(len(Q)), Q @ K.T / np.sqrt(K.shape[1]), -np.inf)
    weights = softmax(s)
    return weights @ V, weights
"""
BLOCKED = """
def causal_mask(n):
    place = np.arange(n)
    return place[None] > place[:, None]
def causal_attention(Q, K, V):
    s = Q @ K.T / np.sqrt(K.shape[1])
    s[causal_mask(len(Q))] = -np.inf
    return softmax(s) @ V, softmax(s)
"""
ONES = """
def causal_mask(n):
    return np.tril(np.ones((n, n), dtype=int))
def causal_attention(Q, K, V):
    s = Q @ K.T / np.sqrt(K.shape[1])
    weights = softmax(np.where(causal_mask(len(s)) == 1, s, -1e30))
    return weights @ V, weights
"""
GROWING = """
def causal_attention(Q, K, V):
    n = len(Q)
    weights, output = np.zeros((n, n)), np.zeros((n, V.shape[1]))
    for now in range(n):
        seen = slice(0, now + 1)
        weights[now, seen] = softmax(K[seen] @ Q[now] / np.sqrt(K.shape[1]))
        output[now] = weights[now, seen] @ V[seen]
    return output, weights
"""
CUMULATIVE = """
from functools import lru_cache
@lru_cache
def causal_mask(n):
    table = np.zeros((n, n))
    table[np.triu_indices(n, k=1)] = float("-inf")
    table.setflags(write=False)
    return table
"""
IN_PLACE_OF_A_COPY = """
def causal_attention(Q, K, V):
    Q = Q.copy()
    Q /= Q.shape[1] ** 0.5
    s = Q @ K.T
    s += causal_mask(len(Q))
    s -= s.max(axis=1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(axis=1, keepdims=True)
    return (s @ V, s)
"""
BY_TORCH = """
import torch
def causal_attention(Q, K, V):
    q, k, v = (torch.tensor(np.array(t), dtype=torch.float64) for t in (Q, K, V))
    blocked = torch.ones(len(q), len(q), dtype=torch.bool).triu(1)
    weights = (q @ k.T / k.shape[1] ** 0.5).masked_fill(blocked, float("-inf")).softmax(-1)
    return (weights @ v).numpy(), weights.numpy()
"""

RIGHT = [
    right("causal: lists and loops", IN_LISTS),
    right("causal: mask after softmax, then renormalised", RENORMALISED),
    right("causal: single precision and -1e9", IN_SINGLE_PRECISION),
    right("causal: np.matrix", AS_MATRICES),
    right("causal: masked array", MASKED_ARRAY),
    right("causal: position after position", GROWING),
    right("causal: in place of a copy", IN_PLACE_OF_A_COPY),
    right("causal: truth values inside", causal()),
    right("causal: torch inside", BY_TORCH, needs="torch"),
    right("mask: truth values inside and out", TRUTH, ADDED),
    right("mask: truth values, True for blocked", BLOCKED, ADDED),
    right("mask: ones and zeros", ONES, ADDED),
    right("mask: -1e4", mask("-1e4 * (1 - np.tri(n))")),
    right("mask: whole numbers", mask("np.triu(np.full((n, n), -10**9), 1)")),
    right("mask: the lowest float", mask("np.triu(np.full((n, n), np.finfo(float).min), 1)")),
    right("mask: remembered and read-only", CUMULATIVE),
    right(
        "mask: a logarithm",
        "def causal_mask(n):\n    with np.errstate(divide='ignore'):\n        return np.log(np.tri(n))\n",
    ),
    right("mask: np.matrix", mask("np.asmatrix(np.triu(np.full((n, n), -np.inf), 1))") + causal()),
    right("verdict: allclose", verdict("np.allclose(np.triu(weights, 1), 0)")),
    right(
        "verdict: the largest",
        verdict("len(weights) < 2 or bool(np.abs(weights[np.triu_indices(len(weights), 1)]).max() < 1e-6)"),
    ),
    right("verdict: whole matrix", verdict("int(np.allclose(weights, np.tril(weights), rtol=0, atol=1e-7))")),
]
