"""Between the instructor's repository and the students': pull their notebooks, write feedback, post it back.

    students.py pull ROSTER FOLDER [--assignment NAME]     ROSTER is a CSV file with the columns student,repository
    students.py feedback REPORTS FOLDER                    needs the kit, and neither a token nor the network
    students.py post COMMITS REPORTS FEEDBACK

GitHub is reached by its command `gh`, which reads GH_TOKEN. Only notebooks are pulled, one file at a time: no git
hooks, links or archives of a student's are ever opened here.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NAME = re.compile(r"[\w][\w.-]*")
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
CONTEXT = "grading"
MAX_COMMENT = 60_000  # GitHub takes 65,536 characters
RELEASE = Path(__file__).resolve().parent.parent.parent / "release"


class Problem(Exception):
    """What is wrong and what to do next, in one line."""


class NotFound(Problem):
    """There is no such thing on GitHub, or the token may not see it."""


def gh(*arguments: str) -> bytes:
    """Return what `gh api` says. Raises NotFound or Problem."""
    done = subprocess.run(["gh", "api", *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:200] or f"gh ended with {done.returncode}"
        raise (NotFound if "HTTP 404" in said else Problem)(said)
    return done.stdout


def roster(path: Path) -> dict[str, str]:
    """Return each student's repository. Raises Problem where the file is not in order."""
    try:
        lines = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path} cannot be read: write a CSV file with the columns student,repository") from error
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=2):
        student, repository = (line.get("student") or "").strip(), (line.get("repository") or "").strip()
        if not NAME.fullmatch(student) or not REPOSITORY.fullmatch(repository):
            raise Problem(f"{path}, line {number}: write a student's ID (letters, digits, . _ -) and owner/repository")
        if student in found:
            raise Problem(f"{path}, line {number}: {student} is there twice: keep one line")
        found[student] = repository
    if not found:
        raise Problem(f"{path} names nobody: write the columns student,repository and a line for each student")
    return found


def pull(path: Path, folder: Path, assignment: str = "") -> int:
    """Fetch the notebooks of each student's latest commit. One student's trouble is said, and the others go on."""
    known = sorted(place.name for place in RELEASE.iterdir() if place.is_dir())
    if assignment and assignment not in known:
        raise Problem(f"there is no assignment named {assignment!r}: choose from {', '.join(known)}")
    commits: dict[str, dict[str, Any]] = {}
    count = 0
    for student, repository in roster(path).items():
        try:
            about = json.loads(gh(f"repos/{repository}"))
            sha = json.loads(gh(f"repos/{repository}/commits/{about['default_branch']}"))["sha"]
            if not re.fullmatch(r"[0-9a-f]{40,64}", sha):
                raise Problem("its latest commit has no proper name")
            commits[student] = {"repository": repository, "sha": sha, "private": bool(about["private"])}
            for name in [assignment] if assignment else known:
                count += _fetch(repository, sha, name, folder / "submitted" / student / name)
        except Problem as problem:
            print(f"{student}: {repository}: {problem}", file=sys.stderr)
    if not count:
        raise Problem("no notebook could be pulled: see whether STUDENTS_TOKEN may read the repositories")
    (folder / "commits.json").write_text(json.dumps(commits, indent=1) + "\n", encoding="utf-8")
    print(f"{count} notebooks of {len(commits)} students")
    return 0


def _fetch(repository: str, sha: str, name: str, folder: Path) -> int:
    """Write one notebook, from its folder or from the top. Returns 1, or 0 where the student has none."""
    for path in (f"{name}/{name}.ipynb", f"{name}.ipynb"):
        try:
            data = gh("-H", "Accept: application/vnd.github.raw", f"repos/{repository}/contents/{path}?ref={sha}")
        except NotFound:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.ipynb").write_bytes(data)
        return 1
    return 0


def feedback(reports: Path, folder: Path) -> int:
    """Write FOLDER/STUDENT/ASSIGNMENT.md for each report."""
    from autograder.course import load_course
    from autograder.grading.report import Report
    from autograder.grading.showing import for_student
    from autograder.outputs import github

    course = load_course(RELEASE.parent)
    for fields in _reports(reports):
        place = folder / _safe(fields["student"])
        place.mkdir(parents=True, exist_ok=True)
        text = github.render([for_student(course, Report.from_dict(fields))], MAX_COMMENT)
        (place / f"{_safe(fields['assignment'])}.md").write_text(text, encoding="utf-8")
    return 0


def post(commits: Path, reports: Path, folder: Path) -> int:
    """Give each graded commit a status with the score and a comment with the feedback, once for each result."""
    known = json.loads(commits.read_text("utf-8"))
    failed = 0
    for fields in _reports(reports):
        student, assignment = _safe(fields["student"]), _safe(fields["assignment"])
        commit = known.get(student)
        if commit is None:
            continue
        if not commit["private"]:
            print(f"{student}: {commit['repository']} is public: nothing was posted", file=sys.stderr)
            continue
        try:
            _post(commit, f"{CONTEXT}/{assignment}", fields, folder / student / f"{assignment}.md")
        except Problem as problem:
            failed += 1
            print(f"{student}: {commit['repository']}: {problem}", file=sys.stderr)
    return 1 if failed else 0


def _post(commit: dict[str, Any], context: str, fields: dict[str, Any], text: Path) -> None:
    repository, sha = commit["repository"], commit["sha"]
    said = f"{fields['score']:g} of {fields['max_score']:g} points"
    state = "success"
    if fields["status"] != "graded":
        said = "not graded: see the comment" if fields["status"] == "ungradable" else "a person looks at this"
        state = "failure" if fields["status"] == "ungradable" else "pending"
    said = f"{said} (checks {fields['checks_digest'].removeprefix('sha256:')[:8] or 'none'})"
    before = json.loads(gh(f"repos/{repository}/commits/{sha}/statuses?per_page=100"))
    if any(status["context"] == context and status["description"] == said for status in before):
        return  # the same result is there already
    gh(f"repos/{repository}/commits/{sha}/comments", "-X", "POST", "-F", f"body=@{text}")
    gh(f"repos/{repository}/statuses/{sha}", "-X", "POST", "-f", f"state={state}", "-f", f"context={context}",
       "-f", f"description={said}")  # fmt: skip


def _reports(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _safe(name: str) -> str:
    """Return a name as it is where it can be a file's; what could lead elsewhere is refused."""
    if not NAME.fullmatch(name):
        raise Problem(f"{name!r} is no name of a student or an assignment")
    return name


def main(arguments: Sequence[str]) -> int:
    """Do what is asked. Returns 0, or 2 with one line where it cannot be done."""
    parser = argparse.ArgumentParser(prog="students.py")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("pull")
    one.add_argument("roster", type=Path)
    one.add_argument("folder", type=Path)
    one.add_argument("--assignment", default="")
    one = commands.add_parser("feedback")
    one.add_argument("reports", type=Path)
    one.add_argument("folder", type=Path)
    one = commands.add_parser("post")
    one.add_argument("commits", type=Path)
    one.add_argument("reports", type=Path)
    one.add_argument("folder", type=Path)
    given = parser.parse_args(arguments)
    try:
        if given.command == "pull":
            return pull(given.roster, given.folder, given.assignment)
        if given.command == "feedback":
            return feedback(given.reports, given.folder)
        return post(given.commits, given.reports, given.folder)
    except Problem as problem:
        print(f"students.py: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
