"""The shell that a student's notebook runs in: IPython's own, with outputs sent down the wire.

One shell is made in the zygote and inherited by every fork, since making it costs more than running a small
notebook. IPython in a bare process lacks what a kernel would add (a GUI loop, a pty for `!`, `exit`); those are
filled in here. Magics, `!`, top-level await and rich outputs then work as in Jupyter; `input()` is refused.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import subprocess
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from IPython.core.async_helpers import get_asyncio_loop
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

Emit = Callable[[dict[str, Any]], None]

FRAMES = 12  # shown of either end of a long traceback
FLUSH_AT = 8192  # characters kept back before a frame is sent
PLACEHOLDER = "A figure ({0:.0f} x {1:.0f} inches) was made here. Figures are not drawn while grading."


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr of the student: text goes out as frames, in order with the rich outputs."""

    def __init__(self, name: str, descriptor: int) -> None:
        self.stream_name = name
        self.descriptor = descriptor
        self.emit: Emit | None = None
        self.waiting: list[str] = []
        self.size = 0

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def fileno(self) -> int:
        return self.descriptor

    def isatty(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self.emit is not None:
            self.waiting.append(text)
            self.size += len(text)
            if self.size >= FLUSH_AT:
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self.waiting and self.emit is not None:
            text, self.waiting, self.size = "".join(self.waiting), [], 0
            self.emit({"output_type": "stream", "name": self.stream_name, "text": text})


class _Publisher(DisplayPublisher):
    """display(...): the bundle goes out as a display_data output."""

    def publish(self, data: Any, metadata: Any = None, **kwargs: Any) -> None:  # type: ignore[override]
        shell: Any = self.shell
        shell.emit({"output_type": "display_data", "data": data, "metadata": metadata or {}})

    def clear_output(self, wait: bool = False) -> None:
        shell: Any = self.shell
        shell.emit({"output_type": "clear"})


class _Hook(DisplayHook):
    """The value of a cell's last expression: goes out as an execute_result output."""

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        shell: Any = self.shell
        shell.emit({"output_type": "execute_result", "data": format_dict, "metadata": md_dict or {}})

    def finish_displayhook(self) -> None:
        self._is_active = False


class Shell(InteractiveShell):
    """InteractiveShell for a process without a kernel. `emit` takes one notebook output as a dict."""

    displayhook_class = Type(_Hook)
    display_pub_class = Type(_Publisher)

    def emit(self, output: dict[str, Any]) -> None:
        for name in ("stdout", "stderr"):
            with contextlib.suppress(Exception):  # a notebook may have put anything in their place
                getattr(sys, name).flush()
        target = self.__dict__.get("emit_to")
        if target is not None:
            target(output)

    def enable_gui(self, gui: Any = None) -> None:
        pass

    def ask_exit(self) -> None:
        pass

    def _get_exc_info(self, exc_tuple: Any = None) -> Any:
        """Leave the middle of a very long traceback out: to look at every call of a deep recursion takes seconds."""
        kind, error, trace = super()._get_exc_info(exc_tuple)
        return kind, error, _shortened(trace)

    def _format_exception_for_storage(self, *arguments: Any, **keywords: Any) -> dict[str, Any]:
        return {}  # for a history that nobody reads, IPython would format every traceback a second time

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        name = str(getattr(etype, "__name__", etype))
        try:
            value = str(evalue)
        except BaseException:
            value = ""
        self.emit({"output_type": "error", "ename": name, "evalue": value, "traceback": [str(t) for t in stb]})

    def system(self, cmd: str) -> None:  # type: ignore[override]
        """Run `!cmd` with its output in the notebook. Without a pty: there is none in the sandbox."""
        command = self.var_expand(cmd, depth=1)
        process = subprocess.Popen(
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert process.stdout is not None
        with process.stdout as pipe:
            for line in iter(lambda: pipe.readline(65536), b""):
                sys.stdout.write(line.decode("utf-8", "replace"))
        self.user_ns["_exit_code"] = process.wait()


def _shortened(trace: TracebackType | None) -> TracebackType | None:
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    kept = frames if len(frames) <= 2 * FRAMES else frames[:FRAMES] + frames[-FRAMES:]
    for frame in reversed(kept):
        trace = TracebackType(trace, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return trace


def make_shell() -> Shell:
    """Return the one shell of this process, warmed up: everything imported that a first cell would import."""
    config = Config()
    config.HistoryManager.enabled = False  # its thread and its database file
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.autoindent = False
    config.InteractiveShell.xmode = "Context"
    shell = Shell.instance(config=config)
    shell.system_piped = shell.system  # type: ignore[method-assign]
    exec(compile(_NO_INPUT, "<no keyboard>", "exec"), builtins.__dict__)  # no line of ours in a traceback
    _plots(shell)
    sys.stdout, sys.stderr = Stream("stdout", 1), Stream("stderr", 2)
    shell.run_cell("import asyncio\nawait asyncio.sleep(0)\n1/0", store_history=True)
    get_asyncio_loop().close()  # its descriptors do not survive the fork; the next await makes a new one
    shell.run_cell("%time None", store_history=True)
    shell.reset(new_session=True)
    return shell


def draw_figures(shell: Shell, wanted: bool) -> None:
    """Choose whether figures become pictures (100 to 170 ms each) or a sentence that says they were left out."""
    try:
        from IPython.core.pylabtools import select_figure_formats
        from matplotlib.figure import Figure
    except ImportError:
        return
    if wanted:
        select_figure_formats(shell, {"png"})
        return
    select_figure_formats(shell, set())
    formatter = shell.display_formatter.formatters["text/plain"]  # type: ignore[union-attr]
    formatter.for_type(
        Figure, lambda figure, printer, cycle: printer.text(PLACEHOLDER.format(*figure.get_size_inches()))
    )


def _plots(shell: Shell) -> None:
    """Load matplotlib with its notebook backend, where it is installed."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib_inline.backend_inline import configure_inline_support
    except ImportError:
        return
    plt.close(plt.figure())
    configure_inline_support(shell, "module://matplotlib_inline.backend_inline")


_NO_INPUT = """
def input(prompt="", /):
    raise RuntimeError("input() was called, but nobody can type while a notebook is graded")
"""
