"""How a check can end, and the exceptions that say so.

A check ends in one of three ways. *Passed* and *failed* are about the student's work; *error* is about the
grader or the machine and never takes a point away silently.
"""

from __future__ import annotations

PASSED = "passed"
FAILED = "failed"
ERROR = "error"


class CheckFailed(AssertionError):
    """The student's work does not do what a check asks for.

    `message` is read by the student: it says what was asked, what was seen and a way forward. `misconception`
    is the stable kebab-case id of the wrong idea behind the failure, where exactly one fits.
    """

    def __init__(self, message: str, misconception: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.misconception = misconception


class StudentError(CheckFailed):
    """The student's function could not be asked: it is missing, raised, hung or ended its process.

    `raised` is the name of the exception's type where the function raised one.
    """

    def __init__(self, message: str, raised: str | None = None) -> None:
        super().__init__(message)
        self.raised = raised
