"""Folders and names: what lies below a folder, which of it is a leftover of some tool, and how any name is written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from autograder.text import escaped

LEFTOVERS = {".ipynb_checkpoints", "__MACOSX", "__pycache__", ".git", ".Trash"}
ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json")  # browsers add the last part
MAX_LISTED = 5


def is_leftover(name: str) -> bool:
    """Whether a file or folder of that name is a Mac's shadow, an editor's checkpoints, or the like."""
    return name.startswith("._") or name in LEFTOVERS


def below(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return (files and links, folders) below a folder, sorted and without leftovers.

    However deep the folders go, and whatever cannot be entered. Links are not followed.
    """
    files: list[Path] = []
    folders: list[Path] = []
    waiting = [folder]
    while waiting:
        try:
            inside = list(waiting.pop().iterdir())
        except OSError:
            continue
        for path in inside:
            if is_leftover(path.name):
                continue
            if path.is_dir() and not path.is_symlink():
                folders.append(path)
                waiting.append(path)
            elif path.is_file() or path.is_symlink():
                files.append(path)
    return sorted(files), sorted(folders)


def readable(name: str) -> str:
    """Return a file's name as text that can be shown: a name that is no UTF-8 is read as Latin-1.

    Characters that would mislead whoever reads it (terminal codes, direction marks) are written out.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        name = os.fsencode(name).decode("latin-1")
    return escaped(name)


def listed(names: Sequence[str]) -> str:
    """Return names in one line, the first few of many."""
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(names[:MAX_LISTED]) + more
