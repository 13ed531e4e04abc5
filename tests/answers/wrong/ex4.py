"""Wrong answers to exercise 4."""

from __future__ import annotations

from answers.writing import attention, wrong_answers

CHECKS = {
    "queries": "test_queries_come_from_the_decoder",
    "keys": "test_keys_come_from_the_encoder",
    "values": "test_values_come_from_the_encoder",
    "states": "test_project_leaves_its_arguments_alone",
    "rows": "test_cross_rows_sum_to_one",
    "follows": "test_cross_weights_follow_the_scores",
    "output": "test_cross_output_blends_the_values",
    "scaled": "test_cross_scores_are_scaled",
    "large": "test_cross_attention_of_very_large_scores",
    "arguments": "test_cross_attention_leaves_its_arguments_alone",
    "shapes": "test_cross_attention_returns_output_and_weights",
    "lengths": "test_cross_attention_at_other_lengths",
    "order": "test_order_of_the_source_does_not_matter",
    "whole": "test_every_query_reads_the_whole_source",
}
NAME = "cross_attention"
ATTENTION = "rows follows output scaled large arguments shapes lengths order whole"
SCALED = "Q @ K.T / np.sqrt(K.shape[1])"

wrong = wrong_answers("ex4-cross-attention", CHECKS)


def cross(scores: str = SCALED, weights: str = "rows(scores)", result: str = "weights @ V, weights") -> str:
    return attention(NAME, scores, weights, result)


def project(result: str, before: str = "pass") -> str:
    return f"def project(X_dec, X_enc, W_q, W_k, W_v):\n    {before}\n    return {result}\n"


KEYS_CUT = """
def cross_attention(Q, K, V):
    m = min(len(Q), len(K))
    weights = np.zeros((len(Q), len(K)))
    weights[:, :m] = softmax(Q @ K[:m].T / np.sqrt(K.shape[1]))
    return weights @ V, weights
"""
SQUARE = """
def cross_attention(Q, K, V):
    assert len(Q) == len(K), "lengths differ"
    weights = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    return weights @ V, weights
"""
SIX_KEYS = """
def cross_attention(Q, K, V):
    weights = np.zeros((len(Q), 6))
    for i, q in enumerate(Q):
        for j in range(6):
            weights[i, j] = q @ K[j] / np.sqrt(len(q))
    weights = softmax(weights)
    return weights @ V, weights
"""
MEAN_OF_KEYS = """
def cross_attention(Q, K, V):
    one = Q @ K.mean(axis=0)
    weights = softmax(np.stack([one / np.sqrt(K.shape[1])] * len(K), axis=1))
    return weights @ V, weights
"""

WRONG = [
    wrong(
        "project: roles swapped",
        project("X_enc @ W_q, X_dec @ W_k, X_dec @ W_v"),
        "queries keys values",
        "roles-swapped",
    ),
    wrong(
        "project: all from the encoder",
        project("X_enc @ W_q, X_enc @ W_k, X_enc @ W_v"),
        "queries",
        "everything-from-the-encoder",
    ),
    wrong(
        "project: all from the decoder",
        project("X_dec @ W_q, X_dec @ W_k, X_dec @ W_v"),
        "keys values",
        "everything-from-the-decoder",
    ),
    wrong(
        "project: keys from the decoder",
        project("X_dec @ W_q, X_dec @ W_k, X_enc @ W_v"),
        "keys",
        "keys-from-the-decoder",
    ),
    wrong(
        "project: values from the decoder",
        project("X_dec @ W_q, X_enc @ W_k, X_dec @ W_v"),
        "values",
        "values-from-the-decoder",
    ),
    wrong("project: W_q for the keys", project("X_dec @ W_q, X_enc @ W_q, X_enc @ W_v"), "keys", "matrices-mixed-up"),
    wrong(
        "project: W_v and W_k exchanged",
        project("X_dec @ W_q, X_enc @ W_v, X_enc @ W_k"),
        "keys values",
        "matrices-mixed-up",
    ),
    wrong(
        "project: keys first",
        project("X_enc @ W_k, X_dec @ W_q, X_enc @ W_v"),
        "queries keys",
        "results-in-another-order",
    ),
    wrong(
        "project: values first",
        project("X_enc @ W_v, X_enc @ W_k, X_dec @ W_q"),
        "queries values",
        "results-in-another-order",
    ),
    wrong("project: no projection", project("X_dec, X_enc, X_enc"), "queries keys values", "projection-left-out"),
    wrong("project: V not projected", project("X_dec @ W_q, X_enc @ W_k, X_enc"), "values", "projection-left-out"),
    wrong(
        "project: transposed",
        project("(X_dec @ W_q).T, (X_enc @ W_k).T, (X_enc @ W_v).T"),
        "queries keys values",
        "projections-transposed",
    ),
    wrong(
        "project: scaled already",
        project("X_dec @ W_q / np.sqrt(W_k.shape[1]), X_enc @ W_k, X_enc @ W_v"),
        "queries",
        "projections-normalised",
    ),
    wrong(
        "project: two results",
        project("X_dec @ W_q, X_enc @ W_k"),
        "queries keys values states",
        why="the message says that two came back",
    ),
    wrong(
        "project: halves the states",
        project("X_dec @ W_q, X_enc @ W_k / 2, X_enc @ W_v / 2", "X_enc *= 2"),
        "states",
        "arguments-changed",
    ),
    wrong("cross: over the decoder", cross(weights="rows(scores.T).T"), "rows", "softmax-over-queries"),
    wrong(
        "cross: over everything",
        cross(weights="np.exp(scores) / np.exp(scores).sum()"),
        "rows",
        "softmax-over-everything",
        may="large",
    ),
    wrong("cross: minus sign", cross(f"-{SCALED}"), "follows scaled", "negative-scores", may="large"),
    wrong(
        "cross: shifted by columns",
        cross(weights="rows(scores - scores.max(0))"),
        "follows",
        why="rare, and no sentence would help more than the general one",
        may="large scaled",
    ),
    wrong("cross: softmax twice", cross(weights="rows(rows(scores))"), "follows scaled", "softmax-twice", may="large"),
    wrong(
        "cross: output scaled", cross(result="weights @ V / np.sqrt(K.shape[1]), weights"), "output", "scale-the-output"
    ),
    wrong(
        "cross: weights scaled",
        cross("Q @ K.T", "rows(scores) / np.sqrt(K.shape[1])"),
        "rows scaled",
        "scale-after-softmax",
    ),
    wrong("cross: no scaling", cross("Q @ K.T"), "scaled", "no-scaling"),
    wrong("cross: divided by d_k", cross("Q @ K.T / K.shape[1]"), "scaled", "scale-by-d-k"),
    wrong(
        "cross: root of the source's length", cross("Q @ K.T / np.sqrt(len(K))"), "scaled", "scale-by-number-of-keys"
    ),
    wrong(
        "cross: root of the target's length", cross("Q @ K.T / np.sqrt(len(Q))"), "scaled", "scale-by-number-of-queries"
    ),
    wrong("cross: root of the width of V", cross("Q @ K.T / np.sqrt(V.shape[1])"), "scaled", "scale-by-d-v"),
    wrong("cross: divided by 3", cross("Q @ K.T / 3"), "scaled", "scale-hard-coded"),
    wrong(
        "cross: no maximum subtracted",
        cross(weights="np.exp(scores) / np.exp(scores).sum(1, keepdims=True)"),
        "large",
        "no-max-subtraction",
    ),
    wrong(
        "cross: doubles Q",
        cross("np.multiply(Q, 2, out=Q) @ K.T / 2 / np.sqrt(K.shape[1])"),
        "arguments",
        "arguments-changed",
    ),
    wrong(
        "cross: output transposed",
        cross(result="(weights @ V).T, weights"),
        "shapes lengths order whole output",
        why="few write it, and the message about shapes says it all",
    ),
    wrong(
        "cross: squeezed",
        cross(result="np.squeeze(weights @ V), weights"),
        "lengths",
        why="the message about shapes says it all",
    ),
    wrong(
        "cross: results swapped",
        cross(result="weights, weights @ V"),
        "shapes lengths rows follows output",
        "swapped-return",
        may="scaled large order whole",
    ),
    wrong(
        "cross: causal mask",
        cross(f"np.where(np.tri(len(Q), len(K)) > 0, {SCALED}, -np.inf)"),
        "order whole",
        "causal-mask-in-cross-attention",
    ),
    wrong(
        "cross: causal mask and no scaling",
        cross("np.where(np.tri(len(Q), len(K)) > 0, Q @ K.T, -np.inf)"),
        "order whole scaled",
        "no-scaling-and-causal-mask",
    ),
    wrong("cross: keys cut", KEYS_CUT, "order whole follows", "keys-cut-to-the-queries", may="large scaled"),
    wrong("cross: equal lengths demanded", SQUARE, ATTENTION, "square-alone"),
    wrong(
        "cross: six keys",
        SIX_KEYS,
        "rows follows output scaled arguments shapes lengths order whole",
        "length-hard-coded",
        may="large",
    ),
    wrong(
        "cross: encoder asks",
        cross("K @ Q.T / np.sqrt(K.shape[1])", result="weights.T @ V, weights"),
        "shapes rows follows lengths order whole",
        "keys-and-queries-swapped",
        may=ATTENTION,
    ),
    wrong(
        "cross: decoder looks at itself", cross("Q @ Q.T / np.sqrt(K.shape[1])"), ATTENTION, "scores-from-queries-alone"
    ),
    wrong("cross: encoder averaged", MEAN_OF_KEYS, "follows output scaled", "even-weights", may="large order whole"),
    wrong(
        "cross: output averaged", cross(result="np.tile(V.mean(axis=0), (n, 1)), weights"), "output", "encoder-averaged"
    ),
    wrong(
        "cross: scores without keys",
        cross("np.tile(Q.sum(1, keepdims=True), len(K))"),
        "order follows output scaled",
        "even-weights",
        may="large",
    ),
]
