"""Broken and right answers to exercise 4."""

from __future__ import annotations

from snippets import Broken, Right, attention

ASSIGNMENT = "ex4-cross-attention"
NAME = "cross_attention"


def cross(
    scores: str = "Q @ K.T / np.sqrt(K.shape[1])",
    weights: str = "rows(scores)",
    result: str = "weights @ V, weights",
) -> str:
    return attention(NAME, scores, weights, result)


def project(result: str, before: str = "pass") -> str:
    return f"def project(X_dec, X_enc, W_q, W_k, W_v):\n    {before}\n    return {result}\n"


def broken(check: str, code: str, *also: str, idea: str | None = None) -> Broken:
    return Broken(check, ASSIGNMENT, code, also, idea)


SHAPES = "test_cross_attention_returns_output_and_weights"
LENGTHS = "test_cross_attention_at_other_lengths"
ORDER = "test_order_of_the_source_does_not_matter"
WHOLE = "test_every_query_reads_the_whole_source"
WITH_DOUBLED_QUERY = cross("np.multiply(Q, 2, out=Q) @ K.T / 2 / np.sqrt(K.shape[1])")
KEYS_CUT = """
def cross_attention(Q, K, V):
    m = min(len(Q), len(K))
    weights = np.zeros((len(Q), len(K)))
    weights[:, :m] = softmax(Q @ K[:m].T / np.sqrt(K.shape[1]))
    return weights @ V, weights
"""

BROKEN = [
    broken(
        "test_queries_come_from_the_decoder", project("X_enc @ W_q, X_enc @ W_k, X_enc @ W_v"), idea="roles-swapped"
    ),
    broken("test_keys_come_from_the_encoder", project("X_dec @ W_q, X_dec @ W_k, X_enc @ W_v"), idea="roles-swapped"),
    broken("test_keys_come_from_the_encoder", project("X_dec @ W_q, X_enc @ W_q, X_enc @ W_v")),
    broken("test_values_come_from_the_encoder", project("X_dec @ W_q, X_enc @ W_k, X_dec @ W_v"), idea="roles-swapped"),
    broken(
        "test_keys_come_from_the_encoder",
        project("X_dec @ W_q, X_enc @ W_v, X_enc @ W_k"),
        "test_values_come_from_the_encoder",
    ),
    broken(
        "test_project_leaves_its_arguments_alone",
        project("X_dec @ W_q, X_enc @ W_k / 2, X_enc @ W_v / 2", "X_enc *= 2"),
        idea="arguments-changed",
    ),
    broken("test_cross_rows_sum_to_one", cross(weights="rows(scores.T).T"), idea="softmax-over-queries"),
    broken(
        "test_cross_weights_follow_the_scores", cross("-Q @ K.T / np.sqrt(K.shape[1])"), "test_cross_scores_are_scaled"
    ),
    broken("test_cross_weights_follow_the_scores", cross(weights="rows(scores - scores.max(0))")),
    broken("test_cross_output_blends_the_values", cross(result="weights @ V / np.sqrt(K.shape[1]), weights")),
    broken("test_cross_scores_are_scaled", cross("Q @ K.T"), idea="no-scaling"),
    broken("test_cross_scores_are_scaled", cross("Q @ K.T / np.sqrt(V.shape[1])"), idea="scale-by-length"),
    broken("test_cross_scores_are_scaled", cross("Q @ K.T / np.sqrt(len(Q))"), idea="scale-by-length"),
    broken(
        "test_cross_attention_of_very_large_scores",
        cross(weights="np.exp(scores) / np.exp(scores).sum(1, keepdims=True)"),
        idea="no-max-subtraction",
    ),
    broken("test_cross_attention_leaves_its_arguments_alone", WITH_DOUBLED_QUERY, idea="arguments-changed"),
    broken(
        SHAPES,
        cross(result="(weights @ V).T, weights"),
        LENGTHS,
        ORDER,
        WHOLE,
        "test_cross_output_blends_the_values",
    ),
    broken(LENGTHS, cross(result="np.squeeze(weights @ V), weights")),
    broken(
        ORDER,
        cross("np.where(np.tri(*(Q @ K.T).shape) > 0, Q @ K.T / np.sqrt(K.shape[1]), -np.inf)"),
        WHOLE,
        idea="causal-mask-in-cross-attention",
    ),
    broken(WHOLE, KEYS_CUT, ORDER, "test_cross_weights_follow_the_scores"),
    broken(
        ORDER,
        cross("np.tile(Q.sum(1, keepdims=True), len(K))"),
        "test_cross_weights_follow_the_scores",
        "test_cross_output_blends_the_values",
        "test_cross_scores_are_scaled",
        "test_cross_attention_of_very_large_scores",
    ),
]


def right(name: str, code: str) -> Right:
    return Right(f"ex4: {name}", ASSIGNMENT, code)


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

RIGHT = [
    right("lists and rows", IN_LISTS),
    right("np.matrix", AS_MATRICES),
    right(
        "einsum",
        cross("np.einsum('id,jd->ij', Q, K) / K.shape[1]**0.5", result="np.einsum('ij,jc->ic', weights, V), weights"),
    ),
    right(
        "inner and tensordot",
        cross("np.inner(Q, K) / np.sqrt(Q.shape[1])", result="np.tensordot(weights, V, 1), weights"),
    ),
    right("queries scaled first", cross("(Q / np.sqrt(Q.shape[1])) @ K.T")),
    right("doubled precision of projections", IN_SINGLE_PRECISION.replace("np.float32", "np.longdouble")),
    right("sum of logarithms", cross(weights="np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])")),
]
