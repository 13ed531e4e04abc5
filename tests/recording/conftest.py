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


@pytest.fixture(scope="session")
def large(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with sixty submissions: more than one part for each of two workers."""
    root = tmp_path_factory.mktemp("large") / "course"
    _copy(handed_in, root, ("s0", "s1"))
    for number in range(2, 60):
        folder = root / "submitted" / f"t{number:02d}"
        shutil.copytree(root / "submitted" / f"s{number % 2}", folder)
        Class(root).answer(folder.name, f"number = {number}")
    return root


@pytest.fixture(scope="session")
def graded_once(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which three students have been graded."""
    root = tmp_path_factory.mktemp("graded") / "course"
    _copy(handed_in, root, ("s0", "s1", "s4"))
    assert Class(root).autograde() == 0
    return root


@pytest.fixture
def graded(graded_once: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Class:
    """Three students, graded. The copy is recorded once more, since its files are new ones: nothing is run for it."""
    _copy(graded_once, tmp_path / "course", ())
    made = Class(tmp_path / "course")
    assert made.autograde() == 0
    assert "3 graded and recorded (3 of them known from before)" in capsys.readouterr().err
    return made


def _copy(course: Path, root: Path, students: tuple[str, ...]) -> None:
    shutil.copytree(course, root)
    for folder in (root / "submitted").iterdir():
        if students and folder.name not in students:
            shutil.rmtree(folder)


@pytest.fixture
def make_class(handed_in: Path, tmp_path: Path) -> Callable[..., Class]:
    """Returns a copy of the course with its class, of these students or of all."""

    def make(*students: str, name: str = "course") -> Class:
        _copy(handed_in, tmp_path / name, students)
        return Class(tmp_path / name)

    return make
