"""The grader's end of the zygote: starts it, asks it for processes, hears of their ends."""

from __future__ import annotations

import itertools
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from autograder.limits import Limits
from autograder.problems import MachineFault
from autograder.student.sandbox import BOX_SCRATCH, Sandbox, Way, student_uid

START_SECONDS = 60.0  # a cold disk and a first matplotlib font list take their time
FORK_SECONDS = 20.0
PRELOAD = ("numpy", "numpy.random", "numpy.testing", "numpy.ma", "matplotlib.pyplot", "IPython")
ALONG = {"torch": ("torch._dynamo",)}  # which a first profiler or dispatch mode loads: seconds, in somebody's call


class Host:
    """One zygote and its forks. Use as a context manager; one thread at a time.

    `libraries` are loaded beside those that every notebook may need. With `gpu`, processes may
    open one, and are spawned: a driver does not survive a fork. Raises MachineFault wherever the machine, and not a
    student, is the cause.
    """

    def __init__(
        self,
        limits: Limits,
        sandbox: Sandbox | None = None,
        fork: bool = True,
        libraries: tuple[str, ...] = (),
        gpu: bool = False,
    ) -> None:
        self.limits = limits
        self.gpu = gpu
        self.libraries = libraries
        self.sandbox = sandbox or Sandbox()
        self.forking = fork and not gpu and hasattr(os, "fork")
        self.scratch = Path(tempfile.mkdtemp(prefix="course-"))
        self.scratch.chmod(0o711)  # a student's own uid must reach its folder in it
        self.refused: list[str] = []  # the ways that this machine did not offer, and why
        self._numbers = itertools.count(1)
        self._ended: dict[int, dict[str, Any]] = {}
        self._spawned: dict[int, subprocess.Popen[bytes]] = {}
        self._unread = b""
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        try:
            self.way = self._first_that_works()
        except BaseException:
            self.close()
            raise

    @property
    def isolation(self) -> str:
        """How far student code is confined here: full, partial or none."""
        return self.way.isolation

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def fork(self) -> tuple[int, socket.socket, int, int, Path]:
        """Start a student's process. Returns (number, channel, stdout, stderr, scratch folder).

        The descriptors are the grader's ends and are the caller's to close.
        """
        number = next(self._numbers)
        scratch = self.scratch / str(number)
        scratch.mkdir(mode=0o700)
        if "uid" in self.way.layers and self.way.bwrap is None:
            os.chown(scratch, student_uid(number), student_uid(number))
        ours, theirs = socket.socketpair()
        stdout, stdout_theirs = os.pipe()
        stderr, stderr_theirs = os.pipe()
        ends = [theirs.fileno(), stdout_theirs, stderr_theirs]
        try:
            if self.forking:
                self._ask_for_fork(number, scratch, ends)
            else:
                self._spawn(number, scratch, ends, ours)
        except BaseException:
            ours.close()
            os.close(stdout)
            os.close(stderr)
            raise
        finally:
            theirs.close()
            os.close(stdout_theirs)
            os.close(stderr_theirs)
        return number, ours, stdout, stderr, scratch

    def signal(self, number: int, which: signal.Signals) -> None:
        """Send a signal to a student's process: SIGKILL ends everything that it started."""
        if number in self._spawned:
            process = self._spawned[number]
            try:
                if which == signal.SIGKILL:
                    os.killpg(process.pid, which)
                process.send_signal(which)
            except ProcessLookupError:
                pass
            return
        self._send({"op": "signal", "number": number, "signal": int(which)})

    def end(self, number: int, scratch: Path) -> dict[str, Any]:
        """End a student's process for good and remove its scratch folder. Returns its status and why it ended."""
        self.signal(number, signal.SIGKILL)
        ended = self._wait_for_end(number)
        shutil.rmtree(scratch, ignore_errors=True)
        return ended

    def close(self) -> None:
        """End the zygote and everything below it."""
        for number, process in list(self._spawned.items()):
            self.signal(number, signal.SIGKILL)
            process.wait()
        self._stop()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        self._unread = b""

    # -- starting ---------------------------------------------------------------------------------------------

    def _first_that_works(self) -> Way:
        """Return the best way to confine that this machine offers, with the zygote started in it."""
        for way in self.sandbox.ways():
            if not self.forking and way.bwrap is not None:
                continue  # a pid namespace is entered by forking
            self.way = way
            try:
                if self.forking:
                    self._start(way)
                number, channel, stdout, stderr, scratch = self.fork()
                channel.close()
                os.close(stdout)
                os.close(stderr)
                self.end(number, scratch)
            except MachineFault as fault:
                self.refused.append(f"{' + '.join(way.layers) or 'nothing'}: {fault}")
                self._stop()
                continue
            return way
        raise MachineFault(
            "the process that runs student code does not start "
            f"({self.refused[-1] if self.refused else 'no way was tried'}); `course doctor` tests each part of it"
        )

    def _start(self, way: Way) -> None:
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryFile() as complaints, theirs:
            self._process = self._launch(way, {"spawned": False}, theirs, stderr=complaints)
            self._control = ours
            theirs.close()
            message = self._read_message(time.monotonic() + START_SECONDS)
            if message is None or message.get("op") != "ready":
                self._process.kill()
                self._process.wait()
                complaints.seek(0)
                said = complaints.read(4096).decode("utf-8", "replace").strip().splitlines()
                raise MachineFault(said[-1] if said else "it did not start and said nothing")

    def _launch(self, way: Way, more: dict[str, Any], end: socket.socket, **pipes: Any) -> subprocess.Popen[bytes]:
        along = [module for library in self.libraries for module in ALONG.get(library, ())]
        options = {
            "preload": [*PRELOAD, *self.libraries, *along],
            "freeze": bool(self.libraries),
            "gpu": self.gpu,
            "limits": self.limits.as_dict(),
            **self.sandbox.options(way),
            **more,
        }
        text = json.dumps({**options, "control": end.fileno()})
        return subprocess.Popen(
            self.sandbox.command(way, text),
            env=self.sandbox.environment(way, self.scratch, self.gpu),
            stdin=subprocess.DEVNULL,
            pass_fds=[end.fileno()],
            start_new_session=True,
            cwd=self.scratch,
            **pipes,
        )

    def _spawn(self, number: int, scratch: Path, ends: list[int], ours: socket.socket) -> None:
        with socket.socket(fileno=os.dup(ends[0])) as theirs:
            more = {"spawned": True, "scratch": str(scratch), "uid": student_uid(number)}
            process = self._launch(self.way, more, theirs, stdout=ends[1], stderr=ends[2])
        self._spawned[number] = process
        ours.settimeout(START_SECONDS)
        answer = b""
        try:
            while not answer.endswith(b"\n"):
                part = ours.recv(1)
                if not part:
                    raise MachineFault("the process that runs student code did not start")
                answer += part
        except TimeoutError as error:
            raise MachineFault("the process that runs student code did not start in time") from error

    # -- the control socket -----------------------------------------------------------------------------------

    def _ask_for_fork(self, number: int, scratch: Path, ends: list[int]) -> None:
        assert self._control is not None
        request = {
            "op": "fork",
            "number": number,
            "scratch": BOX_SCRATCH if self.way.bwrap else str(scratch),
            "uid": student_uid(number),
        }
        try:
            socket.send_fds(self._control, [json.dumps(request).encode() + b"\n"], ends)
        except OSError as error:
            raise MachineFault("the zygote is gone") from error
        deadline = time.monotonic() + FORK_SECONDS
        while True:
            message = self._read_message(deadline)
            if message is None:
                raise MachineFault("the zygote does not answer")
            if message.get("number") == number and message["op"] == "forked":
                return
            if message.get("number") == number and message["op"] == "failed":
                raise MachineFault(f"a student's process could not be confined: {message['reason']}")
            self._note(message)

    def _wait_for_end(self, number: int) -> dict[str, Any]:
        process = self._spawned.pop(number, None)
        if process is not None:
            return {"status": process.wait(), "why": ""}
        deadline = time.monotonic() + FORK_SECONDS
        while number not in self._ended:
            message = self._read_message(deadline)
            if message is None:
                raise MachineFault("a student's process could not be ended")
            self._note(message)
        return self._ended.pop(number)

    def _note(self, message: dict[str, Any]) -> None:
        if message["op"] == "exited":
            self._ended[message["number"]] = message

    def _send(self, message: dict[str, Any]) -> None:
        assert self._control is not None
        try:
            self._control.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise MachineFault("the zygote is gone") from error

    def _read_message(self, deadline: float) -> dict[str, Any] | None:
        """Return the zygote's next message; None when it is gone or the deadline has passed."""
        assert self._control is not None
        while b"\n" not in self._unread:
            wait = deadline - time.monotonic()
            if wait <= 0 or not select.select([self._control], [], [], wait)[0]:
                return None
            data = self._control.recv(65536)
            if not data:
                return None
            self._unread += data
        line, self._unread = self._unread.split(b"\n", 1)
        return json.loads(line)
