"""How the students' own verification functions are tried: on matrices that are good, bad and subtly bad.

Canary: attention-course-canary-ade5c6eabf71218f

Each check tries good and bad matrices together, so that an answer which always says the same fails all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import expect
from autograder.grading.outcome import CheckFailed

CANARY = "attention-course-canary-ade5c6eabf71218f"

DUST = 1e-12  # what rounding may leave behind


def check_verdicts(
    student: Any, function: str, good: dict[str, np.ndarray], bad: dict[str, np.ndarray], advice: str
) -> None:
    """The function says True of every good matrix and False of every bad one; the keys describe the matrices."""
    for wanted, matrices in ((True, good), (False, bad)):
        for kind, matrix in matrices.items():
            said = expect.truth(getattr(student, function)(matrix), f"the verdict of {function}")
            if said is not wanted:
                raise CheckFailed(f"{function} said {said} of {kind}. {advice}")
