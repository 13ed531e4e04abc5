"""Which sequence project makes the queries, the keys and the values from.

Canary: attention-course-canary-8e868918fa4146e0
"""

from __future__ import annotations

from typing import Any

from autograder.graders import attention, compare, expect, probes, reference, words
from autograder.graders.diagnoses import ARGUMENTS, diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-8e868918fa4146e0"


LENGTHS = (5, 7), (7, 1)  # (n_q, n_k)


def _check_part(student: Any, place: int, name: str, source: str, other: str, matrix: str) -> None:
    """One of the three results is the right sequence times the right matrix."""
    for lengths in LENGTHS:
        _check_product(student, probes.sequences(*lengths), place, name, source, other, matrix)


def _check_product(
    student: Any, inputs: probes.Sequences, place: int, name: str, source: str, other: str, matrix: str
) -> None:
    got = expect.array(expect.several(student.project(*inputs.inputs), 3, "project")[place], f"your {name}")
    right, wrong = getattr(inputs, source), getattr(inputs, other)
    projection = getattr(inputs, matrix)
    want = reference.project(right, projection)
    if compare.close(got, reference.project(wrong, projection)):
        raise Failure(
            f"Your {name} has {words.show(len(got))} rows, one for each row of {other}.",
            "It was made from the other sequence: which one asks, and which one is looked up?",
        )
    if got.shape != want.shape:
        raise Failure(
            f"Asked for {name} as result number {place + 1} of project, an array of shape {words.shape(got.shape)} "
            "came back.",
            "Write the shape of each product beside its line, and look at the order of the results.",
        )
    expect.all_finite(got, f"your {name}")
    compare.require_close(
        got, want, f"your {name}", f"{name} is one sequence times one matrix: which sequence, and which matrix?"
    )


@cell("project-roles")
@diagnosed("project")
def test_queries_come_from_the_decoder(student: Any) -> None:
    """The queries are made from the decoder's states"""
    _check_part(student, 0, "Q", "X_dec", "X_enc", "W_q")


@cell("project-roles")
@diagnosed("project")
def test_keys_come_from_the_encoder(student: Any) -> None:
    """The keys are made from the encoder's states"""
    _check_part(student, 1, "K", "X_enc", "X_dec", "W_k")


@cell("project-roles")
@diagnosed("project")
def test_values_come_from_the_encoder(student: Any) -> None:
    """The values are made from the encoder's states"""
    _check_part(student, 2, "V", "X_enc", "X_dec", "W_v")


@cell("project-roles")
@diagnosed("project", ARGUMENTS)
def test_project_leaves_its_arguments_alone(student: Any) -> None:
    """project does not change the states or the matrices"""
    names = ("X_dec", "X_enc", "W_q", "W_k", "W_v")
    attention.check_unchanged(student, "project", probes.sequences(*LENGTHS[0]).inputs, names, results=3)
