"""Our steps among nbgrader's own: repair before anything else, grade instead of Execute, save what is unknown.

Named in course_config.py; `nbgrader autograde` and Formgrader's button run them. One zygote serves all
notebooks of one command.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from nbgrader.utils import is_grade

from autograder.course import Course, naive_utc
from autograder.gradebook.command import KEY, Command
from autograder.gradebook.outputs import cell_outputs, graded_outputs
from autograder.gradebook.stored import stored
from autograder.grading.grader import Graded
from autograder.reading.assignment import Assignment
from autograder.reading.repair import repair
from autograder.reading.submission import Submission, data_files, from_notebook, ungradable


class OutOfDate(Exception):
    """The gradebook's text of a locked cell is not the course's: what was graded is not what would be recorded."""


class RepairNotebook(NbGraderPreprocessor):
    """First sanitize step: one cell per grade_id, roles and points from the course, missing cells put back."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        command = Command.of(self)
        name = resources["nbgrader"]["assignment"]
        if name not in command.course.names:
            return nb, resources
        _write_due_date(command.course, name, resources["nbgrader"]["db_url"])
        known = nb.metadata.get(KEY, {})  # from SubmissionExporter, which lets nothing of a student's stand there
        problem = known.get("problem", "")
        notes = known.get("notes", []) + repair(nb, command.course.assignment(name))
        for note in [f"Not graded: {problem}."] if problem else notes:
            self.log.warning("%s: %s", resources["nbgrader"]["student"], note)
        nb = nbformat.from_dict(nb)
        nb.metadata[KEY] = {"notes": notes, "problem": problem}
        return nb, resources


class GradeWithChecks(NbGraderPreprocessor):
    """In place of nbgrader's Execute: run the notebook confined, ask the hidden checks, write down the result."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        command = Command.of(self)
        info = resources["nbgrader"]
        assignment = command.course.assignment(info["assignment"])
        known = nb.metadata.pop(KEY, {})
        graded = command.ready.get(info["student"])
        if known.get("problem"):
            graded = _left_to_a_person(command, assignment, info["student"], known["problem"])
        elif graded is not None and not _same_code(graded.submission, nb):
            raise OutOfDate(
                f"source/{assignment.name} has changed since it was released: run `nbgrader generate_assignment "
                f"{assignment.name} --force`"
            )
        elif graded is None:
            submission = _submission(nb, assignment, info, Path(resources["metadata"]["path"]), command.course)
            submission.notes = list(known.get("notes", []))
            (graded,) = command.grader.grade(assignment, [submission], pages=True)
        write_outputs(nb, graded)
        resources[KEY] = graded.report
        return nb, resources


class SaveCheckedGrades(SaveAutoGrades):
    """SaveAutoGrades that can also say "unknown": a cell with a check in error waits for a person.

    It leaves the report in the notebook, for the feedback: the steps before it clear whatever else stands there.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        nb, resources = super().preprocess(nb, resources)
        if KEY in resources:
            nb.metadata[KEY] = nbformat.from_dict(stored(resources[KEY]))
        return nb, resources

    def _add_score(self, cell: Any, resources: Any) -> None:
        super()._add_score(cell, resources)
        grade_id = cell.metadata["nbgrader"]["grade_id"]
        if KEY in resources and any(c.grade_id == grade_id and c.score is None for c in resources[KEY].cells):
            grade = self.gradebook.find_grade(grade_id, self.notebook_id, self.assignment_id, self.student_id)
            grade.auto_score = None
            grade.needs_manual_grade = True
            self.gradebook.db.commit()


def write_outputs(nb: Any, graded: Graded) -> None:
    """Write a graded submission's outputs, scores and check messages into its notebook's cells."""
    results = {cell.grade_id: cell for cell in graded.report.cells}
    count = 0
    for index, cell in enumerate(nb.cells):
        if cell.cell_type != "code":
            continue
        count += 1
        run = graded.runs.get(index)
        result = results.get(cell.metadata.get("nbgrader", {}).get("grade_id")) if is_grade(cell) else None
        outputs = cell_outputs(run, count) if result is None else graded_outputs(result, graded.report, run, count)
        cell.outputs = [nbformat.from_dict(output) for output in outputs]
        cell.execution_count = count


def _submission(nb: Any, assignment: Assignment, info: Any, folder: Path, course: Course) -> Submission:
    plain = json.loads(nbformat.writes(nb))
    for cell in plain["cells"]:
        cell["source"] = "".join(cell["source"])
    path = f"{info['student']}/{info['assignment']}/{info['notebook']}.ipynb"
    submission = from_notebook(plain, assignment, info["student"], path)
    submission.files, _ = data_files(folder, course.limits.submission_mb * 10**6)
    return submission


def _left_to_a_person(command: Command, assignment: Assignment, student: str, problem: str) -> Graded:
    """Return the result for a submission that cannot be judged: no score at all, and never a zero."""
    (graded,) = command.grader.grade(assignment, [ungradable(assignment.name, student, "", problem)])
    cells = tuple(dataclasses.replace(cell, score=None) for cell in graded.report.cells)
    return dataclasses.replace(graded, report=dataclasses.replace(graded.report, cells=cells))


def _same_code(submission: Submission, nb: Any) -> bool:
    code = [(index, cell.source) for index, cell in enumerate(nb.cells) if cell.cell_type == "code"]
    return submission.code == code


def _write_due_date(course: Course, name: str, db_url: str) -> None:
    """course_config.py's due dates win over the gradebook's."""
    if name not in course.due:
        return
    due = naive_utc(course.due[name])
    with Gradebook(db_url, course.config.CourseDirectory.course_id) as gradebook:
        if gradebook.find_assignment(name).duedate != due:
            gradebook.update_or_create_assignment(name, duedate=due)
