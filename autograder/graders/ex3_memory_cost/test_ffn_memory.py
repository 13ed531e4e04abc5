"""What ffn_memory_bytes counts; each check holds one dependence against the student's own other answers.

Canary: attention-course-canary-d24446bb2859412a
"""

from __future__ import annotations

from typing import Any

from autograder.graders import expect, reference, words
from autograder.graders.diagnoses import CORE, LARGE, diagnosed
from autograder.graders.ex3_memory_cost.counts import ask, has_fixed_size, is_multiple
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-d24446bb2859412a"

NAME = "ffn_memory_bytes"
N, D_MODEL = 101, 24
LONG, WIDE = 10**12 + 39, 65_521  # their product is beyond what a float holds exactly


def _require_times(times: int, before: float, after: float, step: str) -> None:
    if not is_multiple(after, before, times):
        raise Failure(
            f"{step}, your answer went from {words.show(before)} to {words.show(after)}.",
            "The largest array of the FFN is what its hidden layer gives for every position: what is its shape?",
        )


@cell("ffn-memory-check", weight=2)
@diagnosed(NAME)
def test_ffn_memory_counts_the_hidden_layer(student: Any) -> None:
    """The FFN counts one number for each position and hidden unit"""
    for n in (N, 1):
        got = expect.whole_number(student.ffn_memory_bytes(n, D_MODEL, 1, 1), NAME)
        wanted = reference.ffn_bytes(n, D_MODEL, 1, 1)
        if got != wanted and not has_fixed_size(student, got, wanted, NAME, n, D_MODEL, expansion=1):
            raise Failure(
                f"{'For a single position' if n == 1 else 'For some n'}, one byte a number and expansion 1, {NAME} "
                f"returned {words.show(got)}, and that is not how many numbers the hidden layer gives.",
                "Count what leaves the hidden layer, not what is learned.",
            )


@cell("ffn-memory-check")
@diagnosed(NAME)
def test_ffn_memory_follows_the_byte_size(student: Any) -> None:
    """The bytes of the FFN follow dtype_bytes, which is 2 unless told otherwise"""
    single = ask(student, NAME, N, D_MODEL, 1)
    for times, got in ((8, ask(student, NAME, N, D_MODEL, dtype_bytes=8)), (2, ask(student, NAME, N, D_MODEL))):
        default = " (the default)" if times == 2 else ""
        step = f"Going from numbers of 1 byte to numbers of {times} bytes{default}"
        _require_times(times, single, got, step)


@cell("ffn-memory-check")
@diagnosed(NAME)
def test_ffn_memory_follows_the_expansion(student: Any) -> None:
    """The bytes of the FFN follow expansion, which is 4 unless told otherwise"""
    single = ask(student, NAME, N, D_MODEL, expansion=1)
    for times, got in ((5, ask(student, NAME, N, D_MODEL, expansion=5)), (4, ask(student, NAME, N, D_MODEL))):
        default = " (the default)" if times == 4 else ""
        step = f"Going from expansion 1 to expansion {times}{default}"
        _require_times(times, single, got, step)


@cell("ffn-memory-check")
@diagnosed(NAME)
def test_ffn_memory_grows_with_length_and_width(student: Any) -> None:
    """Twice as many positions take twice the memory, and three times the width takes three times as much"""
    single = ask(student, NAME, N, D_MODEL)
    _require_times(2, single, ask(student, NAME, 2 * N, D_MODEL), "With twice as many positions")
    _require_times(3, single, ask(student, NAME, N, 3 * D_MODEL), "With d_model three times as large")


@cell("ffn-memory-check")
@diagnosed(NAME, CORE, LARGE)
def test_ffn_memory_of_very_large_models(student: Any) -> None:
    """The memory of very long sequences and wide models is exact"""
    single, got = ask(student, NAME, 1, WIDE), ask(student, NAME, LONG, WIDE)
    if not is_multiple(got, single, LONG):
        raise Failure(
            f"For a very long sequence and a wide model {NAME} returned {words.show(got)}, which does not fit its "
            f"{words.show(single)} for a single position.",
            "Python's own integers never overflow and are never rounded.",
        )
