"""From the paths that a person names to the notebooks behind them: whose they are, and of which assignment."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.problems import CourseError
from autograder.reading.assignment import Assignment
from autograder.reading.notebook import Unreadable, grade_id, read_notebook
from autograder.reading.submission import Submission, from_file, readable, ungradable

STEPS = ("submitted", "autograded", "feedback")
UNKNOWN = "unknown"
_COPY = re.compile(r"(-Copy\d+|\s*\(\d+\)|-checkpoint)+$")


@dataclass(frozen=True)
class Found:
    """A notebook file below a path that was named; `shown` is its path below that.

    `link` is set for a symbolic link in a folder that was searched: it may lead to anybody's notebook.
    """

    path: Path
    shown: str
    parts: tuple[str, ...]
    link: bool = False


def find_notebooks(paths: Sequence[Path]) -> list[Found]:
    """Return the notebooks at and below `paths`. Raises CourseError for a path without any."""
    found: list[Found] = []
    for path in paths:
        if path.is_dir():
            inside = list(_below(path))
            if not inside:
                raise CourseError(f"there is no notebook in {path}", "name a folder that holds .ipynb files")
            found += [Found(p, readable(p.relative_to(path).as_posix()), _parts(p), p.is_symlink()) for p in inside]
        elif path.is_file():
            found.append(Found(path, readable(path.name), _parts(path)))
        else:
            raise CourseError(f"{path} does not exist", "name a notebook or a folder of notebooks")
    return found


def _below(folder: Path) -> Iterator[Path]:
    """Yield the notebooks in a folder, sorted. However deep the folders go, and whatever cannot be entered."""
    found: list[Path] = []
    folders = [folder]
    while folders:
        try:
            inside = list(folders.pop().iterdir())
        except OSError:
            continue
        for path in inside:
            if path.name == ".ipynb_checkpoints":
                continue
            if path.suffix == ".ipynb" and (path.is_file() or path.is_symlink()):
                found.append(path)
            elif path.is_dir() and not path.is_symlink():
                folders.append(path)
    yield from sorted(found)


def _parts(path: Path) -> tuple[str, ...]:
    return tuple(map(readable, Path(os.path.abspath(path)).parts))


def student_of(found: Found, assignments: Sequence[str]) -> str:
    """Return the student: the folder in nbgrader's layout, otherwise the folder that holds the notebook."""
    parts = found.parts[:-1]
    for step in STEPS:
        if step in parts:
            index = len(parts) - 1 - parts[::-1].index(step)
            if index + 1 < len(parts):
                return parts[index + 1]
    if len(parts) >= 2 and parts[-1] in assignments:
        return parts[-2]
    return parts[-1] if parts else UNKNOWN


def read_submission(
    found: Found,
    assignments: Sequence[Assignment],
    max_bytes: int,
    wanted: Assignment | None = None,
    student: str | None = None,
) -> Submission:
    """Return the submission in a file, of the assignment `wanted` or of the one it is recognised as."""
    who = student or student_of(found, [assignment.name for assignment in assignments])
    assignment = wanted
    if found.link:
        named = wanted or _by_name(found, assignments)
        problem = "it is a link to another file; ask for the notebook itself"
        return ungradable(named.name if named else UNKNOWN, who, found.shown, problem)
    if assignment is None:
        notebook: dict[str, Any] | None = None
        try:
            notebook, _ = read_notebook(found.path, max_bytes)
        except Unreadable as error:
            assignment = _by_name(found, assignments)
            if assignment is None:
                return ungradable(UNKNOWN, who, found.shown, str(error))
        else:
            assignment = recognise(notebook, found, assignments)
    if assignment is None:
        names = ", ".join(a.name for a in assignments)
        problem = f"it is no notebook of this course ({names}); name one with --assignment if it is"
        return ungradable(UNKNOWN, who, found.shown, problem)
    return from_file(found.path, assignment, who, found.shown, max_bytes)


def recognise(notebook: dict[str, Any], found: Found, assignments: Sequence[Assignment]) -> Assignment | None:
    """Return the assignment by the notebook's grade_ids, else by its file's name, else by its functions."""
    ids = {grade_id(cell) for cell in notebook["cells"]} - {None}
    by_ids = _best({a.name: len(ids & set(a.cells)) for a in assignments}, assignments)
    if by_ids is not None:
        return by_ids
    by_name = _by_name(found, assignments)
    if by_name is not None:
        return by_name
    text = "\n".join(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code")
    defined = set(re.findall(r"^\s*(?:async\s+)?def\s+(\w+)", text, re.MULTILINE))
    return _best({a.name: len(defined & set(a.functions)) for a in assignments}, assignments)


def _by_name(found: Found, assignments: Sequence[Assignment]) -> Assignment | None:
    stem = _COPY.sub("", found.path.stem)
    for assignment in assignments:
        if assignment.name in (stem, found.path.parent.name):
            return assignment
    return None


def _best(counts: dict[str, int], assignments: Sequence[Assignment]) -> Assignment | None:
    """Return the assignment with the highest count; None where all are zero or the first place is shared."""
    top = max(counts.values(), default=0)
    first = [assignment for assignment in assignments if counts[assignment.name] == top]
    return first[0] if top > 0 and len(first) == 1 else None
