"""Wrong answers to exercise 5: several heads."""

from __future__ import annotations

from answers.writing import wrong_answers

CHECKS = {
    "results": "test_multi_head_attention_returns_output_and_weights",
    "rows": "test_rows_of_every_head_sum_to_one",
    "columns": "test_every_head_attends_with_its_own_columns",
    "scaled": "test_scores_of_a_head_are_scaled_by_its_width",
    "mixed": "test_outputs_of_all_heads_are_put_together_and_mixed",
    "refused": "test_heads_that_do_not_divide_the_width_are_refused",
}
SEEN = "results rows columns scaled mixed"
wrong = wrong_answers("ex5-variations", CHECKS)

STRIPS = "t.reshape(n, n_heads, d).transpose(1, 0, 2)"
LIMIT = "X.shape[1] % n_heads"


def heads(
    split: str = STRIPS,
    scale: str = "np.sqrt(d)",
    weights: str = "softmax(scores)",
    join: str = "outputs.transpose(1, 0, 2).reshape(n, n_heads * d)",
    result: str = "together @ W_o, weights",
    project: str = "X @ W",
    limit: str = LIMIT,
) -> str:
    """multi_head_attention without a loop; each step can be replaced."""
    return f"""
def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    if {limit}:
        raise ValueError("n_heads does not divide d_model")
    n, d_model = X.shape
    d = d_model // n_heads
    Q, K, V = [({split}) for t in [({project}) for W in (W_q, W_k, W_v)]]
    scores = Q @ K.transpose(0, 2, 1) / {scale}
    weights = {weights}
    outputs = weights @ V
    together = {join}
    return {result}
"""


BY_POSITIONS = """
def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    if X.shape[1] % n_heads:
        raise ValueError("n_heads does not divide d_model")
    outputs, weights = [], []
    for part in np.split(X, n_heads):
        w = softmax((part @ W_q) @ (part @ W_k).T / np.sqrt(X.shape[1] // n_heads))
        outputs.append(w @ (part @ W_v))
        weights.append(w)
    return np.concatenate(outputs) @ W_o, np.stack(weights)
"""
AMONG_HEADS = """
def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    if X.shape[1] % n_heads:
        raise ValueError("n_heads does not divide d_model")
    Q, K, V = ((X @ W).reshape(len(X), n_heads, -1) for W in (W_q, W_k, W_v))
    weights = softmax(Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1]))
    return (weights @ V).reshape(X.shape) @ W_o, weights
"""
SLICED = """
def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    d = X.shape[1] // n_heads
    output, weights = np.zeros(X.shape), []
    for h in range(n_heads):
        Q, K, V = (X @ W[:, h * d:(h + 1) * d] for W in (W_q, W_k, W_v))
        weights.append(softmax(Q @ K.T / np.sqrt(d)))
        output += weights[-1] @ V @ W_o[h * d:(h + 1) * d]
    return output, np.stack(weights)
"""
ONE_HEAD = """
def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    if X.shape[1] % n_heads:
        raise ValueError("n_heads does not divide d_model")
    weights = softmax((X @ W_q) @ (X @ W_k).T / np.sqrt(X.shape[1]))
    return weights @ (X @ W_v) @ W_o, np.stack([weights] * n_heads)
"""
TWO_HEADS = heads().replace("    n, d_model", "    n_heads = 2\n    n, d_model")
EVEN = heads(weights="np.full(scores.shape, 1 / n)")

WRONG = [
    wrong("heads: positions split", BY_POSITIONS, f"{SEEN} refused", "heads-split-along-positions"),
    wrong("heads: attention among heads", AMONG_HEADS, SEEN, "attention-among-heads"),
    wrong(
        "heads: reshape alone",
        heads("t.reshape(n_heads, n, d)", join="outputs.reshape(n, n_heads * d)"),
        "columns scaled mixed",
        "reshape-without-transpose",
    ),
    wrong(
        "heads: reshape alone on the way back",
        heads(join="outputs.reshape(n, n_heads * d)"),
        "mixed",
        "heads-joined-without-transpose",
    ),
    wrong(
        "heads: columns dealt in turn",
        heads("t.reshape(n, d, n_heads).transpose(2, 0, 1)"),
        "columns scaled mixed",
        "columns-dealt-in-turn",
    ),
    wrong("heads: no W_o", heads(result="together, weights"), "mixed", "output-matrix-missing"),
    wrong("heads: W_o transposed", heads(result="together @ W_o.T, weights"), "mixed", "matrix-transposed"),
    wrong("heads: scaled by d_model", heads(scale="np.sqrt(d_model)"), "scaled", "scale-by-d-model"),
    wrong("heads: divided by d_head", heads(scale="d"), "scaled", "scale-of-a-head"),
    wrong("heads: no scaling", heads(scale="1"), "scaled", "no-scaling"),
    wrong("heads: one head", ONE_HEAD, "columns scaled", "one-head-alone"),
    wrong(
        "heads: always two",
        TWO_HEADS,
        "results rows columns scaled mixed",
        why="a number in the code in place of an argument; the shapes in the message show it",
        may="scaled",
    ),
    wrong("heads: softmax over queries", heads(weights="softmax(scores, axis=1)"), "rows", "softmax-over-queries"),
    wrong("heads: softmax twice", heads(weights="softmax(softmax(scores))"), "columns scaled", "softmax-twice"),
    wrong("heads: not normalised", heads(weights="np.exp(scores)"), "rows", "not-normalised"),
    wrong("heads: added up", heads(join="np.tile(outputs.sum(0), (1, n_heads))"), "mixed", "heads-added-up"),
    wrong(
        "heads: last head on the left",
        heads(join="outputs[::-1].transpose(1, 0, 2).reshape(n, n_heads * d)"),
        "mixed",
        "heads-in-another-order",
    ),
    wrong(
        "heads: one V for all",
        heads().replace("outputs = weights @ V", "outputs = weights @ V[0]"),
        "mixed",
        "values-not-split",
    ),
    wrong(
        "heads: weights averaged",
        heads(result="together @ W_o, weights.mean(axis=0)"),
        SEEN,
        "weights-of-heads-averaged",
    ),
    wrong("heads: weights first", heads(result="weights, together @ W_o"), SEEN, "swapped-return"),
    wrong("heads: output alone", heads(result="together @ W_o"), SEEN, "output-only"),
    wrong(
        "heads: scores returned",
        heads(result="together @ W_o, scores"),
        "rows columns scaled",
        "scores-returned",
        may="mixed",
    ),
    wrong(
        "heads: squeezed",
        heads(result="np.squeeze(together @ W_o), np.squeeze(weights)"),
        "results",
        why="it shows only where there is one position or one head, and the shapes in the message say so",
    ),
    wrong("heads: any number of heads", SLICED, "refused", "bad-input-accepted"),
    wrong(
        "heads: even weights",
        EVEN,
        "columns scaled mixed",
        why="a guess: the weights do not come from X, and the message says so",
    ),
]
