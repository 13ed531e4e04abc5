"""The same batches in several processes of this machine."""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from autograder.course import load_course
from autograder.grading.grader import BATCH, Graded, Grader
from autograder.reading.submission import Submission


def grade(
    grader: Grader,
    name: str,
    submissions: Sequence[Submission],
    jobs: int = 1,
    step: Callable[[], None] = lambda: None,
    pages: bool = False,
) -> list[Graded]:
    """Grade submissions of the assignment `name` with `jobs` processes. Returns the results in the same order.

    `step` is called once for each submission that is finished; `pages` is as in Grader.grade.
    """
    if jobs == 1 or len(submissions) < 2:
        return grader.grade(grader.course.assignment(name), submissions, lambda submission: step(), pages=pages)
    size = min(BATCH, math.ceil(len(submissions) / jobs))
    parts = [submissions[start : start + size] for start in range(0, len(submissions), size)]
    context = multiprocessing.get_context("spawn")  # a fork would copy whatever threads this process has
    with ProcessPoolExecutor(min(jobs, len(parts)), mp_context=context) as pool:
        futures = [pool.submit(_grade_part, grader.course.root, name, part, pages) for part in parts]
        for future in as_completed(futures):
            for _ in future.result():
                step()
        return [graded for future in futures for graded in future.result()]


def _grade_part(root: Path, name: str, submissions: Sequence[Submission], pages: bool) -> list[Graded]:
    course = load_course(root)
    with Grader(course) as grader:
        return grader.grade(course.assignment(name), submissions, pages=pages)
