"""A gradebook, disk or folder that cannot be used: one clear error, nothing half-recorded, the next run goes on."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable

import pytest
import sqlalchemy
from recording.classes import ASSIGNMENT, Class
from support import ROOT

from autograder.gradebook import record
from autograder.problems import CourseError


def test_a_locked_gradebook_is_said_before_any_work(make_class: Callable[..., Class]) -> None:
    """Another program holds it: the error names it and what to do; afterwards the same command works."""
    made = make_class("s0")
    with sqlite3.connect(made.root / "gradebook.db", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(CourseError, match="locked.*close what holds it"):
            made.autograde()
        other.execute("ROLLBACK")
    assert made.autograde() == 0 and len(made.scores()) == 1


def test_a_gradebook_that_locks_in_the_middle_loses_no_result(
    make_class: Callable[..., Class], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit fails: nothing of that part is in the gradebook; the next run records it without running it again."""
    made = make_class("s0", "s4")

    def fail(self: object) -> None:
        raise sqlalchemy.exc.OperationalError("COMMIT", None, sqlite3.OperationalError("database is locked"))

    with monkeypatch.context() as patch:
        patch.setattr("autograder.gradebook.shared._Session.commit_all", _after_first(fail))
        with pytest.raises(CourseError, match="what was graded is kept"):
            made.autograde()
    assert made.scores() == {}
    asked: list[int] = []
    real = record.pool.run
    monkeypatch.setattr(
        record.pool,
        "run",
        lambda *given, **more: ((asked.append(len(p.submissions)), (p, r))[1] for p, r in real(*given, **more)),
    )
    assert made.autograde() == 0
    assert len(made.scores()) == 2 and sum(asked) == 0


def _after_first(fail: Callable[[object], None]) -> Callable[[object], None]:
    """The first commit is that of the opening test, and works."""
    from autograder.gradebook.shared import _Session

    real, calls = _Session.commit_all, []

    def commit_all(self: object) -> None:
        calls.append(1)
        (real if len(calls) == 1 else fail)(self)  # type: ignore[arg-type]

    return commit_all


def test_a_gradebook_that_cannot_be_written_is_said(make_class: Callable[..., Class]) -> None:
    made = make_class("s0")
    config = made.root / "course_config.py"
    url = f"sqlite:///file:{made.root / 'gradebook.db'}?mode=ro&uri=true"
    config.write_text(config.read_text() + f"\nc.CourseDirectory.db_url = {url!r}\n")
    with pytest.raises(CourseError, match="readonly.*make the file and its folder writable"):
        made.autograde()


def test_a_full_disk_is_said_and_the_next_run_goes_on(make_class: Callable[..., Class]) -> None:
    """No file may grow beyond 40 kB: notebooks and gradebook cannot be written. With room again, all is recorded."""
    made = make_class("s0", "s4")
    command = [sys.executable, "-m", "autograder.cli", "autograde", ASSIGNMENT, "--course", str(made.root)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)),
    )
    assert done.returncode in (2, 3) and "Traceback" not in done.stderr, done.stderr
    assert "cannot be used" in done.stderr or "not recorded" in done.stderr
    assert not any(made.scores().values())
    assert made.autograde() == 0 and len(made.scores()) == 2


def test_a_gradebook_of_an_older_nbgrader_is_said(make_class: Callable[..., Class]) -> None:
    """A column of today's is missing: the error names nbgrader's own command for it."""
    made = make_class("s0")
    with sqlite3.connect(made.root / "gradebook.db") as db:
        db.execute("ALTER TABLE grade DROP COLUMN extra_credit")
    with pytest.raises(CourseError, match="nbgrader db upgrade"):
        made.autograde()


def test_an_assignment_that_was_never_released_is_said(make_class: Callable[..., Class]) -> None:
    made = make_class("s0")
    (made.root / "gradebook.db").unlink()
    with pytest.raises(CourseError, match="not in the gradebook yet.*nbgrader generate_assignment"):
        made.autograde()


def test_a_folder_that_vanishes_costs_nobody_else(
    make_class: Callable[..., Class], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its student is named, nothing is recorded for them, and the others are graded."""
    made = make_class("s0", "s1", "s4")
    real = record.read_folder

    def read(folder, *rest, **more):  # type: ignore[no-untyped-def]
        shutil.rmtree(made.root / "submitted" / "s1", ignore_errors=True)
        return real(folder, *rest, **more)

    monkeypatch.setattr(record, "read_folder", read)
    assert made.autograde() == 3
    assert sorted(made.scores()) == ["s0", "s4"]
    assert "s1: not recorded: the folder in submitted/ vanished" in capsys.readouterr().err


def test_an_interrupt_keeps_what_is_recorded_and_says_how_to_go_on(
    make_class: Callable[..., Class], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C while the class is graded: what is recorded stays, and the message says what the same command will do."""
    made = make_class("s0", "s4")
    monkeypatch.setattr(record.pool, "size_of_parts", lambda total, parallel: 1)
    real = record.Recorder._record

    def once(self, *given):  # type: ignore[no-untyped-def]
        if self.outcome.reports:
            raise KeyboardInterrupt
        return real(self, *given)

    monkeypatch.setattr(record.Recorder, "_record", once)
    with pytest.raises(KeyboardInterrupt):
        made.autograde()
    said = capsys.readouterr().err
    assert "stopped; 1 of 2 are recorded" in said and "The same command goes on" in said
    monkeypatch.undo()
    assert made.autograde() == 0
    assert len(made.scores()) == 2
    assert "1 unchanged" in capsys.readouterr().err


def test_a_folder_of_a_thousand_folders_stops_nobody_else(
    make_class: Callable[..., Class], capsys: pytest.CaptureFixture[str]
) -> None:
    """Folders inside one another, as an archive can hold them: its student is named, and the others are graded."""
    made = make_class("s0", "s4")
    folder = os.open(made.root / "submitted" / "s0" / ASSIGNMENT, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=folder)
        deeper = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = deeper
    os.close(folder)
    try:
        assert made.autograde() == 3
        assert sorted(name for name, score in made.scores().items() if score) == ["s4"]
        assert "s0: not recorded: folders lie too deep" in capsys.readouterr().err
    finally:
        subprocess.run(["rm", "-rf", str(made.root)], check=True)  # no Python function gets that deep


def test_a_folder_whose_name_is_no_text_stops_nobody(
    make_class: Callable[..., Class], capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_class("s0")
    odd = os.fsencode(made.root / "submitted") + b"/z\xff/" + ASSIGNMENT.encode()
    os.makedirs(odd)
    assert made.autograde() == 3
    assert list(made.scores()) == ["s0"]
    assert "the folder's name is no text" in capsys.readouterr().err
