"""One module for each place that a Report goes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from autograder.grading.report import Report
from autograder.outputs import classroom50, github, gradescope, html, json_lines, junit, table

FORMATS: dict[str, Callable[[Sequence[Report]], str]] = {
    "table": table.render,
    "json": json_lines.render,
    "junit": junit.render,
    "github": github.render,
    "gradescope": gradescope.render,
    "classroom50": classroom50.render,
    "html": html.render,
}
SINGLE = frozenset({"gradescope", "classroom50"})  # these hold one submission


def texts(name: str, reports: Sequence[Report]) -> list[str]:
    """Return the reports in a format: one text, or one for each report where the format holds no more."""
    return [FORMATS[name]([one]) for one in reports] if name in SINGLE else [FORMATS[name](reports)]
