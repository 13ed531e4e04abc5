"""The JUnit file: failures and errors are two things, points are properties, and any reader can parse it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from lxml import etree

from autograder.grading.report import NEEDS_REVIEW, CellResult, Report
from autograder.outputs import junit

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).resolve().parent.parent / "schemas" / "junit.xsd"))


def parsed(reports: Sequence[Report]) -> etree._Element:
    root = etree.fromstring(junit.render(reports).encode())
    SCHEMA.assertValid(root)
    return root


def test_every_kind_of_report_is_valid(all_kinds: Sequence[Report]) -> None:
    assert len(parsed(all_kinds)) == len(all_kinds)
    parsed([])


def test_the_schema_refuses_what_readers_would_not_take(report: Callable[..., Report]) -> None:
    good = junit.render([report()])
    for old, new in (("<failure", "<broken"), ('failures="1"', 'failures="-1"'), ("classname=", "class=")):
        bad = good.replace(old, new).replace("</failure", "</broken" if "broken" in new else "</failure")
        assert not SCHEMA.validate(etree.fromstring(bad.encode())), new


def test_a_wrong_answer_is_a_failure_and_a_fault_of_the_grader_an_error(all_kinds: Sequence[Report]) -> None:
    counts = [tuple(int(suite.get(name)) for name in ("tests", "failures", "errors")) for suite in parsed(all_kinds)]
    assert counts == [(3, 0, 0), (4, 1, 0), (3, 1, 1), (1, 0, 1), (1, 0, 1), (1, 1, 0)]
    for suite in parsed(all_kinds):
        assert len(suite.findall(".//failure")) == int(suite.get("failures"))
        assert len(suite.findall(".//error")) == int(suite.get("errors"))
        assert len(suite.findall("testcase")) == int(suite.get("tests"))


def test_points_are_properties(report: Callable[..., Report]) -> None:
    (suite,) = parsed([report()])
    properties = {p.get("name"): p.get("value") for p in suite.findall("properties/property")}
    assert float(properties["score"]) == pytest.approx(7 * 2 / 3 + 3) and float(properties["max_score"]) == 10
    worth = [float(p.get("value")) for p in suite.findall("testcase/properties/property[@name='max_score']")]
    assert worth == pytest.approx([7 / 3, 7 / 3, 7 / 3, 3])


def test_a_cell_without_checks_is_an_error_and_no_silence(
    report: Callable[..., Report], cell: Callable[..., CellResult]
) -> None:
    (suite,) = parsed([report(cell(5), status=NEEDS_REVIEW, message="a graded cell has no checks")])
    (error,) = suite.findall("testcase/error")
    assert error.get("message") == "a graded cell has no checks"
