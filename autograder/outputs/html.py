"""`--format html`: what a student gets to read, as one page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from autograder.grading.outcome import ERROR, FAILED, PASSED
from autograder.grading.report import CellResult, CodeCell, Picture, Report
from autograder.outputs.heatmap import describe, heatmap, leaks_of, shown
from autograder.outputs.standing import Standing
from autograder.outputs.table import points
from autograder.text import MISLEADING, escaped

if TYPE_CHECKING:
    from jinja2 import Environment

OUTCOMES = {PASSED: "passed", FAILED: "not yet", ERROR: "open"}


def render(reports: Sequence[Report]) -> str:
    """Return one page with a part for each submission."""
    return page([(report, Standing()) for report in reports])


def page(submissions: Sequence[tuple[Report, Standing]]) -> str:
    """Return the page of submissions, each with what a person or the late policy added to it."""
    parts = [_part(number, *pair) for number, pair in enumerate(submissions)]
    title = f"Feedback: {submissions[0][0].assignment}" if len(submissions) == 1 else "Feedback"
    return environment().get_template("feedback.html").render(title=title, parts=parts, outcomes=OUTCOMES)


@cache
def environment() -> Environment:
    """Return what fills the templates. Everything that is not marked as ours is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("autograder.outputs"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: readable(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(points=points, shown=shown, code=_code, told=_told)
    return made


def _part(number: int, report: Report, standing: Standing) -> dict[str, Any]:
    """Return what the template shows of one submission."""
    groups: list[dict[str, Any]] = []
    for cell in report.cells:
        code = report.work.answering(cell.grade_id)
        functions = report.work.functions.get(cell.grade_id, ())
        if not groups or groups[-1]["functions"] != functions or not functions:
            groups.append({"functions": functions, "code": code, "cells": [], "pictures": []})
        groups[-1]["cells"].append(_cell(cell, standing))
        groups[-1]["pictures"] += [
            _picture(picture, f"p{number}-{len(groups)}-{place}")
            for place, picture in enumerate(report.work.pictures_of(cell.grade_id))
        ]
    beside = {cell.grade_id for group in groups for cell in group["code"]}
    others = [(name, comment) for name, comment in standing.comments.items() if name not in beside]
    decided = [cell["score"] for group in groups for cell in group["cells"]] + [score for _, score, _ in standing.extra]
    score = sum(value or 0.0 for value in decided)
    most = report.max_score + sum(most for _, _, most in standing.extra)
    return {
        "id": f"s{number}",
        "report": report,
        "standing": standing,
        "groups": groups,
        "comments": others,
        "titles_only": any(
            check.outcome == FAILED and not check.message for cell in report.cells for check in cell.checks
        ),
        "open": any(value is None for value in decided),
        "score": score,
        "total": max(0.0, score - standing.penalty),
        "most": most,
        "answered": {cell.number for group in groups for cell in group["code"]},
    }


def _cell(cell: CellResult, standing: Standing) -> dict[str, Any]:
    score = standing.scores.get(cell.grade_id, cell.score)
    by_hand = cell.grade_id in standing.by_hand
    return {"result": cell, "score": score, "by_hand": by_hand}


def _picture(picture: Picture, identity: str) -> dict[str, Any]:
    from markupsafe import Markup

    sides = []
    for side, matrix in (("yours", picture.yours), ("wanted", picture.wanted)):
        name = f"{'Your' if side == 'yours' else 'Wanted'} weights"
        drawing = Markup(heatmap(matrix, picture, name, f"{identity}-{side}"))
        sides.append({"name": name, "matrix": matrix, "svg": drawing, "words": describe(matrix, picture)})
    return {"picture": picture, "sides": sides, "leaks": len(leaks_of(picture.yours, picture))}


def readable(text: str) -> str:
    """Return text in which characters that make it look like another text are written out, such as `\\u202e`."""
    return MISLEADING.sub(lambda found: "".join(c if c in "\n\t" else escaped(c) for c in found[0]), text)


def _told(message: str) -> Any:
    """Return a message with what stands between backticks as code."""
    from markupsafe import Markup, escape

    pieces = re.split(r"`([^`\n]+)`", readable(message))
    tags = [Markup("<code>{}</code>").format(piece) if i % 2 else escape(piece) for i, piece in enumerate(pieces)]
    return Markup("").join(tags)


def _code(cell: CodeCell) -> Any:
    """Return a cell's source with its lines numbered and its parts in colours. The formatter escapes everything."""
    from markupsafe import Markup
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    formatted = highlight(readable(cell.source.rstrip("\n")), PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
    lines = formatted.rstrip("\n").split("\n")
    return Markup("\n".join(f'<span class="line">{line}</span>' for line in lines))
