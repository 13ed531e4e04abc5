"""Reads what was handed in for `nbgrader autograde`, whatever its name and encoding; a page says why it cannot.

Named in course_config.py as c.Autograde.exporter_class. nbgrader takes only files of the right name, in UTF-8 and
notebook format 4, and copies whatever lies beside them, of any size and wherever a link leads. Here the notebook is
chosen and read as `course grade` does it. Nothing in submitted/ is changed.
"""

from __future__ import annotations

import glob
import json
import re
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter

from autograder.gradebook.command import KEY, Command
from autograder.reading.assignment import Assignment
from autograder.reading.folder import Choice, choose, of_another_assignment
from autograder.reading.names import below
from autograder.reading.notebook import Unreadable, read_notebook
from autograder.reading.submission import IGNORED, data_files

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class SubmissionExporter(NotebookExporter):
    """nbconvert's exporter of notebooks, with our reading in front of it."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.choices: dict[str, Choice] = {}
        converter: Any = self.parent
        self.instructors_hook = converter.pre_convert_hook
        self.instructors_ignore = list(converter.coursedir.ignore)
        converter.pre_convert_hook = self.before_a_submission  # the only call between finding files and copying them

    def before_a_submission(self, assignment: str, student: str, notebooks: list[str]) -> None:
        """Choose the notebook of a submission's folder, and what of the rest is copied."""
        converter: Any = self.parent
        course = Command.of_converter(converter).course
        if assignment in course.names:
            folder = Path(notebooks[0]).parent
            max_bytes = course.limits.submission_mb * 10**6
            choice = choose(folder, course.assignment(assignment), max_bytes)
            files, notes = data_files(folder, max_bytes)
            left_out = [
                path.name
                for path in below(folder)[0]
                if path.relative_to(folder).as_posix() not in files and path.name not in IGNORED
            ]
            converter.coursedir.ignore = [*self.instructors_ignore, *map(glob.escape, left_out)]
            name = str(folder / f"{assignment}.ipynb")
            self.choices[name] = Choice(choice.path, choice.notes + notes, choice.problem)
            converter.notebooks = [name]
        if self.instructors_hook:
            self.instructors_hook(assignment=assignment, student=student, notebooks=converter.notebooks)

    def from_filename(self, filename: str, resources: Any = None, **keywords: Any) -> Any:
        """Read a notebook. One that cannot be judged becomes a page with the reason, for a person to look at."""
        path = Path(filename)
        resources = {} if resources is None else resources
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        course = Command.of_converter(self.parent).course
        name = resources.get("nbgrader", {}).get("assignment")
        choice = self.choices.pop(filename, None)
        if choice is None or name not in course.names:
            return super().from_filename(filename, resources, **keywords)
        max_bytes = course.limits.submission_mb * 10**6
        notebook, problem = _read(choice, course.assignment(name), course.assignments(), max_bytes)
        notebook["metadata"][KEY] = {"notes": choice.notes, "problem": problem}
        return self.from_notebook_node(nbformat.from_dict(notebook), resources, **keywords)


def _read(
    choice: Choice, assignment: Assignment, assignments: list[Assignment], max_bytes: int
) -> tuple[dict[str, Any], str]:
    """Return (the notebook, or a page in its place; why it cannot be judged, or "")."""
    problem = choice.problem
    if choice.path is not None:
        try:
            notebook, _ = read_notebook(choice.path, max_bytes)
        except Unreadable as error:
            problem = str(error)
        else:
            other = of_another_assignment(choice.path, assignment, assignments, max_bytes)
            if not other:
                return valid(notebook), ""
            problem = f"it is the notebook of {other}; ask for that of {assignment.name}"
    return page(assignment, problem), problem


def page(assignment: Assignment, problem: str) -> dict[str, Any]:
    """Return a notebook in place of one that cannot be judged: the reason, and the course's locked cells."""
    reason = f"# Not graded\n\nThis submission could not be judged: {problem}."
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": reason}]
    cells += [course.cell for course in assignment.cells.values() if course.locked]
    return valid({"metadata": {}, "cells": cells})


def valid(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook in the form that nbformat's schema asks for: nbgrader writes it down between its steps."""
    seen: set[str] = set()
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        identity = cell.get("id")
        if not isinstance(identity, str) or identity in seen or not _ID.fullmatch(identity):
            identity = f"cell-{number}"
        seen.add(identity)
        kept = {key: cell[key] for key in ("cell_type", "metadata", "source")} | {"id": identity}
        if cell["cell_type"] == "code":
            kept |= {"outputs": [], "execution_count": None}
        elif isinstance(cell.get("attachments"), dict):
            kept["attachments"] = cell["attachments"]
        cells.append(kept)
    made = {"nbformat": 4, "nbformat_minor": 5, "metadata": notebook["metadata"], "cells": cells}
    return json.loads(json.dumps(made, ensure_ascii=False).encode("utf-8", "replace"))
