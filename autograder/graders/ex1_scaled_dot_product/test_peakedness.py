"""What peakedness returns: the largest weight without and with the scaling.

Canary: attention-course-canary-a279d2541bf41427
"""

from __future__ import annotations

import math
from typing import Any

from autograder.graders import attention, compare, expect, probes, reference, words
from autograder.graders.diagnoses import ARGUMENTS, diagnosed
from autograder.graders.ex1_scaled_dot_product import own_softmax
from autograder.graders.failure import Failure
from autograder.grading.checks import CheckFailed, cell

CANARY = "attention-course-canary-a279d2541bf41427"

NAME = "scaled_dot_product_attention"
SIZES = (7, 6), (150, 5), (1, 9)  # (d_k, n)


def _probes() -> list[probes.Probe]:
    return [probes.of_width(d_k, n, n) for d_k, n in SIZES]


def _peaks(student: Any, probe: probes.Probe) -> tuple[float, float]:
    first, second = expect.pair(student.peakedness(probe.Q, probe.K), "peakedness")
    return (
        float(expect.number(first, "your first number")),
        float(expect.number(second, "your second number")),
    )


def _wanted_peaks(probe: probes.Probe) -> tuple[float, float]:
    plain = reference.softmax_rows(probe.scores)
    return float(plain.max()), float(probe.weights.max())


def _is_own_peak(got: float, student: Any, probe: probes.Probe, divisor: float) -> bool:
    """Is this the largest entry of what the student's own softmax gives? Its mistakes cost elsewhere."""
    scores = probe.scores / divisor
    tables = own_softmax.softmax(student, scores), own_softmax.softmax(student, scores, {})
    return any(
        own is not None and own_softmax.is_uneven(own) and abs(got - float(own.max())) <= compare.VALUES
        for own in tables
    )


@cell("peakedness-check")
@diagnosed("peakedness")
def test_peakedness_without_scaling(student: Any) -> None:
    """The first number of peakedness is the largest weight without scaling"""
    for probe in _probes():
        got, _ = _peaks(student, probe)
        wanted = _wanted_peaks(probe)
        if abs(got - wanted[0]) <= compare.VALUES or _is_own_peak(got, student, probe, 1):
            continue
        raise Failure(
            f"Your first number is {words.show(got)}, and that is not the largest weight without scaling.",
            "It is one entry of the whole matrix of weights, made from Q Kᵀ as it is.",
        )


@cell("peakedness-check")
@diagnosed("peakedness")
def test_peakedness_with_scaling(student: Any) -> None:
    """The second number of peakedness is the largest weight with the scaling of your attention"""
    for probe in _probes():
        _, got = _peaks(student, probe)
        wanted = _wanted_peaks(probe)
        if abs(got - wanted[1]) <= compare.VALUES:
            continue
        if _is_own_peak(got, student, probe, math.sqrt(probe.d_k)):
            continue
        if abs(got - _peak_of_own_attention(student, probe)) <= compare.VALUES:
            continue
        raise Failure(
            f"Your second number is {words.show(got)}, and that is not the largest weight with scaling.",
            "It is one entry of the whole matrix of weights, made from the scaled scores.",
        )


@cell("peakedness-check")
@diagnosed("peakedness", ARGUMENTS)
def test_peakedness_leaves_its_arguments_alone(student: Any) -> None:
    """peakedness does not change Q or K"""
    inputs = probes.square().inputs[:2]
    attention.check_unchanged(student, "peakedness", inputs, ("Q", "K"), results=2)


def _peak_of_own_attention(student: Any, probe: probes.Probe) -> float:
    """A wrong scaling in the student's attention has cost its points already."""
    try:
        weights = attention.weights_of(student, NAME, probe)
    except CheckFailed:
        return math.nan
    return float(weights.max()) if own_softmax.is_uneven(weights) else math.nan
