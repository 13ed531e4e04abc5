"""What is known already: results of submissions by what decided them, and what was last recorded for whom.

One SQLite file in the course's folder `.course/`. It holds copies and nothing else: whatever is wrong with it costs a
rerun and never a grade, so every damage is read as "not known".

A result's key is a digest of the submission's cells as they are run (with what was repaired from the course's copy) and
of its files, of the course's own pictures, of the kit's version and code, of the limits, the probe seed, and whether
figures are drawn. Beside each outcome stands the digest of the check that gave it (`digests.digests_of_checks`): after
a check has changed, only that check is asked again.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from autograder.course import Course
from autograder.grading.digests import engine_digest
from autograder.grading.ran import Ran
from autograder.reading.pictures import Pictures
from autograder.reading.submission import Submission

FOLDER = ".course"
FILE = "results.sqlite"
TABLES = (
    "CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, checks TEXT, ran BLOB, sum TEXT)",
    "CREATE TABLE IF NOT EXISTS recorded (assignment TEXT, student TEXT, state TEXT, status TEXT, report TEXT, "
    "sum TEXT, PRIMARY KEY (assignment, student))",
)


class Store:
    """The results that a course has kept. Close it when done."""

    def __init__(self, course: Course) -> None:
        self.path = course.root / FOLDER / FILE
        self._course = course
        self._drawing: dict[str, list[str]] = {}
        self._decides = json.dumps(
            [engine_digest(), course.limits.as_dict(), course.figures, course.probe_seed], sort_keys=True
        )
        self._db = self._open()

    def close(self) -> None:
        if self._db is not None:
            self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def key(self, submission: Submission) -> str:
        """Return the key of a submission's result."""
        on_gpu = submission.assignment in self._course.on_gpu
        cells = [[cell["cell_type"], cell["source"]] for cell in submission.notebook["cells"]]
        parts = [submission.assignment, submission.digest, on_gpu, self._decides, cells]
        parts.append(self._pictures(submission.assignment))
        digest = hashlib.sha256(json.dumps(parts).encode())
        for name, data in sorted(submission.files.items()):
            digest.update(json.dumps([name, hashlib.sha256(data).hexdigest()]).encode())
        return digest.hexdigest()

    def _pictures(self, assignment: str) -> list[str]:
        if assignment not in self._drawing:
            self._drawing[assignment] = sorted(Pictures(self._course.assignment(assignment)).texts)
        return self._drawing[assignment]

    def find(self, key: str, checks: Mapping[str, str]) -> Ran | None:
        """Return the kept result with the outcomes that still hold: those of checks with the digests in `checks`."""
        row = self._row("SELECT checks, ran, sum FROM results WHERE key = ?", key)
        try:
            if row is None or _sum(row[0], row[1]) != row[2]:
                return None
            ran, known = Ran.from_bytes(row[1]), json.loads(row[0])
        except (ValueError, KeyError, TypeError, zlib.error):
            return None
        valid = [name for name in ran.results if name in checks and known.get(name) == checks[name]]
        ran.results = {name: ran.results[name] for name in valid}
        ran.checks = {name: ran.checks[name] for name in valid if name in ran.checks}
        return ran

    def keep(self, found: Iterable[tuple[str, Ran]], checks: Mapping[str, str]) -> None:
        """Keep results; those in which a check could not be run are not worth it."""
        rows = []
        for key, ran in found:
            if ran.is_certain:
                known = json.dumps({name: checks[name] for name in ran.checks if name in checks})
                data = ran.to_bytes()
                rows.append((key, known, data, _sum(known, data)))
        self._write("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", rows)

    def states(self, assignment: str) -> dict[str, tuple[str, str]]:
        """Return by student the state in which a submission was last recorded, and its report's status then."""
        rows = self._rows("SELECT student, state, status FROM recorded WHERE assignment = ?", assignment)
        return {student: (state, status) for student, state, status in rows}

    def recorded(self, assignment: str, student: str) -> dict[str, Any] | None:
        """Return the report that was last recorded for a student, as plain data."""
        question = "SELECT state, report, sum FROM recorded WHERE assignment = ? AND student = ?"
        row = self._row(question, assignment, student)
        try:
            return None if row is None or _sum(row[0], row[1].encode()) != row[2] else json.loads(row[1])
        except (ValueError, TypeError, AttributeError):
            return None

    def note_recorded(self, assignment: str, entries: Iterable[tuple[str, str, dict[str, Any]]]) -> None:
        """Write down (student, state, report) of what has just been recorded in the gradebook."""
        rows = []
        for student, state, report in entries:
            text = json.dumps(report)
            rows.append((assignment, student, state, report["status"], text, _sum(state, text.encode())))
        self._write("INSERT OR REPLACE INTO recorded VALUES (?, ?, ?, ?, ?, ?)", rows)

    # -- the file -----------------------------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection | None:
        """Open the file; one that is damaged is put aside for a new one. None where there can be none."""
        for _ in range(2):
            db = None
            try:
                self.path.parent.mkdir(exist_ok=True)
                db = sqlite3.connect(self.path, timeout=10)
                db.execute("PRAGMA synchronous = OFF")  # it may be lost
                for table in TABLES:
                    db.execute(table)
                db.execute("SELECT key, checks, ran, sum FROM results LIMIT 1").fetchone()
                db.execute("SELECT assignment, student, state, status, report, sum FROM recorded LIMIT 1").fetchone()
                return db
            except (sqlite3.DatabaseError, OSError) as error:
                if db is not None:
                    db.close()
                if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                    return None
                try:
                    self.path.unlink(missing_ok=True)
                except OSError:
                    return None
        return None

    def _row(self, question: str, *values: str) -> Any:
        rows = self._rows(question, *values)
        return rows[0] if rows else None

    def _rows(self, question: str, *values: str) -> list[Any]:
        if self._db is None:
            return []
        try:
            return self._db.execute(question, values).fetchall()
        except sqlite3.DatabaseError:
            return []

    def _write(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        if self._db is None or not rows:
            return
        try:
            with self._db:
                self._db.executemany(statement, rows)
        except sqlite3.DatabaseError:
            return


def _sum(text: str, data: bytes) -> str:
    return hashlib.sha256(text.encode() + b"\0" + data).hexdigest()
