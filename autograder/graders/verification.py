"""How the students' own verification functions are tried: on matrices that are good, bad and subtly bad.

Canary: attention-course-canary-ade5c6eabf71218f

Each check tries good and bad matrices together, so that an answer which always says the same fails all of them, and
in no fixed order, so that one which counts the questions fails as well.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from autograder.graders import expect
from autograder.graders.failure import Failure
from autograder.grading.outcome import CheckFailed, StudentError

CANARY = "attention-course-canary-ade5c6eabf71218f"

DUST = 1e-12  # what rounding may leave behind


def check_verdicts(
    student: Any, function: str, good: dict[str, np.ndarray], bad: dict[str, np.ndarray], advice: str
) -> None:
    """The function says True of every good matrix and False of every bad one; the keys describe the matrices."""
    questions = [(kind, matrix, True) for kind, matrix in good.items()]
    questions += [(kind, matrix, False) for kind, matrix in bad.items()]
    verdicts: dict[str, bool | CheckFailed] = {}
    for kind, matrix, _ in random.SystemRandom().sample(questions, len(questions)):
        try:
            verdicts[kind] = expect.truth(getattr(student, function)(matrix), f"the verdict of {function}")
        except StudentError:
            raise  # where it raised, hung or died once, it is not asked again
        except CheckFailed as failed:
            verdicts[kind] = failed
    for kind, _, wanted in questions:
        verdict = verdicts[kind]
        if isinstance(verdict, CheckFailed):
            raise verdict
        if verdict is not wanted:
            raise Failure(f"Asked about {kind}, `{function}` said {verdict}.", advice)
