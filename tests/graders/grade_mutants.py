"""Grade every mutant of the model answers and print what became of each as JSON: a script, run by the tests.

Assignments that require more than the kit brings are left out: a mutant of theirs takes a second, and not everybody
can run it. Their wrong answers stand for them.

`python tests/graders/grade_mutants.py --report` prints the report for people, with `--all` of every mutant: where an
assignment has more than MOST, every second, third or fourth is tried otherwise.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

from equivalent import EQUIVALENT
from mutate import Mutant, mutants

from autograder.commands.matrix import hurried
from autograder.course import load_course
from autograder.grading.grader import Grader
from autograder.reading.assignment import Assignment
from autograder.reading.notebook import grade_id
from autograder.reading.submission import Submission, from_notebook

ROOT = Path(__file__).parents[2]
SECONDS = 1.0
MOST = 120


def of_models(assignment: Assignment) -> list[Mutant]:
    """The mutants of the functions that students write, every one of them where there are not too many."""
    cells = [cell for cell in assignment.cells.values() if cell.flags.get("solution")]
    made = [mutant for cell in cells for mutant in mutants(cell.source)]
    return made if "--all" in sys.argv else made[:: -(-len(made) // MOST)]


def submission(assignment: Assignment, mutant: Mutant) -> Submission:
    """The model answer with a mutant at its end, without the experiments and the visible checks."""
    whole = from_notebook(assignment.notebook, assignment, "", "")
    code = [cell for cell in whole.notebook["cells"] if cell["cell_type"] == "code"]
    graded = {cell.grade_id for cell in assignment.graded}
    kept = [cell for cell in code if cell is code[0] or grade_id(cell) in set(assignment.cells) - graded]
    last = {"cell_type": "code", "id": "mutant", "metadata": {}, "source": mutant.code, "outputs": []}
    return dataclasses.replace(whole, notebook={**whole.notebook, "cells": [*kept, last]})


def survivors(name: str) -> tuple[list[Mutant], list[Mutant], list[str]]:
    """All mutants of an assignment's model answers, those that pass every check, and what could not be run."""
    course = hurried(load_course(ROOT), SECONDS)
    assignment = course.assignment(name)
    made = of_models(assignment)
    with Grader(course) as grader:
        graded = grader.grade(assignment, [submission(assignment, mutant) for mutant in made])
    left = [m for m, one in zip(made, graded, strict=True) if one.report.score == one.report.max_score]
    odd = [str(one.report.message) for one in graded if one.report.needs_a_person]
    return made, left, odd


def main() -> None:
    course = load_course(ROOT)
    made: list[Mutant] = []
    left: list[Mutant] = []
    odd: list[str] = []
    for name in [name for name in course.graded() if name not in course.requires]:
        for total, some in zip((made, left, odd), survivors(name), strict=True):
            total.extend(some)  # type: ignore[arg-type]
    if "--report" not in sys.argv:
        tried, passed = ([[m.function, m.change] for m in some] for some in (made, left))
        print(json.dumps({"made": tried, "left": passed, "odd": odd}))
        return
    print(f"mutants {len(made)}, killed {len(made) - len(left)} ({100 * (1 - len(left) / len(made)):.1f} %)")
    for mutant in left:
        print(f"  {mutant.function}: {mutant.change}")
        print(f"      {EQUIVALENT.get((mutant.function, mutant.change), 'NO REASON GIVEN')}")


if __name__ == "__main__":
    main()
