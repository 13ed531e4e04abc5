"""Grade all answers of the collections and print the matrix as JSON: a script, run by the tests.

The grader runs pytest in its own process, so the tests that look at its outcomes must not share that process.
"""

from __future__ import annotations

import json
from pathlib import Path

from autograder.commands.matrix import build, hurried
from autograder.commands.page import figures, render
from autograder.course import load_course
from autograder.grading.grader import Grader


def main() -> None:
    course = load_course(Path(__file__).parents[2])
    with Grader(hurried(course)) as grader:
        matrix = build(course, course.names, grader)
    print(
        json.dumps(
            {
                "page": render(course, figures(matrix)),
                "counts": {
                    name: len(getattr(matrix, name)) for name in ("wrong", "caught", "named", "right", "full", "seen")
                },
                "problems": list(matrix.problems()),
                "ideas": {row.answer.name: sorted(row.ideas) for row in matrix.rows},
                "messages": sorted({c.message for row in matrix.rows for c in row.checks.values() if c.message}),
                "checks": sorted({name for row in matrix.rows for name in row.checks}),
                "kept": {name: sentence for name, sentence in matrix.kept.items()},
                "lonely": [name for name, answers in matrix.lonely().items() if not answers],
            }
        )
    )


if __name__ == "__main__":
    main()
