"""Reports as they come out of grading, made by hand: every outcome, and names and messages that try something."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from reports import report as made_report

from autograder.grading.outcome import ERROR, FAILED, PASSED
from autograder.grading.report import NEEDS_REVIEW, UNGRADABLE, CellResult, CheckResult, Report, cell_result

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"
NASTY = (
    "::error::x\n::set-output name=a::b\r##[add-mask]c </details><script>alert(1)</script> [a](http://e.org) @everyone"
    " #1 | `x` **b** $y$ www.example.org \x1b[31m \u202e 50%0A::stop-commands::t"
)


@pytest.fixture
def cell() -> Callable[..., CellResult]:
    """Makes a cell of `points` whose checks, of equal weight, ended with `outcomes`."""

    def cell(points: float, *outcomes: str, message: str = "Look at row 2.") -> CellResult:
        checks = [
            CheckResult(f"test_{n}", f"Title {n}", outcome, 0, 0, "" if outcome == PASSED else message)
            for n, outcome in enumerate(outcomes)
        ]
        return cell_result(f"cell-{points:g}", points, [(check, 1.0) for check in checks])

    return cell


@pytest.fixture
def report(cell: Callable[..., CellResult]) -> Callable[..., Report]:
    """Makes a report of some cells; by default, one of 7 points with a check failed of three, and one of 3, passed."""

    def report(*cells: CellResult, **changes: Any) -> Report:
        cells = cells or (cell(7, PASSED, FAILED, PASSED), cell(3, PASSED))
        digests = {"checks_digest": "sha256:" + "0" * 64, "submission_digest": "sha256:" + "a" * 64}
        return made_report(*cells, **{**digests, "seconds": 0.25, **changes})

    return report


@pytest.fixture
def all_kinds(report: Callable[..., Report], cell: Callable[..., CellResult]) -> Sequence[Report]:
    """One report of each kind: full marks, points lost, in doubt, ungradable, of no assignment, and a nasty one."""
    blank = (CellResult("cell-7", 0.0, 7.0), CellResult("cell-3", 0.0, 3.0))
    return (
        report(cell(10, PASSED, PASSED, PASSED)),
        report(),
        report(cell(7, PASSED, ERROR), cell(3, FAILED), status=NEEDS_REVIEW, message="A person has to look at this."),
        report(*blank, status=UNGRADABLE, message="Not graded: it is cut off.", isolation="none"),
        report(cell(0), assignment="unknown", status=UNGRADABLE, message="Not graded: no notebook.", cells=()),
        report(cell(10, FAILED, message=NASTY), student=NASTY, assignment=NASTY, message=NASTY, notebook=NASTY),
    )


@pytest.fixture
def valid() -> Callable[[str, str], dict[str, Any]]:
    """Reads text as strict JSON, holds it against a schema of tests/schemas/, and returns it."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    def valid(text: str, schema: str) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(text, parse_constant=refuse)
        rules = json.loads((SCHEMAS / schema).read_text("utf-8"))
        jsonschema.Draft202012Validator.check_schema(rules)
        jsonschema.Draft202012Validator(rules).validate(fields)
        return fields

    return valid
