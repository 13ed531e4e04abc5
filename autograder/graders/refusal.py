"""Whether a function refuses arguments that make no sense, with the exception that its docstring names.

Canary: attention-course-canary-4c9e27b60d18f5a3
"""

from __future__ import annotations

from typing import Any

from autograder.graders import expect
from autograder.graders.failure import Failure
from autograder.grading.outcome import StudentError

CANARY = "attention-course-canary-4c9e27b60d18f5a3"

ACCEPTED = "bad-input-accepted"  # the id of the idea that this check sees for itself
WANTED = "ValueError"


def check_refuses(student: Any, function: str, good: tuple[Any, ...], bad: dict[str, tuple[Any, ...]]) -> None:
    """The function answers the good call, and each bad one raises a ValueError; the keys describe the bad calls."""
    answer = getattr(student, function)(*good)
    first = answer[0] if isinstance(answer, tuple) and answer else answer
    if expect.array(first, "a result").ndim < 2:
        raise Failure(
            f"Asked for arrays, {function} returned something smaller, so what it refuses says nothing.",
            "Repair that first; this check may then pass by itself.",
        )
    for kind, arguments in bad.items():
        try:
            getattr(student, function)(*arguments)
        except StudentError as error:
            if error.raised == WANTED:
                continue
            if error.raised is None:
                raise
            raise Failure(
                f"Asked for {kind}, {function} did not stop with a {WANTED}: {error.message}",
                f"Look at the arguments first, and raise a {WANTED} where they make no sense.",
            ) from None
        raise Failure(
            f"Asked for {kind}, {function} returned an answer.",
            f"The docstring says what makes no sense: there it should stop with a {WANTED}.",
            ACCEPTED,
        )
