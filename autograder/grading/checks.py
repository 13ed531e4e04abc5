"""What a hidden check needs to say which graded cell it belongs to.

@cell("causal-leakage", weight=2)
def test_the_future_cannot_change_the_past(student):
    \"\"\"The future cannot change the past\"\"\"

A check that turned out wrong is marked `retired="why"`: it is not run, and everybody gets its share of the points.

An `Example` is a public input on which a student's page shows what their function did. It decides no score.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from autograder.grading.outcome import CheckFailed, StudentError

__all__ = ["PROBE_SEED", "CheckFailed", "Example", "StudentError", "cell"]

cell = pytest.mark.cell

PROBE_SEED = ContextVar("PROBE_SEED", default=0)  # of the course that is being graded; 0 is the shipped inputs


@dataclass(frozen=True)
class Example:
    """A call of `function` with public inputs, to be drawn at the first of `grade_ids` when a check of one fails.

    What is drawn is the returned matrix, or the one at `part` of what is returned; `wanted` is the right one. At
    the places in `closed` (a boolean matrix) nothing but 0 is right.
    """

    function: str
    grade_ids: tuple[str, ...]
    inputs: tuple[Any, ...]
    wanted: np.ndarray
    about: str
    rows: str = "query"
    columns: str = "key"
    part: int | None = 1
    closed: np.ndarray | None = None
