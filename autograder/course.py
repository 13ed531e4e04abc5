"""The course: where it is, which assignments it has, and what course_config.py says."""

from __future__ import annotations

import datetime
import re
import traceback
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from autograder.limits import Limits
from autograder.problems import CourseError
from autograder.reading.assignment import Assignment, load_assignment

CONFIG = "course_config.py"
ISOLATION = ("none", "partial", "full")
_NAME = re.compile(r"\w[\w.-]*")
_KNOWN = {"assignments", "limits", "isolation", "figures"}


@dataclass
class Course:
    """A course folder. `due` maps an assignment to its due date (aware, UTC) where it has one.

    `optional` names those that never lower a course total.
    """

    root: Path
    names: tuple[str, ...]
    due: dict[str, datetime.datetime]
    optional: frozenset[str]
    limits: Limits
    isolation: str
    figures: bool
    config: Config
    _assignments: dict[str, Assignment] = field(default_factory=dict)

    def assignment(self, name: str) -> Assignment:
        """Return an assignment, from source/ or, where that is not there, from release/. Raises CourseError."""
        if name not in self.names:
            near = get_close_matches(name, self.names, 1)
            raise CourseError(
                f"there is no assignment named {name!r}",
                f"did you mean {near[0]}?" if near else f"choose from {', '.join(self.names)}",
            )
        if name not in self._assignments:
            self._assignments[name] = load_assignment(name, self._folder(name))
        return self._assignments[name]

    def assignments(self) -> list[Assignment]:
        return [self.assignment(name) for name in self.names]

    def _folder(self, name: str) -> Path:
        for step in ("source", "release"):
            folder = self.root / step / name
            if (folder / f"{name}.ipynb").is_file():
                return folder
        raise CourseError(
            f"source/{name}/{name}.ipynb is not there, though {CONFIG} names the assignment",
            f"write it, or take {name!r} out of c.Course.assignments",
        )


def find_root(start: Path) -> Path:
    """Return the nearest folder at or above `start` that holds course_config.py. Raises CourseError."""
    for folder in (start, *start.parents):
        if (folder / CONFIG).is_file():
            return folder
    raise CourseError(
        f"there is no {CONFIG} in {start} or above it", "run this in the course's folder, or name it with --course"
    )


def load_course(root: Path) -> Course:
    """Return the course in `root`. Raises CourseError with one clear line where its configuration is not in order."""
    config = _read_config(root)
    section = config.Course if "Course" in config else Config()
    unknown = set(section) - _KNOWN
    if unknown:
        name = sorted(unknown)[0]
        raise CourseError(f"{CONFIG}: c.Course.{name} is not known", f"choose from {', '.join(sorted(_KNOWN))}")
    entries = section.get("assignments", {})
    if not isinstance(entries, dict) or not entries:
        raise CourseError(f"{CONFIG}: c.Course.assignments names no assignment", "list them as {'name': {}}")
    due, optional = {}, set()
    for name, entry in entries.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise CourseError(
                f"{CONFIG}: {name!r} is no name for an assignment", "use letters, digits, hyphens and underscores"
            )
        if not isinstance(entry, dict) or set(entry) - {"due", "optional"}:
            raise CourseError(
                f"{CONFIG}: the entry of assignment {name!r} is {entry!r}",
                "write a dict such as {'due': '2027-01-31 23:59 UTC'}",
            )
        if entry.get("due"):
            due[name] = _date(name, entry["due"])
        if not isinstance(entry.get("optional", False), bool):
            raise CourseError(
                f"{CONFIG}: the entry 'optional' of assignment {name!r} is {entry['optional']!r}",
                "write True or False; without it an assignment counts",
            )
        if entry.get("optional"):
            optional.add(name)
    limits = section.get("limits", {})
    if not isinstance(limits, dict):
        raise CourseError(f"{CONFIG}: c.Course.limits is {limits!r}", "write a dict such as {'cell_seconds': 10}")
    isolation = section.get("isolation", "partial")
    if isolation not in ISOLATION:
        raise CourseError(f"{CONFIG}: c.Course.isolation is {isolation!r}", "write 'full', 'partial' or 'none'")
    return Course(
        root=root,
        names=tuple(entries),
        due=due,
        optional=frozenset(optional),
        limits=Limits.from_mapping(dict(limits)),
        isolation=isolation,
        figures=bool(section.get("figures", False)),
        config=config,
    )


def _read_config(root: Path) -> Config:
    try:
        return PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    except ConfigFileNotFound as error:
        raise CourseError(f"there is no {CONFIG} in {root}", "run this in the course's folder") from error
    except (Exception, SystemExit) as error:  # the file is Python: it can raise anything
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith(CONFIG)]
        line = error.lineno if isinstance(error, SyntaxError) else frames[-1].lineno if frames else None
        where = f"{CONFIG}, line {line}" if line else CONFIG
        raise CourseError(f"{where}: {type(error).__name__}: {error}", "mend that line") from error


def _date(name: str, text: Any) -> datetime.datetime:
    """Return a due date. Text is read as ISO 8601, with UTC where it names no zone."""
    try:
        moment = text if isinstance(text, datetime.datetime) else _parse(str(text))
    except ValueError as error:
        raise CourseError(
            f"{CONFIG}: the due date of {name!r} is {text!r}", "write it as '2027-01-31 23:59 UTC'"
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)


def _parse(text: str) -> datetime.datetime:
    text = text.strip()
    if text.upper().endswith("UTC"):
        text = text[:-3].strip() + "+00:00"
    return datetime.datetime.fromisoformat(text)
