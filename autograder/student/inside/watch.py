"""Looks after what a student's processes use together: no limit of the kernel's counts memory over a tree."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

PAGE = os.sysconf("SC_PAGE_SIZE")
EVERY = 0.2  # seconds between two looks, while a student's process lives


@dataclass(frozen=True)
class Process:
    """One line of the process table: its parent, and its resident memory in bytes."""

    pid: int
    parent: int
    resident: int


def table() -> dict[int, Process]:
    """Return the processes that this one can see."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # a process may give itself a name that is no text
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue  # it ended just now
        found[int(name)] = Process(int(name), int(fields[1]), int(fields[21]) * PAGE)
    return found


def below(root: int, processes: dict[int, Process]) -> set[int]:
    """Return the pids of everything that `root` started, directly or not; `root` itself is not in it."""
    children: dict[int, list[int]] = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for pid in children.get(waiting.pop(), []):
            if pid not in found:
                found.add(pid)
                waiting.append(pid)
    return found


def own_memory(pids: set[int], processes: dict[int, Process], inherited: int) -> int:
    """Return the bytes that the processes use together beyond what the first has inherited from the zygote.

    What a second one still shares with the first counts again: it could have put its own data there.
    """
    return max(0, sum(processes[pid].resident for pid in pids if pid in processes) - inherited)


def end_strays(kept: set[int]) -> None:
    """Kill whatever is left below this process, other than `kept` and what they started."""
    for _ in range(50):  # a fork bomb needs more than one look
        processes = table()
        strays = below(os.getpid(), processes)
        for pid in kept:
            strays -= {pid, *below(pid, processes)}
        if not strays:
            return
        for pid in strays:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        for pid in strays:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                continue
