"""`--format github`: a job summary in Markdown, and the annotations that go with it.

Names and messages can hold words of a student's. Nothing of them acts as Markdown, HTML, a mention or a link, and no
line that is printed is a workflow command unless it was made here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from autograder.grading.outcome import ERROR, PASSED
from autograder.grading.report import GRADED, CellResult, Report
from autograder.outputs.table import points
from autograder.text import escaped

MAX_ANNOTATIONS = 10  # of a kind in a step: GitHub drops those after them
MAX_BYTES = 900_000  # a step's summary may have 1 MiB
MAX_TITLES = 3  # of failed checks in an annotation; the summary has them all
_SIGN = re.compile(r"[^\w .,;'()/-]|_|\.(?=\S)", re.ASCII)  # written as an entity
_MARKS = {PASSED: "passed", ERROR: "not judged"}


def render(reports: Sequence[Report], max_bytes: int = MAX_BYTES) -> str:
    """Return the summary: a table of the submissions, then what went wrong in each, folded up.

    What would make it larger than GitHub takes (`max_bytes`) is left out from the end, and counted.
    """
    whole = sum(report.status == GRADED for report in reports)
    lines = ["### Grades", "", f"{whole} of {len(reports)} submissions graded.", ""]
    lines += ["| student | assignment | score | |", "|---|---|--:|---|"]
    size = sum(len(line.encode()) + 1 for line in lines)
    rows = [_row(report) for report in reports]
    details = ["\n".join(_details(report)) for report in reports]
    shown_rows = _fitting(rows, max_bytes - size)
    size += sum(len(row.encode()) + 1 for row in rows[:shown_rows])
    shown = _fitting(details, max_bytes - size) if shown_rows == len(rows) else 0
    lines += rows[:shown_rows] + [""] + [text for text in details[:shown] if text]
    if shown < len(details):
        lines.append(f"The summary would be too long: {len(details) - shown} submissions are not told in full.")
    return "\n".join(lines).rstrip("\n") + "\n"


def annotated(reports: Sequence[Report]) -> str:
    """Return workflow commands, a line each: an error for what needs a person, a warning for who lost points.

    There are at most 10 of a kind; where there would be more, the last says how many are not shown.
    """
    errors = [(report, report.message or report.status) for report in reports if report.status != GRADED]
    lost = [report for report in reports if report.status == GRADED and report.score < report.max_score]
    warnings = [(report, f"{_score(report)} points; {_failed(report)}") for report in lost]
    return "".join(
        f"{line}\n" for kind, told in (("error", errors), ("warning", warnings)) for line in _few(kind, told)
    )


def inert(text: str) -> str:
    """Return text as Markdown that shows it and does nothing else.

    Signs become entities, so that it holds no markup, no link, no formula and no workflow command (`::name::`, or
    `##[name]` anywhere in a line). A person's name after an @ is parted from it: otherwise it would be told of.
    """
    parted = re.sub(r"([@#])(?=\w)", "\\1\u200b", escaped(text))
    return _SIGN.sub(lambda sign: f"&#{ord(sign[0])};" if sign[0].isascii() else sign[0], parted)


def _fitting(texts: Iterable[str], room: int) -> int:
    """Return how many of the texts, from the first on, have room in so many bytes."""
    count = 0
    for text in texts:
        room -= len(text.encode()) + 1
        if room < 0:
            break
        count += 1
    return count


def _row(report: Report) -> str:
    state = "" if report.status == GRADED else report.status
    return f"| {inert(report.student)} | {inert(report.assignment)} | {_score(report)} | {state} |"


def _score(report: Report) -> str:
    return f"{points(report.score)} of {points(report.max_score)}"


def _failed(report: Report) -> str:
    titles = [check.title for cell in report.cells for check in cell.checks if check.outcome != PASSED]
    more = f" and {len(titles) - MAX_TITLES} more" if len(titles) > MAX_TITLES else ""
    return f"failed: {', '.join(titles[:MAX_TITLES])}{more}" if titles else "no check failed"


def _details(report: Report) -> list[str]:
    lost = [cell for cell in report.cells if any(check.outcome != PASSED for check in cell.checks)]
    if not lost and not report.message:
        return []
    title = f"{inert(report.student)}, {inert(report.assignment)}: {_score(report)}"
    lines = ["<details>", f"<summary>{title}</summary>", ""]
    if report.message:
        lines += [inert(report.message), ""]
    for cell in lost:
        lines += [*_cell(cell), ""]
    return [*lines, "</details>", ""]


def _cell(cell: CellResult) -> list[str]:
    lines = [f"**{inert(cell.grade_id)}**: {points(cell.score)} of {points(cell.max_score)}", ""]
    for check in cell.checks:
        lines.append(f"- {_MARKS.get(check.outcome, 'failed')}: {inert(check.title)}")
        if check.outcome != PASSED and check.message:
            lines.append(f"  <br>{inert(check.message)}")
    return lines


def _few(kind: str, told: Sequence[tuple[Report, str]]) -> list[str]:
    shown = told if len(told) <= MAX_ANNOTATIONS else told[: MAX_ANNOTATIONS - 1]
    lines = [_command(kind, f"{report.student}, {report.assignment}", text) for report, text in shown]
    if len(told) > len(shown):
        lines.append(_command(kind, "more", f"{len(told) - len(shown)} more submissions: see the job's summary"))
    return lines


def _command(kind: str, title: str, message: str) -> str:
    """Return a workflow command. The escapes are those of the runner; ##[ would be an old command."""

    def data(text: str) -> str:
        return escaped(text.replace("##[", "# #[")).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    name = data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{data(message)}"
