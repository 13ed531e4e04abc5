"""What combine makes of several masks.

Canary: attention-course-canary-af25c8e0b47d1396
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import attention, blocking, expect, words
from autograder.graders.diagnoses import ARGUMENTS, diagnosed
from autograder.graders.failure import Failure
from autograder.graders.variations import additive, batch_of_masks, masks_of
from autograder.grading.checks import cell

CANARY = "attention-course-canary-af25c8e0b47d1396"

NAME = "combine"


def _check(student: Any, blocked: tuple[np.ndarray, ...], what: str, fills: tuple[float, ...] = (-np.inf,)) -> None:
    """The combined mask is 0 where all masks are open and hugely negative elsewhere; the fills take turns."""
    masks = [additive(cells, fills[number % len(fills)]) for number, cells in enumerate(blocked)]
    wanted = np.logical_or.reduce(np.broadcast_arrays(*blocked))
    got = expect.matrix(student.combine(*masks), wanted.shape, f"your combination of {what}", finite=False)
    wrong = np.argwhere(~np.where(wanted, got <= blocking.BLOCKED, got == 0))  # NaN is neither
    if len(wrong):
        index = tuple(int(number) for number in wrong[0])
        count = sum(bool(np.broadcast_to(cells, wanted.shape)[index]) for cells in blocked)
        raise Failure(
            f"In your combination of {what}, {blocking.cell_in_words(index)} holds {words.show(got[index])}, where "
            f"{count} of the masks block{'s' if count == 1 else ''}.",
            "It is to be blocked where any of them blocks, and open where none does.",
        )


@cell("combine-check", weight=4)
@diagnosed(NAME)
def test_combine_blocks_what_either_mask_blocks(student: Any) -> None:
    """Two masks combined block what either of them blocks"""
    for n in (5, 4):
        _check(student, masks_of(n)[:2], "two masks")


@cell("combine-check", weight=2)
@diagnosed(NAME)
def test_combine_takes_one_mask_or_three(student: Any) -> None:
    """combine takes one mask alone, and three"""
    _check(student, masks_of(5)[1:2], "one mask")
    _check(student, masks_of(5), "three masks")


@cell("combine-check", weight=2)
@diagnosed(NAME)
def test_combine_takes_masks_for_a_batch(student: Any) -> None:
    """combine takes masks for one text and for a batch together, in any order"""
    causal = masks_of(5)[0]
    _check(student, (causal, batch_of_masks(5)), "a mask for one text and one for a batch")
    _check(student, (batch_of_masks(5), causal), "a mask for a batch and one for one text")


@cell("combine-check", weight=2)
@diagnosed(NAME)
def test_combine_takes_large_negative_numbers(student: Any) -> None:
    """combine takes masks that hold -1e4 or -1e9 in place of minus infinity"""
    _check(student, masks_of(5)[1:], "masks of -1e4 and -1e9", (-1e4, -1e9))


@cell("combine-check")
@diagnosed(NAME, ARGUMENTS)
def test_combine_leaves_its_arguments_alone(student: Any) -> None:
    """combine does not change the masks that it is given"""
    first, second, third = masks_of(5)
    masks = additive(first), additive(second, -1e9), additive(third)
    attention.check_unchanged(student, NAME, masks, ("the first mask", "the second mask", "the third mask"))
