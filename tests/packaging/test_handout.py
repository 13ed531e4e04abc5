"""What runs on the students' side: visible checks only, in any copy of the package, and nothing hidden beside them."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support import ROOT, canaries, flags, graded_cells, hidden_lines, notebook_path, read, solution_lines, write

from autograder.course import load_course
from autograder.packaging import classroom50, student

EX3 = "ex3-memory-cost"
SCHEMA = json.loads((ROOT / "tests" / "schemas" / "classroom50-result.schema.json").read_text("utf-8"))
RUNNER = {
    "CLASSROOM": "attention-2027",
    "ASSIGNMENT": EX3,
    "USERNAME": "kim",
    "SUBMISSION_TAG": "submit/2027-01-01T00-00-00Z-abcdef0",
    "COMMIT_URL": "https://github.com/o/r/commit/abc",
    "RELEASE_URL": "https://github.com/o/r/releases/tag/x",
}


@pytest.fixture(scope="module")
def handed_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return student.build(load_course(ROOT), tmp_path_factory.mktemp("student"))[0]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return classroom50.build(load_course(ROOT), EX3, tmp_path_factory.mktemp("classroom50"))[0]


def python(*arguments: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR")}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=kept | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )


def code(source: str, check: str = "") -> dict[str, Any]:
    flags = {"nbgrader": {"grade": True, "locked": True, "grade_id": check, "points": 2}} if check else {}
    return {"cell_type": "code", "source": source, "metadata": flags, "outputs": [], "execution_count": None}


def test_nothing_hidden_is_in_what_students_can_reach(handed_out: Path, bundle: Path) -> None:
    for folder in (handed_out, bundle):
        text = "\n".join(path.read_text("utf-8") for path in folder.rglob("*") if path.is_file())
        assert [canary for canary in canaries().values() if canary in text] == []
        assert [line for line in hidden_lines() if line in text] == []
        assert [line for line in solution_lines(EX3) if line in text] == []
        assert "autograder.graders" not in text and "import autograder" not in text
    assert len(canaries()) > 10 and len(hidden_lines()) > 500


def test_each_visible_check_is_told_by_itself_and_students_words_are_no_commands(
    handed_out: Path, tmp_path: Path
) -> None:
    cells = [
        code("x = 1"),
        code("assert x == 1", "passes"),
        code("raise ValueError('\\n::error::hacked ##[error]x')", "stops"),
        code("import os; os._exit(1)"),
        code("assert x == 1", "after-the-end"),
    ]
    write(tmp_path / "a.ipynb", {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
    summary = tmp_path / "summary.md"
    done = python(handed_out / "check_notebooks.py", tmp_path, cwd=tmp_path, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "a.ipynb: 1 of 3 visible checks pass"
    assert lines[1].startswith("  stops stops: ValueError: ") and lines[2].startswith(
        "  after-the-end stops: Python ended"
    )
    assert "::" not in done.stdout and "##[" not in done.stdout
    assert "**a.ipynb**: 1 of 3" in summary.read_text("utf-8")


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Any]:
    """Loads a script of a package into this process, for what needs no kernel."""

    def load(path: Path) -> Any:
        monkeypatch.syspath_prepend(path.parent)
        for name in ("autograder_of_the_bundle", "check_notebooks"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        spec = importlib.util.spec_from_file_location("autograder_of_the_bundle", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "autograder_of_the_bundle", module)  # where dataclasses look
        spec.loader.exec_module(module)
        return module

    return load


def test_what_is_no_notebook_is_one_line(
    handed_out: Path, tmp_path: Path, load: Callable[[Path], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.ipynb").write_text("{")
    assert load(handed_out / "check_notebooks.py").main([str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "a.ipynb is no notebook that can be read" in err


def result(folder: Path) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads((folder / "result.json").read_text("utf-8"))
    jsonschema.validate(fields, SCHEMA)
    assert sorted(path.name for path in folder.glob("result*")) == ["result.json"]
    return fields


def test_the_bundle_runs_the_courses_checks_whatever_the_student_made_of_them(bundle: Path, tmp_path: Path) -> None:
    notebook = read(notebook_path(ROOT / "solutions", EX3))
    first, second, third = graded_cells(notebook).values()
    first["source"] = "pass"  # emptied
    notebook["cells"].remove(third)  # and removed, which must not earn its points unseen
    for cell in notebook["cells"]:
        if flags(cell).get("grade_id") == "attention-memory-bytes":
            cell["source"] = "def attention_memory_bytes(n, dtype_bytes=2):\n    return n * n * dtype_bytes + 1"
        if "plt." in cell["source"]:
            cell["source"] = ""
    write(notebook_path(tmp_path, EX3), notebook)
    done = python(bundle / "autograder.py", cwd=tmp_path, **RUNNER)
    assert done.returncode == 0, done.stderr
    fields = result(tmp_path)
    told = {test["test-name"]: (test["passed"], test["score"], test["max-score"]) for test in fields["tests"]}
    assert told["visible check: attention-memory-check"] == (False, 0, 300)
    assert told["visible check: ffn-memory-check"] == (True, 300, 300)
    assert told["visible check: crossover-check"][2] == 400
    assert fields["max-score"] == 1000 and fields["owner"] == "kim"


@pytest.mark.parametrize(
    ("places", "said"),
    [((), "There is no ex3-memory-cost.ipynb"), (("a", "b"), "several notebooks"), (("",), "cannot be read")],
    ids=["none", "two", "broken"],
)
def test_a_checkout_without_one_readable_notebook_scores_nothing_and_says_why(
    bundle: Path,
    tmp_path: Path,
    places: tuple[str, ...],
    said: str,
    load: Callable[[Path], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for place in places:
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / f"{EX3}.ipynb").write_text("{")
    for name, value in RUNNER.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    assert load(bundle / "autograder.py").main() == 0
    fields = result(tmp_path)
    assert (fields["score"], fields["max-score"], len(fields["tests"])) == (0, 1000, 3)
    assert all(said in test["message"] for test in fields["tests"])


def test_zero_install_asks_for_what_the_notebooks_need(handed_out: Path) -> None:
    container = json.loads((handed_out / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    assert container["postCreateCommand"].endswith("-r requirements.txt")
    binder = handed_out / ".binder"
    assert (binder / "requirements.txt").read_text("utf-8") == (handed_out / "requirements.txt").read_text("utf-8")
    assert (binder / "runtime.txt").read_text("utf-8") == "python-3.12\n"
