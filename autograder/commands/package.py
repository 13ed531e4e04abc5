"""`course package`: what to hand out."""

from __future__ import annotations

from pathlib import Path

from autograder.course import Course
from autograder.packaging import student


def run(course: Course, destination: Path) -> int:
    """Build the students' package and say where it is."""
    folder, archive = student.build(course, destination)
    print(f"{folder}\n{archive}")
    return 0
