"""What a student's process gives up before the first byte of student code runs."""

from __future__ import annotations

import resource
from typing import Any

MIB = 2**20


class Confinement:
    """The limits of one student's process. `limits` is a plain dict; see `autograder.limits.Limits`."""

    def __init__(self, limits: dict[str, Any]) -> None:
        self.limits = limits

    def enter(self) -> list[str]:
        """Confine this process for good. Returns the names of the layers that hold."""
        self._resources()
        return ["rlimits"]

    def _resources(self) -> None:
        wanted = {
            resource.RLIMIT_AS: _address_space() + self.limits["memory_mb"] * MIB,
            resource.RLIMIT_CPU: int(self.limits["submission_seconds"]) + 10,
            resource.RLIMIT_NOFILE: self.limits["open_files"],
            resource.RLIMIT_FSIZE: self.limits["scratch_mb"] * MIB,
            resource.RLIMIT_CORE: 0,
        }
        for name, value in wanted.items():
            _, hard = resource.getrlimit(name)
            bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(name, (bound, bound))


def _address_space() -> int:
    """Return the bytes of address space this process uses now, inherited libraries included."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
