"""A notebook without graded cells is an assignment like the others, worth nothing: handed out, never a problem."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, TOUR, Course, notebook_path, write

from autograder.course import load_course
from autograder.grading.grader import Grader
from autograder.packaging import student
from autograder.reading.discover import read_all
from autograder.reading.folder import read_folder

LOOK = "ex9-look"


def cell(kind: str, source: str) -> dict[str, Any]:
    only_code = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": f"a-{kind}-cell", "metadata": {}, "source": source, **only_code}


@pytest.fixture
def look(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a course of one notebook with nothing to grade, with this code in it."""

    def look(code: str) -> Path:
        cells = [cell("markdown", "# Have a look"), cell("code", code)]
        notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        for step in ("source", "release"):
            write(notebook_path(tmp_path / step, LOOK), notebook)
        (tmp_path / "course_config.py").write_text(f"c = get_config()\nc.Course.assignments = {{{LOOK!r}: {{}}}}\n")
        return tmp_path

    return look


def test_the_tour_is_named_in_the_course_and_has_no_points() -> None:
    course = load_course(ROOT)
    assert TOUR in course.names and TOUR not in course.graded()
    assert course.assignment(TOUR).max_score == 0


def test_grading_it_says_that_there_is_nothing_to_grade(course: Course) -> None:
    done = course("grade", notebook_path(ROOT / "release", TOUR), "--format", "json", "--fail-under", "100")
    (report,) = map(json.loads, done.stdout.splitlines())
    assert (report["assignment"], report["status"], report["cells"]) == (TOUR, "graded", [])
    assert (report["score"], report["max_score"]) == (0.0, 0.0)
    assert report["message"] == "Nothing in this notebook is graded."


def test_nothing_of_a_student_is_run_for_it(look: Callable[[str], Path]) -> None:
    course = load_course(look("import sys; sys.exit()"))
    submissions = read_all([course.root / "release"], course.assignments(), 10**6)
    told: list[str] = []
    with Grader(course) as grader:
        (graded,) = grader.grade(course.assignment(LOOK), submissions, lambda one: told.append(one.assignment))
        assert grader._hosts == {}, "no zygote was needed"
    assert graded.runs == {} and told == [LOOK]


def test_it_is_not_taken_for_an_exercise_that_defines_the_same_function() -> None:
    """The tour defines a softmax, as exercise 1 asks for; in a student's folder for the tour it is still the tour."""
    course = load_course(ROOT)
    tour = course.assignment(TOUR)
    submission = read_folder(ROOT / "release" / TOUR, tour, "ana", 10**7, others=course.assignments())
    assert submission.problem is None


def test_explaining_a_check_of_it_names_the_notebooks_that_have_checks(course: Course) -> None:
    done = course("explain", notebook_path(ROOT / "release", TOUR), "--check", "test_x", status=2)
    assert f"nothing in {TOUR} is graded: choose a notebook of ex1-scaled-dot-product" in done.stderr


def test_the_course_is_in_order_with_it(look: Callable[[str], Path], course: Course) -> None:
    done = course("check", cwd=look("print('look')"))
    assert "it runs from top to bottom" in done.stdout and "The course is in order." in done.stdout


def test_one_that_does_not_run_is_found_by_course_check(look: Callable[[str], Path], course: Course) -> None:
    done = course("check", cwd=look("print(lok)"), status=2)
    assert "the cell a-code-cell stops with NameError: name 'lok' is not defined" in done.stdout


def test_hidden_checks_without_a_graded_cell_are_found_by_course_check(
    look: Callable[[str], Path], course: Course, tmp_path: Path
) -> None:
    """An exercise whose graded cells were lost is not taken for one with nothing to grade."""
    root = look("print('look')")
    name = "ex3-memory-cost"
    for step in ("source", "release"):
        text = notebook_path(root / step, LOOK).read_text("utf-8")
        write(notebook_path(root / step, name), json.loads(text))
    (root / "course_config.py").write_text(f"c = get_config()\nc.Course.assignments = {{{name!r}: {{}}}}\n")
    done = course("check", cwd=root, status=2)
    assert "there are hidden checks in graders/ex3_memory_cost/, and no graded cell" in done.stdout


def test_students_are_told_that_there_is_nothing_to_hand_in(tmp_path: Path) -> None:
    folder, _ = student.build(load_course(ROOT), tmp_path)
    (line,) = [line for line in (folder / "README.md").read_text("utf-8").splitlines() if TOUR in line]
    assert line.endswith("(to look at and play with; nothing to write or hand in)")
    assert "ipywidgets" in (folder / "requirements.txt").read_text("utf-8")
