"""What a mask blocks, and whether it can be added.

Canary: attention-course-canary-e05a4d8c16b72f93

Which cells a mask blocks is looked at apart from how it says so: truth values, or 0 and 1, still tell two kinds of
cells apart. Whether it can be added to scores is a question of its own.
"""

from __future__ import annotations

import numpy as np

from autograder.graders import words
from autograder.graders.failure import Failure

CANARY = "attention-course-canary-e05a4d8c16b72f93"

BLOCKED = -1e4  # as low as this, or -inf
TO_ADD_TO = "It will be added to scores: what has to be added to leave a score as it is, and what to forbid it?"


def blocked_cells(mask: np.ndarray, open_cell: tuple[int, ...], which: str) -> np.ndarray:
    """True where a mask blocks, with `open_cell` as a cell that it must leave open."""
    blocked = mask <= BLOCKED  # NaN compares false, and is looked at by check_additive
    if np.any(blocked):
        return blocked
    kinds = np.unique(mask)  # truth values or 0 and 1: either may stand for blocked
    if len(kinds) > 2:
        raise Failure(
            f"A mask knows two kinds of cells, and {which} holds more than two different "
            f"numbers, {words.show(kinds[0])} and {words.show(kinds[-1])} among them.",
            "Use one number for what may be seen and another for what may not.",
        )
    return (mask != mask[open_cell]) & ~np.isnan(mask)


def check_additive(mask: np.ndarray, value: object, name: str = "your mask") -> None:
    """Every cell is 0 or hugely negative, and there are some of both. `value` is the mask as it came back."""
    is_boolean = getattr(getattr(value, "dtype", None), "kind", "") == "b"
    if is_boolean or not np.any(mask <= BLOCKED):
        _explain_weak_mask(mask, is_boolean, name)
    odd = np.argwhere(~((mask == 0) | (mask <= BLOCKED)))
    if len(odd):
        index = tuple(int(number) for number in odd[0])
        raise Failure(
            f"At {cell_in_words(index)} {name} holds {words.show(mask[index])}.",
            "Zero times infinity is NaN, for one." if np.isnan(mask[index]) else TO_ADD_TO,
        )
    if not np.any(mask == 0):
        first = mask[(0,) * mask.ndim]
        raise Failure(
            f"{name[0].upper()}{name[1:]} holds no 0 at all; its first entry is {words.show(first)}.", TO_ADD_TO
        )


def _explain_weak_mask(mask: np.ndarray, is_boolean: bool, name: str) -> None:
    with np.errstate(all="ignore"):
        lowest, highest = float(np.nanmin(mask, initial=np.inf)), float(np.nanmax(mask, initial=-np.inf))
    if is_boolean:
        raise Failure(f"{name[0].upper()}{name[1:]} holds True and False.", TO_ADD_TO)
    if highest >= -BLOCKED:
        raise Failure(f"The largest entry of {name} is {words.show(highest)}.", "Which sign forbids a score?")
    if np.isnan(mask).any():
        raise Failure(f"{name[0].upper()}{name[1:]} holds NaN.", "Zero times infinity is NaN, for one.")
    if lowest < 0:
        raise Failure(f"The lowest entry of {name} is {words.show(lowest)}.", "Would it forbid a very large score?")
    raise Failure(f"The entries of {name} lie between {words.show(lowest)} and {words.show(highest)}.", TO_ADD_TO)


def cell_in_words(index: tuple[int, ...]) -> str:
    """`query 2, key 3 (counting from 0)`, with the text before it where the mask is for a batch."""
    *text, query, key = index
    return "".join(f"text {number}, " for number in text) + f"query {query}, key {key} (counting from 0)"
