"""`course check` says yes to the course as it is, and names what is wrong with one that is not in order."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, WITH_TORCH, Course

from autograder.commands.check import paired
from autograder.course import load_course

NAME = "ex3-memory-cost"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the course that holds one assignment."""
    for folder in ("source", "release"):
        shutil.copytree(ROOT / folder / NAME, tmp_path / folder / NAME)
    (tmp_path / "course_config.py").write_text(f"c = get_config()\nc.Course.assignments = {{{NAME!r}: {{}}}}\n")
    return tmp_path


def change(path: Path, cell_name: str, edit: Any) -> None:
    """Apply `edit` to the cell with a grade_id, in a notebook file."""
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == cell_name:
            edit(cell)
    path.write_text(json.dumps(notebook), "utf-8")


def test_the_course_is_in_order(course: Course) -> None:
    done = course("check", cwd=ROOT)
    assert "The course is in order." in done.stdout
    course_here = load_course(ROOT)
    graded, rest = course_here.graded(), len(course_here.names) - len(course_here.graded())
    without = 0 if WITH_TORCH else len(course_here.requires)
    assert done.stdout.count(" yes ") == 10 * (len(graded) - without) + 6 * without + 4 * rest


def test_every_hidden_check_names_a_graded_cell_and_every_graded_cell_has_one() -> None:
    course = load_course(ROOT)
    for assignment in map(course.assignment, course.graded()):
        assert set(paired(assignment).values()) == {cell.grade_id for cell in assignment.graded}


def test_a_model_answer_left_in_the_release_is_found(copy: Path, course: Course) -> None:
    source = json.loads((copy / "source" / NAME / f"{NAME}.ipynb").read_text("utf-8"))
    (copy / "release" / NAME / f"{NAME}.ipynb").write_text(json.dumps(source), "utf-8")
    done = course("check", NAME, cwd=copy, status=2)
    assert "a line of the model answer of crossover-n is in the release" in done.stdout
    assert "it scores 10 instead of 0" in done.stdout
    assert "the visible check in crossover-check passes" in done.stdout


def test_a_broken_model_answer_is_found(copy: Path, course: Course) -> None:
    def break_it(cell: dict[str, Any]) -> None:
        cell["source"] = "def attention_memory_bytes(n, dtype_bytes=2):\n    return n\n"

    change(copy / "source" / NAME / f"{NAME}.ipynb", "attention-memory-bytes", break_it)
    done = course("check", NAME, cwd=copy, status=2)
    assert "the model answer does not pass on this machine" in done.stdout


def test_a_graded_cell_without_hidden_checks_is_found(copy: Path, course: Course) -> None:
    def rename(cell: dict[str, Any]) -> None:
        cell["metadata"]["nbgrader"]["grade_id"] = "crossover-renamed"

    for folder in ("source", "release"):
        change(copy / folder / NAME / f"{NAME}.ipynb", "crossover-check", rename)
    done = course("check", NAME, cwd=copy, status=2)
    assert "crossover-renamed has points and no hidden check" in done.stdout
    assert "names 'crossover-check', which is no graded cell" in done.stdout


def test_a_release_that_is_older_than_its_source_is_found(copy: Path, course: Course) -> None:
    def edit(cell: dict[str, Any]) -> None:
        cell["source"] = ["# changed\n", *cell["source"]]

    change(copy / "source" / NAME / f"{NAME}.ipynb", "crossover-check", edit)
    done = course("check", NAME, cwd=copy, status=2)
    assert "the cell crossover-check differs from the source" in done.stdout
    assert f"nbgrader generate_assignment {NAME} --force" in done.stdout
