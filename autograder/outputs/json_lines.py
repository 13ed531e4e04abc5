"""`--format json`: one JSON object a line for each submission."""

from __future__ import annotations

import json
from collections.abc import Sequence

from autograder.grading.report import Report


def render(reports: Sequence[Report]) -> str:
    """Return the reports as JSON lines, in the order given. Strict JSON: no NaN."""
    return "".join(json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False) + "\n" for report in reports)
