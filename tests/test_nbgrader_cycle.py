"""A course from source/ to feedback with nbgrader's own commands, as its instructor and its students run them.

One run of all commands in a scratch folder is slow, and serves every test of this file. The class:

    ana    everything right, handed in through the exchange
    ben    through the exchange; his softmax changes its argument, which costs one check
    cleo   the notebooks as they were released
    dora   right, but warns, writes to stderr, and shows HTML and scripts wherever that can be tried
    emil   right, but a day late
    fay    looks around in her process for the hidden checks
"""

from __future__ import annotations

import copy
import csv
import json
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import support
from support import ASSIGNMENTS, ROOT, Page, Person, notebook_path, read

from autograder.gradebook.pages import markdown2html
from autograder.outputs.table import points
from autograder.sample.build import fill, with_code

EX1, EX2, EX3, EX4, EX5 = ASSIGNMENTS
RELEASED = (*ASSIGNMENTS, support.TOUR)
HANDED_IN = {
    "ana": ASSIGNMENTS,
    "ben": (EX1,),
    "cleo": (EX1,),
    "dora": (EX1,),
    "emil": (EX1,),
    "fay": (EX1,),
}
SUBMISSIONS = [(student, assignment) for student, names in HANDED_IN.items() for assignment in names]
BROKEN_CHECK = "test_softmax_of_rows_far_apart"  # of the cell softmax-stability

MARKER = ("COURSE_TEST_MARKER", "marker-value-5c1f0a9be47d2386")
# Each begins with plain letters, which makes the search fast, and does not match itself, which would spoil it.
SECRETS = (r"attention-course-canar[y]-[0-9a-f]{16}", r"COURSE_TEST_MARKE[R]", r"marker-valu[e]-[0-9a-f]{16}")

GIVEN_BY_HAND = "rows-sum-to-one-check"
# What Formgrader does when somebody gives another score and writes a comment.
BY_HAND = f"""
from nbgrader.api import Gradebook

with Gradebook("sqlite:///gradebook.db", "attention") as gradebook:
    where = {EX1!r}, {EX1!r}, "fay"
    gradebook.find_grade({GIVEN_BY_HAND!r}, *where).manual_score = 0.25
    gradebook.find_comment("rows-sum-to-one", *where).manual_comment = "Why <b>look</b> around?"
    gradebook.db.commit()
"""

BENS_SOFTMAX = """\
def softmax(x, axis=-1):
    x -= np.max(x, axis=axis, keepdims=True)
    powers = np.exp(x)
    return powers / np.sum(powers, axis=axis, keepdims=True)
"""

DORAS_NOISE = """

import sys
import warnings

_quiet = softmax


def softmax(*args, **kwargs):
    print("<script>from_dora()</script>")
    print("dora was here", file=sys.stderr)
    warnings.warn("dora warns")
    np.log(np.zeros(1)) * np.float64(1e308) * 10
    return _quiet(*args, **kwargs)
"""

DORAS_SHOW = """\
from IPython.display import HTML, SVG, Javascript, Latex, Markdown, display

bad = "<script>from_dora()</script><img src='x' onerror='from_dora()'><a href='javascript:from_dora()'>x</a>"
display(HTML(bad), Javascript("from_dora()"), Markdown(bad), Latex("$$x$$" + bad))
display(SVG(data="<svg xmlns='http://www.w3.org/2000/svg' onload='from_dora()'></svg>"))
display({"text/plain": bad, "text/html": bad}, raw=True)
display({"image/png": "x' onerror='from_dora()' y=\\" onerror=\\"from_dora()"}, raw=True)
print(bad)
raise ValueError(bad)
"""

DORAS_TEXT = """\
Before <script>from_dora()</script> and <img src="x" onerror="from_dora()"> and [a link](javascript:from_dora()).

![x](javascript:from_dora()) ![a picture](attachment:from_dora.png) <javascript:from_dora()>

<div onclick="from_dora()"><iframe srcdoc="&lt;script&gt;from_dora()&lt;/script&gt;"></iframe></div>
"""

# Looks at every object that can be reached, at the environment and at the process's memory, once while the notebook
# is run and once from inside a call that a hidden check makes.
FAYS_SEARCH = f"""
import gc
import json
import os
import re
import sys

import numpy as np


def secrets(text):
    return {{secret for pattern in {SECRETS!r} for secret in re.findall(pattern, text)}}


def look_around():
    found, seen, texts = set(), set(), 0
    waiting = [sys.modules, dict(os.environ), *gc.get_objects()]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, bytes):
            thing = thing.decode("latin-1")
        if isinstance(thing, str):
            texts += 1
            found |= secrets(thing)
        else:
            waiting.extend(gc.get_referents(thing))
    return sorted(found), texts


def memory():
    with open("/proc/self/environ", "rb") as environ:
        found, size = secrets(environ.read().decode("latin-1")), 0
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as mem:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if line.split()[1].startswith("rw"):
                try:
                    mem.seek(start)
                    data = mem.read(end - start)
                except (OSError, ValueError, OverflowError):
                    continue
                size += len(data)
                found |= secrets(data.decode("latin-1"))
    return sorted(found), size


def rows_sum_to_one(weights):  # this cell is the last: whoever calls now is a hidden check
    global seen_in_a_call
    if seen_in_a_call is None:
        seen_in_a_call = look_around()
    found, texts = seen_in_a_call
    raise LookupError(f"found {{found}} in {{'many' if texts > 10_000 else 'few'}} texts")


seen_in_a_call = None
objects, texts = look_around()
try:
    parts, size = memory()
except OSError:  # a sandbox need not show /proc
    parts, size = [], -1
print(json.dumps({{
    "found": objects + parts, "texts": texts, "bytes": size, "modules": sorted(sys.modules), "environ": dict(os.environ)
}}))
"""


# -- the one run of all commands ----------------------------------------------------------------------------------


class Cycle:
    """What the commands left: the course's folder, what some of them said, and the gradebook."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = support.copy_course(
            folder / "course",
            {f'"{EX1}": {{}}': f'"{EX1}": {{"due": "2099-01-01 12:00 UTC"}}'},
            '\nc.LateSubmissionPlugin.penalty_method = "zero"\n',
        )
        self.faulty = folder / "faulty"
        self.instructor = Person(self.root, folder / "homes" / "instructor", dict([MARKER]))
        self.students = {name: self._student(name) for name in ("ana", "ben")}
        self.said: dict[str, str] = {}
        self.reports: dict[tuple[str, str], dict[str, Any]] = {}
        self.gradebook: dict[str, Any] = {}
        self.after_formgrader: dict[str, Any] = {}
        self.with_error: dict[str, Any] = {}
        self.pages: dict[tuple[str, str], Page] = {}

    def _student(self, name: str) -> Person:
        """A student's folder, with the settings that a student of this course has."""
        folder = self.folder / "homes" / name / "work"
        folder.mkdir(parents=True)
        settings = ["c = get_config()", 'c.CourseDirectory.course_id = "attention"']
        settings.append(f"c.Exchange.root = {str(self.root / 'exchange')!r}")
        (folder / "nbgrader_config.py").write_text("\n".join(settings) + "\n", "utf-8")
        return Person(folder, folder.parent)

    def released(self, assignment: str) -> dict[str, Any]:
        return read(notebook_path(self.root / "release", assignment))

    def submitted(self, student: str, assignment: str) -> Path:
        return notebook_path(self.root / "submitted" / student, assignment)

    def autograded(self, student: str, assignment: str) -> dict[str, Any]:
        return read(notebook_path(self.root / "autograded" / student, assignment))

    def feedback(self, student: str, assignment: str) -> Path:
        return self.root / "feedback" / student / assignment / f"{assignment}.html"

    def page(self, student: str, assignment: str) -> Page:
        """Return a page of feedback as a browser reads it."""
        if (student, assignment) not in self.pages:
            self.pages[student, assignment] = Page(self.feedback(student, assignment).read_text("utf-8"))
        return self.pages[student, assignment]

    # -- the steps

    def run(self, later: ThreadPoolExecutor) -> None:
        """Run everything. Commands that nothing waits for run beside the others, in `later`."""
        teach = self.instructor.nbgrader
        teach("generate_assignment", "--assignment=*")
        shutil.copytree(self.root, self.faulty)  # to be graded by itself later on
        beside = [later.submit(teach, "generate_solution", "--assignment=*")]
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        beside.append(later.submit(teach, "release_assignment", EX2, f"--Exchange.root={elsewhere}"))
        teach("release_assignment", EX1)
        self._work_at_home(beside, later)
        teach("collect", EX1)
        self._hand_in_others()
        beside.append(later.submit(self._grade_with_course))
        self.said["autograde"] = teach("autograde", "--assignment=*").stderr
        self.instructor.python("-c", BY_HAND)
        teach("generate_feedback", "--assignment=*")
        beside.append(later.submit(self._class_report))
        beside.append(later.submit(teach, "export"))
        teach("release_feedback", EX1)
        at_once(
            *(lambda name=name, who=who: who.nbgrader("fetch_feedback", EX1, "--student", name)
              for name, who in self.students.items())
        )  # fmt: skip
        beside.append(later.submit(self._grade_with_an_error))
        for future in beside:
            future.result()
        told = self._api(self.instructor, EX1, "ben")
        self.gradebook, self.after_formgrader = told["before"], told
        assert told["answer"]["success"], told["answer"]

    def _work_at_home(self, beside: list[Future[Any]], later: ThreadPoolExecutor) -> None:
        """ana and ben fetch the assignment, write their answers, try the visible checks and hand in."""
        at_once(*(lambda who=who: who.nbgrader("fetch_assignment", EX1) for who in self.students.values()))
        answers = support.model_answers(EX1)
        for name, changed in (("ana", {}), ("ben", {"softmax": BENS_SOFTMAX})):
            path = notebook_path(self.students[name].folder, EX1)
            self.said[f"fetched by {name}"] = path.read_text("utf-8")
            blank = path.parent.parent / "blank.ipynb"
            shutil.copy(path, blank)
            support.write(path, fill(read(path), answers | changed))
        beside.append(later.submit(self._validate, "right", f"{EX1}/{EX1}.ipynb"))
        beside.append(later.submit(self._validate, "blank", "blank.ipynb"))
        at_once(
            *(lambda name=name, who=who: who.nbgrader("submit", EX1, "--student", name)
              for name, who in self.students.items())
        )  # fmt: skip

    def _validate(self, what: str, path: str) -> None:
        self.said[f"validate {what}"] = self.students["ana"].nbgrader("validate", path).stdout

    def _hand_in_others(self) -> None:
        for student, assignment in SUBMISSIONS:
            if student in self.students and assignment == EX1:
                continue  # collected
            answers = support.model_answers(assignment)
            if student == "cleo":
                answers = {}
            if student == "dora":
                answers["softmax"] += DORAS_NOISE
                answers["new"] = DORAS_SHOW
            notebook = fill(self.released(assignment), answers)
            if student == "dora":
                notebook["cells"].append({"cell_type": "markdown", "id": "dora", "metadata": {}, "source": DORAS_TEXT})
                notebook["cells"][0]["source"] += "\n\n" + DORAS_TEXT
            if student == "fay":
                notebook = with_code(notebook, FAYS_SEARCH)
            path = self.submitted(student, assignment)
            support.write(path, notebook)
            day = "2099-01-02 12:00:00.000000 UTC" if student == "emil" else "2098-12-24 08:30:00.000000 UTC"
            (path.parent / "timestamp.txt").write_text(day, "utf-8")
            # nbgrader writes this when a student submits, and release_feedback ends for the whole class without it.
            (path.parent / "submission_secret.txt").write_text(f"secret of {student}", "utf-8")

    def _grade_with_course(self) -> None:
        for line in self.instructor.course("grade", "submitted", "--format", "json").stdout.splitlines():
            report = json.loads(line)
            self.reports[report["student"], report["assignment"]] = report

    def _class_report(self) -> None:
        self.said["report"] = self.instructor.course("report").stdout

    def _grade_with_an_error(self) -> None:
        """Grade ben's work in a copy of the course where one hidden check is at fault."""
        shutil.copytree(self.root / "submitted" / "ben", self.faulty / "submitted" / "ben")
        instructor = Person(self.faulty, self.folder / "homes" / "second instructor")
        self.with_error = self._api(instructor, EX1, "ben", "--error", BROKEN_CHECK)
        instructor.nbgrader("export")

    @staticmethod
    def _api(person: Person, *arguments: str) -> dict[str, Any]:
        script = Path(__file__).resolve().parent / "nbgrader_api.py"
        return json.loads(person.python(str(script), *arguments).stdout)


def at_once(*calls: Callable[[], Any]) -> None:
    """Call all, side by side, and wait for them."""
    with ThreadPoolExecutor(len(calls)) as pool:
        for future in [pool.submit(call) for call in calls]:
            future.result()


@pytest.fixture(scope="module")
def cycle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cycle]:
    """The course after every command has run once."""
    made = Cycle(tmp_path_factory.mktemp("cycle"))
    with ThreadPoolExecutor(1) as later:
        made.run(later)
    yield made


def check_lines(report: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for cell in report["cells"]:
        for check in cell["checks"]:
            yield cell, check


def squeezed(text: str) -> str:
    return " ".join(text.split())


# -- handing out --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("assignment", RELEASED)
def test_the_committed_release_is_what_nbgrader_generates(cycle: Cycle, assignment: str) -> None:
    """Every cell of release/ is what `nbgrader generate_assignment` makes of source/ today."""
    assert comparable(cycle.released(assignment)) == comparable(read(notebook_path(ROOT / "release", assignment)))


@pytest.mark.parametrize("assignment", RELEASED)
def test_the_committed_solution_is_what_nbgrader_generates(cycle: Cycle, assignment: str) -> None:
    """Every cell and every output in text of solutions/ is what `nbgrader generate_solution` makes of source/ today."""
    generated = read(notebook_path(cycle.root / "solutions", assignment))
    assert comparable(generated) == comparable(read(notebook_path(ROOT / "solutions", assignment)))


@pytest.mark.parametrize("assignment", RELEASED)
def test_a_solution_runs_without_an_error(cycle: Cycle, assignment: str) -> None:
    """In solutions/ every cell of code was run but those for readers only, none stopped, and none wrote to stderr."""
    for cell in read(notebook_path(cycle.root / "solutions", assignment))["cells"]:
        if cell["cell_type"] == "code" and "skip-execution" not in cell["metadata"].get("tags", []):
            assert cell["execution_count"] is not None, cell["source"]
            for output in cell["outputs"]:
                assert output["output_type"] != "error", cell["source"]
                assert output.get("name") != "stderr", cell["source"]


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_what_is_handed_out_holds_no_solution(cycle: Cycle, assignment: str) -> None:
    """Neither the generated nor the committed release holds a line of the model answers, or any output."""
    lines = support.solution_lines(assignment)
    assert lines, "the test should have something to look for"
    for root in (cycle.root, ROOT):
        notebook = read(notebook_path(root / "release", assignment))
        text = support.shown_text(notebook)
        assert "SOLUTION" not in text
        assert [line for line in lines if line in text] == []
        assert [cell["id"] for cell in notebook["cells"] if cell.get("outputs")] == []


def test_students_fetch_what_was_released(cycle: Cycle) -> None:
    """What students fetch from the exchange is the released notebook, byte by byte."""
    released = notebook_path(cycle.root / "release", EX1).read_text("utf-8")
    assert {released} == {cycle.said[f"fetched by {name}"] for name in cycle.students}


def test_the_exchange_is_in_the_course_unless_another_is_named(cycle: Cycle) -> None:
    """course_config.py's exchange is used by default, and an instructor can name another."""
    inside = cycle.root / "exchange" / "attention" / "outbound"
    elsewhere = cycle.folder / "elsewhere" / "attention" / "outbound"
    assert [path.name for path in inside.iterdir()] == [EX1]
    assert [path.name for path in elsewhere.iterdir()] == [EX2]


def test_validate_says_success_for_right_answers(cycle: Cycle) -> None:
    """`nbgrader validate` tells a student with right answers that the notebook passes."""
    assert "Success! Your notebook passes all the tests." in cycle.said["validate right"]
    assert "failed" not in cycle.said["validate right"].lower()


def test_validate_names_every_cell_that_a_blank_notebook_fails(cycle: Cycle) -> None:
    """`nbgrader validate` shows every graded cell of a blank notebook as failed, with the reason."""
    said = squeezed(cycle.said["validate blank"])
    cells = support.graded_cells(cycle.released(EX1))
    assert f"VALIDATION FAILED ON {len(cells)} CELL(S)!" in said
    for cell in cells.values():
        assert squeezed(cell["source"].split("\n")[0]) in said
    assert "NotImplementedError" in said


# -- scores -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("student", "assignment"), SUBMISSIONS)
def test_nbgrader_and_the_course_command_give_the_same_scores(cycle: Cycle, student: str, assignment: str) -> None:
    """The gradebook holds, cell by cell and to the last digit, what `course grade` says."""
    cells = cycle.gradebook[student][assignment]["cells"]
    report = cycle.reports[student, assignment]
    assert {cell["grade_id"]: cell["score"] for cell in report["cells"]} == {
        name: cell["auto_score"] for name, cell in cells.items()
    }
    assert {cell["grade_id"]: cell["max_score"] for cell in report["cells"]} == {
        name: cell["max_score"] for name, cell in cells.items()
    }


def test_everything_that_was_handed_in_was_graded(cycle: Cycle) -> None:
    """The gradebook and `course grade` know the same submissions, and those are all there were."""
    recorded = {(student, assignment) for student, entries in cycle.gradebook.items() for assignment in entries}
    assert set(SUBMISSIONS) == recorded == set(cycle.reports)


@pytest.mark.parametrize("student", ["ana", "cleo"])
def test_right_answers_get_all_points_and_none_get_none(cycle: Cycle, student: str) -> None:
    """The model answers are worth 10 of 10 points in the gradebook, and the released notebook 0."""
    expected = {"ana": 10.0, "cleo": 0.0}[student]
    for assignment in HANDED_IN[student]:
        entry = cycle.gradebook[student][assignment]
        assert (entry["score"], entry["max_score"]) == (expected, 10.0)


def test_one_mistake_costs_its_share_of_one_cell(cycle: Cycle) -> None:
    """A softmax that changes its argument loses that one check: 1 of the 6 parts of the cell's 2 points."""
    cells = {name: cell["auto_score"] for name, cell in cycle.gradebook["ben"][EX1]["cells"].items()}
    assert cells.pop("softmax-values") == 2 * 5 / 6
    assert cells == {
        "softmax-stability": 1.0,
        "attention-values": 3.0,
        "attention-scaling": 2.0,
        "rows-sum-to-one-check": 1.0,
        "peakedness-check": 1.0,
    }
    failed = [check["name"] for _, check in check_lines(cycle.reports["ben", EX1]) if check["outcome"] != "passed"]
    assert failed == ["test_softmax_leaves_its_argument_alone"]


def test_warnings_and_stderr_cost_nothing(cycle: Cycle) -> None:
    """Right answers that warn and write to stderr, also while a graded cell runs, get all points."""
    assert cycle.gradebook["dora"][EX1]["score"] == 10.0
    cells = cycle.autograded("dora", EX1)["cells"]
    assert "dora was here" in "".join(support.output_text(cell) for cell in cells if cell["cell_type"] == "code")


def test_nobody_has_to_look_at_what_was_graded(cycle: Cycle) -> None:
    """No submission of the class is marked for manual grading, whatever its score."""
    for student, assignment in SUBMISSIONS:
        entry = cycle.gradebook[student][assignment]
        assert not entry["needs_manual_grade"], student
        assert not any(cell["needs_manual_grade"] for cell in entry["cells"].values()), student
        assert cycle.reports[student, assignment]["status"] == "graded"


def test_a_late_submission_is_late_by_the_due_date_of_the_course(cycle: Cycle) -> None:
    """The due date in course_config.py reaches nbgrader's gradebook, which counts the lateness and its penalty."""
    late = cycle.gradebook["emil"][EX1]
    assert (late["seconds_late"], late["score"], late["penalty"]) == (24 * 3600, 10.0, 10.0)
    for student, assignment in SUBMISSIONS:
        if student != "emil":
            entry = cycle.gradebook[student][assignment]
            assert (entry["seconds_late"], entry["penalty"]) == (0, 0.0), student


def test_formgraders_button_gives_the_same_scores(cycle: Cycle) -> None:
    """The call behind Formgrader's Autograde button grades as the command does."""
    assert cycle.after_formgrader["before"] == cycle.after_formgrader["after"]


def test_the_exported_grades_are_those_of_the_gradebook(cycle: Cycle) -> None:
    """`nbgrader export` writes nbgrader's own columns, one line for each student and assignment."""
    rows = exported(cycle.root)
    assert list(rows[0]) == [
        "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
        "late_submission_penalty", "score", "max_score",
    ]  # fmt: skip
    totals = [row for row in rows if row["assignment"] == "course total"]
    rows = [row for row in rows if row not in totals]
    assert len(rows) == len(HANDED_IN) * len({row["assignment"] for row in rows}) and len(totals) == len(HANDED_IN)
    assert {row["assignment"] for row in rows} >= set(ASSIGNMENTS)
    for row in rows:
        entry = cycle.gradebook[row["student_id"]].get(row["assignment"], {"score": 0.0, "penalty": 0.0})
        assert entry["score"] == float(row["raw_score"])
        assert entry["penalty"] == float(row["late_submission_penalty"])
        assert max(0.0, entry["score"] - entry["penalty"]) == float(row["score"])
        assert float(row["max_score"]) == 10.0
        assert ("2099-01-01 12:00:00" if row["assignment"] == EX1 else "") == row["duedate"]


# -- a check at fault ---------------------------------------------------------------------------------------------


def test_a_check_in_error_leaves_its_cell_to_a_person(cycle: Cycle) -> None:
    """A cell with a check in error has no score and waits for a person; the other cells are graded as ever."""
    assert cycle.with_error["answer"]["success"]
    cells = cycle.with_error["after"]["ben"][EX1]["cells"]
    expected = {name: cell["auto_score"] for name, cell in cycle.gradebook["ben"][EX1]["cells"].items()}
    assert expected | {"softmax-stability": None} == {name: cell["auto_score"] for name, cell in cells.items()}
    assert [name for name, cell in cells.items() if cell["needs_manual_grade"]] == ["softmax-stability"]


def test_a_check_in_error_is_exported_blank(cycle: Cycle) -> None:
    """`nbgrader export` leaves a score that waits for a person blank, rather than to count it as 0."""
    (row,) = [row for row in exported(cycle.faulty) if row["assignment"] == EX1]
    assert (row["raw_score"], row["score"], row["max_score"]) == ("", "", "10.0")


def test_a_check_in_error_is_said_in_the_notebook(cycle: Cycle) -> None:
    """The autograded notebook shows which check a person has to look at, and shows no score for its cell."""
    cell = support.graded_cells(read(notebook_path(cycle.faulty / "autograded" / "ben", EX1)))["softmax-stability"]
    titles = {check["name"]: check["title"] for _, check in check_lines(cycle.reports["ben", EX1])}
    said = squeezed(support.output_text(cell))
    assert said.startswith("? of 1 points")
    assert titles[BROKEN_CHECK] in said
    assert f"passed {titles[BROKEN_CHECK]}" not in said
    assert f"failed {titles[BROKEN_CHECK]}" not in said
    assert "The check itself stopped." in said


# -- what is shown ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("student", "assignment"), SUBMISSIONS)
def test_a_graded_cell_shows_its_score_and_its_checks(cycle: Cycle, student: str, assignment: str) -> None:
    """In the autograded notebook every graded cell begins with its score and then tells every check in words."""
    cells = support.graded_cells(cycle.autograded(student, assignment))
    for result in cycle.reports[student, assignment]["cells"]:
        outputs = cells[result["grade_id"]]["outputs"]
        assert [output["output_type"] for output in outputs] == ["execute_result", "stream"]
        assert {"text/plain": repr(float(result["score"]))} == outputs[0]["data"]
        assert outputs[1]["name"] == "stdout"
        said = squeezed(outputs[1]["text"])
        for check in result["checks"]:
            assert f"{check['outcome']} {squeezed(check['title'])} (" in said
            if check["outcome"] != "passed":
                assert check["message"]
                assert squeezed(check["message"]) in said


@pytest.mark.parametrize(("student", "assignment"), SUBMISSIONS)
def test_feedback_shows_every_score_and_every_check(cycle: Cycle, student: str, assignment: str) -> None:
    """A student reads in the feedback the score of every graded cell, and each check's title, outcome and message."""
    text = squeezed(cycle.page(student, assignment).text)
    words = {"passed": "passed", "failed": "not yet"}
    for cell, check in check_lines(cycle.reports[student, assignment]):
        if (student, cell["grade_id"]) != ("fay", GIVEN_BY_HAND):
            assert f"{cell['grade_id']} {points(cell['score'])} of {points(cell['max_score'])} points" in text
        assert f"{words[check['outcome']]} {squeezed(check['title'])} " in text
        if check["outcome"] != "passed":
            assert squeezed(check["message"]).replace("`", "") in text


def test_feedback_names_the_penalty_for_lateness(cycle: Cycle) -> None:
    """The feedback on a late submission shows the score without the penalty and the penalty itself."""
    text = squeezed(cycle.page("emil", EX1).text)
    assert f"{EX1} 0 of 10 points" in text
    assert "Late submission: the work reached 10 points, less a penalty of 10." in text


def test_feedback_shows_what_a_person_gave_and_wrote(cycle: Cycle) -> None:
    """A score that was given in Formgrader counts in place of the checks', and a comment is there to read."""
    text = squeezed(cycle.page("fay", EX1).text)
    assert f"{GIVEN_BY_HAND} 0.25 of 1 points, given by a person" in text
    assert "Comment on rows-sum-to-one Why <b>look</b> around?" in text
    graded = cycle.reports["fay", EX1]
    before = next(cell["score"] for cell in graded["cells"] if cell["grade_id"] == GIVEN_BY_HAND)
    assert f"{EX1} {points(graded['score'] - before + 0.25)} of 10 points" in text


def test_the_class_report_knows_everybody(cycle: Cycle) -> None:
    """`course report` makes one page of all that was recorded, with links for each submission into Formgrader."""
    page = Page(cycle.said["report"])
    assert f"{len(SUBMISSIONS)} submissions of {len(HANDED_IN)} students" in squeezed(page.text)
    links = [attributes["href"] for tag, attributes in page.elements if tag == "a"]
    assert {str(link).rpartition("/")[0] for link in links} == {"http://localhost:8888/formgrader/submissions"}
    assert len(set(links)) == len(SUBMISSIONS)


def test_each_student_fetches_their_own_feedback(cycle: Cycle) -> None:
    """Students find in their folder exactly the page that was generated for their submission."""
    for name, person in cycle.students.items():
        pages = list((person.folder / EX1 / "feedback").rglob("*.html"))
        assert [f"{EX1}.html"] == [page.name for page in pages]
        assert cycle.feedback(name, EX1).read_bytes() == pages[0].read_bytes()


def test_no_script_of_a_student_reaches_a_page(cycle: Cycle) -> None:
    """HTML and scripts in outputs, errors and text cells of a student do nothing in the feedback."""
    page = cycle.page("dora", EX1)
    assert cycle.page("ana", EX1).scripts == page.scripts
    for tag, attributes in page.elements:
        assert tag not in ("iframe", "object", "embed"), attributes
        assert [name for name in attributes if name.startswith("on") or "from_dora" in name] == [], tag
        assert [value for value in attributes.values() if "javascript:" in str(value).lower()] == [], tag
    assert "<script>from_dora()</script>" in page.text, "what was written should still be there to read"


def test_the_text_of_the_course_looks_as_it_was_written() -> None:
    """In Formgrader, hints that fold away still do so, and a student's HTML is text."""
    source = read(notebook_path(ROOT / "source", EX1))
    hints = [cell["source"] for cell in source["cells"] if "<details>" in cell["source"]]
    assert hints
    for text in hints:
        page = Page(markdown2html({}, text))
        for tag in ("details", "summary"):
            assert [name for name, _ in page.elements].count(tag) == text.count(f"<{tag}>")
    page = Page(markdown2html({}, DORAS_TEXT))
    assert page.scripts == [] and "from_dora()" not in str([attributes for _, attributes in page.elements])


def test_students_files_stay_as_they_were_handed_in(cycle: Cycle) -> None:
    """Grading changes nothing in submitted/."""
    for student, assignment in SUBMISSIONS:
        if student == "cleo":
            assert cycle.released(assignment) == read(cycle.submitted(student, assignment))
    assert read(cycle.submitted("dora", EX1))["cells"][-1]["source"] == DORAS_TEXT


# -- what stays hidden --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", ["release", "solutions", "submitted", "autograded", "feedback", "exchange"])
def test_no_line_of_a_hidden_check_is_in_any_file_for_students(cycle: Cycle, tree: str) -> None:
    """Neither a canary nor a line of the hidden checks' code stands in what students or their notebooks receive."""
    secrets = {canary: path for path, canary in support.canaries().items()} | support.hidden_lines()
    assert len(secrets) > 200, "the test should have something to look for"
    roots = [cycle.root / tree] + [ROOT / tree] * (tree in ("release", "solutions"))
    files = [path for root in roots for path in root.rglob("*") if path.is_file()]
    assert files
    for path in files:
        raw = path.read_text("utf-8")
        read_by_people = {".ipynb": lambda: support.shown_text(read(path)), ".html": lambda: Page(raw).text}  # noqa: B023
        text = raw + read_by_people.get(path.suffix, str)()
        assert {where: secret for secret, where in secrets.items() if secret in text} == {}, path.name


def test_a_submission_finds_nothing_of_the_grader(cycle: Cycle) -> None:
    """Neither a canary nor a variable of the grader's environment is anywhere in a student's process."""
    (cell,) = [cell for cell in cycle.autograded("fay", EX1)["cells"] if cell["source"] == FAYS_SEARCH]
    told = json.loads(support.output_text(cell))
    assert told["texts"] > 10_000, "the search should have looked at many texts"
    assert told["bytes"] == -1 or told["bytes"] > 10_000_000, "where there is /proc, it should have read much memory"
    assert told["found"] == []
    assert MARKER[0] not in told["environ"]
    outsiders = ("autograder", "nbgrader", "pytest", "_pytest", "sqlalchemy")
    assert [name for name in told["modules"] if name.split(".")[0] in outsiders] == []


def test_a_call_by_a_hidden_check_finds_nothing_of_the_grader(cycle: Cycle) -> None:
    """Also while a hidden check is asking, there is nothing of the grader in a student's process."""
    messages = [check["message"] for _, check in check_lines(cycle.reports["fay", EX1]) if check["outcome"] == "failed"]
    assert any("found [] in many texts" in message for message in messages), messages
    shown = support.shown_text(cycle.autograded("fay", EX1)) + cycle.page("fay", EX1).text
    assert [secret for pattern in SECRETS for secret in re.findall(pattern, shown)] == []


# -- helpers ------------------------------------------------------------------------------------------------------


def exported(root: Path) -> list[dict[str, str]]:
    with (root / "grades.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def comparable(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook without what may differ from run to run: times, versions, pictures, how a stream was cut."""
    kept = copy.deepcopy(notebook)
    kept["metadata"].pop("language_info", None)
    for cell in kept["cells"]:
        cell["metadata"].pop("execution", None)
        outputs: list[dict[str, Any]] = []
        for output in cell.get("outputs", []):
            output["data"] = {kind: data for kind, data in output.get("data", {}).items() if kind.startswith("text/")}
            if outputs and output["output_type"] == "stream" and output.get("name") == outputs[-1].get("name"):
                outputs[-1]["text"] += output["text"]
            else:
                outputs.append(output)
        if "outputs" in cell:
            cell["outputs"] = outputs
    return kept
