"""What a gradebook adds to a report: scores and comments that a person gave, and the penalty for lateness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Standing:
    """`scores` count in place of the report's, None where a person has yet to decide; `by_hand` names those given.

    `extra` are cells that no check looks at (name, score, points).
    """

    scores: Mapping[str, float | None] = field(default_factory=dict)
    by_hand: frozenset[str] = frozenset()
    comments: Mapping[str, str] = field(default_factory=dict)
    extra: tuple[tuple[str, float | None, float], ...] = ()
    penalty: float = 0.0


@dataclass(frozen=True)
class Place:
    """A student's place in the class for one assignment, as the gradebook has it.

    `score` is what counts now, None where a person has yet to decide; `link` leads into Formgrader, or is "".
    """

    student: str
    assignment: str
    score: float | None
    max_score: float
    penalty: float = 0.0
    needs_a_person: bool = False
    link: str = ""
