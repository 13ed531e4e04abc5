"""Repairs: whatever was done to the notebook's cells, roles, points and locked cells are the course's again."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_notebooks import COURSE, Notebook, cell

from autograder.problems import CourseError
from autograder.reading.assignment import Assignment, load_assignment
from autograder.reading.notebook import grade_id, parse_notebook
from autograder.reading.repair import repair
from autograder.reading.submission import from_notebook


def at(notebook: Notebook, name: str) -> int:
    return next(index for index, cell in enumerate(notebook["cells"]) if grade_id(cell) == name)


def mended(notebook: Notebook, assignment: Assignment) -> tuple[Notebook, list[str]]:
    """Repair, and require what holds after every repair."""
    notes = repair(notebook, assignment)
    found = [grade_id(each) for each in notebook["cells"] if each["metadata"].get("nbgrader")]
    assert len(found) == len(set(found))
    locked = {name for name, course in assignment.cells.items() if course.locked}
    assert locked <= set(found) <= set(assignment.cells)
    for each in notebook["cells"]:
        name = grade_id(each)
        if name is None:
            continue
        course = assignment.cells[name]
        assert each["cell_type"] == course.cell["cell_type"]
        flags = {key: value for key, value in each["metadata"]["nbgrader"].items() if key != "checksum"}
        assert flags == {key: value for key, value in course.flags.items() if key != "checksum"}
        if course.locked:
            assert each["source"] == course.source
    assert repair(copy.deepcopy(notebook), assignment) == []
    return notebook, notes


def test_a_notebook_in_order_is_left_as_it_is(notebook: Notebook, assignment: Assignment) -> None:
    before = copy.deepcopy(notebook)
    assert repair(notebook, assignment) == []
    assert before == notebook


def test_a_submission_is_repaired_in_a_copy(notebook: Notebook, assignment: Assignment) -> None:
    del notebook["cells"][3]
    before = copy.deepcopy(notebook)
    submission = from_notebook(notebook, assignment, "s01", "x.ipynb")
    assert before == notebook
    assert submission.notes == ["The cell double-check was missing and was put back."]


@pytest.mark.parametrize("name", ["given", "double-check", "triple-check"])
def test_a_deleted_locked_cell_is_put_back_at_its_place(notebook: Notebook, assignment: Assignment, name: str) -> None:
    place = at(notebook, name)
    del notebook["cells"][place]
    after, notes = mended(notebook, assignment)
    assert [f"The cell {name} was missing and was put back."] == notes
    previous = list(assignment.cells).index(name) - 1
    wanted = 0 if previous < 0 else at(after, list(assignment.cells)[previous]) + 1
    assert wanted == at(after, name)


def test_a_deleted_answer_stays_deleted(notebook: Notebook, assignment: Assignment) -> None:
    del notebook["cells"][at(notebook, "double")]
    after, notes = mended(notebook, assignment)
    assert notes == []
    assert "double" not in [grade_id(cell) for cell in after["cells"]]


def test_all_cells_may_be_gone(assignment: Assignment) -> None:
    after, notes = mended({"cells": [], "metadata": {}}, assignment)
    assert [grade_id(cell) for cell in after["cells"]] == ["given", "double-check", "triple-check"]
    assert len(notes) == 3


def test_an_edited_locked_cell_gets_the_courses_text(notebook: Notebook, assignment: Assignment) -> None:
    notebook["cells"][3]["source"] = "# assert double(1) == 2"
    _, notes = mended(notebook, assignment)
    assert notes == ["The locked cell double-check had been edited; the course's text was used."]


def test_what_a_student_wrote_in_an_answer_is_never_touched(notebook: Notebook, assignment: Assignment) -> None:
    notebook["cells"][2]["source"] = "anything at all"
    notebook["cells"].append(cell("my own cell", id="own"))
    after, notes = mended(notebook, assignment)
    assert notes == []
    assert after["cells"][2]["source"] == "anything at all"
    assert after["cells"][-1]["source"] == "my own cell"


@pytest.mark.parametrize("name", ["double", "double-check"])
def test_a_duplicated_cell_is_counted_once_and_its_copy_still_runs(
    notebook: Notebook, assignment: Assignment, name: str
) -> None:
    double = copy.deepcopy(notebook["cells"][at(notebook, name)])
    double["source"] = "x = 'the copy'"
    notebook["cells"].append(double)
    after, notes = mended(notebook, assignment)
    assert [f"The cell {name} was there more than once; it is counted once."] == notes
    assert after["cells"][-1]["source"] == "x = 'the copy'"


def test_moved_cells_stay_where_they_were_moved(notebook: Notebook, assignment: Assignment) -> None:
    notebook["cells"].insert(0, notebook["cells"].pop(at(notebook, "triple-check")))
    before = copy.deepcopy(notebook)
    after, notes = mended(notebook, assignment)
    assert notes == [] and before == after


def test_cells_are_put_back_behind_a_moved_neighbour(notebook: Notebook, assignment: Assignment) -> None:
    notebook["cells"].reverse()
    del notebook["cells"][at(notebook, "double-check")]
    after, _ = mended(notebook, assignment)
    assert at(after, "double") + 1 == at(after, "double-check")


@pytest.mark.parametrize("kind", ["markdown", "raw"])
@pytest.mark.parametrize("name", ["double", "double-check"])
def test_a_cell_of_another_type_is_changed_back(
    notebook: Notebook, assignment: Assignment, name: str, kind: str
) -> None:
    changed = notebook["cells"][at(notebook, name)]
    changed["cell_type"] = kind
    del changed["outputs"], changed["execution_count"]
    after, notes = mended(notebook, assignment)
    assert [f"The cell {name} had been made a {kind} cell; it was changed back."] == notes
    assert after["cells"][at(after, name)]["outputs"] == []


@pytest.mark.parametrize(
    "flags",
    [
        {"points": 200},
        {"points": -1},
        {"points": None},
        {"points": "many"},
        {"points": float("nan")},
        {"grade": False, "solution": True},
        {"locked": False},
        {"task": True},
    ],
    ids=repr,
)
def test_changed_points_and_flags_are_restored(
    notebook: Notebook, assignment: Assignment, flags: dict[str, Any]
) -> None:
    notebook["cells"][3]["metadata"]["nbgrader"].update(flags)
    after, notes = mended(notebook, assignment)
    assert notes == ["The points or flags of the cell double-check had been changed and were restored."]
    assert after["cells"][3]["metadata"]["nbgrader"]["points"] == 2


def test_flags_that_nbgrader_does_not_know_are_dropped(notebook: Notebook, assignment: Assignment) -> None:
    notebook["cells"][3]["metadata"]["nbgrader"]["colour"] = "red"
    after, _ = mended(notebook, assignment)
    assert "colour" not in after["cells"][3]["metadata"]["nbgrader"]


def test_all_metadata_may_be_lost_as_long_as_the_cell_ids_are_there(notebook: Notebook, assignment: Assignment) -> None:
    for each in notebook["cells"]:
        each["metadata"] = {}
    after, notes = mended(notebook, assignment)
    assert notes == ["The grading metadata of 5 cells was missing and was restored."]
    assert after["cells"][at(after, "double")]["source"] == "def double(n): return n + n"


def test_locked_cells_are_known_by_their_text_where_the_ids_are_lost_as_well(
    notebook: Notebook, assignment: Assignment
) -> None:
    for each in notebook["cells"]:
        each["metadata"] = {}
        each["id"] = "same"
    after, notes = mended(notebook, assignment)
    assert notes == ["The grading metadata of 3 cells was missing and was restored."]
    assert len(after["cells"]) == 6


def test_the_metadata_of_one_cell_may_be_lost(notebook: Notebook, assignment: Assignment) -> None:
    notebook["cells"][3]["metadata"] = {}
    _, notes = mended(notebook, assignment)
    assert notes == ["The grading metadata of 1 cell was missing and was restored."]


@pytest.mark.parametrize("flags", [{"grade_id": "of-another-course"}, {"grade_id": 5}, {"grade": True}, {}])
def test_cells_of_unknown_ids_become_ordinary_cells(
    notebook: Notebook, assignment: Assignment, flags: dict[str, Any]
) -> None:
    notebook["cells"].append({**cell("x = 1", id="new"), "metadata": {"nbgrader": flags, "tags": ["mine"]}})
    after, _ = mended(notebook, assignment)
    assert after["cells"][-1]["metadata"] == {"tags": ["mine"]}
    assert after["cells"][-1]["source"] == "x = 1"


ANY = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.none(), max_size=1) | st.booleans()
KNOWN = st.sampled_from(["given", "double", "double-check", "triple", "triple-check", "other"])
FLAGS = st.fixed_dictionaries({}, optional={"grade_id": KNOWN | ANY, "grade": ANY, "points": ANY, "locked": ANY})
CELLS = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw"]) | ANY,
        "id": st.sampled_from(["c0", "c1", "c2", "c3"]) | ANY,
        "source": st.sampled_from(["assert double(1) == 2", "import numpy as np"]) | ANY,
        "metadata": st.fixed_dictionaries({"nbgrader": FLAGS}) | ANY,
    },
)


@pytest.fixture(scope="module")
def doubling(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    path = tmp_path_factory.mktemp("source") / "doubling.ipynb"
    path.write_text(json.dumps(COURSE), "utf-8")
    return load_assignment("doubling", path.parent)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(cells=st.lists(CELLS, max_size=8))
def test_any_notebook_is_in_order_after_the_repair(doubling: Assignment, cells: list[Any]) -> None:
    notebook = parse_notebook(json.dumps({"cells": cells}).encode())
    mended(notebook, doubling)


# -- the course's own copy --------------------------------------------------------------------------------------------


def test_an_assignment_knows_its_cells_points_functions_and_title(assignment: Assignment) -> None:
    assert list(assignment.cells) == ["given", "double", "double-check", "triple", "triple-check"]
    assert [cell.grade_id for cell in assignment.graded] == ["double-check", "triple-check"]
    assert assignment.max_score == 5.0
    assert assignment.functions == ("double", "triple")
    assert assignment.title == "Doubling"


def test_two_cells_of_one_id_in_the_courses_copy_are_refused(load: Any, notebook: Notebook) -> None:
    notebook["cells"].append(notebook["cells"][3])
    with pytest.raises(CourseError, match="two cells have the grade_id 'double-check'"):
        load(notebook)


@pytest.mark.parametrize("points", [None, "two", -1, True, float("nan"), float("inf"), [2]], ids=repr)
def test_points_that_are_no_points_in_the_courses_copy_are_refused(load: Any, notebook: Notebook, points: Any) -> None:
    notebook["cells"][3]["metadata"]["nbgrader"]["points"] = points
    with pytest.raises(CourseError, match="'double-check' has .* points"):
        load(notebook)


def test_a_courses_copy_that_is_no_notebook_is_refused(load: Any) -> None:
    with pytest.raises(CourseError, match=r"source/doubling/doubling\.ipynb: the file is JSON"):
        load([1])
