"""Nothing is run twice, a regrade says what it changes and why, and what a person gave stays."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from recording.classes import ASSIGNMENT, GRADES, Class
from support import ROOT, notebook_path, read, write

from autograder.gradebook import record
from autograder.grading.digests import digests_of_checks
from autograder.grading.ran import Ran

WORSE = "def causal_mask(n):\n    return np.zeros((n, n))"


def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], list[frozenset[str] | None]]]:
    """Return a list that grows by (students, checks wanted) with each part that is run."""
    seen: list[tuple[list[str], list[frozenset[str] | None]]] = []
    real = record.pool.run

    def spy(engine, course, assignment, parts, pages):  # type: ignore[no-untyped-def]
        for part, results in real(engine, course, assignment, parts, pages):
            if part.submissions:
                seen.append(([submission.student for submission in part.submissions], list(part.wanted)))
            yield part, results

    monkeypatch.setattr(record.pool, "run", spy)
    return seen


def test_an_unchanged_class_is_not_run_again(
    graded: Class, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run starts no process, writes nothing, and says that all are unchanged."""
    seen, before = ran(monkeypatch), (graded.root / "gradebook.db").read_bytes()
    assert graded.autograde() == 0
    assert seen == [] and (graded.root / "gradebook.db").read_bytes() == before
    assert "0 graded and recorded; 3 unchanged" in capsys.readouterr().err


def test_only_what_changed_is_run(graded: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """A student hands in again: that one is run; touched files are looked up, since their bytes are the same."""
    seen = ran(monkeypatch)
    graded.answer("s0", WORSE)
    graded.notebook("s1").touch()
    assert graded.autograde() == 0
    assert [students for students, _ in seen] == [["s0"]]


def test_force_runs_everything(graded: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, before = ran(monkeypatch), graded.tables()
    assert graded.autograde(force=True) == 0
    assert [students for students, _ in seen] == [["s0", "s1", "s4"]] and graded.tables() == before


def test_a_changed_check_is_asked_again_and_no_other(graded: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest of one check differs: each submission is asked that check alone, and the scores are as before."""
    changed, before = "test_the_future_cannot_change_the_past", graded.tables()
    digests = digests_of_checks(ASSIGNMENT) | {changed: "another"}
    monkeypatch.setattr(record, "checks_of", lambda assignment: digests)
    monkeypatch.setattr("autograder.commands.autograde.checks_of", lambda assignment: digests)
    seen = ran(monkeypatch)
    assert graded.autograde() == 0
    assert seen == [(["s0", "s1", "s4"], [frozenset({changed})] * 3)]
    assert graded.tables() == before


def test_a_gradebook_that_was_made_anew_is_filled_again(graded: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded is gone with the file: the results are looked up and recorded, and nothing is run."""
    seen, before = ran(monkeypatch), graded.tables()
    with sqlite3.connect(graded.root / "gradebook.db") as db:
        for table in ("grade", "comment", "submitted_notebook", "submitted_assignment"):
            db.execute(f"DELETE FROM {table}")
    assert graded.autograde() == 0
    assert graded.tables() == before and seen == []


@pytest.mark.parametrize("damage", [b"", b"no database at all", b"SQLite format 3\0 and then nothing"])
def test_a_damaged_store_costs_a_rerun_and_no_grade(
    graded: Class, damage: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, before = ran(monkeypatch), graded.tables()
    (graded.root / ".course" / "results.sqlite").write_bytes(damage)
    assert graded.autograde() == 0
    assert graded.tables() == before and [students for students, _ in seen] == [["s0", "s1", "s4"]]


@pytest.mark.parametrize("column", ["ran", "checks", "sum"])
def test_a_damaged_entry_of_the_store_is_not_believed(
    graded: Class, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that were changed in the store do not agree with their sum: the submission is run."""
    seen, before = ran(monkeypatch), graded.tables()
    with sqlite3.connect(graded.root / ".course" / "results.sqlite") as db:
        db.execute(f"UPDATE results SET {column} = 'x' || substr({column}, 2)")
        db.execute("DELETE FROM recorded")
    assert graded.autograde() == 0
    assert graded.tables() == before and len(seen) == 1 and len(seen[0][0]) == 3


def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on nothing can be graded on this machine."""

    def run(engine, course, assignment, parts, pages):  # type: ignore[no-untyped-def]
        for part in parts:
            yield part, [Ran(fault="the machine was ill") for _ in part.submissions]

    monkeypatch.setattr(record.pool, "run", run)


def test_a_fault_leaves_what_was_recorded_and_is_tried_again(
    graded: Class, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A submission that was graded before keeps its grade while the machine is at fault, and nothing is lost by it."""
    graded.answer("s0", WORSE)
    before = graded.tables()
    with monkeypatch.context() as patch:
        faulty(patch)
        assert graded.autograde() == 3
    assert graded.tables() == before
    assert "s0: not recorded: what was recorded before stays" in capsys.readouterr().err
    assert graded.autograde() == 0
    assert graded.tables() != before


def test_a_fault_leaves_a_new_submission_to_a_person_until_the_next_run(
    make_class: Callable[..., Class], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_class("s0")
    with monkeypatch.context() as patch:
        faulty(patch)
        assert made.autograde() == 3
    assert {row[2] for row in made.tables()["grades"]} == {None}
    assert made.autograde() == 0
    assert None not in {row[2] for row in made.tables()["grades"]}


def test_a_gradebook_that_was_put_back_is_filled_again(graded: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody restores an older file, with the same submissions and other scores: what was recorded is recorded."""
    seen, before = ran(monkeypatch), graded.tables()
    with sqlite3.connect(graded.root / "gradebook.db") as db:
        db.execute("UPDATE grade SET auto_score = 0")
    assert graded.autograde() == 0
    assert graded.tables() == before and seen == []


def test_a_submission_that_can_no_longer_be_read_waits_for_a_person(
    graded: Class, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --never-lower it keeps its grade; without, its cells are open, and both are said."""
    graded.notebook("s0").write_text("{ no notebook")
    before = graded.tables()
    assert graded.autograde(never_lower=True) == 3
    assert graded.tables() == before and "stays (--never-lower)" in capsys.readouterr().err
    assert graded.autograde() == 3
    assert {row[2] for row in graded.tables()["grades"] if row[0] == "s0"} == {None}
    assert "s0: 10 -> 0 so far; the rest is for a person (it can no longer be judged)" in capsys.readouterr().err
    assert graded.autograde() == 3, "still for a person"
    assert "left to a person (s0)" in capsys.readouterr().err


def test_a_change_of_the_source_that_was_not_released_is_said(
    graded: Class, capsys: pytest.CaptureFixture[str]
) -> None:
    """The gradebook's text of a locked cell is another: nothing is recorded, and the message says what to run."""
    path = notebook_path(graded.root / "source", ASSIGNMENT)
    notebook, before = read(path), graded.tables()
    (cell,) = [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == "causal-leakage"]
    cell["source"] += "\n# one more line"
    write(path, notebook)
    assert graded.autograde() == 3
    assert graded.tables() == before
    assert f"nbgrader generate_assignment {ASSIGNMENT}" in capsys.readouterr().err


def test_a_check_that_is_retired_raises_and_lowers_nobody_else(graded: Class, tmp_path: Path) -> None:
    """In the files of a kit: the class is graded, a check is retired, and whoever failed it gets its share."""
    kit = tmp_path / "kit"
    shutil.copytree(ROOT / "autograder", kit / "autograder", ignore=shutil.ignore_patterns("__pycache__", "sample"))
    graded.answer("s0", WORSE)
    arguments = ("autograde", ASSIGNMENT, "--jobs", "1", "--course", graded.root)

    def autograde() -> str:
        command = [sys.executable, "-m", "autograder.cli", *map(str, arguments)]
        return subprocess.run(command, cwd=kit, capture_output=True, text=True, check=True).stderr

    autograde()
    before = graded.scores()
    path = kit / "autograder" / "graders" / "ex2_causal_masking" / "test_leakage.py"
    text = path.read_text("utf-8")
    head, mark, rest = text.partition('@cell("causal-leakage"')
    assert mark
    path.write_text(f"{head}{mark}, retired='it asked for too much'{rest}", "utf-8")
    said = autograde()
    after = graded.scores()
    assert after["s0"] > before["s0"] and all(after[name] >= before[name] for name in before)
    assert "passes, failed before" in said and "3 unchanged" in autograde()


def test_a_dry_run_says_what_would_change_and_changes_nothing(
    graded: Class, capsys: pytest.CaptureFixture[str]
) -> None:
    """From what to what and by which check; the gradebook and autograded/ stay as they are."""
    graded.answer("s0", WORSE)
    before, scores = (graded.root / "gradebook.db").read_bytes(), graded.scores()
    shown = {p: p.read_bytes() for p in (graded.root / "autograded").rglob("*.ipynb")}
    assert graded.autograde(dry=True) == 0
    said = capsys.readouterr().out
    assert said.startswith("s0: 10 -> ") and "failed, passed before" in said and said.count("\n") == 1
    assert (graded.root / "gradebook.db").read_bytes() == before and graded.scores() == scores
    assert {p: p.read_bytes() for p in (graded.root / "autograded").rglob("*.ipynb")} == shown
    assert graded.autograde() == 0
    now = capsys.readouterr()
    assert said.strip() in now.err and graded.scores()["s0"] < scores["s0"]


def test_what_a_person_gave_survives_a_regrade_and_is_listed(graded: Class, capsys: pytest.CaptureFixture[str]) -> None:
    """A manual score stays, is flagged to be looked at again, and hides the new one: each is said."""
    cell = next(name for student, name, *_ in graded.rows(GRADES) if student == "s0")
    graded.change_grade("s0", cell, "manual_score = 1.5, needs_manual_grade = 0")
    graded.answer("s0", WORSE)
    assert graded.autograde(dry=True) == 0
    listed = [line for line in capsys.readouterr().out.splitlines() if "given by a person" in line]
    assert len(listed) == 1 and f"s0: {cell}: 1.5 given by a person stays" in listed[0]
    assert [row[3] for row in graded.rows(GRADES) if row[:2] == ("s0", cell)] == [1.5]
    assert graded.autograde() == 0
    (row,) = [row for row in graded.rows(GRADES) if row[:2] == ("s0", cell)]
    assert row[3] == 1.5 and row[5] == 1
    assert "given by a person stays" in capsys.readouterr().err


def test_never_lower_applies_only_changes_upwards(graded: Class, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the checks give less than before, the cell keeps its score, in the gradebook and in the notebook."""
    before = graded.scores()
    graded.answer("s0", WORSE)
    lower = min(before, key=lambda student: before[student])
    graded.answer(lower, "pass")
    assert graded.autograde(never_lower=True) == 0
    assert graded.scores() == before
    text = str(graded.autograded("s0"))
    assert "the score before was kept" in text
    assert graded.autograde(force=True) == 0
    assert graded.scores()["s0"] < before["s0"]
