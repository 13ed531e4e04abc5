"""Wrong ideas about the masks of exercise 5 and about combining them.

Canary: attention-course-canary-b3f81d60e7a5294c
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np

from autograder.graders import blocking, variations
from autograder.graders.diagnoses.ex1 import nothing
from autograder.graders.diagnoses.idea import ARGUMENTS, CORE, Call, Idea, Subject, arrays
from autograder.graders.diagnoses.masks import FILLS, WEAK
from autograder.graders.variations import additive

CANARY = "attention-course-canary-b3f81d60e7a5294c"

PADDING, PREFIX, COMBINE = "padding_mask", "prefix_mask", "combine"
Blocked = Callable[..., np.ndarray]


@cache
def _batches() -> tuple[Call, ...]:
    batches = ([3, 1, 5], 5), ([2, 4], 6), ([4, 4, 0, 1], 4)
    return tuple(Call((np.array(lengths), n)) for lengths, n in batches)


@cache
def _prefixes() -> tuple[Call, ...]:
    return tuple(Call(sizes) for sizes in ((6, 2), (5, 0), (7, 4), (4, 4)))


@cache
def _several() -> tuple[Call, ...]:
    first, second, third = masks = tuple(additive(cells) for cells in variations.masks_of(5))
    batch = additive(variations.batch_of_masks(5))
    weak = tuple(additive(cells, -1e4) for cells in variations.masks_of(5))
    calls = masks[:2], masks, (second,), (first, batch), (batch, third), weak
    return tuple(Call(arguments) for arguments in calls)


def _mask(value: Any) -> Any:
    """A mask in one form: (batch, 1, n) as numpy stretches it, and minus infinity for whatever blocks."""
    (mask,) = arrays(1)(value)
    if mask.ndim == 3 and mask.shape[1] == 1:
        mask = np.repeat(mask, mask.shape[2], axis=1)
    return (np.where(mask <= blocking.BLOCKED, -np.inf, mask),)


SUBJECTS = (
    Subject(
        PADDING,
        _mask,
        {CORE: _batches, ARGUMENTS: nothing},
        lambda lengths, n: additive(variations.padding_blocked(lengths, n)),
    ),
    Subject(
        PREFIX,
        _mask,
        {CORE: _prefixes, ARGUMENTS: nothing},
        lambda n, prefix: additive(variations.prefix_blocked(n, prefix)),
    ),
    Subject(COMBINE, _mask, {CORE: _several, ARGUMENTS: nothing}, lambda *masks: sum(masks)),
)


def _padding(
    *blocks: Callable[[int, np.ndarray, np.ndarray], np.ndarray], fills: tuple[float, ...] = (-np.inf,)
) -> Any:
    """Masks from what is blocked, given a length and the numbers of queries (n, 1) and keys (1, n)."""

    def make(block: Callable[..., np.ndarray], fill: float) -> Any:
        def run(lengths: np.ndarray, n: int) -> np.ndarray:
            place = np.arange(n)
            shape = (n, n)
            tables = [np.broadcast_to(block(length, place[:, None], place[None, :]), shape) for length in lengths]
            return np.where(np.stack(tables), fill, 0.0)

        return run

    return tuple(make(block, fill) for block in blocks for fill in fills)


def _prefix(*blocks: Callable[[int, np.ndarray, np.ndarray], np.ndarray], fills: tuple[float, ...] = (-np.inf,)) -> Any:
    def make(block: Callable[..., np.ndarray], fill: float) -> Any:
        def run(n: int, prefix: int) -> np.ndarray:
            place = np.arange(n)
            return np.where(np.broadcast_to(block(prefix, place[:, None], place[None, :]), (n, n)), fill, 0.0)

        return run

    return tuple(make(block, fill) for block in blocks for fill in fills)


def _is_padding(length: int, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    return j >= length


def _is_hidden(prefix: int, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    return (j > i) & (j >= prefix)


def _truth(make: Any) -> tuple[Any, Any]:
    """The same mask as truth values: True for blocked, and True for open."""
    return (lambda *sizes: make(*sizes) < 0), (lambda *sizes: make(*sizes) == 0)


# What an idea of another module makes of these functions.
ALSO: dict[str, dict[str, tuple[Any, ...]]] = {
    "mask-not-additive": {PADDING: _truth(_padding(_is_padding)[0]), PREFIX: _truth(_prefix(_is_hidden)[0])},
    "mask-too-weak": {PADDING: _padding(_is_padding, fills=WEAK), PREFIX: _prefix(_is_hidden, fills=WEAK)},
    "mask-sign": {
        PADDING: _padding(_is_padding, fills=tuple(-fill for fill in FILLS)),
        PREFIX: _prefix(_is_hidden, fills=tuple(-fill for fill in FILLS)),
    },
    "mask-of-one-row": {
        PADDING: (lambda lengths, n: np.where(np.arange(n) >= np.asarray(lengths)[:, None], -np.inf, 0.0),)
    },
    "past-blocked": {
        PREFIX: _prefix(lambda prefix, i, j: (j < i) & (j >= prefix), lambda prefix, i, j: (j <= i) & (j >= prefix))
    },
}

IDEAS = (
    Idea(
        "padding-on-queries",
        "Your mask blocks the rows of queries that are padding: which index counts the keys that are looked at?",
        {PADDING: _padding(lambda length, i, j: i >= length)},
    ),
    Idea(
        "padding-on-queries-and-keys",
        "Your mask blocks rows as well as columns: does it matter here which position asks?",
        {PADDING: _padding(lambda length, i, j: (i >= length) | (j >= length))},
    ),
    Idea(
        "padding-off-by-one",
        "Your border is one place off: at which index does the padding of a text of length 3 begin?",
        {PADDING: _padding(lambda length, i, j: j > length, lambda length, i, j: j >= length - 1)},
    ),
    Idea(
        "real-positions-blocked",
        "Your mask blocks the text and leaves the padding open: which of the two may be looked at?",
        {PADDING: _padding(lambda length, i, j: j < length)},
    ),
    Idea(
        "padding-at-the-start",
        "Your padding stands before the text: at which end are short texts filled up?",
        {PADDING: _padding(lambda length, i, j: j < j.size - length)},
    ),
    Idea(
        "prefix-off-by-one",
        "Your prefix is one position too long or too short: which index does the last position of a prefix of 2 have?",
        {
            PREFIX: _prefix(
                lambda prefix, i, j: (j > i) & (j > prefix), lambda prefix, i, j: (j > i) & (j >= prefix - 1)
            )
        },
    ),
    Idea(
        "prefix-ignored",
        "This is the causal mask: what does a prefix open?",
        {PREFIX: _prefix(lambda prefix, i, j: j > i)},
    ),
    Idea(
        "prefix-alone",
        "The prefix is open, and so is nothing else: what may be seen besides?",
        {PREFIX: _prefix(lambda prefix, i, j: j >= prefix)},
    ),
    Idea(
        "prefix-on-rows",
        "You open the rows of the prefix instead of its columns: who sees the prefix?",
        {PREFIX: _prefix(lambda prefix, i, j: (j > i) & (i >= prefix))},
    ),
    Idea(
        "masks-multiplied",
        "Zero times minus infinity is NaN, and minus times minus is plus: which operation keeps 0 and blocks the rest?",
        {COMBINE: (lambda *masks: reduce(np.multiply, masks),)},
    ),
    Idea(
        "open-where-any-is-open",
        "You block a place only where all masks block it: may one mask open what another one forbids?",
        {COMBINE: (lambda *masks: reduce(np.maximum, masks),)},
    ),
    Idea(
        "two-masks-alone",
        "Some of the masks are left out: how many arguments can there be?",
        {
            COMBINE: (
                lambda *masks: masks[0] + masks[1],
                lambda first, second: first + second,
                lambda *masks: masks[0] + masks[-1] if len(masks) > 1 else masks[0],
                lambda *masks: sum(masks[:2]),
                lambda *masks: masks[0],
                lambda *masks: masks[-1],
            )
        },
    ),
    Idea(
        "masks-stacked",
        "Your masks stand side by side and are not one yet: what happens to two entries in the same place?",
        {COMBINE: (lambda *masks: np.stack(masks), lambda *masks: np.concatenate(masks), lambda *masks: list(masks))},
    ),
    Idea(
        "shapes-must-agree",
        "Your code needs masks of one shape: numpy can stretch a mask for one text to a batch, unless it is held back.",
        {
            COMBINE: (
                lambda *masks: np.sum(np.stack(masks), axis=0),
                lambda *masks: np.min(np.stack(masks), axis=0),
                lambda *masks: reduce(lambda total, mask: np.add(total, mask, out=total.copy()), masks),
            )
        },
    ),
    Idea(
        "infinity-alone-blocks",
        "Some masks hold a large negative number in place of minus infinity: how do you tell that a place is blocked?",
        {
            COMBINE: (lambda *masks: np.where(np.isinf(sum(masks)), -np.inf, 0.0),),
        },
    ),
    Idea(
        "bad-input-accepted",
        "Compare the argument with the limits that the docstring names, both of them where there are two.",
        about=(ARGUMENTS,),
    ),
)
