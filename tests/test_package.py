"""The students' package holds the released notebooks and what is needed to open them, and nothing else."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
from support import ROOT, Course, canaries

from autograder.course import load_course
from autograder.packaging import student
from autograder.problems import CourseError


def test_the_package_is_a_folder_and_a_zip_of_the_same_files(tmp_path: Path, course: Course) -> None:
    done = course("package", "student", "--output", str(tmp_path / "out"), cwd=ROOT)
    folder, archive = map(Path, done.stdout.split())
    names = sorted(path.relative_to(folder.parent).as_posix() for path in folder.rglob("*") if path.is_file())
    top = folder.name
    files = [
        ".binder/requirements.txt",
        ".binder/runtime.txt",
        ".devcontainer/devcontainer.json",
        ".github/workflows/visible-checks.yml",
        "README.md",
        "check_notebooks.py",
        "requirements.txt",
        *(f"{name}/{name}.ipynb" for name in load_course(ROOT).names),
    ]
    assert names == sorted(f"{top}/{name}" for name in files)
    with zipfile.ZipFile(archive) as opened:
        assert sorted(opened.namelist()) == names


def test_no_hidden_check_and_no_model_answer_is_in_the_package(tmp_path: Path) -> None:
    folder, _ = student.build(load_course(ROOT), tmp_path)
    text = "\n".join(path.read_text("utf-8") for path in folder.rglob("*") if path.is_file())
    assert canaries()
    assert not [canary for canary in canaries() if canary in text]
    assert "BEGIN SOLUTION" not in text


def test_building_it_twice_gives_the_same_zip(tmp_path: Path) -> None:
    course = load_course(ROOT)
    first = student.build(course, tmp_path)[1].read_bytes()
    assert student.build(course, tmp_path)[1].read_bytes() == first


def test_a_release_with_model_answers_is_not_packaged(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "source", tmp_path / "source")
    shutil.copytree(ROOT / "source", tmp_path / "release")
    shutil.copy(ROOT / "course_config.py", tmp_path)
    out = tmp_path / "out"
    with pytest.raises(CourseError, match="holds model answers"):
        student.build(load_course(tmp_path), out)
    assert list(out.iterdir()) == []
