"""What every way into nbgrader's gradebook shares: its tools on the PATH, its address, and the one error."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

from autograder.problems import CourseError

UPGRADE = "close what holds it, or run `nbgrader db upgrade` after a backup"


def put_tools_on_path() -> None:
    """nbgrader starts a bare `alembic` when it makes a database: it must be found without an activated environment."""
    scripts = sysconfig.get_path("scripts")
    folders = os.environ.get("PATH", "").split(os.pathsep)
    for folder in (scripts, str(Path(sys.executable).parent)):
        if folder not in folders:
            folders.insert(0, folder)
    os.environ["PATH"] = os.pathsep.join(folders)


def reason_of(error: Exception) -> str:
    """Return in one line what a database said."""
    return str(getattr(error, "orig", None) or error).splitlines()[0]


def unusable(url: str, error: Exception, step: str = UPGRADE) -> CourseError:
    """Return the error for a gradebook that cannot be used."""
    return CourseError(f"the gradebook {url} cannot be used ({reason_of(error)})", step)


def is_there(url: str) -> bool:
    """Whether there is a gradebook to be opened; a server's is taken to be there."""
    return not url.startswith("sqlite:///") or Path(url.removeprefix("sqlite:///")).is_file()
