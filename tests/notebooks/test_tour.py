"""The tour of the chapter runs as it stands, with sliders and without, and gives no exercise away."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
import support
from figures_in_text import parts
from in_process import NAMES, Run, running
from support import ROOT, TOUR, notebook_path, read

SLIDERS = {"room-temperature-slider": "temperature", "peaked-slider": "d_k", "masks-slider": "mask"}
QUESTION = "**Think about it.**"


@pytest.fixture
def tour(ran: Callable[[str], Run]) -> Run:
    return ran(TOUR)


def code_above(cells: list[dict[str, Any]], at: int) -> int:
    return max(k for k in range(at) if cells[k]["cell_type"] == "code" and cells[k]["id"] not in SLIDERS)


def test_each_of_its_nine_parts_has_a_picture_and_a_question(tour: Run) -> None:
    found = [part for part in parts(tour.cells) if tour.cells[part[0]]["source"].startswith("## Part ")]
    titles = [tour.cells[part[0]]["source"].split(":")[0] for part in found]
    assert titles == [f"## Part {number}" for number in range(1, 10)]
    for title, part in zip(titles, found, strict=True):
        assert sum(tour.figures.get(at, 0) for at in part) >= 2, title
        assert sum(tour.cells[at]["source"].count(QUESTION) for at in part) == 1, title


def test_without_ipywidgets_a_sentence_stands_for_each_slider_below_a_picture_of_the_same(tour: Run) -> None:
    for at, cell in enumerate(tour.cells):
        if cell["id"] in SLIDERS:
            assert tour.printed[at].startswith("Sliders need the package ipywidgets."), cell["id"]
            assert tour.figures[at] == 0
            assert tour.figures[code_above(tour.cells, at)] == 1, "the picture above is what the sentence points to"


def test_with_ipywidgets_moving_a_slider_draws_another_picture(tour: Run, caplog: pytest.LogCaptureFixture) -> None:
    """The whole notebook with the real package; each slider is moved to its first and to its last value."""
    ipywidgets = pytest.importorskip("ipywidgets")
    with mock.patch.object(ipywidgets, "interact", wraps=ipywidgets.interact) as interact:
        with caplog.at_level(logging.WARNING), running(TOUR, widgets=True) as run:
            shown = {cell["id"]: run.figures[at] for at, cell in enumerate(run.cells) if cell["id"] in SLIDERS}
            assert shown == dict.fromkeys(SLIDERS, 1), "a slider should show its picture before it is moved"
            run.draw = True
            for call, name in zip(interact.call_args_list, SLIDERS.values(), strict=True):
                (slider,) = [call.kwargs[name]]
                before = len(run.drawn)
                slider.value, slider.value = slider.options[0], slider.options[-1]
                assert len(set(run.drawn[before:])) == 2, name
        assert [record.getMessage() for record in caplog.records] == [], "interact only logs what goes wrong in it"
    assert run.seconds + tour.seconds < 20, "both runs together, in seconds of processor time"


def test_a_static_copy_leaves_the_sliders_out(tour: Run) -> None:
    """What executes notebooks without a reader (nbconvert, nbgrader's solutions) skips the tagged cells."""
    tagged = {cell["id"] for cell in tour.cells if "skip-execution" in cell["metadata"].get("tags", [])}
    assert tagged == set(SLIDERS)
    for cell in read(notebook_path(ROOT / "solutions", TOUR))["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["execution_count"] is None) == (cell["id"] in SLIDERS), cell["id"]


def test_its_cells_are_short(tour: Run) -> None:
    for cell in tour.cells:
        lines = cell["source"].splitlines()
        if cell["cell_type"] == "code":
            assert len(lines) <= 25 and max(map(len, lines)) <= 120, cell["id"]


def test_it_holds_no_line_of_a_model_answer(tour: Run) -> None:
    exercises = [name for name in NAMES if name != TOUR]
    lines = {line for name in exercises for line in support.solution_lines(name)}
    assert len(lines) > 30, "the test should have something to look for"
    said = {line.strip() for cell in tour.cells for line in cell["source"].splitlines()}
    assert lines & said == set()


def test_nothing_in_it_is_graded(tour: Run) -> None:
    assert [cell["id"] for cell in tour.cells if "nbgrader" in cell["metadata"]] == []
