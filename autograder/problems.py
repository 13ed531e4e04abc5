"""Errors that a person reads: what is wrong, where, and what to do next, in one line."""

from __future__ import annotations


class CourseError(Exception):
    """Wrong use, or a course that is not in order. The command ends with exit status 2 and this one line."""

    def __init__(self, problem: str, advice: str = "") -> None:
        text = f"{problem}: {advice}" if advice else problem
        super().__init__(" ".join(text.splitlines()))


class MachineFault(Exception):
    """The grader or the machine is at fault: what it touches is marked for a person and never scored 0."""
