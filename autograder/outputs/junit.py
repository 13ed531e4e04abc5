"""`--format junit`: a wrong answer is a `failure`, a fault of the grader's an `error`, points are properties."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from autograder.grading.outcome import ERROR, FAILED
from autograder.grading.report import GRADED, CellResult, CheckResult, Report

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(reports: Sequence[Report]) -> str:
    """Return one JUnit document with a testsuite for each submission."""
    root = ET.Element("testsuites", name="attention course")
    for report in reports:
        root.append(_suite(report))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(report: Report) -> ET.Element:
    checks = [(cell, check) for cell in report.cells for check in cell.checks]
    outcomes = [check.outcome for _, check in checks]
    unsaid = report.status != GRADED and ERROR not in outcomes  # a person is needed, and no check says so
    suite = ET.Element(
        "testsuite",
        name=_clean(f"{report.student}.{report.assignment}"),
        tests=str(len(checks) + unsaid),
        failures=str(outcomes.count(FAILED)),
        errors=str(outcomes.count(ERROR) + unsaid),
        skipped="0",
        time=f"{report.seconds:.3f}",
        timestamp=report.graded_at.rstrip("Z"),
    )
    _properties(suite, score=report.score, max_score=report.max_score, status=report.status, student=report.student)
    for cell, check in checks:
        suite.append(_case(report, cell, check))
    if unsaid:
        case = ET.SubElement(suite, "testcase", classname=_clean(report.assignment), name="notebook", time="0")
        ET.SubElement(case, "error", message=_clean(report.message or ""), type=report.status)
    return suite


def _case(report: Report, cell: CellResult, check: CheckResult) -> ET.Element:
    name = f"{report.assignment}.{cell.grade_id}"
    case = ET.Element("testcase", classname=_clean(name), name=_clean(check.name), time="0")
    _properties(case, title=check.title, score=check.score, max_score=check.max_score)
    if check.outcome in (FAILED, ERROR):
        kind = "failure" if check.outcome == FAILED else "error"
        element = ET.SubElement(case, kind, message=_clean(check.title), type=check.misconception or check.outcome)
        element.text = _clean(check.message)
    return case


def _properties(parent: ET.Element, **values: object) -> None:
    properties = ET.SubElement(parent, "properties")
    for name, value in values.items():
        ET.SubElement(properties, "property", name=name, value=_clean(str(value)))


def _clean(text: str) -> str:
    """Return text without what XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
