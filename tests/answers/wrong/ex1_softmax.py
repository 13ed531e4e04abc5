"""Wrong answers to exercise 1: softmax. Attention built on a wrong softmax loses as little as possible."""

from __future__ import annotations

from answers.writing import attention, wrong_answers

CHECKS = {
    "vector": "test_softmax_of_a_vector",
    "row": "test_softmax_of_each_row",
    "axis": "test_softmax_follows_its_axis_argument",
    "shift": "test_softmax_ignores_a_shift",
    "argument": "test_softmax_leaves_its_argument_alone",
    "large": "test_softmax_of_very_large_scores",
    "apart": "test_softmax_of_rows_far_apart",
    "attention-shapes": "test_attention_returns_output_and_weights",
    "attention-rows": "test_attention_rows_sum_to_one",
    "attention-follows": "test_attention_weights_follow_the_scores",
    "attention-output": "test_attention_output_blends_the_values",
    "attention-lengths": "test_attention_at_other_lengths",
    "attention-whole": "test_attention_of_whole_numbers",
    "attention-large": "test_attention_of_very_large_scores",
    "attention-scaled": "test_scores_are_scaled_before_the_softmax",
    "attention-width": "test_scaling_follows_the_width",
    "attention-arguments": "test_attention_leaves_its_arguments_alone",
    "peak-1": "test_peakedness_without_scaling",
    "peak-2": "test_peakedness_with_scaling",
}
VALUES = "vector row axis"
LARGE = "large apart"

wrong = wrong_answers("ex1-scaled-dot-product", CHECKS)


def softmax(body: str) -> str:
    return f"def softmax(x, axis=-1):\n    {body}\n"


BY_LOOPS = """
def softmax(x, axis=-1):
    total = 0
    for value in x.ravel():
        total += np.exp(value - x.max())
    return np.exp(x - x.max()) / total
"""
IN_PLACE = """
def softmax(x, axis=-1):
    x -= x.max(axis=axis, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=axis, keepdims=True)
    return x
"""
REMEMBERED = """
seen = {}
def softmax(x, axis=-1):
    key = np.shape(x)
    if key not in seen:
        e = np.exp(x - np.max(x, axis=axis, keepdims=True))
        seen[key] = e / e.sum(axis=axis, keepdims=True)
    return seen[key]
"""

WRONG = [
    wrong(
        "softmax: over the rows with axis=-1 alone",
        softmax(
            "axis = -1 if axis == -1 else 0; e = np.exp(x - x.max(axis, keepdims=True)); "
            "return e / e.sum(axis, keepdims=True)"
        )
        + attention("scaled_dot_product_attention"),
        "row",
        why="right by default, and the message says at which axis it is wrong",
    ),
    wrong(
        "softmax: protected for matrices alone",
        softmax(
            "e = np.exp(x - x.max(axis, keepdims=True) if x.ndim > 1 else x); return e / e.sum(axis, keepdims=True)"
        ),
        "large",
        why="half right, and the message about large numbers says it all",
    ),
    wrong(
        "softmax: over the columns, whatever axis says",
        softmax("e = np.exp(x - x.max(0)); return e / e.sum(0)"),
        "row attention-rows",
        "softmax-over-queries",
    ),
    wrong(
        "softmax: over the rows, whatever axis says",
        softmax("e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)"),
        "axis",
        "axis-ignored",
    ),
    wrong(
        "softmax: over the whole matrix",
        softmax("e = np.exp(x - np.max(x)); return e / np.sum(e)"),
        "row axis attention-rows",
        "softmax-over-everything",
        may="apart attention-large",
    ),
    wrong(
        "softmax: over the whole matrix, in a loop",
        BY_LOOPS,
        "row axis attention-rows",
        "softmax-over-everything",
        may="apart attention-large",
    ),
    wrong(
        "softmax: plain shares",
        softmax("return x / x.sum(axis, keepdims=True)"),
        f"{VALUES} shift {LARGE} attention-rows",
        "no-exponential",
    ),
    wrong(
        "softmax: shares of sizes",
        softmax("size = abs(x); return size / size.sum(axis=axis, keepdims=True)"),
        f"{VALUES} shift {LARGE}",
        "no-exponential",
    ),
    wrong(
        "softmax: nothing divides",
        softmax("return np.exp(x - x.max(axis=axis, keepdims=True))"),
        f"{VALUES} {LARGE} attention-rows",
        "not-normalised",
    ),
    wrong(
        "softmax: sigmoid",
        softmax("return 1 / (1 + np.exp(-x))"),
        f"{VALUES} shift {LARGE} attention-rows",
        "sigmoid",
    ),
    wrong(
        "softmax: two to the power",
        softmax("e = 2 ** (x - x.max(axis=axis, keepdims=True)); return e / e.sum(axis=axis, keepdims=True)"),
        VALUES,
        "another-base",
    ),
    wrong(
        "softmax: of the negative",
        softmax("e = np.exp(x.min(axis=axis, keepdims=True) - x); return e / e.sum(axis=axis, keepdims=True)"),
        f"{VALUES} {LARGE}",
        "negative-scores",
    ),
    wrong(
        "softmax: the logarithm of it",
        softmax("s = x - x.max(axis=axis, keepdims=True); return s - np.log(np.exp(s).sum(axis=axis, keepdims=True))"),
        f"{VALUES} {LARGE} attention-rows",
        "logarithm-of-softmax",
        may="attention-output",
    ),
    wrong(
        "softmax: a hard choice",
        softmax("best = x == x.max(axis=axis, keepdims=True); return best / best.sum(axis=axis, keepdims=True)"),
        VALUES,
        "best-key-alone",
        may="attention-output",
    ),
    wrong(
        "softmax: rounded",
        softmax("e = np.exp(x - x.max(axis, keepdims=True)); return np.round(e / e.sum(axis, keepdims=True), 3)"),
        f"{VALUES} attention-rows",
        "rounded-results",
    ),
    wrong(
        "softmax: sum without keepdims",
        softmax("e = np.exp(x - np.max(x, axis=axis, keepdims=True)); return e / np.sum(e, axis=axis)"),
        "row attention-rows",
        "sum-without-keepdims",
        may="apart shift argument",
    ),
    wrong(
        "softmax: maximum without keepdims",
        softmax("e = np.exp(x - x.max(axis=axis)); return e / e.sum(axis=axis, keepdims=True)"),
        "row",
        "max-without-keepdims",
        may="apart shift argument attention-large",
    ),
    wrong(
        "softmax: into a buffer of integers",
        softmax(
            "e = np.exp(x - x.max(axis, keepdims=True)); out = np.zeros_like(x); "
            "out[...] = e / e.sum(axis, keepdims=True); return out"
        ),
        "vector",
        "integer-buffer",
    ),
    wrong("softmax: in place", IN_PLACE, "argument", "arguments-changed", may="vector attention-whole peak-2"),
    wrong(
        "softmax: shifts its argument",
        softmax("x -= x.max(axis, keepdims=True); e = np.exp(x); return e / e.sum(axis, keepdims=True)"),
        "argument",
        "arguments-changed",
    ),
    wrong(
        "softmax: no maximum subtracted",
        softmax("e = np.exp(x); return e / e.sum(axis, keepdims=True)"),
        LARGE,
        "no-max-subtraction",
    ),
    wrong(
        "softmax: one maximum for all rows",
        softmax("e = np.exp(x - x.max()); return e / e.sum(axis, keepdims=True)"),
        "apart",
        "one-global-max",
    ),
    wrong(
        "softmax: clipped",
        softmax("e = np.exp(np.clip(x, -500, 500)); return e / e.sum(axis, keepdims=True)"),
        LARGE,
        "clipped-scores",
    ),
    wrong(
        "softmax: never shifted downwards",
        softmax("e = np.exp(x - np.maximum(x.max(axis, keepdims=True), 0)); return e / e.sum(axis, keepdims=True)"),
        LARGE,
        "shift-never-negative",
    ),
    wrong(
        "softmax: a small number in the denominator",
        softmax("e = np.exp(x); return e / (e.sum(axis, keepdims=True) + 1e-3)"),
        f"{VALUES} shift {LARGE}",
        why="the number can be any, so nothing is predicted exactly",
        may="attention-rows",
    ),
    wrong(
        "softmax: answers from memory",
        REMEMBERED,
        "axis",
        why="what comes back depends on what was asked before",
        may="row vector argument large apart attention-follows attention-large attention-whole attention-scaled "
        "attention-width attention-rows peak-1 peak-2 attention-lengths attention-shapes attention-output",
    ),
    wrong(
        "softmax: always even",
        softmax("return np.full(np.shape(x), 1 / np.shape(x)[axis])"),
        f"{VALUES} shift {LARGE} attention-follows attention-scaled attention-width peak-1 peak-2",
        "even-weights",
        may="attention-output attention-large",
    ),
]
