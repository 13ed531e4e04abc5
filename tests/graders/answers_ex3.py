"""Broken and right answers to exercise 3."""

from __future__ import annotations

from snippets import Broken, Right

ASSIGNMENT = "ex3-memory-cost"


def attention(expression: str) -> str:
    """The crossover does without it."""
    return f"def attention_memory_bytes(n, dtype_bytes=2):\n    return {expression}\n" + crossover(
        "expansion * d_model"
    )


def ffn(expression: str) -> str:
    """The crossover does without it."""
    head = "def ffn_memory_bytes(n, d_model, dtype_bytes=2, expansion=4):\n"
    return f"{head}    return {expression}\n" + crossover("expansion * d_model")


def crossover(expression: str) -> str:
    return f"def crossover_n(d_model, dtype_bytes=2, expansion=4):\n    return {expression}\n"


SEARCH = """
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


def broken(check: str, code: str, *also: str, idea: str | None = None) -> Broken:
    return Broken(check, ASSIGNMENT, code, also, idea)


MODELS = "test_crossover_of_several_models"
EXPANSION = "test_crossover_follows_the_expansion"
BYTES = "test_crossover_does_not_depend_on_the_byte_size"
EQUALITY = "test_crossover_includes_equality"
WIDE = "test_crossover_of_a_very_wide_model"

BROKEN = [
    broken("test_attention_memory_counts_every_pair", attention("2 * n * n * dtype_bytes")),
    broken("test_attention_memory_counts_every_pair", attention("n * n * dtype_bytes / 2**20")),
    broken("test_attention_memory_follows_the_byte_size", attention("n * n"), idea="bytes-ignored"),
    broken("test_attention_memory_follows_the_byte_size", attention("n * n * 4"), idea="bytes-ignored"),
    broken(
        "test_attention_memory_follows_the_byte_size",
        attention("n * n * dtype_bytes").replace("dtype_bytes=2", "dtype_bytes=4", 1),
        idea="bytes-ignored",
    ),
    broken(
        "test_attention_memory_grows_with_the_square",
        attention("n * 64 * dtype_bytes"),
        "test_attention_memory_counts_every_pair",
        "test_attention_memory_of_very_long_sequences",
    ),
    broken(
        "test_attention_memory_of_very_long_sequences",
        attention("int(np.int32(n) ** 2) * dtype_bytes"),
    ),
    broken("test_attention_memory_of_very_long_sequences", attention("float(n) ** 2 * dtype_bytes")),
    broken("test_ffn_memory_counts_the_hidden_layer", ffn("3 * n * d_model * expansion * dtype_bytes")),
    broken("test_ffn_memory_follows_the_byte_size", ffn("n * expansion * d_model"), idea="bytes-ignored"),
    broken("test_ffn_memory_follows_the_expansion", ffn("n * d_model * dtype_bytes"), idea="expansion-ignored"),
    broken(
        "test_ffn_memory_grows_with_length_and_width",
        ffn("2 * expansion * d_model**2 * dtype_bytes"),
        "test_ffn_memory_counts_the_hidden_layer",
        "test_ffn_memory_of_very_large_models",
    ),
    broken("test_ffn_memory_of_very_large_models", ffn("float(n) * d_model * expansion * dtype_bytes")),
    broken(
        "test_ffn_memory_of_very_large_models",
        ffn("int(np.array(n * d_model).astype(np.int32)) * expansion * dtype_bytes"),
    ),
    broken(MODELS, DOUBLING, EXPANSION, EQUALITY, WIDE),
    broken(MODELS, crossover("16384"), EXPANSION, EQUALITY, WIDE),
    broken(
        MODELS, SEARCH.format(start=0, stop=10**6, sign=">="), EXPANSION, BYTES, EQUALITY, WIDE, idea="search-from-zero"
    ),
    broken(EXPANSION, crossover("4 * d_model")),
    broken(BYTES, ONE_SIZE_FORGOTTEN),
    broken(EQUALITY, SEARCH.format(start=1, stop=10**6, sign=">"), idea="strict-crossover"),
    broken(WIDE, SEARCH.format(start=1, stop=200_000, sign=">=")),
]


def right(name: str, code: str) -> Right:
    return Right(f"ex3: {name}", ASSIGNMENT, code)


BISECTION = """
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    low, high = 1, 2**40
    while low < high:
        middle = (low + high) // 2
        if attention_memory_bytes(middle, dtype_bytes) >= ffn_memory_bytes(middle, d_model, dtype_bytes, expansion):
            high = middle
        else:
            low = middle + 1
    return low
"""
AS_NUMPY = """
def attention_memory_bytes(n, dtype_bytes=2):
    return np.square(n, dtype=np.int64) * dtype_bytes
def ffn_memory_bytes(n, d_model, dtype_bytes=2, expansion=4):
    return np.array(np.prod([n, d_model, dtype_bytes, expansion], dtype=np.int64))
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    return np.float64(d_model * expansion)
"""

RIGHT = [
    right("closed form", crossover("d_model * expansion")),
    right("bisection", BISECTION),
    right("bounded search", SEARCH.format(start=1, stop=10**6, sign=">=")),
    right("numpy numbers", AS_NUMPY),
    right("halves first", attention("n * (n * dtype_bytes)") + ffn("dtype_bytes * (n * d_model) * expansion")),
]
