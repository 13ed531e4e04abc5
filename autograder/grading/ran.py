"""What running one submission and asking it the checks gave: all of a result but the points, as plain data.

It travels between machines and is kept in the store as JSON, so nothing has to be unpickled anywhere. Points are
shared out later, from the course's copy as it then is.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from autograder.grading.outcome import ERROR
from autograder.grading.report import CheckResult, Picture
from autograder.student.process import CellRun


@dataclass
class Ran:
    """Outcomes by check (without points), each check's cell and weight, and what became of each cell of the notebook.

    `fault` is why nothing can be said about this submission, where the machine or a check is to blame.
    """

    results: dict[str, CheckResult] = field(default_factory=dict)
    checks: dict[str, tuple[str, float]] = field(default_factory=dict)  # check -> (grade_id, weight)
    runs: dict[int, CellRun] = field(default_factory=dict)
    pictures: list[Picture] = field(default_factory=list)  # of the public examples that do not look as wanted
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    isolation: str = "none"
    graded_at: str = ""
    fault: str | None = None

    @property
    def is_certain(self) -> bool:
        """Whether every check has an answer about the student's work: only then is it worth keeping."""
        outcomes = [self.results[name].outcome if name in self.results else ERROR for name in self.checks]
        return self.fault is None and bool(outcomes) and ERROR not in outcomes

    def with_checks_of(self, older: Ran) -> Ran:
        """Return this result with the outcomes of `older` for the checks that were not asked again.

        Where nothing had to be run (each check asked for was retired), what became of the cells is the older's too.
        """
        return replace(
            self if self.runs else older,
            results={**older.results, **self.results},
            checks={**older.checks, **self.checks},
            fault=self.fault,
        )

    def to_bytes(self) -> bytes:
        return zlib.compress(json.dumps(asdict(self), separators=(",", ":")).encode(), 1)

    @classmethod
    def from_bytes(cls, data: bytes) -> Ran:
        """Return what `to_bytes` wrote down. Raises ValueError, KeyError, TypeError or zlib.error for anything else."""
        plain: dict[str, Any] = json.loads(zlib.decompress(data))
        return cls(
            {name: CheckResult(**result) for name, result in plain["results"].items()},
            {name: (str(place[0]), float(place[1])) for name, place in plain["checks"].items()},
            {int(index): CellRun(**run) for index, run in plain["runs"].items()},
            [Picture.from_dict(picture) for picture in plain["pictures"]],
            [str(note) for note in plain["notes"]],
            float(plain["seconds"]),
            str(plain["isolation"]),
            str(plain["graded_at"]),
            plain["fault"],
        )
