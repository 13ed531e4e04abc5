"""The course: where it is, which assignments it has, and what course_config.py says."""

from __future__ import annotations

import datetime
import math
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
_KNOWN = {"assignments", "limits", "isolation", "figures", "nothing_handed_in", "several", "feedback", "probe_seed"}
NOTHING_HANDED_IN = ("zero", "blank")
SEVERAL = ("latest", "best")
FEEDBACK = ("full", "titles", "after_due")


@dataclass
class Course:
    """A course folder. `due` maps an assignment to its due date (aware, UTC) where it has one.

    `optional` names those that never lower a course total.
    `requires` maps an assignment to the modules, beyond those that the kit brings, that its notebook imports. Those in
    `on_gpu` are graded on a GPU instead of the CPU.
    """

    root: Path
    names: tuple[str, ...]
    due: dict[str, datetime.datetime]
    optional: frozenset[str]
    requires: dict[str, tuple[str, ...]]
    on_gpu: frozenset[str]
    limits: Limits
    isolation: str
    figures: bool
    config: Config
    nothing_handed_in: str = "zero"  # what is exported for who handed in nothing: "zero" or "blank"
    several: str = "latest"  # which of several submissions counts: "latest" or "best"
    feedback: str = "full"
    probe_seed: int = 0
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

    def graded(self) -> list[str]:
        """Return the names of the assignments that have points: those with a graded cell in their notebook."""
        return [name for name in self.names if self.assignment(name).graded]

    def shows_messages(self, name: str, now: datetime.datetime | None = None) -> bool:
        """Whether a student may read the messages of an assignment's checks now, and not their titles alone.

        With "after_due", an assignment without a due date never ends, so its messages stay hidden.
        """
        if self.feedback == "after_due":
            due = self.due.get(name)
            return due is not None and (now or datetime.datetime.now(datetime.UTC)) > due
        return self.feedback == "full"

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
    due, optional, requires, on_gpu = {}, set(), {}, set()
    for name, entry in entries.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise CourseError(
                f"{CONFIG}: {name!r} is no name for an assignment", "use letters, digits, hyphens and underscores"
            )
        if not isinstance(entry, dict) or set(entry) - {"due", "optional", "requires", "device"}:
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
        if entry.get("requires"):
            requires[name] = _modules(name, entry["requires"])
        if entry.get("device", "cpu") not in ("cpu", "cuda"):
            raise CourseError(f"{CONFIG}: the device of {name!r} is {entry['device']!r}", "write 'cpu' or 'cuda'")
        if entry.get("device") == "cuda":
            on_gpu.add(name)
    limits = section.get("limits", {})
    if not isinstance(limits, dict):
        raise CourseError(f"{CONFIG}: c.Course.limits is {limits!r}", "write a dict such as {'cell_seconds': 10}")
    isolation = section.get("isolation", "partial")
    if isolation not in ISOLATION:
        raise CourseError(f"{CONFIG}: c.Course.isolation is {isolation!r}", "write 'full', 'partial' or 'none'")
    _check_late_policy(config)
    probe_seed = section.get("probe_seed", 0)
    if isinstance(probe_seed, bool) or not isinstance(probe_seed, int) or probe_seed < 0:
        raise CourseError(f"{CONFIG}: c.Course.probe_seed is {probe_seed!r}", "write a whole number from 0 up")
    return Course(
        root=root,
        names=tuple(entries),
        due=due,
        optional=frozenset(optional),
        requires=requires,
        on_gpu=frozenset(on_gpu),
        limits=Limits.from_mapping(dict(limits)),
        isolation=isolation,
        figures=bool(section.get("figures", False)),
        config=config,
        nothing_handed_in=_one_of(section, "nothing_handed_in", NOTHING_HANDED_IN),
        several=_one_of(section, "several", SEVERAL),
        feedback=_one_of(section, "feedback", FEEDBACK),
        probe_seed=probe_seed,
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


def _check_late_policy(config: Config) -> None:
    """Raise CourseError for a number in c.LatePolicy that is none, before anything is graded."""
    policy = config.LatePolicy if "LatePolicy" in config else Config()
    for name, most in (("grace_minutes", math.inf), ("percent_a_day", 100), ("cap_percent", 100)):
        value = policy.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
            what = "a number of minutes" if most == math.inf else "a number from 0 to 100"
            raise CourseError(f"{CONFIG}: c.LatePolicy.{name} is {value!r}", f"write {what}")


def _one_of(section: Config, name: str, values: tuple[str, ...]) -> str:
    """Return an option that is one of `values`, the first of which is the default."""
    value = section.get(name, values[0])
    if value not in values:
        *others, last = map(repr, values)
        raise CourseError(f"{CONFIG}: c.Course.{name} is {value!r}", f"write {', '.join(others)} or {last}")
    return value


def _modules(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(m, str) and m.isidentifier() for m in value):
        raise CourseError(
            f"{CONFIG}: what assignment {name!r} requires is {value!r}", "write a list of modules such as ['torch']"
        )
    return tuple(value)


def _date(name: str, text: Any) -> datetime.datetime:
    """Return a due date. Text is read as ISO 8601, with UTC where it names no zone."""
    try:
        return moment(text)
    except ValueError as error:
        raise CourseError(
            f"{CONFIG}: the due date of {name!r} is {text!r}", "write it as '2027-01-31 23:59 UTC'"
        ) from error


def naive_utc(time: datetime.datetime) -> datetime.datetime:
    """Return an aware time as nbgrader keeps it: in UTC, and without saying so."""
    return time.astimezone(datetime.UTC).replace(tzinfo=None)


def moment(text: Any) -> datetime.datetime:
    """Return an aware time from one, or from text such as '2027-01-31 23:59 UTC'. Raises ValueError."""
    if not isinstance(text, datetime.datetime):
        text = str(text).strip()
        if text.upper().endswith("UTC"):
            text = text[:-3].strip() + "+00:00"
        text = datetime.datetime.fromisoformat(text)
    return text if text.tzinfo else text.replace(tzinfo=datetime.UTC)
