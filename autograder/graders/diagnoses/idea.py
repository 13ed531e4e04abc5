"""What a wrong idea is, and how one is told from what a student's function returned.

Canary: attention-course-canary-8b1e54f7c03a92d6

An idea holds, for each function of the course that it can spoil, what that function would then return: the wrong
code itself, called with the same arguments. After a check has failed, the student's function is asked once more, with
the panel of inputs of that function, and the ideas whose every answer agrees are those that fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from autograder.graders import compare, expect, probes
from autograder.grading.outcome import CheckFailed, StudentError

CANARY = "attention-course-canary-8b1e54f7c03a92d6"

CORE, LARGE, WHOLE, ARGUMENTS = "ordinary inputs", "very large numbers", "whole numbers", "arguments"
NEAR = "points near a power"
Wrong = Callable[..., Any]
KEPT = 12  # panels remembered: all those of one submission


@dataclass(frozen=True, eq=False)
class Idea:
    """A wrong idea: its stable id, what a student is told (a sentence or two), and what it returns.

    `of` has the wrong code by function of the course, in several variants where people write several. `about` says
    which inputs can show it.
    """

    id: str
    says: str
    of: Mapping[str, tuple[Wrong, ...]] = field(default_factory=dict)
    about: tuple[str, ...] = (CORE,)


@dataclass(frozen=True, eq=False)
class Call:
    """One call of a student's function."""

    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = compare.VALUES


@dataclass(frozen=True, eq=False)
class Subject:
    """A function of the course as diagnoses see it: what to ask it, and how to read what it returns."""

    name: str
    reads: Callable[[Any], Any]
    panels: Mapping[str, Callable[[], tuple[Call, ...]]]
    right: Wrong


class Unreadable:
    """In place of a value: there was none (the call raised, or never returned), or it is not of the kind asked for."""

    def __init__(self, exists: bool) -> None:
        self.exists = exists


def arrays(parts: int) -> Callable[[Any], Any]:
    """Read a value as `parts` arrays, or as the one array that it is."""

    def read(value: Any) -> Any:
        if isinstance(value, (tuple, list)) and len(value) == parts and parts > 1:
            return tuple(expect.array(part, "a result") for part in value)
        return (expect.array(value, "a result"),)

    return read


def number(value: Any) -> Any:
    """Read a value as one number."""
    return expect.number(value, "the result")


def verdict(value: Any) -> Any:
    """Read a value as True or False."""
    return expect.truth(value, "the verdict")


def agrees(got: Any, want: Any, tolerance: float) -> bool:
    """Is this what the wrong idea returns? An idea may return a test of what is seen in place of a value."""
    if callable(want):
        return not isinstance(got, Unreadable) and not callable(got) and bool(want(got))
    if callable(got):
        return False
    if isinstance(got, Unreadable) or isinstance(want, Unreadable):
        return isinstance(got, Unreadable) and isinstance(want, Unreadable) and got.exists == want.exists
    if isinstance(want, tuple):
        return len(got) == len(want) and all(_agree(*parts, tolerance) for parts in zip(got, want, strict=True))
    if isinstance(want, float) or isinstance(got, float):
        return bool(got == want or (got % 1 and abs(got - want) <= 1e-12 * abs(want)))
    return bool(got == want)


def _agree(got: np.ndarray, want: np.ndarray, tolerance: float) -> bool:
    if got.shape != want.shape:
        return False
    same = (np.abs(got - want) <= tolerance * np.maximum(1, np.abs(want))) & np.isfinite(want)
    return bool(np.all(same | (got == want) | (np.isnan(got) & np.isnan(want))))


@lru_cache(maxsize=KEPT)
def observe(student: Any, subject: Subject, about: str) -> list[Any]:
    """What the student's function returns on a panel, asked once for all checks that fail."""
    seen: list[Any] = []
    for call in subject.panels[about]():
        try:
            seen.append(subject.reads(getattr(student, subject.name)(*call.arguments, **call.keywords)))
        except CheckFailed as failure:
            seen.append(Unreadable(exists=not isinstance(failure, StudentError)))
    return seen


def predict(wrong: Wrong, subject: Subject, calls: tuple[Call, ...]) -> list[Any]:
    """What wrong code returns on a panel."""
    returned: list[Any] = []
    for call in calls:
        copies = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in call.arguments]
        try:
            with np.errstate(all="ignore"):
                returned.append(subject.reads(wrong(*copies, **call.keywords)))
        except CheckFailed:
            returned.append(Unreadable(exists=True))
        except Exception:  # wrong code may raise anything, and so will the student's
            returned.append(Unreadable(exists=False))
    return returned


@probes.seeded
def right_answers(subject: Subject, about: str) -> list[Any]:
    """What a right answer returns on a panel."""
    return predict(subject.right, subject, subject.panels[about]())


@probes.seeded
def predictions(idea: Idea, subject: Subject, about: str) -> tuple[list[Any], ...]:
    """What an idea returns on a panel, one list for each variant that returns something, and not all right."""
    calls = subject.panels[about]()
    right = right_answers(subject, about)
    made = [predict(wrong, subject, calls) for wrong in idea.of.get(subject.name, ())]
    return tuple(
        answers
        for answers in made
        if not all(isinstance(answer, Unreadable) for answer in answers) and not fits(answers, right, calls)
    )


def fits(seen: list[Any], answers: list[Any], calls: tuple[Call, ...]) -> bool:
    """Do all answers on a panel agree?"""
    with np.errstate(all="ignore"):
        return all(agrees(got, want, call.tolerance) for got, want, call in zip(seen, answers, calls, strict=True))


def fitting(student: Any, subject: Subject, ideas: tuple[Idea, ...], about: str) -> list[Idea]:
    """The ideas about these inputs that explain all of what a student's function returns to them."""
    if about not in subject.panels:
        return []
    calls = subject.panels[about]()
    seen = observe(student, subject, about)
    return [
        idea
        for idea in ideas
        if about in idea.about and any(fits(seen, answers, calls) for answers in predictions(idea, subject, about))
    ]


def is_right(student: Any, subject: Subject) -> bool:
    """Is the function right on ordinary inputs?"""
    calls = subject.panels[CORE]()
    return fits(observe(student, subject, CORE), right_answers(subject, CORE), calls)
