"""What a student's page shows of the work itself: each code cell, and which graded cells ask for what it defines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from autograder.course import Course
from autograder.grading.report import CodeCell, Picture, Report, Work
from autograder.grading.student import without_controls
from autograder.reading.assignment import Assignment, defined
from autograder.reading.notebook import grade_id
from autograder.reading.repair import defines

MAX_SAID = 4000  # characters of what one cell said


def for_student(course: Course, report: Report) -> Report:
    """Return the report with as much in it as the course lets students see now."""
    return report if course.shows_messages(report.assignment) else report.with_titles_only()


def work_of(
    notebook: Mapping[str, Any],
    assignment: Assignment,
    outputs: Mapping[int, list[dict[str, Any]]],
    pictures: Iterable[Picture] = (),
) -> Work:
    """Return the student's code cells, those that the course locks left out.

    `notebook` is the repaired notebook; `outputs` are those of its cells, by position.
    """
    code = [(position, cell) for position, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"]
    locked = {name for name, cell in assignment.cells.items() if cell.locked}
    answers = _answers(code, assignment)
    return Work(
        tuple(
            CodeCell(
                number,
                cell["source"],
                said(outputs.get(position, [])),
                tuple(answers.get(position, ())),
                grade_id(cell) or "",
            )
            for number, (position, cell) in enumerate(code, start=1)
            if grade_id(cell) not in locked
        ),
        tuple(pictures),
        {graded: functions for graded, (_, functions) in asked_for(assignment).items()},
    )


def said(outputs: Iterable[Mapping[str, Any]]) -> str:
    """Return what a cell's outputs say, as text."""
    parts = []
    for output in outputs:
        kind = output.get("output_type")
        if kind == "stream":
            parts.append(_text(output.get("text")))
        elif kind == "error":
            parts.append(f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}\n")
        elif isinstance(output.get("data"), Mapping):
            parts.append(_text(output["data"].get("text/plain")) + "\n")
    text = without_controls("".join(parts), keep="\n\t").strip("\n")
    return text if len(text) <= MAX_SAID else text[:MAX_SAID] + "\n(more output was left out)"


def asked_for(assignment: Assignment) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return for each graded cell the solution cell above it, as (grade_id, functions that it defines)."""
    found = {}
    above: tuple[str, tuple[str, ...]] = ("", ())
    for name, cell in sorted(assignment.cells.items(), key=lambda item: item[1].position):
        if cell.flags.get("solution"):
            above = (name, tuple(defined(cell.source)) if cell.cell["cell_type"] == "code" else ())
        if cell.graded:
            found[name] = above
    return found


def _answers(code: list[tuple[int, Any]], assignment: Assignment) -> dict[int, list[str]]:
    """Return by position the graded cells that a code cell answers: the last definition of a function counts."""
    answers: dict[int, list[str]] = {}
    for graded, (solution, functions) in asked_for(assignment).items():
        positions = set()
        for function in functions:
            positions.update([position for position, cell in code if defines(cell["source"], function)][-1:])
        if not positions:
            positions = {position for position, cell in code if grade_id(cell) == solution}
        for position in positions:
            answers.setdefault(position, []).append(graded)
    return answers


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "".join(value) if isinstance(value, list) else ""
