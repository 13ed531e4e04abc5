"""docs/checks.md, for instructors: every hidden check with its cell and share of the points, and every diagnosis.

Written by `course check --matrix --page docs/checks.md` from the code and from what the matrix shows; a test holds it
up to date.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.commands.matrix import Matrix
from autograder.course import Course
from autograder.graders.diagnoses import IDEAS
from autograder.grading.batch import GRADERS
from autograder.grading.digests import folder_of
from autograder.reading.assignment import Assignment

HEAD = """# Hidden checks and diagnoses

For instructors; students see neither this page nor the checks. It is made from the code: do not edit it, run
`course check --matrix --page docs/checks.md`.
"""


@dataclass(frozen=True)
class Check:
    """A hidden check as its source declares it."""

    name: str
    title: str
    cell: str
    weight: float


def checks_of(assignment: Assignment) -> list[Check]:
    """Return the hidden checks of an assignment, in the order in which they run."""
    found = []
    for path in sorted((GRADERS / folder_of(assignment.name)).glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                title = (ast.get_docstring(node) or node.name).splitlines()[0]
                found.append(Check(node.name, title, *_declared(node)))
    return found


def _declared(node: ast.FunctionDef) -> tuple[str, float]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "cell":
            weights = [ast.literal_eval(word.value) for word in decorator.keywords if word.arg == "weight"]
            return str(ast.literal_eval(decorator.args[0])), float(weights[0] if weights else 1)
    return "", 0.0


def render(course: Course, figures: list[str]) -> str:
    """Return the page; `figures` are lines about all known answers."""
    parts = [HEAD, "## What they catch\n", "\n".join(f"- {line}" for line in figures) + "\n"]
    for name in course.graded():
        parts += list(_assignment(course.assignment(name)))
    parts += list(_ideas())
    return "\n".join(parts)


def figures(matrix: Matrix) -> list[str]:
    """Return what the page says about the collections of answers in tests/answers/."""
    wrong, seen = matrix.wrong, matrix.seen
    share = round(100 * len(seen) / max(1, len(wrong)))
    lines = [f"{line[0].upper()}{line[1:]}." for line in matrix.summary()[:3]]
    lines.append(
        f"The visible checks in the notebooks alone stop {len(seen)} of {len(wrong)} wrong answers ({share} %), so a "
        "student who passes them all rarely loses a hidden point."
    )
    missed = [row.answer.name for row in wrong if not row.visible]
    return [*lines, "Only hidden checks catch: " + "; ".join(missed) + "."]


def _assignment(assignment: Assignment) -> Iterator[str]:
    checks = checks_of(assignment)
    yield f"## {assignment.name}\n"
    yield "| graded cell | check | what a student reads | points |\n|:--|:--|:--|--:|"
    for cell in assignment.graded:
        ours = [check for check in checks if check.cell == cell.grade_id]
        total = sum(check.weight for check in ours)
        for check in ours:
            points = cell.points * check.weight / total
            yield f"| {cell.grade_id} | `{check.name}` | {check.title} | {points:.3g} |"
    yield ""


def _ideas() -> Iterator[str]:
    yield "## Diagnoses\n"
    yield (
        "A failed check is followed by one of these sentences where exactly one wrong idea returns what the student's "
        "function\nreturned. A diagnosis never changes a score.\n"
    )
    yield "| id | functions | seen on | what a student is told |\n|:--|:--|:--|:--|"
    for idea in IDEAS:
        functions = ", ".join(f"`{name}`" for name in idea.of) or "any"
        yield f"| {idea.id} | {functions} | {', '.join(idea.about)} | {idea.says} |"
    yield ""
