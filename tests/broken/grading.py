"""Grades the recipes as a person would: `course grade` on a folder, in a scratch copy of the course."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support import Person, copy_course

from .recipe import Recipe

SHORT_LIMITS = {"cell_seconds": 2, "call_seconds": 1, "grace_seconds": 0.5, "submission_seconds": 20}
SHORT = {"c.Course.limits = {}": f"c.Course.limits = {SHORT_LIMITS}"}
Report = dict[str, Any]


def grade(recipes: Sequence[Recipe], folder: Path) -> dict[str, list[Report]]:
    """Return the reports on each recipe's submission, by id, of one `course grade` on all of them."""
    slow = [recipe for recipe in recipes if recipe.slow]
    quick = [recipe for recipe in recipes if not recipe.slow]
    return {**_grade(quick, folder / "quick", {}), **_grade(slow, folder / "slow", SHORT)}


def _grade(recipes: Sequence[Recipe], folder: Path, changes: dict[str, str]) -> dict[str, list[Report]]:
    if not recipes:
        return {}
    for recipe in recipes:
        recipe.write(folder / "submitted")
    course = copy_course(folder / "course", changes)
    person = Person(folder, folder / "home")
    status = 3 if any(recipe.status != "graded" for recipe in recipes) else 0
    done = person.course(
        "grade", "submitted", "--format", "json", "--course", str(course), "--jobs", "2", status=status
    )
    found: dict[str, list[Report]] = {recipe.id: [] for recipe in recipes}
    for line in done.stdout.splitlines():
        report = json.loads(line)
        found[report["student"]].append(report)
    return found


def messages(report: Report) -> str:
    """Return everything that a report says in words."""
    checks = [check["message"] for cell in report["cells"] for check in cell["checks"]]
    return "\n".join([report["message"] or "", *checks])
