"""The workflows keep three things apart: students' code, hidden checks, and tokens."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import ROOT, notebook_path

HANDED_OUT = ROOT / "autograder" / "packaging" / "handout"
FILES = sorted(
    path
    for folder in (ROOT / ".github", HANDED_OUT / ".github")
    for path in (*folder.rglob("*.yml"), *folder.rglob("*.yaml"))
)
ACTION = ROOT / ".github" / "actions" / "grade" / "action.yml"
STUDENTS = HANDED_OUT / ".github" / "workflows" / "visible-checks.yml"
GRADING = ROOT / ".github" / "workflows" / "grade.yml"


def load(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text("utf-8"))


def triggers(workflow: dict[str, Any]) -> set[str]:
    on = workflow[True] if True in workflow else workflow["on"]  # in YAML 1.1, `on` is a truth value
    return {on} if isinstance(on, str) else set(on)


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    if "runs" in workflow:
        return workflow["runs"]["steps"]
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


WORKFLOWS = [path for path in FILES if path != ACTION]


def test_the_files_are_where_this_test_looks() -> None:
    assert {ACTION, STUDENTS, GRADING, ROOT / ".github" / "workflows" / "test.yml"} <= set(FILES)
    assert (ROOT / ".github" / "student" / "visible-checks.yml").resolve() == STUDENTS


@pytest.mark.parametrize("path", FILES, ids=named)
def test_code_of_a_pull_request_never_meets_a_token_of_this_repository(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "pull_request_target" not in text and "workflow_run" not in text and "issue_comment" not in text
    if path != ACTION and triggers(load(path)) & {"pull_request", "push"}:
        assert "secrets" not in re.sub(r"#.*", "", text)


@pytest.mark.parametrize("path", WORKFLOWS, ids=named)
def test_a_workflow_may_read_and_nothing_more(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert all("permissions" not in job and job["timeout-minutes"] for job in workflow["jobs"].values())


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_checkout_leaves_no_token_behind_and_nothing_is_pasted_into_a_script(path: Path) -> None:
    for step in steps(load(path)):
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False
        assert "${{" not in step.get("run", ""), "values go to a script by its environment"
        if "uses" in step:
            assert step["uses"].startswith(("actions/", "./")), "actions of others could change under us"


@pytest.mark.parametrize("path", FILES, ids=named)
def test_every_script_in_them_is_in_order(path: Path) -> None:
    for step in steps(load(path)):
        if "run" in step:
            done = subprocess.run(["bash", "-n"], input=step["run"], capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, "")


def test_the_job_that_runs_students_code_has_no_secret_and_those_that_have_one_run_none() -> None:
    jobs = load(GRADING)["jobs"]
    with_secret = {name for name, job in jobs.items() if "secrets." in str(job)}
    running = {name for name, job in jobs.items() if "actions/grade" in str(job)}
    assert (with_secret, running) == ({"pull", "post"}, {"grade"})
    for name in with_secret:
        holding = [step for step in jobs[name]["steps"] if "secrets." in str(step)]
        assert all(step["run"].startswith("python3 .github/scripts/students.py ") for step in holding)
    assert "secrets" not in ACTION.read_text("utf-8")


def test_the_actions_script_grades_and_what_needs_a_person_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "in" / "s01").mkdir(parents=True)
    (tmp_path / "in" / "s02").mkdir()
    shutil.copy(notebook_path(ROOT / "release", "ex3-memory-cost"), tmp_path / "in" / "s01")
    (tmp_path / "in" / "s02" / "ex3-memory-cost.ipynb").write_text("cut off")
    (script,) = [step["run"] for step in steps(load(ACTION)) if step.get("id") == "grade"]
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env={
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "KIT": str(ROOT),
            "NOTEBOOKS": "in",
            "RESULTS": "out",
            "JOBS": "1",
            "FAIL_UNDER": "",
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert [line.split(" ")[0] for line in done.stderr.splitlines()] == ["::error", "::warning"]
    assert (tmp_path / "output").read_text() == "status=3\n"
    assert "| s01 | ex3-memory-cost | 0 of 10 |" in (tmp_path / "summary").read_text()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["junit.xml", "reports.jsonl", "summary.md"]
    assert len((tmp_path / "out" / "reports.jsonl").read_text().splitlines()) == 2


def test_grading_starts_by_hand_or_by_the_clock_and_only_in_a_private_repository() -> None:
    workflow = load(GRADING)
    assert triggers(workflow) == {"workflow_dispatch", "schedule"}
    first = workflow["jobs"]["pull"]["steps"][0]
    assert ".private" in first["run"] and "exit 1" in first["run"] and "if" not in first
    assert workflow["jobs"]["grade"]["needs"] == "pull" and workflow["jobs"]["post"]["needs"] == "grade"


def test_the_students_side_knows_visible_checks_only() -> None:
    text = STUDENTS.read_text("utf-8")
    assert "secrets." not in text and "course grade" not in text and "actions/grade" not in text
    assert [step["run"] for step in steps(load(STUDENTS)) if "run" in step][-1] == "python check_notebooks.py"
    assert (HANDED_OUT / "check_notebooks.py").is_file()
