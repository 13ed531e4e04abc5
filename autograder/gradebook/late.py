"""How much being late costs. Named in course_config.py as c.AssignLatePenalties.plugin_class.

nbgrader asks it once for each late submission when it is graded, keeps the answer as the penalty, takes it off the
score, and shows it at the top of the student's feedback.
"""

from __future__ import annotations

import math

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Float

DAY = 24 * 60 * 60


class LatePolicy(LateSubmissionPlugin):
    """So many per cent of the score for each day that has begun, after a time of grace and up to a cap."""

    grace_minutes = Float(0.0, min=0.0, help="Being late by no more than this costs nothing.").tag(config=True)
    percent_a_day = Float(
        0.0, min=0.0, max=100.0, help="Per cent of the score reached that each day late costs, once it has begun."
    ).tag(config=True)
    cap_percent = Float(100.0, min=0.0, max=100.0, help="Per cent of the score that are lost at most.").tag(config=True)

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        """Return the points that are taken off `score`, or None where none are.

        Days are counted from the due date, with the student's extension; grace only forgives, it moves nothing.
        """
        if self.penalty_method != "none":  # nbgrader's own setting, where a course has it
            return super().late_submission_penalty(student_id, score, total_seconds_late)
        if total_seconds_late <= self.grace_minutes * 60 or not math.isfinite(total_seconds_late):
            return None
        percent = min(self.percent_a_day * math.ceil(total_seconds_late / DAY), self.cap_percent)
        return round(score * percent / 100, 4) or None
