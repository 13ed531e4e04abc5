"""Classes of any size to measure with: a course in a scratch folder and what its students handed in.

The answers are those of the sample class, right and wrong, over and over; each notebook says whose it is, so no two
have the same bytes. The one whose code hangs is left out: it would measure the limits, which differ, and nothing else.
"""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

from autograder.reading.notebook import read_notebook
from autograder.sample.build import answers_path, fill, read_answers, roster

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("course_config.py", "nbgrader_config.py")
HANGS = "s16"
STAMP = "2026-11-29 12:00:00 UTC"


def make_course(folder: Path) -> Path:
    """Copy the course's configuration and source to `folder`."""
    folder.mkdir(parents=True)
    for name in COPIED:
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "source", folder / "source")
    return folder


def answers(assignment: str) -> list[dict[str, Any]]:
    """Return one notebook for each different answer of the sample class."""
    released, _ = read_notebook(ROOT / "release" / assignment / f"{assignment}.ipynb", 10**8)
    paths = [answers_path(student.id, assignment) for student in roster() if student.handed_in(assignment)]
    paths = [path for path in paths if path.parent.name != HANGS]
    return [fill(released, read_answers(path)) for path in paths if path.is_file()]


def hand_in(folder: Path, assignment: str, count: int, first: int = 0) -> None:
    """Write `count` submissions below `folder`/submitted, from student number `first` on."""
    notebooks = answers(assignment)
    for number in range(first, first + count):
        student = f"s{number:05d}"
        notebook = copy.copy(notebooks[number % len(notebooks)])
        said = {"cell_type": "markdown", "id": "whose", "metadata": {}, "source": f"Handed in by {student}."}
        notebook["cells"] = [*notebook["cells"], said]
        place = folder / "submitted" / student / assignment
        place.mkdir(parents=True)
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        (place / f"{assignment}.ipynb").write_text(text, "utf-8")
        (place / "timestamp.txt").write_text(STAMP, "utf-8")
