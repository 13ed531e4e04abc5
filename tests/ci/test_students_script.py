"""Notebooks come in and feedback goes out through `gh`; here a stand-in answers for GitHub."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reports import report as made_report
from support import ROOT

from autograder.grading.report import CellResult, CheckResult, Report
from autograder.outputs import json_lines

SCRIPT = ROOT / ".github" / "scripts" / "students.py"
EX3 = "ex3-memory-cost"
SHA = "a" * 40
GH = """#!{python}
import json, os, sys
from pathlib import Path
folder = Path({folder!r})
arguments = sys.argv[2:]
assert sys.argv[1] == "api" and os.environ["GH_TOKEN"] == "token"
where = next(a for a in arguments if a.startswith("repos/"))
if "POST" in arguments:
    fields = dict(a.split("=", 1) for a in arguments if "=" in a and not a.startswith("repos/"))
    if fields.get("body", "").startswith("@"):
        fields["body"] = Path(fields["body"][1:]).read_text()
    with (folder / "posted.jsonl").open("a") as file:
        file.write(json.dumps([where, fields]) + "\\n")
    sys.exit()
answers = json.loads((folder / "answers.json").read_text())
if where not in answers:
    sys.exit("gh: Not Found (HTTP 404)")
answer = answers[where]
sys.stdout.write(answer if isinstance(answer, str) else json.dumps(answer))
"""


@dataclasses.dataclass
class GitHub:
    """What the stand-in answers, and what was posted to it."""

    folder: Path

    def answers(self, **of: dict[str, Any]) -> None:
        """Give each student's repository, o/STUDENT: whether it is private, and its notebooks by path."""
        answers: dict[str, Any] = {}
        for student, about in of.items():
            where = f"repos/o/{student}"
            answers[where] = {"private": about.get("private", True), "default_branch": "main"}
            answers[f"{where}/commits/main"] = {"sha": SHA}
            answers[f"{where}/commits/{SHA}/statuses?per_page=100"] = about.get("statuses", [])
            for path, text in about.get("files", {}).items():
                answers[f"{where}/contents/{path}?ref={SHA}"] = text
        (self.folder / "answers.json").write_text(json.dumps(answers))

    @property
    def posted(self) -> list[tuple[str, dict[str, str]]]:
        path = self.folder / "posted.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def github(tmp_path: Path) -> GitHub:
    made = GitHub(tmp_path / "github")
    (made.folder / "bin").mkdir(parents=True)
    command = made.folder / "bin" / "gh"
    command.write_text(GH.format(python=sys.executable, folder=str(made.folder)))
    command.chmod(0o755)
    return made


@pytest.fixture
def script(github: GitHub, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def script(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(github.folder / "bin"), os.environ["PATH"]])
        done = subprocess.run(
            [sys.executable, SCRIPT, *arguments],
            cwd=tmp_path,
            env={"PATH": path, "GH_TOKEN": "token"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return script


def report(student: str, **changes: Any) -> Report:
    check = CheckResult("test_x", "A title", "failed", 0.0, 3.0, "Look at row 2.", None)
    cells = (CellResult("a-cell", 7.0, 10.0, (check,)),)
    own = {"notebook": f"{student}/{EX3}/{EX3}.ipynb", "checks_digest": "sha256:" + "1" * 64}
    return made_report(*cells, student=student, assignment=EX3, **{**own, **changes})


def test_a_report_comes_back_from_its_json_as_it_was() -> None:
    assert Report.from_dict(json.loads(json_lines.render([report("s01")]))) == report("s01")


def test_the_latest_commits_notebooks_are_pulled_and_one_students_trouble_is_no_others(
    github: GitHub, script: Callable[..., Any], tmp_path: Path
) -> None:
    notebook = f"{EX3}/{EX3}.ipynb"
    github.answers(
        s01={"files": {notebook: "{}", "README.md": "x"}}, s02={"files": {}}, s04={"files": {f"{EX3}.ipynb": ""}}
    )
    lines = ("student,repository", "s01,o/s01", "s02,o/s02", "s03,o/gone", "s04,o/s04")
    (tmp_path / "students.csv").write_text("\n".join(lines))
    done = script("pull", "students.csv", "pulled")
    pulled = tmp_path / "pulled"
    files = sorted(path.relative_to(pulled).as_posix() for path in pulled.rglob("*") if path.is_file())
    assert files == ["commits.json", f"submitted/s01/{notebook}", f"submitted/s04/{notebook}"]
    assert json.loads((pulled / "commits.json").read_text())["s01"] == {
        "repository": "o/s01",
        "sha": SHA,
        "private": True,
    }
    assert done.stderr == "s03: o/gone: gh: Not Found (HTTP 404)\n" and done.stdout == "2 notebooks of 3 students\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names nobody"),
        ("student,repository\n../x,o/r\n", "line 2: write a student's ID"),
        ("student,repository\ns01,https://github.com/o/r\n", "line 2"),
        ("student,repository\ns01,o/r\ns01,o/q\n", "line 3: s01 is there twice"),
        ("name,url\ns01,o/r\n", "line 2"),
        ("student,repository\ns01,o/none\n", "no notebook could be pulled"),
    ],
    ids=["empty", "path", "address", "twice", "columns", "unreachable"],
)
def test_a_roster_that_is_not_in_order_is_one_error(
    github: GitHub, script: Callable[..., Any], tmp_path: Path, text: str, said: str
) -> None:
    github.answers()
    (tmp_path / "students.csv").write_text(text)
    assert said in script("pull", "students.csv", "pulled", status=2).stderr.splitlines()[-1]
    assert not (tmp_path / "pulled").exists()


def test_scores_and_feedback_are_posted_once_and_never_to_a_public_repository(
    github: GitHub, script: Callable[..., Any], tmp_path: Path
) -> None:
    there = [{"context": f"grading/{EX3}", "description": "7 of 10 points (checks 11111111)"}]
    github.answers(s01={}, s02={"private": False}, s03={"statuses": there}, s04={}, s05={})
    commits = {f"s0{n}": {"repository": f"o/s0{n}", "sha": SHA, "private": n != 2} for n in range(1, 6)}
    (tmp_path / "commits.json").write_text(json.dumps(commits))
    reports = [report(f"s0{n}") for n in (1, 2, 3)]
    reports += [report("s04", status="ungradable", message="Not graded: cut off.", cells=())]
    reports += [report("s05", status="needs-review", message="A person has to look.")]
    (tmp_path / "reports.jsonl").write_text(json_lines.render(reports))
    script("feedback", "reports.jsonl", "feedback")
    done = script("post", "commits.json", "reports.jsonl", "feedback")
    posted = {(where.split("/")[2], where.split("/")[3]): fields for where, fields in github.posted}
    assert set(posted) == {(student, kind) for student in ("s01", "s04", "s05") for kind in ("commits", "statuses")}
    assert posted["s01", "statuses"] == {
        "state": "success",
        "context": f"grading/{EX3}",
        "description": "7 of 10 points (checks 11111111)",
    }
    assert "Look at row 2." in posted["s01", "commits"]["body"] and "s02" not in posted["s01", "commits"]["body"]
    assert [posted[s, "statuses"]["state"] for s in ("s04", "s05")] == ["failure", "pending"]
    assert "o/s02 is public: nothing was posted" in done.stderr


def test_comments_show_no_more_than_the_course_lets_students_see(tmp_path: Path) -> None:
    """The script's own course says "titles": the comment has the check's title, and not its message."""
    course = tmp_path / "course"
    shutil.copytree(ROOT / ".github" / "scripts", course / ".github" / "scripts")
    config = (ROOT / "course_config.py").read_text("utf-8")
    (course / "course_config.py").write_text(f"{config}\nc.Course.feedback = 'titles'\n", "utf-8")
    (tmp_path / "reports.jsonl").write_text(json_lines.render([report("s01")]))
    command = [sys.executable, course / ".github" / "scripts" / "students.py", "feedback", "reports.jsonl", "feedback"]
    subprocess.run(command, cwd=tmp_path, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    comment = (tmp_path / "feedback" / "s01" / f"{EX3}.md").read_text("utf-8")
    assert "A title" in comment and "Look at row 2." not in comment
