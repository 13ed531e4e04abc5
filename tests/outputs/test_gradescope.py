"""results.json has the fields that Gradescope documents, and never shows a 0 for what nobody could judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jsonschema
import pytest

from autograder.grading.report import Report
from autograder.outputs import gradescope
from autograder.problems import CourseError

SCHEMA = "gradescope-results.schema.json"
Valid = Callable[[str, str], dict[str, Any]]


def test_every_kind_of_report_is_valid(all_kinds: Sequence[Report], valid: Valid) -> None:
    for report in all_kinds:
        fields = valid(gradescope.render([report]), SCHEMA)
        assert fields["score"] == pytest.approx(report.score, abs=1e-5)
        assert fields["execution_time"] == 0.25 and fields["stdout_visibility"] == "hidden"
        assert fields["extra_data"]["status"] == report.status


def test_the_schema_refuses_what_gradescope_would_not_take(report: Callable[..., Report], valid: Valid) -> None:
    good = gradescope.render([report()])
    for old, new in (('"failed"', '"error"'), ('"hidden"', '"secret"'), ('"number": "1.1"', '"number": 1')):
        assert old in good
        with pytest.raises(jsonschema.ValidationError):
            valid(good.replace(old, new), SCHEMA)


def test_each_check_is_a_test_with_its_number_points_and_message(report: Callable[..., Report], valid: Valid) -> None:
    fields = valid(gradescope.render([report()]), SCHEMA)
    told = [(t["number"], t["name"], t["status"], t["score"], t["max_score"], t["output"]) for t in fields["tests"]]
    assert told == [
        ("1.1", "Title 0", "passed", 2.333333, 2.333333, ""),
        ("1.2", "Title 1", "failed", 0.0, 2.333333, "Look at row 2."),
        ("1.3", "Title 2", "passed", 2.333333, 2.333333, ""),
        ("2.1", "Title 0", "passed", 3.0, 3.0, ""),
    ]
    assert all(test["output_format"] == "text" and test["visibility"] == "visible" for test in fields["tests"])


def test_what_was_not_judged_has_no_score_and_the_whole_is_not_final(all_kinds: Sequence[Report], valid: Valid) -> None:
    fields = valid(gradescope.render([all_kinds[2]]), SCHEMA)
    assert fields["output"].startswith("Not final: ")
    assert [("score" in test, "status" in test) for test in fields["tests"]] == [
        (True, True),
        (False, False),
        (True, True),
    ]


def test_a_submission_that_no_machine_could_grade_is_told_so(valid: Valid) -> None:
    fields = valid(gradescope.no_results("no sandbox"), SCHEMA)
    assert "through no fault of yours" in fields["output"] and "no sandbox" in fields["output"]


def test_several_submissions_are_refused(report: Callable[..., Report]) -> None:
    with pytest.raises(CourseError, match="holds one submission, and there are 2"):
        gradescope.render([report(), report()])
