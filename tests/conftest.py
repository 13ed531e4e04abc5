"""What tests in several folders share: the `course` command as a process of its own. Puts this folder on the path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, Course

SLOW = ("test_demo.py", "test_nbgrader_cycle.py", "test_matrix.py", "test_broken.py", "test_measured.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow files go first, so that no core waits at the end for the last of them."""
    items.sort(key=lambda item: SLOW.index(item.path.name) if item.path.name in SLOW else len(SLOW))


@pytest.fixture(scope="session")
def course() -> Course:
    """Runs `course ARGUMENTS` in `cwd`, and fails where it ends otherwise than with `status` or shows a traceback.

    `kit` is a folder that holds another copy of the package `autograder`, to be run in place of this one.
    """

    def course(
        *arguments: str | Path, status: int = 0, cwd: Path = ROOT, kit: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        if kit is not None:
            arguments, cwd = (*arguments, "--course", ROOT), kit
        done = subprocess.run(
            [sys.executable, "-m", "autograder.cli", *map(str, arguments)],
            cwd=cwd,
            env=environment | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == status, f"ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr + done.stdout, done.stderr
        return done

    return course
