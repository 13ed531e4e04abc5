"""The autograder for one assignment on Gradescope: what is needed to grade it there, and nothing else.

It holds the model answer and the hidden checks of that assignment: Gradescope shows neither to students, and student
code runs as confined there as the machine allows.
"""

from __future__ import annotations

import ast
import datetime
import importlib.metadata
import pprint
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

from autograder.course import Course
from autograder.grading.grader import folder_of
from autograder.packaging import archive
from autograder.problems import CourseError

KIT = Path(__file__).resolve().parent.parent
FILES = Path(__file__).resolve().parent / "gradescope_files"
PARTS = ("reading", "student", "grading", "outputs", "graders")
COMMANDS = ("__init__.py", "gradescope.py", "files.py")
NOT_NEEDED = {"nbgrader"}  # grading does without it


def build(course: Course, assignment: str, destination: Path) -> tuple[Path, Path]:
    """Write the autograder of `assignment` as a folder and as the zip that is uploaded. Returns (folder, zip)."""
    wanted = course.assignment(assignment)
    if wanted.folder.parent.name != "source":
        raise CourseError(
            f"source/{assignment} is not there", "build this where the course is: it needs the model answer"
        )
    return archive.build(
        destination, f"gradescope-{assignment}", lambda folder: _fill(course, assignment, folder), inside=False
    )


def _fill(course: Course, assignment: str, folder: Path) -> None:
    for path in sorted(FILES.iterdir()):
        shutil.copy(path, folder / path.name)
    (folder / "requirements.txt").write_text("".join(f"{line}\n" for line in requirements()), "utf-8")
    (folder / "course_config.py").write_text(_config(course), "utf-8")
    (folder / "assignment.txt").write_text(f"{assignment}\n", "utf-8")
    for name in course.names:  # the others, as released, tell a notebook that was handed in for the wrong one
        here = course.assignment(name).folder if name == assignment else archive.released(course.root, name).parent
        target = folder / ("source" if name == assignment else "release") / name
        target.mkdir(parents=True)
        shutil.copy(here / f"{name}.ipynb", target)
    _kit(folder / "autograder", folder_of(assignment))


def _kit(folder: Path, checks: str) -> None:
    """Copy the kit's modules that grading needs, with the checks of one assignment."""
    folder.mkdir()
    for path in sorted(KIT.glob("*.py")):
        if path.name != "cli.py":
            shutil.copy(path, folder)
    (folder / "commands").mkdir()
    for name in COMMANDS:
        shutil.copy(KIT / "commands" / name, folder / "commands")
    others = [path.parent.name for path in (KIT / "graders").glob("*/test_*.py") if path.parent.name != checks]
    for part in PARTS:
        shutil.copytree(KIT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.pyc", *others))


def requirements() -> list[str]:
    """Return what grading needs of the kit's requirements, as pip reads them."""
    project = KIT.parent / "pyproject.toml"
    if project.is_file():  # what is installed from here may be older
        lines = tomllib.loads(project.read_text("utf-8"))["project"]["dependencies"]
    else:
        lines = importlib.metadata.requires("attention-course") or []
    named = [(line, re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in lines if "extra ==" not in line]
    return sorted(line for line, name in named if name not in NOT_NEEDED)


def _config(course: Course) -> str:
    """Return a course_config.py with the kit's own settings; those of nbgrader have no use there."""
    settings = {name: _plain(value) for name, value in sorted(dict(course.config.get("Course", {})).items())}
    lines = [f"c.Course.{name} = {pprint.pformat(value, width=100)}\n" for name, value in settings.items()]
    text = "".join(lines)
    try:
        for value in settings.values():
            ast.literal_eval(repr(value))
    except (ValueError, SyntaxError) as error:
        raise CourseError(
            "course_config.py: a setting of c.Course is no plain value", "write numbers, texts, lists and dicts"
        ) from error
    return f'"""The course as it was when this autograder was built."""\n\nc = get_config()  # noqa: F821\n{text}'


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _plain(inside) for key, inside in value.items()}
    return value
