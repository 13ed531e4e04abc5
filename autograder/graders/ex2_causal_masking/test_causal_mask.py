"""What causal_mask returns: which cells it blocks, and whether it can be added.

Canary: attention-course-canary-203c6cbfbefed8a8
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import compare, expect, words
from autograder.graders.diagnoses import diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-203c6cbfbefed8a8"

LENGTHS = 7, 3, 1, 24
BLOCKED = -1e4  # as low as this, or -inf
TO_ADD = 5
TO_ADD_TO = "It will be added to scores: what has to be added to leave a score as it is, and what to forbid it?"


@cell("causal-mask-pattern")
@diagnosed("causal_mask")
def test_mask_blocks_exactly_the_future(student: Any) -> None:
    """The mask tells the future from the past and the present, at every length"""
    for n in LENGTHS:
        mask = expect.matrix(student.causal_mask(n), (n, n), f"your mask for n = {n}", finite=False)
        future = np.triu(np.ones((n, n), dtype=np.bool_), 1)
        blocked = mask <= BLOCKED  # NaN compares false, and is looked at in the other check
        if not np.any(blocked):
            blocked = _second_kind(mask, future)  # truth values or 0 and 1: either may stand for blocked
        if not np.array_equal(blocked, future):
            i, j = (int(index) for index in np.argwhere(blocked != future)[0])
            relation = "later than" if j > i else "the same as" if i == j else "earlier than"
            raise Failure(
                f"In your mask for n = {n}, query {i} and key {j} (counting from 0) are treated wrongly: the entry is "
                f"{words.show(mask[i, j])}.",
                f"That key is {relation} the query; may the query see it?",
            )


def _second_kind(mask: np.ndarray, future: np.ndarray) -> np.ndarray:
    """The cells that differ from the first one, which every causal mask allows."""
    kinds = np.unique(mask)
    if len(kinds) > 2:
        raise Failure(
            f"A mask knows two kinds of cells, and yours for n = {len(mask)} holds more than two different "
            f"numbers, {words.show(kinds[0])} and {words.show(kinds[-1])} among them.",
            "Use one number for what may be seen and another for what may not.",
        )
    return (mask != mask[0, 0]) & ~np.isnan(mask)


@cell("causal-mask-pattern")
@diagnosed("causal_mask")
def test_mask_is_there_to_be_added(student: Any) -> None:
    """The mask can be added to scores: 0 where a position may look, hugely negative where not"""
    value = student.causal_mask(TO_ADD)
    mask = expect.array(value, "your mask")
    if mask.ndim != 2 or mask.size < 4:
        raise Failure(
            f"Asked for a square mask, causal_mask returned an array of shape {words.shape(mask.shape)}.",
            "It has a row for each query and a column for each key.",
        )
    is_boolean = getattr(getattr(value, "dtype", None), "kind", "") == "b"
    if is_boolean or not np.any(mask <= BLOCKED):
        _explain_weak_mask(mask, is_boolean)
    odd = np.argwhere(~((mask == 0) | (mask <= BLOCKED)))
    if len(odd):
        i, j = (int(index) for index in odd[0])
        raise Failure(
            f"At {compare.place((i, j))} your mask holds {words.show(mask[i, j])}.",
            "Zero times infinity is NaN, for one." if np.isnan(mask[i, j]) else TO_ADD_TO,
        )
    if not np.any(mask == 0):
        raise Failure(f"Your mask holds no 0 at all; its first entry is {words.show(mask[0, 0])}.", TO_ADD_TO)


def _explain_weak_mask(mask: np.ndarray, is_boolean: bool) -> None:
    with np.errstate(all="ignore"):
        lowest, highest = float(np.nanmin(mask, initial=np.inf)), float(np.nanmax(mask, initial=-np.inf))
    if is_boolean:
        raise Failure("Your mask holds True and False.", TO_ADD_TO)
    if highest >= -BLOCKED:
        raise Failure(f"The largest entry of your mask is {words.show(highest)}.", "Which sign forbids a score?")
    if np.isnan(mask).any():
        raise Failure("Your mask holds NaN.", "Zero times infinity is NaN, for one.")
    if lowest < 0:
        raise Failure(f"The lowest entry of your mask is {words.show(lowest)}.", "Would it forbid a very large score?")
    raise Failure(f"The entries of your mask lie between {words.show(lowest)} and {words.show(highest)}.", TO_ADD_TO)
