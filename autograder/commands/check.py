"""`course check`: is the course itself in order? Asked before a release, and by CI."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from autograder.course import Course
from autograder.grading.batch import GRADERS
from autograder.grading.digests import folder_of
from autograder.grading.grader import Graded, Grader, missing
from autograder.grading.outcome import PASSED
from autograder.problems import CourseError, MachineFault
from autograder.reading.assignment import SOLUTION_MARKERS, Assignment
from autograder.reading.notebook import Unreadable, grade_id, read_notebook
from autograder.reading.submission import from_notebook
from autograder.student.session import Session

BROKEN = 2


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what holds, and what is wrong where it does not; or what could not be looked at."""

    what: str
    problems: tuple[str, ...] = ()
    skipped: bool = False


def run(course: Course, name: str | None = None) -> int:
    """Check one assignment or all, print each thing looked at, and return 0 or 2."""
    console = Console(highlight=False)
    names = [name] if name else list(course.names)
    wrong = 0
    with Grader(course) as grader:
        for assignment in [course.assignment(each) for each in names]:
            console.print(f"[bold]{assignment.name}[/bold]")
            try:
                findings = list(check_assignment(course, assignment, grader))
            except (CourseError, MachineFault) as error:
                findings = [Finding("the assignment can be checked", (str(error),))]
            for finding in findings:
                mark = "[red]no[/red] " if finding.problems else "skip" if finding.skipped else "[green]yes[/green]"
                console.print(f"  {mark} {escape(finding.what)}", soft_wrap=True)
                for problem in finding.problems:
                    console.print(f"        {problem}", markup=False, soft_wrap=True)
                wrong += len(finding.problems)
    console.print("The course is in order." if not wrong else f"{wrong} problem(s): mend them before a release.")
    return BROKEN if wrong else 0


def check_assignment(course: Course, assignment: Assignment, grader: Grader) -> Iterator[Finding]:
    """Yield what was looked at in one assignment."""
    if not assignment.graded:
        yield from _ungraded(course, assignment, grader)
        return
    cells, checks = {cell.grade_id for cell in assignment.graded}, paired(assignment)
    lonely = [f"{cell} has points and no hidden check" for cell in sorted(cells - set(checks.values()))]
    yield Finding("every graded cell has hidden checks", tuple(lonely))
    strays = [f"{check} names {cell!r}, which is no graded cell" for check, cell in checks.items() if cell not in cells]
    yield Finding("every hidden check has a graded cell", tuple(strays))
    flags = [f"{c.grade_id} is not a locked code cell without a solution" for c in assignment.graded if not _proper(c)]
    yield Finding("graded cells are locked code cells", tuple(flags))
    released = _released(course, assignment)
    yield Finding("the release is made from the source", tuple(_differences(assignment, released)))
    yield Finding("no model answer is in the release", tuple(_leaks(assignment, released)))
    yield Finding("no hidden check is in a notebook", tuple(_hidden_in(released, assignment)))
    absent = missing(assignment.name, course.requires.get(assignment.name, ()))
    if absent is not None:
        yield Finding(f"not graded: {absent}", skipped=True)
        return
    blank = from_notebook(released, assignment, "blank", assignment.name)
    model = from_notebook(assignment.notebook, assignment, "model", assignment.name)
    of_blank, of_model = grader.grade(assignment, [blank, model])
    yield Finding("the released notebook scores 0", tuple(_wrong_scores(of_blank, 0.0)))
    yield Finding("the model answer scores full", tuple(_wrong_scores(of_model, assignment.max_score)))
    yield Finding("visible checks pass on the model answer", tuple(_visible(of_model, assignment, passing=True)))
    yield Finding("visible checks fail on the released notebook", tuple(_visible(of_blank, assignment, passing=False)))


def _ungraded(course: Course, assignment: Assignment, grader: Grader) -> Iterator[Finding]:
    """Yield what was looked at in a notebook without graded cells."""
    checks = GRADERS / assignment.name.replace("-", "_")
    lost = (f"there are hidden checks in graders/{checks.name}/, and no graded cell",) if checks.is_dir() else ()
    yield Finding("nothing in it is graded, and no hidden check is for it", lost)
    released = _released(course, assignment)
    yield Finding("the release is made from the source", tuple(_differences(assignment, released)))
    yield Finding("no hidden check is in a notebook", tuple(_hidden_in(released, assignment)))
    session = Session(grader.host, from_notebook(released, assignment, "", assignment.name).code)
    session.run()
    session.close()
    stopped = [
        f"the cell {released['cells'][at].get('id', at)} stops with {run.error['type']}: {run.error['text']}"
        for at, run in session.runs.items()
        if run.error is not None
    ]
    yield Finding("it runs from top to bottom", (*stopped, *session.notes))


def paired(assignment: Assignment) -> dict[str, str]:
    """Return check -> grade_id of an assignment, read from the sources of its hidden checks."""
    found: dict[str, str] = {}
    for path in sorted((GRADERS / folder_of(assignment.name)).glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[node.name] = _marked_cell(node)
    return found


def _marked_cell(node: ast.FunctionDef) -> str:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "cell" and decorator.args:
            return str(ast.literal_eval(decorator.args[0]))
    return ""


def _proper(cell: Any) -> bool:
    return cell.locked and not cell.flags.get("solution") and cell.cell["cell_type"] == "code"


def _released(course: Course, assignment: Assignment) -> dict[str, Any]:
    path = course.root / "release" / assignment.name / f"{assignment.name}.ipynb"
    try:
        return read_notebook(path, 10**8)[0]
    except Unreadable as error:
        raise CourseError(
            f"release/{assignment.name}: {error}", f"run `nbgrader generate_assignment {assignment.name} --force`"
        ) from error


def _differences(assignment: Assignment, released: dict[str, Any]) -> Iterator[str]:
    """Compare what nbgrader leaves as it is: every cell but those with model answers."""
    advice = f"run `nbgrader generate_assignment {assignment.name} --force`"
    source_cells, release_cells = assignment.notebook["cells"], released["cells"]
    if len(source_cells) != len(release_cells):
        yield f"it has {len(release_cells)} cells and the source has {len(source_cells)}; {advice}"
        return
    for ours, theirs in zip(source_cells, release_cells, strict=True):
        answers = SOLUTION_MARKERS[0] in ours["source"]
        points = [c["metadata"].get("nbgrader", {}).get("points") for c in (ours, theirs)]
        if (not answers and ours["source"] != theirs["source"]) or points[0] != points[1]:
            yield f"the cell {grade_id(ours) or ours.get('id')} differs from the source; {advice}"


def _leaks(assignment: Assignment, released: dict[str, Any]) -> Iterator[str]:
    """Look for lines of the model answers in the release; what the course gives away in locked cells is allowed."""
    given = {line.strip() for cell in assignment.cells.values() if cell.locked for line in cell.source.splitlines()}
    text = {line.strip() for cell in released["cells"] for line in cell["source"].splitlines()}
    for cell in assignment.cells.values():
        inside = False
        for line in cell.source.splitlines():
            if line.strip() in SOLUTION_MARKERS:
                inside = line.strip() == SOLUTION_MARKERS[0]
            elif inside and len(line.strip()) > 12 and line.strip() in text - given:
                yield f"a line of the model answer of {cell.grade_id} is in the release: {line.strip()}"
    for marker in SOLUTION_MARKERS:
        if any(marker in line for line in text):
            yield f"the release holds {marker!r}"


def _hidden_in(released: dict[str, Any], assignment: Assignment) -> Iterator[str]:
    text = "\n".join(cell["source"] for cell in (*released["cells"], *assignment.notebook["cells"]))
    for path in sorted(GRADERS.rglob("*.py")):
        for canary in canaries(path):
            if canary in text:
                yield f"a notebook holds text of {path.relative_to(GRADERS.parent)}"


def canaries(path: Path) -> list[str]:
    """Return the canary strings of a file of hidden checks."""
    prefix = "attention-course-canary-"
    return [word.strip("\"'.") for word in path.read_text(encoding="utf-8").split() if prefix in word]


def _wrong_scores(graded: Graded, wanted: float) -> Iterator[str]:
    if graded.report.score == wanted and not graded.report.needs_a_person:
        return
    yield f"it scores {graded.report.score:g} instead of {wanted:g}" + (
        f" ({graded.report.message})" if graded.report.message else ""
    )
    for cell in graded.report.cells:
        for check in cell.checks:
            if (check.outcome == PASSED) != (wanted > 0):
                yield f"{cell.grade_id}: {check.name} {check.outcome}: {check.message}"


def _visible(graded: Graded, assignment: Assignment, passing: bool) -> Iterator[str]:
    """Look at what the graded cells themselves did when the notebook ran."""
    for index, cell in enumerate(graded.submission.notebook["cells"]):
        name = grade_id(cell)
        if name is None or not assignment.cells[name].graded:
            continue
        run = graded.runs.get(index)
        failed = run is None or run.error is not None
        if failed == passing:
            yield f"the visible check in {name} {'fails' if failed else 'passes'}"
