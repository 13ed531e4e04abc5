"""Wrong answers to exercise 3."""

from __future__ import annotations

from answers.writing import wrong_answers

CHECKS = {
    "pairs": "test_attention_memory_counts_every_pair",
    "bytes": "test_attention_memory_follows_the_byte_size",
    "square": "test_attention_memory_grows_with_the_square",
    "long": "test_attention_memory_of_very_long_sequences",
    "hidden": "test_ffn_memory_counts_the_hidden_layer",
    "ffn-bytes": "test_ffn_memory_follows_the_byte_size",
    "ffn-expansion": "test_ffn_memory_follows_the_expansion",
    "grows": "test_ffn_memory_grows_with_length_and_width",
    "ffn-large": "test_ffn_memory_of_very_large_models",
    "models": "test_crossover_of_several_models",
    "expansion": "test_crossover_follows_the_expansion",
    "size": "test_crossover_does_not_depend_on_the_byte_size",
    "equality": "test_crossover_includes_equality",
    "wide": "test_crossover_of_a_very_wide_model",
}
CROSSOVER = "models expansion equality wide"

wrong = wrong_answers("ex3-memory-cost", CHECKS)


def attention(expression: str, default: int = 2) -> str:
    """The crossover does without it."""
    head = f"def attention_memory_bytes(n, dtype_bytes={default}):\n"
    return f"import math\n{head}    return {expression}\n" + crossover("expansion * d_model")


def ffn(expression: str, signature: str = "n, d_model, dtype_bytes=2, expansion=4") -> str:
    """The crossover does without it."""
    return f"def ffn_memory_bytes({signature}):\n    return {expression}\n" + crossover("expansion * d_model")


def crossover(expression: str) -> str:
    return f"import math\ndef crossover_n(d_model, dtype_bytes=2, expansion=4):\n    return {expression}\n"


def search(start: int, stop: int, sign: str) -> str:
    return f"""
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    for n in range({start}, {stop}):
        if attention_memory_bytes(n, dtype_bytes) {sign} ffn_memory_bytes(n, d_model, dtype_bytes, expansion):
            return n
"""


DOUBLING = """
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    n = 1
    while n < expansion * d_model:
        n *= 2
    return n
"""
ONE_SIZE_FORGOTTEN = """
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    n = 1
    while attention_memory_bytes(n, dtype_bytes) < ffn_memory_bytes(n, d_model, expansion=expansion):
        n += 1
    return n
"""
ENDLESS = """
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    n = 1
    while attention_memory_bytes(n, dtype_bytes) < ffn_memory_bytes(n, d_model, dtype_bytes, expansion):
        n = n
    return n
"""

WRONG = [
    wrong("attention bytes: twice", attention("2 * n * n * dtype_bytes"), "pairs", "several-copies"),
    wrong("attention bytes: three copies", attention("3 * n ** 2 * dtype_bytes"), "pairs", "several-copies"),
    wrong("attention bytes: mebibytes", attention("n * n * dtype_bytes / 2**20"), "pairs", "another-unit"),
    wrong("attention bytes: bits", attention("n * n * dtype_bytes * 8"), "pairs", "bits-for-bytes"),
    wrong("attention bytes: elements", attention("n * n"), "bytes", "bytes-ignored"),
    wrong("attention bytes: always four", attention("n * n * 4"), "bytes", "bytes-ignored"),
    wrong("attention bytes: another default", attention("n * n * dtype_bytes", 4), "bytes", "another-default-size"),
    wrong(
        "attention bytes: in one length",
        attention("n * 64 * dtype_bytes"),
        "pairs square long",
        "attention-in-one-length",
    ),
    wrong(
        "attention bytes: n log n",
        attention("int(n * math.log2(n) * dtype_bytes)"),
        "pairs square long",
        "another-power",
        may="bytes",
    ),
    wrong("attention bytes: cubed", attention("n ** 3 * dtype_bytes"), "pairs square long", "another-power"),
    wrong(
        "attention bytes: half of the pairs",
        attention("n * (n + 1) // 2 * dtype_bytes"),
        "pairs square long",
        "half-of-the-pairs",
    ),
    wrong("attention bytes: 32 bits", attention("int(np.int32(n) ** 2) * dtype_bytes"), "long", "overflow"),
    wrong("attention bytes: floats", attention("float(n) ** 2 * dtype_bytes"), "long", "floats-for-counts"),
    wrong(
        "attention bytes: text",
        attention("f'{n * n * dtype_bytes} bytes'"),
        "pairs bytes square long",
        why="the message says that it is no number",
    ),
    wrong("ffn bytes: three copies", ffn("3 * n * d_model * expansion * dtype_bytes"), "hidden", "several-copies"),
    wrong(
        "ffn bytes: input as well",
        ffn("n * (d_model + expansion * d_model) * dtype_bytes"),
        "hidden ffn-expansion",
        "several-copies",
    ),
    wrong("ffn bytes: elements", ffn("n * expansion * d_model"), "ffn-bytes", "bytes-ignored"),
    wrong("ffn bytes: no expansion", ffn("n * d_model * dtype_bytes"), "ffn-expansion", "expansion-ignored"),
    wrong(
        "ffn bytes: always four times",
        ffn("n * 4 * d_model * dtype_bytes"),
        "ffn-expansion hidden",
        "expansion-ignored",
    ),
    wrong(
        "ffn bytes: parameters",
        ffn("2 * expansion * d_model**2 * dtype_bytes"),
        "hidden grows ffn-large",
        "weights-for-activations",
    ),
    wrong("ffn bytes: width squared", ffn("n * expansion * d_model**2 * dtype_bytes"), "hidden grows", "width-squared"),
    wrong(
        "ffn bytes: kibibytes",
        ffn("n * expansion * d_model * dtype_bytes / 1024"),
        "hidden",
        "another-unit",
        may="ffn-large",
    ),
    wrong(
        "ffn bytes: another default",
        ffn("n * d_model * dtype_bytes * expansion", "n, d_model, dtype_bytes=4, expansion=4"),
        "ffn-bytes",
        "another-default-size",
    ),
    wrong("ffn bytes: floats", ffn("float(n) * d_model * expansion * dtype_bytes"), "ffn-large", "floats-for-counts"),
    wrong(
        "ffn bytes: 32 bits",
        ffn("int(np.array(n * d_model).astype(np.int32)) * expansion * dtype_bytes"),
        "ffn-large",
        "overflow",
    ),
    wrong("crossover: doubling", DOUBLING, CROSSOVER, "doubling-search"),
    wrong("crossover: typed in", crossover("16384"), CROSSOVER, "number-typed-in"),
    wrong("crossover: from zero", search(0, 10**6, ">="), f"{CROSSOVER} size", "search-from-zero"),
    wrong("crossover: no expansion", crossover("d_model"), CROSSOVER, "expansion-ignored", may="expansion"),
    wrong("crossover: always four times", crossover("4 * d_model"), "expansion equality", "expansion-ignored"),
    wrong(
        "crossover: an expansion of four at most",
        crossover("d_model * min(expansion, 4)"),
        "expansion",
        "expansion-ignored",
    ),
    wrong("crossover: bytes on one side", ONE_SIZE_FORGOTTEN, "size", "bytes-on-one-side"),
    wrong("crossover: strictly more", search(1, 10**6, ">"), "equality", "strict-crossover"),
    wrong("crossover: one too early", crossover("max(1, expansion * d_model - 1)"), CROSSOVER, "one-too-early"),
    wrong("crossover: search too short", search(1, 200_000, ">="), "wide", "search-too-short"),
    wrong(
        "crossover: search far too short",
        search(1, 10_000, ">="),
        "models wide",
        "search-too-short",
        may="equality",
    ),
    wrong(
        "crossover: of twice the attention",
        crossover("-(-expansion * d_model // 2)"),
        CROSSOVER,
        "crossover-with-copies",
    ),
    wrong(
        "crossover: of the parameters",
        crossover("math.isqrt(2 * expansion * d_model**2 - 1) + 1"),
        CROSSOVER,
        "crossover-with-weights",
    ),
    wrong("crossover: never ends", ENDLESS, f"{CROSSOVER} size", why="it does not return, and the message says so"),
]
