"""Nothing is run twice, a regrade says what it changes and why, and what a person gave stays."""

from __future__ import annotations

import sqlite3

import pytest
from recording.classes import ASSIGNMENT, GRADES, Class

from autograder.course import load_course
from autograder.gradebook import record
from autograder.grading.digests import digests_of_checks
from autograder.grading.store import Store

WORSE = "def causal_mask(n):\n    return np.zeros((n, n))"


def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], list[frozenset[str] | None]]]:
    """Return a list that grows by (students, checks wanted) with each part that is run."""
    seen: list[tuple[list[str], list[frozenset[str] | None]]] = []
    real = record.pool.run

    def spy(engine, course, assignment, parts):  # type: ignore[no-untyped-def]
        for part, results in real(engine, course, assignment, parts):
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


def test_nothing_uncertain_is_kept(graded: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result in which a check could not be run is not in the store: next time it is tried again."""
    monkeypatch.setattr("autograder.grading.ran.Ran.is_certain", property(lambda self: False))
    graded.answer("s0", WORSE)
    graded.autograde()
    monkeypatch.undo()
    with Store(load_course(graded.root)) as store:
        assert len(store._rows("SELECT key FROM results")) == 3
    seen = ran(monkeypatch)
    graded.notebook("s0").touch()
    graded.autograde()
    assert [students for students, _ in seen] == [["s0"]]


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
