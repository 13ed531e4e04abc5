"""One batch as bytes, for a process anywhere that has the kit: what is to be run goes out, what was found comes back.

Nothing of the course's folder is needed where the work is done. A worker whose kit or checks are not ours refuses.
"""

from __future__ import annotations

import atexit
import base64
import functools
import json
import threading
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from traitlets.config import Config

from autograder import __version__
from autograder.course import Course
from autograder.grading.digests import checks_digest, engine_digest, files_digest
from autograder.grading.grader import Grader
from autograder.grading.ran import Ran
from autograder.limits import Limits
from autograder.problems import CourseError
from autograder.reading.assignment import Assignment, as_assignment
from autograder.reading.submission import Submission


@dataclass(frozen=True)
class Work:
    """A batch of one assignment. `wanted` are the checks that each submission is asked: None for all.

    With `pages`, they are asked for the public examples as well.
    """

    course: Course
    assignment: Assignment
    submissions: Sequence[Submission]
    wanted: Sequence[frozenset[str] | None]
    pages: bool = False

    def to_bytes(self) -> bytes:
        course = self.course
        plain = {
            "kit": kit(self.assignment),
            "pages": self.pages,
            "course": {
                "root": str(course.root),
                "isolation": course.isolation,
                "figures": course.figures,
                "probe_seed": course.probe_seed,
                "requires": list(course.requires.get(self.assignment.name, ())),
                "on_gpu": self.assignment.name in course.on_gpu,
                "limits": course.limits.as_dict(),
            },
            "assignment": {
                "name": self.assignment.name,
                "notebook": self.assignment.notebook,
                "folder": str(self.assignment.folder),
            },
            "submissions": [_plain(submission) for submission in self.submissions],
            "wanted": [None if names is None else sorted(names) for names in self.wanted],
        }
        return zlib.compress(json.dumps(plain, separators=(",", ":")).encode(), 1)


class Worker:
    """Does one batch after another, with one zygote for all that want the same. Use as a context manager."""

    def __init__(self) -> None:
        self._alone = threading.Lock()  # a process may have several threads; pytest and the zygote want one at a time
        self._wanted = ""
        self._loaded: dict[str, str] = {}  # the checks of an assignment as they were when they were loaded
        self._engine = engine_digest()
        self._grader: Grader | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def close(self) -> None:
        if self._grader is not None:
            self._grader.close()
            self._grader = None

    def do(self, data: bytes) -> bytes:
        """Do the work in `data`. Returns what `read_results` reads."""
        plain = json.loads(zlib.decompress(data))
        name, notebook, folder = (plain["assignment"][key] for key in ("name", "notebook", "folder"))
        with self._alone:
            try:
                assignment = as_assignment(name, notebook, Path(folder))
                self._agree(assignment, plain["kit"])
                grader = self._grader_for(name, plain["course"])
                submissions = [_submission(name, known) for known in plain["submissions"]]
                wanted = [None if names is None else frozenset(names) for names in plain["wanted"]]
                ran = grader.run(assignment, submissions, wanted=wanted, pages=plain["pages"])
            except CourseError as error:
                return json.dumps({"refused": str(error)}).encode()
        return json.dumps({"ran": [base64.b64encode(one.to_bytes()).decode() for one in ran]}).encode()

    def _agree(self, assignment: Assignment, wanted: dict[str, str]) -> None:
        """Raise CourseError where what is loaded here is not the kit that the batch was made with."""
        here = kit(assignment)
        if here != wanted:
            raise CourseError(_difference(here, wanted))
        files = files_digest(assignment.name)
        if self._loaded.setdefault(assignment.name, files) != files or here["engine"] != self._engine:
            raise CourseError("the kit's files have changed since a worker loaded them", "start the workers again")

    def _grader_for(self, assignment: str, course: dict[str, Any]) -> Grader:
        wanted = json.dumps([assignment, course], sort_keys=True)
        if self._grader is None or self._wanted != wanted:
            self.close()
            self._grader, self._wanted = Grader(_course(assignment, course)), wanted
        return self._grader


def do(data: bytes) -> bytes:
    """Do the work in `data` with this process's one worker. This is what an executor is given."""
    return _worker().do(data)


@functools.lru_cache(maxsize=1)
def _worker() -> Worker:
    worker = Worker()
    atexit.register(worker.close)
    return worker


def read_results(data: bytes) -> list[Ran]:
    """Return what `do` found. Raises CourseError where the worker refused."""
    answer = json.loads(data)
    if "refused" in answer:
        raise CourseError(answer["refused"])
    return [Ran.from_bytes(base64.b64decode(one)) for one in answer["ran"]]


def kit(assignment: Assignment) -> dict[str, str]:
    """Return what must be the same where submissions are graded as where their grades are recorded."""
    return {"version": __version__, "engine": engine_digest(), "checks": checks_digest(assignment)}


def _difference(theirs: dict[str, str], ours: dict[str, str]) -> str:
    if theirs["version"] != ours["version"]:
        return (
            f"a worker has version {theirs['version']} of the kit and not {ours['version']}: "
            "install the same version on all workers"
        )
    what = "hidden checks" if theirs["engine"] == ours["engine"] else "code of the kit"
    return f"a worker's {what} differ from those here: install the same kit on all workers"


def _course(assignment: str, plain: dict[str, Any]) -> Course:
    """Return as much of a course as grading needs."""
    return Course(
        root=Path(plain["root"]),
        names=(),
        due={},
        optional=frozenset(),
        requires={assignment: tuple(plain["requires"])},
        on_gpu=frozenset([assignment] if plain["on_gpu"] else []),
        limits=Limits.from_mapping(plain["limits"]),
        isolation=plain["isolation"],
        figures=plain["figures"],
        probe_seed=plain["probe_seed"],
        config=Config(),
    )


def _plain(submission: Submission) -> dict[str, Any]:
    files = {name: base64.b64encode(data).decode() for name, data in submission.files.items()}
    return {"student": submission.student, "cells": submission.notebook["cells"], "files": files}


def _submission(assignment: str, plain: dict[str, Any]) -> Submission:
    """Return a submission as far as running it needs it: its cells (already repaired) and files."""
    files = {name: base64.b64decode(text) for name, text in plain["files"].items()}
    return Submission(assignment, plain["student"], "", {"cells": plain["cells"]}, files=files)
