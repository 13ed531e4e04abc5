"""The `course` command: its exit statuses, its outputs, and one line for whatever is wrong."""

from __future__ import annotations

import copy
import datetime
import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from support import ASSIGNMENTS, ROOT, WITH_TORCH, copy_course, flags, notebook_path, read, write

from autograder import __version__, cli
from autograder.commands.files import write_whole
from autograder.course import load_course
from autograder.outputs import FORMATS
from autograder.problems import CourseError

EX3 = "ex3-memory-cost"
SOLUTION = notebook_path(ROOT / "solutions", EX3)
Command = Callable[..., "subprocess.CompletedProcess[str]"]


def reports(text: str) -> list[dict[str, Any]]:
    assert text.endswith("\n")
    return [json.loads(line) for line in text[:-1].split("\n")]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs the command in this process, requires exit status 2 and one line on standard error, and returns it."""

    def refused(*arguments: str | Path) -> str:
        assert cli.main([*map(str, arguments)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("course: ") and err.endswith("\n") and err.count("\n") == 1
        return err

    return refused


@pytest.fixture
def small(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a course of one assignment whose course_config.py ends with the given lines."""

    def small(lines: str) -> Path:
        write(notebook_path(tmp_path / "source", EX3), read(notebook_path(ROOT / "source", EX3)))
        text = f"c = get_config()\nc.Course.assignments = {{{EX3!r}: {{}}}}\n{lines}\n"
        (tmp_path / "course_config.py").write_bytes(text.encode("utf-8", "surrogateescape"))
        return tmp_path

    return small


# -- what is right ----------------------------------------------------------------------------------------------------


def test_the_solutions_have_full_scores_in_reports_that_follow_the_contract(course: Command) -> None:
    done = course("grade", "solutions", "--format", "json")
    assert done.stderr == ""
    found = [report for report in reports(done.stdout) if report["max_score"]]
    assert [report["assignment"] for report in found] == load_course(ROOT).graded()
    if not WITH_TORCH:
        assert found.pop(3)["status"] == "needs-review"
    for report in found:
        assert {key: type(value) for key, value in report.items()} == {
            "schema": str,
            "assignment": str,
            "student": str,
            "notebook": str,
            "status": str,
            "message": type(None),
            "score": float,
            "max_score": float,
            "isolation": str,
            "seconds": float,
            "graded_at": str,
            "kit_version": str,
            "checks_digest": str,
            "submission_digest": str,
            "cells": list,
        }
        name = report["assignment"]
        assert report["schema"] == "attention-course/report/v1"
        assert report["notebook"] == f"{name}/{name}.ipynb" and report["student"] == "solutions"
        assert (report["status"], report["score"], report["max_score"]) == ("graded", 10.0, 10.0)
        assert report["isolation"] in ("full", "partial", "none") and report["kit_version"] == __version__
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", report["graded_at"])
        datetime.datetime.fromisoformat(report["graded_at"])
        for digest in (report["checks_digest"], report["submission_digest"]):
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", digest)
        for cell in report["cells"]:
            assert {key: type(value) for key, value in cell.items()} == {
                "grade_id": str,
                "score": float,
                "max_score": float,
                "checks": list,
            }
            assert cell["checks"], cell["grade_id"]
            assert sum(check["max_score"] for check in cell["checks"]) == pytest.approx(cell["max_score"])
            for check in cell["checks"]:
                assert list(check) == ["name", "title", "outcome", "score", "max_score", "message", "misconception"]
                assert check["name"].startswith("test_") and check["outcome"] == "passed"
                assert check["score"] == check["max_score"] > 0
                assert check["title"] and check["message"] == "" and check["misconception"] is None
    graded = {report["assignment"]: [cell["grade_id"] for cell in report["cells"]] for report in found}
    for name in ASSIGNMENTS:
        cells = read(notebook_path(ROOT / "source", name))["cells"]
        assert graded[name] == [flags(cell)["grade_id"] for cell in cells if flags(cell).get("grade")]


def test_the_release_scores_nothing_and_every_lost_point_has_a_sentence(course: Command) -> None:
    found = reports(course("grade", "release", "--format", "json").stdout)
    found = [report for report in found if report["max_score"]]
    found = [report for report in found if WITH_TORCH or report["assignment"] not in load_course(ROOT).requires]
    assert {(report["status"], report["score"], report["max_score"]) for report in found} == {("graded", 0.0, 10.0)}
    assert {report["assignment"] for report in found} >= set(ASSIGNMENTS)
    for report in found:
        for cell in report["cells"]:
            assert all(check["outcome"] == "failed" and check["message"] for check in cell["checks"])


def test_junit_holds_failures_and_points_and_is_written_as_a_whole(course: Command, tmp_path: Path) -> None:
    output = tmp_path / "out.xml"
    output.write_text("what stood there before")
    done = course("grade", notebook_path(ROOT / "release", EX3), "--format", "junit", "--output", output)
    assert done.stdout == "" and [path.name for path in tmp_path.iterdir()] == ["out.xml"]
    (suite,) = ET.parse(output).getroot()
    cases = suite.findall("testcase")
    assert len(cases) == int(suite.get("tests", "")) == int(suite.get("failures", "")) > 0
    assert suite.get("errors") == "0"
    assert all(case.find("failure") is not None for case in cases)
    properties = {p.get("name"): p.get("value") for p in suite.findall("properties/property")}
    assert (properties["score"], properties["max_score"]) == ("0.0", "10.0")
    assert all(case.find("properties/property[@name='max_score']") is not None for case in cases)


def test_several_processes_find_the_same_as_one_and_a_score_below_the_bar_gives_1(course: Command) -> None:
    arguments = ("grade", SOLUTION, notebook_path(ROOT / "release", EX3), "--format", "json")
    first = reports(course(*arguments, "--fail-under", "50", status=1).stdout)
    second = reports(course(*arguments, "--jobs", "2").stdout)
    for report in (*first, *second):
        del report["seconds"], report["graded_at"]
    assert first == second
    assert [report["score"] for report in first] == [10.0, 0.0]


def test_a_device_is_written_to_and_not_replaced_and_a_score_at_the_bar_gives_0(course: Command) -> None:
    course("grade", SOLUTION, "--fail-under", "100", "--output", "/dev/null")
    assert not Path("/dev/null").is_file()


def test_what_is_ungradable_gives_3_and_is_explained_beside_what_could_be_graded(
    course: Command, tmp_path: Path
) -> None:
    write(tmp_path / "good" / f"{EX3}.ipynb", read(SOLUTION))
    contents = {
        "cut": SOLUTION.read_bytes()[:1000],
        "empty": b"",
        "foreign": b'{"cells": [], "nbformat": 4}',
        "merge": b"{\n<<<<<<< HEAD\n",
        "list": b"[]",
        "deep": b'{"cells":[],"metadata":' + b"[" * 500 + b"]" * 500 + b"}",
    }
    for student, content in contents.items():
        (tmp_path / student).mkdir()
        (tmp_path / student / ("x.ipynb" if student == "foreign" else f"{EX3}.ipynb")).write_bytes(content)
    done = course("grade", tmp_path, "--format", "json", status=3)
    found = {report["student"]: report for report in reports(done.stdout)}
    assert found.pop("good")["score"] == 10.0
    assert set(found) == set(contents)
    for student, report in found.items():
        assert report["status"] == "ungradable" and report["message"].startswith("Not graded: "), student
        assert report["assignment"] == ("unknown" if student == "foreign" else EX3)
        assert report["score"] == 0.0 and report["max_score"] == (0.0 if student == "foreign" else 10.0)


def test_student_and_assignment_can_be_named(course: Command, tmp_path: Path) -> None:
    bare = read(SOLUTION)
    for cell in bare["cells"]:
        cell["metadata"] = {}
        cell["id"] = "same"
        cell["source"] = cell["source"] if "def " in cell["source"] else ""
    write(tmp_path / "x.ipynb", bare)
    arguments = ("grade", tmp_path / "x.ipynb", "--student", "kim", "--assignment", EX3, "--format", "json")
    (report,) = reports(course(*arguments).stdout)
    assert (report["student"], report["assignment"], report["score"]) == ("kim", EX3, 10.0)


def test_names_in_any_alphabet_and_encoding_can_be_graded(course: Command, tmp_path: Path) -> None:
    for name in ("Zoë [1] +x", "李", "-rf", os.fsdecode(b"J\xf6rg")):
        write(tmp_path / "submitted" / name / EX3 / f"{EX3}.ipynb", {"cells": [], "nbformat": 4})
    students = {report["student"] for report in reports(course("grade", tmp_path, "--format", "json").stdout)}
    assert students == {"Zoë [1] +x", "李", "-rf", "Jörg"}


# -- what is wrong ----------------------------------------------------------------------------------------------------


def test_wrong_use_ends_with_2_and_one_line_in_a_process_of_its_own(course: Command, tmp_path: Path) -> None:
    done = course("grade", tmp_path / "missing", status=2)
    assert done.stdout == "" and done.stderr.count("\n") == 1
    done = course("grade", SOLUTION, cwd=tmp_path, status=2)
    assert "there is no course_config.py" in done.stderr and done.stderr.count("\n") == 1


def test_paths_and_names_that_lead_nowhere_are_refused(refused: Callable[..., str], tmp_path: Path) -> None:
    at = ("--course", ROOT)
    assert "does not exist" in refused("grade", tmp_path / "missing.ipynb", *at)
    assert "there is no notebook in" in refused("grade", tmp_path, *at)
    (tmp_path / "answer.py").write_text("def f(): pass")
    assert "there is no notebook in" in refused("grade", tmp_path, *at)
    assert "did you mean ex3-memory-cost" in refused("grade", SOLUTION, "--assignment", "ex3-memory", *at)
    assert "choose from" in refused("grade", SOLUTION, "--assignment", "zzz", *at)
    assert "there is no course_config.py" in refused("grade", SOLUTION, "--course", tmp_path)
    assert "there is no course_config.py" in refused("grade", SOLUTION, "--course", tmp_path / "missing")


def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    for output in (tmp_path, tmp_path / "missing" / "out.json"):
        assert "cannot be written" in refused("grade", SOLUTION, "--output", output, "--course", ROOT)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_refuses_a_place_where_it_cannot_be_written_and_leaves_nothing(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    closed, good = tmp_path / "closed", tmp_path / "good"
    closed.mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != closed)  # root may write anywhere
    said = refused("grade", SOLUTION, "--format", name, "--output", closed / "out", "--course", ROOT)
    assert f"{closed / 'out'} cannot be written: name a file in a folder that you may write to" in said
    said = refused("grade", SOLUTION, "--output", good, "--also", f"{name}={closed / 'out'}", "--course", ROOT)
    assert "cannot be written" in said
    assert [path.name for path in tmp_path.rglob("*")] == ["closed"]


def test_a_disk_that_fills_up_leaves_what_stood_there_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    output = tmp_path / "out"
    output.write_text("what stood there before")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(CourseError, match="cannot be written .No space left"):
        write_whole(output, "a new text that is long")
    assert output.read_text() == "what stood there before"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_one_grading_is_written_in_several_formats(course: Command, tmp_path: Path) -> None:
    also = ("--also", f"junit={tmp_path / 'a.xml'}", "--also", f"gradescope={tmp_path / 'b.json'}")
    (report,) = reports(course("grade", SOLUTION, "--format", "json", *also).stdout)
    assert json.loads((tmp_path / "b.json").read_text())["score"] == report["score"] == 10.0
    assert ET.parse(tmp_path / "a.xml").getroot().tag == "testsuites"


def test_a_format_of_one_submission_refuses_several_before_any_is_graded(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.commands.grade.Grader", None)
    said = refused("grade", ROOT / "solutions", "--format", "classroom50", "--course", ROOT)
    assert "the format classroom50 holds one submission, and there are 7: name one notebook" in said


@pytest.mark.parametrize(
    "options",
    [
        ("--format", "pdf"),
        ("--also", "junit"),
        ("--also", "pdf=x"),
        ("--jobs", "0"),
        ("--jobs", "x"),
        ("--fail-under", "101"),
        ("--fail-under", "nan"),
        ("--fail-under", "x"),
        ("--unknown",),
    ],
    ids=" ".join,
)
def test_options_that_are_no_options_end_with_2(options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["grade", "x", *options])
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("def f(:", "line 3: SyntaxError"),
        ("\n1/0", "line 4: ZeroDivisionError"),
        ("raise ValueError('one\\ntwo\\r\\nthree')", "one two three"),
        ("import sys; sys.exit(0)", "SystemExit"),
        ("import no_such_module", "ModuleNotFoundError"),
        ("x = '\udcff'", "SyntaxError"),
        ("c.Course = 5", "'Course', 5"),
        ("c.Course.assignment = {}", "c.Course.assignment is not known"),
        ("c.Course.assignments = {}", "names no assignment"),
        ("c.Course.assignments = ['a']", "names no assignment"),
        ("c.Course.assignments = {'a': None}", "'a' is None"),
        ("c.Course.assignments = {'a': {'du': 1}}", "'du'"),
        ("c.Course.assignments = {1: {}}", "1 is no name"),
        ("c.Course.assignments = {'../x': {}}", "is no name"),
        ("c.Course.assignments = {'ex9': {}}", "source/ex9/ex9.ipynb is not there"),
        (f"c.Course.assignments = {{{EX3!r}: {{'due': 'tomorrow'}}}}", "'tomorrow'"),
        (f"c.Course.assignments = {{{EX3!r}: {{'due': '2027-02-30'}}}}", "2027-02-30"),
        (f"c.Course.assignments = {{{EX3!r}: {{'optional': 'no'}}}}", "'optional'"),
        ("c.Course.isolation = 'most'", "'most'"),
        ("c.Course.limits = 5", "c.Course.limits is 5"),
        ("c.Course.limits = {'cell_second': 5}", "no limit named 'cell_second'"),
        ("c.Course.limits = {'cell_seconds': 0}", "cell_seconds is 0"),
        ("c.Course.limits = {'cell_seconds': -1}", "cell_seconds is -1"),
        ("c.Course.limits = {'cell_seconds': '5'}", "cell_seconds is '5'"),
        ("c.Course.limits = {'cell_seconds': True}", "cell_seconds is True"),
        ("c.Course.limits = {'cell_seconds': float('nan')}", "cell_seconds is nan"),
        ("c.Course.limits = {'cell_seconds': 10**400}", "cell_seconds is 1000"),
        ("c.Course.limits = {'processes': 0.5}", "processes is 0.5"),
        ("c.Course.limits = {'submission_mb': 100}", "submission_mb is 100"),
        ("c.Course.limits = {'scratch_mb': 10}", "scratch_mb (10)"),
    ],
)
def test_a_course_config_that_is_not_in_order_is_explained_in_one_line(
    refused: Callable[..., str], small: Callable[[str], Path], lines: str, reason: str
) -> None:
    said = refused("grade", SOLUTION, "--course", small(lines))
    assert reason in said and len(said) < 1000
    assert "course_config.py" in said


def test_a_courses_notebook_that_is_not_in_order_is_explained_in_one_line(
    refused: Callable[..., str], small: Callable[[str], Path]
) -> None:
    root = small("")
    path = notebook_path(root / "source", EX3)
    good = read(path)
    bad: dict[str, Any] = {"is cut off": None, "two cells have the grade_id": None, "'many' points": None}
    broken = copy.deepcopy(good)
    broken["cells"].append(next(cell for cell in broken["cells"] if flags(cell).get("grade")))
    bad["two cells have the grade_id"] = broken
    broken = copy.deepcopy(good)
    flags(next(cell for cell in broken["cells"] if flags(cell).get("grade")))["points"] = "many"
    bad["'many' points"] = broken
    for reason, notebook in bad.items():
        if notebook is None:
            path.write_text(path.read_text("utf-8")[:500], "utf-8")
        else:
            write(path, notebook)
        said = refused("grade", SOLUTION, "--course", root)
        assert reason in said and f"source/{EX3}/{EX3}.ipynb" in said


def test_an_assignment_without_hidden_checks_is_refused(
    refused: Callable[..., str], small: Callable[[str], Path]
) -> None:
    root = small("c.Course.assignments = {'ex9-new': {}}")
    write(notebook_path(root / "source", "ex9-new"), read(notebook_path(ROOT / "source", EX3)))
    said = refused("grade", notebook_path(root / "source", "ex9-new"), "--course", root)
    assert "ex9-new has no hidden checks" in said


def test_a_course_that_is_in_order_is_graded_with_its_own_settings(course: Command, tmp_path: Path) -> None:
    root = copy_course(tmp_path / "course")
    (report,) = reports(course("grade", SOLUTION, "--format", "json", cwd=root / "source").stdout)
    assert report["score"] == 10.0


# -- interruptions ----------------------------------------------------------------------------------------------------


def test_an_interrupt_ends_the_command_with_one_line_and_leaves_nothing_running(tmp_path: Path) -> None:
    mark = f"0.{os.getpid()}{time.monotonic_ns()}"
    for student in ("s01", "s02"):
        sleep = {"cell_type": "code", "source": f"!sleep 60 {mark}", "metadata": {}}
        write(tmp_path / student / f"{EX3}.ipynb", {"cells": [sleep], "nbformat": 4})
    command = [sys.executable, "-m", "autograder.cli", "grade", str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background ignores it
    ) as process:
        assert is_soon(lambda: running(mark))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "course: interrupted\n")
    assert is_soon(lambda: not running(mark))


def test_a_reader_that_stops_reading_is_no_error() -> None:
    command = f"{sys.executable} -m autograder.cli grade solutions/{EX3} --format json | true; "
    done = subprocess.run(
        ["bash", "-c", command + "echo ${PIPESTATUS[0]}"], cwd=ROOT, capture_output=True, text=True, timeout=100
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


def running(mark: str) -> bool:
    """Whether a process of this machine has `mark` in its command line."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                return True
        except OSError:
            continue
    return False


def is_soon(condition: Callable[[], bool]) -> bool:
    for _ in range(1000):
        if condition():
            return True
        time.sleep(0.02)
    return False
