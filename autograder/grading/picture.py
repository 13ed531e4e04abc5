"""Pictures for a student's page: what their function returns for the public example of an assignment.

The function is asked once the notebook has run and before the first check, while its process has not seen a hidden
input: no function can show in a picture what it was asked before. A picture decides no score, and shows only what is
not as wanted.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograder.grading.checks import Example
from autograder.grading.report import Picture
from autograder.student.inside.values import plain
from autograder.student.process import Answer
from autograder.student.session import Session

FILE = "example.py"
SAME = 5e-3  # what a picture with two decimals cannot show


def examples_of(folder: Path) -> tuple[Example, ...]:
    """Return the public examples of an assignment's folder of checks; it need not have any."""
    if not (folder / FILE).is_file():
        return ()
    module = importlib.import_module(f"autograder.graders.{folder.name}.{Path(FILE).stem}")
    return tuple(module.EXAMPLES)


def draw(session: Session, examples: Sequence[Example]) -> list[Picture]:
    """Ask a notebook that has just run for the examples. Returns pictures of those that do not look as wanted."""
    found = []
    for example in examples:
        answer = session.call(example.function, example.inputs, {})
        if not isinstance(answer, Answer):
            break
        picture = _picture(example, plain(answer.value)) if answer.op == "value" else None
        if picture is not None:
            found.append(picture)
    return found


def _picture(example: Example, value: Any) -> Picture | None:
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
        tuple(example.grade_ids),
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
