"""How a check's end is judged: about the student's work, or a fault that takes no point away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from autograder.grading.batch import GRADERS, judge
from autograder.grading.outcome import ERROR, FAILED, PASSED, CheckFailed, StudentError
from autograder.grading.student import describe, one_line
from autograder.problems import CourseError, MachineFault
from autograder.student.process import Ended

ROOT = Path(__file__).resolve().parents[2]


def check(body: str, path: Path = GRADERS / "ex" / "test_x.py") -> pytest.ExceptionInfo[BaseException]:
    """What pytest knows of a check with this body in a file of hidden checks."""
    module = ModuleType("test_x")
    source = "from autograder.grading.checks import CheckFailed, StudentError\nfrom autograder.problems import *\n"
    source += "from autograder.student.process import Ended\nimport numpy as np, pytest\n"
    exec(compile(source + f"def test_x():\n    {body}", str(path), "exec"), module.__dict__)
    with pytest.raises(BaseException) as excinfo:
        module.test_x()
    return excinfo


def test_a_check_that_ends_well_has_passed() -> None:
    assert judge(None) == (PASSED, "", None)


def test_check_failed_is_the_students_with_its_message_and_misconception() -> None:
    assert judge(check("raise CheckFailed('Look again.', 'no-scaling')")) == (FAILED, "Look again.", "no-scaling")
    assert judge(check("raise StudentError('Missing.')")) == (FAILED, "Missing.", None)
    assert issubclass(StudentError, CheckFailed) and issubclass(CheckFailed, AssertionError)


def test_an_assert_in_a_check_itself_is_the_students() -> None:
    assert judge(check("assert 1 == 2, 'row 2 differs'")) == (FAILED, "row 2 differs", None)
    outcome, message, _ = judge(check("assert 1 == 2"))
    assert outcome == FAILED and message


@pytest.mark.parametrize(
    "body",
    [
        "1 / 0",
        "[][0]",
        "np.testing.assert_allclose([1], [2])",
        "raise KeyError('x')",
        "raise Exception",
        "raise RecursionError",
        "raise MemoryError",
        "raise SystemExit(0)",
        "raise Ended('died')",
        "raise CourseError('x')",
        "pytest.skip('not today')",
        "pytest.fail('no')",
        "pytest.xfail('no')",
        "pytest.exit('no')",
    ],
)
def test_anything_else_is_a_fault_and_takes_no_point_away(body: str) -> None:
    outcome, message, misconception = judge(check(body))
    assert outcome == ERROR and misconception is None
    assert "person" in message and "\n" not in message


def test_an_assert_outside_the_checks_is_a_fault() -> None:
    assert judge(check("assert 1 == 2", Path("/somewhere/else.py")))[0] == ERROR


def test_a_machine_fault_says_itself_what_is_wrong() -> None:
    outcome, message, _ = judge(check("raise MachineFault('the disk is full')"))
    assert outcome == ERROR and "the disk is full" in message


def test_exceptions_of_different_layers_stay_apart() -> None:
    kinds = (CheckFailed, MachineFault, CourseError, Ended)
    assert not any(issubclass(a, b) for a in kinds for b in kinds if a is not b)


def test_text_from_a_student_becomes_one_short_line_that_carries_no_numbers_out() -> None:
    assert one_line("a\nb\x00c\x1b[31m\u202ed\ud800", 100) == "a b c [31m d"
    assert one_line("x" * 300, 200) == "x" * 197 + "..."
    assert one_line("0.123456789 and 12.5 and 1234567890123 and 3.14159e-05", 100) == "0.### and 12.5 and ### and 3.###"


def test_an_exception_is_described_with_the_students_line() -> None:
    error = {"type": "ValueError", "text": "bad\nshape", "line_number": 3, "line": "x = f(y)"}
    assert describe(error) == "ValueError: bad shape (your line 3: `x = f(y)`)"
    assert describe({"type": "KeyError"}) == "KeyError"


# -- debugging a check with plain pytest ------------------------------------------------------------------------------


def pytest_on(submission: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "autograder/graders", "--submission", str(submission), *options]
    return subprocess.run(
        [*command, "-p", "no:cacheprovider"], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


def test_plain_pytest_passes_on_a_solution_and_selects_checks_of_that_assignment_only() -> None:
    done = pytest_on(ROOT / "solutions/ex2-causal-masking/ex2-causal-masking.ipynb", "-k", "leak", "-v")
    assert done.returncode == 0, done.stdout
    lines = [line for line in done.stdout.splitlines() if "PASSED" in line]
    assert lines and all("ex2_causal_masking" in line and "leak" in line for line in lines)
    assert "ex1_scaled" not in done.stdout


def test_plain_pytest_fails_on_the_release_with_the_message_for_the_student() -> None:
    done = pytest_on(ROOT / "release/ex3-memory-cost/ex3-memory-cost.ipynb", "--tb=short")
    assert done.returncode == 1, done.stdout
    assert "NotImplementedError" in done.stdout and " error" not in done.stdout.splitlines()[-1]
    assert "ex3_memory_cost" in done.stdout and "ex2_causal" not in done.stdout


@pytest.mark.parametrize("content", [None, "", "{}"], ids=["missing", "empty", "no notebook"])
def test_plain_pytest_says_in_one_line_what_is_wrong_with_a_submission(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "x.ipynb"
    if content is not None:
        path.write_text(content)
    done = pytest_on(path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "Traceback" not in done.stderr and "x.ipynb" in done.stderr
