"""The demo grades the whole sample class into a real gradebook, and everyone gets what was expected."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from support import ROOT, Course

from autograder.sample import build


def test_the_demo_ends_well_and_everyone_gets_the_expected_score(tmp_path: Path, course: Course) -> None:
    folder = tmp_path / "demo"
    done = course("demo", "--folder", str(folder), cwd=ROOT)
    with open(folder / "grades.csv", newline="", encoding="utf-8") as file:
        grades = {(row["student_id"], row["assignment"]): row for row in csv.DictReader(file)}
    students = build.roster()
    assert len([student for student in students if student.hours is not None]) >= 12
    for student in students:
        for assignment, expected in student.expected.items():
            row = grades[student.id, assignment]
            assert float(row["score"]) == pytest.approx(expected or 0.0, abs=0.006), (student.id, assignment)
            page = folder / "feedback" / student.id / assignment / f"{assignment}.html"
            assert page.is_file() is student.handed_in(assignment)
        if student.hours is None:
            assert f"{student.id} {student.first_name}" in done.stdout
    assert done.stdout.count("nothing handed in") == len([s for s in students if s.hours is None])
    assert "Where to look" in done.stdout
    assert str(folder / "report.html") in done.stdout
    assert "Students by checks" in (folder / "report.html").read_text("utf-8")
