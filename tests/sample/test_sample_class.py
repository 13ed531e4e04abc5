"""The sample class: its answers fit the notebooks, and what is built from them is in order."""

from __future__ import annotations

import copy
import datetime
import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.sample import build

ROOT = Path(__file__).resolve().parents[2]
STEP = "release" if (ROOT / "release").is_dir() else "source"
STUDENTS = build.roster()
ANSWERS = sorted((build.HERE / "students").glob("*/*.txt"))


@pytest.fixture(scope="module")
def released() -> dict[str, dict[str, Any]]:
    paths = sorted((ROOT / STEP).glob("*/*.ipynb"))
    notebooks = {path.stem: json.loads(path.read_text("utf-8")) for path in paths if path.stem == path.parent.name}
    return {name: notebook for name, notebook in notebooks.items() if name in STUDENTS[0].expected}


def flags(cell: dict[str, Any]) -> dict[str, Any]:
    return cell["metadata"].get("nbgrader", {})


def written(path: Path) -> tuple[str, str]:
    """The student and the assignment that an answer file belongs to."""
    return path.parent.name, next(name for name in STUDENTS[0].expected if name.startswith(f"{path.stem}-"))


def test_ids_and_addresses_are_unique() -> None:
    for values in ([s.id for s in STUDENTS], [s.email for s in STUDENTS]):
        assert len(set(values)) == len(values)


def test_there_are_students_of_every_kind() -> None:
    handed_in = [s for s in STUDENTS if any(s.handed_in(name) for name in s.expected)]
    assert len(handed_in) >= 12
    assert len(STUDENTS) - len(handed_in) >= 1
    assert any(s.hours is not None and s.hours > 0 for s in STUDENTS), "nobody is late"
    assert any(not all(map(s.handed_in, s.expected)) for s in handed_in), "nobody has left an assignment out"
    assert any(not list((build.HERE / "students").glob(f"{s.id}/*")) for s in handed_in), "nobody is blank"


def test_every_student_has_an_expected_score_for_every_assignment(released: dict[str, dict[str, Any]]) -> None:
    for student in STUDENTS:
        assert sorted(student.expected) == sorted(released)
        for name, score in student.expected.items():
            points = sum(flags(cell).get("points", 0) for cell in released[name]["cells"])
            assert score is None or 0 <= score <= points


def test_every_answer_file_belongs_to_something_handed_in() -> None:
    by_id = {student.id: student for student in STUDENTS}
    assert ANSWERS
    for path in ANSWERS:
        student, assignment = written(path)
        assert by_id[student].handed_in(assignment)
        assert build.answers_path(student, assignment) == path


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_section_names_a_solution_cell(path: Path, released: dict[str, dict[str, Any]]) -> None:
    solutions = {flags(c)["grade_id"] for c in released[written(path)[1]]["cells"] if flags(c).get("solution")}
    names = {name for name in build.read_answers(path) if name.partition("-")[0] != build.NEW}
    assert names and names <= solutions


def test_sections_are_read_by_lines(tmp_path: Path) -> None:
    path = tmp_path / "ex1.txt"
    path.write_text("# %% softmax\n\ndef softmax(x:\n    # %% not a header\n\n# %% new\na\n# %% new\nb\n", "utf-8")
    assert build.read_answers(path) == {
        "softmax": "def softmax(x:\n    # %% not a header",
        "new": "a",
        "new-2": "b",
    }
    for broken in ("x = 1\n# %% softmax\n", "# %% softmax\n# %% softmax\n"):
        path.write_text(broken, "utf-8")
        with pytest.raises(ValueError, match="ex1.txt, line"):
            build.read_answers(path)


def test_fill_changes_the_answered_cells_and_nothing_else(released: dict[str, dict[str, Any]]) -> None:
    notebook = released["ex2-causal-masking"]
    before = copy.deepcopy(notebook)
    filled = build.fill(notebook, {"causal-mask": "mine", "new": "more", "new-2": "still more"})
    assert notebook == before
    count = len(before["cells"])
    changed = [b["id"] for a, b in zip(before["cells"], filled["cells"][:count], strict=True) if a != b]
    assert changed == ["causal-mask"]
    assert [(c["id"], c["source"]) for c in filled["cells"][count:]] == [("new-1", "more"), ("new-2", "still more")]


def test_fill_without_answers_is_the_released_notebook(released: dict[str, dict[str, Any]]) -> None:
    for notebook in released.values():
        assert build.fill(notebook, {}) == notebook


@pytest.mark.parametrize("name", ["given-softmax", "causal-leakage", "no-such-cell"])
def test_fill_refuses_cells_that_are_not_for_answers(name: str, released: dict[str, dict[str, Any]]) -> None:
    with pytest.raises(ValueError, match=name):
        build.fill(released["ex2-causal-masking"], {name: "x = 1"})


def test_with_code_adds_one_cell_at_the_end(released: dict[str, dict[str, Any]]) -> None:
    model = released["ex1-scaled-dot-product"]
    count = len(model["cells"])
    changed = build.with_code(build.with_code(model, "a = 1"), "b = 2")
    assert len(model["cells"]) == count
    assert [cell["source"] for cell in changed["cells"][count:]] == ["a = 1", "b = 2"]
    ids = [cell["id"] for cell in changed["cells"]]
    assert len(set(ids)) == len(ids)


def test_the_class_is_written_in_nbgraders_layout(tmp_path: Path, released: dict[str, dict[str, Any]]) -> None:
    due = {name: build.DUE for name in released}
    due["ex1-scaled-dot-product"] = datetime.datetime(
        2027, 1, 31, 23, 59, tzinfo=datetime.timezone(datetime.timedelta(hours=2))
    )
    assert build.write_class(released, tmp_path, due) == STUDENTS
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    wanted = set()
    for student in STUDENTS:
        for name in filter(student.handed_in, released):
            for file in (f"{name}.ipynb", "timestamp.txt", "submission_secret.txt"):
                wanted.add(f"{student.id}/{name}/{file}")
            stamp = (tmp_path / student.id / name / "timestamp.txt").read_text("utf-8")
            moment = datetime.datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S UTC").replace(tzinfo=datetime.UTC)
            assert (moment > due[name]) is (student.hours is not None and student.hours > 0)
    assert files == wanted


def test_every_notebook_of_the_class_is_valid(tmp_path: Path, released: dict[str, dict[str, Any]]) -> None:
    build.write_class(released, tmp_path)
    for path in sorted(tmp_path.rglob("*.ipynb")):
        text = path.read_text("utf-8")
        assert text.endswith("}\n")
        notebook = json.loads(text)
        assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
        nbformat.validate(notebook)
        graded = [cell for cell in notebook["cells"] if flags(cell).get("locked")]
        assert graded == [cell for cell in released[path.stem]["cells"] if flags(cell).get("locked")]


def test_a_blank_notebook_is_the_released_one(tmp_path: Path, released: dict[str, dict[str, Any]]) -> None:
    build.write_class(released, tmp_path)
    (blank,) = (s for s in STUDENTS if s.hours is not None and not (build.HERE / "students" / s.id).exists())
    for name, notebook in released.items():
        path = tmp_path / blank.id / name / f"{name}.ipynb"
        assert json.loads(path.read_text("utf-8")) == notebook
