"""What the checks of the attention functions share; each looks at one thing and lets other mistakes pass.

Canary: attention-course-canary-20c06816a539a4d1

* Shapes are looked at alone.
* Row sums: a wrong scaling, or scores from the wrong arrays, still sum to 1.
* Weights against scores: any scaling and any normalisation passes, those have checks of their own.
* Scaling: any normalisation passes; V is the identity, so the output shows the weights as well.
* The output is held against the student's own weights, so wrong weights cost once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograder.graders import compare, expect, probes, words
from autograder.graders.failure import Failure
from autograder.grading.outcome import CheckFailed

CANARY = "attention-course-canary-20c06816a539a4d1"

FLAT = 0.02  # weights that follow the scores less than this (a softmax of S / 50) count as not following them
UNSEEN = 1e-3  # a factor so small shows no scaling
CHANGED = "arguments-changed"  # the id of the idea that the check on arguments sees for itself
MISFIT = 0.05  # of the logarithms, for recognising a scaling: generous, as other checks look at the values


def ask(student: Any, function: str, probe: probes.Probe) -> tuple[object, object]:
    """(output, weights) as they came back."""
    return expect.pair(getattr(student, function)(*probe.inputs), function)


def weights_of(student: Any, function: str, probe: probes.Probe, *, finite: bool = True) -> np.ndarray:
    """The weights alone, in their right shape."""
    return expect.matrix(ask(student, function, probe)[1], probe.weights_shape, "your weights", finite=finite)


def check_shapes(student: Any, function: str, probe: probes.Probe) -> None:
    """Output (n_q, d_v) and weights (n_q, n_k), in this order."""
    output, weights = (expect.array(part, "a result") for part in ask(student, function, probe))
    if output.shape == probe.weights_shape and weights.shape == probe.output_shape:
        raise Failure(
            f"Asked for the output and then the weights, {function} returned arrays of shape "
            f"{words.shape(output.shape)} and {words.shape(weights.shape)}.",
            "The two results seem to be in the wrong order.",
        )
    expect.matrix(output, probe.output_shape, "your output", finite=False)
    expect.matrix(weights, probe.weights_shape, "your weights", finite=False)


def check_rows(weights: np.ndarray, first: int = 0) -> None:
    """From row `first` on, no weight is negative and every row sums to 1."""
    rows = weights[first:]
    expect.all_finite(rows, "your weights")
    negative = np.argwhere(rows < 0)
    if len(negative):
        i, j = (int(index) for index in negative[0])
        raise Failure(
            f"At {compare.place((i + first, j))} your weights hold {words.show(rows[i, j])}, "
            "and a weight is never below 0.",
            "What do you know about the sign of an exponential?",
        )
    sums = rows.sum(axis=1)
    off = np.flatnonzero(np.abs(sums - 1) > compare.VALUES * rows.shape[1])
    if len(off):
        raise Failure(
            f"Each row of weights should sum to 1, and row {off[0] + first} of yours (counting from 0) "
            f"sums to {words.show(sums[off[0]])}.",
            "Look at what the exponentials are divided by.",
        )


def follows_scores(weights: np.ndarray, probe: probes.Probe, cells: np.ndarray | None = None) -> bool:
    """Do the weights rise with the dot products as in a softmax, over whatever and with whatever scaling?

    Rows that sum to 1 must be a softmax of their own row; others may have been normalised in any way.
    """
    cells = probe.open if cells is None else cells
    if compare.close(weights, probe.weights):
        return True
    with np.errstate(all="ignore"):
        is_normalised = np.allclose(weights.sum(axis=1), 1, atol=1e-5)
    found = compare.fit(weights, probe.scores, cells, columns=not is_normalised)
    return found is not None and found.factor > FLAT and compare.close(found.fitted, weights[cells])


def check_weights(weights: np.ndarray, probe: probes.Probe, cells: np.ndarray | None = None) -> None:
    """The weights follow the scores of their query and key."""
    if follows_scores(weights, probe, cells):
        return
    cells = probe.open if cells is None else cells
    index = compare.worst(np.where(cells, weights, 0), np.where(cells, probe.weights, 0))
    raise Failure(
        f"At {compare.place(index)} your weights hold {words.show(weights[index])}, which no softmax of the "
        "scores Q Kᵀ explains.",
        "Check which arrays the scores are made of, that row i belongs to query i, "
        "and that softmax is taken once and not rounded.",
    )


def check_output(output: np.ndarray, weights: np.ndarray, probe: probes.Probe) -> None:
    """The output is the right one, or row i is at least the mean of the rows of V under row i of the weights."""
    if compare.close(output, probe.output):
        return
    with np.errstate(all="ignore"):
        own = weights @ probe.V  # (n_q, d_v)
    if not compare.same_or_both_nan(output, own):
        index = compare.worst(np.where(np.isnan(own), 0, output), np.where(np.isnan(own), 0, own))
        raise Failure(
            f"At {compare.place(index)} your output holds {words.show(output[index])}, and your own weights "
            "applied to V do not give that.",
            "Row i of the output is a mean of the rows of V, weighted by row i "
            "of the weights, with nothing done to it afterwards.",
        )
    with np.errstate(all="ignore"):
        mixes = (weights > 1e-9).sum(axis=1) > 1
        uneven = weights.max(axis=1) - weights.min(axis=1) > 1e-9
    if not np.any(mixes & uneven):
        raise Failure(
            "Your output fits your weights, but no row of your weights mixes several rows of V unevenly, "
            f"so there is nothing to judge; row 0 begins with {', '.join(map(words.show, weights[0, :3]))}.",
            "Compute the weights from Q and K first.",
        )


def visible_factor(student: Any, function: str, probe: probes.Probe) -> compare.Fit | None:
    """The factor by which scores were scaled, read from the weights or (V being the identity) from the output."""
    best: compare.Fit | None = None
    for part in reversed(ask(student, function, probe)):
        try:
            table = expect.array(part, "a result")
        except CheckFailed:
            continue
        for view in (table, table.T):
            if view.shape != probe.weights_shape:
                continue
            with np.errstate(all="ignore"):
                cells = probe.open & (view > 0) & np.isfinite(view)  # what is blocked by mistake says nothing
            found = compare.fit(view, probe.scores, cells)
            if found and abs(found.factor) < UNSEEN:
                continue
            if found and found.misfit < compare.VALUES:
                return found
            if found and found.misfit < MISFIT and (best is None or found.misfit < best.misfit / 10):
                best = found
    return best


def check_scaling(student: Any, function: str, probe: probes.Probe) -> None:
    """The scores were divided by the right number for this width."""
    d_k = probe.d_k
    found = visible_factor(student, function, probe)
    if found is None:
        raise Failure(
            f"With d_k = {d_k} your weights could not be recognised as made from the scores Q Kᵀ, "
            "so their scaling cannot be seen.",
            "Repair the weights first; this check may then pass by itself.",
        )
    if not abs(found.factor * math.sqrt(d_k) - 1) <= compare.SCALING:  # a nan must fail
        raise Failure(
            f"With d_k = {d_k} your weights look as if the scores had been divided by "
            f"{words.show(found.divisor)} before the softmax.",
            "Which number gives scores of this width a spread of about 1?",
        )


def check_large_scores(weights: np.ndarray, first: int = 0) -> None:
    """On a probe of huge scores, whose keys 0 and 1 are equal, rows from `first` on hold finite, fitting weights.

    Equal keys have equal weights under any scaling and any normalisation; rows follow keys in a transposed answer.
    """
    rows = weights[first:]
    bad = np.argwhere(~np.isfinite(rows))
    if len(bad):
        i, j = (int(index) for index in bad[0])
        raise Failure(
            f"With scores in the thousands your weights hold {words.show(rows[i, j])} at "
            f"{compare.place((i + first, j))}.",
            "Softmax ignores a shift of a whole row: which shift keeps the exponential within bounds?",
        )
    last = rows[-1]
    if float(np.ptp(last)) < compare.STRESS < last[0]:
        raise Failure(
            "With scores in the thousands, and far apart, every key gets the same weight from you, "
            f"{words.show(last[0])}.",
            "Shifting all scores of a row is safe before an exponential, clipping is not.",
        )
    equal = compare.close(rows[:, 0], rows[:, 1], compare.STRESS) or compare.close(weights[0], weights[1])
    if not equal or weights[:, 0].max() < compare.STRESS:
        i = int(np.argmax(np.abs(rows[:, 0] - rows[:, 1])))
        raise Failure(
            "With scores in the thousands, two equal keys should get equal weights, and more than 0 where they suit "
            f"best; yours get {words.show(rows[i, 0])} and {words.show(rows[i, 1])} in row {i + first}.",
            "Shift the scores of each row by an amount of its own before the exponential.",
        )


def check_unchanged(
    student: Any, function: str, inputs: tuple[np.ndarray, ...], names: tuple[str, ...], results: int = 1
) -> None:
    """The call left its arguments as they were, and returned arrays."""
    reply = student.ask(function, *inputs)
    parts = [reply.value] if results == 1 else expect.several(reply.value, results, function)
    if any(expect.array(part, "a result").size == 0 for part in parts):
        raise Failure(f"Asked for arrays with numbers in them, {function} returned an empty one.")
    after = list(reply.arguments) if isinstance(reply.arguments, (list, tuple)) else []
    for name, before, now in zip(names, inputs, after + [None] * len(inputs), strict=False):
        if not _is_same(before, now):
            raise Failure(
                f"Asked to compute something from {name}, {function} changed {name} itself.",
                "Work on a copy: the caller still needs it as it was.",
                CHANGED,
            )


def _is_same(before: np.ndarray, now: object) -> bool:
    return (
        isinstance(now, np.ndarray)
        and now.dtype.kind in "biuf"
        and now.shape == before.shape
        and bool(np.array_equal(now, before))
    )
