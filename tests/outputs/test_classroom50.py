"""result.json follows classroom50/result/v1: whole numbers that add up, and the identity that the runner gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jsonschema
import pytest

from autograder.grading.report import Report
from autograder.outputs import classroom50
from autograder.problems import CourseError

SCHEMA = "classroom50-result.schema.json"
Valid = Callable[[str, str], dict[str, Any]]
RUNNER = {
    "CLASSROOM": "attention-2027",
    "ASSIGNMENT": "ex2",
    "ASSIGNMENT_TYPE": "group",
    "OWNER": "kim",
    "SUBMISSION_TAG": "submit/2027-01-01T00-00-00Z-abcdef0",
    "COMMIT_URL": "https://github.com/o/r/commit/abc",
    "RELEASE_URL": "https://github.com/o/r/releases/tag/x",
    "REVIEW_URL": "https://github.com/o/r/compare/a...b",
}


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside Classroom 50 and GitHub, whatever runs these tests."""
    for name in (*RUNNER, "USERNAME", "GITHUB_REPOSITORY", "GITHUB_SHA", "GITHUB_SERVER_URL"):
        monkeypatch.delenv(name, raising=False)


def test_every_kind_of_report_is_valid_and_adds_up(all_kinds: Sequence[Report], valid: Valid) -> None:
    for report in all_kinds:
        fields = valid(classroom50.render([report]), SCHEMA)
        assert fields["score"] == sum(test["score"] for test in fields["tests"])
        assert fields["max-score"] == sum(test["max-score"] for test in fields["tests"]) == 100 * report.max_score
        assert fields["score"] == pytest.approx(100 * sum(c.score for o in report.cells for c in o.checks), abs=1)
        assert all(test["score"] in (0, test["max-score"]) for test in fields["tests"])


def test_the_schema_refuses_what_classroom_50_would_not_take(report: Callable[..., Report], valid: Valid) -> None:
    good = classroom50.render([report()])
    for old, new in (("result/v1", "result/v2"), ('"submit/', '"main/'), ('"max-score": 1000', '"max-score": 10.5')):
        assert old in good
        with pytest.raises(jsonschema.ValidationError):
            valid(good.replace(old, new), SCHEMA)


def test_the_runners_variables_say_whose_it_is(
    report: Callable[..., Report], valid: Valid, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in RUNNER.items():
        monkeypatch.setenv(name, value)
    fields = valid(classroom50.render([report()]), SCHEMA)
    names = ("classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release", "review")
    assert [fields[name] for name in names] == list(RUNNER.values())


def test_on_github_the_commit_is_named_and_elsewhere_the_digest(report: Callable[..., Report]) -> None:
    fields = classroom50.result(report(), {"GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "abc"})
    assert fields["commit"] == fields["review"] == "https://github.com/o/r/commit/abc"
    assert fields["release"].startswith("https://github.com/o/r/releases/tag/submit%2F2026-11-29T17-00-00Z-aaaaaaa")
    assert classroom50.result(report(), {})["commit"] == "urn:sha256:" + "a" * 64


def test_thirds_of_a_point_become_whole_numbers_that_sum_to_the_cell() -> None:
    assert classroom50.whole_shares([10 / 3] * 3, 1000) == [334, 333, 333]
    assert classroom50.whole_shares([2.0, 1.0], 100) == [67, 33]
    assert classroom50.whole_shares([0.0, 0.0], 0) == [0, 0]


def test_several_submissions_are_refused(report: Callable[..., Report]) -> None:
    with pytest.raises(CourseError, match="holds one submission, and there are 2"):
        classroom50.render([report(), report()])
