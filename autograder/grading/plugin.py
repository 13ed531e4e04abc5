"""The pytest plugin: `pytest autograder/graders --submission FILE -k leak` debugs a hidden check.

Loaded by pytest wherever the kit is installed; it does nothing until `--submission` is given.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("attention course")
    group.addoption("--submission", metavar="NOTEBOOK", help="grade this notebook with the hidden checks")
    group.addoption("--assignment", metavar="NAME", help="the notebook's assignment, where it is not recognised")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "cell(grade_id, weight=1): the graded notebook cell whose points a hidden check shares"
    )
    path = config.getoption("--submission", None)
    if path is not None:
        _register(config, Path(path), config.getoption("--assignment"))


def _register(config: pytest.Config, path: Path, name: str | None) -> None:
    from autograder.course import find_root, load_course
    from autograder.grading.batch import Batch, Entry
    from autograder.grading.digests import folder_of
    from autograder.grading.grader import Grader
    from autograder.problems import CourseError, MachineFault
    from autograder.reading.discover import find_notebooks, read_submission

    try:
        course = load_course(find_root(Path.cwd()))
        wanted = course.assignment(name) if name else None
        (found, *_) = find_notebooks([path])
        submission = read_submission(found, course.assignments(), course.limits.submission_mb * 10**6, wanted)
        if submission.problem is not None:
            raise CourseError(f"{path}: {submission.problem}")
        grader = Grader(course)
        config.add_cleanup(grader.close)
        batch = Batch(
            grader.host_for(submission.assignment),
            folder_of(submission.assignment),
            [Entry(submission)],
            False,
            probe_seed=course.probe_seed,
        )
    except (CourseError, MachineFault) as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(batch, "attention-course-batch")
    config.pluginmanager.register(_OneAssignment(batch.folder), "attention-course-selection")


class _OneAssignment:
    """Leaves out the hidden checks of other assignments than the submission's."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        parent = collection_path.parent
        if parent.name == "graders" and collection_path.is_dir() and collection_path.name != self.folder:
            return True
        return None
