"""What masked_attention makes of rows that see something, and of rows in which nothing is open.

Canary: attention-course-canary-28e0f6b1d37c954a
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import attention, compare, expect, probes, words
from autograder.graders.diagnoses import ARGUMENTS, diagnosed
from autograder.graders.failure import Failure
from autograder.graders.variations import Masked, additive, masked
from autograder.grading.checks import cell

CANARY = "attention-course-canary-28e0f6b1d37c954a"

NAME = "masked_attention"
EMPTY = 1, 3
DOMINANT = 4  # the key that suits every query best


def _answers(student: Any, inputs: tuple[np.ndarray, ...], probe: probes.Probe) -> tuple[np.ndarray, np.ndarray]:
    """(output, weights) in their right shapes."""
    output, weights = expect.pair(student.masked_attention(*inputs), NAME)
    return (
        expect.matrix(output, probe.output_shape, "your output", finite=False),
        expect.matrix(weights, probe.weights_shape, "your weights", finite=False),
    )


@cell("masked-attention-check", weight=6)
@diagnosed(NAME)
def test_masked_weights_are_shared_among_the_open_keys(student: Any) -> None:
    """Each row of weights is the softmax of the scaled scores of the open keys"""
    for given in (masked(), masked(6, 4), masked(fills=(-1e4, -np.inf))):
        _, weights = _answers(student, given.inputs, given.probe)
        compare.require_close(
            weights,
            given.probe.weights,
            "your weights",
            "A row is a softmax over its open keys alone: check the scores, their scaling, and the mask.",
        )


@cell("masked-attention-check", weight=4)
@diagnosed(NAME)
def test_masked_output_blends_the_values(student: Any) -> None:
    """The output of masked attention in row i is the mean of V weighted by row i of the weights"""
    given = masked()
    output, weights = _answers(student, given.inputs, given.probe)
    attention.check_output(output, weights, given.probe)


@cell("masked-attention-check", weight=4)
@diagnosed(NAME)
def test_blocked_keys_cannot_get_through(student: Any) -> None:
    """A blocked key that suits every query best is still not seen"""
    before, after = probes.before_dominant_key(), probes.with_dominant_key(DOMINANT)
    for fill in (-np.inf, -1e4):
        mask = additive(~before.open, fill)
        old = _answers(student, (*before.inputs, mask), before)
        new = _answers(student, (*after.inputs, mask), after)
        for name, past, now in zip(("output", "weights"), old, new, strict=True):
            if not np.all(np.isfinite(past)):
                raise Failure(
                    f"Your {name} holds something else than numbers, although every row has an open key."
                    " So nothing can be said of what gets through.",
                    "Repair that first.",
                )
            if not compare.close(now[:DOMINANT], past[:DOMINANT]):
                i, j = compare.worst(now[:DOMINANT], past[:DOMINANT])
                raise Failure(
                    f"Key {DOMINANT} was made to outweigh all others by far, and row {i} of your {name}, where it is "
                    f"blocked, changed with it: column {j} went {words.change(past[i, j], now[i, j])}."
                    " All are counted from 0.",
                    "A blocked key may play no part in its row.",
                )
        if compare.close(new[1][DOMINANT:], old[1][DOMINANT:]):
            raise Failure(
                f"Key {DOMINANT} was made to outweigh all others by far, and your weights stayed as they were even "
                "where it is open.",
                "They have to be computed from Q and K.",
            )


def _check_empty_rows(student: Any, given: Masked, what: str) -> None:
    """Rows in which nothing is open are 0 in both results, and the others are not."""
    output, weights = _answers(student, given.inputs, given.probe)
    rest = np.setdiff1d(np.arange(len(weights)), given.empty)
    for name, table in (("weights", weights), ("output", output)):
        rows = table[given.empty]
        bad = np.argwhere(~(np.abs(rows) <= compare.VALUES))  # NaN compares false
        if len(bad):
            i, j = int(given.empty[bad[0][0]]), int(bad[0][1])
            raise Failure(
                f"Row {i} of the mask holds {what} throughout, and row {i} of your {name} holds "
                f"{words.show(table[i, j])} in column {j} (counting from 0).",
                "A row with nothing to see has nothing to share out: all of it is 0.",
            )
        if not np.all(np.isfinite(table[rest])) or not np.all(np.abs(table[rest]).sum(axis=1) > compare.VALUES):
            raise Failure(
                f"Some rows of the mask were blocked from end to end, and in your {name} other rows lost their numbers "
                "with them.",
                "Treat just those rows apart in which nothing is open.",
            )


@cell("masked-attention-check", weight=6)
@diagnosed(NAME)
def test_rows_blocked_from_end_to_end_are_zero(student: Any) -> None:
    """A row in which minus infinity blocks everything gets weights of 0 and an output of 0, never NaN"""
    _check_empty_rows(student, masked(empty=EMPTY), "-inf")


@cell("masked-attention-check", weight=4)
@diagnosed(NAME)
def test_rows_blocked_by_large_numbers_are_zero(student: Any) -> None:
    """A row in which large negative numbers block everything gets weights of 0 and an output of 0"""
    for fill, text in ((-1e9, "-1e9"), (-1e4, "-1e4")):
        _check_empty_rows(student, masked(empty=EMPTY, fills=(fill,)), text)


@cell("masked-attention-check")
@diagnosed(NAME, ARGUMENTS)
def test_masked_attention_leaves_its_arguments_alone(student: Any) -> None:
    """Masked attention does not change Q, K, V or the mask"""
    attention.check_unchanged(student, NAME, masked(empty=EMPTY).inputs, ("Q", "K", "V", "mask"), results=2)
