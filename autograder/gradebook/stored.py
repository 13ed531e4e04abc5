"""The report of each recorded submission, kept in the metadata of its autograded notebook."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

from autograder.course import Course
from autograder.gradebook.command import KEY
from autograder.grading.report import Picture, Report, Work


def stored(report: Report) -> dict[str, Any]:
    """Return what is kept of a report, as plain data: all but the student's code, which the notebook holds."""
    return {"report": report.to_dict(), "pictures": [dataclasses.asdict(picture) for picture in report.work.pictures]}


def stored_report(metadata: Any) -> Report | None:
    """Return the report in a notebook's metadata; None where there is none that can be read."""
    kept = metadata.get(KEY)
    if not isinstance(kept, dict) or "report" not in kept:
        return None
    try:
        pictures = tuple(Picture.from_dict(picture) for picture in kept.get("pictures", []))
        return dataclasses.replace(Report.from_dict(kept["report"]), work=Work(pictures=pictures))
    except (ValueError, TypeError, KeyError):  # of a kit that kept something else
        return None


def reports_of_course(course: Course, names: Iterable[str]) -> list[Report]:
    """Return the reports of all submissions of the assignments `names` that were recorded, by assignment and student.

    What was recorded in another way than by this kit has none.
    """
    folder = course.config.CourseDirectory.get("autograded_directory", "autograded")
    found = []
    for name in names:
        for path in sorted((course.root / folder).glob(f"*/{name}/{name}.ipynb")):
            try:
                report = stored_report(json.loads(path.read_text(encoding="utf-8"))["metadata"])
            except (OSError, ValueError, KeyError, TypeError):
                continue
            if report is not None:
                found.append(report)
    return found
