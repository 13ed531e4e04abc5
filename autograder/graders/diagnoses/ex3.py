"""What tells wrong ideas apart in exercise 3: other counts, other units, other ends of a search.

Canary: attention-course-canary-96f1c2d7e50b34a8
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.graders import reference
from autograder.graders.diagnoses.idea import CORE, LARGE, Call, Idea, Subject, number

CANARY = "attention-course-canary-96f1c2d7e50b34a8"

ATTENTION, FFN, CROSSOVER = "attention_memory_bytes", "ffn_memory_bytes", "crossover_n"
UNITS = 2**10, 2**20, 2**30, 10**3, 10**6, 10**9
WIDTHS = 1, 8, 16, 32, 64, 128, 256, 512, 768, 1024, 2048, 4096
SEARCHES = 10_000, 50_000, 65_536, 100_000, 150_000, 200_000


def _attention_calls() -> tuple[Call, ...]:
    return Call((101, 8)), Call((70, 3)), Call((101,)), Call((1, 1))


def _long() -> tuple[Call, ...]:
    return Call((70_000,)), Call((100_000_007,))


def _ffn_calls() -> tuple[Call, ...]:
    return Call((101, 24, 8, 5)), Call((70, 45, 3, 7)), Call((101, 24)), Call((1, 24, 1, 1)), Call((50, 24, 1))


def _wide() -> tuple[Call, ...]:
    return (Call((10**12 + 39, 65_521)),)


def _crossover_calls() -> tuple[Call, ...]:
    return Call((24, 8, 5)), Call((45,)), Call((3000,)), Call((1,)), Call((300, 1, 7))


def _very_wide() -> tuple[Call, ...]:
    return Call((50_021,)), Call((24,))


SUBJECTS = (
    Subject(ATTENTION, number, {CORE: _attention_calls, LARGE: _long}, lambda n, dtype_bytes=2: n * n * dtype_bytes),
    Subject(
        FFN,
        number,
        {CORE: _ffn_calls, LARGE: _wide},
        lambda n, d_model, dtype_bytes=2, expansion=4: n * expansion * d_model * dtype_bytes,
    ),
    Subject(
        CROSSOVER,
        number,
        {CORE: _crossover_calls, LARGE: _very_wide},
        lambda d_model, dtype_bytes=2, expansion=4: reference.crossover(d_model, expansion),
    ),
)


def _attention(*counts: Callable[[int, int], Any]) -> tuple[Any, ...]:
    return tuple((lambda n, dtype_bytes=2, count=count: count(n, dtype_bytes)) for count in counts)


def _ffn(*counts: Callable[[int, int, int, int], Any]) -> tuple[Any, ...]:
    return tuple(
        (lambda n, d_model, dtype_bytes=2, expansion=4, count=count: count(n, d_model, dtype_bytes, expansion))
        for count in counts
    )


def _crossover(*ends: Callable[[int, int, int], Any]) -> tuple[Any, ...]:
    return tuple(
        (lambda d_model, dtype_bytes=2, expansion=4, end=end: end(d_model, dtype_bytes, expansion)) for end in ends
    )


def _wrapped(value: int, bits: int = 32) -> int:
    """A number as it is kept in so many bits, one of them for the sign."""
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def _up_to(n: int, end: int) -> int | None:
    """What a search below `end` finds."""
    return n if n < end else None


IDEAS = (
    Idea(
        "bytes-ignored",
        "How many bytes does one number take, and is your function told? Ask it with other values of dtype_bytes.",
        {
            ATTENTION: _attention(*((lambda n, b, c=c: n * n * c) for c in (1, 2, 4, 8))),
            FFN: _ffn(*((lambda n, d, b, e, c=c: n * e * d * c) for c in (1, 2, 4, 8))),
        },
    ),
    Idea(
        "another-default-size",
        "With the byte size named you count right, without it you do not: which default does the signature have?",
        {
            ATTENTION: tuple((lambda n, dtype_bytes=c: n * n * dtype_bytes) for c in (1, 4, 8)),
            FFN: tuple(
                (lambda n, d_model, dtype_bytes=c, expansion=4: n * expansion * d_model * dtype_bytes)
                for c in (1, 4, 8)
            ),
        },
    ),
    Idea(
        "bits-for-bytes",
        "You are 8 times above: did you count bits?",
        {
            ATTENTION: _attention(lambda n, b: 8 * n * n * b),
            FFN: _ffn(lambda n, d, b, e: 8 * n * e * d * b),
        },
    ),
    Idea(
        "another-unit",
        "The name of the function says in which unit the answer is to be: what did you divide by?",
        {
            ATTENTION: _attention(*((lambda n, b, u=u: n * n * b / u) for u in UNITS)),
            FFN: _ffn(*((lambda n, d, b, e, u=u: n * e * d * b / u) for u in UNITS)),
        },
    ),
    Idea(
        "several-copies",
        "You count more arrays than the one that is asked for: which one is it?",
        {
            ATTENTION: _attention(*((lambda n, b, c=c: c * n * n * b) for c in (2, 3, 4))),
            FFN: _ffn(
                *((lambda n, d, b, e, c=c: c * n * e * d * b) for c in (2, 3)),
                lambda n, d, b, e: n * (e + 1) * d * b,
                lambda n, d, b, e: n * (e + 2) * d * b,
                lambda n, d, b, e: n * (2 * e + 1) * d * b,
                lambda n, d, b, e: n * (2 * e + 2) * d * b,
            ),
        },
    ),
    Idea(
        "attention-in-one-length",
        "Twice as many positions take you to twice the memory: what happens to the rows of the score matrix, and what "
        "to its columns?",
        {
            ATTENTION: _attention(*((lambda n, b, w=w: n * w * b) for w in WIDTHS), lambda n, b: 2 * n * b),
            FFN: _ffn(lambda n, d, b, e: n * n * b),
        },
    ),
    Idea(
        "half-of-the-pairs",
        "You count each pair once, whichever of the two asks: does the matrix of scores hold both?",
        {ATTENTION: _attention(lambda n, b: n * (n + 1) // 2 * b, lambda n, b: n * (n - 1) // 2 * b)},
    ),
    Idea(
        "another-power",
        "It grows by another power of n than a matrix does: how many rows and how many columns are there?",
        {
            ATTENTION: _attention(
                lambda n, b: int(n * math.log2(n) * b),
                lambda n, b: n * math.log2(n) * b,
                lambda n, b: int(n * math.log(n) * b),
                lambda n, b: n**3 * b,
                lambda n, b: 2**n * b,
                lambda n, b: (n * b) ** 2,
            ),
            FFN: _ffn(lambda n, d, b, e: n * n * e * d * b, lambda n, d, b, e: n * (e * d) ** 2 * b),
        },
    ),
    Idea(
        "weights-for-activations",
        "Your number does not depend on n: is it about what is learned, or about what is computed for each position?",
        {
            FFN: _ffn(
                lambda n, d, b, e: 2 * e * d * d * b,
                lambda n, d, b, e: e * d * d * b,
                lambda n, d, b, e: e * d * b,
                lambda n, d, b, e: (2 * e * d * d + e * d + d) * b,
            )
        },
    ),
    Idea(
        "width-squared",
        "It grows with the square of d_model: which array has a row for each position, and how long is the row?",
        {
            FFN: _ffn(
                lambda n, d, b, e: n * e * d * d * b,
                lambda n, d, b, e: n * d * d * b,
                lambda n, d, b, e: 2 * n * e * d * d * b,
            )
        },
    ),
    Idea(
        "expansion-ignored",
        "How wide is the hidden layer, and is your function told? Ask it with other values of expansion.",
        {
            FFN: _ffn(lambda n, d, b, e: n * d * b, lambda n, d, b, e: 4 * n * d * b),
            CROSSOVER: _crossover(lambda d, b, e: d, lambda d, b, e: 4 * d),
        },
    ),
    Idea(
        "overflow",
        "Numbers of 32 or 64 bits are limited, Python's own integers are not: which of yours comes from numpy?",
        {
            ATTENTION: _attention(
                lambda n, b: _wrapped(n * n) * b,
                lambda n, b: _wrapped(n * n * b),
                lambda n, b: (n * n * b) % 2**32,
                lambda n, b: int(np.int32(min(n, 2**31 - 1)) ** 2) * b,
            ),
            FFN: _ffn(
                lambda n, d, b, e: _wrapped(n * d) * e * b,
                lambda n, d, b, e: _wrapped(n * d * e * b),
                lambda n, d, b, e: _wrapped(n * d * e * b, 64),
                lambda n, d, b, e: _wrapped(n * d * e) * b,
                lambda n, d, b, e: _wrapped(n) * d * e * b,
            ),
        },
        (LARGE,),
    ),
    Idea(
        "floats-for-counts",
        "A float holds about 16 digits, and such a count has more: which operation makes a float of it?",
        {
            ATTENTION: _attention(
                lambda n, b: float(n) ** 2 * b,
                lambda n, b: int(float(n) ** 2 * b),
                lambda n, b: int(float(n) ** 2) * b,
                lambda n, b: n**2.0 * b,
            ),
            FFN: _ffn(lambda n, d, b, e: float(n) * d * e * b, lambda n, d, b, e: int(float(n) * d * e * b)),
        },
        (LARGE,),
    ),
    Idea(
        "strict-crossover",
        "You are one too far: which of the two does 'at least as much' include, less, equal or more?",
        {CROSSOVER: _crossover(lambda d, b, e: e * d + 1)},
    ),
    Idea(
        "one-too-early",
        "You stop one too early: is attention's memory at your n already as large as the other?",
        {CROSSOVER: _crossover(lambda d, b, e: e * d - 1)},
    ),
    Idea(
        "search-from-zero",
        "A sequence has at least one position: where does the search start?",
        {CROSSOVER: _crossover(lambda d, b, e: 0)},
    ),
    Idea(
        "doubling-search",
        "Your search leaps over lengths: which ones does it try?",
        {
            CROSSOVER: _crossover(
                lambda d, b, e: 2 ** math.ceil(math.log2(e * d)),
                lambda d, b, e: 2 ** math.ceil(math.log2(4 * d)),
            )
        },
    ),
    Idea(
        "search-too-short",
        "Your search ends before it finds anything: how far off can the crossover be?",
        {CROSSOVER: _crossover(*((lambda d, b, e, end=end: _up_to(e * d, end)) for end in SEARCHES))},
        (CORE, LARGE),
    ),
    Idea(
        "number-typed-in",
        "Your answer is the same for every model: what does it depend on?",
        {CROSSOVER: _crossover(*((lambda d, b, e, n=n: n) for n in (16_384, 16_385, 4096, 2048, 8192)))},
    ),
    Idea(
        "bytes-on-one-side",
        "Both memories grow with the size of a number: are both told about it?",
        {
            CROSSOVER: _crossover(
                lambda d, b, e: e * d * b,
                lambda d, b, e: max(1, -(-e * d // b)),
                lambda d, b, e: max(1, -(-e * d * 2 // b)),
                lambda d, b, e: max(1, -(-e * d * b // 2)),
            )
        },
    ),
    Idea(
        "crossover-with-copies",
        "Your crossover belongs to twice the attention: which arrays are compared?",
        {CROSSOVER: _crossover(lambda d, b, e: max(1, -(-e * d // 2)), lambda d, b, e: e * d // 2)},
    ),
    Idea(
        "crossover-with-weights",
        "Your crossover belongs to the memory of what is learned: which arrays are compared?",
        {
            CROSSOVER: _crossover(
                lambda d, b, e: math.isqrt(2 * e * d * d - 1) + 1, lambda d, b, e: math.isqrt(e * d * d - 1) + 1
            )
        },
    ),
)
