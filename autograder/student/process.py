"""One student's process, seen from the grader: run a cell, call a function, hear the answer or why there is none.

Everything that arrives here comes from the student's side and may be anything. It is bounded, parsed as data
and checked; whatever is wrong about it ends as `Ended(...)`, never as an exception of the grader's.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import signal
import time
from dataclasses import dataclass, field
from typing import Any

from autograder.student.host import Host
from autograder.student.inside import wire
from autograder.student.inside.decode import Decoder
from autograder.student.inside.encode import Encoder

DRAIN = 2**20
SHORTEST = 1000  # characters: a shorter piece of what was printed is not worth keeping


class Ended(Exception):
    """The process can no longer be used. `how` is "killed" (by us, for time), "died" or "garbled"."""

    def __init__(self, how: str, statement: int | None = None) -> None:
        super().__init__(how)
        self.how = how
        self.statement = statement  # the last statement that had begun, where cells run statement by statement


@dataclass
class CellRun:
    """What became of one cell: its outputs, and the error that ended it (type, text, line_number, line)."""

    outputs: list[dict[str, Any]] = field(default_factory=list)
    error: dict[str, Any] | None = None
    rescued: bool = False
    interrupted: bool = False
    truncated: bool = False
    size: int = 0


@dataclass
class Answer:
    """What became of one call. `op` is value, raised, missing, too-large or interrupted."""

    op: str
    value: Any = None
    args: list[Any] = field(default_factory=list)
    kwargs: dict[str, Any] = field(default_factory=dict)
    error: dict[str, Any] | None = None
    interrupted: bool = False


class StudentProcess:
    """A fork of the zygote with the student's files in its working folder. Close it when done."""

    def __init__(self, host: Host, files: dict[str, bytes], figures: bool = False) -> None:
        self.host = host
        self.limits = host.limits
        self.number, self.channel, stdout, stderr, self.scratch = host.fork()
        self.pipes = {stdout: "stdout", stderr: "stderr"}
        for descriptor in self.pipes:
            os.set_blocking(descriptor, False)
        self.channel.setblocking(False)
        self.unread = bytearray()
        self.nonce = ""
        self.status: int | None = None
        self.why = ""  # "memory" or "processes" where the zygote ended it for using too much
        blob, listing = bytearray(), []
        for name, data in files.items():
            listing.append([name, len(blob), len(data)])
            blob += data
        try:
            self._request({"op": "setup", "files": listing, "figures": figures}, bytes(blob))
            message, _ = self._answer(self.limits.cell_seconds, None)
            if message["op"] != "ready":
                raise Ended("garbled")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the process and everything it started."""
        if self.channel.fileno() < 0:
            return
        self.channel.close()
        for descriptor in self.pipes:
            os.close(descriptor)
        ended = self.host.end(self.number, self.scratch)
        self.status, self.why = ended["status"], ended["why"]

    def run_cell(self, source: str, skip: list[int] | None = None, definitions: bool = False) -> CellRun:
        """Run a cell; with `skip`, statement by statement without those; with `definitions`, nothing but these.

        Raises Ended when the process is lost.
        """
        run = CellRun()
        order: dict[str, Any] = {"op": "cell"}
        if skip is not None or definitions:
            order = {"op": "statements", "skip": skip or [], "definitions": definitions}
        try:
            self._request({**order, "source": source})
        except wire.WireError:
            run.error = {"type": "ValueError", "text": "the cell is too large to be run", "line_number": 0, "line": ""}
            return run
        message, _ = self._answer(self.limits.cell_seconds, run)
        if message["op"] == "interrupted":
            run.error = {"type": "KeyboardInterrupt", "text": "", "line_number": 0, "line": ""}
        elif message["op"] == "done":
            run.error, run.rescued = _error(message.get("error")), message.get("rescued") is True
        else:
            raise Ended("garbled")
        return run

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Answer:
        """Call a function of the student's. Raises Ended when the process is lost."""
        encoder = Encoder()
        request = {
            "op": "call",
            "name": name,
            "args": [encoder.encode(arg) for arg in args],
            "kwargs": {key: encoder.encode(arg) for key, arg in kwargs.items()},
        }
        self._request(request, encoder.blob)
        run = CellRun()
        message, blob = self._answer(self.limits.call_seconds, run)
        answer = Answer(message["op"], interrupted=run.interrupted)
        if answer.op == "value":
            decoder = Decoder(blob)
            try:
                answer.value = decoder.decode(message["value"])
                answer.args = [decoder.decode(tree) for tree in message["args"]]
                answer.kwargs = {str(key): decoder.decode(tree) for key, tree in message["kwargs"].items()}
                if len(answer.args) != len(args) or set(answer.kwargs) != set(kwargs):
                    raise wire.WireError("the answer is about other arguments")
            except (wire.WireError, KeyError, TypeError, AttributeError) as error:
                raise Ended("garbled") from error
        elif answer.op == "raised":
            answer.error = _error(message)
        elif answer.op == "missing":
            answer.value = str(message.get("type"))[:80]
        elif answer.op not in ("too-large", "interrupted"):
            raise Ended("garbled")
        return answer

    # -- the channel ------------------------------------------------------------------------------------------

    def _request(self, message: dict[str, Any], blob: bytes = b"") -> None:
        self.nonce = secrets.token_hex(8)
        frame = memoryview(wire.pack({**message, "nonce": self.nonce}, blob))
        deadline = time.monotonic() + self.limits.cell_seconds
        while frame:
            wait = deadline - time.monotonic()
            if wait <= 0:
                raise Ended("killed")
            readable, writable, _ = select.select(list(self.pipes), [self.channel], [], wait)
            self._drain(readable, None)
            if writable:
                try:
                    frame = frame[self.channel.send(frame[: 2**18]) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise Ended("died") from error

    def _answer(self, seconds: float, run: CellRun | None) -> tuple[dict[str, Any], bytes]:
        """Return the answer to the last request, collecting outputs on the way. Interrupts, then gives up."""
        deadline = time.monotonic() + seconds
        interrupted = False
        statement = None
        while True:
            try:
                frame = self._next_frame(deadline, run)
            except Ended as ended:
                raise Ended(ended.how, statement) from ended
            if frame is None:
                if interrupted:
                    raise Ended("killed", statement)
                interrupted = True
                if run is not None:
                    run.interrupted = True
                self.host.signal(self.number, signal.SIGINT)
                deadline = time.monotonic() + self.limits.grace_seconds
                continue
            message, blob = frame
            if message.get("nonce") != self.nonce:
                raise Ended("garbled", statement)
            if message["op"] == "output":
                self._keep(run, message.get("output"))
            elif message["op"] == "statement":
                index = message.get("index")
                statement = index if type(index) is int else None
            else:
                self._drain(list(self.pipes), run)
                return message, blob

    def _next_frame(self, deadline: float, run: CellRun | None) -> tuple[dict[str, Any], bytes] | None:
        """Return the next frame; None when the deadline passes first. Raises Ended for the end or for garbage."""
        try:
            while True:
                frame = self._take_frame()
                if frame is not None:
                    return frame
                wait = deadline - time.monotonic()
                if wait <= 0:
                    return None
                watched: list[Any] = [self.channel, *self.pipes]
                readable, _, _ = select.select(watched, [], [], wait)
                self._drain(readable, run)
                if self.channel in readable:
                    data = self.channel.recv(DRAIN)
                    if not data:
                        raise Ended("died")
                    self.unread += data
        except wire.WireError as error:
            raise Ended("garbled") from error
        except BlockingIOError:
            return None
        except OSError as error:
            raise Ended("died") from error

    def _take_frame(self) -> tuple[dict[str, Any], bytes] | None:
        size = wire.HEADER.size
        if len(self.unread) < size:
            return None
        text_length, blob_length = wire.lengths(bytes(self.unread[:size]))
        end = size + text_length + blob_length
        if len(self.unread) < end:
            return None
        text = bytes(self.unread[size : size + text_length])
        blob = bytes(self.unread[size + text_length : end])
        del self.unread[:end]
        return wire.parse(text), blob

    def _drain(self, readable: list[Any], run: CellRun | None) -> None:
        """Read what was written straight to stdout and stderr, so that nobody waits for a full pipe."""
        for descriptor in readable:
            if descriptor not in self.pipes:
                continue
            with contextlib.suppress(BlockingIOError):
                data = os.read(descriptor, DRAIN)
                if data:
                    text = data.decode("utf-8", "replace")
                    self._keep(run, {"output_type": "stream", "name": self.pipes[descriptor], "text": text})
                else:
                    os.close(descriptor)
                    del self.pipes[descriptor]

    def _keep(self, run: CellRun | None, output: Any) -> None:
        """Keep an output of a cell, up to the limit. What is printed is cut, what is shown is kept whole or not."""
        if run is None or type(output) is not dict or type(output.get("output_type")) is not str:
            return
        left = self.limits.output_kb * 1024 - run.size
        text = output.get("text")
        size = len(repr(output))
        if size > left:
            run.truncated = True
            if output["output_type"] != "stream" or type(text) is not str or left < SHORTEST:
                return
            output = {"output_type": "stream", "name": str(output.get("name"))[:10], "text": text[: left // 2]}
            size = left
        run.size += size
        run.outputs.append(output)


def _error(described: Any) -> dict[str, Any] | None:
    """Return a described exception with every part of the type it should have."""
    if type(described) is not dict:
        return None
    number = described.get("line_number")
    return {
        "type": str(described.get("type", "Exception"))[:80],
        "text": str(described.get("text", ""))[:2000],
        "line_number": number if type(number) is int and 0 <= number < 10**6 else 0,
        "line": str(described.get("line", ""))[:200],
    }
