"""Errors that a person reads: what is wrong, where, and what to do next, in one line."""

from __future__ import annotations


class CourseError(Exception):
    """Wrong use, or a course that is not in order. The command ends with exit status 2 and this one line."""

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__(f"{problem}: {advice}" if advice else problem)


class MachineFault(Exception):
    """The grader or the machine is at fault: what it touches is marked for a person and never scored 0."""
