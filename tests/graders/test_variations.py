"""Exercise 5: its reference answers against properties that define them, and what guessing earns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_weird_returns import Weird, checks, end, of_right_shape

from autograder.course import load_course
from autograder.graders import probes, reference, refusal, variations
from autograder.graders.diagnoses import IDEAS, ex5_heads, ex5_masked, ex5_masks
from autograder.graders.failure import Failure
from autograder.grading.outcome import CheckFailed, StudentError

NAME = "ex5-variations"
MOST_FOR_A_GUESS = 1.0  # of 10 points


class TestReferences:
    @pytest.mark.parametrize("x", [*variations.SOME_SHARES, *variations.ALL_SHARES])
    def test_sparsemax_is_the_nearest_point_with_sum_one(self, x: np.ndarray) -> None:
        """Where a share is above 0, score minus share is one level for all; elsewhere the score lies at or below it."""
        shares = variations.sparsemax(x)
        assert shares.min() >= 0 and shares.sum() == pytest.approx(1, abs=1e-12)
        level = (x - shares)[shares > 0]
        assert np.ptp(level) < 1e-12
        assert np.all(x[shares == 0] <= level[0] + 1e-12)

    def test_the_jacobian_is_that_of_softmax(self) -> None:
        x, step = probes.numbers(5), 1e-6
        columns = [
            (reference.softmax_rows(x + step * nudge) - reference.softmax_rows(x - step * nudge)) / (2 * step)
            for nudge in np.eye(5)
        ]
        assert np.allclose(variations.jacobian(variations.weights_of_one_row(5)), np.stack(columns, axis=1), atol=1e-9)

    def test_linear_attention_is_a_mean_of_the_values(self) -> None:
        """Its weights are positive and sum to 1; repeating the sequence changes nothing; the causal ones end at i."""
        probe = probes.square()
        weights = variations.linear_weights(probe.Q, probe.K)
        assert np.all(weights > 0) and np.allclose(weights.sum(axis=1), 1)
        assert np.all(np.triu(variations.linear_weights(probe.Q, probe.K, causal=True), 1) == 0)
        once, thrice = variations.repeated(1), variations.repeated(3)
        assert np.allclose(np.tile(variations.linear_output(once), (3, 1)), variations.linear_output(thrice))

    def test_one_head_is_ordinary_attention(self) -> None:
        given = variations.heads(5, 6, 1)
        Q, K, V = given.X @ given.W_q, given.X @ given.W_k, given.X @ given.W_v
        assert np.allclose(given.output, reference.blend(reference.weights(Q, K), V) @ given.W_o)

    def test_a_row_with_nothing_to_see_is_zero(self) -> None:
        given = variations.masked(empty=(1, 3))
        assert given.empty.tolist() == [1, 3]
        assert given.probe.weights.sum(axis=1).round(12).tolist() == [1, 0, 1, 0, 1]


def _share(answer: Callable[..., Any]) -> float:
    """The points of exercise 5 that a notebook earns whose functions all return what `answer` makes of their inputs."""
    assignment = load_course(Path(__file__).parents[2]).assignment(NAME)
    ours = [check for check in checks() if ".ex5_variations." in check.__module__]
    marks = {check: next(mark for mark in check.pytestmark if mark.name == "cell") for check in ours}  # type: ignore[attr-defined]
    earned = 0.0
    for cell in assignment.graded:
        weights = {
            check: mark.kwargs.get("weight", 1) for check, mark in marks.items() if mark.args[0] == cell.grade_id
        }
        passed = sum(weight for check, weight in weights.items() if end(check, Weird(answer)) is None)
        earned += cell.points * passed / sum(weights.values())
    return earned


@pytest.mark.parametrize(
    "answer",
    [
        of_right_shape(np.zeros),
        of_right_shape(np.ones),
        of_right_shape(lambda shape: np.full(shape, 1 / max(shape[-1], 1) if shape else 1.0)),
        of_right_shape(lambda shape: np.random.default_rng(1).random(shape)),
        of_right_shape(
            lambda shape: np.broadcast_to(np.eye(*shape[-2:]), shape) if len(shape) > 1 else np.zeros(shape)
        ),
        of_right_shape(lambda shape: np.triu(np.full(shape, -np.inf), 1) if len(shape) > 1 else np.zeros(shape)),
        lambda name, *inputs: inputs[0],
        lambda name, *inputs: inputs[-1],
        lambda name, *inputs: (inputs[-1], inputs[0]),
    ],
    ids=["zeros", "ones", "even", "random", "identity", "causal", "first input", "last input", "inputs"],
)
def test_guessing_earns_very_little(answer: Callable[..., Any]) -> None:
    """Whoever returns the right shape, or an input, whatever is asked, gets no more than one point of ten."""
    assert _share(answer) <= MOST_FOR_A_GUESS


def test_code_added_to_an_idea_belongs_to_one_that_exists() -> None:
    added = {name for module in (ex5_heads, ex5_masked, ex5_masks) for name in module.ALSO}
    assert added <= {idea.id for idea in IDEAS}


class Refusing:
    """Stands for a notebook whose function answers the number 1 and raises `raised` for all else."""

    def __init__(self, raised: str | None) -> None:
        self._raised = raised

    def f(self, number: int) -> np.ndarray:
        if number != 1:
            if self._raised is None:
                return np.zeros((2, 2))
            raise StudentError(f"`f` raised {self._raised}.", self._raised)
        return np.zeros((2, 2))


class TestRefusal:
    def test_a_value_error_is_what_was_asked_for(self) -> None:
        refusal.check_refuses(Refusing("ValueError"), "f", (1,), {"two": (2,)})

    def test_another_exception_is_named(self) -> None:
        with pytest.raises(Failure, match="IndexError") as failed:
            refusal.check_refuses(Refusing("IndexError"), "f", (1,), {"two": (2,)})
        assert failed.value.misconception is None

    def test_an_answer_is_no_refusal(self) -> None:
        with pytest.raises(Failure, match="two") as failed:
            refusal.check_refuses(Refusing(None), "f", (1,), {"two": (2,)})
        assert failed.value.misconception == refusal.ACCEPTED

    def test_whoever_refuses_everything_fails(self) -> None:
        with pytest.raises(CheckFailed):
            refusal.check_refuses(Refusing("ValueError"), "f", (3,), {"two": (2,)})
