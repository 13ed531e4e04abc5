"""The limits under which student code runs. Set in course_config.py as `c.Course.limits = {...}`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from autograder.problems import CourseError

MAX_SUBMISSION_MB = 64  # what can be sent to a student's process at once


@dataclass(frozen=True)
class Limits:
    """How much one submission may use. Every value is a number above zero.

    A cell or call that takes longer than its seconds is interrupted, and costs what depends on it. Seconds are
    wall-clock seconds, on purpose generous: a busy machine must not cost a point.
    """

    cell_seconds: float = 10.0  # one cell of the notebook
    call_seconds: float = 5.0  # one call of a student's function by a check
    submission_seconds: float = 60.0  # all runs and calls of one submission together
    grace_seconds: float = 1.0  # between the interrupt and the kill
    memory_mb: int = 2048  # beyond what Python and its libraries use
    scratch_mb: int = 64  # files in the working folder
    processes: int = 64
    open_files: int = 256
    output_kb: int = 256  # what is kept of one cell's output
    submission_mb: int = 20  # the notebook and the files beside it

    @classmethod
    def from_mapping(cls, values: dict[str, Any]) -> Limits:
        """Return the limits with `values` in place of the defaults. Raises CourseError for a bad one."""
        known = {field.name: field.type for field in fields(cls)}
        chosen: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known:
                raise CourseError(
                    f"course_config.py: c.Course.limits has no limit named {name!r}",
                    f"choose from {', '.join(known)}",
                )
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
                raise CourseError(f"course_config.py: the limit {name} is {value!r}", "write a number above zero")
            chosen[name] = float(value) if known[name] == "float" else int(value)
            if chosen[name] == 0:
                raise CourseError(f"course_config.py: the limit {name} is {value!r}", "write a whole number above zero")
        limits = cls(**chosen)
        most = min(limits.scratch_mb, MAX_SUBMISSION_MB)
        if limits.submission_mb > most:
            raise CourseError(
                f"course_config.py: the limit submission_mb is {limits.submission_mb}",
                f"write no more than {most}: the files must fit in scratch_mb ({limits.scratch_mb})"
                f" and in one message ({MAX_SUBMISSION_MB})",
            )
        return limits

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
