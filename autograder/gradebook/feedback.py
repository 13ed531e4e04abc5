"""`nbgrader generate_feedback` gives our page: the report, the student's code, and what a person added in Formgrader.

Named in course_config.py as c.GenerateFeedback.exporter_class. nbgrader hands over the autograded notebook, whose
metadata hold the report; scores, comments and the penalty are the gradebook's.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook

from autograder.gradebook.command import Command
from autograder.gradebook.stored import stored_report
from autograder.grading.report import Report
from autograder.grading.showing import for_student, work_of
from autograder.outputs.html import page
from autograder.outputs.standing import Standing


class FeedbackExporter(HTMLExporter):
    """Writes a student's page. A notebook that was graded without this kit becomes nbgrader's own page."""

    def from_notebook_node(self, nb: Any, resources: Any = None, **keywords: Any) -> Any:
        info = (resources or {}).get("nbgrader", {})
        course = Command.of_converter(self.parent).course
        report = stored_report(nb.metadata)
        if report is None or info.get("assignment") not in course.names:
            return super().from_notebook_node(nb, resources, **keywords)
        assignment = course.assignment(info["assignment"])
        outputs = {index: cell.outputs for index, cell in enumerate(nb.cells) if cell.cell_type == "code"}
        report = dataclasses.replace(report, work=work_of(nb, assignment, outputs, report.work.pictures))
        with Gradebook(info["db_url"], course.config.CourseDirectory.course_id) as gradebook:
            recorded = gradebook.find_submission_notebook(info["notebook"], info["assignment"], info["student"])
            standing = standing_of(recorded, report)
        report = for_student(course, report)
        resources = self._init_resources(resources)
        resources["output_extension"] = self.file_extension
        return page([(report, standing)]), resources


def standing_of(recorded: Any, report: Report) -> Standing:
    """Return what the gradebook says of a submission's notebook: scores as they count now, comments, the penalty."""
    known = {cell.grade_id for cell in report.cells}
    scores: dict[str, float | None] = {}
    extra = []
    for grade in recorded.grades:
        undecided = grade.manual_score is None and grade.auto_score is None and grade.needs_manual_grade
        score = None if undecided else float(grade.score)
        if grade.name in known:
            scores[grade.name] = score
        else:
            extra.append((grade.name, score, float(grade.max_score)))
    return Standing(
        scores=scores,
        by_hand=frozenset(grade.name for grade in recorded.grades if grade.manual_score is not None),
        comments={comment.name: comment.comment for comment in recorded.comments if comment.comment},
        extra=tuple(extra),
        penalty=float(recorded.late_submission_penalty or 0.0),
    )
