"""Whatever a student's function returns, a hidden check passes or fails; it never stops with another exception."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograder.graders
from autograder.grading.outcome import CheckFailed
from autograder.grading.student import Reply
from autograder.student.inside.values import Opaque, Probe

LONGEST_MESSAGE = 600


def checks() -> Iterator[Callable[[Any], None]]:
    for info in pkgutil.walk_packages(autograder.graders.__path__, "autograder.graders."):
        if info.name.rpartition(".")[2].startswith("test_"):
            module = importlib.import_module(info.name)
            yield from (
                function
                for name, function in inspect.getmembers(module, inspect.isfunction)
                if name.startswith("test_") and function.__module__ == module.__name__
            )


class Weird:
    """Stands for a notebook all of whose functions return what `answer` makes of their arguments."""

    def __init__(self, answer: Callable[..., Any], arguments: list[Any] | None = None) -> None:
        self._answer = answer
        self._arguments = arguments

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args, **keywords: self.ask(name, *args, **keywords).value

    def ask(self, name: str, *args: Any, **keywords: Any) -> Reply:
        with np.errstate(all="ignore"):
            value = self._answer(name, *args)
        return Reply(value, list(args) if self._arguments is None else self._arguments, keywords)


OPAQUE = Opaque("generator\n<b>", "object", (3,))
HUGE = 10**5000
PLAIN = [
    None, True, False, np.True_, 0, 1, 5, -1, 2.5, 1j, HUGE, -HUGE, float("nan"), float("inf"), 1e308, -1e308, 5e-324,
    np.float32(1), np.float64("nan"), np.int8(-1), np.uint64(2**64 - 1), np.complex64(1j), np.longdouble("1e4000"),
    "", "x", b"x", [], (), {}, {"output": 1}, OPAQUE, [OPAQUE], (OPAQUE, OPAQUE),
    (None, None), (1, 2), [1, 2], (1, 2, 3), (None, None, None), ("a", "b"), [[1, 2], [3]], [[1], 2], [[[[[[1]]]]]],
    [HUGE], [[HUGE]], ([[HUGE]], [[HUGE]]), [None], [1j], [True], (True, False), [float("nan")],
    np.array(None), np.array(True), np.array(1), np.array(np.nan), np.array(1j), np.array("x"), np.array([]),
    np.zeros((0, 5)), np.zeros((5, 0)), np.zeros(1), np.zeros((6, 6)), np.zeros((6, 6, 6)), np.zeros((1,) * 8),
    np.zeros((1000, 1000)), np.full((6, 6), np.nan), np.full((6, 6), 1j), np.zeros((6, 6), dtype=bool),
    np.zeros((6, 6), dtype=np.int8), np.array(["x", "y"]), np.array([object()]), np.zeros(3, "M8[s]"),
    np.zeros(2, dtype=[("a", float)]), np.ma.masked_all((6, 6)), np.ma.masked, np.ma.array([1, 2], mask=[1, 0]),
    (np.zeros((6, 3)), np.zeros((6, 6))), (np.zeros((6, 6)), np.zeros((6, 3))), [np.zeros((6, 3)), OPAQUE],
    (np.zeros((6, 3)), [[0.5] * 6] * 6), (np.zeros((6, 3)), [[0.5] * 6] * 5 + [[0.5]]), np.zeros((2, 6, 6)),
]  # fmt: skip

NUMBERS = [
    0.0, -0.0, 1.0, -1.0, 0.2, np.nan, np.inf, -np.inf, 1e99, 1e101, 1e308, -1e308, 5e-324, 2**31, -(2**63), True,
]  # fmt: skip


def measured(probe: str, *args: Any) -> list[tuple[int, ...]]:
    """The shapes of what a probe of exercise 3b returns."""
    return {
        "outputs": lambda: [(len(args[0]), args[2].shape[1]), ()],
        "peaks": lambda: [(len(args[0]), 2)],
        "measured": lambda: [(len(args),)],
    }[probe]()


def shapes(name: str, *args: Any) -> list[tuple[int, ...]]:
    """The shapes of what a function of the course returns."""
    if args and isinstance(args[0], Probe):
        return measured(args[0].name, *args[1:])
    if name == "softmax":
        return [np.shape(args[0])]
    if name == "causal_mask":
        return [(args[0], args[0])]
    if name == "padding_mask":
        return [(len(args[0]), args[1], args[1])]
    if name == "prefix_mask":
        return [(args[0], args[0])]
    if name == "combine":
        return [np.broadcast_shapes(*map(np.shape, args))]
    if name == "softmax_jacobian":
        return [(len(args[0]), len(args[0]))]
    if name == "sparsemax":
        return [np.shape(args[0])]
    if name.endswith("linear_attention"):
        return [(len(args[0]), args[2].shape[1])]
    if name == "multi_head_attention":
        return [np.shape(args[0]), (args[5], len(args[0]), len(args[0]))]
    if name == "project":
        return [(len(args[0]), args[2].shape[1]), (len(args[1]), args[3].shape[1]), (len(args[1]), args[4].shape[1])]
    if name.endswith("attention"):
        return [(len(args[0]), args[2].shape[1]), (len(args[0]), len(args[1]))]
    if name == "peakedness":
        return [(), ()]
    return [()]


def of_right_shape(make: Callable[[tuple[int, ...]], Any]) -> Callable[..., Any]:
    """Answers that get past every look at shapes."""

    def answer(name: str, *args: Any) -> Any:
        parts = [make(shape) for shape in shapes(name, *args)]
        return parts[0] if len(parts) == 1 else tuple(parts)

    return answer


def one_odd(number: float) -> Callable[[tuple[int, ...]], np.ndarray]:
    def make(shape: tuple[int, ...]) -> np.ndarray:
        array = np.full(shape, 0.25)
        array[(-1,) * len(shape)] = number
        return array

    return make


def scattered(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(len(shape)).choice([0.3, -2.0, np.nan, np.inf, 1e300], size=shape)


ANSWERS = [
    *(lambda *_, value=value: value for value in PLAIN),
    *(of_right_shape(lambda shape, number=number: np.full(shape, number)) for number in NUMBERS),
    *(of_right_shape(one_odd(number)) for number in NUMBERS),
    *(of_right_shape(lambda shape, kind=kind: np.ones(shape, dtype=kind)) for kind in "?bBhfdegFDGQ"),
    of_right_shape(lambda shape: np.full(shape, 0.25).tolist()),
    of_right_shape(lambda shape: np.eye(*shape) if len(shape) == 2 else np.zeros(shape)),
    of_right_shape(lambda shape: np.ma.masked_all(shape)),
    of_right_shape(scattered),
    of_right_shape(lambda shape: np.random.default_rng(1).normal(size=shape)),
    of_right_shape(lambda shape: np.random.default_rng(1).random(shape)),
]


def end(check: Callable[[Any], None], student: Weird) -> str | None:
    """Run a check as the grader does. Returns the message of a failure."""
    try:
        with np.errstate(all="ignore"):
            check(student)
    except CheckFailed as failure:
        return failure.message
    return None


@pytest.mark.parametrize("check", list(checks()), ids=lambda check: check.__name__)
class TestEveryCheck:
    def test_anything_returned_is_passed_or_failed(self, check: Callable[[Any], None]) -> None:
        """No return value stops a check with an exception of its own, and messages stay short."""
        for answer in ANSWERS:
            message = end(check, Weird(answer))
            assert message is None or 20 < len(message) < LONGEST_MESSAGE
            assert message is None or "<b>\n" not in message

    def test_anything_left_in_the_arguments_is_passed_or_failed(self, check: Callable[[Any], None]) -> None:
        """No state of the arguments after a call stops a check either."""
        right = of_right_shape(lambda shape: np.full(shape, 0.25))
        for value in PLAIN:
            end(check, Weird(right, [value] * 5))
            end(check, Weird(right, []))

    def test_nothing_at_all_is_failed(self, check: Callable[[Any], None]) -> None:
        """A function that returns None earns nothing."""
        assert end(check, Weird(lambda *_: None)) is not None

    def test_the_same_number_everywhere_is_failed(self, check: Callable[[Any], None]) -> None:
        """An answer that returns one number whatever is asked gets past no check but those of shapes and arguments."""
        lenient = ("shape", "leaves", "returns_output", "other_lengths", "whole_numbers", "byte_size")
        if not any(part in check.__name__ for part in lenient):
            assert end(check, Weird(of_right_shape(lambda shape: np.full(shape, 0.25)))) is not None
