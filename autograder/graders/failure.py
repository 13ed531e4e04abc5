"""A failure in two parts, so that what helps can be chosen after what was seen.

Canary: attention-course-canary-2d41c8b90e7fa356
"""

from __future__ import annotations

from autograder.grading.outcome import CheckFailed

CANARY = "attention-course-canary-2d41c8b90e7fa356"


class Failure(CheckFailed):
    """What a check saw, and a way forward that a diagnosis takes the place of where exactly one fits."""

    def __init__(self, seen: str, advice: str = "", misconception: str | None = None) -> None:
        super().__init__(f"{seen} {advice}".rstrip(), misconception)
        self.seen = seen
        self.advice = advice


def explained(failure: CheckFailed, says: str, misconception: str) -> CheckFailed:
    """The same failure with what a diagnosis says in place of the general way forward."""
    seen = failure.seen if isinstance(failure, Failure) else failure.message
    return Failure(seen, says, misconception)
