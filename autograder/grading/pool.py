"""Submissions dealt out in parts to an engine, and their results as they come back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from autograder.course import Course
from autograder.grading.digests import checks_digest
from autograder.grading.engine import Engine, local
from autograder.grading.grader import Graded, Grader, graded
from autograder.grading.ran import Ran
from autograder.grading.work import Work, read_results
from autograder.reading.assignment import Assignment
from autograder.reading.submission import Submission

LARGEST = 100  # a part is held in memory until it is recorded
SMALLEST = 25  # in a smaller one, the model answer that goes first would cost too much
ROUNDS = 4  # parts for each worker, so that none waits long for another and people see progress
GIVEN_UP = "the processes that graded it ended without a word"


@dataclass
class Part:
    """Submissions that are to be run, and the checks that each is asked (None: all of them)."""

    submissions: list[Submission] = field(default_factory=list)
    wanted: list[frozenset[str] | None] = field(default_factory=list)

    def halves(self) -> list[Part]:
        middle = len(self.submissions) // 2
        return [Part(self.submissions[where], self.wanted[where]) for where in (slice(middle), slice(middle, None))]


def size_of_parts(total: int, parallel: int) -> int:
    """Return how many of `total` submissions make a good part where so many parts are worked on at a time."""
    return min(LARGEST, max(SMALLEST, math.ceil(total / (ROUNDS * parallel))))


def run(
    engine: Engine, course: Course, assignment: Assignment, parts: Iterable[Part], pages: bool = False
) -> Iterator[tuple[Part, list[Ran]]]:
    """Yield each part with what running its submissions gave, in any order. Parts are made as they are needed.

    Raises CourseError where a worker is none of ours.
    """
    out: dict[int, Part] = {}

    def packed() -> Iterator[bytes]:
        for which, part in enumerate(parts):
            out[which] = part
            yield Work(course, assignment, part.submissions, part.wanted, pages).to_bytes() if part.submissions else b""

    for which, data in engine.run(packed()):
        part = out.pop(which)
        if data is not None:
            yield part, read_results(data) if data else []
        elif len(part.submissions) == 1:
            yield part, [Ran(fault=GIVEN_UP)]
        else:  # one of them ends its worker: the others must not be taken along
            yield from run(engine, course, assignment, part.halves(), pages)


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
    assignment = grader.course.assignment(name)
    if jobs == 1 or len(submissions) < 2 or not assignment.graded:
        return grader.grade(assignment, submissions, lambda submission: step(), pages=pages)
    sound = [submission for submission in submissions if submission.problem is None]
    size = min(size_of_parts(len(sound), jobs), math.ceil(len(sound) / jobs)) or 1
    starts = range(0, len(sound), size)
    parts = (Part(sound[at : at + size], [None] * len(sound[at : at + size])) for at in starts)
    found: dict[int, Ran] = {}
    for part, results in run(local(jobs), grader.course, assignment, parts, pages):
        for submission, ran in zip(part.submissions, results, strict=True):
            found[id(submission)] = ran
            step()
    digest = checks_digest(assignment, grader.course.probe_seed)
    return [graded(assignment, submission, found.get(id(submission)), digest, pages) for submission in submissions]
