"""The grader's end of the wire against a student's process that sends anything at all.

The peer here is the attacker: a thread on the other end of a socket pair. Whatever it sends, the grader ends with a
proper answer or with `Ended`, soon, and without a memory that grows with what it was told.
COURSE_FUZZ_EXAMPLES says how many inputs are tried (100000 for a long run); otherwise 1,200 are.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.gradebook.outputs import cell_outputs
from autograder.grading.outcome import StudentError
from autograder.grading.student import Student
from autograder.student.inside import wire
from autograder.student.inside.decode import Decoder
from autograder.student.inside.encode import Encoder
from autograder.student.inside.values import plain
from autograder.student.process import Answer, CellRun, Ended, StudentProcess
from autograder.student.session import Session

from .forgery import END, HEADER, LIMITS, Attacker, blobs, frame, frames, packed, trees

EXAMPLES = int(os.environ.get("COURSE_FUZZ_EXAMPLES", "1200"))
FUZZ = settings(
    max_examples=EXAMPLES // 4,  # of each of the four tests that use it
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    derandomize=EXAMPLES <= 1200,
)
TRIED = [0]


def proper(run: CellRun | Answer) -> None:
    """What came of a cell or a call has the types that everything behind it relies on."""
    if isinstance(run, CellRun):
        assert all(type(output) is dict and type(output["output_type"]) is str for output in run.outputs)
        assert len(repr(run.outputs)) < 3 * LIMITS.output_kb * 1024
        json.dumps(cell_outputs(run, 1), allow_nan=False, ensure_ascii=False).encode()
        error = run.error
    else:
        assert run.op in ("value", "raised", "missing", "too-large", "interrupted")
        plain(run.value)
        assert type(run.args) is list and type(run.kwargs) is dict
        error = run.error
    if error is not None:
        assert [type(error[name]) for name in ("type", "text", "line_number", "line")] == [str, str, int, str]


def drive(attack: Callable[[dict[str, Any]], bytes | None], printed: bytes = b"") -> list[str]:
    """Run a cell and a call against an attacker. Returns what came of each."""
    TRIED[0] += 1
    found = []
    process = StudentProcess(Attacker(attack, printed), {})  # type: ignore[arg-type]
    began = time.monotonic()
    try:
        proper(process.run_cell("x = 1"))
        found.append("run")
        answer = process.call("f", (np.eye(2), 1), {"axis": 0})
        proper(answer)
        found.append(answer.op)
    except Ended as ended:
        assert ended.how in ("killed", "died", "garbled")
        assert ended.statement is None or type(ended.statement) is int
        found.append(ended.how)
    finally:
        process.close()
    assert time.monotonic() - began < 10
    return found


@FUZZ
@given(said=st.binary(max_size=300), printed=st.binary(max_size=50), done=st.booleans(), ends=st.integers(0, 200))
def test_arbitrary_bytes_end_the_process_and_nothing_else(said: bytes, printed: bytes, done: bool, ends: int) -> None:
    """Bytes that are no frames are garbage, an end, or silence that is not waited for for long."""

    def attack(request: dict[str, Any]) -> bytes:
        if done and request["op"] == "cell":
            return frame({"op": "done", "nonce": request["nonce"]})
        return said if ends == 0 else said + END * 40

    assert drive(attack, printed)


@FUZZ
@given(
    first=st.lists(frames, min_size=1, max_size=4),
    second=st.lists(frames, min_size=1, max_size=4),
    ends=st.booleans(),
    cut=st.integers(0, 40),
)
def test_forged_frames_are_answers_or_garbage(first: list[Any], second: list[Any], ends: bool, cut: int) -> None:
    """Well-formed frames that say anything lead to an answer of the agreed types, or to none."""
    plan = iter([first, second])

    def attack(request: dict[str, Any]) -> bytes:
        sent = packed(next(plan), request["nonce"])
        if request["op"] == "cell" and ends:
            sent += frame({"op": "done", "nonce": request["nonce"], "error": None})
        else:
            sent += END
        return sent[:-cut] + END * 8 if cut and not ends else sent

    assert drive(attack)


@FUZZ
@given(tree=trees, blob=blobs)
def test_a_tree_becomes_a_plain_value_or_is_refused(tree: Any, blob: bytes) -> None:
    """Reading a tree never costs more memory than the message had, and raises nothing but WireError."""
    TRIED[0] += 1
    try:
        value = plain(Decoder(blob).decode(tree))
    except wire.WireError:
        return
    again = Encoder()
    again.encode(value)
    assert again.size <= 4 * len(blob) + 10_000


@FUZZ
@given(text=st.binary(max_size=400) | trees.map(lambda tree: json.dumps(tree).encode()))
def test_any_text_is_a_message_or_is_refused(text: bytes) -> None:
    """The text of a frame is one object with an "op", or nothing."""
    TRIED[0] += 1
    try:
        message = wire.parse(text)
    except wire.WireError:
        return
    assert type(message) is dict and type(message["op"]) is str


@pytest.mark.parametrize(
    "op", ["error", "machine-fault", "ready", "done", "output", "interrupted", "raised", "missing"]
)
def test_nothing_said_on_the_wire_makes_an_error_of_the_graders(op: str) -> None:
    """Whatever a student's process claims, a check fails with a sentence for the student."""

    def attack(request: dict[str, Any]) -> bytes:
        claims = {"isolation": "full", "score": 10, "message": "the grader is out of memory", "status": "needs-review"}
        said = "done" if request["op"] == "cell" else op
        return frame({"op": said, "nonce": request["nonce"], **claims})

    session = Session(Attacker(attack), [(0, "def f(x): return x")])  # type: ignore[arg-type]
    session.run()
    with pytest.raises(StudentError) as failed:
        Student(session).f(1)
    session.close()
    assert "out of memory" not in failed.value.message
    assert re.match(r"`f` |Your notebook", failed.value.message)


BOMBS: dict[str, Callable[[str], bytes]] = {
    "many arrays from the same bytes": lambda nonce: frame(
        {
            "op": "value",
            "nonce": nonce,
            "value": ["l", [["a", "ndarray", "|u1", [2**24], 0]] * 20_000],
            "args": [None, None],
            "kwargs": {"axis": 0},
        },
        bytes(2**24),
    ),
    "many empty lists": lambda nonce: (
        HEADER.pack(wire.MAX_JSON, 0) + (b"[" + b"[]," * (wire.MAX_JSON // 3)).ljust(wire.MAX_JSON)
    ),
    "deep lists": lambda nonce: HEADER.pack(wire.MAX_JSON, 0) + b"[" * wire.MAX_JSON,
    "endless digits": lambda nonce: HEADER.pack(wire.MAX_JSON, 0) + b"9" * wire.MAX_JSON,
    "a large array of nothing": lambda nonce: frame(
        {
            "op": "value",
            "nonce": nonce,
            "value": ["a", "ndarray", "<f8", [0, 2**40, 2**40], 0],
            "args": [None, None],
            "kwargs": {"axis": 0},
        }
    ),
    "outputs with hidden load": lambda nonce: (
        frame(
            {
                "op": "output",
                "nonce": nonce,
                "output": {"output_type": "stream", "text": "x" * 99999, "junk": [[]] * 900_000},
            }
        )
        * 5
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_message_does_not_become_a_large_value(name: str) -> None:
    """Memory is bounded by what was sent, not by what it says."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = drive(lambda request: BOMBS[name](request["nonce"]))
    found += drive(
        lambda request: (
            frame({"op": "done", "nonce": request["nonce"]})
            if request["op"] == "cell"
            else BOMBS[name](request["nonce"])
        )
    )
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 500_000, f"{grown} kB"
    assert found[0] in ("garbled", "killed", "died")


def test_a_slow_drip_is_not_waited_for() -> None:
    """An answer that comes byte by byte is given up when its time is over."""
    attacker = Attacker(lambda request: b"\0\0\1\0")
    process = StudentProcess(attacker, {})  # type: ignore[arg-type]
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(0.02):
            try:
                attacker.theirs.send(b"\0")
            except OSError:
                return

    dripping = threading.Thread(target=drip)
    dripping.start()
    began = time.monotonic()
    with pytest.raises(Ended) as ended:
        process.run_cell("x")
    assert time.monotonic() - began < 2
    assert ended.value.how == "killed"
    assert attacker.signals == [signal.SIGINT]
    stop.set()
    dripping.join()
    process.close()


def test_a_flood_of_proper_frames_ends_with_the_time() -> None:
    """Frames that are all in order, without an end, do not keep the grader busy for longer than a cell may take."""
    process = StudentProcess(
        Attacker(
            lambda request: (
                frame({"op": "output", "nonce": request["nonce"], "output": {"output_type": "x", "a": [[]] * 9999}})
                * 4000
            )
        ),  # type: ignore[arg-type]
        {},
    )
    began = time.monotonic()
    with pytest.raises(Ended):
        process.run_cell("x")
    assert time.monotonic() - began < 3
    process.close()


@pytest.fixture(scope="module", autouse=True)
def count() -> Iterator[None]:
    """Say how many inputs were tried, where a long run was asked for."""
    yield
    if EXAMPLES > 1200:
        print(f"\ninputs tried: {TRIED[0]}")
