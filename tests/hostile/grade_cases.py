"""Grade hostile submissions among honest ones, and print all that came of it as JSON: a script, run by the tests.

The grader runs pytest in its own process, so the tests that look at its results must not share that process.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from support import notebook_path, read, write

from autograder.course import load_course
from autograder.gradebook.outputs import cell_outputs
from autograder.grading.grader import Graded, Grader
from autograder.limits import Limits
from autograder.outputs import FORMATS, texts
from autograder.reading.discover import find_notebooks, read_submission
from hostile.case import BLANK, RIGHT, Case
from hostile.cases import CASES
from hostile.outside import MarkedSandbox, Outside, machine

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = 3  # they stand in one of the first cells
EVERY = 3  # how many hostile submissions stand between two honest ones
LIMITS = Limits(
    cell_seconds=2, call_seconds=1, submission_seconds=15, grace_seconds=0.5, memory_mb=512, submission_mb=20
)


def code(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}


def submission(case: Case, outside: Outside, folder: Path) -> Path:
    """Write the case's submission as a student would hand it in. Returns the notebook."""
    notebook = read(notebook_path(ROOT / ("source" if case.base == RIGHT else "release"), case.assignment))
    if case.cells:  # the cells between the exercises take time and say nothing here
        notebook["cells"] = [
            cell for index, cell in enumerate(notebook["cells"]) if "nbgrader" in cell["metadata"] or index < IMPORTS
        ]
    cells = [code(outside.fill_in(source)) for source in case.cells]
    notebook["cells"] = [*cells, *notebook["cells"]] if case.first else [*notebook["cells"], *cells]
    student = folder / (case.student or case.name)
    path = student / case.assignment / f"{case.notebook or case.assignment}.ipynb"
    write(path, notebook)
    for name, text in case.files.items():
        file = path.parent / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return path


def shown(graded: Graded) -> str:
    """Everything of a graded submission that anybody sees, but for its names."""
    report = graded.report
    said = [report.message or "", *(check.message for cell in report.cells for check in cell.checks)]
    outputs = [cell_outputs(run, 1) for run in graded.runs.values()]
    return "\n".join(said) + "\n" + json.dumps(outputs)


def main(without: frozenset[str], names: list[str]) -> dict[str, Any]:
    course = replace(load_course(ROOT), limits=LIMITS, isolation="none")
    wanted = [case for case in CASES if not names or case.name in names]
    with tempfile.TemporaryDirectory() as temporary:
        folder, scratch = Path(temporary, "class"), Path(temporary, "scratch")
        scratch.mkdir()
        scratch.chmod(0o711)
        tempfile.tempdir = str(scratch)
        Path(temporary).chmod(0o711)
        outside = Outside(Path(temporary, "outside"), ROOT)
        sandbox = MarkedSandbox(without, (ROOT,), outside.mark)
        before = machine(outside.mark, scratch)
        began = time.monotonic()
        try:
            with Grader(course, sandbox=sandbox) as grader:
                layers = grader.host.way.layers
                wanted = [case for case in wanted if not case.needs or case.needs in layers]
                found = {case.name: graded for case, graded in grade(grader, wanted, outside, folder)}
                isolation, refused = grader.host.isolation, grader.host.refused
            seconds = time.monotonic() - began
            after = machine(outside.mark, scratch)
            harm = outside.harm()
        finally:
            outside.close()
        reports = [graded.report for graded in found.values()]
        return {
            "isolation": isolation,
            "layers": layers,
            "refused": refused,
            "seconds": seconds,
            "before": before,
            "after": after,
            "harm": harm,
            "token": outside.token,
            "mark": outside.mark,
            "root": str(ROOT),
            "found": {
                name: {"report": graded.report.to_dict(), "shown": shown(graded)} for name, graded in found.items()
            },
            "views": {name: "".join(texts(name, reports)) for name in FORMATS},
        }


def grade(grader: Grader, cases: list[Case], outside: Outside, folder: Path) -> list[tuple[Case, Graded]]:
    """Grade cases with honest submissions between them, and an untouched right and blank one in front."""
    results = []
    for name in dict.fromkeys(case.assignment for case in cases):
        assignment = grader.course.assignment(name)
        bases = [Case(f"{base} {name}", "", (), 0, "", base, name) for base in (RIGHT, BLANK)]
        plan = list(bases)
        for index, case in enumerate(case for case in cases if case.assignment == name):
            plan.append(case)
            if index % EVERY == EVERY - 1:
                plan.append(Case(f"honest {name} {index}", "", (), 10, "", RIGHT, name))
        paths = [submission(case, outside, folder / name) for case in plan]
        found = {one.path: one for one in find_notebooks([folder / name])}
        batch = [read_submission(found[path], [assignment], LIMITS.submission_mb * 10**6) for path in paths]
        for case, graded in zip(plan, grader.grade(assignment, batch), strict=True):
            results.append((case, graded))
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--without", default="")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    result = main(frozenset(filter(None, options.without.split(","))), options.names)
    sys.stdout.buffer.write(json.dumps(result).encode("ascii"))
