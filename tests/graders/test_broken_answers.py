"""Each hidden check fails the answers that are broken in its sense and passes all others, in the real engine."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from answers import BROKEN, RIGHT
from snippets import Broken, Right
from test_weird_returns import checks

HERE = Path(__file__).parent
ALL_BROKEN = [answer for answers in BROKEN.values() for answer in answers]


class Outcome(NamedTuple):
    """How a check ended."""

    outcome: str
    message: str
    misconception: str | None


@cache
def graded(assignment: str) -> dict[str, dict[str, Outcome]]:
    """The outcomes of all answers to an assignment, by their code and by check. Empty where grading stopped."""
    command = [sys.executable, str(HERE / "grade_answers.py"), assignment]
    done = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        print(done.stderr)
        return {}
    found: dict[str, dict[str, list[str]]] = json.loads(done.stdout)
    return {code: {name: Outcome(*end) for name, end in ends.items()} for code, ends in found.items()}


def results(answer: Broken | Right) -> dict[str, Outcome]:
    everything = graded(answer.assignment)
    assert everything, "grading stopped"
    return everything[answer.code]


def names(answers: list[Broken]) -> list[str]:
    return [f"{answer.check}-{index}" for index, answer in enumerate(answers)]


@pytest.mark.parametrize("answer", ALL_BROKEN, ids=names(ALL_BROKEN))
def test_one_mistake_fails_its_check_and_no_other(answer: Broken) -> None:
    """A broken answer fails the checks that look at its mistake, never with an error, and passes the rest."""
    found = results(answer)
    assert {name for name, check in found.items() if check.outcome != "passed"} == {answer.check, *answer.also}
    assert {check.outcome for check in found.values()} == {"passed", "failed"}
    assert found[answer.check].misconception == answer.misconception


@pytest.mark.parametrize("answer", RIGHT, ids=lambda answer: answer.name)
def test_right_answers_pass_every_check(answer: Right) -> None:
    """However a right answer is written, it loses nothing."""
    assert {name: check.message for name, check in results(answer).items() if check.outcome != "passed"} == {}


def test_every_check_has_a_broken_answer() -> None:
    """No hidden check goes without an answer that it must fail."""
    assert {check.__name__ for check in checks()} == set(BROKEN)


def test_names_and_titles_are_unique_and_readable() -> None:
    """Each check has a name of its own within its assignment and a title without a full stop."""
    seen = set()
    for check in checks():
        folder = check.__module__.split(".")[-2]
        title = (inspect.getdoc(check) or "").splitlines()[0]
        assert title and not title.endswith(".")
        assert (folder, check.__name__) not in seen and (folder, title) not in seen
        seen |= {(folder, check.__name__), (folder, title)}
