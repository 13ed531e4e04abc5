"""Whether cross_attention works for two sequences of unlike lengths and reads the whole source.

Canary: attention-course-canary-fc9450e9a1bac182
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import attention, compare, expect, probes, words
from autograder.graders.diagnoses import diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-fc9450e9a1bac182"

NAME = "cross_attention"
LENGTHS = (1, 6), (6, 1), (7, 4)  # (n_q, n_k); never two queries
SHUFFLED = 3, 0, 6, 2, 5, 1, 4


def _answers(student: Any, probe: probes.Probe) -> tuple[np.ndarray, np.ndarray]:
    output, weights = attention.ask(student, NAME, probe)
    return (
        expect.matrix(output, probe.output_shape, "your output"),
        expect.matrix(weights, probe.weights_shape, "your weights"),
    )


@cell("cross-attention-lengths")
@diagnosed(NAME)
def test_cross_attention_returns_output_and_weights(student: Any) -> None:
    """Cross-attention returns one row of output and one row of weights for each decoder position"""
    attention.check_shapes(student, NAME, probes.crossed())


@cell("cross-attention-lengths")
@diagnosed(NAME)
def test_cross_attention_at_other_lengths(student: Any) -> None:
    """Either sequence may be the longer one, or have a single position"""
    for n_q, n_k in LENGTHS:
        probe = probes.of_lengths(n_q, n_k)
        attention.check_shapes(student, NAME, probe)


@cell("cross-attention-lengths")
@diagnosed(NAME)
def test_order_of_the_source_does_not_matter(student: Any) -> None:
    """Shuffling keys and values together leaves the output as it was"""
    probe, order = probes.crossed(), list(SHUFFLED)
    shuffled = probes.Probe(probe.Q, probe.K[order], probe.V[order])
    output, weights = _answers(student, probe)
    output_then, weights_then = _answers(student, shuffled)
    if compare.close(weights, weights_then):
        raise Failure(
            "After the keys were put in another order your weights are what they were; "
            f"row 0 begins with {words.show(weights[0, 0])} both times.",
            "The weights have to be made from the keys.",
        )
    for before, after, what in ((output, output_then, "output"), (weights[:, order], weights_then, "weights")):
        if not compare.close(after, before):
            i, j = compare.worst(after, before)
            raise Failure(
                "After keys and values were shuffled together, "
                + (
                    "your weights are not the same ones in the new order"
                    if what == "weights"
                    else "your output changed"
                )
                + f": at {compare.place((i, j))} it went {words.change(before[i, j], after[i, j])}.",
                "Every query may read every key, wherever it stands.",
            )


@cell("cross-attention-lengths")
@diagnosed(NAME)
def test_every_query_reads_the_whole_source(student: Any) -> None:
    """Every decoder position reads the encoder to its end"""
    probe = probes.crossed()
    V = probe.V.copy()
    V[-1] += 10.0
    before, weights = _answers(student, probe)
    after, _ = _answers(student, probes.Probe(probe.Q, probe.K, V))
    still = np.flatnonzero(np.abs(after - before).max(axis=1) < compare.VALUES)
    if len(still):
        raise Failure(
            f"The last encoder position was given another value, and row {still[0]} of your output (counting from 0) "
            f"stayed as it was; its weights end with {words.show(weights[still[0], -1])}.",
            "How many encoder positions does each query read?",
        )
