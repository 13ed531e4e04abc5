"""One module for each place that a Report goes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from autograder.grading.report import Report
from autograder.outputs import html, json_lines, junit, table

FORMATS: dict[str, Callable[[Sequence[Report]], str]] = {
    "table": table.render,
    "json": json_lines.render,
    "junit": junit.render,
    "html": html.render,
}
