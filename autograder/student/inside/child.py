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
import threading
from typing import Any

from . import probing, wire
from .decode import Decoder
from .encode import Encoder
from .shell import Shell, Stream, draw_figures
from .values import Probe, plain

MAX_OUTPUT = 2 * 2**20  # bytes of one output's JSON; the grader keeps less
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Child:
    """Answers requests on `channel` until it is closed."""

    def __init__(self, channel: socket.socket, shell: Shell) -> None:
        self.channel = channel
        self.shell = shell
        self.nonce = ""
        self.pid = os.getpid()
        self.sending = threading.RLock()  # a notebook may have threads, and they may print
        self.listening = False

    def serve(self) -> None:
        """Answer requests until the grader closes the channel."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        actions = {"setup": self._setup, "cell": self._cell, "statements": self._statements, "call": self._call}
        while os.getpid() == self.pid:  # else this is a fork that student code forgot to end
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
        draw_figures(self.shell, message["figures"])  # first: it may import, and no file of the student's
        for name, offset, length in message["files"]:
            folder = os.path.dirname(name)
            if folder:
                os.makedirs(folder, exist_ok=True)
            with open(name, "wb") as file:
                file.write(blob[offset : offset + length])
        sys.path.insert(0, "")  # as in Jupyter: modules that lie beside the notebook
        self.shell.__dict__["emit_to"] = self._output
        self._reply({"op": "ready"})

    def _cell(self, message: dict[str, Any], blob: bytes) -> None:
        """Run one cell as Jupyter would. After an error, still read the definitions below the failing line."""
        source = message["source"]
        with self._listening():
            error = self._run(source, store_history=True)
            rescued = error is not None and self._rescue(source, error)
        self._reply({"op": "done", "error": _describe_error(error), "rescued": rescued})

    def _statements(self, message: dict[str, Any], blob: bytes) -> None:
        """Run a cell statement by statement, or only its definitions, and say before each which comes next."""
        source, error = message["source"], None
        nodes = self._parse(source)
        pieces = [source] if nodes is None else [_piece(self._transformed(source), node) for node in nodes]
        with self._listening(), contextlib.ExitStack() as stack:
            for index, piece in enumerate(pieces):
                only_definitions = message["definitions"] or error is not None
                defines = nodes is not None and isinstance(nodes[index], DEFINITIONS)
                if index in message["skip"] or (only_definitions and not defines):
                    continue
                self._reply({"op": "statement", "index": index})
                failed = self._run(piece)
                if failed is not None and error is None:
                    error = failed
                    stack.enter_context(self._quiet())
        self._reply({"op": "done", "error": _describe_error(error), "rescued": False})

    def _call(self, message: dict[str, Any], blob: bytes) -> None:
        """Call a function with writable copies of the arguments; answer with its value and the arguments after."""
        function = self.shell.user_ns.get(message["name"])
        if not callable(function):
            self._reply({"op": "missing", "type": type(function).__name__})
            return
        decoder = Decoder(blob, probes=True)
        args = [plain(decoder.decode(tree)) for tree in message["args"]]
        kwargs = {name: plain(decoder.decode(tree)) for name, tree in message["kwargs"].items()}
        _mend_streams()
        try:
            with self.shell.builtin_trap, _interruptible():
                value = probing.call(function, args, kwargs)
        except BaseException as error:
            self._reply({"op": "raised", **(_describe_error(error) or {})})
            return
        args = [None if isinstance(arg, Probe) else arg for arg in args]  # it need not travel back
        encoder = Encoder()
        answer = {
            "op": "value",
            "value": encoder.encode(value),
            "args": [encoder.encode(arg) for arg in args],
            "kwargs": {name: encoder.encode(arg) for name, arg in kwargs.items()},
        }
        self._reply(answer, encoder.blob)

    # -- helpers ----------------------------------------------------------------------------------------------

    def _run(self, source: str, store_history: bool = False) -> BaseException | None:
        """Run source as IPython runs a cell. Returns what it raised, IPython's own trouble with it included."""
        try:
            result = self.shell.run_cell(source, store_history=store_history)
        except Exception as error:
            return error
        return result.error_before_exec or result.error_in_exec

    def _transformed(self, source: str) -> str:
        return self.shell.transform_cell(source)

    def _parse(self, source: str) -> list[ast.stmt] | None:
        """Return the cell's top-level statements; None for a cell that is no Python."""
        try:
            return ast.parse(self._transformed(source)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def _rescue(self, source: str, error: BaseException) -> bool:
        """Run the imports and definitions that stand below the line that raised. Returns whether there were any."""
        line = _module_line(error)
        below = [node for node in self._parse(source) or [] if isinstance(node, DEFINITIONS) and 0 < line < node.lineno]
        with self._quiet():
            for node in below:
                self._run(_piece(self._transformed(source), node))
        return any(not isinstance(node, (ast.Import, ast.ImportFrom)) for node in below)

    @contextlib.contextmanager
    def _quiet(self) -> Any:
        """Meanwhile nothing that is printed or shown travels."""
        _mend_streams()
        stdout, stderr = sys.stdout, sys.stderr
        self.shell.__dict__["emit_to"] = None
        sys.stdout = sys.stderr = Stream("stdout", 1)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = stdout, stderr
            self.shell.__dict__["emit_to"] = self._output

    @contextlib.contextmanager
    def _listening(self) -> Any:
        """While a cell runs: its prints travel, and it can be interrupted."""
        _mend_streams()
        streams = [s for s in (sys.stdout, sys.stderr) if isinstance(s, Stream)]
        for stream in streams:
            stream.emit = self._output
        self.listening = True
        try:
            with _interruptible():
                yield
        finally:
            for stream in streams:
                with contextlib.suppress(Exception):
                    stream.flush()
                stream.emit = None
            with self.sending:
                self.listening = False

    def _output(self, output: dict[str, Any]) -> None:
        """Send an output of the cell that runs. What threads show between the cells is shown nowhere."""
        with self.sending, contextlib.suppress(wire.WireError, TypeError, ValueError, RecursionError):
            if self.listening:
                self._reply({"op": "output", "output": _bounded(output)})

    def _reply(self, message: dict[str, Any], blob: bytes = b"") -> None:
        """Send a frame as a whole: no thread, no interrupt and no fork may break into it."""
        message["nonce"] = self.nonce
        try:
            frame = wire.pack(message, blob)
        except wire.WireError:
            frame = wire.pack({"op": "too-large", "nonce": self.nonce})
        if os.getpid() != self.pid:
            return
        with self.sending:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                self.channel.sendall(frame)
            finally:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

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


def _mend_streams() -> None:
    """Put new streams in the place of those that a notebook closed or took away."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name, None)
        if not hasattr(stream, "write") or getattr(stream, "closed", False):
            setattr(sys, name, Stream(name, descriptor))


def _piece(source: str, node: ast.stmt) -> str:
    """Return one statement of a cell as a cell of its own, its lines numbered as they were."""
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
    above = "#\n" * (first - 1)  # IPython drops empty lines
    piece = above + "\n".join(source.split("\n")[first - 1 : node.end_lineno])
    try:
        alone = ast.dump(ast.parse(piece)) == ast.dump(ast.Module([node], []))
    except (SyntaxError, ValueError):
        alone = False
    return piece if alone else above + ast.unparse(node)


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
        text = str(error.msg)[:2000]  # without the name that IPython gives to a cell
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
