"""Wrong answers to exercise 5: the Jacobian of softmax, sparsemax, and linear attention in both forms."""

from __future__ import annotations

from answers.writing import wrong_answers

CHECKS = {
    "diagonal": "test_jacobian_on_the_diagonal",
    "off": "test_jacobian_off_the_diagonal",
    "some": "test_sparsemax_gives_shares_to_some",
    "all": "test_sparsemax_gives_something_to_all",
    "x": "test_sparsemax_leaves_its_argument_alone",
    "values": "test_linear_attention_blends_the_values",
    "budget": "test_linear_attention_shares_one_budget",
    "long": "test_linear_attention_of_a_very_long_sequence",
    "arguments": "test_linear_attention_leaves_its_arguments_alone",
    "causal": "test_causal_linear_attention_blends_the_past",
    "future": "test_the_future_plays_no_part_in_the_sums",
    "first": "test_the_first_row_is_the_first_value",
    "causal-arguments": "test_causal_linear_attention_leaves_its_arguments_alone",
}
wrong = wrong_answers("ex5-variations", CHECKS)


def jacobian(expression: str) -> str:
    return f"def softmax_jacobian(p):\n    return {expression}\n"


def sparse(
    tau: str = "(total[k - 1] - 1) / k",
    result: str = "np.maximum(x - tau, 0)",
    ordered: str = "np.sort(x)[::-1]",
    k: str = "np.flatnonzero(out)[-1] + 1",
) -> str:
    return f"""
def sparsemax(x):
    s = {ordered}
    total = np.cumsum(s)
    out = 1 + np.arange(1, len(x) + 1) * s > total
    k = {k}
    tau = {tau}
    return {result}
"""


def linear(result: str, q: str = "feature_map(Q)", k: str = "feature_map(K)") -> str:
    return f"def linear_attention(Q, K, V):\n    q, k = {q}, {k}\n    return {result}\n"


RIGHT = "(q @ (k.T @ V)) / (q @ k.sum(0))[:, None]"


def causal(*steps: str, q: str = "feature_map(Q)", k: str = "feature_map(K)", v: str = "V") -> str:
    """causal_linear_attention as a loop of these steps."""
    body = "".join(f"        {step}\n" for step in steps)
    return f"""
def causal_linear_attention(Q, K, V):
    q, k, v = {q}, {k}, {v}
    S, z, out = np.zeros((k.shape[1], v.shape[1])), np.zeros(k.shape[1]), np.zeros(v.shape)
    for i in range(len(q)):
{body}    return out
"""


READ = ("S += np.outer(k[i], v[i])", "z += k[i]")
ANSWER = "out[i] = q[i] @ S / (q[i] @ z)"
TABLE = """
def linear_attention(Q, K, V):
    table = feature_map(Q) @ feature_map(K).T
    return table / table.sum(axis=1, keepdims=True) @ V
"""
MAPPED_IN_PLACE = """
def {name}(Q, K, V):
    for array in (Q, K):
        array[...] = feature_map(array)
    table = {table}
    return {result}
"""
MEAN = """
def linear_attention(Q, K, V):
    return np.tile(V.mean(axis=0), (len(Q), 1))
"""

WRONG = [
    wrong(
        "jacobian: of the scores",
        jacobian("np.diag(softmax(p)) - np.outer(softmax(p), softmax(p))"),
        "diagonal off",
        "jacobian-of-the-scores",
    ),
    wrong("jacobian: the diagonal alone", jacobian("np.diag(p * (1 - p))"), "off", "diagonal-alone"),
    wrong("jacobian: no diagonal", jacobian("-np.outer(p, p)"), "diagonal", "diagonal-left-out"),
    wrong("jacobian: plus", jacobian("np.diag(p) + np.outer(p, p)"), "diagonal off", "jacobian-sign"),
    wrong("jacobian: a vector", jacobian("p * (1 - p)"), "diagonal off", "derivative-of-a-sigmoid"),
    wrong("jacobian: a scalar product", jacobian("np.diag(p) - p @ p"), "diagonal off", "scalar-for-a-table"),
    wrong("jacobian: identity for p", jacobian("np.eye(len(p)) - np.outer(p, p)"), "diagonal", "delta-minus-both"),
    wrong("sparsemax: softmax", sparse(result="softmax(x)"), "some all", "softmax-for-sparsemax"),
    wrong(
        "sparsemax: the largest",
        sparse(result="(x == x.max()) / np.sum(x == x.max())"),
        "some all",
        "everything-to-the-best",
    ),
    wrong(
        "sparsemax: clipped and divided",
        sparse(result="np.maximum(x, 0) / np.maximum(x, 0).sum()"),
        "some all",
        "clipped-and-divided",
    ),
    wrong("sparsemax: not cut", sparse(result="x - tau"), "some", "level-not-cut"),
    wrong("sparsemax: level of all", sparse("(x.sum() - 1) / len(x)"), "some", "level-of-all-scores"),
    wrong(
        "sparsemax: index for a count",
        sparse(k="np.flatnonzero(out)[-1]", tau="(total[k] - 1) / max(k, 1)"),
        "some all",
        "threshold-off-by-one",
    ),
    wrong(
        "sparsemax: one score too many",
        sparse("(total[min(k, len(x) - 1)] - 1) / k"),
        "some",
        "threshold-off-by-one",
        may="all",
    ),
    wrong("sparsemax: first that fails", sparse(k="np.argmin(out)"), "all", "none-fails"),
    wrong("sparsemax: 1 forgotten", sparse("total[k - 1] / k"), "some all", "one-forgotten"),
    wrong("sparsemax: sorted result", sparse(result="np.maximum(s - tau, 0)"), "some", "sorted-shares", may="all"),
    wrong("sparsemax: not sorted", sparse(ordered="np.array(x)"), "some", "not-sorted", may="all"),
    wrong("sparsemax: sorted upwards", sparse(ordered="np.sort(x)"), "some", "level-of-all-scores", may="all"),
    wrong(
        "sparsemax: shifted in place",
        "def sparsemax(x):\n    x -= x.max()\n" + sparse().split("\n", 2)[2],
        "x",
        "arguments-changed",
    ),
    wrong("linear: no feature map", linear(RIGHT, "Q", "K"), "values", "feature-map-left-out", may="long"),
    wrong("linear: keys alone mapped", linear(RIGHT, "Q"), "values", "feature-map-once", may="long"),
    wrong("linear: values mapped", linear(RIGHT.replace("V", "feature_map(V)")), "values budget", "values-mapped"),
    wrong("linear: exp", linear(RIGHT, "np.exp(Q)", "np.exp(K)"), "values", "another-feature-map"),
    wrong(
        "linear: softmax of the scores",
        linear("softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V"),
        "values long",
        "softmax-in-linear-attention",
    ),
    wrong("linear: not divided", linear("q @ (k.T @ V)"), "values budget long", "linear-not-normalised"),
    wrong(
        "linear: sum over queries",
        linear("(q @ k.T) / (q @ k.T).sum(0) @ V"),
        "values budget long",
        "normalised-over-the-wrong-axis",
    ),
    wrong(
        "linear: keys normalised",
        linear("q @ ((k / k.sum(0)).T @ V)"),
        "values budget",
        "normalised-over-the-wrong-axis",
    ),
    wrong(
        "linear: no axis for the division",
        linear(RIGHT.replace("[:, None]", "")),
        "values budget long arguments",
        "normalised-over-the-wrong-axis",
    ),
    wrong("linear: the table of all pairs", TABLE, "long", "table-of-all-pairs"),
    wrong(
        "linear: the mean of V",
        MEAN,
        "values budget long",
        why="a guess: neither queries nor keys play a part, and the message says so",
    ),
    wrong(
        "linear: mapped in place",
        MAPPED_IN_PLACE.format(
            name="linear_attention", table="Q @ (K.T @ V)", result="table / (Q @ K.sum(0))[:, None]"
        ),
        "arguments",
        "arguments-changed",
    ),
    wrong("causal linear: no feature map", causal(*READ, ANSWER, q="Q", k="K"), "causal", "feature-map-left-out"),
    wrong("causal linear: values mapped", causal(*READ, ANSWER, v="feature_map(V)"), "causal first", "values-mapped"),
    wrong(
        "causal linear: all keys",
        "def causal_linear_attention(Q, K, V):\n    return linear_attention(Q, K, V)\n",
        "causal future first",
        "future-in-the-sums",
    ),
    wrong(
        "causal linear: all keys below the line",
        causal(READ[0], "z = k.sum(0)", ANSWER),
        "causal future first",
        "future-below-the-line",
    ),
    wrong(
        "causal linear: itself left out",
        causal("if i: " + ANSWER, *READ),
        "causal first",
        "itself-left-out",
        may="future",
    ),
    wrong(
        "causal linear: answered first",
        causal("with np.errstate(all='ignore'): " + ANSWER, *READ),
        "causal future first",
        "itself-left-out",
    ),
    wrong("causal linear: not divided", causal(*READ, "out[i] = q[i] @ S"), "causal first", "linear-not-normalised"),
    wrong(
        "causal linear: sums forgotten",
        causal("S = np.outer(k[i], v[i])", "z = k[i]", ANSWER),
        "causal future first",
        "sums-forgotten",
    ),
    wrong(
        "causal linear: softmax",
        "def causal_linear_attention(Q, K, V):\n"
        "    s = np.where(np.tri(len(Q)) > 0, Q @ K.T / np.sqrt(K.shape[1]), -np.inf)\n    return softmax(s) @ V\n",
        "causal",
        "softmax-in-linear-attention",
    ),
    wrong(
        "causal linear: columns normalised",
        "def causal_linear_attention(Q, K, V):\n"
        "    t = np.tril(feature_map(Q) @ feature_map(K).T)\n    return t / t.sum(axis=0) @ V\n",
        "causal future first",
        "normalised-over-the-wrong-axis",
    ),
    wrong(
        "causal linear: mapped in place",
        MAPPED_IN_PLACE.format(
            name="causal_linear_attention", table="np.tril(Q @ K.T)", result="table / table.sum(1, keepdims=True) @ V"
        ),
        "causal-arguments",
        "arguments-changed",
    ),
]
