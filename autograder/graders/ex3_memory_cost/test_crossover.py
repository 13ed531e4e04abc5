"""Where crossover_n says that attention overtakes the FFN.

Canary: attention-course-canary-294b26bc628543fa

Being off by one at equality is looked at in one check and passes in the others. A crossover that is right for the
student's own two functions passes everywhere, as their mistakes cost elsewhere.
"""

from __future__ import annotations

from typing import Any

from autograder.graders import expect, reference, words
from autograder.graders.diagnoses import CORE, LARGE, diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import CheckFailed, cell

CANARY = "attention-course-canary-294b26bc628543fa"

MODELS = 24, 1, 300, 3000  # no powers of two apart from 1, where a doubling search happens to be right
NARROW = 45
VERY_WIDE = 50_021  # just beyond the reach of a search up to 200,000: a search that tries every n takes its time
LONGEST_OWN = 10**7


def _ask(student: Any, *arguments: int, **keywords: int) -> int:
    got = expect.whole_number(student.crossover_n(*arguments, **keywords), "crossover_n")
    if got < 1:
        raise Failure(
            f"Asked for the smallest n of at least 1, crossover_n returned {words.show(got)}.",
            "Compare the two memories at n = 1 first.",
        )
    return got


def _attention(student: Any, n: int, dtype_bytes: int) -> float:
    return expect.number(student.attention_memory_bytes(n, dtype_bytes), "attention_memory_bytes")


def _fits_own_functions(student: Any, n: int, d_model: int, dtype_bytes: int, expansion: int) -> bool:
    """Do the student's own functions cross between n - 1 and n?"""
    if n > LONGEST_OWN:
        return False
    lengths = (n, n - 1) if n > 1 else (n,)
    try:
        ahead = [
            _attention(student, length, dtype_bytes)
            - expect.number(student.ffn_memory_bytes(length, d_model, dtype_bytes, expansion), "ffn_memory_bytes")
            for length in lengths
        ]
        grows = n > 1 or _attention(student, 2, dtype_bytes) > _attention(student, 1, dtype_bytes)
    except (CheckFailed, OverflowError):
        return False
    return grows and ahead[0] >= 0 and all(difference < 0 for difference in ahead[1:])


def _require_near(student: Any, got: int, d_model: int, expansion: int, asked: str, advice: str) -> None:
    wanted = reference.crossover(d_model, expansion)
    if not wanted <= got <= wanted + 1 and not _fits_own_functions(student, got, d_model, 2, expansion):
        raise Failure(f"For {asked}, crossover_n returned {words.show(got)}, and that is not right.", advice)


@cell("crossover-check", weight=2)
@diagnosed("crossover_n")
def test_crossover_of_several_models(student: Any) -> None:
    """The crossover is right for several widths of the model"""
    for d_model in MODELS:
        asked = "a model of width 1" if d_model == 1 else "one of several models"
        advice = "Compute both memories at some n and at n - 1, by hand for a small model, and compare them."
        _require_near(student, _ask(student, d_model), d_model, 4, asked, advice)


@cell("crossover-check")
@diagnosed("crossover_n")
def test_crossover_follows_the_expansion(student: Any) -> None:
    """The crossover follows the expansion of the FFN"""
    for expansion in (1, 7):
        got = _ask(student, NARROW, expansion=expansion)
        advice = "A wider hidden layer is overtaken later."
        _require_near(student, got, NARROW, expansion, f"expansion {expansion}", advice)


@cell("crossover-check")
@diagnosed("crossover_n")
def test_crossover_does_not_depend_on_the_byte_size(student: Any) -> None:
    """The crossover is the same for every size of a number"""
    single, double = (_ask(student, NARROW, dtype_bytes=size) for size in (1, 8))
    if single != double:
        raise Failure(
            f"With numbers of 1 byte crossover_n returned {words.show(single)}, with numbers of 8 bytes "
            f"{words.show(double)}.",
            "Both memories grow with the size of a number: are both told about it?",
        )


@cell("crossover-check")
@diagnosed("crossover_n")
def test_crossover_includes_equality(student: Any) -> None:
    """The crossover is where attention needs at least as much, equality included"""
    for d_model, expansion in (*((d_model, 4) for d_model in MODELS[:3]), (1, 1)):
        got, wanted = _ask(student, d_model, expansion=expansion), reference.crossover(d_model, expansion)
        if got == wanted or _fits_own_functions(student, got, d_model, 2, expansion):
            continue
        raise Failure(
            f"For one of several models crossover_n returned {words.show(got)}, and that is not the first n at which "
            "attention needs at least as much as the FFN.",
            "Compute both memories at that n and at n - 1, and compare them.",
        )


@cell("crossover-check")
@diagnosed("crossover_n", CORE, LARGE)
def test_crossover_of_a_very_wide_model(student: Any) -> None:
    """The crossover of a very wide model is found, however far off it lies"""
    advice = "Does the search end too early? Solving the inequality on paper needs no search."
    _require_near(student, _ask(student, VERY_WIDE), VERY_WIDE, 4, "a very wide model", advice)
