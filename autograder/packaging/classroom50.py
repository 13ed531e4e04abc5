"""The bundle of one assignment for Classroom 50: its visible checks and the `autograder.py` that runs them.

Classroom 50 publishes bundles without authentication, so nothing goes in that a student does not have already.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from autograder.course import Course
from autograder.packaging import archive
from autograder.packaging.student import HANDOUT

FILES = Path(__file__).resolve().parent / "classroom50_files"


def build(course: Course, assignment: str, destination: Path) -> tuple[Path, Path]:
    """Write the bundle as a folder and as a zip: its files go to CLASSROOM/autograders/ASSIGNMENT/."""
    name = course.assignment(assignment).name

    def fill(folder: Path) -> None:
        shutil.copy(FILES / "autograder.py", folder)
        shutil.copy(HANDOUT / "check_notebooks.py", folder)
        shutil.copy(archive.released(course.root, name), folder)

    return archive.build(destination, f"classroom50-{name}", fill, inside=False)
