"""Processes for student code, with limits short enough for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from autograder.limits import Limits
from autograder.student.host import Host
from autograder.student.process import StudentProcess

LIMITS = Limits(
    cell_seconds=1.0,
    call_seconds=0.7,
    grace_seconds=0.3,
    submission_seconds=12.0,
    memory_mb=512,
    output_kb=64,
)

Start = Callable[..., StudentProcess]


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    with Host(LIMITS) as host:
        yield host


@pytest.fixture(scope="session")
def spawning_host() -> Iterator[Host]:
    with Host(LIMITS, fork=False) as host:
        yield host


@pytest.fixture
def start(host: Host) -> Iterator[Start]:
    """Starts students' processes, and ends them after the test."""
    started: list[StudentProcess] = []

    def start(files: dict[str, bytes] | None = None, figures: bool = False, on: Host = host) -> StudentProcess:
        started.append(StudentProcess(on, files or {}, figures))
        return started[-1]

    yield start
    for process in started:
        process.close()
