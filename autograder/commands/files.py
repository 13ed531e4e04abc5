"""Files that a command writes: as a whole or not at all, and refused before any work where they cannot be."""

from __future__ import annotations

import os
from pathlib import Path

from autograder.problems import CourseError


def check_writable(path: Path) -> None:
    """Raise CourseError where the file could not be written, before any work is done for it."""
    if path.is_dir() or not path.parent.is_dir():
        raise CourseError(f"{path} cannot be written", "name a file in a folder that exists")
    device = path.exists() and not path.is_file()
    if not os.access(path if device else path.parent, os.W_OK):
        raise CourseError(f"{path} cannot be written", "name a file in a folder that you may write to")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file as a whole or not at all, text in UTF-8. Raises CourseError where it cannot be written."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    part = path.with_name(path.name + ".part")
    try:
        if path.exists() and not path.is_file():  # /dev/stdout and the like must not be replaced
            path.write_bytes(data)
            return
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CourseError(f"{path} cannot be written ({error.strerror})", "name another file with --output") from error
