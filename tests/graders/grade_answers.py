"""Grade all answers to one assignment as one class and print the outcomes as JSON: a script, run by the tests.

The grader runs pytest in its own process, so the tests that look at its outcomes must not share that process.
"""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path

from answers import BROKEN, RIGHT

from autograder.course import load_course
from autograder.grading.grader import Grader
from autograder.reading.submission import from_notebook

ROOT = Path(__file__).parents[2]


def outcomes(assignment_name: str) -> dict[str, dict[str, list[str | None]]]:
    """For each answer's code and each check: its outcome, message and misconception."""
    course = load_course(ROOT)
    assignment = course.assignment(assignment_name)
    answers = [*(answer for some in BROKEN.values() for answer in some), *RIGHT]
    codes = sorted({answer.code for answer in answers if answer.assignment == assignment_name})
    submissions = []
    for code in codes:
        notebook = copy.deepcopy(assignment.notebook)
        cell = {"cell_type": "code", "metadata": {}, "source": code, "outputs": [], "execution_count": None}
        notebook["cells"].append(cell)
        submissions.append(from_notebook(notebook, assignment, "", ""))
    with Grader(course) as grader:
        reports = [graded.report for graded in grader.grade(assignment, submissions)]
    return {
        code: {
            check.name: [check.outcome, check.message, check.misconception]
            for cell in report.cells
            for check in cell.checks
        }
        for code, report in zip(codes, reports, strict=True)
    }


if __name__ == "__main__":
    print(json.dumps(outcomes(sys.argv[1])))
