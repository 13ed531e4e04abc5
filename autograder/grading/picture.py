"""Pictures for a student's page: what their function returns for the public example of an assignment.

They are drawn after grading, in a process of their own that has never seen a hidden input, so that no function can
show in a picture what it was asked before. A picture decides no score, and none is made where all is right.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograder.grading.checks import Example
from autograder.grading.report import Picture
from autograder.problems import MachineFault
from autograder.student.host import Host
from autograder.student.inside.values import plain
from autograder.student.process import Answer
from autograder.student.session import Session

FILE = "example.py"
SAME = 5e-3  # what a picture with two decimals cannot show
SECONDS = 10.0  # a notebook that took longer is not run a second time for a picture; generous, as machines are busy


def examples_of(folder: Path) -> tuple[Example, ...]:
    """Return the public examples of an assignment's folder of checks; it need not have any."""
    if not (folder / FILE).is_file():
        return ()
    module = importlib.import_module(f"autograder.graders.{folder.name}.{Path(FILE).stem}")
    return tuple(module.EXAMPLES)


def draw(
    host: Host,
    code: list[tuple[int, str]],
    files: dict[str, bytes],
    examples: Sequence[Example],
    failed: Iterable[str],
) -> list[Picture]:
    """Return pictures of the examples whose graded cells are in `failed`, where there is something to see."""
    lost = set(failed)
    wanted = [example for example in examples if lost & set(example.grade_ids)]
    if not wanted:
        return []
    session = Session(host, code, files)
    found = []
    try:
        for example in wanted:
            answer = session.call(example.function, example.inputs, {})
            if not isinstance(answer, Answer) or answer.op != "value":
                break
            picture = _picture(example, plain(answer.value), lost)
            if picture is not None:
                found.append(picture)
    except MachineFault:
        return found
    finally:
        session.close()
    return found


def _picture(example: Example, value: Any, failed: set[str]) -> Picture | None:
    if example.part is not None:
        if not isinstance(value, (tuple, list)) or len(value) <= example.part:
            return None
        value = value[example.part]
    try:
        yours = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None
    if yours.shape != example.wanted.shape or np.allclose(yours, example.wanted, rtol=0, atol=SAME):
        return None
    closed = () if example.closed is None else tuple((int(i), int(j)) for i, j in np.argwhere(example.closed))
    return Picture(
        tuple(name for name in example.grade_ids if name in failed),
        example.function,
        example.about,
        example.rows,
        example.columns,
        _rows(yours),
        _rows(example.wanted),
        closed,
    )


def _rows(matrix: np.ndarray) -> tuple[tuple[float | None, ...], ...]:
    return tuple(tuple(round(float(value), 4) if np.isfinite(value) else None for value in row) for row in matrix)
