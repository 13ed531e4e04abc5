"""A small assignment, and the notebook of a student who has solved it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from made_notebooks import COURSE, Notebook

from autograder.reading.assignment import Assignment, load_assignment


@pytest.fixture
def notebook() -> Notebook:
    """The notebook as it was handed out, solved in the student's own words."""
    solved = copy.deepcopy(COURSE)
    solved["cells"][2]["source"] = "def double(n): return n + n"
    return solved


Load = Callable[[Notebook], Assignment]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Writes a notebook as the course's source of the assignment `doubling`, and loads it."""

    def load(notebook: Notebook) -> Assignment:
        folder = tmp_path / "course" / "source" / "doubling"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "doubling.ipynb").write_text(json.dumps(notebook), "utf-8")
        return load_assignment("doubling", folder)

    return load


@pytest.fixture
def assignment(load: Load) -> Assignment:
    return load(COURSE)
