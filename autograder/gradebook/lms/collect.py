"""From downloads to submitted/, by nbgrader's own `zip_collect`: the two plugins that course_config.py names.

LmsExtractor sorts the downloads by student into extracted/STUDENT/FILE, with nbgrader's timestamp.txt where the time is
known; LmsCollector tells `nbgrader zip_collect` what lies there. All is looked at before anything is written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbgrader.apps.zipcollectapp import ZipCollectApp
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import ExtractorPlugin, FileNameCollectorPlugin
from traitlets import List, Unicode

from autograder.course import Course, load_course
from autograder.gradebook.lms.book import open_gradebook, valid_id, write_due_dates
from autograder.gradebook.lms.plan import Plan, plan, write_attempt
from autograder.problems import CourseError, MachineFault
from autograder.reading.names import listed


class LmsExtractor(ExtractorPlugin):
    """In place of nbgrader's: sorts by student what lies in downloaded/ASSIGNMENT/archive."""

    student_pattern = Unicode(
        "", help="Where the student's id is in a file's name, for downloads of no LMS: (?P<student>...)."
    ).tag(config=True)
    timezone = Unicode("UTC", help="The zone of the times in Moodle's grading worksheet.").tag(config=True)
    sources = List(Unicode(), help="Archives and folders to read in place of the archive folder.").tag(config=True)

    plan: Plan
    may_replace: bool | None = None  # where None, nbgrader's own --force says

    def extract(self, archive_path: str, extracted_path: str) -> None:
        app: Any = self.parent
        try:
            course = load_course(Path(app.coursedir.root))
            name = app.coursedir.assignment_id
            course.assignment(name)
            sources = [Path(source) for source in self.sources] or [Path(archive_path)]
            self.plan = plan(course, name, sources, self.student_pattern, self.timezone)
            check_free(course, name, self.plan, app.force if self.may_replace is None else self.may_replace)
            for who, attempt in self.plan.chosen.items():
                max_bytes = course.limits.submission_mb * 10**6
                write_attempt(attempt, Path(extracted_path) / who, max_bytes, self.plan.left_out)
            with open_gradebook(course) as gradebook:
                write_due_dates(course, gradebook)
        except (CourseError, MachineFault) as error:
            app.fail("%s", error)
        for line in self.plan.said:
            self.log.warning("%s", line)
        if self.plan.left_out:
            self.log.warning("left out: %s", "; ".join(self.plan.left_out))


class LmsCollector(FileNameCollectorPlugin):
    """Tells nbgrader the student and the file from a path that LmsExtractor made, extracted/STUDENT/FILE."""

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        app: Any = self.parent
        extracted = Path(app._format_collect_path(app.extracted_directory))
        student, *file = Path(submitted_file).relative_to(extracted).parts
        if not file or not valid_id(student):
            return None
        return {"student_id": student, "file_id": "/".join(file)}


def check_free(course: Course, name: str, made: Plan, force: bool) -> None:
    """Raise CourseError where a student's submission is there already, before the first one is written."""
    directory = CourseDirectory(config=course.config)
    there = []
    for who in sorted(made.chosen):
        place = Path(directory.format_path(directory.submitted_directory, who, name))
        if place.is_dir() and any(place.iterdir()):
            there.append(who)
    if there and not force:
        raise CourseError(
            f"submitted/ holds {name} of {listed(there)} already", "--force puts these downloads in their place"
        )


class _Collect(ZipCollectApp):
    """nbgrader's command inside ours: its errors are CourseErrors."""

    def fail(self, msg: str, *args: Any) -> None:
        raise CourseError(msg % args if args else msg)


def collect(course: Course, name: str, sources: list[Path], pattern: str | None, force: bool) -> Plan:
    """Run nbgrader's zip_collect on `sources`, or on downloaded/NAME/archive. Returns what it did.

    Raises CourseError where the downloads are not in order, before anything is written to submitted/.
    """
    course.assignment(name)
    app = _Collect(config=course.config)
    app.log_level = "ERROR"
    app.coursedir = CourseDirectory(parent=app)
    app.coursedir.assignment_id = name
    app.force = True  # of extracted/, which holds nothing of its own; submitted/ is looked at below
    app.init_plugins()
    extractor = app.extractor_plugin_inst
    if not isinstance(extractor, LmsExtractor) or not isinstance(app.collector_plugin_inst, LmsCollector):
        raise CourseError(
            "course_config.py does not name the plugins that read downloads",
            "set c.ZipCollectApp.extractor_plugin and c.ZipCollectApp.collector_plugin as the kit's own file does",
        )
    archive = Path(app._format_collect_path(app.archive_directory))
    if not sources and not archive.is_dir():
        raise CourseError(f"there is no {archive}", "put the downloads there, or name them")
    archive.mkdir(parents=True, exist_ok=True)
    extractor.sources = [str(source) for source in sources]
    extractor.student_pattern = pattern or extractor.student_pattern
    extractor.may_replace = force
    app.extract_archive_files()
    app.process_extracted_files()
    return extractor.plan
