"""What one student handed in for one assignment, ready to be run, or the reason why it cannot be."""

from __future__ import annotations

import copy
import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.reading.assignment import Assignment
from autograder.reading.names import is_leftover, readable
from autograder.reading.notebook import Unreadable, read_notebook
from autograder.reading.repair import repair

IGNORED = {"timestamp.txt", "submission_secret.txt"}
NEVER_GIVEN = ("course_config.py", "pyvenv.cfg")  # a folder with one of these is a course or an environment
MAX_FILES = 200
MAX_FOLDERS = 10  # inside one another; a deeper one is looked into by nobody


@dataclass
class Submission:
    """A notebook of a known assignment. `problem` is the reason where it is ungradable, and then there is no notebook.

    `notebook` is the repaired notebook in format 4 (plain dicts); `notes` says what was repaired. `files` are the
    data files handed in with it, by relative name.
    """

    assignment: str
    student: str
    shown_path: str
    notebook: dict[str, Any] = field(default_factory=lambda: {"cells": []})
    notes: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    digest: str = ""
    problem: str | None = None

    @property
    def code(self) -> list[tuple[int, str]]:
        """(position, source) of each code cell, in order."""
        cells = enumerate(self.notebook["cells"])
        return [(index, cell["source"]) for index, cell in cells if cell["cell_type"] == "code"]

    @property
    def texts(self) -> list[str]:
        """The sources of the cells that are no code."""
        return [cell["source"] for cell in self.notebook["cells"] if cell["cell_type"] != "code"]


def ungradable(assignment: str, student: str, shown_path: str, problem: str, data: bytes = b"") -> Submission:
    return Submission(assignment, student, shown_path, problem=problem, digest=digest_of(data))


def from_notebook(
    notebook: dict[str, Any], assignment: Assignment, student: str, shown_path: str, digest: str = ""
) -> Submission:
    """Return the submission in `notebook`, repaired. The notebook itself is left as it is."""
    mended = copy.deepcopy(notebook)
    notes = repair(mended, assignment)
    return Submission(assignment.name, student, shown_path, mended, notes, digest=digest)


def from_file(
    path: Path, assignment: Assignment, student: str, shown_path: str, max_bytes: int, own_folder: bool = False
) -> Submission:
    """Return the submission in a file, with the data files of its folder. Never raises for a bad file.

    The files of a folder that several notebooks share belong to none, unless it is known to be one student's own.
    """
    try:
        notebook, data = read_notebook(path, max_bytes)
    except Unreadable as error:
        return ungradable(assignment.name, student, shown_path, str(error))
    submission = from_notebook(notebook, assignment, student, shown_path, digest_of(data))
    if own_folder or path.stem == path.parent.name or len(list(path.parent.glob("*.ipynb"))) == 1:
        submission.files, notes = data_files(path.parent, max_bytes)
        submission.notes += notes
    return submission


def data_files(folder: Path, max_bytes: int) -> tuple[dict[str, bytes], list[str]]:
    """Return (the files beside a notebook by relative name, notes on what was left out).

    Follows no links, and leaves out folders that hold a course: its hidden checks are no student's files.
    """
    found: dict[str, bytes] = {}
    notes: list[str] = []
    total = 0
    files = _walk(folder)
    for path in itertools.islice(files, MAX_FILES):
        name = path.relative_to(folder).as_posix()
        try:
            size = path.stat().st_size
            if total + size > max_bytes:
                notes.append(f"The file {readable(name)} ({size / 1e6:.0f} MB) was left out: it is too large.")
                continue
            found[name] = path.read_bytes()
        except OSError as error:
            notes.append(f"The file {readable(name)} was left out: it cannot be read ({error.strerror}).")
            continue
        total += size
    if next(files, None) is not None:
        notes.append(f"The folder holds more than {MAX_FILES} files; the others were left out.")
    return found, notes


def _walk(folder: Path, depth: int = 0) -> Iterator[Path]:
    if depth > MAX_FOLDERS or any((folder / name).is_file() for name in NEVER_GIVEN):
        return
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return
    for path in inside:
        if path.name in IGNORED or is_leftover(path.name) or path.is_symlink():
            continue
        if path.is_dir():
            yield from _walk(path, depth + 1)
        elif path.is_file() and path.suffix != ".ipynb":
            yield path


def digest_of(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()
