"""Right answers to exercise 5."""

from __future__ import annotations

from answers.writing import right_answers
from answers.wrong.ex5_heads import LIMIT, heads
from answers.wrong.ex5_masks import combine, masked, padding, prefix
from answers.wrong.ex5_shares import jacobian, linear, sparse

right = right_answers("ex5-variations")

MASKS_IN_LISTS = """
def padding_mask(lengths, n):
    if any(not 0 <= length <= n for length in lengths):
        raise ValueError("length")
    row = lambda length: [0 if j < length else float("-inf") for j in range(n)]
    return [[row(length) for _ in range(n)] for length in lengths]
def prefix_mask(n, prefix):
    if prefix not in range(n + 1):
        raise ValueError("prefix")
    return [[0 if j <= i or j < prefix else -10**6 for j in range(n)] for i in range(n)]
def combine(*masks):
    return np.add.reduce(np.broadcast_arrays(*masks)).tolist()
"""
ONE_ROW_STRETCHED = """
class LengthError(ValueError):
    pass
def padding_mask(lengths, n):
    for length in lengths:
        if length > n or length < 0:
            raise ValueError(f"{length} is no length")
    lengths = np.array(lengths, dtype=np.int64).reshape(-1, 1, 1)
    return np.where(np.arange(n) < lengths, np.float32(0), np.float32(-1e9))
"""
READ_ONLY = """
def padding_mask(lengths, n):
    if np.any(np.less(lengths, 0)) or np.any(np.greater(lengths, n)):
        raise ValueError
    table = np.log(np.repeat([[[1.0] * int(m) + [0.0] * (n - int(m))] for m in lengths], n, axis=1))
    return np.broadcast_to(table, (len(lengths), n, n))
"""
LOOPS = """
def masked_attention(Q, K, V, mask):
    output, weights = np.zeros((len(Q), V.shape[1])), np.zeros((len(Q), len(K)))
    for i, query in enumerate(Q):
        seen = np.flatnonzero(mask[i] > -1e4)
        if len(seen):
            weights[i, seen] = softmax(K[seen] @ query / len(query) ** 0.5)
            output[i] = weights[i, seen] @ V[seen]
    return output, weights
"""
IN_LISTS = """
import math
def masked_attention(Q, K, V, mask):
    out, table = [], []
    for q, m in zip(Q, mask):
        s = [sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q)) for k in K]
        top = max([x for x, b in zip(s, m) if b == 0], default=0.0)
        e = [math.exp(x - top) if b == 0 else 0.0 for x, b in zip(s, m)]
        table.append([x / (sum(e) or 1.0) for x in e])
        out.append([sum(w * v for w, v in zip(table[-1], column)) for column in V.T])
    return [out, table]
"""
CLEARED = """
def masked_attention(Q, K, V, mask):
    with np.errstate(all="ignore"):
        weights = softmax(Q @ K.T / np.sqrt(Q.shape[1]) + np.where(mask < -1, -np.inf, 0))
    weights[(mask < -1).all(axis=1)] = 0
    return np.einsum("ij,jc->ic", weights, V), weights
"""
IN_SINGLE_PRECISION = """
def masked_attention(Q, K, V, mask):
    Q, K, V, mask = (np.asarray(t, dtype=np.float32) for t in (Q, K, V, mask))
    weights = np.nan_to_num(softmax(np.where(mask <= -1e4, -np.inf, Q @ K.T / np.float32(K.shape[1] ** 0.5))))
    return weights @ V, weights
def sparsemax(x):
    x = np.asarray(x, dtype=np.float32)
    s = np.sort(x)[::-1]
    t = (np.cumsum(s) - 1) / np.arange(1, len(x) + 1)
    return np.maximum(x - t.max(), 0)
"""
BISECTION = """
def softmax_jacobian(p):
    m = len(p)
    return [[p[i] * ((i == j) - p[j]) for j in range(m)] for i in range(m)]
def sparsemax(x):
    low, high = min(x) - 1, max(x)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(max(v - middle, 0) for v in x) > 1 else (low, middle)
    return [max(v - low, 0) for v in x]
"""
COUNTED = """
def sparsemax(x):
    s, total, tau = sorted(x, reverse=True), 0.0, None
    for k, value in enumerate(s, start=1):
        total += value
        if 1 + k * value > total:
            tau = (total - 1) / k
    return np.clip(x - tau, 0, None)
"""
ACTIVE_SET = """
def sparsemax(x):
    kept = np.ones(len(x), dtype=bool)
    while True:
        tau = (x[kept].sum() - 1) / kept.sum()
        if (x[kept] > tau).all():
            return np.where(kept, x - tau, 0.0)
        kept &= x > tau
"""
IN_CHUNKS = """
def linear_attention(Q, K, V):
    k = feature_map(K)
    out = []
    for start in range(0, len(Q), 512):
        q = feature_map(Q[start:start + 512])
        top = sum(q @ (k[j:j + 512].T @ V[j:j + 512]) for j in range(0, len(k), 512))
        out.append(top / (q @ k.sum(0))[:, None])
    return np.concatenate(out)
"""
AS_MATRICES = """
def linear_attention(Q, K, V):
    q, k, v = np.asmatrix(feature_map(Q)), np.asmatrix(feature_map(K)), np.asmatrix(V)
    return (q * (k.T * v)) / (q * k.sum(axis=0).T)
"""
CUMULATED = """
def causal_linear_attention(Q, K, V):
    q, k = feature_map(Q), feature_map(K)
    S = np.cumsum(k[:, :, None] * V[:, None, :], axis=0)
    z = np.cumsum(k, axis=0)
    return np.einsum("id,idc->ic", q, S) / np.sum(q * z, axis=1, keepdims=True)
"""
TRIANGLE = """
def causal_linear_attention(Q, K, V):
    table = np.tril(feature_map(Q) @ feature_map(K).T)
    return table / table.sum(axis=1, keepdims=True) @ V
"""
STEP_BY_STEP = """
def causal_linear_attention(Q, K, V):
    return np.vstack([linear_attention(Q[i:i + 1], K[:i + 1], V[:i + 1]) for i in range(len(Q))])
"""
OWN_MAP = """
import math
def phi(x):
    return [max(v, 0) + math.exp(min(v, 0)) for v in x]
def linear_attention(Q, K, V):
    k = np.array([phi(row) for row in K])
    columns, total = [k.T @ c for c in V.T], k.sum(0)
    return [[float(np.dot(q, column) / np.dot(q, total)) for column in columns] for q in map(phi, Q)]
"""
STRIP_BY_STRIP = """
def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    d, rest = divmod(X.shape[1], n_heads)
    if rest:
        raise ValueError("n_heads")
    output, weights = 0, []
    for h in range(n_heads):
        strip = slice(h * d, h * d + d)
        Q, K, V = (X @ W[:, strip] for W in (W_q, W_k, W_v))
        weights.append(softmax(Q @ K.T / d ** 0.5))
        output = output + weights[-1] @ V @ W_o[strip]
    return output, weights
"""
NATURAL_ERROR = heads(limit="False")
SPLIT = """
def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    strips = [np.split(X @ W, n_heads, axis=1) for W in (W_q, W_k, W_v)]
    weights = [softmax(q @ k.T / np.sqrt(k.shape[1])) for q, k in zip(*strips[:2])]
    return np.hstack([w @ v for w, v in zip(weights, strips[2])]) @ W_o, np.array(weights)
"""
EINSUM = """
def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    n, d_model = X.shape
    if d_model % n_heads:
        raise ValueError(n_heads)
    q, k, v = (np.einsum("nm,mhd->hnd", X, W.reshape(d_model, n_heads, -1)) for W in (W_q, W_k, W_v))
    w = softmax(np.einsum("hid,hjd->hij", q, k) / np.sqrt(q.shape[-1]))
    return np.einsum("hij,hjd,hdm->im", w, v, W_o.reshape(n_heads, -1, d_model)), w
"""
BY_TORCH = """
import torch
def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    if X.shape[1] % n_heads:
        raise ValueError("n_heads")
    x, *matrices = (torch.tensor(np.array(t), dtype=torch.float64) for t in (X, W_q, W_k, W_v, W_o))
    q, k, v = ((x @ w).unflatten(1, (n_heads, -1)).transpose(0, 1) for w in matrices[:3])
    weights = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)
    return (weights @ v).transpose(0, 1).flatten(1) @ matrices[3], weights
"""

RIGHT = [
    right("variations: masks in lists", MASKS_IN_LISTS),
    right("padding: one row, stretched", ONE_ROW_STRETCHED),
    right("padding: logarithm, read-only", READ_ONLY),
    right("padding: -1e4", padding("j >= length", "-1e4")),
    right("padding: whole numbers", padding("j >= length", "-10**9").replace("0.0", "0")),
    right("prefix: the lowest float", prefix("(j > i) & (j >= prefix)", "np.finfo(float).min")),
    right(
        "prefix: np.matrix",
        prefix("(j > i) & (j >= prefix)")
        .replace("return np.where", "return np.asmatrix(np.where")
        .replace("0.0)\n", "0.0))\n"),
    ),
    right("combine: the lowest", combine("return np.min(np.broadcast_arrays(*masks), axis=0)")),
    right("combine: sum", combine("return sum(masks)")),
    right(
        "combine: truth values inside",
        combine(
            "blocked = masks[0] < 0",
            "for mask in masks:",
            "    blocked = blocked | (mask < 0)",
            "return np.where(blocked, -1e9, 0)",
        ),
    ),
    right("masked: loops over queries", LOOPS),
    right("masked: lists", IN_LISTS),
    right("masked: cleared afterwards", CLEARED),
    right("masked: zeros by np.where", masked()),
    right("masked and sparsemax: single precision", IN_SINGLE_PRECISION),
    right(
        "masked: exponentials times open",
        masked(
            weights="np.exp(scores - np.maximum(scores.max(1, keepdims=True), -1e30)); "
            "weights = weights / np.maximum(weights.sum(1, keepdims=True), 1e-300)"
        ),
    ),
    right("jacobian and sparsemax: lists, bisection", BISECTION),
    right("jacobian: identity", jacobian("(np.eye(len(p)) - p) * p[:, None]")),
    right("jacobian: einsum", jacobian("np.einsum('i,ij->ij', p, np.identity(p.size) - p[np.newaxis])")),
    right("sparsemax: running sums", sparse()),
    right("sparsemax: counted", COUNTED),
    right("sparsemax: active set", ACTIVE_SET),
    right("linear: in chunks", IN_CHUNKS),
    right("linear: np.matrix", AS_MATRICES),
    right("linear: a feature map of its own, lists", OWN_MAP),
    right(
        "linear: ones beside V",
        linear("(lambda t: t[:, :-1] / t[:, -1:])(q @ (k.T @ np.column_stack([V, np.ones(len(V))])))"),
    ),
    right("linear: keys divided first", linear("q @ (k.T @ V) / np.sum(q * k.sum(axis=0), axis=1, keepdims=True)")),
    right("causal linear: cumulated", CUMULATED),
    right("causal linear: a triangle", TRIANGLE),
    right("causal linear: step by step", STEP_BY_STEP),
    right("heads: strip by strip", STRIP_BY_STRIP),
    right("heads: refused by reshape itself", NATURAL_ERROR),
    right("heads: np.split", SPLIT),
    right("heads: einsum", EINSUM),
    right("heads: transposed", heads(limit=f"{LIMIT} != 0")),
    right("heads: torch inside", BY_TORCH, needs="torch"),
]
