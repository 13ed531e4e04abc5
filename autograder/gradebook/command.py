"""What the kit's parts inside one nbgrader command share."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

from autograder.course import Course, load_course
from autograder.grading.grader import Graded, Grader

KEY = "attention_course"  # where the parts leave each other word: in the converter, the notebook and the resources


class Command:
    """What all notebooks of one nbgrader command share: the course, the grader, and results made beforehand."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.grader = Grader(course)
        self.ready: dict[str, Graded] = {}  # by student
        weakref.finalize(self, self.grader.close)  # with the converter, or at the end: a server serves many

    @classmethod
    def of(cls, preprocessor: Any) -> Command:
        """Return the one Command of the converter that a preprocessor works for."""
        return cls.of_converter(preprocessor.parent.parent)

    @classmethod
    def of_converter(cls, converter: Any) -> Command:
        if not hasattr(converter, KEY):
            setattr(converter, KEY, cls(load_course(Path(converter.coursedir.root))))
        return getattr(converter, KEY)
