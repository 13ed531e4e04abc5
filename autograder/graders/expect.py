"""What came back from a student, brought into a plain shape, or refused with one sentence for the student.

Canary: attention-course-canary-3162b099a29fd300

Nothing here raises anything but a `CheckFailed`, whatever the value is. `what` names the value in a message
("your weights").
"""

from __future__ import annotations

import math

import numpy as np

from autograder.graders import words
from autograder.graders.failure import Failure

CANARY = "attention-course-canary-3162b099a29fd300"

DEEPEST_LIST = 4  # axes that a nested list may have; the course's arrays have one or two
LARGEST = 1e100  # no right answer comes near it, and sums and products of smaller numbers do not overflow
ROUNDING = 1e-9  # a float this close to a whole number is that number (2 * 0.1 * 10 is not always 2.0)


def pair(value: object, what: str = "your function") -> tuple[object, object]:
    """The two parts of a tuple or list of two."""
    first, second = several(value, 2, what)
    return first, second


def several(value: object, count: int, what: str) -> list[object]:
    """The parts of a tuple or list of `count` items."""
    if not isinstance(value, (tuple, list)) or len(value) != count:
        raise Failure(
            f"Asked for {count} results together, {what} returned {words.describe(value)}.",
            "Look at the return line: the results stand there separated by commas.",
        )
    return list(value)


def array(value: object, what: str) -> np.ndarray:
    """Any number of axes: an array of float64 from arrays, numbers and nested lists. NaN and inf are kept."""
    try:
        with np.errstate(all="ignore"):
            return _array(value, DEEPEST_LIST)
    except _NotNumbersError as refused:
        raise Failure(
            f"Asked for an array of numbers, {what} came back as {words.describe(value)}{refused}.",
            "Return a numpy array of real numbers.",
        ) from None


def matrix(value: object, shape: tuple[int, ...], what: str, *, finite: bool = True) -> np.ndarray:
    """An array of float64 with exactly this shape (one axis or two); with `finite`, neither NaN nor inf."""
    got = array(value, what)
    if got.shape != tuple(shape):
        raise Failure(
            f"The shape is not as asked: {what} came back with shape {words.shape(got.shape)}, "
            f"and shape {words.shape(shape)} was needed.",
            "Write the shape of every step beside its line.",
        )
    if finite:
        all_finite(got, what)
    return got


def all_finite(got: np.ndarray, what: str) -> None:
    """Refuse NaN, inf and numbers beyond all measure, and say where the first one is."""
    bad = np.argwhere(~(np.abs(got) <= LARGEST))  # NaN compares false
    if len(bad):
        where = tuple(int(index) for index in bad[0])
        raise Failure(
            f"At index {words.shape(where)} {what} came back with {words.show(got[where])}, "
            "where an ordinary number was asked for.",
            "Look for a division by zero or for an exp of something very large.",
        )


def number(value: object, what: str) -> int | float:
    """One finite real number: int, float, a numpy number or an array without axes."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.floating):
        value = float(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float)):
        raise Failure(f"Asked for one number, {what} came back as {words.describe(value)}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise Failure(f"Asked for an ordinary number, {what} came back as {words.show(value)}.")
    return value


def whole_number(value: object, what: str) -> int:
    """One whole number; a float counts when it is whole."""
    got = number(value, what)
    if isinstance(got, float):
        if abs(got - round(got)) > ROUNDING * max(1.0, abs(got)):
            raise Failure(
                f"Asked for a whole number, {what} came back as {words.show(got)}.",
                "Check the unit, and whether something was divided that should not be.",
            )
        return round(got)
    return got


def real(value: object, what: str) -> float:
    """One finite real number that a float holds."""
    return float(matrix(number(value, what), (), what))


def truth(value: object, what: str) -> bool:
    """True or False: a bool, a numpy bool, an array of one of them without axes, or the integers 0 and 1."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "biu":
        value = value[()]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)) and value in (0, 1):
        return bool(value)
    raise Failure(
        f"Asked for True or False, {what} came back as {words.describe(value)}.",
        "If you compare whole arrays, bring the many answers together into one.",
    )


class _NotNumbersError(Exception):
    """A value holds something else than real numbers; the text says what, to follow its description."""


def _array(value: object, deepest: int) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray):
        value = value.filled(0) if value.dtype.kind in "biuf" else np.asarray(value.data)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise _NotNumbersError
        return np.array(value, dtype=np.float64, subok=False)
    if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
        try:
            return np.array(float(value))
        except OverflowError:
            raise _NotNumbersError(", too large for an array") from None
    if not isinstance(value, (list, tuple)):
        raise _NotNumbersError
    if deepest == 0:
        raise _NotNumbersError(", lists inside lists")
    parts = []
    for item in value:
        try:
            parts.append(_array(item, deepest - 1))
        except _NotNumbersError:
            raise _NotNumbersError(f", and one of them is {words.describe(item)}") from None
    if len({part.shape for part in parts}) > 1:
        raise _NotNumbersError(", and they are not of equal length")
    return np.stack(parts) if parts else np.zeros(0)
