"""`--format table`: a table for people, with what went wrong below it."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.grading.outcome import PASSED
from autograder.grading.report import GRADED, NEEDS_REVIEW, Report

MAX_DETAILS = 12  # submissions whose failed checks are written out; more would bury the table


def render(reports: Sequence[Report], width: int = 100, colour: bool = False) -> str:
    """Return the table: a line for each submission; for a handful of submissions also each failed check."""
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colour, no_color=not colour, highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, justify in (("student", "left"), ("assignment", "left"), ("score", "right"), ("", "left")):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    for report in reports:
        table.add_row(Text(report.student), Text(report.assignment), _score(report), Text(_remark(report)))
    console.print(table)
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


def _score(report: Report) -> Text:
    style = "green" if report.score == report.max_score else "" if report.status == GRADED else "yellow"
    return Text(f"{points(report.score)} / {points(report.max_score)}", style=style)


def _remark(report: Report) -> str:
    if report.status != GRADED:
        return report.status
    failed = len(_failed(report))
    return "" if not failed else f"{failed} check{'s' if failed > 1 else ''} failed"


def _failed(report: Report) -> list[str]:
    return [check.name for cell in report.cells for check in cell.checks if check.outcome != PASSED]


def _details(console: Console, report: Report) -> None:
    console.print()
    console.print(Text(f"{report.student}, {report.assignment}", style="bold"))
    if report.message:
        console.print(Text(f"  {report.message}", style="yellow" if report.status == NEEDS_REVIEW else ""))
    for cell in report.cells:
        failed = [check for check in cell.checks if check.outcome != PASSED]
        if failed:
            console.print(Text(f"  {cell.grade_id}: {points(cell.score)} of {points(cell.max_score)}"))
        for check in failed:
            console.print(Text(f"    {check.outcome}: {check.title}"))
            console.print(Text(f"      {check.message}"))
