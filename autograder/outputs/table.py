"""`--format table`: a table for people, with what went wrong below it."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from autograder.grading.outcome import PASSED
from autograder.grading.report import GRADED, Report

MAX_DETAILS = 12  # submissions whose failed checks are written out; more would bury the table


def render(reports: Sequence[Report], width: int = 100) -> str:
    """Return the table: a line for each submission; for a handful of submissions also each failed check."""
    out = io.StringIO()
    console = Console(file=out, width=width, no_color=True, highlight=False)
    rows = [("student", "assignment", "score", "")]
    rows += [(report.student, report.assignment, _score(report), _remark(report)) for report in reports]
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:  # not by rich's own table, which takes milliseconds for each line
        student, assignment, score, remark = (
            text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)
        )
        out.write(f"{student}  {assignment}  {score.strip():>{widths[2]}}  {remark}".rstrip() + "\n")
    told = [report for report in reports if report.message or _failed(report)]
    if len(told) <= MAX_DETAILS:
        for report in told:
            _details(console, report)
    else:
        console.print(f"\n{len(told)} submissions lost points or have notes; --format json tells each of them.")
    return out.getvalue()


def points(value: float | None) -> str:
    """Return points without needless zeros; "?" where a person has to decide."""
    return "?" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _score(report: Report) -> str:
    return f"{points(report.score)} / {points(report.max_score)}"


def _remark(report: Report) -> str:
    if report.status != GRADED:
        return report.status
    failed = len(_failed(report))
    return "" if not failed else f"{failed} check{'s' if failed > 1 else ''} failed"


def _failed(report: Report) -> list[str]:
    return [check.name for cell in report.cells for check in cell.checks if check.outcome != PASSED]


def _details(console: Console, report: Report) -> None:
    console.print()
    console.print(Text(f"{report.student}, {report.assignment}"))
    if report.message:
        console.print(Text(f"  {report.message}"))
    for cell in report.cells:
        failed = [check for check in cell.checks if check.outcome != PASSED]
        if failed:
            console.print(Text(f"  {cell.grade_id}: {points(cell.score)} of {points(cell.max_score)}"))
        for check in failed:
            console.print(Text(f"    {check.outcome}: {check.title}"))
            console.print(Text(f"      {check.message}"))
