"""A mistake in the student's softmax costs once: attention built on it is held against that same softmax.

Canary: attention-course-canary-738b4c9d622afe67
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograder.graders import compare, expect, probes
from autograder.grading.outcome import CheckFailed

CANARY = "attention-course-canary-738b4c9d622afe67"


LAST = {"axis": -1}


def softmax(student: Any, scores: np.ndarray, keywords: dict[str, int] = LAST) -> np.ndarray | None:
    """The student's softmax of scores, or None where it gives no such array."""
    try:
        return expect.matrix(student.softmax(scores, **keywords), scores.shape, "your softmax")
    except CheckFailed:
        return None


def explains(student: Any, weights: np.ndarray, probe: probes.Probe) -> bool:
    """Are these the weights that the student's own softmax gives for rightly scaled scores?"""
    own = softmax(student, probe.scores / math.sqrt(probe.d_k))
    return own is not None and is_uneven(own) and compare.close(weights, own)


def is_uneven(own: np.ndarray) -> bool:
    """A softmax that says the same of all scores explains nothing."""
    return float(np.ptp(own)) > compare.VALUES
