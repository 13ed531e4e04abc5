"""The mutants that pass every check, each with the reason why it is a right answer."""

from __future__ import annotations

LAST_AXIS = "the last axis of a matrix is axis 1, and it is the default of softmax"
SAME_WIDTH = "Q and K have the same width, and in self-attention the same length"
SAME_LENGTH = "Q, K and V have one row for each position"
NUMPY_NUMBER = "a numpy number is accepted where a Python one is"
NEVER_EQUAL = "no sum or weight lies exactly at the tolerance"
AT_THE_EDGE = "it still refuses the smallest mistake that the notebook speaks of, which is as large as this tolerance"
CANCELS = "the byte size is on both sides of the comparison and cancels"
NAN_ELSEWHERE = "a NaN in the future fails the comparison already, and one in the past is no question of causality"

_SUMS = "return bool(np.all(off_by < 1e-05))"
_PEAKS = "return (float(unscaled), float(scaled))"
_CAUSAL = "return bool(nothing_leaks and (not np.any(np.isnan(weights))))"
_FUTURE = "nothing_leaks = np.all(np.abs(future) < 1e-06)"
_CROSSOVER = "def crossover_n(d_model, dtype_bytes=2, expansion=4):"

STRETCHED = "the notebook accepts one row for each text, as numpy stretches it"
REFUSED_ANYWAY = "the product with W_o does not fit then, and numpy refuses it with a ValueError as well"

_REPEAT = "return np.repeat(row[:, np.newaxis, :], n, axis=1)"
_MIX = "return (together @ W_o, np.stack(weights))"
_UNEVEN = "raise ValueError('the heads cannot share the columns evenly')"

# (function, what was changed) -> reason
EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "scaled_dot_product_attention",
        "weights = softmax(scores, axis=1) -> weights = softmax(scores)",
    ): LAST_AXIS,
    ("scaled_dot_product_attention", "d_k = K.shape[1] -> d_k = Q.shape[1]"): SAME_WIDTH,
    ("rows_sum_to_one", f"{_SUMS} -> return np.all(off_by < 1e-05)"): NUMPY_NUMBER,
    ("rows_sum_to_one", f"{_SUMS} -> return bool(np.all(off_by <= 1e-05))"): NEVER_EQUAL,
    ("rows_sum_to_one", f"{_SUMS} -> return bool(np.all(off_by < 0.001))"): AT_THE_EDGE,
    ("peakedness", f"{_PEAKS} -> return (unscaled, float(scaled))"): NUMPY_NUMBER,
    ("peakedness", f"{_PEAKS} -> return (float(unscaled), scaled)"): NUMPY_NUMBER,
    (
        "peakedness",
        "scaled = softmax(scores / np.sqrt(Q.shape[1])).max() -> scaled = softmax(scores / np.sqrt(K.shape[1])).max()",
    ): SAME_WIDTH,
    (
        "causal_mask",
        "query, key = (position[:, np.newaxis], position[np.newaxis, :]) -> "
        "query, key = (position[:, np.newaxis], position[np.newaxis,])",
    ): "the last colon is implied",
    ("causal_attention", "n, d_k = Q.shape -> n, d_k = K.shape"): SAME_WIDTH,
    ("is_causal", f"{_CAUSAL} -> return nothing_leaks and (not np.any(np.isnan(weights)))"): NUMPY_NUMBER,
    ("is_causal", f"{_CAUSAL} -> return bool(nothing_leaks)"): NAN_ELSEWHERE,
    ("is_causal", f"{_CAUSAL} -> return bool(nothing_leaks and (not np.all(np.isnan(weights))))"): NAN_ELSEWHERE,
    ("is_causal", f"{_FUTURE} -> nothing_leaks = np.all(np.abs(future) <= 1e-06)"): NEVER_EQUAL,
    ("is_causal", f"{_FUTURE} -> nothing_leaks = np.all(np.abs(future) < 9.999999999999999e-05)"): AT_THE_EDGE,
    **{
        ("crossover_n", f"{_CROSSOVER} -> {_CROSSOVER.replace('dtype_bytes=2', f'dtype_bytes={size}')}"): CANCELS
        for size in (1, 3, 200)
    },
    ("cross_attention", "weights = softmax(scores, axis=-1) -> weights = softmax(scores)"): LAST_AXIS,
    ("cross_attention", "weights = softmax(scores, axis=-1) -> weights = softmax(scores, axis=1)"): LAST_AXIS,
    ("cross_attention", "d_k = Q.shape[-1] -> d_k = Q.shape[1]"): LAST_AXIS,
    ("cross_attention", "d_k = Q.shape[-1] -> d_k = K.shape[-1]"): "Q and K have the same width",
    ("padding_mask", f"{_REPEAT} -> return row[:, np.newaxis, :]"): STRETCHED,
    ("padding_mask", f"{_REPEAT} -> {_REPEAT.replace(', :]', ']')}"): "the last colon is implied",
    (
        "masked_attention",
        "is_blocked = mask <= -10000.0 -> is_blocked = mask <= -9999.0",
    ): "an entry is 0 or -1e4 or below, never between",
    (
        "masked_attention",
        "scores = Q @ K.T / np.sqrt(K.shape[1]) -> scores = Q @ K.T / np.sqrt(Q.shape[1])",
    ): "Q and K have the same width",
    (
        "sparsemax",
        "sticks_out = 1 + count * ordered > running -> sticks_out = 1 + count * ordered >= running",
    ): "a score just at the level gets a share of 0 either way, and leaves the level where it is",
    **{
        ("causal_linear_attention", f"for i in range(len(Q)): -> for i in range(len({name})):"): SAME_LENGTH
        for name in "KV"
    },
    ("causal_linear_attention", "z = np.zeros(K.shape[1]) -> z = np.zeros(Q.shape[1])"): SAME_WIDTH,
    (
        "causal_linear_attention",
        "S = np.zeros((K.shape[1], V.shape[1])) -> S = np.zeros((Q.shape[1], V.shape[1]))",
    ): SAME_WIDTH,
    ("multi_head_attention", f"{_MIX} -> return (together @ W_o, weights)"): "a list of arrays is accepted",
    ("multi_head_attention", "d_model = X.shape[1] -> d_model = W_q.shape[1]"): "all matrices are as wide as X",
    ("multi_head_attention", f"if d_model % n_heads != 0: {_UNEVEN} -> pass"): REFUSED_ANYWAY,
    ("multi_head_attention", f"{_UNEVEN} -> pass"): REFUSED_ANYWAY,
}
