"""What padding_mask and prefix_mask block, how they say so, and what they refuse.

Canary: attention-course-canary-60b7d3f91e28a4c5
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import blocking, expect, refusal, variations, words
from autograder.graders.diagnoses import ARGUMENTS, diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-60b7d3f91e28a4c5"

PADDING, PREFIX = "padding_mask", "prefix_mask"
BATCHES = (([3, 0, 5, 1], 5), ([2, 7], 7), ([4], 6), ([1, 0], 1))  # lengths and n
PREFIXES = (6, 2), (5, 0), (4, 4), (1, 0), (9, 5)  # n and prefix


def _padding(value: object, texts: int, n: int) -> np.ndarray:
    """The mask as (batch, n, n), from what numpy stretches to that."""
    mask = expect.array(value, "your mask")
    if mask.shape == (texts, 1, n):
        return np.broadcast_to(mask, (texts, n, n))
    return expect.matrix(mask, (texts, n, n), f"your mask for {texts} texts and n = {n}", finite=False)


def _require_same(mask: np.ndarray, wanted: np.ndarray, which: str, question: str) -> None:
    """The mask blocks the wanted cells and no others."""
    is_open = np.argwhere(~wanted)
    first = tuple(int(number) for number in is_open[0]) if len(is_open) else (0,) * mask.ndim
    blocked = blocking.blocked_cells(mask, first, which)
    wrong = np.argwhere(blocked != wanted)
    if len(wrong):
        index = tuple(int(number) for number in wrong[0])
        raise Failure(
            f"In {which}, {blocking.cell_in_words(index)} is {'blocked' if blocked[index] else 'open'} and should not "
            f"be: the entry is {words.show(mask[index])}.",
            question,
        )


@cell("padding-mask-check", weight=3)
@diagnosed(PADDING)
def test_padding_mask_hides_the_padding(student: Any) -> None:
    """The padding mask hides the padding of each text from every query, and nothing else"""
    for number, (lengths, n) in enumerate(BATCHES):
        given = np.array(lengths) if number % 2 else lengths  # a list or an array, by turns
        mask = _padding(student.padding_mask(given, n), len(lengths), n)
        _require_same(
            mask,
            variations.padding_blocked(lengths, n),
            f"your mask for n = {n} and text lengths {', '.join(map(str, lengths))}",
            "Which keys of this text are real, and does the query play a part?",
        )


@cell("padding-mask-check")
@diagnosed(PADDING)
def test_padding_mask_is_there_to_be_added(student: Any) -> None:
    """The padding mask can be added to scores: 0 where a key is real, hugely negative where not"""
    value = student.padding_mask([2, 4, 1], 5)
    mask = expect.array(value, "your padding mask")
    if mask.ndim != 3 or mask.size < 15:
        raise Failure(
            f"Asked for a mask for a batch, padding_mask returned an array of shape {words.shape(mask.shape)}.",
            "Each text has a mask of its own, with a row for each query and a column for each key.",
        )
    blocking.check_additive(mask, value, "your padding mask")


@cell("padding-mask-check")
@diagnosed(PADDING, ARGUMENTS)
def test_padding_mask_refuses_impossible_lengths(student: Any) -> None:
    """The padding mask refuses lengths below 0 and above n"""
    refusal.check_refuses(
        student,
        PADDING,
        ([2, 4], 4),
        {
            "the mask of a text that is longer than n": ([2, 5, 1], 4),
            "the mask of a text with a length below 0": ([3, 2, -1], 4),
        },
    )


@cell("prefix-mask-check", weight=3)
@diagnosed(PREFIX)
def test_prefix_mask_opens_the_prefix_and_the_past(student: Any) -> None:
    """The prefix mask opens the prefix to every query, and the past and the present, and nothing else"""
    for n, prefix in PREFIXES:
        which = f"your mask for n = {n} and a prefix of {prefix}"
        mask = expect.matrix(student.prefix_mask(n, prefix), (n, n), which, finite=False)
        _require_same(
            mask, variations.prefix_blocked(n, prefix), which, "Is that key no later than the query, or in the prefix?"
        )


@cell("prefix-mask-check")
@diagnosed(PREFIX)
def test_prefix_mask_is_there_to_be_added(student: Any) -> None:
    """The prefix mask can be added to scores: 0 where open, hugely negative where not"""
    value = student.prefix_mask(6, 2)
    mask = expect.array(value, "your prefix mask")
    if mask.ndim != 2 or mask.size < 4:
        raise Failure(
            f"Asked for a square mask, prefix_mask returned an array of shape {words.shape(mask.shape)}.",
            "It has a row for each query and a column for each key.",
        )
    blocking.check_additive(mask, value, "your prefix mask")


@cell("prefix-mask-check")
@diagnosed(PREFIX, ARGUMENTS)
def test_prefix_mask_refuses_impossible_prefixes(student: Any) -> None:
    """The prefix mask refuses a prefix below 0 and above n"""
    refusal.check_refuses(
        student,
        PREFIX,
        (5, 2),
        {"the mask of a prefix below 0": (5, -1), "the mask of a prefix that is longer than n": (5, 6)},
    )
