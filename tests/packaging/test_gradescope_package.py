"""The zip for Gradescope grades there with an empty environment, and has a sentence for whatever is handed in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support import ROOT, canaries, notebook_path

from autograder.commands import gradescope as runner
from autograder.course import load_course
from autograder.grading.grader import Grader
from autograder.packaging import gradescope
from autograder.problems import CourseError, MachineFault

EX3, EX2 = "ex3-memory-cost", "ex2-causal-masking"
SCHEMA = json.loads((ROOT / "tests" / "schemas" / "gradescope-results.schema.json").read_text("utf-8"))
SOLUTION = notebook_path(ROOT / "solutions", EX3)


@dataclass
class Machine:
    """A folder laid out as Gradescope's /autograder, with the package unpacked and set up."""

    root: Path

    @property
    def source(self) -> Path:
        return self.root / "source"

    def hand_in(self, *files: tuple[Path, str]) -> Path:
        submission = self.root / "submission"
        shutil.rmtree(submission, ignore_errors=True)
        submission.mkdir()
        for path, name in files:
            (submission / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, submission / name)
        return submission

    def results(self) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads((self.root / "results" / "results.json").read_text("utf-8"))
        jsonschema.validate(fields, SCHEMA)
        return fields


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gradescope.build(load_course(ROOT), EX3, tmp_path_factory.mktemp("gradescope"))[1]


@pytest.fixture
def machine(built: Path, tmp_path: Path) -> Machine:
    made = Machine(tmp_path / "autograder")
    (made.root / "results").mkdir(parents=True)
    with zipfile.ZipFile(built) as archive:
        archive.extractall(made.source)
        for entry in archive.infolist():
            (made.source / entry.filename).chmod(entry.external_attr >> 16)
    shutil.copy(made.source / "run_autograder", made.root)
    (made.root / "venv").symlink_to(sys.prefix)  # what setup.sh makes of the registry's packages
    return made


def judged(machine: Machine, submission: Path) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(runner.results(machine.source, submission))
    jsonschema.validate(fields, SCHEMA)
    return fields


def test_it_grades_where_gradescope_unpacks_it_with_an_empty_environment(machine: Machine) -> None:
    kit = machine.source / "autograder" / "__init__.py"
    kit.write_text(kit.read_text("utf-8").replace("__version__ = ", '__version__ = "unpacked " + '), "utf-8")
    machine.hand_in((SOLUTION, f"{EX3}.ipynb"))
    done = subprocess.run(
        [machine.root / "run_autograder"], cwd=machine.root, env={}, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    fields = machine.results()
    assert fields["score"] == 10.0 and len(fields["tests"]) > 10
    assert all(test["status"] == "passed" for test in fields["tests"])
    assert fields["extra_data"]["kit_version"].startswith("unpacked "), "it is the kit of the zip that graded"
    assert [path.name for path in (machine.root / "results").iterdir()] == ["results.json"]


def test_it_holds_one_assignments_checks_and_nothing_that_grading_does_without(built: Path) -> None:
    with zipfile.ZipFile(built) as archive:
        names = archive.namelist()
        text = {name: archive.read(name).decode() for name in names}
    assert {"setup.sh", "run_autograder"} <= set(names)
    kept = [name for name, canary in canaries().items() if any(canary in content for content in text.values())]
    folders = {name.split("/")[0] for name in kept if name.startswith("ex") and "/" in name}
    assert folders == {"ex3_memory_cost"}
    assert not [
        name for name in names if "BEGIN SOLUTION" in text[name] and name.endswith(".ipynb") and EX3 not in name
    ]
    for part in ("sample", "gradebook", "packaging", "tests", "docs", "pycache"):
        assert not [name for name in names if f"/{part}" in f"/{name}"], part
    assert "nbgrader" not in text["requirements.txt"] and "numpy" in text["requirements.txt"]


def test_its_scripts_are_programs_and_are_in_order(machine: Machine) -> None:
    for name in ("setup.sh", "run_autograder"):
        assert (machine.source / name).stat().st_mode & 0o111
        subprocess.run(["bash", "-n", machine.source / name], check=True)


def test_its_course_is_the_courses_own_in_what_concerns_grading(machine: Machine) -> None:
    here, there = load_course(ROOT), load_course(machine.source)
    assert (there.names, there.limits, there.isolation, there.due) == (
        here.names,
        here.limits,
        here.isolation,
        here.due,
    )


def test_it_shows_no_more_than_the_course_lets_students_see(machine: Machine) -> None:
    """With c.Course.feedback = "titles" the same checks fail, and none says why."""
    submission = machine.hand_in((notebook_path(ROOT / "release", EX3), f"{EX3}.ipynb"))
    full = judged(machine, submission)
    config = machine.source / "course_config.py"
    config.write_text(config.read_text("utf-8") + "\nc.Course.feedback = 'titles'\n", "utf-8")
    titles = judged(machine, submission)
    assert "not written yet" in json.dumps(full) and "not written yet" not in json.dumps(titles)
    assert [(t["name"], t["status"]) for t in titles["tests"]] == [(t["name"], t["status"]) for t in full["tests"]]


def test_a_folder_without_a_notebook_is_told_so(machine: Machine) -> None:
    fields = judged(machine, machine.hand_in((ROOT / "LICENSE", "answer.txt")))
    assert "no notebook was handed in (found: answer.txt)" in fields["output"]
    assert (fields["score"], fields["tests"], fields["extra_data"]["status"]) == (0, [], "ungradable")


def test_of_two_notebooks_without_the_right_name_none_is_guessed(machine: Machine) -> None:
    released = notebook_path(ROOT / "release", EX3)
    again = machine.root / "again.ipynb"
    again.write_text(released.read_text("utf-8") + "\n", "utf-8")
    fields = judged(machine, machine.hand_in((released, "a.ipynb"), (again, "b.ipynb")))
    assert "several notebooks (a.ipynb, b.ipynb)" in fields["output"] and f"{EX3}.ipynb" in fields["output"]


def test_a_notebook_of_another_assignment_is_named(machine: Machine) -> None:
    fields = judged(machine, machine.hand_in((notebook_path(ROOT / "solutions", EX2), f"{EX3}.ipynb")))
    assert f"it is the notebook of {EX2}; ask for that of {EX3}" in fields["output"]
    assert fields["score"] == 0 and fields["tests"] == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [(MachineFault("no sandbox"), "no sandbox"), (RuntimeError("the 42 of a hidden check"), "RuntimeError")],
    ids=["machine", "kit"],
)
def test_whatever_breaks_there_are_results_that_blame_nobody(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, fault: Exception, said: str
) -> None:
    def broken(*_: object) -> None:
        raise fault

    machine.hand_in((SOLUTION, f"{EX3}.ipynb"))
    monkeypatch.chdir(machine.source)
    monkeypatch.setattr(Grader, "grade", broken)
    assert runner.main([str(machine.root)]) == 0
    fields = machine.results()
    assert "through no fault of yours" in fields["output"] and said in fields["output"]
    assert "hidden check" not in json.dumps(fields)


def test_results_that_cannot_be_written_are_one_error(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.hand_in()
    shutil.rmtree(machine.root / "results")
    monkeypatch.chdir(machine.source)
    assert runner.main([str(machine.root)]) == 2
    assert "results.json cannot be written" in capsys.readouterr().err


def test_it_is_built_where_the_model_answers_are(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "release", tmp_path / "release")
    shutil.copy(ROOT / "course_config.py", tmp_path)
    with pytest.raises(CourseError, match="needs the model answer"):
        gradescope.build(load_course(tmp_path), EX3, tmp_path / "out")


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    from autograder import cli

    def refused(*arguments: str) -> str:
        assert cli.main([*arguments, "--course", str(ROOT)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1
        return err

    return refused


def test_the_command_asks_for_an_assignment_where_it_needs_one(refused: Callable[..., str], tmp_path: Path) -> None:
    out = ("--output", str(tmp_path / "out"))
    assert "for one assignment: choose from ex" in refused("package", "gradescope", *out)
    assert "holds all assignments" in refused("package", "student", EX3, *out)
    assert "did you mean" in refused("package", "gradescope", "ex3-memory", *out)
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refused("package", "gradescope", EX3, "--output", str(tmp_path / "file" / "x"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]
