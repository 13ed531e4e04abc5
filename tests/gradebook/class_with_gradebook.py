"""A class in a course folder, with a real gradebook, and the `course` command run in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.course import Course, load_course

EX2 = "ex2-causal-masking"
DUE = "2026-11-01 12:00 UTC"


@dataclass
class Class:
    """A course folder, and the `course` command run in it."""

    root: Path
    capsys: pytest.CaptureFixture[str] | None = None

    @property
    def course(self) -> Course:
        return load_course(self.root)

    def run(self, *arguments: str | Path, status: int = 0) -> tuple[str, str]:
        """Run `course ARGUMENTS` in this process, and return (standard output, standard error)."""
        assert self.capsys is not None
        self.capsys.readouterr()
        ended = cli.main([*map(str, arguments), "--course", str(self.root)])
        out, err = self.capsys.readouterr()
        assert ended == status, err
        return out, err

    def refused(self, *arguments: str | Path) -> str:
        """Run a command that must end with status 2, nothing on standard output and one line; return the line."""
        out, err = self.run(*arguments, status=2)
        assert out == "" and err.startswith("course: ") and err.count("\n") == 1
        return err

    def gradebook(self) -> Any:
        from nbgrader.api import Gradebook

        return Gradebook(f"sqlite:///{self.root}/gradebook.db", "attention")

    def enrol(self, *students: str, **known: str) -> None:
        with self.gradebook() as gradebook:
            for student in students:
                gradebook.update_or_create_student(student, **known)

    def grade(self, student: str, scores: Sequence[float | None], timestamp: str | None = None) -> None:
        """Record scores for the graded cells of ex2 (2, 3, 3 and 2 points); None is a cell that waits for a person."""
        with self.gradebook() as gradebook:
            gradebook.update_or_create_student(student)
            when = {"timestamp": timestamp} if timestamp else {}
            submission = gradebook.update_or_create_submission(EX2, student, **when)
            grades = sorted(submission.notebooks[0].grades, key=lambda grade: grade.name)
            assert len(grades) == len(scores)
            for grade, score in zip(grades, scores, strict=True):
                grade.auto_score, grade.needs_manual_grade = score, score is None
            gradebook.db.commit()

    def handed_in(self, student: str) -> Path:
        return self.root / "submitted" / student / EX2

    def configure(self, *lines: str) -> None:
        with (self.root / "course_config.py").open("a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def write(self, name: str, text: str, encoding: str = "utf-8") -> Path:
        path = self.root / name
        path.write_bytes(text.encode(encoding))
        return path
