"""Wrong answers to exercise 3b."""

from __future__ import annotations

from answers.writing import wrong_answers

CHECKS = {
    "naive": "test_naive_attention_agrees_with_the_reference",
    "square": "test_naive_attention_grows_with_the_square",
    "fused": "test_fused_attention_agrees_with_the_reference",
    "table": "test_fused_attention_makes_no_table",
    "busiest": "test_measuring_finds_the_busiest_moment",
    "afresh": "test_measuring_starts_afresh",
    "inputs": "test_measuring_leaves_the_inputs_out",
    "warm": "test_measuring_warms_up",
    "exact": "test_fitting_finds_exact_powers",
    "near": "test_fitting_takes_all_points",
}
MEASURED = "busiest afresh inputs warm"
VALUES = "the values are off, and the message says by how much"

wrong = wrong_answers("ex3b-measured-memory", CHECKS)


def naive(
    scores: str = "Q @ K.T / math.sqrt(K.shape[1])",
    weights: str = "torch.softmax(scores, dim=-1)",
    result: str = "weights @ V",
) -> str:
    return f"""
def naive_attention(Q, K, V):
    scores = {scores}
    weights = {weights}
    return {result}
"""


def fused(call: str, take: str = "[0, 0]") -> str:
    return f"""
def fused_attention(Q, K, V):
    return F.scaled_dot_product_attention({call}){take}
"""


def measure(*lines: str) -> str:
    body = "\n    ".join(lines)
    return f"def measure_peak_bytes(fn, *inputs):\n    {body}\n"


def fit(expression: str) -> str:
    return f"""
def fit_exponent(ns, sizes):
    ns, sizes = np.array(ns, dtype=float), np.array(sizes, dtype=float)
    order = np.argsort(ns)
    x, y = np.log(ns[order]), np.log(sizes[order])
    return {expression}
"""


SOME_ROWS = """
def naive_attention(Q, K, V):
    parts = [torch.softmax(q @ K.T / math.sqrt(K.shape[1]), dim=1) @ V for q in Q.split(32)]
    return torch.cat(parts)
"""
IN_NUMPY = """
def naive_attention(Q, K, V):
    q, k, v = (x.cpu().numpy() for x in (Q, K, V))
    scores = q @ k.T / np.sqrt(k.shape[1])
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return torch.tensor(powers / powers.sum(axis=1, keepdims=True) @ v)
"""
INPUTS_SPOILED = """
def naive_attention(Q, K, V):
    Q /= math.sqrt(K.shape[1])
    scores = Q @ K.T
    return torch.softmax(scores, dim=-1) @ V
"""
STEPS_IN_FUSED = """
def fused_attention(Q, K, V):
    return torch.softmax(Q @ K.T / math.sqrt(K.shape[1]), dim=-1) @ V
"""
MANY_HEADS = """
def fused_attention(Q, K, V):
    q, k, v = (x.repeat(1, 4, 1, 1) for x in (Q, K, V))
    return F.scaled_dot_product_attention(q, k, v)[0, 0]
"""
BY_PROFILER = """
from torch.profiler import ProfilerActivity, profile
def measure_peak_bytes(fn, *inputs):
    fn(*inputs)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as run:
        result = fn(*inputs)
    return sum({size} for {one} in {events})
"""
NET = BY_PROFILER.format(size="e.self_cpu_memory_usage", one="e", events="run.key_averages()")
ALL_MADE = BY_PROFILER.format(
    size="max(0, e.nbytes())", one="e", events="run.profiler.kineto_results.events()"
).replace(
    "for e in run.profiler.kineto_results.events()",
    "for e in run.profiler.kineto_results.events() if e.name() == '[memory]'",
)
TRACED = """
import tracemalloc
def measure_peak_bytes(fn, *inputs):
    fn(*inputs)
    tracemalloc.start()
    fn(*inputs)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak
"""
PAGES = """
import resource
def measure_peak_bytes(fn, *inputs):
    fn(*inputs)
    {line}
    fn(*inputs)
    return 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
RESERVED = """
def measure_peak_bytes(fn, *inputs):
    fn(*inputs)
    before = memory.now()
    memory.reset_peak()
    fn(*inputs)
    if DEVICE == "cuda":
        return torch.cuda.max_memory_reserved()
    return -(-(memory.peak() - before) // 2**21) * 2**21
"""

WRONG = [
    wrong("naive: no scaling", naive("Q @ K.T"), "naive", why=VALUES),
    wrong("naive: softmax over the queries", naive(weights="torch.softmax(scores, dim=0)"), "naive", why=VALUES),
    wrong("naive: scaled by d_v", naive("Q @ K.T / math.sqrt(V.shape[1])"), "naive", why=VALUES),
    wrong(
        "naive: half precision",
        naive("(Q.half() @ K.half().T).float() / math.sqrt(K.shape[1])"),
        "naive",
        may="square",
        why=VALUES,
    ),
    wrong("naive: two results", naive(result="weights @ V, weights"), "naive", why="the message says so"),
    wrong("naive: the inputs spoiled", INPUTS_SPOILED, "naive", why="the message says so"),
    wrong(
        "naive: the fused kernel",
        "def naive_attention(Q, K, V):\n"
        "    return F.scaled_dot_product_attention(Q[None, None], K[None, None], V[None, None])[0, 0]\n",
        "square",
        why="the message says how it grows",
    ),
    wrong("naive: some rows at a time", SOME_ROWS, "square", why="the message says how it grows"),
    wrong("naive: in numpy", IN_NUMPY, "square", why="the message says how much is measured"),
    wrong("fused: two dimensions", fused("Q, K, V", ""), "table", "too-few-dimensions"),
    wrong("fused: three dimensions", fused("Q[None], K[None], V[None]", "[0]"), "table", "too-few-dimensions"),
    wrong(
        "fused: step by step", STEPS_IN_FUSED, "table", why="it is not the way of PyTorch; the message says how much"
    ),
    wrong("fused: four heads alike", MANY_HEADS, "table", why="it makes no table but much else, as the message says"),
    wrong(
        "fused: positions in the place of heads",
        "def fused_attention(Q, K, V):\n"
        "    q, k, v = (x[None, :, None] for x in (Q, K, V))\n"
        "    return F.scaled_dot_product_attention(q, k, v)[0, :, 0]\n",
        "fused",
        why=VALUES,
    ),
    wrong("fused: causal", fused("Q[None, None], K[None, None], V[None, None], is_causal=True"), "fused", why=VALUES),
    wrong(
        "fused: scaled twice",
        fused("Q[None, None] / math.sqrt(K.shape[1]), K[None, None], V[None, None]"),
        "fused",
        why=VALUES,
    ),
    wrong(
        "fused: four dimensions left",
        fused("Q[None, None], K[None, None], V[None, None]", ""),
        "fused",
        why="the message says which shape",
    ),
    wrong(
        "measure: the end",
        measure("fn(*inputs)", "before = memory.now()", "result = fn(*inputs)", "return memory.now() - before"),
        "busiest",
        "end-for-peak",
    ),
    wrong(
        "measure: the size of the result",
        measure("result = fn(*inputs)", "return 0 if result is None else result.nbytes"),
        "busiest",
        "end-for-peak",
    ),
    wrong("measure: a profiler's sum", NET, "busiest", "end-for-peak"),
    wrong("measure: all that was made", ALL_MADE, "busiest", "sum-of-all-tensors"),
    wrong(
        "measure: after everything is freed",
        measure("fn(*inputs)", "before = memory.now()", "fn(*inputs)", "return memory.now() - before"),
        MEASURED,
        "nothing-seen",
    ),
    wrong(
        "measure: no reset",
        measure("fn(*inputs)", "before = memory.now()", "fn(*inputs)", "return memory.peak() - before"),
        "afresh inputs warm",
        "peak-not-reset",
        may="busiest",
    ),
    wrong(
        "measure: no baseline",
        measure("fn(*inputs)", "memory.reset_peak()", "fn(*inputs)", "return memory.peak()"),
        "inputs warm",
        "baseline-kept",
        may="busiest afresh",
    ),
    wrong(
        "measure: copies of the inputs",
        measure(
            "fn(*inputs)",
            "before = memory.now()",
            "memory.reset_peak()",
            "fn(*(x.clone() for x in inputs))",
            "return memory.peak() - before",
        ),
        "inputs",
        "baseline-kept",
    ),
    wrong("measure: tracemalloc", TRACED, MEASURED, "python-memory"),
    wrong("measure: the whole process", PAGES.format(line="before = 0"), MEASURED, "memory-of-the-process"),
    wrong(
        "measure: the process grows",
        PAGES.format(line="before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss"),
        MEASURED,
        "nothing-seen",
    ),
    wrong("measure: blocks of the allocator", RESERVED, MEASURED, "reserved-for-allocated"),
    wrong(
        "measure: a counter of the GPU",
        measure("fn(*inputs)", "fn(*inputs)", "return torch.cuda.max_memory_allocated()"),
        MEASURED,
        "nothing-seen",
    ),
    wrong(
        "measure: no warm-up",
        measure("before = memory.now()", "memory.reset_peak()", "fn(*inputs)", "return memory.peak() - before"),
        "warm",
        "no-warm-up",
    ),
    wrong(
        "measure: the warm-up measured as well",
        measure(
            "before = memory.now()",
            "memory.reset_peak()",
            "fn(*inputs)",
            "fn(*inputs)",
            "return memory.peak() - before",
        ),
        "warm",
        "no-warm-up",
    ),
    wrong(
        "measure: mebibytes",
        measure(
            "fn(*inputs)",
            "before = memory.now()",
            "memory.reset_peak()",
            "fn(*inputs)",
            "return (memory.peak() - before) / 2**20",
        ),
        MEASURED,
        why="the message asks for the unit",
    ),
    wrong("fit: one logarithm", fit("np.polyfit(ns, np.log(sizes), 1)[0]"), "exact near", "one-logarithm"),
    wrong("fit: no logarithm", fit("np.polyfit(ns, sizes, 1)[0]"), "exact near", "one-logarithm"),
    wrong("fit: axes exchanged", fit("np.polyfit(y, x, 1)[0]"), "exact near", "axes-exchanged"),
    wrong("fit: intercept", fit("np.polyfit(x, y, 1)[1]"), "exact near", "intercept-for-slope"),
    wrong("fit: a ratio of logarithms", fit("np.mean(y / x)"), "exact near", "line-through-the-origin"),
    wrong("fit: whole exponents", fit("round(np.polyfit(x, y, 1)[0])"), "exact near", why="rounding has no name here"),
    wrong(
        "fit: sizes as whole numbers",
        fit("np.polyfit(x, np.log(sizes[order].astype(int)), 1)[0]"),
        "exact",
        why="what is lost depends on the sizes",
    ),
    wrong("fit: the two shortest", fit("(y[1] - y[0]) / (x[1] - x[0])"), "near", "short-lengths-only"),
    wrong(
        "fit: the shorter half",
        fit("np.polyfit(x[:max(2, len(x) // 2)], y[:max(2, len(x) // 2)], 1)[0]"),
        "near",
        "short-lengths-only",
    ),
    wrong("fit: from end to end", fit("(y[-1] - y[0]) / (x[-1] - x[0])"), "near", "ends-only"),
]
