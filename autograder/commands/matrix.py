"""`course check --matrix`: all answers of the collections against all hidden checks.

Each answer is planted into the course's own notebook after the model answers and in front of the graded cells, so that
the visible checks see it as well, and what it defines counts for the hidden ones. All answers to an assignment are
graded as one class.
"""

from __future__ import annotations

import copy
import csv
import dataclasses
import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from autograder.course import Course
from autograder.grading.grader import Graded, Grader, missing
from autograder.grading.outcome import FAILED, PASSED
from autograder.grading.report import CheckResult
from autograder.reading.assignment import Assignment
from autograder.reading.notebook import grade_id
from autograder.reading.submission import Submission, from_notebook
from autograder.sample.collection import Collection, Right, Wrong, load

BROKEN = 2


@dataclass(frozen=True)
class Row:
    """One answer: how each check ended, and the graded cells whose visible check stopped."""

    answer: Wrong | Right
    checks: dict[str, CheckResult]
    visible: tuple[str, ...] = ()

    @property
    def failed(self) -> set[str]:
        return {name for name, check in self.checks.items() if check.outcome != PASSED}

    @property
    def ideas(self) -> set[str]:
        """The diagnoses that were made."""
        return {check.misconception for check in self.checks.values() if check.misconception}

    def problems(self) -> Iterator[str]:
        """Yield what is not as the collection says."""
        if odd := [name for name, check in self.checks.items() if check.outcome not in (PASSED, FAILED)]:
            yield f"{', '.join(sorted(odd))} could not be run: {self.checks[odd[0]].message}"
        if isinstance(self.answer, Right):
            yield from self._losses(self.answer)
            return
        if missed := sorted(set(self.answer.must) - self.failed):
            yield f"it passes {', '.join(missed)}"
        if others := sorted(self.failed - set(self.answer.must) - set(self.answer.may)):
            yield f"it also fails {', '.join(others)}"
        if self.ideas - {self.answer.idea}:
            yield f"it is taken for {', '.join(sorted(self.ideas))} instead of {self.answer.idea}"
        if self.answer.idea is None and not self.answer.why:
            yield "no diagnosis is expected, and nothing says why"

    def _losses(self, answer: Right) -> Iterator[str]:
        for name in sorted(self.failed - set(answer.loses)):
            yield f"it loses {name}: {self.checks[name].message}"
        if spared := sorted(set(answer.loses) - self.failed):
            yield f"it passes {', '.join(spared)}"
        if self.ideas and not answer.loses:
            yield f"it is taken for {', '.join(sorted(self.ideas))}"


@dataclass(frozen=True)
class Matrix:
    """All answers against all checks."""

    rows: tuple[Row, ...]
    kept: dict[str, str] = field(default_factory=dict)

    @property
    def wrong(self) -> list[Row]:
        return [row for row in self.rows if isinstance(row.answer, Wrong)]

    @property
    def right(self) -> list[Row]:
        return [row for row in self.rows if isinstance(row.answer, Right)]

    @property
    def caught(self) -> list[Row]:
        return [row for row in self.wrong if row.failed >= set(row.answer.must) and row.failed]  # type: ignore[union-attr]

    @property
    def named(self) -> list[Row]:
        """The wrong answers whose diagnosis is the expected one; where none is expected, none was made."""
        return [row for row in self.wrong if row.ideas == ({row.answer.idea} - {None})]  # type: ignore[union-attr]

    @property
    def full(self) -> list[Row]:
        return [row for row in self.right if row.failed <= set(row.answer.loses)]  # type: ignore[union-attr]

    @property
    def seen(self) -> list[Row]:
        """The wrong answers that the visible checks alone catch."""
        return [row for row in self.wrong if row.visible]

    def lonely(self) -> dict[str, list[str]]:
        """For each check the wrong answers that no other check catches."""
        names = {name: [] for row in self.rows for name in row.checks}  # type: dict[str, list[str]]
        for row in self.wrong:
            if len(row.failed) == 1:
                names[min(row.failed)].append(row.answer.name)
        return names

    def problems(self) -> Iterator[str]:
        """Yield what is not as it should be."""
        for row in self.rows:
            for problem in row.problems():
                yield f"{row.answer.name}: {problem}"
        for name, answers in self.lonely().items():
            if not answers and name not in self.kept:
                yield f"{name}: no wrong answer fails this check alone, and nothing says why it is kept"

    def summary(self) -> list[str]:
        """The three figures, and what the visible checks do by themselves."""
        expected = [row for row in self.wrong if row.answer.idea]  # type: ignore[union-attr]
        named = [row for row in self.named if row.answer.idea]  # type: ignore[union-attr]
        share = 100 * len(self.named) / max(1, len(self.wrong))
        return [
            f"wrong answers caught {len(self.caught)} of {len(self.wrong)}",
            f"named with the expected diagnosis {share:.1f} % ({len(named)} of {len(expected)} named, "
            f"{len(self.named) - len(named)} of {len(self.wrong) - len(expected)} rightly left without a name)",
            f"right answers with full points {len(self.full)} of {len(self.right)}",
            f"wrong answers that the visible checks alone catch {len(self.seen)} of {len(self.wrong)}",
        ]


def hurried(course: Course, seconds: float = 3.0) -> Course:
    """Return the course with less patience: of the answers here one never ends."""
    limits = dataclasses.replace(course.limits, cell_seconds=seconds, call_seconds=seconds)
    return dataclasses.replace(course, limits=limits)


def build(course: Course, names: Sequence[str], grader: Grader, collection: Collection | None = None) -> Matrix:
    """Grade all answers to the named assignments that can be graded here.

    Answers that need a large library are graded where it is loaded already: a first import takes seconds.
    """
    collection = collection or load(course.root)
    rows: list[Row] = []
    everything: list[Wrong | Right] = [*collection.wrong, *collection.right]
    libraries = tuple(sorted({library for needs in course.requires.values() for library in needs}))
    with Grader(dataclasses.replace(grader.course, requires=dict.fromkeys(course.names, libraries))) as loaded:
        for name in runnable(course, names):
            assignment = course.assignment(name)
            answers = [answer for answer in everything if answer.assignment == name and _can_run(answer)]
            needy = [answer for answer in answers if name in course.requires or _needs(answer) in libraries]
            for chosen, by in (([a for a in answers if a not in needy], grader), (needy, loaded)):
                graded = by.grade(assignment, [planted(assignment, answer.code) for answer in chosen]) if chosen else []
                rows += [_row(answer, one, assignment) for answer, one in zip(chosen, graded, strict=True)]
    return Matrix(tuple(rows), collection.kept)


def runnable(course: Course, names: Sequence[str]) -> list[str]:
    """Return the assignments that can be graded here: all that they require is installed."""
    return [name for name in names if missing(name, course.requires.get(name, ())) is None]


def _needs(answer: Wrong | Right) -> str | None:
    return answer.needs if isinstance(answer, Right) else None


def _can_run(answer: Wrong | Right) -> bool:
    needs = _needs(answer)
    return needs is None or importlib.util.find_spec(needs) is not None


def _row(answer: Wrong | Right, graded: Graded, assignment: Assignment) -> Row:
    checks = {check.name: check for cell in graded.report.cells for check in cell.checks}
    stopped = []
    for index, cell in enumerate(graded.submission.notebook["cells"]):
        name = grade_id(cell)
        if name in assignment.cells and assignment.cells[name].graded:
            run = graded.runs.get(index)
            if run is None or run.error is not None:
                stopped.append(name)
    return Row(answer, checks, tuple(stopped))


def planted(assignment: Assignment, code: str) -> Submission:
    """Return the course's own cells with an answer between the model answers and the graded cells.

    Of the cells without an id only the first code cell, the imports, is kept.
    """
    notebook = copy.deepcopy(assignment.notebook)
    before: list[dict[str, Any]] = []
    graded: list[dict[str, Any]] = []
    for cell in notebook["cells"]:
        name = grade_id(cell)
        if name is None and (cell["cell_type"] != "code" or before):
            continue
        is_graded = name in assignment.cells and assignment.cells[name].graded
        (graded if is_graded else before).append(cell)
    answer: dict[str, Any] = {
        "cell_type": "code",
        "id": "answer",
        "metadata": {},
        "source": code,
        "outputs": [],
        "execution_count": None,
    }
    notebook["cells"] = [*before, answer, *graded]
    return from_notebook(notebook, assignment, "", "")


def run(course: Course, name: str | None, path: Path | None) -> tuple[int, Matrix]:
    """Print the matrix, write it to `path` as CSV, and return it after 0, or after 2 where something is not right."""
    with Grader(hurried(course)) as grader:
        matrix = build(course, [name] if name else course.graded(), grader)
    console = Console(highlight=False)
    for each in [name] if name else course.graded():
        _print(console, each, [row for row in matrix.rows if row.answer.assignment == each])
    if path is not None:
        _write(path, matrix)
    problems = list(matrix.problems())
    for problem in problems:
        console.print(problem, markup=False, soft_wrap=True)
    for line in matrix.summary():
        console.print(line, soft_wrap=True)
    return BROKEN if problems else 0, matrix


def _print(console: Console, assignment: str, rows: list[Row]) -> None:
    """Print one column a check, with a key above: `x` failed as it must, `o` as it may, `!` otherwise."""
    checks = list(dict.fromkeys(name for row in rows for name in row.checks))
    console.print(f"\n[bold]{assignment}[/bold]")
    for number, check in enumerate(checks):
        console.print(f"  {_letter(number)}  {check}", markup=False)
    console.print(f"  {''.join(_letter(number) for number in range(len(checks)))}  v = a visible check stops as well")
    for row in rows:
        marks = "".join(_mark(row, check) for check in checks)
        ideas = ", ".join(sorted(row.ideas))
        kind = "right" if isinstance(row.answer, Right) else "wrong"
        line = f"  {marks} {'v' if row.visible else ' '} {kind}  {row.answer.name:<48} {ideas}"
        console.print(line.rstrip(), markup=False, soft_wrap=True)


def _letter(number: int) -> str:
    return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[number]


def _mark(row: Row, check: str) -> str:
    answer = row.answer
    must = answer.must if isinstance(answer, Wrong) else answer.loses
    if check not in row.failed:
        return "?" if check in must else "."
    if check in must:
        return "x"
    return "o" if isinstance(answer, Wrong) and check in answer.may else "!"


def _write(path: Path, matrix: Matrix) -> None:
    """Write a line for each answer and check."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(
            ["assignment", "answer", "kind", "check", "expected", "outcome", "misconception", "message", "visible"]
        )
        for row in matrix.rows:
            answer = row.answer
            must = answer.must if isinstance(answer, Wrong) else answer.loses
            may = answer.may if isinstance(answer, Wrong) else ()
            for name, check in row.checks.items():
                expected = "fails" if name in must else "may fail" if name in may else "passes"
                kind = "wrong" if isinstance(answer, Wrong) else "right"
                visible = " ".join(row.visible)
                out.writerow(
                    [answer.assignment, answer.name, kind, name, expected, check.outcome, check.misconception or "",
                     check.message, visible]
                )  # fmt: skip
