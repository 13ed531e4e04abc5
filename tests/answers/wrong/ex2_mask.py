"""Wrong answers to exercise 2: causal_mask, with attention that does without it, and is_causal."""

from __future__ import annotations

from answers.writing import wrong_answers
from answers.wrong.ex2_attention import causal

CHECKS = {
    "blocks": "test_mask_blocks_exactly_the_future",
    "added": "test_mask_is_there_to_be_added",
    "good-bad": "test_is_causal_tells_good_from_bad",
    "closely": "test_is_causal_looks_closely",
}
wrong = wrong_answers("ex2-causal-masking", CHECKS)


def mask(expression: str) -> str:
    return f"def causal_mask(n):\n    return {expression}\n" + causal()


def verdict(expression: str) -> str:
    return f"def is_causal(weights):\n    return {expression}\n"


REMEMBERED = "table = {}\ndef causal_mask(n):\n    return table.setdefault('m', np.triu(np.full((n, n), -np.inf), 1))\n"

WRONG = [
    wrong("mask: one step too far", mask("np.triu(np.full((n, n), -np.inf), 2)"), "blocks", "one-step-ahead"),
    wrong("mask: the past", mask("np.tril(np.full((n, n), -np.inf), -1)"), "blocks", "past-blocked"),
    wrong("mask: the diagonal as well", mask("np.triu(np.full((n, n), -1e9))"), "blocks", "diagonal-blocked"),
    wrong("mask: five positions", mask("np.triu(np.full((5, 5), -np.inf), 1)"), "blocks", "mask-of-fixed-size"),
    wrong(
        "mask: of whatever came first",
        REMEMBERED + causal(),
        "blocks",
        "mask-of-fixed-size",
    ),
    wrong(
        "mask: along the other diagonal",
        mask("np.fliplr(np.triu(np.full((n, n), -np.inf), 1))"),
        "blocks",
        "mirrored-mask",
    ),
    wrong("mask: nothing blocked", mask("np.zeros((n, n))"), "blocks added", "mask-of-zeros"),
    wrong("mask: a single row", mask("np.full(n, -np.inf)"), "blocks added", "mask-of-one-row"),
    wrong(
        "mask: one axis more",
        mask("np.triu(np.full((n, n), -np.inf), 1)[None]"),
        "blocks added",
        why="the message about shapes says it all",
    ),
    wrong("mask: True for allowed", mask("np.tri(n) > 0"), "added", "mask-not-additive"),
    wrong("mask: True for blocked", mask("np.tri(n) < 1"), "added", "mask-not-additive"),
    wrong("mask: 1 for allowed", mask("np.tri(n)"), "added", "mask-not-additive"),
    wrong("mask: 1 for blocked", mask("np.triu(np.ones((n, n)), 1)"), "added", "mask-not-additive"),
    wrong("mask: 1 and -inf", mask("np.where(np.tri(n) > 0, 1.0, -np.inf)"), "added", "mask-not-additive"),
    wrong("mask: -100", mask("np.triu(np.full((n, n), -100.0), 1)"), "added", "mask-too-weak"),
    wrong("mask: -1", mask("-np.triu(np.ones((n, n)), 1)"), "added", "mask-too-weak"),
    wrong("mask: +inf", mask("np.triu(np.full((n, n), np.inf), 1)"), "added", "mask-sign"),
    wrong("mask: 0 times infinity", mask("np.triu(np.ones((n, n)), 1) * -np.inf"), "added", "zero-times-infinity"),
    wrong(
        "mask: a list of words",
        mask("[['see' if j <= i else 'hide' for j in range(n)] for i in range(n)]"),
        "blocks added",
        why="the message says that these are no numbers",
    ),
    wrong(
        "verdict: the other triangle",
        verdict("np.allclose(weights, np.triu(weights))"),
        "good-bad closely",
        "other-triangle",
    ),
    wrong("verdict: always True", verdict("True"), "good-bad closely", "always-true"),
    wrong("verdict: always False", verdict("False"), "good-bad closely", "always-false"),
    wrong(
        "verdict: asks for row sums",
        verdict("np.allclose(weights, np.tril(weights)) and np.allclose(weights.sum(1), 1)"),
        "good-bad",
        "row-sums-demanded",
        may="closely",
    ),
    wrong("verdict: exactly 0", verdict("np.array_equal(weights, np.tril(weights))"), "closely", "exact-comparison"),
    wrong("verdict: sums with signs", verdict("np.triu(weights, 1).sum() < 1e-5"), "closely", "signs-cancel"),
    wrong(
        "verdict: below a bound, with signs",
        verdict("bool((np.triu(weights, 1) < 1e-6).all())"),
        "closely",
        "signs-cancel",
    ),
    wrong(
        "verdict: blind to NaN", verdict("not (np.abs(np.triu(weights, 1)) > 1e-5).any()"), "closely", "blind-to-nan"
    ),
    wrong(
        "verdict: too forgiving",
        verdict("np.allclose(np.triu(weights, 1), 0, atol=1e-3)"),
        "closely",
        "tolerance-too-wide",
    ),
    wrong(
        "verdict: the diagonal too",
        verdict("np.allclose(np.triu(weights), 0)"),
        "good-bad closely",
        "diagonal-counted-as-future",
    ),
    wrong(
        "verdict: from the second neighbour on",
        verdict("np.allclose(np.triu(weights, 2), 0)"),
        "closely",
        "next-position-overlooked",
        may="good-bad",
    ),
    wrong(
        "verdict: the first row alone",
        verdict("np.allclose(weights[0, 1:], 0)"),
        "closely",
        "first-row-of-future-alone",
        may="good-bad",
    ),
]
