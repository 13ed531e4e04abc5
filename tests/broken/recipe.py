"""What a recipe is, and the good notebook that each begins with."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import support
from support import ROOT, flags, notebook_path

from autograder.sample.build import fill

EX1, EX2, EX3, EX4, EX5 = support.ASSIGNMENTS
GRADED, UNGRADABLE, REVIEW = "graded", "ungradable", "needs-review"

Notebook = dict[str, Any]

OTHERS = {"causal-mask-pattern": 2.0, "causal-attention-values": 3.0, "causal-leakage": 3.0}
NOT_READ = {"status": UNGRADABLE, "score": 0.0}
WITHOUT_LAST = {"score": 8.0, "cells": {"is-causal-check": 0.0} | OTHERS}  # one function of three is lost, no more


@dataclass(frozen=True)
class Recipe:
    """One broken submission.

    `make` gets the folder of the submission and the good notebook, and writes what was handed in. `what` says what
    happened. The rest is what should become of it: the status; the score; in `cells` the score of cells by grade_id;
    in `says` texts that stand in the report's message or in those of its checks. `silent` is a right notebook of
    which there is nothing to say. `slow` ones wait for a time limit, and are graded under short ones.
    """

    id: str
    what: str
    make: Callable[[Path, Notebook], None]
    assignment: str = EX2
    status: str = GRADED
    score: float = 10.0
    cells: dict[str, float] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    silent: bool = False
    slow: bool = False
    becomes: str = ""  # the assignment that it is recognised as, where that is another
    others: int = 0  # how many reports on other notebooks of the same folder there are
    not_as_root: bool = False

    def write(self, folder: Path) -> None:
        """Write the submission as nbgrader lays it out below `folder`: student (the recipe's id), assignment."""
        place = folder / self.id / self.assignment
        place.mkdir(parents=True)
        self.make(place, good(self.assignment))


def edited(id: str, **expected: Any) -> Callable[[Callable[[Notebook], None]], Recipe]:
    """Make a recipe of a function that changes the good notebook. Its docstring says what happened."""

    def decorate(change: Callable[[Notebook], None]) -> Recipe:
        def make(folder: Path, notebook: Notebook) -> None:
            change(notebook)
            save(folder, notebook)

        return Recipe(id, _what(change), make, **_texts(expected))

    return decorate


def written(id: str, **expected: Any) -> Callable[[Callable[[Path, Notebook], None]], Recipe]:
    """Make a recipe of a function that writes the files. Its docstring says what happened."""

    def decorate(make: Callable[[Path, Notebook], None]) -> Recipe:
        return Recipe(id, _what(make), make, **_texts(expected))

    return decorate


def recipes_in(module: ModuleType) -> list[Recipe]:
    """Return a module's recipes in the order in which they are written."""
    return [value for value in vars(module).values() if isinstance(value, Recipe)]


def _what(function: Callable[..., None]) -> str:
    return " ".join((function.__doc__ or "").split())


def _texts(expected: dict[str, Any]) -> dict[str, Any]:
    says = expected.get("says", ())
    return expected | {"says": (says,) if isinstance(says, str) else tuple(says)}


# -- the good notebook --------------------------------------------------------------------------------------------


@cache
def _good(assignment: str) -> Notebook:
    return fill(support.read(notebook_path(ROOT / "release", assignment)), support.model_answers(assignment))


def good(assignment: str) -> Notebook:
    """Return the released notebook with the model answers filled in; it is the caller's own."""
    return copy.deepcopy(_good(assignment))


def released(assignment: str) -> Notebook:
    """Return the notebook as it was handed out."""
    return support.read(notebook_path(ROOT / "release", assignment))


def text_of(notebook: Any) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def save(folder: Path, notebook: Any, name: str = "") -> Path:
    """Write a notebook as UTF-8 into a submission's folder, named as it should be or otherwise."""
    return save_bytes(folder, text_of(notebook).encode(), name)


def save_bytes(folder: Path, data: bytes, name: str = "") -> Path:
    path = folder / (name or f"{folder.name}.ipynb")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


# -- its cells ----------------------------------------------------------------------------------------------------


def find(notebook: Notebook, grade_id: str) -> dict[str, Any]:
    """Return the cell with that grade_id."""
    return next(cell for cell in notebook["cells"] if flags(cell).get("grade_id") == grade_id)


def place(notebook: Notebook, grade_id: str) -> int:
    return notebook["cells"].index(find(notebook, grade_id))


def code(source: str, id: str = "added") -> dict[str, Any]:
    """A code cell of the student's own."""
    made = {"cell_type": "code", "id": id, "metadata": {}, "source": source}
    return made | {"outputs": [], "execution_count": None}


def text(source: str, id: str = "added-text") -> dict[str, Any]:
    return {"cell_type": "markdown", "id": id, "metadata": {}, "source": source}


def answer(notebook: Notebook, source: str, grade_id: str = "is-causal") -> None:
    """Write an answer in place of the model answer."""
    find(notebook, grade_id)["source"] = source


def append(notebook: Notebook, lines: str, grade_id: str = "is-causal") -> None:
    """Write below an answer."""
    find(notebook, grade_id)["source"] += "\n\n" + lines


def prepend(notebook: Notebook, lines: str, grade_id: str = "is-causal") -> None:
    """Write above an answer."""
    cell = find(notebook, grade_id)
    cell["source"] = lines + "\n" + cell["source"]


def inside(notebook: Notebook, lines: str, grade_id: str = "is-causal") -> None:
    """Write at the beginning of an answer's function, below its docstring."""
    cell = find(notebook, grade_id)
    above, below = cell["source"].rsplit('"""\n', 1)
    indented = "".join(f"    {line}\n" for line in lines.splitlines())
    cell["source"] = f'{above}"""\n{indented}{below}'
