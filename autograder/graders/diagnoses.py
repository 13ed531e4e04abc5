"""The wrong ideas that a failure can be traced to with certainty, each with what a student is told about it.

Canary: attention-course-canary-5410150a75439689

A catalogue entry is an `Idea`; a finder looks at what came back and names the one idea that explains it, or None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from autograder.graders import compare, probes, reference
from autograder.grading.outcome import CheckFailed

CANARY = "attention-course-canary-5410150a75439689"


@dataclass(frozen=True)
class Idea:
    """A wrong idea: its stable id, and one sentence that helps without giving the answer away."""

    id: str
    says: str


NO_SCALING = Idea(
    "no-scaling", "These are weights of the plain dot products, whose spread grows with d_k: what brings it back to 1?"
)
SCALE_BY_D_K = Idea(
    "scale-by-d-k", "That calms the scores too much: compare the spread of the scores at d_k = 9 and 36."
)
SCALE_UP = Idea("multiply-by-root", "Wider vectors make your weights sharper, not calmer: check the direction.")
SCALE_BY_LENGTH = Idea(
    "scale-by-length", "The factor should depend on how long one vector is, not on how many positions there are."
)
SCALE_FIXED = Idea("scale-hard-coded", "That would be right for one width only: try another d_k.")
SCALE_OTHER = Idea(
    "scale-wrong-function", "The factor does depend on d_k, but not in the right way: compare d_k = 9 and 36."
)
SOFTMAX_OVER_QUERIES = Idea(
    "softmax-over-queries", "The columns sum to 1 instead: which axis lists the choices that ONE query has?"
)
SOFTMAX_OVER_EVERYTHING = Idea(
    "softmax-over-everything", "All entries together sum to 1: which of them should compete with each other?"
)
SCALE_AFTER_SOFTMAX = Idea(
    "scale-after-softmax", "Every row has the same sum: something is applied after the softmax that belongs before it."
)
NO_EXPONENTIAL = Idea("no-exponential", "A softmax never gives a negative number: where is the exponential?")
NO_MAX_SUBTRACTION = Idea(
    "no-max-subtraction",
    "The exponential overflows or vanishes; softmax ignores a shift of a row, so choose a good one.",
)
GLOBAL_MAX = Idea("one-global-max", "A row far below the largest one vanished: each row needs a shift of its own.")
SWAPPED_RETURN = Idea("swapped-return", "The two results seem to be in the wrong order.")
ARGUMENTS_CHANGED = Idea("arguments-changed", "Work on a copy: the caller still needs these arrays.")
MASK_AFTER_SOFTMAX = Idea(
    "mask-after-softmax", "The blocked positions took part in the softmax before they were removed."
)
MASK_IGNORED = Idea("mask-ignored", "The weights are those of attention without any mask: is the mask used?")
ZERO_FOR_BLOCKED = Idea("zero-for-blocked", "A score of 0 does not forbid anything: what does exp make of 0?")
ONE_STEP_AHEAD = Idea("one-step-ahead", "Each position also sees its next neighbour: where does the future begin?")
DIAGONAL_BLOCKED = Idea("diagonal-blocked", "A position may see itself: is anything left for row 0?")
OUTPUT_UNMASKED = Idea("output-unmasked", "Your weights hide the future, and the output was not made with them.")
MASK_NOT_ADDITIVE = Idea(
    "mask-not-additive", "This mask will be ADDED to scores: what has to be added to leave a score alone?"
)
ZERO_TIMES_INFINITY = Idea(
    "zero-times-infinity", "Zero times infinity is NaN: put the infinities in place instead of multiplying."
)
MASK_SIGN = Idea("mask-sign", "exp turns such an entry into the largest weight of all: check the sign.")
MASK_TOO_WEAK = Idea("mask-too-weak", "A strong enough score still gets through such a mask.")
STRICT_CROSSOVER = Idea("strict-crossover", "At equality, which side does 'at least as much' include?")
SEARCH_FROM_ZERO = Idea("search-from-zero", "A sequence has at least one position: where does the search start?")
BYTES_IGNORED = Idea("bytes-ignored", "How many bytes does one number take? Try other values of dtype_bytes.")
EXPANSION_IGNORED = Idea("expansion-ignored", "How wide is the hidden layer? Try other values of expansion.")
INTEGER_BUFFER = Idea(
    "integer-buffer",
    "An array made like an integer array holds integers and cuts off fractions: which of yours is one?",
)
ROLES_SWAPPED = Idea(
    "roles-swapped", "It was made from the other sequence: which one asks, and which one is looked up?"
)
CAUSAL_CROSS = Idea(
    "causal-mask-in-cross-attention", "The whole source is known from the start: may a target position not read it all?"
)
PEAKS_SWAPPED = Idea("peakedness-swapped", "The two numbers seem to be in the wrong order.")


def failed(seen: str, idea: Idea | None, otherwise: str) -> CheckFailed:
    """The failure that tells what was seen and then what the idea behind it says, or else a general way forward."""
    return CheckFailed(f"{seen} {idea.says if idea else otherwise}", idea.id if idea else None)


def of_scaling(divisor: float, d_k: int, lengths: tuple[int, ...]) -> Idea | None:
    """The idea behind scores that look divided by `divisor`."""

    def is_near(value: float) -> bool:
        return math.isclose(divisor, value, rel_tol=compare.SCALING)

    candidates = (
        (NO_SCALING, (1.0,)),
        (SCALE_BY_D_K, (float(d_k),)),
        (SCALE_UP, (1 / math.sqrt(d_k), 1 / d_k)),
        (SCALE_BY_LENGTH, tuple(math.sqrt(n) for n in lengths) + tuple(map(float, lengths))),
        (SCALE_FIXED, (8.0, math.sqrt(8))),
        (SCALE_OTHER, (math.log2(d_k), math.log(d_k), d_k / 2, math.sqrt(2 * d_k), math.sqrt(d_k) / 2)),
    )
    return next((idea for idea, values in candidates if any(map(is_near, values))), None)


def of_row_sums(weights: np.ndarray) -> Idea | None:
    """The idea behind weights whose rows do not sum to 1."""
    if np.any(weights < 0):
        return NO_EXPONENTIAL
    rows, total = weights.sum(axis=1), float(weights.sum())
    if np.allclose(weights.sum(axis=0), 1, atol=1e-5):
        return SOFTMAX_OVER_QUERIES
    if math.isclose(total, 1, abs_tol=1e-5) and len(rows) > 1:
        return SOFTMAX_OVER_EVERYTHING
    if np.allclose(rows, rows[0], rtol=1e-5) and rows[0] > 0:
        return SCALE_AFTER_SOFTMAX
    if np.all(np.triu(weights, 1) == 0) and abs(rows[-1] - 1) < 1e-5 and np.all(rows < 1 + 1e-5):
        return MASK_AFTER_SOFTMAX
    return None


def of_leak(output: np.ndarray, weights: np.ndarray, probe: probes.Probe) -> Idea | None:
    """The idea behind weights of causal attention that let the future through, with or without scaling."""
    if compare.close(weights, probe.weights):
        # The weights are right here, so what leaked goes past them or was stronger.
        return MASK_TOO_WEAK if compare.close(output, probe.output) else OUTPUT_UNMASKED
    if np.all(np.isnan(weights[0])) and np.all(np.diagonal(weights)[1:] == 0):
        return DIAGONAL_BLOCKED
    for scores in (probe.scores / math.sqrt(probe.d_k), probe.scores):
        unmasked = reference.softmax_rows(scores)
        for idea, wrong in (
            (MASK_IGNORED, unmasked),
            (MASK_AFTER_SOFTMAX, np.tril(unmasked)),
            (ZERO_FOR_BLOCKED, reference.softmax_rows(np.tril(scores))),
            (ONE_STEP_AHEAD, reference.softmax_rows(np.where(np.tri(len(scores), k=1) > 0, scores, -1e9))),
        ):
            if compare.close(weights, wrong):
                return idea
    return None
