"""`course package`: what to hand out or upload."""

from __future__ import annotations

from pathlib import Path

from autograder.course import Course
from autograder.packaging import classroom50, gradescope, jupyterlite, student
from autograder.problems import CourseError

OF_AN_ASSIGNMENT = {"gradescope": gradescope.build, "classroom50": classroom50.build}
OF_THE_COURSE = {"student": student.build, "jupyterlite": jupyterlite.build}
KINDS = (*OF_THE_COURSE, *OF_AN_ASSIGNMENT)


def run(course: Course, kind: str, destination: Path, assignment: str | None = None) -> int:
    """Build a package and say where it is. Raises CourseError where it cannot be built."""
    if kind in OF_AN_ASSIGNMENT:
        if assignment is None:
            raise CourseError(f"course package {kind} is for one assignment", f"choose from {', '.join(course.names)}")
        made = OF_AN_ASSIGNMENT[kind](course, assignment, destination)
    else:
        if assignment is not None:
            raise CourseError(f"course package {kind} holds all assignments", f"leave {assignment} out")
        made = OF_THE_COURSE[kind](course, destination)
    print("\n".join(map(str, made)))
    return 0
