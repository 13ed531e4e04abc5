"""A course with a real gradebook, copied for each test."""

from __future__ import annotations

import logging
import shutil
import sys
from pathlib import Path

import pytest
from class_with_gradebook import DUE, EX2, Class
from support import copy_course

from autograder.course import load_course


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose gradebook knows ex2, made by nbgrader's own converter."""
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # as in tests/quick: saves two seconds
    from nbgrader.converters import GenerateAssignment
    from nbgrader.coursedir import CourseDirectory

    from autograder.gradebook.opening import put_tools_on_path

    put_tools_on_path()
    root = copy_course(tmp_path_factory.mktemp("lms") / "course")
    for folder in (root / "source").iterdir():
        if folder.name != EX2:
            shutil.rmtree(folder)
    with (root / "course_config.py").open("a", encoding="utf-8") as file:
        file.write(f"c.Course.assignments = {{{EX2!r}: {{'due': {DUE!r}}}}}\n")
    directory = CourseDirectory(config=load_course(root).config)
    directory.assignment_id = EX2
    log = logging.getLogger("tests.nbgrader")
    log.setLevel(logging.ERROR)
    GenerateAssignment(coursedir=directory, config=load_course(root).config, log=log).start()
    return root


@pytest.fixture
def school(template: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Class:
    """A copy of that course for one test."""
    return Class(shutil.copytree(template, tmp_path / "course"), capsys)
