"""The mutants that pass every check, each with the reason why it is a right answer."""

from __future__ import annotations

LAST_AXIS = "the last axis of a matrix is axis 1, and it is the default of softmax"
SAME_WIDTH = "Q and K have the same width, and in self-attention the same length"
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
}
