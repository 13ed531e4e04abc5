"""Runs a command and says what it took: seconds on the clock, seconds of CPU of all its processes, and peak memory.

CPU seconds are counted by a control group of the command's own where this machine lets us make one (it counts every
process, in whatever namespace), else by the kernel's account of children that were waited for, which misses the
students' processes: `counts_everything` says which.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

GROUPS = ((Path("/sys/fs/cgroup/cpuacct"), "cpuacct.usage", 1e9), (Path("/sys/fs/cgroup"), "cpu.stat", 1e6))


@dataclass(frozen=True)
class Cost:
    """What a command took. `peak_mb` is the largest resident size of the main process and of its workers together."""

    wall: float
    cpu: float
    peak_mb: float
    said: str = ""


def run(command: Sequence[str], cwd: Path, variables: Mapping[str, str] | None = None, status: int = 0) -> Cost:
    """Run a command to its end. Raises RuntimeError with what it said where it ends otherwise than with `status`."""
    with _group() as group:
        before = os.times()
        began = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **(variables or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=None if group is None else lambda: group.joinpath("cgroup.procs").write_text(str(os.getpid())),
        )
        memory = _Memory(process.pid)
        memory.start()
        said, _ = process.communicate()
        memory.done.set()
        memory.join()
        wall = time.monotonic() - began
        if process.returncode != status:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{said}")
        after = os.times()
        children = (after.children_user + after.children_system) - (before.children_user + before.children_system)
        cpu = children if group is None else _used(group)
    return Cost(wall, cpu, memory.peak / 2**20, said)


def counts_everything() -> bool:
    with _group() as group:
        return group is not None


@contextlib.contextmanager
def _group() -> Iterator[Path | None]:
    """A control group of our own, empty; None where there can be none."""
    for root, file, _ in GROUPS:
        made = root / f"attention-course-{os.getpid()}"
        try:
            made.mkdir()
        except OSError:
            continue
        try:
            if made.joinpath(file).is_file():
                yield made
                return
        finally:
            for _ in range(50):
                with contextlib.suppress(OSError):
                    made.rmdir()
                    break
                time.sleep(0.1)
    yield None


def _used(group: Path) -> float:
    """Return the CPU seconds that a control group has used."""
    for _, file, unit in GROUPS:
        with contextlib.suppress(OSError):
            text = group.joinpath(file).read_text()
            return float(text.split()[1] if file == "cpu.stat" else text) / unit
    return 0.0


class _Memory(threading.Thread):
    """Watches the grader's own processes: Python processes below `pid` that are no zygote and no student's."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.peak = 0
        self.done = threading.Event()

    def run(self) -> None:
        import psutil

        while not self.done.wait(0.2):
            total = 0
            with contextlib.suppress(psutil.Error):
                main = psutil.Process(self.pid)
                for process in [main, *main.children(recursive=True)]:
                    with contextlib.suppress(psutil.Error):
                        line = " ".join(process.cmdline())
                        if "zygote.py" not in line and "bwrap" not in line:
                            total += process.memory_info().rss
            self.peak = max(self.peak, total)


def kit(*arguments: str) -> list[str]:
    """Return the `course` command with these arguments, of the kit in the working folder or the one installed."""
    return [sys.executable, "-m", "autograder.cli", *arguments]
