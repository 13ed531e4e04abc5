"""One student's process: runs the notebook's cells and answers calls of its functions.

It serves one channel and knows nothing of the checks. Every request carries a nonce that its answer repeats, so
an answer written before the question was asked is worthless. Nothing here has to withstand the student's code:
whatever that does to this process, the grader sees a failed check.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import os
import signal
import socket
import sys
from typing import Any

from . import wire
from .decode import Decoder
from .encode import Encoder
from .shell import Shell, Stream, draw_figures
from .values import plain

MAX_OUTPUT = 2 * 2**20  # bytes of one output's JSON; the grader keeps less


class Child:
    """Answers requests on `channel` until it is closed."""

    def __init__(self, channel: socket.socket, shell: Shell) -> None:
        self.channel = channel
        self.shell = shell
        self.nonce = ""

    def serve(self) -> None:
        """Answer requests until the grader closes the channel."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        actions = {"setup": self._setup, "cell": self._cell, "statements": self._statements, "call": self._call}
        while True:
            frame = self._receive()
            if frame is None:
                return
            message, blob = frame
            self.nonce = message["nonce"]
            try:
                actions[message["op"]](message, blob)
            except KeyboardInterrupt:
                self._reply({"op": "interrupted"})

    # -- requests ---------------------------------------------------------------------------------------------

    def _setup(self, message: dict[str, Any], blob: bytes) -> None:
        for name, offset, length in message["files"]:
            folder = os.path.dirname(name)
            if folder:
                os.makedirs(folder, exist_ok=True)
            with open(name, "wb") as file:
                file.write(blob[offset : offset + length])
        draw_figures(self.shell, message["figures"])
        self.shell.__dict__["emit_to"] = self._output
        self._reply({"op": "ready"})

    def _cell(self, message: dict[str, Any], blob: bytes) -> None:
        """Run one cell as Jupyter would. After an error, still read the definitions below the failing line."""
        source = message["source"]
        with self._listening():
            result = self.shell.run_cell(source, store_history=True)
            error = result.error_before_exec or result.error_in_exec
            rescued = self._rescue(source, error) if result.error_in_exec is not None else False
        self._reply({"op": "done", "error": _describe_error(error), "rescued": rescued})

    def _statements(self, message: dict[str, Any], blob: bytes) -> None:
        """Run a cell statement by statement, leaving out those named, and say before each which comes next."""
        error = None
        with self._listening():
            for index, statement in enumerate(self._split(message["source"])):
                if index in message["skip"]:
                    continue
                self._reply({"op": "statement", "index": index})
                result = self.shell.run_cell(statement, store_history=False)
                error = result.error_before_exec or result.error_in_exec
                if error is not None:
                    break
        self._reply({"op": "done", "error": _describe_error(error), "rescued": False})

    def _call(self, message: dict[str, Any], blob: bytes) -> None:
        """Call a function with writable copies of the arguments; answer with its value and the arguments after."""
        function = self.shell.user_ns.get(message["name"])
        if not callable(function):
            self._reply({"op": "missing", "type": type(function).__name__})
            return
        decoder = Decoder(blob)
        args = [plain(decoder.decode(tree)) for tree in message["args"]]
        kwargs = {name: plain(decoder.decode(tree)) for name, tree in message["kwargs"].items()}
        try:
            with self.shell.builtin_trap, _interruptible():
                value = function(*args, **kwargs)
        except BaseException as error:
            self._reply({"op": "raised", **(_describe_error(error) or {})})
            return
        encoder = Encoder()
        answer = {
            "op": "value",
            "value": encoder.encode(value),
            "args": [encoder.encode(arg) for arg in args],
            "kwargs": {name: encoder.encode(arg) for name, arg in kwargs.items()},
        }
        self._reply(answer, encoder.blob)

    # -- helpers ----------------------------------------------------------------------------------------------

    def _split(self, source: str) -> list[str]:
        """Return the cell's top-level statements as sources. A cell that is no Python comes back whole."""
        try:
            tree = ast.parse(self.shell.transform_cell(source))
        except (SyntaxError, ValueError):
            return [source]
        return [ast.unparse(node) for node in tree.body]

    def _rescue(self, source: str, error: BaseException) -> bool:
        """Run the imports and definitions that stand below the line that raised. Returns whether there were any."""
        line = _module_line(error)
        try:
            tree = ast.parse(self.shell.transform_cell(source))
        except (SyntaxError, ValueError):
            return False
        kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        below = [node for node in tree.body if isinstance(node, kinds) and line and node.lineno > line]
        stdout, stderr = sys.stdout, sys.stderr
        self.shell.__dict__["emit_to"] = None
        sys.stdout = sys.stderr = Stream("stdout", 1)
        try:
            for node in below:
                self.shell.run_cell("\n" * (node.lineno - 1) + ast.unparse(node), store_history=False)
        finally:
            sys.stdout, sys.stderr = stdout, stderr
            self.shell.__dict__["emit_to"] = self._output
        return any(not isinstance(node, (ast.Import, ast.ImportFrom)) for node in below)

    @contextlib.contextmanager
    def _listening(self) -> Any:
        """While a cell runs: its prints travel, and it can be interrupted."""
        streams = [s for s in (sys.stdout, sys.stderr) if isinstance(s, Stream)]
        for stream in streams:
            stream.emit = self._output
        try:
            with _interruptible():
                yield
        finally:
            for stream in streams:
                with contextlib.suppress(Exception):
                    stream.flush()
                stream.emit = None

    def _output(self, output: dict[str, Any]) -> None:
        with contextlib.suppress(wire.WireError, TypeError, ValueError):
            self._reply({"op": "output", "output": _bounded(output)})

    def _reply(self, message: dict[str, Any], blob: bytes = b"") -> None:
        message["nonce"] = self.nonce
        try:
            frame = wire.pack(message, blob)
        except wire.WireError:
            frame = wire.pack({"op": "too-large", "nonce": self.nonce})
        self.channel.sendall(frame)

    def _receive(self) -> tuple[dict[str, Any], bytes] | None:
        header = self._exactly(wire.HEADER.size)
        if header is None:
            return None
        text_length, blob_length = wire.lengths(header)
        text, blob = self._exactly(text_length), self._exactly(blob_length)
        if text is None or blob is None:
            return None
        return wire.parse(text), blob

    def _exactly(self, length: int) -> bytes | None:
        parts = bytearray()
        while len(parts) < length:
            part = self.channel.recv(min(length - len(parts), 2**20))
            if not part:
                return None
            parts += part
        return bytes(parts)


@contextlib.contextmanager
def _interruptible() -> Any:
    """While student code runs, SIGINT raises KeyboardInterrupt there; at all other times it is ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _bounded(output: dict[str, Any]) -> dict[str, Any]:
    """Return the output with what is too long cut, and what is no plain text left out."""
    result: dict[str, Any] = {}
    for key, value in output.items():
        if isinstance(value, str):
            result[key] = value[:MAX_OUTPUT]
        elif isinstance(value, dict):
            result[key] = {str(k)[:200]: v for k, v in value.items() if isinstance(v, (str, dict, int, float))}
        elif isinstance(value, list):
            result[key] = [str(item)[:MAX_OUTPUT] for item in value[:200]]
    return result


def _describe_error(error: BaseException | None) -> dict[str, Any] | None:
    """Return type, text and the student's own line of an exception."""
    if error is None:
        return None
    try:
        text = str(error)[:2000]
    except BaseException:
        text = ""
    number, line = 0, ""
    trace = error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if filename.startswith("<ipython-input"):
            number, line = trace.tb_lineno, linecache.getline(filename, trace.tb_lineno).strip()
        trace = trace.tb_next
    if isinstance(error, SyntaxError):
        number, line = error.lineno or 0, (error.text or "").strip()
    return {"type": type(error).__name__[:80], "text": text, "line_number": number, "line": line[:200]}


def _module_line(error: BaseException) -> int:
    """Return the line of the cell's own level at which the exception passed; 0 where it cannot be told."""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_name.startswith(("<module>", "<cell line")) and code.co_filename.startswith("<ipython-input"):
            return trace.tb_lineno
        trace = trace.tb_next
    return 0
