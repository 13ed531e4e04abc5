"""`course demo`: the whole cycle on a sample class, in a scratch folder, with nbgrader's own commands."""

from __future__ import annotations

import csv
import dataclasses
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from autograder.commands import report
from autograder.commands.grade import write_whole
from autograder.course import CONFIG, Course, load_course
from autograder.grading.report import Report
from autograder.outputs.table import points
from autograder.problems import CourseError, MachineFault
from autograder.reading.notebook import read_notebook
from autograder.sample.build import DUE, Student, write_class

REPORT = "report.html"
COPIED = (CONFIG, "nbgrader_config.py", "source")
DUE_DATES = """

# -- added by `course demo`: a due date, so that somebody can be late --
for _entry in c.Course.assignments.values():
    _entry["due"] = {due!r}
"""


def run(course: Course, folder: Path | None = None) -> int:
    """Release, hand in, grade and give feedback for the sample class. Returns 0 when every step worked."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=140)
    scratch = _scratch(folder)
    began = time.monotonic()
    copy = _without_optional(_copy(course, scratch))
    with _bar(console) as bar:
        _release(copy, bar)
        students = _hand_in(copy, bar)
        reports = _grade(copy, bar)
        _feedback(copy, bar)
    _export(copy)
    write_whole(copy.root / REPORT, report.made(copy))
    console.print(_table(copy, students, reports))
    console.print(_where_to_look(copy, students, reports, time.monotonic() - began))
    return 0


def _scratch(folder: Path | None) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="attention-course-demo-"))
    if folder.exists() and any(folder.iterdir()):
        raise CourseError(f"{folder} is not empty", "name a new folder with --folder, or none")
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def _copy(course: Course, scratch: Path) -> Course:
    for name in COPIED:
        source = course.root / name
        if source.is_dir():
            shutil.copytree(source, scratch / name)
        else:
            shutil.copy(source, scratch / name)
    with open(scratch / CONFIG, "a", encoding="utf-8") as file:
        file.write(DUE_DATES.format(due=f"{DUE:%Y-%m-%d %H:%M} UTC"))
    return load_course(scratch)


def _without_optional(course: Course) -> Course:
    """The sample class hands in nothing optional, and an optional assignment may need what is not installed."""
    return dataclasses.replace(course, names=tuple(name for name in course.names if name not in course.optional))


def _release(course: Course, bar: Progress) -> None:
    task = bar.add_task("release with nbgrader", total=len(course.names))
    for name in course.names:
        _nbgrader(course, "generate_assignment", name)
        bar.advance(task)


def _hand_in(course: Course, bar: Progress) -> list[Student]:
    released = {}
    for name in course.names:
        released[name], _ = read_notebook(course.root / "release" / name / f"{name}.ipynb", 10**8)
    students = write_class(released, course.root / "submitted", course.due)
    with open(course.root / "roster.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "first_name", "last_name", "email"])
        writer.writerows([s.id, s.first_name, s.last_name, s.email] for s in students)
    task = bar.add_task("hand in", total=1)
    _nbgrader(course, "db", "student", "import", "roster.csv")
    bar.advance(task)
    return students


def _grade(course: Course, bar: Progress) -> dict[tuple[str, str], Report]:
    from autograder.gradebook.record import Recorder, Watcher
    from autograder.grading.engine import local

    class Counted(Watcher):
        def begins(self, total: int) -> None:
            self.task = bar.add_task(f"grade {name}", total=total)

        def step(self, count: int) -> None:
            bar.advance(self.task, count)

    reports: dict[tuple[str, str], Report] = {}
    for name in course.graded():
        recorder = Recorder(course, name, local(1))
        outcome = recorder.run(recorder.places.students(), Counted())
        if outcome.unrecorded:
            who, why = next(iter(outcome.unrecorded.items()))
            raise MachineFault(f"the grade of {who} for {name} could not be recorded: {why}")
        reports.update({(found.student, name): found for found in outcome.reports})
    return reports


def _feedback(course: Course, bar: Progress) -> None:
    from nbgrader.converters import GenerateFeedback
    from nbgrader.coursedir import CourseDirectory

    log = logging.getLogger("course.nbgrader")
    log.setLevel(logging.ERROR)
    total = len(list((course.root / "autograded").glob("*/*/*.ipynb")))
    task = bar.add_task("write feedback with nbgrader", total=total)
    for name in course.names:
        directory = CourseDirectory(config=course.config)
        directory.assignment_id = name
        for student in sorted(path.parent.name for path in (course.root / "autograded").glob(f"*/{name}")):
            directory.student_id = student
            GenerateFeedback(coursedir=directory, config=course.config, log=log).start()
            bar.advance(task)


def _export(course: Course) -> None:
    _nbgrader(course, "export", "--to", str(course.root / "grades.csv"))


def _nbgrader(course: Course, *arguments: str) -> None:
    """Run one of nbgrader's commands in the course. Raises MachineFault with its last words where it fails."""
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": scripts + os.pathsep + os.environ.get("PATH", "")}
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course.root,
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["it said nothing"]
        raise MachineFault(f"`nbgrader {' '.join(arguments)}` failed in {course.root}: {last[0]}")


def _bar(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console)


def _table(course: Course, students: list[Student], reports: dict[tuple[str, str], Report]) -> Table:
    table = Table(title="The sample class", title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column("student")
    for name in course.graded():
        table.add_column(name.partition("-")[0], justify="right")
    table.add_column("total", justify="right")
    table.add_column("what this one shows")
    most = sum(each.max_score for each in course.assignments() if each.name not in course.optional)
    for student in students:
        found = [reports.get((student.id, name)) for name in course.graded()]
        row = [Text(f"{student.id} {student.first_name} {student.last_name}")]
        row += [_score(one) for one in found]
        if any(found):
            row.append(Text(f"{points(sum(one.score for one in found if one))} / {points(most)}"))
        else:
            row.append(Text("nothing handed in", style="yellow"))
        table.add_row(*row, Text(student.shows))
    return table


def _score(found: Report | None) -> Text:
    if found is None:
        return Text("-", style="dim")
    if found.needs_a_person:
        return Text("?", style="yellow")
    return Text(points(found.score), style="green" if found.score == found.max_score else "")


def _where_to_look(course: Course, students: list[Student], reports: dict[Any, Report], seconds: float) -> str:
    lost = [found for found in reports.values() if 0 < found.score < found.max_score]
    drawn = [found for found in lost if found.work.pictures] or lost
    example = drawn[0] if drawn else next(iter(reports.values()))
    page = course.root / "feedback" / example.student / example.assignment / f"{example.assignment}.html"
    return (
        f"\n{len(reports)} submissions of {len(students)} students, released, graded, recorded and given feedback "
        f"in {seconds:.0f} s.\n\nWhere to look, in {course.root}:\n"
        f"  one student's feedback   {page}\n"
        f"  the class at a glance    {course.root / REPORT}\n"
        f"  all grades               {course.root / 'grades.csv'}\n"
        f"  nbgrader's gradebook     {course.root / 'gradebook.db'}\n"
        f"  what was handed in       {course.root / 'submitted'}\n"
        "nbgrader's own page of the class: start `jupyter lab` in that folder and open Formgrader.\n"
    )
