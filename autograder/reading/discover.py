"""From the paths that a person names to the notebooks behind them: whose they are, and of which assignment."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.problems import CourseError
from autograder.reading.assignment import Assignment
from autograder.reading.content import assignment_of
from autograder.reading.folder import of_another_assignment, read_folder
from autograder.reading.names import below, readable
from autograder.reading.notebook import Unreadable, read_notebook
from autograder.reading.submission import Submission, from_file, ungradable

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
            inside = _below(path)
            if not inside:
                raise CourseError(f"there is no notebook in {path}", "name a folder that holds .ipynb files")
            found += [Found(p, readable(p.relative_to(path).as_posix()), _parts(p), p.is_symlink()) for p in inside]
        elif path.is_file():
            found.append(Found(path, readable(path.name), _parts(path)))
        else:
            raise CourseError(f"{path} does not exist", "name a notebook or a folder of notebooks")
    return found


def read_all(
    paths: Sequence[Path],
    assignments: Sequence[Assignment],
    max_bytes: int,
    wanted: Assignment | None = None,
    student: str | None = None,
) -> list[Submission]:
    """Return the submissions at and below `paths`, in order.

    A folder that has an assignment's name is what one student handed in for it: one of its notebooks counts, or
    it is said that there is none. Raises CourseError for a path where there is nothing to be graded.
    """
    submissions: list[Submission] = []
    for path in paths:
        folders = _handed_in(path, assignments) if path.is_dir() else {}
        notebooks = find_notebooks([path]) if not folders or _below(path) else []
        inside: dict[Path, list[Found]] = {folder: [] for folder in folders}
        for found in notebooks:
            for parent in found.path.parents:
                if parent in inside:
                    inside[parent].append(found)
        places: list[tuple[Path, Submission]] = []
        for folder, named in folders.items():
            if [found.path for found in inside[folder]] == [folder / f"{named.name}.ipynb"]:
                continue  # as it should be
            others = [f.path for f in inside[folder] if of_another_assignment(f.path, named, assignments, max_bytes)]
            if inside[folder] and len(others) == len(inside[folder]):
                continue  # each is read by itself
            who = student or student_of(Found(folder, "", (*_parts(folder), "")), [a.name for a in assignments])
            shown = readable(folder.relative_to(path).as_posix())
            places.append((folder, read_folder(folder, wanted or named, who, max_bytes, shown, others)))
            settled = {found.path for found in inside[folder]} - set(others)
            notebooks = [found for found in notebooks if found.path not in settled]
        places += [(f.path, read_submission(f, assignments, max_bytes, wanted, student)) for f in notebooks]
        submissions += [submission for _, submission in sorted(places, key=lambda place: place[0])]
    return submissions


def _handed_in(folder: Path, assignments: Sequence[Assignment]) -> dict[Path, Assignment]:
    """Return the folders at and below `folder` that have an assignment's name; those of feedback hold no notebooks."""
    named = {assignment.name: assignment for assignment in assignments}
    found: dict[Path, Assignment] = {}
    for path in [folder, *below(folder)[1]]:
        assignment = named.get(path.absolute().name)
        inside_another = any(parent in found for parent in path.parents)
        if assignment is not None and not inside_another and "feedback" not in path.absolute().parts:
            found[path] = assignment
    return found


def _below(folder: Path) -> list[Path]:
    """Return the notebooks in a folder, sorted."""
    return [path for path in below(folder)[0] if path.suffix == ".ipynb"]


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
    submission = from_file(found.path, assignment, who, found.shown, max_bytes)
    named = _by_name(found, assignments)
    if wanted is None and named is not None and named.name != assignment.name:
        submission.notes.insert(0, f"By its name it is of {named.name}, but the notebook is that of {assignment.name}.")
    return submission


def recognise(notebook: dict[str, Any], found: Found, assignments: Sequence[Assignment]) -> Assignment | None:
    """Return the assignment by the notebook's grade_ids, else by its file's name, else by its functions."""
    by_ids = assignment_of(notebook, assignments, functions=False)
    return by_ids or _by_name(found, assignments) or assignment_of(notebook, assignments)


def _by_name(found: Found, assignments: Sequence[Assignment]) -> Assignment | None:
    stem = _COPY.sub("", found.path.stem)
    for assignment in assignments:
        if assignment.name in (stem, found.path.parent.name):
            return assignment
    return None
