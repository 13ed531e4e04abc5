"""nbgrader's Autograde for a whole class: its own steps, each notebook read and written once, one gradebook.

What nbgrader does for each submission (folders, copied files, timestamps, permissions) is its own code. In place of two
exports with a file between them, the notebook that is already read and graded goes through both lists of steps of
course_config.py at once.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.preprocessors import Preprocessor
from nbgrader.converters import Autograde
from nbgrader.preprocessors import CheckCellMetadata
from traitlets.utils.importstring import import_item

from autograder.gradebook.command import KEY, Command
from autograder.gradebook.exporter import page, valid
from autograder.gradebook.shared import SharedGradebook, shared
from autograder.grading.grader import Graded
from autograder.reading.assignment import Assignment


class CheckOnce(CheckCellMetadata):
    """nbgrader's check of its metadata, done once for notebooks whose cells carry the same."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        self._sound: set[str] = set()

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        marks = repr([(c.cell_type, sorted(c.metadata.nbgrader.items())) for c in nb.cells if "nbgrader" in c.metadata])
        if marks not in self._sound:
            super().preprocess(nb, resources)
            self._sound.add(marks)
        return nb, resources


class ClassAutograde(Autograde):
    """Records graded submissions of one assignment: `record` one after another, inside the gradebook's `part`."""

    def __init__(self, command: Command, assignment: Assignment, coursedir: Any, log: logging.Logger) -> None:
        super().__init__(coursedir=coursedir, config=command.course.config, log=log)
        setattr(self, KEY, command)
        self.force = True
        self.assignment_of_class = assignment
        self.graded: Graded | None = None
        self.error: Exception | None = None
        self.init_notebooks = lambda: None  # type: ignore[method-assign]
        self.convert_notebooks = lambda: None  # type: ignore[method-assign]
        self.start()  # makes the exporter and the writer
        del self.init_notebooks, self.convert_notebooks
        checker = CheckOnce(parent=self.exporter, config=command.course.config)
        self.steps = [
            checker if type(step) is CheckCellMetadata else step
            for step in [*self._steps(self.sanitize_preprocessors), *self._steps(self.autograde_preprocessors)]
        ]

    def _steps(self, listed: Sequence[Any]) -> list[Any]:
        """Return steps as nbconvert would make them of a list of classes, import paths and functions."""
        made = []
        for step in listed:
            kind = import_item(step) if isinstance(step, str) else step
            made.append(kind(parent=self.exporter) if isinstance(kind, type) else kind)
        return [step for step in made if not isinstance(step, Preprocessor) or step.enabled]

    def record(self, graded: Graded, gradebook: SharedGradebook) -> None:
        """Record one submission. Raises NbGraderException where nbgrader's own steps fail on it."""
        student, name = graded.report.student, self.assignment_of_class.name
        self.error = None
        Command.of_converter(self).ready[student] = graded
        folder = self._format_source(name, student)
        self.coursedir.student_id = student
        self.assignments = {folder: [str(Path(folder) / f"{name}.ipynb")]}
        self.graded = graded
        try:
            with shared(gradebook, [*self.steps, self]):
                self.convert_notebooks()
        finally:
            del Command.of_converter(self).ready[student]

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        with self._explaining():
            super().init_assignment(assignment_id, student_id)

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        with self._explaining():
            return super().init_destination(assignment_id, student_id)

    def convert_single_notebook(self, notebook_filename: str) -> None:
        with self._explaining():
            self._convert(notebook_filename)

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        """Keep in `error` what went wrong: nbgrader says it in its log and raises something else."""
        try:
            yield
        except Exception as error:
            self.error = error
            raise

    def _convert(self, notebook_filename: str) -> None:
        assert self.graded is not None
        resources: Any = self.init_single_notebook_resources(notebook_filename)
        path = Path(notebook_filename)
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        resources["output_extension"] = ".ipynb"
        submission = self.graded.submission
        if submission.problem is None:
            plain = valid(submission.notebook)
        else:
            plain = page(self.assignment_of_class, submission.problem)
        nb = nbformat.from_dict(plain)
        nb.metadata[KEY] = {"notes": submission.notes, "problem": submission.problem or ""}
        for step in self.steps:
            nb, resources = step(nb, resources)
        self.write_single_notebook(nbformat.v4.writes(nb) + "\n", resources)
