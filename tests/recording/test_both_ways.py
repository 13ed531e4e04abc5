"""`course autograde` writes what `nbgrader autograde` writes with the same steps: the same rows, the same notebooks."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from recording.classes import ASSIGNMENT, Class
from support import Person


@pytest.fixture(scope="module")
def both(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Class, Class]:
    """The same class, graded by nbgrader's command and by ours."""
    classes = []
    for name in ("nbgrader", "course"):
        root = tmp_path_factory.mktemp(name) / "course"
        shutil.copytree(handed_in, root)
        classes.append(Class(root))
    theirs, ours = classes
    Person(theirs.root, theirs.root.parent / "home").nbgrader("autograde", ASSIGNMENT)
    assert ours.autograde(jobs=2) == 3  # one of them is for a person
    return theirs, ours


@pytest.mark.parametrize("table", ["grades", "comments", "submissions"])
def test_both_ways_write_the_same_rows_into_the_gradebook(both: tuple[Class, Class], table: str) -> None:
    """Scores, comments, late penalties, times and needs-manual-grade flags: no row differs."""
    theirs, ours = both
    assert ours.tables()[table] == theirs.tables()[table]
    assert len(ours.tables()[table]) >= 9


def test_both_ways_write_the_same_files(both: tuple[Class, Class]) -> None:
    """Notebooks, data files and timestamps, with the same permissions."""
    found = []
    for graded in both:
        root = graded.root / "autograded"
        files = {
            p.relative_to(root).as_posix(): stat.filemode(p.stat().st_mode) for p in root.rglob("*") if p.is_file()
        }
        found.append(files)
    assert found[1] == found[0]
    assert f"s4/{ASSIGNMENT}/data.csv" in found[1] and f"s0/{ASSIGNMENT}/timestamp.txt" in found[1]


@pytest.mark.parametrize("student", [f"s{number}" for number in range(9)])
def test_both_ways_write_the_same_notebook_cell_by_cell(both: tuple[Class, Class], student: str) -> None:
    """Sources, metadata and outputs are equal, and so is every byte but the times at which it was graded.

    Two more things differ, which our command knows better: the digest of the file, and the name that it was handed in
    under. nbgrader's steps never see the file.
    """
    theirs, ours = both
    for mine, its in zip(ours.autograded(student)["cells"], theirs.autograded(student)["cells"], strict=True):
        assert mine == its
    path = Path("autograded") / student / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    assert _without_times(ours.root / path) == _without_times(theirs.root / path)


def _without_times(path: Path) -> str:
    return re.sub(r'"(seconds|graded_at|submission_digest|notebook)": [^\n]+', "", path.read_text("utf-8"))


def test_nothing_in_submitted_is_changed(both: tuple[Class, Class], handed_in: Path) -> None:
    for path in (handed_in / "submitted").rglob("*"):
        if path.is_file():
            assert (both[1].root / path.relative_to(handed_in)).read_bytes() == path.read_bytes()
    assert os.path.exists(both[1].root / "submitted" / "s2" / ASSIGNMENT / "mine.ipynb")


def test_the_class_holds_what_makes_the_comparison_worth_something(make_class: Callable[..., Class]) -> None:
    """A late submission is penalised, and one that cannot be read waits for a person: the rows do hold such values."""
    graded = make_class("s1", "s3")
    assert graded.autograde() == 3
    assert [row[-1] for row in graded.tables()["grades"] if row[0] == "s3"] == [1, 1, 1, 1]
    assert [row[2] for row in graded.tables()["grades"] if row[0] == "s3"] == [None] * 4
