"""The course's probe_seed gives other inputs, and the checks tell right from wrong as before."""

from __future__ import annotations

import dataclasses

import numpy as np
from answers import WRONG
from support import ROOT

from autograder.course import Course, load_course
from autograder.graders import probes
from autograder.grading.checks import PROBE_SEED
from autograder.grading.grader import Grader, checks_digest
from autograder.reading.submission import from_notebook
from autograder.sample.build import with_code

EX2 = "ex2-causal-masking"


def seeded(seed: int) -> Course:
    return dataclasses.replace(load_course(ROOT), probe_seed=seed)


def test_another_seed_gives_other_inputs_and_none_gives_those_that_are_shipped() -> None:
    shipped = probes.causal().Q
    token = PROBE_SEED.set(2027)
    try:
        other = probes.causal().Q
        assert other.shape == shipped.shape and not np.any(other == shipped)
        assert probes.causal().Q is other, "drawn once"
    finally:
        PROBE_SEED.reset(token)
    assert probes.causal().Q is shipped
    first = np.random.default_rng([probes.SEED, 2]).normal(0, 1, (6, 11))
    assert np.array_equal(shipped, first), "what was tuned and measured stays as it is"


def test_a_report_says_by_its_digest_that_the_inputs_were_others() -> None:
    assignment = load_course(ROOT).assignment(EX2)
    assert checks_digest(assignment, 1) != checks_digest(assignment, 2)


def test_with_another_seed_the_model_answer_passes_and_known_wrong_answers_fail() -> None:
    course = seeded(2027)
    assignment = course.assignment(EX2)
    chosen = [answer for answer in WRONG if answer.assignment == EX2][::8]
    assert len(chosen) >= 6
    notebooks = [assignment.notebook, *(with_code(assignment.notebook, answer.code) for answer in chosen)]
    with Grader(course) as grader:
        model, *others = grader.grade(
            assignment, [from_notebook(notebook, assignment, f"s{n}", "") for n, notebook in enumerate(notebooks)]
        )
    assert model.report.score == model.report.max_score
    for answer, graded in zip(chosen, others, strict=True):
        checks = [check for cell in graded.report.cells for check in cell.checks]
        failed = {check.name for check in checks if check.outcome == "failed"}
        assert set(answer.must) <= failed <= {*answer.must, *answer.may}, answer.name
        assert {check.misconception for check in checks} - {None} == {answer.idea} - {None}, answer.name
