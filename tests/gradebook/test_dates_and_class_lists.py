"""Class lists, due dates, extensions, and what being late costs, all in nbgrader's own gradebook."""

from __future__ import annotations

import datetime
import logging
import shutil
from typing import Any

import pytest
from class_with_gradebook import EX2, Class

pytestmark = pytest.mark.filterwarnings("ignore:Object of type <Submitted")  # nbgrader's, as in course_config.py

FULL = (2, 3, 3, 2)


def students(school: Class) -> dict[str, tuple[str | None, ...]]:
    with school.gradebook() as gradebook:
        return {s.id: (s.first_name, s.last_name, s.email, s.lms_user_id) for s in gradebook.students}


def test_a_class_list_is_imported_and_nobody_is_removed(school: Class) -> None:
    """A blank cell leaves what is known; students who are not in the list stay, and are said."""
    school.enrol("s01", email="old@uni.example", first_name="J.")
    school.enrol("s09")
    file = school.write(
        "roster.csv", "id;first_name;last_name;email\ns01;Jane;Doé;\ns02;Ömer;Ünal;o@uni.example\n", "cp1252"
    )
    _, err = school.run("roster", file)
    assert students(school) == {
        "s01": ("Jane", "Doé", "old@uni.example", None),
        "s02": ("Ömer", "Ünal", "o@uni.example", None),
        "s09": (None, None, None, None),
    }
    assert "1 students added, 1 known already" in err and "(kept): s09" in err


def test_canvas_and_moodle_lists_are_class_lists_too(school: Class) -> None:
    canvas = school.write("canvas.csv", "Student,ID,SIS User ID,SIS Login ID,Section,ex (1)\n,,,,,Manual Posting\n"
        '    Points Possible,,,,,10\n"Doe, Jane",4321,U1,s01,A,\n"Student, Test",9,,ab12,A,\n')  # fmt: skip
    moodle = school.write("participants.csv", "First name,Last name,Email address,Groups\nÖmer,Ünal,o@uni.example,\n")
    school.run("roster", canvas)
    school.run("roster", moodle)
    assert students(school) == {
        "s01": ("Jane", "Doe", None, "4321"), "o@uni.example": ("Ömer", "Ünal", "o@uni.example", None),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\nx\n", "there is no column 'id'"),
        (
            "id,email\ns01,a\ns01,b\n,c\n../up,d\n=1,e\n",
            "line 3: 's01' is there twice; line 4: the student id is blank",
        ),
        ("id\n", "has no students"),
        ("id,id\na,b\n", "there 2 times"),
    ],
)
def test_a_list_that_is_not_in_order_adds_nobody(school: Class, text: str, said: str) -> None:
    assert said in school.refused("roster", school.write("roster.csv", text))
    assert students(school) == {}


def test_due_dates_of_the_configuration_win_and_are_written_to_the_gradebook(school: Class) -> None:
    school.enrol("s01")
    with school.gradebook() as gradebook:
        gradebook.update_or_create_assignment(EX2, duedate="2020-01-01 00:00:00 UTC")
    school.run("roster", school.write("roster.csv", "id\ns01\n"))
    with school.gradebook() as gradebook:
        assert gradebook.find_assignment(EX2).duedate == datetime.datetime(2026, 11, 1, 12)


def extension(school: Class, student: str) -> Any:
    with school.gradebook() as gradebook:
        return gradebook.find_submission(EX2, student).extension


def test_extensions_are_nbgraders_own_and_do_not_add_up(school: Class) -> None:
    """Hours or a new due date; the last one counts, and 0 hours takes it back. A grade that was there is said."""
    school.enrol("s02")
    school.grade("s01", FULL, "2026-11-02 11:00:00 UTC")
    head = "student,assignment,hours,due\n"
    file = school.write("extensions.csv", f"{head}s01,{EX2},36.5,\ns02,{EX2},,2026-11-03 12:00 UTC\n")
    _, err = school.run("extensions", file)
    assert extension(school, "s01") == datetime.timedelta(hours=36.5)
    assert extension(school, "s02") == datetime.timedelta(days=2)
    assert f"s02, {EX2}: until 2026-11-03 12:00 UTC" in err
    assert "s01 is graded already" in err and "s02 is graded" not in err
    with school.gradebook() as gradebook:
        assert gradebook.find_submission(EX2, "s01").total_seconds_late == 0
    school.run("extensions", school.write("extensions.csv", f"{head}s01,{EX2},0,\n"))
    assert extension(school, "s01") is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"s09,{EX2},24,", "line 3: 's09' is no student"),
        ("s01,ex9,24,", "'ex9' is no assignment"),
        (f"s01,{EX2},24,", "are there twice"),
        (f"s02,{EX2},,", "either hours or a new due date"),
        (f"s02,{EX2},soon,", "'soon' is no number of hours"),
        (f"s02,{EX2},nan,", "'nan' is no number of hours"),
        (f"s02,{EX2},,tomorrow", "'tomorrow' is no date"),
        (f"s02,{EX2},-3,", "before the due date"),
        (f"s02,{EX2},,2026-10-01 12:00 UTC", "before the due date"),
    ],
)
def test_one_bad_line_grants_nobody_anything(school: Class, line: str, said: str) -> None:
    school.enrol("s01", "s02")
    file = school.write("extensions.csv", f"student,assignment,hours,due\ns01,{EX2},24,\n{line}\n")
    assert said in school.refused("extensions", file)
    with school.gradebook() as gradebook:
        assert gradebook.find_assignment(EX2).submissions == []


POLICY = ("c.LatePolicy.grace_minutes = 15", "c.LatePolicy.percent_a_day = 10", "c.LatePolicy.cap_percent = 25")


@pytest.mark.parametrize(
    ("seconds", "lost"),
    [(0, None), (15 * 60, None), (15 * 60 + 1, 0.8), (86_400, 0.8), (86_401, 1.6), (3 * 86_400, 2.0), (1e9, 2.0)],
)
def test_being_late_costs_per_cent_of_the_score_for_each_day_begun(seconds: float, lost: float | None) -> None:
    """Within the grace nothing, and never more than the cap."""
    from autograder.gradebook.late import LatePolicy

    policy = LatePolicy(grace_minutes=15, percent_a_day=10, cap_percent=25)
    assert policy.late_submission_penalty("s01", 8.0, seconds) == lost


def test_nbgraders_own_setting_goes_on_working() -> None:
    """A course that sets LateSubmissionPlugin.penalty_method to "zero" loses a late score as a whole, as before."""
    from traitlets.config import Config

    from autograder.gradebook.late import LatePolicy

    policy = LatePolicy(config=Config({"LateSubmissionPlugin": {"penalty_method": "zero"}}))
    assert policy.late_submission_penalty("s01", 8.0, 1.0) == 8.0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("c.LatePolicy.percent_a_day = 101", "c.LatePolicy.percent_a_day is 101"),
        ("c.LatePolicy.grace_minutes = 'ten'", "c.LatePolicy.grace_minutes is 'ten'"),
        ("c.Course.several = 'first'", "c.Course.several is 'first'"),
    ],
)
def test_a_policy_that_makes_no_sense_is_one_error(school: Class, line: str, said: str) -> None:
    school.configure(line)
    assert said in school.refused("export", "csv", "--assignment", EX2)


def test_the_penalty_is_in_the_gradebook_in_the_feedback_and_in_the_exported_score(school: Class) -> None:
    """nbgrader's own step asks the policy; an extension moves the day from which lateness counts."""
    from nbgrader.converters import GenerateFeedback
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.preprocessors import AssignLatePenalties

    school.configure(*POLICY)
    school.grade("s01", FULL, "2026-11-02 13:00:00 UTC")  # 25 hours: two days begun
    school.grade("s02", FULL, "2026-11-02 13:00:00 UTC")
    school.run("extensions", school.write("extensions.csv", f"student,assignment,hours\ns02,{EX2},24\n"))
    config = school.course.config
    for student in ("s01", "s02"):
        notebook = school.root / "autograded" / student / EX2 / f"{EX2}.ipynb"
        notebook.parent.mkdir(parents=True)
        shutil.copy(school.root / "release" / EX2 / notebook.name, notebook)
        told = {"notebook": EX2, "assignment": EX2, "student": student,
                "db_url": f"sqlite:///{school.root}/gradebook.db"}  # fmt: skip
        step = AssignLatePenalties(config=config)
        step.log = quiet()
        step.preprocess(_Empty(), {"nbgrader": told})
    with school.gradebook() as gradebook:
        penalties = [gradebook.find_submission(EX2, who).late_submission_penalty for who in ("s01", "s02")]
    assert penalties == [2.0, 1.0]

    directory = CourseDirectory(config=config)
    directory.assignment_id, directory.student_id = EX2, "s01"
    GenerateFeedback(coursedir=directory, config=config, log=quiet()).start()
    page = (school.root / "feedback" / "s01" / EX2 / f"{EX2}.html").read_text("utf-8")
    assert "Late submission penalty (Score: -2.0)" in page
    assert "(Score: 8.0 / 10.0)" in page

    out, _ = school.run("export", "csv", "--assignment", EX2)
    assert [line.split(",")[5] for line in out.splitlines()[1:]] == ["8.00", "9.00"]


class _Empty(dict[str, Any]):
    """A notebook without cells, as nbgrader's step goes over it."""

    cells: list[Any] = []


def quiet() -> logging.Logger:
    log = logging.getLogger("tests.nbgrader")
    log.setLevel(logging.CRITICAL)
    return log
