"""What a graded notebook shows: each cell's outputs, and in a graded cell its score and its checks.

Outputs come from the student's process and are made anew here, from the parts that are allowed. No HTML, SVG or
script of a student's reaches the instructor's browser.
"""

from __future__ import annotations

import textwrap
from typing import Any

from autograder.grading.outcome import ERROR, FAILED, PASSED
from autograder.grading.report import CellResult, Report
from autograder.grading.student import describe, without_controls
from autograder.outputs.table import points
from autograder.student.process import CellRun

SHOWN = ("text/plain", "text/markdown", "text/latex", "image/png", "image/jpeg")
MARKS = {PASSED: "passed  ", FAILED: "failed  ", ERROR: "open    "}
WIDTH = 96


def cell_outputs(run: CellRun | None, execution_count: int) -> list[dict[str, Any]]:
    """Return a cell's outputs in notebook form."""
    outputs: list[dict[str, Any]] = []
    for raw in run.outputs if run else []:
        made = _output(raw, execution_count)
        if made is None:
            if raw.get("output_type") == "clear":
                outputs.clear()
        elif outputs and _same_stream(outputs[-1], made):
            outputs[-1]["text"] += made["text"]
        else:
            outputs.append(made)
    if run is not None and run.truncated:
        outputs.append(stream("(more output was left out)\n"))
    return outputs


def graded_outputs(result: CellResult, report: Report, run: CellRun | None, execution_count: int) -> list[Any]:
    """Return the outputs of a graded cell: first its score as nbgrader reads it, then each check in words.

    nbgrader takes the first execute_result as the score, and any error or stderr output as zero, so there is
    exactly one execute_result, a finite float within the cell's points, and no error and no stderr.
    """
    reached = sum(check.score for check in result.checks) if result.score is None else result.score
    score = float(min(max(reached, 0.0), result.max_score))
    lines = [f"{points(result.score)} of {points(result.max_score)} points", ""]
    for check in result.checks:
        lines += _wrapped(f"{check.title} ({points(check.score)} of {points(check.max_score)})", MARKS[check.outcome])
        if check.message:
            lines += [*_wrapped(check.message), ""]
    if run is not None and run.error is not None:
        lines += ["", *_wrapped(f"The check that you can see in this cell stopped: {describe(run.error)}", "")]
    if report.message:
        lines += ["", *_wrapped(f"Note: {report.message}", "")]
    value = {
        "output_type": "execute_result",
        "data": {"text/plain": repr(score)},
        "metadata": {},
        "execution_count": execution_count,
    }
    return [value, stream(without_controls("\n".join(lines).rstrip() + "\n", keep="\n"))]


def _wrapped(text: str, mark: str = "        ") -> list[str]:
    """Return text in lines of a width that a page shows whole, the first after `mark`."""
    lines = textwrap.wrap(text, WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark))
    return lines or [mark.rstrip()]


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def _output(raw: dict[str, Any], execution_count: int) -> dict[str, Any] | None:
    kind = raw.get("output_type")
    if kind == "stream":
        return stream(_text(raw.get("text")), "stderr" if raw.get("name") == "stderr" else "stdout")
    if kind == "error":
        traceback = raw.get("traceback")
        return {
            "output_type": "error",
            "ename": _text(raw.get("ename")),
            "evalue": _text(raw.get("evalue")),
            "traceback": [_text(line) for line in traceback] if isinstance(traceback, list) else [],
        }
    if kind in ("display_data", "execute_result"):
        data = raw.get("data")
        shown = {name: _text(data[name]) for name in SHOWN if name in data} if isinstance(data, dict) else {}
        if not shown:
            shown = {"text/plain": "(an output that cannot be shown here)"}
        result: dict[str, Any] = {"output_type": kind, "data": shown, "metadata": {}}
        if kind == "execute_result":
            result["execution_count"] = execution_count
        return result
    return None


def _same_stream(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return first["output_type"] == second["output_type"] == "stream" and first["name"] == second["name"]


def _text(value: Any) -> str:
    return without_controls(value, keep="\n\t\r\x1b") if isinstance(value, str) else ""
