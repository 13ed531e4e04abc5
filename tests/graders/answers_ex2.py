"""Broken and right answers to exercise 2."""

from __future__ import annotations

from snippets import Broken, Right, attention

ASSIGNMENT = "ex2-causal-masking"
NAME = "causal_attention"
PAST = "(np.tri(n) > 0)"
MASKED = f"np.where({PAST}, Q @ K.T / np.sqrt(K.shape[1]), -np.inf)"


def mask(expression: str) -> str:
    """A mask, and attention that does without it."""
    return f"def causal_mask(n):\n    return {expression}\n" + causal()


def causal(scores: str = MASKED, weights: str = "rows(scores)", result: str = "weights @ V, weights") -> str:
    return attention(NAME, scores, weights, result)


def is_causal(expression: str) -> str:
    return f"def is_causal(weights):\n    return {expression}\n"


def filled(value: str) -> str:
    return causal(f"np.where({PAST}, Q @ K.T / np.sqrt(K.shape[1]), {value})")


def broken(check: str, code: str, *also: str, idea: str | None = None) -> Broken:
    return Broken(check, ASSIGNMENT, code, also, idea)


LEAK = "test_the_future_cannot_change_the_past"
DOMINANT = "test_a_dominating_future_key_is_ignored"
FIRST = "test_the_first_position_sees_only_itself"
WITH_DOUBLED_QUERY = causal(MASKED.replace("Q @", "np.multiply(Q, 2, out=Q) @").replace(" / np", " / 2 / np"))
FIRST_ROW_UNIFORM = causal().replace("return weights @", "weights[0] /= 2; return weights @")

BROKEN = [
    broken("test_mask_blocks_exactly_the_future", mask("np.triu(np.full((n, n), -np.inf), 2)")),
    broken("test_mask_blocks_exactly_the_future", mask("np.tril(np.full((n, n), -np.inf), -1)")),
    broken("test_mask_blocks_exactly_the_future", mask("np.triu(np.full((n, n), -1e9))")),
    broken("test_mask_blocks_exactly_the_future", mask("np.triu(np.full((5, 5), -np.inf), 1)")),
    broken("test_mask_is_there_to_be_added", mask("np.tri(n) > 0"), idea="mask-not-additive"),
    broken("test_mask_is_there_to_be_added", mask("np.tri(n)"), idea="mask-not-additive"),
    broken("test_mask_is_there_to_be_added", mask("np.tri(n) < 1"), idea="mask-not-additive"),
    broken("test_mask_is_there_to_be_added", mask("np.triu(np.full((n, n), -100.0), 1)"), idea="mask-too-weak"),
    broken("test_mask_is_there_to_be_added", mask("np.triu(np.full((n, n), np.inf), 1)"), idea="mask-sign"),
    broken(
        "test_mask_is_there_to_be_added",
        mask("np.triu(np.ones((n, n)), 1) * -np.inf"),
        idea="zero-times-infinity",
    ),
    broken("test_mask_is_there_to_be_added", mask("np.where(np.tri(n) > 0, 1.0, -np.inf)"), idea="mask-not-additive"),
    broken(
        "test_causal_attention_returns_output_and_weights",
        causal(result="(weights @ V)[None], weights"),
        "test_causal_output_blends_the_values",
        "test_causal_attention_at_other_lengths",
        LEAK,
        DOMINANT,
        FIRST,
    ),
    broken("test_causal_rows_sum_to_one", causal(weights="2 * rows(scores) / (1 + (np.arange(n) == 0))[:, None]")),
    broken("test_causal_rows_sum_to_one", causal(weights="rows(scores) / np.maximum(1, np.arange(n))[:, None]")),
    broken(
        "test_causal_weights_follow_the_scores",
        causal(weights="rows(np.where(scores > -9e9, -scores, scores))"),
        "test_causal_scores_are_scaled",
    ),
    broken(
        "test_causal_weights_follow_the_scores",
        causal(weights="rows(scores).round(2)"),
        "test_causal_rows_sum_to_one",
        "test_causal_scores_are_scaled",
    ),
    broken(
        "test_causal_output_blends_the_values",
        causal(result="weights @ V / np.sqrt(1 + np.arange(n))[:, None], weights"),
    ),
    broken("test_causal_scores_are_scaled", causal(MASKED.replace(" / np.sqrt(K.shape[1])", "")), idea="no-scaling"),
    broken("test_causal_scores_are_scaled", causal(MASKED.replace("K.shape[1]", "len(K)")), idea="scale-by-length"),
    broken("test_causal_attention_at_other_lengths", causal(MASKED.replace("tri(n)", "tri(6)"))),
    broken(
        "test_causal_attention_of_very_large_scores",
        causal(weights="np.exp(scores) / np.exp(scores).sum(1, keepdims=True)"),
        idea="no-max-subtraction",
    ),
    broken("test_causal_attention_leaves_its_arguments_alone", WITH_DOUBLED_QUERY, idea="arguments-changed"),
    broken(LEAK, causal("Q @ K.T / np.sqrt(K.shape[1])"), DOMINANT, FIRST, idea="mask-ignored"),
    broken(LEAK, causal("Q @ K.T / np.sqrt(K.shape[1]) * np.tri(n)"), DOMINANT, FIRST, idea="zero-for-blocked"),
    broken(LEAK, filled("-10"), DOMINANT, FIRST),
    broken(
        LEAK,
        causal("Q @ K.T / np.sqrt(K.shape[1])", "rows(scores) * np.tri(n)"),
        DOMINANT,
        FIRST,
        "test_causal_rows_sum_to_one",
        idea="mask-after-softmax",
    ),
    broken(
        LEAK,
        causal(result="rows(Q @ K.T / np.sqrt(K.shape[1])) @ V, weights"),
        DOMINANT,
        FIRST,
        "test_causal_output_blends_the_values",
        idea="output-unmasked",
    ),
    broken(DOMINANT, filled("-100"), idea="mask-too-weak"),
    broken(FIRST, FIRST_ROW_UNIFORM),
    broken(
        "test_is_causal_tells_good_from_bad",
        is_causal("np.allclose(weights, np.triu(weights))"),
        "test_is_causal_looks_closely",
    ),
    broken("test_is_causal_tells_good_from_bad", is_causal("True"), "test_is_causal_looks_closely"),
    broken("test_is_causal_tells_good_from_bad", is_causal("False"), "test_is_causal_looks_closely"),
    broken(
        "test_is_causal_tells_good_from_bad",
        is_causal("np.allclose(weights, np.tril(weights)) and np.allclose(weights.sum(1), 1)"),
    ),
    broken("test_is_causal_looks_closely", is_causal("np.array_equal(weights, np.tril(weights))")),
    broken("test_is_causal_looks_closely", is_causal("np.triu(weights, 1).sum() < 1e-5")),
    broken("test_is_causal_looks_closely", is_causal("not (np.abs(np.triu(weights, 1)) > 1e-5).any()")),
    broken("test_is_causal_looks_closely", is_causal("np.allclose(np.triu(weights, 1), 0, atol=1e-3)")),
]


def right(name: str, code: str) -> Right:
    return Right(f"ex2: {name}", ASSIGNMENT, code)


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
RENORMALISED = causal("Q @ K.T / np.sqrt(K.shape[1])", "rows(scores) * np.tri(n)").replace(
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

RIGHT = [
    right("lists and loops", IN_LISTS),
    right("mask after softmax, then renormalised", RENORMALISED),
    right("single precision and -1e9", IN_SINGLE_PRECISION),
    right("np.matrix", AS_MATRICES),
    right("masked array", MASKED_ARRAY),
    right("mask of -1e4", "def causal_mask(n):\n    return -1e4 * (1 - np.tri(n))\n"),
    right("mask of whole numbers", "def causal_mask(n):\n    return np.triu(np.full((n, n), -10**9), 1)\n"),
    right(
        "mask of the lowest float", "def causal_mask(n):\n    return np.triu(np.full((n, n), np.finfo(float).min), 1)\n"
    ),
    right("boolean inside", causal()),
    right("allclose", is_causal("np.allclose(np.triu(weights, 1), 0)")),
]
