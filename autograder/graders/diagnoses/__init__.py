"""The wrong ideas that a failure can be traced to, each with what a student is told about it.

Canary: attention-course-canary-5410150a75439689

    idea         what an idea is, and how one is told from what came back
    ways         wrong code in pieces, from which the entries are put together
    scaling, attending, masks    ideas that several functions of exercises 1, 2 and 4 share
    ex1 to ex4, ex5_*    ideas about the functions of one exercise, and the panels of inputs that tell them apart

A new idea is one entry in one of these modules: its id, its sentence, and the wrong code by function. The tests hold
that no right answer and no other wrong answer of the collections in tests/answers/ is explained by it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autograder.graders.diagnoses import (
    attending,
    ex1,
    ex2,
    ex3,
    ex3b,
    ex4,
    ex5_heads,
    ex5_linear,
    ex5_masked,
    ex5_masks,
    ex5_shares,
    scaling,
)
from autograder.graders.diagnoses.idea import ARGUMENTS, CORE, LARGE, NEAR, WHOLE, Idea, Subject, fitting, is_right
from autograder.graders.failure import explained
from autograder.grading.outcome import CheckFailed

__all__ = ["ARGUMENTS", "CORE", "IDEAS", "LARGE", "NEAR", "SUBJECTS", "WHOLE", "Idea", "diagnosed", "find"]

CANARY = "attention-course-canary-5410150a75439689"

_EXERCISES = (ex1, ex2, ex3, ex3b, ex4, ex5_masks, ex5_masked, ex5_shares, ex5_linear, ex5_heads)


def _extended(idea: Idea) -> Idea:
    """The idea with what it makes of functions of exercise 5 as well."""
    of = dict(idea.of)
    for module in (ex5_masks, ex5_masked, ex5_heads):
        of |= module.ALSO.get(idea.id, {})
    return replace(idea, of=of)


SUBJECTS: dict[str, Subject] = {subject.name: subject for module in _EXERCISES for subject in module.SUBJECTS}
IDEAS: tuple[Idea, ...] = tuple(
    _extended(idea) for module in (scaling, attending, *_EXERCISES) for idea in module.IDEAS
)

Check = Callable[[Any], None]


def diagnosed(function: str, *about: str) -> Callable[[Check], Check]:
    """Let a check of `function` that fails say which wrong idea explains it, where exactly one does.

    Whether the check fails is not touched. `about` says which inputs the check uses, ordinary ones if not told.
    """

    def decorate(check: Check) -> Check:
        @functools.wraps(check)
        def run(student: Any) -> None:
            try:
                check(student)
            except CheckFailed as failure:
                ideas = (find(student, function, part, failure.misconception) for part in about or (CORE,))
                idea = next(filter(None, ideas), None)
                if idea is None:
                    failure.misconception = None
                    raise
                raise explained(failure, idea.says, idea.id) from None

        return run

    return decorate


def find(student: Any, function: str, about: str = CORE, shown: str | None = None) -> Idea | None:
    """The one idea that explains what a student's function returns, or None where none does or several do.

    An idea about anything but ordinary inputs is looked for only in a function that is right on those. `shown` is
    the id of an idea that the check has seen at work.
    """
    subject = SUBJECTS[function]
    if about == CORE:
        ideas = fitting(student, subject, IDEAS, CORE)
    elif not is_right(student, subject):
        return None
    elif shown is not None:
        ideas = [idea for idea in IDEAS if idea.id == shown]
    else:
        ideas = fitting(student, subject, IDEAS, about)
    return ideas[0] if len(ideas) == 1 else None
