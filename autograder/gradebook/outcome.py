"""What is asked of a run over a class, what came of it, and who is told meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograder.gradebook.changes import Change
from autograder.grading.report import Report


@dataclass
class Outcome:
    """What one run did, by student. `known` counts the submissions that were looked up and not run."""

    reports: list[Report] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    still_open: list[str] = field(default_factory=list)  # of the unchanged: those that wait for a person
    absent: list[str] = field(default_factory=list)
    unrecorded: dict[str, str] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    known: int = 0


@dataclass(frozen=True)
class Wish:
    """How to go about it: `force` runs everything again, `dry` records nothing, `never_lower` only what is higher."""

    force: bool = False
    dry: bool = False
    never_lower: bool = False


class Watcher:
    """Is told how far a run has come. This one looks away."""

    def begins(self, total: int) -> None:
        """`total` submissions are going to be graded."""

    def step(self, count: int) -> None:
        """So many more are done."""
