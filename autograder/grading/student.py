"""`student`: what a hidden check talks to. It stands for a student's notebook in another process.

    output, weights = student.causal_attention(Q, K, V)

Where there is no answer, the check fails with a sentence for the student; these sentences are here.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.grading.outcome import StudentError
from autograder.reading.repair import defines
from autograder.student.inside.values import plain
from autograder.student.process import Answer
from autograder.student.session import Lost, Session
from autograder.text import MISLEADING

MAX_TEXT = 200
KEEPING = ("%%time", "%%capture", "%%prun")  # what a cell defines under any other cell magic is not kept
_NUMBERS = 8  # in the text of an exception: shapes and indices, but no arrays
_NUMBER = re.compile(r"\d+(\.\d+)?")
_ENCODED = re.compile(r"(?<![\w+/=-])(?=(?:[A-Za-z_+/=-]*\d){4})[\w+/=-]{24,}")  # such as bytes in hexadecimal digits
_DECIMALS = re.compile(r"(\d)\.\d{4,}([eE][+-]?\d+)?|\d{9,}")


@dataclass(frozen=True)
class Reply:
    """A function's value and its arguments as they were after the call."""

    value: Any
    arguments: list[Any]
    keywords: dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One call that a check made: what went in, and what came back or why nothing did."""

    function: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    value: Any = None
    failure: str | None = None


class Student:
    """The functions of one notebook as attributes; `ask` gives the arguments after the call as well.

    Both raise StudentError where the function is missing, raises, hangs or ends the process.
    """

    def __init__(
        self, session: Session, texts: Sequence[str] = (), listener: Callable[[Call], None] | None = None
    ) -> None:
        self._session = session
        self._texts = texts  # of the cells that are no code
        self._listener = listener

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self.ask(name, *args, **kwargs).value

    def ask(self, name: str, /, *args: Any, **kwargs: Any) -> Reply:
        """Call the student's function `name` with copies of the arguments."""
        if self._listener is None:
            return self._ask(name, args, kwargs)
        sent = copy.deepcopy((args, kwargs))
        try:
            reply = self._ask(name, args, kwargs)
        except StudentError as error:
            self._listener(Call(name, *sent, failure=error.message))
            raise
        self._listener(Call(name, *sent, value=reply.value))
        return reply

    def _ask(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reply:
        answer = self._session.call(name, args, kwargs)
        if isinstance(answer, Lost):
            raise StudentError(_lost(name, answer))
        if answer.op == "value":
            value, arguments = plain(answer.value), [plain(arg) for arg in answer.args]
            return Reply(value, arguments, {key: plain(arg) for key, arg in answer.kwargs.items()})
        if answer.op == "missing":
            raise StudentError(self._missing(name, answer))
        if answer.op == "too-large":
            raise StudentError(f"`{name}` returned more than can be looked at. Return the arrays asked for, no more.")
        error = answer.error or {}
        if not any(error.get("line", "") in source for _, source in self._session.code):
            error = {**error, "line_number": 0}  # a line that is not in the notebook was made up while it ran
        raise StudentError(_raised(name, error), error.get("type", "Exception"))

    def _missing(self, name: str, answer: Answer) -> str:
        if answer.value != "NoneType":
            return f"`{name}` is no function in your notebook but of type {_name(answer.value)}. " + (
                "A later cell may give its name to something else."
            )
        for number, (index, source) in enumerate(self._session.code, start=1):
            run = self._session.runs.get(index)
            if run is None or not defines(source, name):
                continue
            magic = source.split()[0]
            if magic.startswith("%%") and magic not in KEEPING:
                return (
                    f"`{name}` is written in a cell that begins with {one_line(magic, 30)}, where definitions are "
                    "not kept. Remove that line."
                )
            if run.error is not None:
                return (
                    f"Your notebook has no function `{name}`, because code cell {number} stopped before it was "
                    f"defined: {describe(run.error)}."
                )
        if any(defines(text, name) for text in self._texts):
            return f"`{name}` is written in a text cell, which is not run. Write it in the cell made for it."
        return (
            f"Your notebook has no function `{name}`. Write it in the cell made for it, with exactly this name, "
            "and run all cells before you hand in."
        )


def _lost(name: str, lost: Lost) -> str:
    if lost.how == "hung":
        return (
            f"`{name}` did not return within {lost.seconds:g} seconds and was stopped. "
            "Look for a loop that never ends, or one that does far too much work."
        )
    if lost.how == "given-up":
        return (
            f"`{name}` was stopped before because it did not return within {lost.seconds:g} seconds, "
            "so it was not called again."
        )
    if lost.how == "budget":
        return (
            f"Your notebook used up its {lost.seconds:g} seconds before this could be tried. "
            "Look for cells or functions that take long."
        )
    if lost.how == "memory":
        return (
            f"`{name}` used more than {lost.limit} MB of memory and was stopped. "
            "Look for arrays that are far larger than the answer, or for a list that grows without an end."
        )
    if lost.how == "processes":
        return f"`{name}` started more than {lost.limit} processes and was stopped. No answer here needs any."
    if lost.how == "garbled":
        return f"`{name}` was called, but what came back was no answer. Return plain arrays and numbers."
    return (
        f"`{name}` ended the Python process when it was called. Look for exit(), for far too much memory, "
        "or for recursion without an end."
    )


def _raised(name: str, error: dict[str, Any]) -> str:
    kind = error.get("type", "Exception")
    if kind == "NotImplementedError":
        return f"`{name}` is not written yet: it raises NotImplementedError."
    if kind in ("SystemExit", "KeyboardInterrupt"):
        return f"`{name}` ended the program ({kind}) instead of returning a value."
    if kind == "MemoryError":
        return f"`{name}` asked for more memory than there is. {describe(error)}."
    return f"`{name}` raised {describe(error)}."


def describe(error: dict[str, Any]) -> str:
    """Return an exception as one line: its type, its text and the student's own line. Never a hidden input."""
    text = one_line(_without_data(error.get("text", "")), MAX_TEXT)
    said = _name(error.get("type", "Exception")) + (f": {text}" if text else "")
    if not error.get("line_number"):
        return said
    line = one_line(error.get("line", ""), 100)
    return f"{said} (your line {error['line_number']}" + (f": `{line}`)" if line else ")")


def _name(text: str) -> str:
    """Return the name of a student's class as it is shown."""
    return one_line(_without_data(text), 60)


def _without_data(text: str) -> str:
    """Return the text of an exception without what looks like an array or like encoded data.

    This is made for whoever writes a hidden input into an exception; it does not stop whoever writes it in words.
    """
    text = _ENCODED.sub("###", text[:2000])
    for found in reversed(list(_NUMBER.finditer(text))[_NUMBERS:]):
        text = text[: found.start()] + "#" + text[found.end() :]
    return text


def one_line(text: str, limit: int) -> str:
    """Return text as one short line without control characters, and with long decimals masked."""
    flat = MISLEADING.sub(" ", text[: 20 * limit]).strip()
    flat = _DECIMALS.sub(lambda found: f"{found[1]}.###" if found[1] else "###", flat)
    return flat if len(flat) <= limit else flat[: limit - 3] + "..."


def without_controls(text: str, keep: str = "") -> str:
    """Return text without control characters, lone surrogates and direction marks, other than those in `keep`."""
    return MISLEADING.sub(lambda found: "".join(char for char in found[0] if char in keep), text)
