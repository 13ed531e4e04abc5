"""Wrong answers to exercise 2: causal_attention."""

from __future__ import annotations

from answers.writing import attention, wrong_answers

CHECKS = {
    "shapes": "test_causal_attention_returns_output_and_weights",
    "rows": "test_causal_rows_sum_to_one",
    "follows": "test_causal_weights_follow_the_scores",
    "output": "test_causal_output_blends_the_values",
    "scaled": "test_causal_scores_are_scaled",
    "lengths": "test_causal_attention_at_other_lengths",
    "large": "test_causal_attention_of_very_large_scores",
    "arguments": "test_causal_attention_leaves_its_arguments_alone",
    "leak": "test_the_future_cannot_change_the_past",
    "dominant": "test_a_dominating_future_key_is_ignored",
    "first": "test_the_first_position_sees_only_itself",
}
NAME = "causal_attention"
LEAKS = "leak dominant first"
EVERYTHING = " ".join(CHECKS)
SCALED = "Q @ K.T / np.sqrt(K.shape[1])"
MASKED = f"np.where(np.tri(n) > 0, {SCALED}, -np.inf)"

wrong = wrong_answers("ex2-causal-masking", CHECKS)


def causal(scores: str = MASKED, weights: str = "rows(scores)", result: str = "weights @ V, weights") -> str:
    return attention(NAME, scores, weights, result)


def filled(value: str, triangle: str = "np.tri(n)") -> str:
    return causal(f"np.where({triangle} > 0, {SCALED}, {value})")


def divided(by: str) -> str:
    return causal(MASKED.replace("np.sqrt(K.shape[1])", f"({by})"))


REST_ON_SELF = """
def causal_attention(Q, K, V):
    weights = np.tril(softmax(Q @ K.T / np.sqrt(K.shape[1])))
    for i, row in enumerate(weights):
        row[i] += 1 - row.sum()
    return weights @ V, weights
"""
TILDE = """
def causal_attention(Q, K, V):
    may = np.tril(np.ones((len(Q), len(Q)), dtype=int))
    s = Q @ K.T / np.sqrt(K.shape[1])
    s[~may] = -np.inf
    weights = softmax(s)
    return weights @ V, weights
"""
NO_SELF = """
def causal_attention(Q, K, V):
    s = Q @ K.T / np.sqrt(K.shape[1])
    s[np.triu_indices(len(Q))] = -np.inf
    weights = np.nan_to_num(softmax(s))
    return weights @ V, weights
"""
ONE_CELL_OPEN = causal(
    f"np.where((np.tri(n) > 0) | ((np.arange(n) == 2) & (np.arange(n)[:, None] == 1)), {SCALED}, -np.inf)"
)
FIRST_ROW_HALVED = causal().replace("return weights @", "weights[0] /= 2; return weights @")
DOUBLED_QUERY = causal(MASKED.replace("Q @", "np.multiply(Q, 2, out=Q) @").replace(" / np", " / 2 / np"))

WRONG = [
    wrong(
        "causal: scores rounded",
        causal(MASKED.replace(SCALED, f"({SCALED}).round(2)")),
        "follows",
        why="which digit is rounded can be any",
        may="scaled",
    ),
    wrong(
        "causal: one cell of the future open",
        ONE_CELL_OPEN,
        "leak",
        why="nobody writes it; it is here to be failed by one check alone",
    ),
    wrong("causal: no mask", causal(SCALED), LEAKS, "mask-ignored"),
    wrong(
        "causal: zeros after the softmax",
        causal(SCALED, "np.tril(rows(scores))"),
        f"rows {LEAKS}",
        "mask-after-softmax",
    ),
    wrong(
        "causal: zeros after the softmax, by loops",
        """
def causal_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    for i in range(len(Q)):
        for j in range(i + 1, len(Q)):
            weights[i, j] = 0
    return weights @ V, weights
""",
        f"rows {LEAKS}",
        "mask-after-softmax",
    ),
    wrong(
        "causal: divided by counts",
        causal(SCALED, "np.tril(rows(scores)) / np.arange(1, n + 1)[:, None]"),
        f"rows {LEAKS}",
        "mask-after-softmax-and-counts",
    ),
    wrong(
        "causal: the rest for itself", REST_ON_SELF, "follows leak dominant", "rest-given-to-itself", may="scaled first"
    ),
    wrong("causal: scores times the mask", causal(f"{SCALED} * np.tri(n)"), LEAKS, "zero-for-blocked"),
    wrong("causal: filled with 1e-9", filled("1e-9"), LEAKS, "zero-for-blocked"),
    wrong("causal: filled with -10", filled("-10"), LEAKS, "mask-too-weak"),
    wrong("causal: filled with -100", filled("-100"), "dominant", "mask-too-weak", may="large"),
    wrong("causal: -1 added", causal(f"{SCALED} - np.triu(np.ones((n, n)), 1)"), LEAKS, "mask-too-weak"),
    wrong("causal: the mask of ones added", causal(f"{SCALED} + np.triu(np.ones((n, n)), 1)"), LEAKS, "booleans-added"),
    wrong(
        "causal: filled with +inf",
        filled("np.inf"),
        f"rows follows {LEAKS} large",
        "mask-sign",
        may="scaled lengths arguments output",
    ),
    wrong("causal: filled with +1e9", filled("1e9"), f"follows {LEAKS}", "mask-sign", may="scaled large output rows"),
    wrong(
        "causal: the past blocked",
        causal(f"{SCALED} + np.tril(np.full((n, n), -np.inf), -1)"),
        f"follows {LEAKS}",
        "past-blocked",
        may="scaled large rows output",
    ),
    wrong(
        "causal: allowed ones filled",
        causal(f"np.where(np.tri(n) > 0, -np.inf, {SCALED})"),
        f"follows {LEAKS}",
        "past-blocked",
        may="scaled large rows output",
    ),
    wrong(
        "causal: mirrored",
        causal(f"{SCALED} + np.fliplr(np.triu(np.full((n, n), -np.inf), 1))"),
        f"follows {LEAKS}",
        "mirrored-mask",
        may="scaled large rows output",
    ),
    wrong(
        "causal: itself blocked",
        filled("-np.inf", "np.tri(n, k=-1)"),
        "follows first",
        "diagonal-blocked",
        may="leak dominant scaled large output rows",
    ),
    wrong(
        "causal: itself blocked, NaN to 0", NO_SELF, "follows first", "diagonal-blocked", may="scaled large rows output"
    ),
    wrong("causal: one step ahead", filled("-np.inf", "np.tri(n, k=1)"), LEAKS, "one-step-ahead"),
    wrong(
        "causal: 0 times infinity",
        causal(f"{SCALED} + np.triu(np.ones((n, n)), 1) * -np.inf"),
        f"rows follows {LEAKS}",
        "zero-times-infinity",
        may="output scaled large lengths",
    ),
    wrong(
        "causal: ~ of integers",
        TILDE,
        f"rows follows {LEAKS}",
        "integers-as-indices",
        may="output scaled large lengths",
    ),
    wrong(
        "causal: output unmasked", causal(result=f"rows({SCALED}) @ V, weights"), f"output {LEAKS}", "output-unmasked"
    ),
    wrong(
        "causal: weights unmasked",
        causal(result=f"weights @ V, rows({SCALED})"),
        LEAKS,
        "weights-unmasked",
        may="output follows",
    ),
    wrong("causal: six positions", filled("-np.inf", "np.tri(6)"), "lengths", "mask-of-fixed-size"),
    wrong(
        "causal: over the queries",
        causal(weights="rows(scores.T).T"),
        "rows leak first",
        "softmax-over-queries",
        may="dominant follows large",
    ),
    wrong("causal: no scaling", divided("1"), "scaled", "no-scaling"),
    wrong("causal: divided by d_k", divided("K.shape[1]"), "scaled", "scale-by-d-k"),
    wrong("causal: root of the length", divided("np.sqrt(len(K))"), "scaled", "scale-by-length"),
    wrong("causal: root of the width of V", divided("np.sqrt(V.shape[1])"), "scaled", "scale-by-d-v"),
    wrong("causal: divided by 8", divided("8"), "scaled", "scale-hard-coded"),
    wrong(
        "causal: minus sign", causal(MASKED.replace("Q @", "-Q @")), "follows scaled", "negative-scores", may="large"
    ),
    wrong("causal: rounded", causal(weights="rows(scores).round(2)"), "follows rows", "rounded-results", may="scaled"),
    wrong(
        "causal: twice the weights",
        causal(weights="2 * rows(scores) / (1 + (np.arange(n) == 0))[:, None]"),
        "rows",
        why="nobody writes it; it is here to be failed by one check alone",
    ),
    wrong("causal: the first row halved", FIRST_ROW_HALVED, "first", why="it concerns one row of one array"),
    wrong(
        "causal: output scaled",
        causal(result="weights @ V / np.sqrt(K.shape[1]), weights"),
        "output",
        "scale-the-output",
        may="first",
    ),
    wrong(
        "causal: output divided by row numbers",
        causal(result="weights @ V / np.sqrt(1 + np.arange(n))[:, None], weights"),
        "output",
        why="the divisor can be any",
    ),
    wrong(
        "causal: one axis more",
        causal(result="(weights @ V)[None], weights"),
        f"shapes output lengths {LEAKS}",
        why="the message about shapes says it all",
    ),
    wrong(
        "causal: results swapped",
        causal(result="weights, weights @ V"),
        f"shapes rows follows output {LEAKS}",
        "swapped-return",
        may="scaled lengths large",
    ),
    wrong(
        "causal: no maximum subtracted",
        causal(weights="np.exp(scores) / np.exp(scores).sum(1, keepdims=True)"),
        "large",
        "no-max-subtraction",
    ),
    wrong("causal: doubles Q", DOUBLED_QUERY, "arguments", "arguments-changed"),
    wrong("causal: no mask, no scaling", causal("Q @ K.T"), f"scaled {LEAKS}", "no-scaling-and-mask-ignored"),
    wrong(
        "causal: zeros after the softmax, no scaling",
        causal("Q @ K.T", "np.tril(rows(scores))"),
        f"rows scaled {LEAKS}",
        "no-scaling-and-mask-after-softmax",
    ),
    wrong(
        "causal: scores times the mask, no scaling",
        causal("Q @ K.T * np.tri(n)"),
        f"scaled {LEAKS}",
        "no-scaling-and-zero-for-blocked",
    ),
    wrong(
        "causal: one step ahead, no scaling",
        causal("np.where(np.tri(n, k=1) > 0, Q @ K.T, -np.inf)"),
        f"scaled {LEAKS}",
        "no-scaling-and-one-step-ahead",
    ),
]
