"""The floor: the same cells and the same calls in bare forks. No checks, no confinement, no wire, no recording.

Run as `python -m benchmarks.floor ASSIGNMENT COUNT`; prints the CPU seconds of the forks and of their parent.
"""

from __future__ import annotations

import copy
import json
import os
import sys
from typing import Any

from benchmarks.classroom import ROOT, answers


def calls_of_the_checks(assignment: str) -> list[tuple[str, Any, Any]]:
    """Return (function, arguments, keywords) of every call that the checks make of the model answer."""
    from autograder.course import load_course
    from autograder.grading.batch import Batch, Entry, run_batch
    from autograder.grading.digests import digests_of_checks, folder_of
    from autograder.grading.grader import Grader
    from autograder.reading.submission import from_notebook

    course = load_course(ROOT)
    known = course.assignment(assignment)
    calls: list[tuple[str, Any, Any]] = []
    with Grader(course) as grader:
        for check in digests_of_checks(assignment):
            entry = Entry(from_notebook(known.notebook, known, "", assignment))
            run_batch(Batch(grader.host, folder_of(assignment), [entry], has_model=False, only=check))
            calls += [(call.function, call.arguments, call.keywords) for call in entry.calls]
    return calls


def cells_that_are_run(assignment: str) -> list[list[str]]:
    """Return the code cells of each answer, without the pictures that grading leaves out."""
    from autograder.course import load_course
    from autograder.reading.pictures import Pictures
    from autograder.reading.submission import from_notebook

    known = load_course(ROOT).assignment(assignment)
    pictures = Pictures(known)
    found = []
    for notebook in answers(assignment):
        code = from_notebook(notebook, known, "", "").code
        left_out = pictures.left_out(code)
        found.append([source for index, source in code if index not in left_out])
    return found


def run(assignment: str, count: int) -> float:
    """Fork once for each of `count` submissions. Returns the CPU seconds of this process and its forks meanwhile."""
    calls, notebooks = calls_of_the_checks(assignment), cells_that_are_run(assignment)
    sys.path.insert(0, str(ROOT / "autograder" / "student"))
    import matplotlib.pyplot  # noqa: F401
    import numpy.random  # noqa: F401
    from inside.shell import draw_figures, make_shell  # type: ignore[import-not-found]

    shell = make_shell()
    draw_figures(shell, False)
    shell.__dict__["emit_to"] = lambda output: None
    began = os.times()
    for number in range(count):
        child = os.fork()
        if child == 0:
            try:
                for source in notebooks[number % len(notebooks)]:
                    shell.run_cell(source, store_history=True)
                for name, arguments, keywords in calls:
                    _call(shell.user_ns.get(name), copy.deepcopy(arguments), copy.deepcopy(keywords))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    ended = os.times()
    return sum(ended[:4]) - sum(began[:4])


def _call(function: Any, arguments: Any, keywords: Any) -> None:
    try:
        function(*arguments, **keywords)
    except BaseException:
        return


if __name__ == "__main__":
    seconds = run(sys.argv[1], int(sys.argv[2]))
    os.write(1, (json.dumps({"seconds": seconds}) + "\n").encode())  # the shell has taken sys.stdout
