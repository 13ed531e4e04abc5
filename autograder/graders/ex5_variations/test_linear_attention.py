"""linear_attention: its values, its weights as an identity shows them, and a sequence too long for a table.

Canary: attention-course-canary-e7a92b40f61d85c3
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import attention, compare, expect, probes, variations, words
from autograder.graders.diagnoses import ARGUMENTS, LARGE, diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell
from autograder.grading.outcome import StudentError

CANARY = "attention-course-canary-e7a92b40f61d85c3"

NAME = "linear_attention"
TABLE = "table-of-all-pairs"  # the id of the idea that the check of a long sequence sees for itself
WIDTH = 11


def _output(student: Any, probe: probes.Probe) -> np.ndarray:
    return expect.matrix(student.linear_attention(*probe.inputs), probe.output_shape, "your output")


@cell("linear-attention-check", weight=6)
@diagnosed(NAME)
def test_linear_attention_blends_the_values(student: Any) -> None:
    """Row i of linear attention is the mean of V weighted by the dot products of the feature maps"""
    for probe in (probes.crossed(), probes.of_lengths(1, 6), probes.of_lengths(7, 4), probes.of_lengths(3, 1)):
        compare.require_close(
            _output(student, probe),
            variations.linear_output(probe),
            "your output",
            "Row i is a mean of the rows of V: check what is mapped, the sums, and what you divide by.",
        )


@cell("linear-attention-check", weight=2)
@diagnosed(NAME)
def test_linear_attention_shares_one_budget(student: Any) -> None:
    """The weights of each query, seen through values that are the identity, sum to 1"""
    probe = probes.of_width(WIDTH, 5, 7)
    weights = _output(student, probe)
    sums = weights.sum(axis=1)
    off = np.flatnonzero(np.abs(sums - 1) > compare.VALUES * weights.shape[1])
    if len(off):
        raise Failure(
            f"With the identity in place of V the output shows the weights, and row {off[0]} of yours (counting from "
            f"0) sums to {words.show(sums[off[0]])} instead of 1.",
            "By which number does each row have to be divided?",
        )
    if compare.close(weights, np.broadcast_to(weights[:1], weights.shape)):
        raise Failure(
            f"All rows of your output are the same, beginning with {words.show(weights[0, 0])}, whatever the query is.",
            "Each query weighs the keys by itself.",
        )


@cell("linear-attention-check", weight=2)
@diagnosed(NAME, LARGE)
def test_linear_attention_of_a_very_long_sequence(student: Any) -> None:
    """Linear attention of 20,000 positions works without a table of all pairs"""
    short, long = variations.repeated(1), variations.repeated(variations.LONG // variations.BLOCK)
    own = _output(student, short)
    try:
        got = _output(student, long)
    except StudentError as error:
        raise Failure(
            f"Asked for {variations.LONG} positions: {error.message}",
            "Which product can be taken first, so that no array has a row and a column for every position?",
            TABLE,
        ) from None
    if not np.any(np.ptp(own, axis=0) > compare.VALUES):
        raise Failure(
            f"All rows of your output are the same, beginning with {words.show(own[0, 0])}, so a longer sequence says "
            "nothing.",
            "Each query weighs the keys by itself.",
        )
    compare.require_close(
        got,
        np.tile(own, (variations.LONG // variations.BLOCK, 1)),
        "your output for a sequence that repeats a short one many times",
        "Repeating all keys and values leaves every mean as it is: what does your sum depend on?",
    )


@cell("linear-attention-check")
@diagnosed(NAME, ARGUMENTS)
def test_linear_attention_leaves_its_arguments_alone(student: Any) -> None:
    """Linear attention does not change Q, K or V"""
    attention.check_unchanged(student, NAME, probes.crossed().inputs, ("Q", "K", "V"))
