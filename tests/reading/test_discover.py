"""From paths to submissions: which files are found, whose they are, of which assignment, what lies beside them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from made_notebooks import Notebook, cell, notebook_of

from autograder.problems import CourseError
from autograder.reading.assignment import Assignment
from autograder.reading.discover import UNKNOWN, Found, find_notebooks, read_submission, student_of
from autograder.reading.submission import MAX_FILES, Submission, data_files, from_file

MB = 10**6


def write(path: Path, notebook: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), "utf-8")
    return path


def read(path: Path, assignment: Assignment, **options: Any) -> Submission:
    (found,) = find_notebooks([path])
    return read_submission(found, [assignment], MB, **options)


# -- finding ----------------------------------------------------------------------------------------------------------


def test_a_folder_is_searched_for_notebooks_in_order_without_checkpoints(tmp_path: Path, notebook: Notebook) -> None:
    for name in ("s02/a.ipynb", "s01/b/b.ipynb", "s01/.ipynb_checkpoints/b-checkpoint.ipynb", "s01/notes.txt"):
        write(tmp_path / name, notebook)
    (tmp_path / "folder.ipynb").mkdir()
    assert [found.shown for found in find_notebooks([tmp_path])] == ["s01/b/b.ipynb", "s02/a.ipynb"]


def test_a_path_without_notebooks_or_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="there is no notebook in"):
        find_notebooks([tmp_path])
    with pytest.raises(CourseError, match="does not exist"):
        find_notebooks([tmp_path / "missing.ipynb"])


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("submitted/s01/doubling/doubling.ipynb", "s01"),
        ("autograded/s01/doubling/doubling.ipynb", "s01"),
        ("submitted/submitted/s02/x.ipynb", "s02"),
        ("submitted/doubling.ipynb", "submitted"),
        ("class/s03/doubling/doubling.ipynb", "s03"),
        ("class/s03/x.ipynb", "s03"),
        ("class/Zoë Müller (2)/final.ipynb", "Zoë Müller (2)"),
        ("x.ipynb", UNKNOWN),
    ],
)
def test_the_student_is_the_folder_of_nbgraders_layout_or_the_one_that_holds_the_notebook(
    path: str, student: str
) -> None:
    assert student == student_of(Found(Path(path), path, Path(path).parts), ["doubling"])


def test_the_student_is_known_when_a_relative_path_is_given(
    tmp_path: Path, notebook: Notebook, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "s09" / "doubling.ipynb", notebook)
    monkeypatch.chdir(tmp_path / "s09")
    assert read(Path("."), assignment).student == "s09"
    assert read(Path("doubling.ipynb"), assignment).student == "s09"


# -- recognising ------------------------------------------------------------------------------------------------------


def test_an_assignment_is_recognised_by_ids_then_by_file_name_then_by_functions(
    tmp_path: Path, notebook: Notebook, assignment: Assignment
) -> None:
    bare = notebook_of(cell("x = 1"))
    functions = notebook_of(cell("async def triple(x):\n    return 3 * x"))
    other = notebook_of(cell("def unknown(): pass"))
    for name, content, wanted in (
        ("a/attn_final (1).ipynb", notebook, "doubling"),
        ("b/doubling.ipynb", bare, "doubling"),
        ("c/doubling-Copy1.ipynb", bare, "doubling"),
        ("d/doubling (1)-Copy2.ipynb", bare, "doubling"),
        ("doubling/x.ipynb", bare, "doubling"),
        ("e/x.ipynb", functions, "doubling"),
        ("f/x.ipynb", other, UNKNOWN),
        ("g/doubling2.ipynb", bare, UNKNOWN),
    ):
        assert wanted == read(write(tmp_path / name, content), assignment).assignment, name


def test_a_notebook_of_no_assignment_is_ungradable_and_says_what_to_do(tmp_path: Path, assignment: Assignment) -> None:
    submission = read(write(tmp_path / "s01" / "x.ipynb", notebook_of()), assignment)
    assert (submission.assignment, submission.student, submission.shown_path) == (UNKNOWN, "s01", "x.ipynb")
    assert "--assignment" in submission.problem and "doubling" in submission.problem


def test_a_notebook_that_cannot_be_read_belongs_to_the_assignment_of_its_name(
    tmp_path: Path, assignment: Assignment
) -> None:
    for name, wanted in (("doubling.ipynb", "doubling"), ("x.ipynb", UNKNOWN)):
        (tmp_path / name).write_bytes(b"{")
        submission = read(tmp_path / name, assignment)
        assert wanted == submission.assignment and "cut off" in submission.problem
        assert submission.code == []


def test_a_wanted_assignment_and_student_override_what_is_recognised(
    tmp_path: Path, notebook: Notebook, assignment: Assignment
) -> None:
    path = write(tmp_path / "x.ipynb", notebook_of(cell("x = 1")))
    submission = read(path, assignment, wanted=assignment, student="kim")
    assert (submission.assignment, submission.student, submission.problem) == ("doubling", "kim", None)
    assert submission.code[-1:] == [(3, "x = 1")]


def test_the_digest_is_that_of_the_file(tmp_path: Path, notebook: Notebook, assignment: Assignment) -> None:
    first = read(write(tmp_path / "a" / "x.ipynb", notebook), assignment)
    again = read(write(tmp_path / "b" / "x.ipynb", notebook), assignment)
    notebook["metadata"]["changed"] = True
    other = read(write(tmp_path / "c" / "x.ipynb", notebook), assignment)
    assert first.digest == again.digest != other.digest
    assert first.digest.startswith("sha256:") and len(first.digest) == 71


# -- links and names --------------------------------------------------------------------------------------------------


def test_a_link_in_a_folder_that_is_searched_is_ungradable_wherever_it_leads(
    tmp_path: Path, notebook: Notebook, assignment: Assignment
) -> None:
    model = write(tmp_path / "solutions" / "doubling.ipynb", notebook)
    for student, target in (("s01", model), ("s02", tmp_path / "nowhere")):
        (tmp_path / "submitted" / student).mkdir(parents=True)
        (tmp_path / "submitted" / student / "doubling.ipynb").symlink_to(target)
    submissions = [read_submission(f, [assignment], MB) for f in find_notebooks([tmp_path / "submitted"])]
    assert [submission.student for submission in submissions] == ["s01", "s02"]
    assert all("link" in submission.problem for submission in submissions)


def test_a_link_that_a_person_names_is_followed(tmp_path: Path, notebook: Notebook, assignment: Assignment) -> None:
    write(tmp_path / "a" / "doubling.ipynb", notebook)
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "a" / "doubling.ipynb")
    assert read(tmp_path / "link.ipynb", assignment).problem is None


def test_names_that_are_no_text_are_read_as_latin_1(tmp_path: Path, notebook: Notebook, assignment: Assignment) -> None:
    folder = os.fsencode(tmp_path) + b"/class/J\xf6rg"
    os.makedirs(folder)
    path = write(Path(os.fsdecode(folder + b"/\xfcbung.ipynb")), notebook)
    Path(os.fsdecode(folder + b"/gro\xdf.csv")).write_bytes(bytes(MB + 1))
    (found,) = find_notebooks([tmp_path / "class"])
    submission = read_submission(found, [assignment], MB)
    assert (submission.student, submission.shown_path) == ("Jörg", "Jörg/übung.ipynb")
    assert submission.notes == ["The file groß.csv (1 MB) was left out: it is too large."]
    assert find_notebooks([path])[0].shown == "übung.ipynb"


# -- files beside the notebook ----------------------------------------------------------------------------------------


def test_files_beside_the_notebook_come_with_it_and_other_notebooks_do_not(
    tmp_path: Path, notebook: Notebook, assignment: Assignment
) -> None:
    path = write(tmp_path / "doubling" / "doubling.ipynb", notebook)
    for name in ("x.csv", "data/y.txt", "other.ipynb", "__pycache__/z.pyc", ".git/config", "timestamp.txt"):
        write(tmp_path / "doubling" / name, 1)
    assert from_file(path, assignment, "s", "x", MB).files == {"x.csv": b"1", "data/y.txt": b"1"}


def test_the_files_of_a_folder_shared_by_several_notebooks_belong_to_none(
    tmp_path: Path, notebook: Notebook, assignment: Assignment
) -> None:
    path = write(tmp_path / "class" / "s01.ipynb", notebook)
    write(tmp_path / "class" / "s02.ipynb", notebook)
    write(tmp_path / "class" / "grades.csv", 1)
    assert from_file(path, assignment, "s", "x", MB).files == {}


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "secret" / "key.txt", 1)
    folder = tmp_path / "s01"
    folder.mkdir()
    (folder / "file.txt").symlink_to(tmp_path / "secret" / "key.txt")
    (folder / "folder").symlink_to(tmp_path / "secret")
    (folder / "loop").symlink_to(folder)
    assert data_files(folder, MB) == ({}, [])


@pytest.mark.parametrize("marker", ["course_config.py", "pyvenv.cfg"])
def test_a_course_and_an_environment_are_never_given_to_student_code(tmp_path: Path, marker: str) -> None:
    write(tmp_path / "kit" / marker, 1)
    write(tmp_path / "kit" / "autograder" / "graders" / "test_x.py", 1)
    write(tmp_path / "x.csv", 1)
    assert data_files(tmp_path, MB)[0] == {"x.csv": b"1"}
    assert data_files(tmp_path / "kit", MB)[0] == {}


def test_what_is_too_large_is_left_out_and_said_and_the_rest_comes(tmp_path: Path) -> None:
    (tmp_path / "a.bin").touch()
    os.truncate(tmp_path / "a.bin", 5 * 10**9)
    for name in ("b.bin", "c.bin", "d.bin"):
        (tmp_path / name).write_bytes(bytes(400_000))
    found, notes = data_files(tmp_path, MB)
    assert list(found) == ["b.bin", "c.bin"]
    assert notes == [
        "The file a.bin (5000 MB) was left out: it is too large.",
        "The file d.bin (0 MB) was left out: it is too large.",
    ]


def test_so_many_files_come_and_no_more_and_that_is_said(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 5):
        (tmp_path / f"{number:04d}").write_bytes(b"x")
    found, notes = data_files(tmp_path, MB)
    assert len(found) == MAX_FILES
    assert [f"The folder holds more than {MAX_FILES} files; the others were left out."] == notes


def test_pipes_and_devices_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert data_files(tmp_path, MB) == ({}, [])
