"""multi_head_attention: which columns a head gets, how its scores are scaled, and what is made of all heads.

Canary: attention-course-canary-5a38c7e1f09b4d62

The weights of each head are looked at as those of a single attention; the output is held against the student's own
weights, so wrong weights cost once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograder.graders import attention, compare, expect, probes, refusal, words
from autograder.graders.diagnoses import ARGUMENTS, diagnosed
from autograder.graders.failure import Failure
from autograder.graders.variations import Heads, heads
from autograder.grading.checks import cell

CANARY = "attention-course-canary-5a38c7e1f09b4d62"

NAME = "multi_head_attention"
SIZES = (5, 12, 3), (6, 10, 2), (4, 6, 6), (7, 9, 1), (1, 6, 3)  # n, d_model, n_heads
SCALED = (6, 18, 2), (7, 20, 4)


def _answers(student: Any, given: Heads) -> tuple[np.ndarray, np.ndarray]:
    """(output, weights) in their right shapes."""
    output, weights = expect.pair(student.multi_head_attention(*given.inputs), NAME)
    return (
        expect.matrix(output, given.X.shape, "your output", finite=False),
        expect.matrix(weights, given.weights_shape, "your weights", finite=False),
    )


def _of_head(failure: Failure, head: int) -> Failure:
    """The failure of one head, with its number."""
    return Failure(f"In head {head} (counting from 0): {failure.seen}", failure.advice, failure.misconception)


@cell("multi-head-check")
@diagnosed(NAME)
def test_multi_head_attention_returns_output_and_weights(student: Any) -> None:
    """Multi-head attention returns the output and the weights of all heads, from one head to one for each column"""
    for sizes in SIZES:
        _answers(student, heads(*sizes))


@cell("multi-head-check", weight=2)
@diagnosed(NAME)
def test_rows_of_every_head_sum_to_one(student: Any) -> None:
    """In every head each row of weights sums to 1 and no weight is negative"""
    _, weights = _answers(student, heads(*SIZES[0]))
    for head, table in enumerate(weights):
        try:
            attention.check_rows(table)
        except Failure as failure:
            raise _of_head(failure, head) from None


@cell("multi-head-check", weight=5)
@diagnosed(NAME)
def test_every_head_attends_with_its_own_columns(student: Any) -> None:
    """Each head compares its own strip of the columns of Q and K, at all positions"""
    for sizes in SIZES[:2]:
        given = heads(*sizes)
        _, weights = _answers(student, given)
        for head, (table, probe) in enumerate(zip(weights, given.each, strict=True)):
            if not attention.follows_scores(table, probe):
                i, j = compare.worst(table, probe.weights)
                raise Failure(
                    f"With d_model = {sizes[1]} and {sizes[2]} heads, head {head} holds {words.show(table[i, j])} at "
                    f"row {i}, column {j} (counting from 0), which no softmax of the scores of its columns explains.",
                    "Write down which columns and which rows of Q and K each head gets.",
                )


@cell("multi-head-check", weight=3)
@diagnosed(NAME)
def test_scores_of_a_head_are_scaled_by_its_width(student: Any) -> None:
    """The scores of each head are divided by the right number for the width of a head"""
    for sizes in SCALED:
        given = heads(*sizes)
        _, weights = _answers(student, given)
        for head, (table, probe) in enumerate(zip(weights, given.each, strict=True)):
            _check_scaling(table, probe, head)


def _check_scaling(table: np.ndarray, probe: probes.Probe, head: int) -> None:
    with np.errstate(all="ignore"):
        cells = (table > 0) & np.isfinite(table)
    found = compare.fit(table, probe.scores, cells)
    if found is None or not found.misfit < attention.MISFIT:
        raise Failure(
            f"The weights of head {head} (counting from 0) could not be recognised as made from the scores of its "
            "columns, so their scaling cannot be seen.",
            "Repair the weights first; this check may then pass by itself.",
        )
    if not abs(found.factor * math.sqrt(probe.d_k) - 1) <= compare.SCALING:  # a nan must fail
        raise Failure(
            f"With heads of width {probe.d_k}, the weights of head {head} (counting from 0) look as if its scores had "
            f"been divided by {words.show(found.divisor)} before the softmax.",
            "How long are the vectors that one head compares?",
        )


@cell("multi-head-check", weight=5)
@diagnosed(NAME)
def test_outputs_of_all_heads_are_put_together_and_mixed(student: Any) -> None:
    """The outputs of the heads stand side by side in order, and W_o mixes them"""
    for sizes in SIZES[:2]:
        given = heads(*sizes)
        output, weights = _answers(student, given)
        if compare.close(output, given.output):
            continue
        with np.errstate(all="ignore"):
            own = given.mixed(list(weights))  # (n, d_model)
        if not compare.same_or_both_nan(output, own):
            index = compare.worst(np.where(np.isnan(own), 0, output), np.where(np.isnan(own), 0, own))
            raise Failure(
                f"At {compare.place(index)} your output holds {words.show(output[index])}, and your own weights do not "
                "give that.",
                "Each head blends its columns of V; then the heads stand side by side, and W_o mixes them.",
            )
        if not np.all(np.isfinite(weights)) or not np.any(np.ptp(weights, axis=2) > compare.VALUES):
            raise Failure(
                "Your output fits your weights, but these prefer no key to another, so there is nothing to judge; "
                f"they begin with {words.show(weights[0, 0, 0])}.",
                "Compute the weights of each head first.",
            )


@cell("multi-head-check")
@diagnosed(NAME, ARGUMENTS)
def test_heads_that_do_not_divide_the_width_are_refused(student: Any) -> None:
    """A number of heads that does not divide the width is refused"""
    X, W_q, W_k, W_v, W_o, _ = heads(*SIZES[0]).inputs
    matrices = (X, W_q, W_k, W_v, W_o)
    refusal.check_refuses(
        student,
        NAME,
        (*matrices, 4),
        {"5 heads with d_model = 12": (*matrices, 5), "8 heads with d_model = 12": (*matrices, 8)},
    )
