"""Cells of the course's own that only draw are left out, unless something that is run needs what they make."""

from __future__ import annotations

import pytest
from support import ASSIGNMENTS, ROOT

from autograder.course import load_course
from autograder.reading.assignment import Assignment, as_assignment
from autograder.reading.pictures import Pictures

SETUP = "import matplotlib.pyplot as plt"
PICTURE = "fig, panel = plt.subplots()\nwidth = 3\npanel.plot(answer(width))\nplt.show()"
SECOND = "def draw(ax):\n    ax.plot([1])\n\ndraw(panel)\nplt.show()"


def code(*sources: str) -> list[tuple[int, str]]:
    return list(enumerate(sources))


@pytest.fixture
def assignment() -> Assignment:
    solution = {"nbgrader": {"grade_id": "answer", "solution": True, "grade": False, "locked": False}}
    cells = [(SETUP, {}), ("def answer(n):\n    return n\nplt.show()", solution), (PICTURE, {}), (SECOND, {})]
    notebook = {
        "metadata": {},
        "cells": [{"cell_type": "code", "source": source, "metadata": metadata} for source, metadata in cells],
    }
    return as_assignment("drawn", notebook, ROOT)


ANSWER = "def answer(n):\n    return 2 * n"


@pytest.mark.parametrize(
    ("more", "left_out"),
    [
        ((), {2, 3}),
        (("width",), {3}),
        (("print(fig)",), {3}),
        (("def helper():\n    return width",), {3}),
        (("def helper():\n    def inner():\n        return width + 1\n    return inner",), {3}),
        (("class Box:\n    size = width",), {3}),
        (("draw(None)",), set()),  # what SECOND makes is needed, and SECOND needs the panel
        (("%time width",), {3}),
        (("width = 5\nprint(width)",), {2, 3}),
        (("def helper(width):\n    return width",), {2, 3}),
        (("[width for width in range(3)]",), {2, 3}),
        (("lambda width: width",), {2, 3}),
        (("width = 1\nall(width > i for i in range(3))",), {2, 3}),
        (("all(width > i for i in range(3))",), {3}),
        (("def helper():\n    return [width for i in range(3)]",), {3}),
        (("width += 1",), {3}),
        (("for i in range(width):\n    pass",), {3}),
        (("text = 'width'",), {2, 3}),
        (("width = 1", "def later():\n    return width"), {2, 3}),
        (("def later():\n    return width", "width = 1"), {2, 3}),
    ],
)
def test_a_picture_is_left_out_unless_its_names_are_needed(
    assignment: Assignment, more: tuple[str, ...], left_out: set[int]
) -> None:
    """A name counts where it is looked up: now, or later by a function, and only if the picture made it last."""
    assert Pictures(assignment).left_out(code(SETUP, ANSWER, PICTURE, SECOND, *more)) == left_out


@pytest.mark.parametrize("changed", [PICTURE.replace("3", "4"), "# mine\n" + PICTURE, PICTURE + "\nprint(1)"])
def test_a_picture_that_a_student_changed_is_run(assignment: Assignment, changed: str) -> None:
    assert 2 not in Pictures(assignment).left_out(code(SETUP, ANSWER, changed, SECOND))


def test_a_students_own_picture_is_run(assignment: Assignment) -> None:
    own = "plt.plot(answer(3))\nplt.show()"
    assert Pictures(assignment).left_out(code(SETUP, ANSWER, own)) == frozenset()


def test_spaces_at_the_ends_of_lines_do_not_count(assignment: Assignment) -> None:
    """An editor may have stripped or added them."""
    spaced = "\n" + PICTURE.replace("\n", "  \n") + "\n"
    assert 2 in Pictures(assignment).left_out(code(SETUP, ANSWER, spaced))


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_every_exercise_has_pictures_that_are_left_out(name: str) -> None:
    """All of them, in a notebook that was solved and otherwise left as it is."""
    assignment = load_course(ROOT).assignment(name)
    sources = [c["source"] for c in assignment.notebook["cells"] if c["cell_type"] == "code"]
    drawing = {index for index, source in enumerate(sources) if source.rstrip().endswith("plt.show()")}
    assert Pictures(assignment).left_out(code(*sources)) == drawing != set()
