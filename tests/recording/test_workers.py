"""Batches run in other processes and on other machines; one that loses its worker is run elsewhere."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from recording.classes import ASSIGNMENT, GRADES, Class
from support import ROOT, Course

from autograder.grading import work
from autograder.grading.engine import local
from autograder.problems import CourseError

COMMAND = [sys.executable, "-m", "autograder.cli", "autograde", ASSIGNMENT]


def wait_for(what: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def workers_at_work(parent: int) -> list[psutil.Process]:
    """The processes below `parent` that have a zygote of their own: those are in the middle of a batch."""
    found = []
    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(parent).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if any("zygote.py" in " ".join(below.cmdline()) for below in child.children()):
                    found.append(child)
    return found


def in_session(session: int) -> list[int]:
    """The processes of a session, whoever their parent is now."""
    found = []
    for pid in psutil.pids():
        with contextlib.suppress(OSError):
            if os.getsid(pid) == session and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
    return found


def recorded(root: Path) -> list[str]:
    with sqlite3.connect(root / "gradebook.db") as db:
        return [row[0] for row in db.execute("SELECT student_id FROM submitted_assignment")]


@pytest.fixture
def copy(large: Path, tmp_path: Path) -> Class:
    shutil.copytree(large, tmp_path / "course")
    return Class(tmp_path / "course")


def assert_complete(made: Class) -> None:
    """Sixty submissions, each once, each cell graded once, and copies of an answer with the score of that answer."""
    students = recorded(made.root)
    assert len(students) == len(set(students)) == 60
    rows = made.rows(GRADES)
    assert len({row[:2] for row in rows}) == len(rows) == 60 * len({row[1] for row in rows})
    scores = made.scores()
    assert {scores[name] for name in scores if name.startswith("t") and int(name[1:]) % 2 == 0} == {scores["s0"]}
    assert {scores[name] for name in scores if name.startswith("t") and int(name[1:]) % 2 == 1} == {scores["s1"]}
    assert all(row[2] is not None for row in rows)


def test_a_grader_that_is_killed_loses_nothing(copy: Class, course: Course) -> None:
    """kill -9 of the whole command in the middle; the same command again completes the class, and doubles nothing."""
    command = [*COMMAND, "--jobs", "2", "--course", str(copy.root)]
    running = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: len(recorded(copy.root)) > 0)
    finally:
        running.kill()
        running.wait()
    wait_for(lambda: not in_session(running.pid))  # no worker is left behind
    before = len(recorded(copy.root))
    assert 0 < before < 60, "it should have been in the middle"
    said = course("autograde", ASSIGNMENT, "--course", copy.root).stderr
    assert_complete(copy)
    assert "unchanged" in said or "known from before" in said


def test_a_local_worker_that_is_killed_costs_nothing(copy: Class, course: Course) -> None:
    """One of two worker processes is killed in the middle of its batch: the batch is run again, and nobody sees it."""
    command = [*COMMAND, "--jobs", "2", "--course", str(copy.root)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as running:
        wait_for(lambda: bool(workers_at_work(running.pid)))
        workers_at_work(running.pid)[0].kill()
        _, said = running.communicate(timeout=300)
    assert running.returncode == 0, said
    assert_complete(copy)


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Callable[[], subprocess.Popen[bytes]]]]:
    """A real scheduler on loopback: its address, and what starts a real worker process for it."""
    pytest.importorskip("distributed", reason="dask is not installed")
    folder = tmp_path_factory.mktemp("dask")
    file = folder / "scheduler.json"
    started = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard", "--scheduler-file", str(file)]
        with (folder / f"{len(started)}.log").open("wb") as log:
            started.append(subprocess.Popen(command, cwd=folder, stdout=log, stderr=log))
        return started[-1]

    def worker() -> subprocess.Popen[bytes]:
        return start("worker", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")

    start("scheduler", "--host", "127.0.0.1", "--port", "0")
    try:
        wait_for(lambda: file.is_file() and file.read_text().endswith("}"))

        yield json.loads(file.read_text())["address"], worker
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_cluster_grades_and_a_killed_worker_costs_nothing(
    copy: Class, course: Course, dask: tuple[str, Callable[[], subprocess.Popen[bytes]]]
) -> None:
    """Two workers of a real cluster, one of them killed in the middle: no report is missing or double."""
    address, worker = dask
    first, _ = worker(), worker()
    command = [*COMMAND, "--engine", address, "--course", str(copy.root)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as running:
        wait_for(lambda: any("zygote.py" in " ".join(p.cmdline()) for p in psutil.Process(first.pid).children()))
        first.kill()
        _, said = running.communicate(timeout=300)
    assert running.returncode == 0, said
    assert_complete(copy)


def test_a_cluster_that_nobody_answers_at_is_said(make_class: Callable[..., Class], course: Course) -> None:
    said = course(
        "autograde", ASSIGNMENT, "--engine", "tcp://127.0.0.1:9", "--course", make_class("s0").root, status=2
    ).stderr
    assert said.count("\n") == 1 and "nobody answers at tcp://127.0.0.1:9" in said and "dask scheduler" in said


def test_a_worker_with_another_kit_refuses(make_class: Callable[..., Class], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its version, or any line of its checks or engine, differs: nothing is graded there, and the message says so."""
    made = make_class("s0")
    real = work.Work.to_bytes

    def of_another(self: work.Work) -> bytes:
        with monkeypatch.context() as other:
            other.setattr(work, "__version__", "9.9.9")
            return real(self)

    monkeypatch.setattr(work.Work, "to_bytes", of_another)
    with pytest.raises(CourseError, match="a worker has version .* of the kit and not 9.9.9"):
        made.autograde()
    assert recorded(made.root) == []


def test_a_submission_that_always_ends_its_worker_is_given_up_alone(
    make_class: Callable[..., Class], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others of its batch are graded, in halves of the batch; it alone has no result, which is a person's work."""
    made = make_class("s0", "s1", "s4")
    monkeypatch.setattr(work, "do", _deadly)
    assert made.autograde(jobs=2) == 3
    rows = made.rows(GRADES)
    assert {row[0] for row in rows if row[2] is None} == {"s1"}
    assert {row[0] for row in rows if row[2] is not None} == {"s0", "s4"}


def _deadly(data: bytes) -> bytes:
    if b'"student":"s1"' in zlib.decompress(data):
        os._exit(1)
    with work.Worker() as worker:
        return worker.do(data)


def test_a_worker_that_has_loaded_other_files_refuses(
    make_class: Callable[..., Class], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kit's files were changed after a worker had loaded them: what it runs is not what they say now."""
    real = work.files_digest
    calls: list[str] = []

    def changing(name: str) -> str:
        calls.append(name)
        return f"{real(name)} {len(calls)}"

    monkeypatch.setattr(work, "files_digest", changing)
    monkeypatch.setattr("autograder.grading.pool.size_of_parts", lambda total, parallel: 1)
    with pytest.raises(CourseError, match="start the workers again"):
        make_class("s0", "s4").autograde()
    assert len(calls) == 2


def test_a_worker_that_fails_otherwise_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker without the kit, for one: the error names what was raised, and what is finished is kept."""
    monkeypatch.setattr(work, "do", _without_the_kit)
    with pytest.raises(CourseError, match="a worker failed .ModuleNotFoundError: no kit here.*goes on"):
        list(local(2).run([b"one", b"two"]))


def _without_the_kit(data: bytes) -> bytes:
    raise ModuleNotFoundError("no kit here")
