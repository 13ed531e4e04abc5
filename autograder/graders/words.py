"""Numbers and values as short text for a student; every function here accepts any value at all.

Canary: attention-course-canary-6534d549c9470cf0
"""

from __future__ import annotations

import math

import numpy as np

from autograder.student.inside.values import Opaque

CANARY = "attention-course-canary-6534d549c9470cf0"

LONGEST_INTEGER = 18  # digits shown in full; Python refuses to print integers of some thousands of digits


def show(value: object) -> str:
    """A number in a few characters: `0.713`, `nan`, `16385`, `about 10^4932`."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        number = int(value)
        digits = int(number.bit_length() * math.log10(2)) + 1 if number else 1
        if digits <= LONGEST_INTEGER:
            return str(number)
        return f"about {'-' if number < 0 else ''}10^{digits - 1}"
    if isinstance(value, (float, np.floating)):
        real = float(value)
        if not math.isfinite(real):
            return str(real)
        if real.is_integer() and abs(real) < 10**LONGEST_INTEGER:
            return str(int(real)) if abs(real) >= 1000 else f"{real:.1f}"
        return f"{real:.4g}"
    return describe(value)


def change(before: float, after: float) -> str:
    """`from 0.213 to 0.587`, with as many digits as it takes to tell the two apart."""
    if show(before) != show(after):
        return f"from {show(before)} to {show(after)}"
    return f"from {before:.12g} to {after:.12g}"


def shape(sizes: tuple[int, ...]) -> str:
    """A shape as numpy prints it, cut after four axes."""
    shown = ", ".join(show(size) for size in sizes[:4])
    return f"({shown}, ...)" if len(sizes) > 4 else f"({shown},)" if len(sizes) == 1 else f"({shown})"


def describe(value: object) -> str:
    """What kind of thing a value is, with its size but without its contents."""
    if value is None:
        return "None (is the return line missing?)"
    if isinstance(value, (bool, np.bool_)):
        return f"the truth value {bool(value)}"
    if isinstance(value, (int, float, np.integer, np.floating)):
        return f"the number {show(value)}"
    if isinstance(value, (complex, np.complexfloating)):
        return "a complex number"
    if isinstance(value, (str, bytes)):
        return "text"
    if isinstance(value, np.ndarray):
        kind = {"b": "truth values", "c": "complex numbers"}.get(value.dtype.kind, "numbers")
        return f"an array of {kind} of shape {shape(value.shape)}"
    if isinstance(value, (tuple, list)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return f"a {kind} of {len(value)} {'item' if len(value) == 1 else 'items'}"
    if isinstance(value, dict):
        return "a dictionary"
    if isinstance(value, Opaque):  # it could not travel out of the student's process
        name = "".join(letter for letter in value.type_name[:24] if letter.isprintable())
        return f"an object of type {name or 'unknown'}"
    return "an object of an unknown type"
