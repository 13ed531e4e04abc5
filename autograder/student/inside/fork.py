"""One fork of the zygote: from the zygote's memory to a confined process with nothing but its channel."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
from collections.abc import Callable
from typing import Any

from .confine import Confinement

_STOP = (signal.SIGKILL, signal.SIGTERM)


class Fork:
    """Forks on construction and waits until the new process has confined itself (or has failed to).

    `pid` is the process to wait for and to signal. `layers` names what confines it. Raises OSError where the
    machine refuses what was required.
    """

    def __init__(
        self,
        request: dict[str, Any],
        descriptors: list[int],
        forget: Callable[[], None],
        serve: Callable[[socket.socket], None],
    ) -> None:
        self.number: int = request["number"]
        reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reader)
            forget()
            _become_student(request, descriptors, writer, serve)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            answer = pipe.read()
        report: dict[str, Any] = (
            json.loads(answer) if answer else {"error": "the process ended while it was being confined"}
        )
        if "error" in report:
            self.kill(signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise OSError(report["error"])
        self.layers: list[str] = report["layers"]

    def kill(self, number: int) -> None:
        """Send a signal: SIGKILL to everything the student started, others to the process itself."""
        try:
            if number in _STOP:
                os.killpg(self.pid, number)
            os.kill(self.pid, number)
        except ProcessLookupError:
            pass

    def ended(self) -> None:
        """The process is gone: end what it left in its process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


def _become_student(
    request: dict[str, Any], descriptors: list[int], report: int, serve: Callable[[socket.socket], None]
) -> None:
    """In the new process: keep the channel and the output pipes, confine, say so, and serve to the end."""
    try:
        os.setsid()
        channel, stdout, stderr = descriptors
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        inherited = {int(name) for name in os.listdir("/proc/self/fd")} - {0, 1, 2, channel, report}
        for descriptor in inherited:
            with contextlib.suppress(OSError):  # one of them was the listing's own
                os.close(descriptor)
        os.chdir(request["scratch"])
        layers = Confinement(request["limits"]).enter()
        os.write(report, json.dumps({"layers": layers}).encode())
        os.close(report)
    except BaseException as error:  # whatever happened, the grader must know before a student's byte runs
        try:
            os.write(report, json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        finally:
            os._exit(1)
    serve(socket.socket(fileno=channel))
