"""Answers to try the hidden checks with: wrong ones that must fail, and right ones that must lose nothing.

The collections are in tests/answers/ of a clone of the kit. An answer defines only the functions that it is about; the
others are the model answer's.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path

from autograder.problems import CourseError


@dataclass(frozen=True)
class Wrong:
    """A wrong answer: the checks that must fail, those that may, and the diagnosis that is expected.

    Where no diagnosis is expected, `why` says why.
    """

    name: str
    assignment: str
    code: str
    must: tuple[str, ...]
    may: tuple[str, ...] = ()
    idea: str | None = None
    why: str = ""


@dataclass(frozen=True)
class Right:
    """A right answer in another style than the model answer's. It loses no check but those in `loses`.

    `needs` is a library without which it cannot be tried.
    """

    name: str
    assignment: str
    code: str
    loses: tuple[str, ...] = ()
    needs: str | None = None


@dataclass(frozen=True)
class Collection:
    """All answers, and for a check that no wrong answer fails alone the sentence why it is kept."""

    wrong: tuple[Wrong, ...]
    right: tuple[Right, ...]
    kept: dict[str, str]


def load(root: Path) -> Collection:
    """Return the collections of a clone. Raises CourseError where they are not there."""
    tests = root / "tests"
    if not (tests / "answers" / "__init__.py").is_file():
        raise CourseError(
            f"there is no tests/answers in {root}", "the collections of answers are in a clone of the course"
        )
    sys.path.insert(0, str(tests))
    try:
        answers = importlib.import_module("answers")
    finally:
        sys.path.remove(str(tests))
    return Collection(tuple(answers.WRONG), tuple(answers.RIGHT), dict(answers.KEPT))
