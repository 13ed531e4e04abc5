"""Broken and right answers to exercise 1."""

from __future__ import annotations

from snippets import ROWS, Broken, Right, attention

ASSIGNMENT = "ex1-scaled-dot-product"
NAME = "scaled_dot_product_attention"


def softmax(body: str) -> str:
    return f"def softmax(x, axis=-1):\n    {body}\n"


SOFTMAX_OF_ROWS_ONLY = softmax("e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)")
SOFTMAX_OF_COLUMNS_ONLY = softmax("e = np.exp(x - x.max(0)); return e / e.sum(0)")
SOFTMAX_INTO_A_LIKE = softmax(
    "e = np.exp(x - x.max(axis, keepdims=True)); out = np.zeros_like(x); "
    "out[...] = e / e.sum(axis, keepdims=True); return out"
)
SOFTMAX_WITHOUT_EXP = softmax("return x / x.sum(axis, keepdims=True)")
SOFTMAX_IN_PLACE = softmax("x -= x.max(axis, keepdims=True); e = np.exp(x); return e / e.sum(axis, keepdims=True)")
SOFTMAX_WITHOUT_MAX = softmax("e = np.exp(x); return e / e.sum(axis, keepdims=True)")
SOFTMAX_CLIPPED = softmax("e = np.exp(np.clip(x, -500, 500)); return e / e.sum(axis, keepdims=True)")
SOFTMAX_GLOBAL_MAX = softmax("e = np.exp(x - x.max()); return e / e.sum(axis, keepdims=True)")

WITH_LOST_FRACTIONS = """
def scaled_dot_product_attention(Q, K, V):
    weights = np.zeros_like(Q @ K.T)
    weights[...] = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    return weights @ V, weights
"""
WITH_DOUBLED_QUERY = """
def scaled_dot_product_attention(Q, K, V):
    Q *= 2
    weights = softmax(Q @ K.T / 2 / np.sqrt(K.shape[1]))
    return weights @ V, weights
"""
PEAKS = """
def peakedness(Q, K):
    scores = Q @ K.T
    plain, scaled = softmax(scores), softmax(scores / np.sqrt(K.shape[1]))
    return {}
"""
PEAKS_IN_PLACE = """
def peakedness(Q, K):
    plain = softmax(Q @ K.T).max()
    Q /= np.sqrt(K.shape[1])
    return plain, softmax(Q @ K.T).max()
"""


def rows_sum(expression: str) -> str:
    return f"def rows_sum_to_one(weights):\n    return {expression}\n"


def broken(check: str, code: str, *also: str, idea: str | None = None) -> Broken:
    return Broken(check, ASSIGNMENT, code, also, idea)


BROKEN = [
    broken("test_softmax_of_a_vector", SOFTMAX_INTO_A_LIKE),
    broken(
        "test_softmax_of_each_row",
        SOFTMAX_OF_COLUMNS_ONLY,
        "test_attention_rows_sum_to_one",
        idea="softmax-over-queries",
    ),
    broken("test_softmax_follows_its_axis_argument", SOFTMAX_OF_ROWS_ONLY),
    broken(
        "test_softmax_ignores_a_shift",
        SOFTMAX_WITHOUT_EXP,
        "test_softmax_of_a_vector",
        "test_softmax_of_each_row",
        "test_softmax_follows_its_axis_argument",
        "test_softmax_of_very_large_scores",
        "test_softmax_of_rows_far_apart",
        "test_attention_rows_sum_to_one",
    ),
    broken("test_softmax_leaves_its_argument_alone", SOFTMAX_IN_PLACE, idea="arguments-changed"),
    broken(
        "test_softmax_of_very_large_scores",
        SOFTMAX_WITHOUT_MAX,
        "test_softmax_of_rows_far_apart",
        idea="no-max-subtraction",
    ),
    broken("test_softmax_of_very_large_scores", SOFTMAX_CLIPPED, "test_softmax_of_rows_far_apart"),
    broken("test_softmax_of_rows_far_apart", SOFTMAX_GLOBAL_MAX, idea="one-global-max"),
    broken(
        "test_attention_returns_output_and_weights",
        attention(NAME, result="(weights @ V).T, weights"),
        "test_attention_output_blends_the_values",
        "test_attention_at_other_lengths",
        "test_attention_of_whole_numbers",
    ),
    broken(
        "test_attention_rows_sum_to_one",
        attention(NAME, weights="rows(scores.T).T"),
        idea="softmax-over-queries",
    ),
    broken(
        "test_attention_rows_sum_to_one",
        attention(NAME, weights="np.exp(scores) / np.exp(scores).sum()"),
        "test_attention_of_very_large_scores",
        idea="softmax-over-everything",
    ),
    broken("test_attention_weights_follow_the_scores", attention(NAME, scores="K @ Q.T / np.sqrt(K.shape[1])")),
    broken(
        "test_attention_weights_follow_the_scores",
        attention(NAME, weights="rows(scores).round(3)"),
        "test_attention_rows_sum_to_one",
    ),
    broken(
        "test_attention_weights_follow_the_scores",
        attention(NAME, weights="rows(rows(scores))"),
        "test_scores_are_scaled_before_the_softmax",
        "test_scaling_follows_the_width",
    ),
    broken("test_attention_output_blends_the_values", attention(NAME, result="weights.T @ V, weights")),
    broken("test_attention_output_blends_the_values", attention(NAME, result="weights @ V / 2, weights")),
    broken("test_attention_at_other_lengths", attention(NAME, result="np.squeeze(weights @ V), weights")),
    broken("test_attention_of_whole_numbers", WITH_LOST_FRACTIONS, idea="integer-buffer"),
    broken("test_attention_leaves_its_arguments_alone", WITH_DOUBLED_QUERY, idea="arguments-changed"),
    broken(
        "test_attention_of_very_large_scores",
        attention(NAME, weights="np.exp(scores) / np.exp(scores).sum(1, keepdims=True)"),
        idea="no-max-subtraction",
    ),
    broken("test_attention_of_very_large_scores", attention(NAME, weights="rows(np.clip(scores, -300, 300))")),
    broken(
        "test_scores_are_scaled_before_the_softmax",
        attention(NAME, scores="Q @ K.T"),
        "test_scaling_follows_the_width",
        idea="no-scaling",
    ),
    broken(
        "test_scores_are_scaled_before_the_softmax",
        attention(NAME, scores="Q @ K.T / K.shape[1]"),
        "test_scaling_follows_the_width",
        idea="scale-by-d-k",
    ),
    broken(
        "test_scores_are_scaled_before_the_softmax",
        attention(NAME, scores="Q @ K.T / np.sqrt(2 * K.shape[1])"),
        idea="scale-wrong-function",
    ),
    broken("test_scaling_follows_the_width", attention(NAME, scores="Q @ K.T / np.sqrt(11)")),
    broken("test_peakedness_without_scaling", PEAKS.format("plain.max(1).mean(), scaled.max()")),
    broken("test_peakedness_with_scaling", PEAKS.format("plain.max(), scaled[0].max()")),
    broken(
        "test_peakedness_with_scaling",
        PEAKS.format("scaled.max(), plain.max()"),
        "test_peakedness_without_scaling",
        idea="peakedness-swapped",
    ),
    broken("test_peakedness_leaves_its_arguments_alone", PEAKS_IN_PLACE, idea="arguments-changed"),
    broken(
        "test_rows_sum_to_one_tells_good_from_bad",
        rows_sum("abs(weights.sum() - len(weights)) < 1e-5"),
        "test_rows_sum_to_one_looks_closely",
    ),
    broken("test_rows_sum_to_one_tells_good_from_bad", rows_sum("True"), "test_rows_sum_to_one_looks_closely"),
    broken("test_rows_sum_to_one_tells_good_from_bad", rows_sum("False"), "test_rows_sum_to_one_looks_closely"),
    broken(
        "test_rows_sum_to_one_looks_closely",
        rows_sum("(weights.sum(1) == 1).all()"),
        "test_rows_sum_to_one_tells_good_from_bad",
    ),
    broken("test_rows_sum_to_one_looks_closely", rows_sum("np.allclose(weights.sum(1), 1, atol=0.01)")),
    broken("test_rows_sum_to_one_looks_closely", rows_sum("not (abs(weights.sum(1) - 1) > 1e-4).any()")),
]


def right(name: str, code: str) -> Right:
    return Right(f"ex1: {name}", ASSIGNMENT, code)


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
BY_EINSUM = """
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

RIGHT = [
    right("lists and loops", IN_LISTS),
    right("single precision", IN_SINGLE_PRECISION),
    right("np.matrix", AS_MATRICES),
    right("einsum and logarithms", BY_EINSUM),
    right("online softmax", ONLINE),
    right("masked arrays in a named tuple", AS_MASKED_ARRAYS),
    right("a list of two", attention(NAME, result="[weights @ V, weights]")),
    right("shift by the mean", ROWS + softmax("return rows(np.moveaxis(x, axis, -1) - x.mean()).swapaxes(-1, axis)")),
    right("peaks as numpy numbers", PEAKS.format("np.array(plain.max()), np.float32(scaled.max())")),
    right(
        "base two",
        attention(NAME, "Q @ K.T * np.log2(np.e) / np.sqrt(K.shape[1])", "2**scores / (2**scores).sum(1)[:, None]")
        .replace("scores = Q", "scores = Q")
        .replace("2**scores", "np.exp2(scores - scores.max(1)[:, None])"),
    ),
]
