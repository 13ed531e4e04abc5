"""Writes docs/hostile.md, the table of hostile submissions, from a real run: `python -m tests.hostile.table`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from .case import Case
from .cases import CASES
from .grading import graded

THEMES = {"gain": "To gain", "harm": "To harm", "confuse": "To confuse whoever reads"}
HEAD = """\
# Hostile submissions

Each row is an attack in a notebook that is otherwise right (10 points), or otherwise blank (0 points) where it wants to
gain some; `python -m tests.hostile.table` writes this page from a run that graded all of them in one batch, with
honest submissions between them. This run's isolation was *{isolation}* ({layers}). No attack scores more than the same
notebook without it (guessing excepted: now and then it is lucky), none asks for a person, the honest submissions keep
their points, and afterwards the machine has the same processes, files and mounts as before.

{count} submissions in {seconds:.0f} seconds, most of them spent waiting for loops and sleepers under short limits.
"""


def page(result: dict[str, Any]) -> str:
    """Return the page for what `grade_cases` found."""
    found = [(case, result["found"][case.name]) for case in CASES if case.name in result["found"]]
    layers = " + ".join(result["layers"])
    count = len(result["found"])
    lines = [HEAD.format(isolation=result["isolation"], layers=layers, count=count, seconds=result["seconds"])]
    for theme, title in THEMES.items():
        lines += [f"## {title}", "", "| case | what it tries | without it | score | what stops it | what is said |"]
        lines.append("|:--|:--|--:|--:|:--|:--|")
        lines += [_row(case, one["report"], result) for case, one in found if case.theme == theme]
        lines.append("")
    return "\n".join(lines)


def _row(case: Case, report: dict[str, Any], result: dict[str, Any]) -> str:
    without_it = result["found"][f"{case.base} {case.assignment}"]["report"]["score"]
    parts = [case.name, _cell(case.tries), f"{without_it:.4g}", f"{report['score']:.4g}", _cell(case.stopped_by)]
    return f"| {' | '.join([*parts, _cell(_said(report))])} |"


def _said(report: dict[str, Any]) -> str:
    """Return the report's message, else the first thing that a failed check says."""
    if report["message"]:
        return str(report["message"])
    failed = [check["message"] for cell in report["cells"] for check in cell["checks"] if check["message"]]
    return " ".join(failed[:1])


def _cell(text: str) -> str:
    for char in "\\|*_<>[]`":
        text = text.replace(char, f"\\{char}")
    return text


def main() -> int:
    result = graded()
    if not result:
        return 1
    docs = Path(__file__).resolve().parents[2] / "docs"
    docs.mkdir(exist_ok=True)
    (docs / "hostile.md").write_text(page(result), "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
