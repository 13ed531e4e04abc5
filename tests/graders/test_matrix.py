"""All answers of the two collections against all hidden checks, in the real engine."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from answers import KEPT, RIGHT, WRONG
from equivalent import EQUIVALENT
from support import WITH_TORCH, needs_torch
from test_weird_returns import checks

from autograder.graders.diagnoses import IDEAS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SCRIPTS = "print_matrix.py", "grade_mutants.py"
FEWEST_WRONG, FEWEST_RIGHT, NAMED = 90, 50, 0.95
KILLED = 0.98
MEASURED = "ex3b-measured-memory"


@cache
def printed() -> dict[str, dict[str, Any]]:
    """What the scripts of this folder print; they run side by side."""

    def run(script: str) -> dict[str, Any]:
        command = [sys.executable, str(HERE / script)]
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    with ThreadPoolExecutor() as pool:
        return dict(zip(SCRIPTS, pool.map(run, SCRIPTS), strict=True))


@pytest.fixture(scope="module")
def matrix() -> dict[str, Any]:
    return printed()["print_matrix.py"]


class TestMatrix:
    def test_every_answer_ends_as_its_collection_says(self, matrix: dict[str, Any]) -> None:
        """Wrong answers fail all their checks and no others, right ones none, and no diagnosis is a wrong one."""
        assert matrix["problems"] == []

    def test_there_are_enough_answers_and_nearly_all_are_named(self, matrix: dict[str, Any]) -> None:
        """At least 90 wrong answers, all caught; 95 % named as expected; at least 50 right ones with full points."""
        counts = matrix["counts"]
        assert counts["caught"] == counts["wrong"] >= FEWEST_WRONG
        assert counts["full"] == counts["right"] >= FEWEST_RIGHT
        assert counts["named"] >= NAMED * counts["wrong"]

    def test_no_two_diagnoses_fire_on_one_answer_and_none_on_a_right_one(self, matrix: dict[str, Any]) -> None:
        """One wrong idea an answer at most; a mask of truth values is the one right answer that is told of its own."""
        told = {name: ideas for name, ideas in matrix["ideas"].items() if ideas}
        assert [name for name, ideas in told.items() if len(ideas) > 1] == []
        assert [a.name for a in RIGHT if a.name in told and not a.loses] == []

    @needs_torch
    def test_the_page_for_instructors_is_up_to_date(self, matrix: dict[str, Any]) -> None:
        """docs/checks.md is what `course check --matrix --page docs/checks.md` writes."""
        assert (ROOT / "docs" / "checks.md").read_text("utf-8") == matrix["page"]

    @needs_torch
    def test_every_answer_about_measured_memory_is_in_the_matrix(self, matrix: dict[str, Any]) -> None:
        """At least 12 wrong and 8 right ones; what becomes of them is told with all others above."""
        wrong, right = ([a.name for a in each if a.assignment == MEASURED] for each in (WRONG, RIGHT))
        assert len(wrong) >= 12 and len(right) >= 8
        assert {*wrong, *right} <= set(matrix["ideas"])
        assert [problem for problem in matrix["problems"] if problem.partition(":")[0] in ("naive", "fused")] == []

    def test_sentences_for_kept_checks_are_all_needed(self, matrix: dict[str, Any]) -> None:
        """A check that a wrong answer fails alone needs no sentence that says why it is kept."""
        assert set(matrix["lonely"]) == set(KEPT) & set(matrix["checks"])
        assert set(matrix["kept"]) == set(KEPT)

    def test_every_check_is_in_the_matrix(self, matrix: dict[str, Any]) -> None:
        measured = "ex3b_measured_memory"  # not in the matrix without torch
        names = {check.__name__ for check in checks() if WITH_TORCH or measured not in check.__module__}
        assert set(matrix["checks"]) == names

    def test_messages_read_well(self, matrix: dict[str, Any]) -> None:
        """At most three sentences, none cut off, and nothing of the grader's own in them."""
        for message in matrix["messages"]:
            assert len(sentences(message)) <= 3, message
            assert message[0].isupper() or message[0] in "`~", message
            assert message.endswith((".", "?")), message
            assert not re.search(r"\b(probe|student\.|ndarray|CheckFailed|None of|np\.float)\b", message), message


class TestCollections:
    def test_names_are_unique(self) -> None:
        names = [answer.name for answer in (*WRONG, *RIGHT)]
        assert len(set(names)) == len(names)

    def test_every_expected_diagnosis_exists(self) -> None:
        assert {answer.idea for answer in WRONG} - {None} <= {idea.id for idea in IDEAS}

    def test_every_diagnosis_has_an_answer(self) -> None:
        """No wrong idea is in the catalogue without an answer that is told of it."""
        assert {idea.id for idea in IDEAS} <= {answer.idea for answer in WRONG}


class TestMutants:
    def test_nearly_every_mutant_of_a_model_answer_is_killed(self) -> None:
        """Mutants that pass are right answers, each with its reason; of the others at least 98 % are killed."""
        report = printed()["grade_mutants.py"]
        assert report["odd"] == []
        made, left = ({(function, change) for function, change in report[part]} for part in ("made", "left"))
        unexplained = left - set(EQUIVALENT)
        assert set(EQUIVALENT) & made <= left, "an entry is not needed any more"
        wrong = len(made - set(EQUIVALENT))
        assert len(unexplained) <= (1 - KILLED) * wrong, sorted(unexplained)


def sentences(message: str) -> list[str]:
    """The sentences of a message, without the line of code that one may quote."""
    plain = re.sub(r"\(your line \d+.*?`\)|`[^`]*`", "code", message)
    return [part for part in re.split(r"(?<=[.?!])\s+(?=[A-Z`~])", plain) if part]


def test_names_and_titles_are_unique_and_readable() -> None:
    """Each check has a name of its own within its assignment and a title without a full stop."""
    seen = set()
    for check in checks():
        folder = check.__module__.split(".")[-2]
        title = (inspect.getdoc(check) or "").splitlines()[0]
        assert title and not title.endswith(".")
        assert (folder, check.__name__) not in seen and (folder, title) not in seen
        seen |= {(folder, check.__name__), (folder, title)}
