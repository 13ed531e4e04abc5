"""Points from checks, and the form of a report."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reports import report as made_report

from autograder.commands.grade import exit_status
from autograder.grading.outcome import ERROR, FAILED, PASSED
from autograder.grading.report import GRADED, NEEDS_REVIEW, UNGRADABLE, CellResult, CheckResult, Report, cell_result
from autograder.outputs import FORMATS, texts


def check(outcome: str, name: str = "test_x", message: str = "") -> CheckResult:
    return CheckResult(name, "Title", outcome, 0.0, 0.0, message)


def cell(points: float, *checks: tuple[str, float]) -> CellResult:
    return cell_result("a", points, [(check(outcome), weight) for outcome, weight in checks])


def report(*cells: CellResult, student: str = "s01", **changes: Any) -> Report:
    return made_report(*cells, student=student, assignment="ex", notebook="s01/ex.ipynb", **changes)


# -- points -----------------------------------------------------------------------------------------------------------


def test_a_cell_whose_checks_all_pass_has_exactly_its_points() -> None:
    for points, weights in ((3, (1, 1, 1)), (2, (1, 2)), (0.1, (1, 1, 1, 1, 1, 1, 1)), (1, (0.1, 0.2, 0.3))):
        assert cell(points, *((PASSED, weight) for weight in weights)).score == points


def test_checks_share_a_cells_points_by_weight() -> None:
    result = cell(3, (PASSED, 1), (FAILED, 2))
    assert result.score == 1.0
    assert [(check.score, check.max_score) for check in result.checks] == [(1.0, 1.0), (0.0, 2.0)]


def test_a_cell_whose_checks_all_fail_has_exactly_nothing() -> None:
    assert cell(3, (FAILED, 1), (FAILED, 0.1)).score == 0.0


def test_a_check_in_error_leaves_the_cell_without_a_score() -> None:
    for others in ((), ((PASSED, 1),), ((FAILED, 1),)):
        result = cell(3, (ERROR, 1), *others)
        assert result.score is None
        assert result.max_score == 3


def test_a_cell_without_checks_has_no_score() -> None:
    assert cell(3).score is None


def test_a_cell_worth_nothing_counts_nothing() -> None:
    assert cell(0, (PASSED, 1)).score == cell(0, (FAILED, 1)).score == 0.0


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.integers(0, 20),
    st.lists(st.tuples(st.sampled_from([PASSED, FAILED]), st.integers(1, 5)), min_size=1, max_size=8),
)
def test_partial_credit_is_exact(points: int, checks: list[tuple[str, int]]) -> None:
    result = cell(points, *checks)
    total = sum(weight for _, weight in checks)
    wanted = Fraction(points) * sum(weight for outcome, weight in checks if outcome == PASSED) / total
    assert result.score == float(wanted)
    assert 0 <= result.score <= points
    assert sum(check.max_score for check in result.checks) == pytest.approx(points)


# -- the report and its views -----------------------------------------------------------------------------------------


def test_a_report_as_data_has_the_contracts_keys_in_order() -> None:
    data = report(cell(2, (PASSED, 1))).to_dict()
    assert [
        *("schema", "assignment", "student", "notebook", "status", "message", "score", "max_score", "isolation"),
        *("seconds", "graded_at", "kit_version", "checks_digest", "submission_digest", "cells"),
    ] == list(data)
    assert list(data["cells"][0]) == ["grade_id", "score", "max_score", "checks"]
    assert list(data["cells"][0]["checks"][0]) == [
        "name",
        "title",
        "outcome",
        "score",
        "max_score",
        "message",
        "misconception",
    ]


ODD = "\x00 \x1b[31m \ud7ff <b> & \" ' ]]> \u2028 \N{GRINNING FACE} [bold]"


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_writes_every_kind_of_report_whatever_stands_in_it(name: str) -> None:
    checks = [(check(outcome, f"test_{outcome}", ODD), 1.0) for outcome in (PASSED, FAILED, ERROR)]
    reports = [
        report(cell_result("a", 2, checks), status=NEEDS_REVIEW, message=ODD, student=ODD),
        report(status=UNGRADABLE, message="Not graded: the file is empty."),
        report(cell_result("a", 2, checks[:2])),
    ]
    text = "".join(texts(name, reports))
    text.encode()
    assert all(texts(name, [report(status=UNGRADABLE)] * 30)) and texts(name, []) is not None
    if name == "json":
        assert [json.loads(line)["status"] for line in text.split("\n")[:-1]] == [NEEDS_REVIEW, UNGRADABLE, GRADED]


@pytest.mark.parametrize(
    ("status", "score", "fail_under", "wanted"),
    [
        (GRADED, 0.0, None, 0),
        (GRADED, 7.0, 70, 0),
        (GRADED, 6.9, 70, 1),
        (GRADED, 10.0, 100, 0),
        (GRADED, 0.0, 0, 0),
        (UNGRADABLE, 0.0, None, 3),
        (NEEDS_REVIEW, 10.0, None, 3),
        (NEEDS_REVIEW, 0.0, 70, 3),
    ],
)
def test_the_exit_status_follows_the_contract(status: str, score: float, fail_under: float | None, wanted: int) -> None:
    results = [report(CellResult("a", 10.0, 10.0)), report(CellResult("a", score, 10.0), status=status)]
    assert exit_status(results, fail_under) == wanted


def test_one_score_below_the_bar_is_below_even_beside_full_scores_of_nothing() -> None:
    assert exit_status([report(CellResult("a", 0.0, 0.0))], 100) == 0
    assert exit_status([report(CellResult("a", 9.0, 10.0)), report(CellResult("a", 10.0, 10.0))], 95) == 1
