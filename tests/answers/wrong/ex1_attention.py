"""Wrong answers to exercise 1: scaled_dot_product_attention."""

from __future__ import annotations

from answers.writing import attention, wrong_answers

CHECKS = {
    "shapes": "test_attention_returns_output_and_weights",
    "rows": "test_attention_rows_sum_to_one",
    "follows": "test_attention_weights_follow_the_scores",
    "output": "test_attention_output_blends_the_values",
    "lengths": "test_attention_at_other_lengths",
    "whole": "test_attention_of_whole_numbers",
    "arguments": "test_attention_leaves_its_arguments_alone",
    "large": "test_attention_of_very_large_scores",
    "scaled": "test_scores_are_scaled_before_the_softmax",
    "width": "test_scaling_follows_the_width",
}
NAME = "scaled_dot_product_attention"
SCALING = "scaled width"
EVERYTHING = " ".join(CHECKS)

wrong = wrong_answers("ex1-scaled-dot-product", CHECKS)


def attend(
    scores: str = "Q @ K.T / np.sqrt(K.shape[1])", weights: str = "rows(scores)", result: str = "weights @ V, weights"
) -> str:
    return attention(NAME, scores, weights, result)


def divided(by: str) -> str:
    return attend(f"Q @ K.T / ({by})")


CUT_INTEGERS = """
def scaled_dot_product_attention(Q, K, V):
    weights = np.zeros_like(Q @ K.T)
    for i, row in enumerate(Q @ K.T):
        weights[i] = softmax(row / np.sqrt(K.shape[1]))
    return weights @ V, weights
"""
OUTPUT_LIKE_V = """
def scaled_dot_product_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    output = np.empty_like(V)
    np.copyto(output, weights @ V, casting="unsafe")
    return output, weights
"""
DOUBLED_QUERY = """
def scaled_dot_product_attention(Q, K, V):
    Q *= 2
    weights = softmax(Q @ K.T / 2 / np.sqrt(K.shape[1]))
    return weights @ V, weights
"""
RECURSIVE_COLUMNS = """
def down(columns):
    if not columns:
        return []
    first, *rest = columns
    e = np.exp(first - first.max())
    return [e / e.sum(), *down(rest)]
def scaled_dot_product_attention(Q, K, V):
    weights = np.stack(down(list((Q @ K.T / np.sqrt(K.shape[1])).T)), axis=1)
    return weights @ V, weights
"""
COSINES = """
class Compass:
    def __init__(self, X):
        self.X = X / np.linalg.norm(X, axis=1)[:, None]
    def __matmul__(self, other):
        return self.X @ other.X.T
def scaled_dot_product_attention(Q, K, V):
    weights = softmax(Compass(Q) @ Compass(K))
    return weights @ V, weights
"""
FEATURES = """
def scaled_dot_product_attention(Q, K, V):
    q, k = softmax(Q, axis=-1), softmax(K, axis=-1)
    weights = q @ k.T
    weights = weights / weights.sum(axis=1)[:, None]
    return weights @ V, weights
"""
ONE_HOT = """
def scaled_dot_product_attention(Q, K, V):
    best = (Q @ K.T).argmax(axis=1)
    weights = np.eye(len(K))[best]
    return weights @ V, weights
"""
LOST_OUTPUT = """
def scaled_dot_product_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    output = weights @ V
    print(output, weights)
"""
EXAMPLE_SIZE = """
def scaled_dot_product_attention(Q, K, V):
    weights = np.zeros((6, 6))
    for i in range(6):
        weights[i] = softmax(Q[i] @ K.T / np.sqrt(K.shape[1]))
    return weights @ V, weights
"""
UNSCALED_COLUMNS = """
from functools import partial
normalise = partial(softmax, axis=0)
def scaled_dot_product_attention(Q, K, V):
    weights = normalise(np.einsum("id,jd->ij", Q, K))
    return weights @ V, weights
"""

WRONG = [
    wrong("attention: no scaling", divided("1"), SCALING, "no-scaling"),
    wrong(
        "attention: no scaling, row by row",
        """
def scaled_dot_product_attention(Q, K, V):
    rows = [softmax(K @ q) for q in Q]
    return [row @ V for row in rows], rows
""",
        SCALING,
        "no-scaling",
    ),
    wrong("attention: divided by d_k", divided("K.shape[1]"), SCALING, "scale-by-d-k"),
    wrong("attention: multiplied by the root", attend("Q @ K.T * K.shape[1] ** 0.5"), SCALING, "multiply-by-root"),
    wrong("attention: root of the number of keys", divided("np.sqrt(len(K))"), SCALING, "scale-by-length"),
    wrong("attention: root of the number of queries", divided("np.sqrt(Q.shape[0])"), SCALING, "scale-by-length"),
    wrong("attention: root of the width of V", divided("np.sqrt(V.shape[-1])"), SCALING, "scale-by-d-v"),
    wrong("attention: root of 8", divided("np.sqrt(8)"), SCALING, "scale-hard-coded"),
    wrong("attention: divided by 8", divided("8"), SCALING, "scale-hard-coded"),
    wrong("attention: root of 11", divided("np.sqrt(11)"), "width", "scale-hard-coded"),
    wrong("attention: logarithm of d_k", divided("np.log2(K.shape[1])"), SCALING, "scale-wrong-function"),
    wrong("attention: half of d_k", divided("K.shape[1] / 2"), SCALING, "scale-wrong-function"),
    wrong("attention: root of twice d_k", divided("np.sqrt(2 * K.shape[1])"), "scaled", "scale-wrong-function"),
    wrong(
        "attention: fourth root, for Q alone", attend("(Q / K.shape[1] ** 0.25) @ K.T"), SCALING, "scale-wrong-function"
    ),
    wrong(
        "attention: weights scaled at the end",
        attend("Q @ K.T", "rows(scores) / np.sqrt(K.shape[1])"),
        f"rows {SCALING}",
        "scale-after-softmax",
    ),
    wrong(
        "attention: weights scaled once more",
        attend(weights="rows(scores) * np.sqrt(K.shape[1])"),
        "rows",
        "scale-after-softmax",
    ),
    wrong(
        "attention: output scaled",
        attend("Q @ K.T", result="weights @ V / np.sqrt(K.shape[1]), weights"),
        f"output {SCALING}",
        "scale-the-output",
    ),
    wrong(
        "attention: output scaled once more",
        attend(result="weights @ V / np.sqrt(K.shape[1]), weights"),
        "output",
        "scale-the-output",
    ),
    wrong("attention: cosines", COSINES, f"follows {SCALING}", "cosine-similarity", may="large"),
    wrong("attention: softmax over the queries", attend(weights="rows(scores.T).T"), "rows", "softmax-over-queries"),
    wrong("attention: softmax over the queries, by recursion", RECURSIVE_COLUMNS, "rows", "softmax-over-queries"),
    wrong(
        "attention: softmax over everything",
        attend(weights="np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()"),
        "rows",
        "softmax-over-everything",
        may="large",
    ),
    wrong(
        "attention: sum without keepdims",
        attend(weights="np.exp(scores) / np.exp(scores).sum(axis=1)"),
        "rows",
        "sum-without-keepdims",
        may="large",
    ),
    wrong(
        "attention: maximum without keepdims",
        attend(weights="rows(scores - scores.max(axis=1))"),
        "follows",
        "max-without-keepdims",
        may="large scaled width",
    ),
    wrong(
        "attention: no exponential",
        attend(weights="scores / scores.sum(axis=1, keepdims=True)"),
        "rows follows",
        "no-exponential",
        may=f"large {SCALING} lengths whole output",
    ),
    wrong("attention: exponentials alone", attend(weights="np.exp(scores)"), "rows", "not-normalised", may="large"),
    wrong(
        "attention: sigmoid",
        attend(weights="1 / (1 + np.exp(-scores))"),
        "rows follows",
        "sigmoid",
        may=f"{SCALING} large",
    ),
    wrong(
        "attention: scores for weights",
        attend(weights="scores"),
        "rows follows",
        "softmax-left-out",
        may=f"{SCALING} large output",
    ),
    wrong(
        "attention: softmax twice",
        attend(weights="softmax(softmax(scores))"),
        f"follows {SCALING}",
        "softmax-twice",
        may="large",
    ),
    wrong(
        "attention: two to the power",
        attend(weights="2.0 ** scores / (2.0 ** scores).sum(1)[:, None]"),
        "scaled",
        "another-base",
        may="large",
    ),
    wrong(
        "attention: minus sign",
        attend("-Q @ K.T / np.sqrt(K.shape[1])"),
        "follows scaled",
        "negative-scores",
        may="large",
    ),
    wrong("attention: the best key alone", ONE_HOT, f"follows {SCALING}", "best-key-alone", may="output large whole"),
    wrong(
        "attention: even weights",
        attend(weights="np.full((n, len(K)), 1 / len(K))"),
        f"follows output {SCALING}",
        "even-weights",
        may="large",
    ),
    wrong("attention: rounded weights", attend(weights="rows(scores).round(3)"), "rows follows", "rounded-results"),
    wrong("attention: rounded output", attend(result="(weights @ V).round(2), weights"), "output", "rounded-results"),
    wrong(
        "attention: no maximum subtracted",
        attend(weights="np.exp(scores) / np.exp(scores).sum(1, keepdims=True)"),
        "large",
        "no-max-subtraction",
    ),
    wrong(
        "attention: one maximum for all rows",
        attend(weights="np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum(1, keepdims=True)"),
        "large",
        "one-global-max",
    ),
    wrong("attention: clipped scores", attend(weights="rows(np.clip(scores, -300, 300))"), "large", "clipped-scores"),
    wrong(
        "attention: never shifted downwards",
        attend(
            "Q @ K.T / np.sqrt(K.shape[1]); powers = np.exp(scores - np.maximum(scores.max(1), 0)[:, None])",
            "powers / powers.sum(1)[:, None]",
        ),
        "large",
        "shift-never-negative",
    ),
    wrong("attention: keys ask", attend("K @ Q.T / np.sqrt(K.shape[1])"), "follows", "keys-and-queries-swapped"),
    wrong(
        "attention: keys ask, turned back for V",
        attend("K @ Q.T / np.sqrt(K.shape[1])", result="weights.T @ V, weights"),
        "follows output",
        "keys-and-queries-swapped",
    ),
    wrong(
        "attention: queries twice",
        attend("Q @ Q.T / np.sqrt(K.shape[1])"),
        f"follows {SCALING}",
        "scores-from-queries-alone",
        may="large",
    ),
    wrong(
        "attention: keys twice",
        attend("K @ K.T / np.sqrt(K.shape[1])"),
        f"follows {SCALING}",
        "scores-from-keys-alone",
        may="large",
    ),
    wrong("attention: V for K", attend("Q @ V.T / np.sqrt(K.shape[1])"), EVERYTHING, "values-as-keys"),
    wrong("attention: blends K", attend(result="weights @ K, weights"), "shapes output lengths whole", "blends-keys"),
    wrong(
        "attention: weights transposed for V", attend(result="weights.T @ V, weights"), "output", "weights-transposed"
    ),
    wrong(
        "attention: output divided by 2",
        attend(result="weights @ V / 2, weights"),
        "output",
        why="the factor can be any",
    ),
    wrong(
        "attention: output transposed",
        attend(result="(weights @ V).T, weights"),
        "shapes output lengths whole",
        why="few write it, and the message about shapes says it all",
    ),
    wrong(
        "attention: results swapped",
        attend(result="weights, weights @ V"),
        "shapes rows follows output lengths whole",
        "swapped-return",
        may=f"{SCALING} large",
    ),
    wrong("attention: output alone", attend(result="weights @ V"), EVERYTHING, "output-only"),
    wrong("attention: weights alone", attend(result="weights"), EVERYTHING, "weights-only"),
    wrong(
        "attention: scores returned",
        attend(result="weights @ V, scores"),
        "rows follows",
        "scores-returned",
        may=f"{SCALING} large",
    ),
    wrong("attention: nothing returned", LOST_OUTPUT, EVERYTHING, why="the message says that None came back"),
    wrong("attention: softmax over features", FEATURES, f"follows {SCALING}", "softmax-over-features", may="large"),
    wrong("attention: weights in a buffer of integers", CUT_INTEGERS, "whole", "integer-buffer"),
    wrong("attention: output in a buffer of integers", OUTPUT_LIKE_V, "whole", "integer-buffer"),
    wrong("attention: doubles Q", DOUBLED_QUERY, "arguments", "arguments-changed"),
    wrong(
        "attention: squeezed",
        attend(result="np.squeeze(weights @ V), weights"),
        "lengths",
        why="the message about shapes says it all",
    ),
    wrong(
        "attention: six positions only",
        EXAMPLE_SIZE,
        "lengths whole",
        why="seen at one length only, and what goes wrong elsewhere differs",
        may="large",
    ),
    wrong(
        "attention: no scaling and over the queries",
        UNSCALED_COLUMNS,
        f"rows {SCALING}",
        "no-scaling-and-softmax-over-queries",
    ),
    wrong(
        "attention: no scaling and over everything",
        attend("Q @ K.T", "np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()"),
        f"rows {SCALING}",
        "no-scaling-and-softmax-over-everything",
        may="large",
    ),
    wrong(
        "attention: no scaling and keys ask",
        attend("K @ Q.T"),
        "follows scaled width",
        "no-scaling-and-keys-and-queries-swapped",
    ),
    wrong(
        "attention: by d_k and over the queries",
        attend("Q @ K.T / K.shape[1]", "softmax(scores, axis=0)"),
        f"rows {SCALING}",
        "scale-by-d-k-and-softmax-over-queries",
    ),
]
