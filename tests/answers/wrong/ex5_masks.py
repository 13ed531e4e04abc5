"""Wrong answers to exercise 5: the masks, their combination, and attention with a mask given."""

from __future__ import annotations

from answers.writing import wrong_answers

CHECKS = {
    "padding": "test_padding_mask_hides_the_padding",
    "padding-added": "test_padding_mask_is_there_to_be_added",
    "padding-refuses": "test_padding_mask_refuses_impossible_lengths",
    "prefix": "test_prefix_mask_opens_the_prefix_and_the_past",
    "prefix-added": "test_prefix_mask_is_there_to_be_added",
    "prefix-refuses": "test_prefix_mask_refuses_impossible_prefixes",
    "either": "test_combine_blocks_what_either_mask_blocks",
    "three": "test_combine_takes_one_mask_or_three",
    "batch": "test_combine_takes_masks_for_a_batch",
    "large": "test_combine_takes_large_negative_numbers",
    "masks": "test_combine_leaves_its_arguments_alone",
    "open": "test_masked_weights_are_shared_among_the_open_keys",
    "blend": "test_masked_output_blends_the_values",
    "through": "test_blocked_keys_cannot_get_through",
    "empty": "test_rows_blocked_from_end_to_end_are_zero",
    "empty-large": "test_rows_blocked_by_large_numbers_are_zero",
    "arguments": "test_masked_attention_leaves_its_arguments_alone",
}
wrong = wrong_answers("ex5-variations", CHECKS)

LIMITS = "    if min(lengths) < 0 or max(lengths) > n:\n        raise ValueError('length')\n"


def padding(blocked: str, fill: str = "-np.inf", limits: str = LIMITS, result: str = "np.stack(tables)") -> str:
    """padding_mask from what is blocked in one text, with the numbers of queries i and keys j as columns and rows."""
    return f"""
def padding_mask(lengths, n):
{limits}    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    tables = []
    for length in lengths:
        blocked = np.broadcast_to({blocked}, (n, n))
        tables.append(np.where(blocked, {fill}, 0.0))
    return {result}
"""


def prefix(blocked: str, fill: str = "-np.inf", limit: str = "prefix < 0 or prefix > n") -> str:
    return f"""
def prefix_mask(n, prefix):
    if {limit}:
        raise ValueError("prefix")
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    return np.where(np.broadcast_to({blocked}, (n, n)), {fill}, 0.0)
"""


def combine(*lines: str) -> str:
    return "def combine(*masks):\n" + "".join(f"    {line}\n" for line in lines)


def masked(
    scores: str = "scores + mask", weights: str = "softmax(scores)", result: str = "weights @ V, weights"
) -> str:
    """masked_attention that puts 0 into the rows in which nothing is open."""
    return f"""
def masked_attention(Q, K, V, mask):
    scores = Q @ K.T / np.sqrt(K.shape[1])
    scores = {scores}
    weights = {weights}
    weights = np.where((mask <= -1e4).all(axis=1, keepdims=True), 0.0, weights)
    return {result}
"""


def plain(weights: str, *lines: str) -> str:
    """masked_attention without anything for rows in which nothing is open."""
    return "def masked_attention(Q, K, V, mask):\n    scores = Q @ K.T / np.sqrt(K.shape[1])\n" + "".join(
        f"    {line}\n" for line in (*lines, f"weights = {weights}", "return weights @ V, weights")
    )


ONE_ROW = """
def padding_mask(lengths, n):
    lengths = np.asarray(lengths)
    if lengths.min() < 0 or lengths.max() > n:
        raise ValueError("length")
    return np.where(np.arange(n) >= lengths[:, None], -np.inf, 0.0)
"""
SLICED = """
def prefix_mask(n, prefix):
    mask = np.triu(np.full((n, n), -np.inf), 1)
    mask[:, :prefix] = 0.0
    return mask
"""
ASSERTED = """
def prefix_mask(n, prefix):
    assert 0 <= prefix <= n, "prefix"
    mask = np.triu(np.full((n, n), -np.inf), 1)
    mask[:, :prefix] = 0.0
    return mask
"""
IN_PLACE = """
def masked_attention(Q, K, V, mask):
    Q /= np.sqrt(K.shape[1])
    blocked = mask <= -1e4
    weights = softmax(np.where(blocked, -1e30, Q @ K.T))
    weights = np.where(blocked.all(axis=1, keepdims=True), 0.0, weights)
    return weights @ V, weights
"""
NEVER_ZERO = "only rows that see nothing are treated wrongly, by a number of one's own choice"
ALL_OPEN = "np.where(mask <= -1e4, -np.inf, scores)"

WRONG = [
    wrong("padding: queries", padding("i >= length"), "padding", "padding-on-queries"),
    wrong(
        "padding: queries and keys", padding("(i >= length) | (j >= length)"), "padding", "padding-on-queries-and-keys"
    ),
    wrong("padding: one too long", padding("j > length"), "padding", "padding-off-by-one"),
    wrong("padding: the text blocked", padding("j < length"), "padding", "real-positions-blocked"),
    wrong("padding: at the start", padding("j < n - length"), "padding", "padding-at-the-start"),
    wrong(
        "padding: one row for a text",
        ONE_ROW,
        "padding padding-added",
        "mask-of-one-row",
        may="padding-refuses",
    ),
    wrong(
        "padding: truth values",
        padding("j >= length", "True").replace("0.0", "False"),
        "padding-added",
        "mask-not-additive",
    ),
    wrong("padding: -10", padding("j >= length", "-10.0"), "padding-added", "mask-too-weak"),
    wrong("padding: +inf", padding("j >= length", "np.inf"), "padding-added", "mask-sign"),
    wrong("padding: anything goes", padding("j >= length", limits=""), "padding-refuses", "bad-input-accepted"),
    wrong(
        "padding: too long alone refused",
        padding("j >= length", limits=LIMITS.replace("min(lengths) < 0 or ", "")),
        "padding-refuses",
        "bad-input-accepted",
    ),
    wrong("prefix: one too long", prefix("(j > i) & (j > prefix)"), "prefix", "prefix-off-by-one"),
    wrong("prefix: causal mask", prefix("j > i"), "prefix", "prefix-ignored"),
    wrong("prefix: nothing after it", prefix("(j >= prefix) & (i >= 0)"), "prefix", "prefix-alone"),
    wrong("prefix: rows", prefix("(j > i) & (i >= prefix)"), "prefix", "prefix-on-rows"),
    wrong("prefix: past blocked", prefix("(j < i) & (j >= prefix)"), "prefix", "past-blocked"),
    wrong(
        "prefix: truth values",
        prefix("(j > i) & (j >= prefix)", "True").replace("0.0)", "False)"),
        "prefix-added",
        "mask-not-additive",
    ),
    wrong("prefix: -100", prefix("(j > i) & (j >= prefix)", "-100"), "prefix-added", "mask-too-weak"),
    wrong("prefix: slices", SLICED, "prefix-refuses", "bad-input-accepted"),
    wrong(
        "prefix: asserted",
        ASSERTED,
        "prefix-refuses",
        why="the kind of exception is the mistake, and the message names it",
    ),
    wrong(
        "combine: multiplied",
        combine("return np.prod(np.broadcast_arrays(*masks), axis=0)"),
        "either three batch large",
        "masks-multiplied",
    ),
    wrong(
        "combine: open where any is open",
        combine("total = masks[0]", "for mask in masks[1:]:", "    total = np.maximum(total, mask)", "return total"),
        "either three batch large",
        "open-where-any-is-open",
    ),
    wrong("combine: two", combine("return masks[0] + masks[1]"), "three", "two-masks-alone"),
    wrong("combine: the first two", combine("return sum(masks[:2])"), "three", "two-masks-alone"),
    wrong(
        "combine: stacked",
        combine("return np.stack(masks)"),
        "either three batch large",
        "masks-stacked",
    ),
    wrong(
        "combine: summed after stacking", combine("return np.stack(masks).sum(axis=0)"), "batch", "shapes-must-agree"
    ),
    wrong(
        "combine: only infinity",
        combine("return np.where(np.isinf(sum(masks)), -np.inf, 0.0)"),
        "large",
        "infinity-alone-blocks",
    ),
    wrong(
        "combine: into the first",
        combine("total = masks[0]", "for mask in masks[1:]:", "    total += mask", "return total"),
        "batch masks",
        "shapes-must-agree",
    ),
    wrong(
        "combine: infinities written in",
        combine("for mask in masks:", "    mask[mask < 0] = -np.inf", "return sum(masks)"),
        "masks",
        "arguments-changed",
    ),
    wrong("masked: no mask", masked("scores"), "open through", "mask-ignored"),
    wrong(
        "masked: multiplied",
        plain("softmax(scores)", "scores = scores * mask"),
        "open through empty empty-large",
        "mask-multiplied",
        may="blend",
    ),
    wrong("masked: 0 for blocked", masked("np.where(mask < 0, 0.0, scores)"), "open through", "zero-for-blocked"),
    wrong(
        "masked: after softmax",
        masked("scores", "np.where(mask < 0, 0.0, softmax(scores))"),
        "open through",
        "mask-after-softmax",
    ),
    wrong("masked: -100 for blocked", masked("np.where(mask < 0, -100.0, scores)"), "through", "mask-too-weak"),
    wrong(
        "masked: output scaled",
        masked(result="weights @ V / np.sqrt(K.shape[1]), weights"),
        "blend",
        "scale-the-output",
    ),
    wrong("masked: no scaling", masked("Q @ K.T + mask"), "open", "no-scaling"),
    wrong("masked: divided by d_k", masked("Q @ K.T / K.shape[1] + mask"), "open", "scale-by-d-k"),
    wrong("masked: softmax of the sum", plain("softmax(scores + mask)"), "empty empty-large", "empty-row-not-treated"),
    wrong("masked: NaN to 0", plain("np.nan_to_num(softmax(scores + mask))"), "empty-large", "empty-row-told-by-nan"),
    wrong(
        "masked: only infinity",
        plain("np.nan_to_num(softmax(np.where(np.isinf(mask), -np.inf, scores)))"),
        "open through empty-large",
        "infinity-alone-blocks",
    ),
    wrong(
        "masked: -1e9 for all",
        plain("softmax(np.where(mask < 0, -1e9, scores))"),
        "empty empty-large",
        "empty-row-even",
    ),
    wrong(
        "masked: mean of V in the output",
        masked(result="np.where((mask <= -1e4).all(1)[:, None], V.mean(0), weights @ V), weights"),
        "empty empty-large",
        why=NEVER_ZERO,
    ),
    wrong(
        "masked: output without the mask",
        masked(result="softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V, weights"),
        "blend through empty empty-large",
        why="the weights are right, and the message says that the output does not follow",
    ),
    wrong("masked: scales Q in place", IN_PLACE, "arguments", "arguments-changed"),
]
