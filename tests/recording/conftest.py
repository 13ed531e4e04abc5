"""A course with a class that has handed in, made once; each test gets a copy of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from recording.classes import ASSIGNMENT, Class
from support import ROOT, Person, copy_course, notebook_path, read, write

from autograder.sample.build import answers_path, fill, read_answers, roster

STUDENTS = 9
WHENS = ("2026-11-29 12:00:00 UTC", "2026-12-03 12:00:00 UTC")  # in time, and three days late


@pytest.fixture(scope="session")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with nine submissions of one assignment: right, wrong, late, renamed, unreadable, without a time."""
    released = read(notebook_path(ROOT / "release", ASSIGNMENT))
    paths = [answers_path(student.id, ASSIGNMENT) for student in roster() if student.handed_in(ASSIGNMENT)]
    notebooks = [fill(released, read_answers(path)) for path in paths if path.is_file()]
    root = tmp_path_factory.mktemp("recording") / "course"
    due = {f'"{ASSIGNMENT}": {{}}': f'"{ASSIGNMENT}": {{"due": "2026-11-30 12:00 UTC"}}'}
    copy_course(root, due)
    Person(root, root.parent / "home").nbgrader("generate_assignment", ASSIGNMENT)
    for number, notebook in enumerate(notebooks[:STUDENTS]):
        folder = root / "submitted" / f"s{number}" / ASSIGNMENT
        write(folder / f"{ASSIGNMENT}.ipynb", notebook)
        (folder / "timestamp.txt").write_text(WHENS[number % 4 == 1])
    (notebook_path(root / "submitted" / "s2", ASSIGNMENT)).rename(root / "submitted" / "s2" / ASSIGNMENT / "mine.ipynb")
    notebook_path(root / "submitted" / "s3", ASSIGNMENT).write_text("{ no notebook")
    (root / "submitted" / "s4" / ASSIGNMENT / "timestamp.txt").unlink()
    (root / "submitted" / "s4" / ASSIGNMENT / "data.csv").write_text("1,2\n")
    late = read(notebook_path(root / "submitted" / "s5", ASSIGNMENT))
    late["cells"] = [c for c in late["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") != "causal-leakage"]
    write(notebook_path(root / "submitted" / "s5", ASSIGNMENT), late)
    return root


@pytest.fixture
def make_class(handed_in: Path, tmp_path: Path) -> Callable[..., Class]:
    """Returns a copy of the course with its class, of these students or of all."""

    def make(*students: str, name: str = "course") -> Class:
        root = tmp_path / name
        shutil.copytree(handed_in, root, copy_function=shutil.copy2)
        for folder in (root / "submitted").iterdir():
            if students and folder.name not in students:
                shutil.rmtree(folder)
        return Class(root)

    return make
