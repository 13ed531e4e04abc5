"""Wrong answers to exercise 1: rows_sum_to_one and peakedness."""

from __future__ import annotations

from answers.writing import wrong_answers

CHECKS = {
    "good-bad": "test_rows_sum_to_one_tells_good_from_bad",
    "closely": "test_rows_sum_to_one_looks_closely",
    "plain": "test_peakedness_without_scaling",
    "scaled": "test_peakedness_with_scaling",
    "arguments": "test_peakedness_leaves_its_arguments_alone",
}
wrong = wrong_answers("ex1-scaled-dot-product", CHECKS)


def sums(expression: str) -> str:
    return f"def rows_sum_to_one(weights):\n    return {expression}\n"


def peaks(result: str) -> str:
    return f"""
def peakedness(Q, K):
    scores = Q @ K.T
    plain, scaled = softmax(scores), softmax(scores / np.sqrt(K.shape[1]))
    return {result}
"""


FIRST_GOOD_ROW = """
def rows_sum_to_one(weights):
    for row in weights:
        if abs(row.sum() - 1) < 1e-5:
            return True
        return False
"""
IN_PLACE = """
def peakedness(Q, K):
    plain = softmax(Q @ K.T).max()
    Q /= np.sqrt(K.shape[1])
    return plain, softmax(Q @ K.T).max()
"""

WRONG = [
    wrong(
        "sums: not below 1",
        sums("bool((weights.sum(1) > 0.99999).all())"),
        "good-bad",
        why="the message names a matrix whose rows sum to more than 1",
    ),
    wrong(
        "sums: of everything", sums("abs(weights.sum() - len(weights)) < 1e-5"), "good-bad closely", "sum-of-everything"
    ),
    wrong("sums: of columns", sums("np.allclose(np.sum(weights, axis=0), 1)"), "good-bad closely", "sums-of-columns"),
    wrong("sums: always True", sums("True"), "good-bad closely", "always-true"),
    wrong("sums: always False", sums("False"), "good-bad closely", "always-false"),
    wrong("sums: exactly 1", sums("(weights.sum(1) == 1).all()"), "good-bad closely", "exact-comparison"),
    wrong("sums: within 1 percent", sums("np.allclose(weights.sum(1), 1, atol=0.01)"), "closely", "tolerance-too-wide"),
    wrong(
        "sums: within 1e-10",
        sums("np.allclose(weights.sum(1), 1, rtol=0, atol=1e-10)"),
        "closely",
        "tolerance-too-narrow",
    ),
    wrong("sums: blind to NaN", sums("not (abs(weights.sum(1) - 1) > 1e-4).any()"), "closely", "blind-to-nan"),
    wrong("sums: the first row alone", FIRST_GOOD_ROW, "closely", "first-row-alone"),
    wrong("sums: any row", sums("bool(np.isclose(weights.sum(1), 1).any())"), "closely", "any-row", may="good-bad"),
    wrong(
        "sums: one answer for each row",
        sums("np.isclose(weights.sum(1), 1)"),
        "good-bad closely",
        why="the message says that an array came back",
    ),
    wrong("peaks: swapped", peaks("scaled.max(), plain.max()"), "plain scaled", "peakedness-swapped"),
    wrong("peaks: the mean of the rows", peaks("plain.max(1).mean(), scaled.max()"), "plain", "peak-averaged"),
    wrong("peaks: of one row", peaks("plain.max(), scaled[0].max()"), "scaled", "peak-of-one-row"),
    wrong("peaks: without scaling twice", peaks("plain.max(), plain.max()"), "scaled", "peak-without-scaling-twice"),
    wrong("peaks: with scaling twice", peaks("scaled.max(), scaled.max()"), "plain", "peak-with-scaling-twice"),
    wrong(
        "peaks: of the scores",
        peaks("scores.max(), scores.max() / np.sqrt(K.shape[1])"),
        "plain scaled",
        "peak-of-scores",
    ),
    wrong("peaks: by d_k", peaks("plain.max(), softmax(scores / K.shape[1]).max()"), "scaled", "peak-scaled-by-d-k"),
    wrong(
        "peaks: one of each row",
        peaks("plain.max(axis=1), scaled.max(axis=1)"),
        "plain scaled",
        why="the message says that arrays came back",
    ),
    wrong("peaks: scales Q in place", IN_PLACE, "arguments", "arguments-changed"),
]
