"""What a hidden check needs to say which graded cell it belongs to.

@cell("causal-leakage", weight=2)
def test_the_future_cannot_change_the_past(student):
    \"\"\"The future cannot change the past\"\"\"

A check that turned out wrong is marked `retired="why"`: it is not run, and everybody gets its share of the points.
"""

from __future__ import annotations

import pytest

from autograder.grading.outcome import CheckFailed, StudentError

__all__ = ["CheckFailed", "StudentError", "cell"]

cell = pytest.mark.cell
