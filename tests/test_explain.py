"""`course explain` answers "why did I lose this point?" for the instructor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import ROOT, Course, read

from autograder.sample.build import with_code

MASK = "def causal_mask(n):\n    return np.triu(np.full((n, n), -np.inf), k=2)\n"
CROSSOVER = "def crossover_n(d_model, dtype_bytes=2, expansion=4):\n    return expansion * d_model + 1\n"
HANGS = "def is_causal(weights):\n    raise ValueError('not today')\n"


def handed_in(folder: Path, assignment: str, code: str) -> Path:
    path = folder / f"{assignment}.ipynb"
    notebook = with_code(read(ROOT / "solutions" / assignment / f"{assignment}.ipynb"), code)
    path.write_text(json.dumps(notebook), "utf-8")
    return path


@pytest.mark.parametrize(
    ("assignment", "code", "check", "told"),
    [
        (
            "ex3-memory-cost",
            CROSSOVER,
            "test_crossover_includes_equality",
            ["outcome: failed", "diagnosis: strict-crossover", "returned: 97", "expected: 96", "tolerance: "],
        ),
        (
            "ex2-causal-masking",
            MASK,
            "test_mask_blocks_exactly_the_future",
            ["outcome: failed", "argument 0: ", "returned: array of shape", "expected: array of shape"],
        ),
        (
            "ex2-causal-masking",
            HANGS,
            "test_is_causal_looks_closely",
            ["outcome: failed", "returned: nothing.", "ValueError: not today", "expected: "],
        ),
        ("ex3-memory-cost", "", "test_crossover_includes_equality", ["outcome: passed", "diagnosis: none"]),
    ],
)
def test_a_check_is_told_with_inputs_returned_and_expected_values(
    tmp_path: Path, course: Course, assignment: str, code: str, check: str, told: list[str]
) -> None:
    done = course("explain", handed_in(tmp_path, assignment, code), "--check", check)
    for text in told:
        assert text in done.stdout


def test_a_check_that_is_not_there_is_one_line_with_the_nearest_name(tmp_path: Path, course: Course) -> None:
    path = handed_in(tmp_path, "ex3-memory-cost", "")
    done = course("explain", path, "--check", "test_crossover_includes_equalty", status=2)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "did you mean test_crossover_includes_equality?" in done.stderr
