"""Whole batches: the model answer goes first, faults are nobody's zero, and one submission harms no other."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, copy_course, flags, notebook_path, read, write

EX3 = "ex3-memory-cost"
Command = Callable[..., "subprocess.CompletedProcess[str]"]


def reports(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    """The reports of a JSON output by student."""
    return {report["student"]: report for report in map(json.loads, done.stdout.splitlines())}


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    return {check["name"]: check["outcome"] for cell in report["cells"] for check in cell["checks"]}


def hand_in(folder: Path, student: str, **answers: str) -> Path:
    """Hand in the solution of ex3, with other code in the cells named (with _ for -). Each stands on its own."""
    answers = {
        "crossover_n": "def crossover_n(d_model, dtype_bytes=2, expansion=4):\n    return expansion * d_model"
    } | answers
    notebook = read(notebook_path(ROOT / "solutions", EX3))
    for cell in notebook["cells"]:
        name = flags(cell).get("grade_id", "").replace("-", "_")
        if name in answers:
            cell["source"] = answers[name]
    path = folder / student / f"{EX3}.ipynb"
    write(path, notebook)
    return path


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """A folder with a copy of the kit in it, whose hidden checks can be changed."""
    shutil.copytree(
        ROOT / "autograder", tmp_path / "kit" / "autograder", ignore=shutil.ignore_patterns("__pycache__", "sample")
    )
    return tmp_path / "kit"


def add_check(kit: Path, source: str) -> None:
    path = kit / "autograder" / "graders" / "ex3_memory_cost" / "test_added.py"
    path.write_text("from autograder.grading.checks import CheckFailed, cell\n" + source)


# -- faults -----------------------------------------------------------------------------------------------------------


def test_a_check_that_stops_leaves_its_cell_to_a_person_and_the_others_scored(
    course: Command, kit: Path, tmp_path: Path
) -> None:
    add_check(
        kit,
        "@cell('crossover-check')\ndef test_added(student):\n    '''Added'''\n"
        "    if student.attention_memory_bytes(3) != 2 * 3 * 3:\n        raise KeyError('unexpected')",
    )
    hand_in(tmp_path / "class", "good")
    hand_in(
        tmp_path / "class", "odd", attention_memory_bytes="def attention_memory_bytes(n, dtype_bytes=2):\n    return 7"
    )
    found = reports(course("grade", tmp_path / "class", "--format", "json", kit=kit, status=3))
    assert tuple(found["good"][key] for key in ("status", "score", "message")) == ("graded", 10.0, None)
    odd = found["odd"]
    assert odd["status"] == "needs-review" and "KeyError" in odd["message"]
    assert outcomes(odd)["test_added"] == "error"
    scores = {cell["grade_id"]: cell["score"] for cell in odd["cells"]}
    assert scores["crossover-check"] is None and scores["ffn-memory-check"] == 3.0


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def broken(:", "SyntaxError"),
        ("import no_such_module", "no_such_module"),
        ("def test_without_a_cell(student):\n    pass", "test_without_a_cell does not say with @cell"),
        (
            "import pytest\n@pytest.mark.parametrize('n', [1, 2])\n@cell('crossover-check')\n"
            "def test_of_many(student, n):\n    assert n == 2",
            "two checks named test_of_many",
        ),
    ],
    ids=["syntax", "import", "no cell", "parametrized"],
)
def test_checks_that_cannot_be_run_or_would_hide_each_other_grade_nobody(
    course: Command, kit: Path, tmp_path: Path, source: str, reason: str
) -> None:
    add_check(kit, source)
    hand_in(tmp_path / "class", "good")
    report = reports(course("grade", tmp_path / "class", "--format", "json", kit=kit, status=3))["good"]
    assert report["status"] == "needs-review" and reason in report["message"]
    assert {None} == {cell["score"] for cell in report["cells"]}


def test_a_check_of_the_same_name_as_another_grades_nobody(course: Command, kit: Path, tmp_path: Path) -> None:
    folder = kit / "autograder" / "graders" / "ex3_memory_cost"
    name = re.findall(r"def (test_\w+)", (folder / "test_ffn_memory.py").read_text())[0]
    add_check(kit, f"@cell('crossover-check')\ndef {name}(student):\n    pass")
    hand_in(tmp_path / "class", "good")
    report = reports(course("grade", tmp_path / "class", "--format", "json", kit=kit, status=3))["good"]
    assert f"two checks named {name}" in report["message"]


def test_a_model_answer_that_is_not_right_grades_nobody_and_gives_no_zero(course: Command, tmp_path: Path) -> None:
    root = copy_course(tmp_path / "course")
    source = read(notebook_path(root / "source", EX3))
    for cell in source["cells"]:
        if flags(cell).get("grade_id") == "ffn-memory-bytes":
            cell["source"] = "def ffn_memory_bytes(n, d_model, dtype_bytes=2, expansion=4):\n    return -1"
    write(notebook_path(root / "source", EX3), source)
    hand_in(tmp_path / "class", "good")
    hand_in(tmp_path / "class", "blank", attention_memory_bytes="", ffn_memory_bytes="", crossover_n="")
    (tmp_path / "class" / "empty").mkdir()
    (tmp_path / "class" / "empty" / f"{EX3}.ipynb").touch()
    done = course("grade", tmp_path / "class", "--format", "json", "--course", root, status=3)
    for student in ("good", "blank"):
        report = reports(done)[student]
        assert report["status"] == "needs-review"
        assert "model answer does not pass" in report["message"]
        assert {None} == {cell["score"] for cell in report["cells"]}
        assert {"error"} == set(outcomes(report).values())
    assert reports(done)["empty"]["status"] == "ungradable"


def test_a_model_answer_that_is_not_written_grades_nobody(course: Command, tmp_path: Path) -> None:
    root = copy_course(tmp_path / "course")
    write(notebook_path(root / "source", EX3), read(notebook_path(ROOT / "release", EX3)))
    hand_in(tmp_path / "class", "good")
    done = course("grade", tmp_path / "class", "--format", "json", "--course", root, status=3)
    assert "model answer does not pass" in reports(done)["good"]["message"]


@pytest.mark.parametrize("limits", ["{'call_seconds': 1e-5}", "{'cell_seconds': 1e-6}"])
def test_a_machine_on_which_the_model_answer_cannot_work_grades_nobody(
    course: Command, tmp_path: Path, limits: str
) -> None:
    root = copy_course(tmp_path / "course", {"c.Course.limits = {}": f"c.Course.limits = {limits}"})
    hand_in(tmp_path / "class", "good")
    report = reports(course("grade", tmp_path / "class", "--format", "json", "--course", root, status=3))["good"]
    assert report["status"] == "needs-review" and "model answer" in report["message"]
    assert {None} == {cell["score"] for cell in report["cells"]}


# -- students ---------------------------------------------------------------------------------------------------------


def test_one_submission_harms_no_other_and_every_lost_point_has_a_sentence(course: Command, tmp_path: Path) -> None:
    folder = tmp_path / "class"
    bad = {
        "deadly": "import os\nos._exit(0)",
        "forging": "import os\nfor n in range(3, 99):\n    try: os.write(n, b'\\xff' * 99)\n    except OSError: pass",
        "killing": "import os, signal\nfor pid in range(2, 40):\n    try: os.kill(pid, 9)\n    except OSError: pass\n"
        "try: os.kill(os.getppid(), 9)\nexcept OSError: pass",
        "syntax": "def attention_memory_bytes(n)\n    return 1",
        "lying": "class One(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\n"
        "def attention_memory_bytes(n, dtype_bytes=2): return One(1)",
        "strange": "def attention_memory_bytes(n, dtype_bytes=2): return {(1, 2): [object()]}",
        "chatty": "import sys\ndef attention_memory_bytes(n, dtype_bytes=2):\n    print('x' * 10**6, file=sys.stderr)\n"
        "    return dtype_bytes * n * n",
    }
    for student, code in bad.items():
        hand_in(folder, student, attention_memory_bytes=code)
    hand_in(folder, "a-good")
    hand_in(folder, "z-good")
    found = reports(course("grade", folder, "--format", "json"))
    assert {"graded"} == {report["status"] for report in found.values()}
    scores = {student: report["score"] for student, report in found.items()}
    assert [scores[student] for student in ("a-good", "chatty", "z-good")] == [10.0] * 3
    assert {student: 7.0 for student in bad if student != "chatty"} == {
        student: score for student, score in scores.items() if student in bad and student != "chatty"
    }
    for report in found.values():
        for cell in report["cells"]:
            for check in cell["checks"]:
                assert check["outcome"] in ("passed", "failed")
                assert bool(check["message"]) == (check["outcome"] == "failed")


def test_options_meant_for_another_pytest_touch_no_score(course: Command, tmp_path: Path) -> None:
    hand_in(tmp_path, "good")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")
    (tmp_path / "conftest.py").write_text("raise RuntimeError\n")
    done = course(
        *("grade", tmp_path, "--format", "json", "--course", ROOT),
        cwd=tmp_path,
        PYTEST_ADDOPTS="-x -k nothing",
        PYTEST_PLUGINS="no_such_plugin",
    )
    report = reports(done)["good"]
    assert (report["status"], report["score"]) == ("graded", 10.0)


def test_repairs_are_told_in_the_message_and_cost_nothing(course: Command, tmp_path: Path) -> None:
    solution = read(notebook_path(ROOT / "solutions", EX3))
    graded = [cell for cell in solution["cells"] if flags(cell).get("grade")]
    for student, change in {
        "deleted": lambda cells, cell: cells.remove(cell),
        "edited": lambda cells, cell: cell.update(source="pass"),
        "duplicated": lambda cells, cell: cells.append(copy.deepcopy(cell)),
        "moved": lambda cells, cell: cells.insert(0, cells.pop(cells.index(cell))),
        "unlocked": lambda cells, cell: flags(cell).update(locked=False, points=100),
        "emptied": lambda cells, cell: [each["metadata"].clear() for each in cells],
    }.items():
        notebook = copy.deepcopy(solution)
        change(notebook["cells"], notebook["cells"][solution["cells"].index(graded[0])])
        write(tmp_path / student / f"{EX3}.ipynb", notebook)
    found = reports(course("grade", tmp_path, "--format", "json"))
    assert {("graded", 10.0, 10.0)} == {(r["status"], r["score"], r["max_score"]) for r in found.values()}
    silent = {student for student, report in found.items() if report["message"] is None}
    assert silent == {"moved"}


def test_a_retired_check_is_not_run_and_everybody_gets_its_share(course: Command, kit: Path, tmp_path: Path) -> None:
    """It would fail everybody, and would stop at that; marked as retired it says why and takes nothing."""
    add_check(
        kit,
        "@cell('crossover-check', weight=5, retired='it asked for too much')\n"
        "def test_added(student):\n    '''Added'''\n    raise KeyError('never run')",
    )
    hand_in(tmp_path / "class", "good")
    (report,) = reports(course("grade", tmp_path / "class", "--format", "json", kit=kit)).values()
    assert report["score"] == 10.0 and report["status"] == "graded"
    (added,) = [check for cell in report["cells"] for check in cell["checks"] if check["name"] == "test_added"]
    assert added["outcome"] == "passed" and added["score"] == added["max_score"] > 0
    assert added["message"] == "This check was withdrawn: it asked for too much."
