"""Right answers to exercise 3."""

from __future__ import annotations

from answers.writing import right_answers
from answers.wrong.ex3 import attention, crossover, ffn, search

right = right_answers("ex3-memory-cost")

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
GALLOPING = """
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    def enough(n):
        return attention_memory_bytes(n, dtype_bytes) >= ffn_memory_bytes(n, d_model, dtype_bytes, expansion)
    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
"""
BY_BISECT = """
import bisect
class Lengths:
    def __init__(self, *arguments):
        self.arguments = arguments
    def __len__(self):
        return 2**50
    def __getitem__(self, n):
        d_model, dtype_bytes, expansion = self.arguments
        ours = attention_memory_bytes(n + 1, dtype_bytes)
        return ours >= ffn_memory_bytes(n + 1, d_model, dtype_bytes, expansion)
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    return bisect.bisect_left(Lengths(d_model, dtype_bytes, expansion), True) + 1
"""
AS_NUMPY = """
def attention_memory_bytes(n, dtype_bytes=2):
    return np.square(n, dtype=np.int64) * dtype_bytes
def ffn_memory_bytes(n, d_model, dtype_bytes=2, expansion=4):
    return np.array(np.prod([n, d_model, dtype_bytes, expansion], dtype=np.int64))
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    return np.float64(d_model * expansion)
"""
RECURSIVE = """
def crossover_n(d_model, dtype_bytes=2, expansion=4, low=0, high=2**30):
    if high - low == 1:
        return high
    middle = (low + high) // 2
    if attention_memory_bytes(middle, dtype_bytes) < ffn_memory_bytes(middle, d_model, dtype_bytes, expansion):
        return crossover_n(d_model, dtype_bytes, expansion, middle, high)
    return crossover_n(d_model, dtype_bytes, expansion, low, middle)
"""
BY_NEXT = """
from itertools import count
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    return next(n for n in count(1) if n * n * dtype_bytes >= n * expansion * d_model * dtype_bytes)
"""
WITH_MATH = """
import math
from typing import Final
BITS: Final = 8
def attention_memory_bytes(n: int, dtype_bytes: int = 2) -> int:
    return math.prod((n, n, dtype_bytes * BITS)) // BITS
def ffn_memory_bytes(n: int, d_model: int, dtype_bytes: int = 2, expansion: int = 4) -> int:
    hidden = sum(d_model for _ in range(expansion))
    return math.prod([n, hidden, dtype_bytes])
def crossover_n(d_model: int, dtype_bytes: int = 2, expansion: int = 4) -> float:
    return float(math.ceil(ffn_memory_bytes(1, d_model, dtype_bytes, expansion) / dtype_bytes))
"""
WITH_SHAPES = """
from fractions import Fraction
def size_of(*shape, bytes_each):
    if not shape:
        return bytes_each
    first, *rest = shape
    return first * size_of(*rest, bytes_each=bytes_each)
def attention_memory_bytes(n, dtype_bytes=2):
    return size_of(n, n, bytes_each=dtype_bytes)
def ffn_memory_bytes(n, d_model, dtype_bytes=2, expansion=4):
    return size_of(n, expansion * d_model, bytes_each=dtype_bytes)
def crossover_n(d_model, dtype_bytes=2, expansion=4):
    line = Fraction(ffn_memory_bytes(1, d_model, dtype_bytes, expansion), attention_memory_bytes(1, dtype_bytes))
    return -(-line.numerator // line.denominator)
"""

RIGHT = [
    right("memory: closed form", crossover("d_model * expansion")),
    right("memory: bisection", BISECTION),
    right("memory: galloping", GALLOPING),
    right("memory: the bisect module", BY_BISECT),
    right("memory: bounded search", search(1, 10**6, ">=")),
    right("memory: numpy numbers", AS_NUMPY),
    right("memory: recursion", RECURSIVE),
    right("memory: next of a count", BY_NEXT),
    right("memory: math.prod, a float at the end", WITH_MATH),
    right("memory: fractions", WITH_SHAPES),
    right("memory: halves first", attention("n * (n * dtype_bytes)") + ffn("dtype_bytes * (n * d_model) * expansion")),
]
