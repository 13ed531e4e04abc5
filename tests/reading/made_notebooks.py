"""Notebooks made by hand: an assignment of two functions, as the course has it."""

from __future__ import annotations

from typing import Any

Notebook = dict[str, Any]


def cell(source: str, kind: str = "code", id: str = "", **flags: Any) -> dict[str, Any]:
    """A cell as nbformat writes it; with flags, one that nbgrader knows."""
    metadata: dict[str, Any] = {"nbgrader": {"schema_version": 3, "task": False, **flags}} if flags else {}
    made: dict[str, Any] = {"cell_type": kind, "id": id, "metadata": metadata, "source": source}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def notebook_of(*cells: dict[str, Any]) -> Notebook:
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}


ANSWER = {"grade": False, "solution": True, "locked": False}
TESTS = {"grade": True, "solution": False, "locked": True}
GIVEN = {"grade": False, "solution": False, "locked": True}

COURSE = notebook_of(
    cell("# Doubling\n\nText.", "markdown", "head"),
    cell("import numpy as np", id="c0", grade_id="given", **GIVEN),
    cell("def double(x):\n    return 2 * x", id="c1", grade_id="double", **ANSWER),
    cell("assert double(1) == 2", id="c2", grade_id="double-check", points=2, **TESTS),
    cell("def triple(x):\n    return 3 * x", id="c3", grade_id="triple", **ANSWER),
    cell("assert triple(1) == 3", id="c4", grade_id="triple-check", points=3, **TESTS),
)
