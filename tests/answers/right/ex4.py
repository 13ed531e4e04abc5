"""Right answers to exercise 4."""

from __future__ import annotations

from answers.writing import right_answers
from answers.wrong.ex4 import cross

right = right_answers("ex4-cross-attention")

IN_LISTS = """
def project(X_dec, X_enc, W_q, W_k, W_v):
    def times(X, W):
        return [[sum(a * b for a, b in zip(row, column)) for column in W.T] for row in X]
    return [times(X_dec, W_q), times(X_enc, W_k), times(X_enc, W_v)]
def cross_attention(Q, K, V):
    rows = [softmax(np.array([q @ k / np.sqrt(len(k)) for k in K])) for q in Q]
    return [sum(p * v for p, v in zip(row, V)) for row in rows], rows
"""
IN_SINGLE_PRECISION = """
def project(*arrays):
    X_dec, X_enc, W_q, W_k, W_v = (np.asarray(a, dtype=np.float32) for a in arrays)
    return X_dec @ W_q, X_enc @ W_k, X_enc @ W_v
"""
AS_MATRICES = """
def project(X_dec, X_enc, W_q, W_k, W_v):
    return np.asmatrix(X_dec) * W_q, np.asmatrix(X_enc) * W_k, np.asmatrix(X_enc) * W_v
def cross_attention(queries, keys, values):
    e = np.asmatrix(queries) * keys.T / np.linalg.norm(np.ones(keys.shape[1]))
    e = np.exp(e - e.max(axis=1))
    w = np.asfortranarray(e / e.sum(axis=1))
    return np.asmatrix(w) * values, w
"""
NAMED = """
from collections import namedtuple
Roles = namedtuple("Roles", ["Q", "K", "V"])
def project(X_dec, X_enc, W_q, W_k, W_v):
    return Roles(Q=X_dec.dot(W_q), K=X_enc.dot(W_k), V=X_enc.dot(W_v))
"""
TOGETHER = """
def project(X_dec, X_enc, W_q, W_k, W_v):
    both = X_enc @ np.concatenate([W_k, W_v], axis=1)
    K, V = np.split(both, [W_k.shape[1]], axis=1)
    return np.tensordot(X_dec, W_q, axes=1), K, V
"""
GENERATOR = """
def project(X_dec, X_enc, W_q, W_k, W_v):
    def roles():
        for X, W in ((X_dec, W_q), (X_enc, W_k), (X_enc, W_v)):
            yield X @ W
    return tuple(roles())
"""
ONLINE = """
def cross_attention(Q, K, V):
    best, total = np.full(len(Q), -np.inf), np.zeros(len(Q))
    out, powers = np.zeros((len(Q), V.shape[1])), np.zeros((len(Q), 0))
    for key, value in zip(K, V):
        score = Q @ key / len(key) ** 0.5
        top = np.maximum(best, score)
        fade, new = np.exp(best - top), np.exp(score - top)
        total, best = fade * total + new, top
        out = fade[:, None] * out + np.outer(new, value)
        powers = np.column_stack([fade[:, None] * powers, new])
    return out / total[:, None], powers / total[:, None]
"""
CLASS = """
class Reader:
    def __init__(self, keys, values):
        self.keys, self.values = keys / np.sqrt(keys.shape[-1]), values
    def __call__(self, query):
        share = softmax(self.keys @ query)
        return share @ self.values, share
def cross_attention(Q, K, V):
    read = Reader(K, V)
    output, weights = map(np.vstack, zip(*map(read, Q)))
    return output, weights
"""
MASKED = """
def cross_attention(Q, K, V):
    weights = np.ma.array(softmax(Q @ K.T / np.sqrt(K.shape[1])), mask=False)
    return np.ma.array(weights.data @ V), weights
"""
BY_TORCH = """
import torch
def cross_attention(Q, K, V):
    q, k, v = (torch.tensor(np.array(t), dtype=torch.float64) for t in (Q, K, V))
    weights = torch.softmax(q @ k.T * k.shape[1] ** -0.5, -1)
    return weights @ v, weights
"""

RIGHT = [
    right("cross: lists and rows", IN_LISTS),
    right("cross: np.matrix", AS_MATRICES),
    right("cross: online softmax", ONLINE),
    right("cross: a class, query by query", CLASS),
    right("cross: masked arrays", MASKED),
    right("cross: torch inside", BY_TORCH, needs="torch"),
    right(
        "cross: einsum",
        cross("np.einsum('id,jd->ij', Q, K) / K.shape[1]**0.5", result="np.einsum('ij,jc->ic', weights, V), weights"),
    ),
    right(
        "cross: inner and tensordot",
        cross("np.inner(Q, K) / np.sqrt(Q.shape[1])", result="np.tensordot(weights, V, 1), weights"),
    ),
    right("cross: queries scaled first", cross("(Q / np.sqrt(Q.shape[1])) @ K.T")),
    right(
        "cross: logarithm of the sum", cross(weights="np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])")
    ),
    right("project: extended precision", IN_SINGLE_PRECISION.replace("np.float32", "np.longdouble")),
    right("project: single precision", IN_SINGLE_PRECISION),
    right("project: a named tuple", NAMED),
    right("project: keys and values at once", TOGETHER),
    right("project: a generator inside", GENERATOR),
]
