"""Writes docs/broken.md, the table of broken submissions, from a real run: `python -m tests.broken.table`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .grading import SHORT_LIMITS, Report, grade
from .recipe import Recipe, recipes_in
from .recipes import HERE, PARTS

HEAD = """\
# Broken and odd submissions

Each row is a submission made from a right one and graded by `course grade`; `python -m tests.broken.table` writes
this page from such a run. What a student did is judged. What a tool did to the file is repaired, and the report says
so where it matters. What cannot be judged goes to a person, with a sentence that says why. Nothing scores by being
broken, and no submission stops the others. Files in `submitted/` are never changed.

Cases marked with a clock run under short time limits ({limits}).
"""


def page(reports: dict[str, list[Report]], limits: str) -> str:
    lines = [HEAD.format(limits=limits)]
    for title, module in PARTS.items():
        lines += [f"## {title}", "", "| case | what happened | status | score | what the report says |"]
        lines.append("|:--|:--|:--|--:|:--|")
        lines += [_row(recipe, reports[recipe.id]) for recipe in recipes_in(module) if recipe.id in reports]
        lines.append("")
    return "\n".join(lines)


def _row(recipe: Recipe, reports: list[Report]) -> str:
    wanted = recipe.becomes or recipe.assignment
    report = next(report for report in reports if report["assignment"] == wanted)
    name = f"{recipe.id} \N{STOPWATCH}" if recipe.slow else recipe.id
    score = f"{report['score']:.4g} / {report['max_score']:g}" if report["status"] == "graded" else "-"
    what = recipe.what if recipe.assignment.startswith("ex2") else f"{recipe.what} ({recipe.assignment.split('-')[0]})"
    return f"| {name} | {_cell(what)} | {report['status']} | {score} | {_cell(_said(report))} |"


def _said(report: Report) -> str:
    """Return the report's message, else the first thing that a failed check says."""
    failed = [check["message"] for cell in report["cells"] for check in cell["checks"] if check["message"]]
    return " ".join([report["message"] or "", *failed[:1]]).strip()


def _cell(text: str) -> str:
    for char in "\\|*_<>[]":
        text = text.replace(char, f"\\{char}")
    return text.replace("\n", " ").replace("`", "\\`")


def main() -> int:
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        reports = grade(HERE, Path(folder))
    limits = ", ".join(f"`{name}` {value:g}" for name, value in SHORT_LIMITS.items())
    (root / "docs").mkdir(exist_ok=True)
    (root / "docs" / "broken.md").write_text(page(reports, limits), "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
