"""One fork of the zygote: from the zygote's memory to a confined process with nothing but its channel."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
from collections.abc import Callable
from typing import Any

from . import linux
from .confine import Confinement


class Fork:
    """Forks on construction and waits until the new process has confined itself (or has failed to).

    `pid` is the process to wait for and `inner` the one that runs student code: the same, or, in namespaces, the
    first process of the student's pid namespace, with which everything else in it ends. Raises OSError where the
    machine refuses a layer that was asked for.
    """

    def __init__(
        self,
        request: dict[str, Any],
        descriptors: list[int],
        forget: Callable[[], None],
        serve: Callable[[socket.socket], None],
    ) -> None:
        self.number: int = request["number"]
        self.why = ""
        reader, writer = os.pipe()
        self.pid = self.inner = os.fork()
        if self.pid == 0:
            os.close(reader)
            forget()
            _become_student(request, descriptors, writer, serve)
        os.close(writer)
        said: dict[str, Any] = {}
        with os.fdopen(reader, "rb") as pipe:
            for line in pipe:
                said.update(json.loads(line))
        self.inner = said.get("inner", self.pid)
        if not said.get("ready"):
            self.kill(signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise OSError(said.get("error", "the process ended while it was being confined"))

    def kill(self, number: int) -> None:
        """Send a signal: SIGKILL to everything the student started, others to the process itself."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if number == signal.SIGKILL and self.inner == self.pid:
                os.killpg(self.pid, number)
            os.kill(self.inner, number)

    def ended(self) -> None:
        """The process is gone: end what it left in its process group. A pid namespace leaves nothing."""
        if self.inner == self.pid:
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
        _close_all_but({0, 1, 2, channel, report})
        confinement = Confinement(request)
        confinement.divide()
        if "namespaces" in request["layers"]:
            inner = os.fork()
            if inner:
                _stand_by(inner, report)
            linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
            os.setsid()  # kill(0) must not reach the one that stands by
        confinement.enter()
        _say(report, {"ready": True})
        os.close(report)
    except BaseException as error:  # whatever happened, the grader must know before a student's byte runs
        _say(report, {"error": f"{type(error).__name__}: {error}"})
        os._exit(1)
    serve(socket.socket(fileno=channel))


def _stand_by(inner: int, report: int) -> None:
    """Outside the pid namespace: say who the first process in it is, wait for its end, and pass its status on."""
    try:
        _say(report, {"inner": inner})
        os.closerange(0, 65536)  # and not by /proc, which the other side is just replacing
        _, status = os.waitpid(inner, 0)
        code = os.waitstatus_to_exitcode(status)
        os._exit(code if code >= 0 else 128 - code)
    finally:
        os._exit(1)


def _say(report: int, message: dict[str, Any]) -> None:
    os.write(report, json.dumps(message).encode() + b"\n")


def _close_all_but(kept: set[int]) -> None:
    """Close every descriptor that is not in `kept`."""
    inherited = {int(name) for name in os.listdir("/proc/self/fd")} - kept
    for descriptor in inherited:
        with contextlib.suppress(OSError):  # one of them was the listing's own
            os.close(descriptor)
