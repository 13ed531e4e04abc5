"""Grade files are the LMS's own with one column filled in; what has no score stays blank."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest
from class_with_gradebook import EX2, Class

pytestmark = pytest.mark.filterwarnings("ignore:Object of type <Submitted")  # nbgrader's, as in course_config.py

FULL, HALF, OPEN = (2, 3, 3, 2), (2, 3, 0, 0), (2, 3, None, 2)

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Mask notes,ex2-causal-masking (777),Essay (778),Current Score,Final Score
,,,,,,Manual Posting,,,
    Points Possible,,,,,,100.00,5.00,(read only),(read only)
"Doe, Jane",4321,U1,s01,"Lab A, and Lab B",,,4.50,,
"Ünal, Ömer",4322,U2,s02,Lab A,late?,,,,
"=Evil, Eve",4323,U3,s03,Lab A,,55.00,,,
"Roe, Rex",4324,U4,s04,Lab A,,EX,,,
"Nul, Nia",4325,U5,s05,Lab A,,,,,
"Far, Fay",4326,U6,x99,Lab A,,,,,
"Student, Test",4399,,bbbc6740f0b946af,Lab A,,,,,
"""
MOODLE = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",\
"Last modified (submission)","Online text","Last modified (grade)","Feedback comments"
"Participant 12345","Jane Doe",jane@uni.example,Submitted,,100.00,Yes,"Friday, 30 October 2026, 10:30 PM",,-,
"Participant 12346","Ömer Ünal",OMER@uni.example,Submitted,,100.00,Yes,"Sunday, 1 November 2026, 12:30 PM",,-,"Two
lines"
"Participant 12347","Eve Evil",eve@uni.example,"No submission",,100.00,No,-,,-,
"""


def cells(text: str, separator: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


@pytest.fixture(scope="module")
def marked(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """s01 has full marks, s02 half, s03 waits for a person, s04 has full marks, s05 handed in nothing; s06 has left."""
    root = shutil.copytree(template, tmp_path_factory.mktemp("marked") / "course")
    made = Class(root)
    for student, scores in (("s01", FULL), ("s02", HALF), ("s03", OPEN), ("s04", FULL), ("s06", FULL)):
        made.grade(student, scores)
    made.enrol("s05")
    return root


@pytest.fixture
def graded(marked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Class:
    return Class(shutil.copytree(marked, tmp_path / "course"), capsys)


def canvas(school: Class, text: str = CANVAS, encoding: str = "utf-8", *more: str) -> tuple[bytes, str]:
    """Fill in a Canvas file and return it as written, with what was said."""
    file, filled = school.write("canvas.csv", text, encoding), school.root / "filled.csv"
    _, err = school.run("export", "canvas", "--gradebook-file", file, "--assignment", EX2, "--output", filled, *more)
    return filled.read_bytes(), err


def test_canvas_gets_its_own_file_back_with_one_column_filled_in(graded: Class) -> None:
    """Scores are in the LMS's points; every other cell is as it was, the test student and excused ones included."""
    data, _ = canvas(graded)
    before, after = cells(CANVAS), cells(data.decode())
    assert [row[6] for row in after[3:]] == ["100.00", "50.00", "55.00", "EX", "0.00", "", ""]
    assert [row[:6] + row[7:] for row in after] == [row[:6] + row[7:] for row in before]
    assert after[:3] == before[:3]


def test_a_score_that_waits_for_a_person_is_no_zero(graded: Class) -> None:
    """What the cell held stays, and whoever imports the file is told."""
    data, err = canvas(graded, CANVAS.replace("55.00", ""))
    assert cells(data.decode())[5][6] == ""
    assert "left as it was (waits for a person): s03" in err


def test_unmatched_students_are_listed_in_both_directions(graded: Class) -> None:
    """Students are matched by ID and never by name; a formula in a name is harmless in the list too."""
    _, err = canvas(graded, CANVAS.replace("s03", "x03").replace("x99", "x99"))
    assert "matched by SIS Login ID = student id" in err
    assert "in the file and not in the gradebook: '=Evil, Eve (line 6), Far, Fay (line 9)" in err
    assert "in the gradebook and not in the file: s03, s06" in err
    assert "Test" not in err


def test_canvas_ids_of_the_class_list_come_first(graded: Class) -> None:
    """lms_user_id, from a Canvas class list, is the surest way to tell a student."""
    with graded.gradebook() as gradebook:
        for student, number in (("s01", "4322"), ("s02", "4321"), ("s03", "4323"), ("s04", "4324"), ("s05", "4325")):
            gradebook.update_or_create_student(student, lms_user_id=number)
    data, err = canvas(graded)
    assert [row[6] for row in cells(data.decode())[3:5]] == ["50.00", "100.00"]
    assert "matched by ID = LMS id" in err


@pytest.mark.parametrize(
    ("encoding", "separator", "newline"),
    [("utf-8-sig", ",", "\r\n"), ("cp1252", ";", "\n"), ("utf-16", "\t", "\r\n"), ("utf-8", ";", "\r\n")],
)
def test_encoding_separator_and_line_ends_stay(graded: Class, encoding: str, separator: str, newline: str) -> None:
    """A file comes back as its program wrote it, with a decimal comma where its numbers have one."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator=newline)
    writer.writerows([[cell.replace(".", ",") if separator == ";" else cell for cell in row] for row in cells(CANVAS)])
    data, _ = canvas(graded, text.getvalue(), encoding)
    rows = cells(data.decode(encoding), separator)
    assert rows[3][6] == ("100,00" if separator == ";" else "100.00")
    assert rows[4][0] == "Ünal, Ömer"
    assert data.startswith(text.getvalue()[:20].encode(encoding))
    assert data.decode(encoding).count(newline) == len(rows)


def test_first_and_last_names_in_columns_of_their_own(graded: Class) -> None:
    """Canvas can export names in two columns; the test student is known there too."""
    rows = [["LastName", "FirstName", *row[1:]] if n == 0 else [*(row[0].split(", ") + [""])[:2], *row[1:]]
            for n, row in enumerate(cells(CANVAS))]  # fmt: skip
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    data, err = canvas(graded, text.getvalue())
    assert [row[7] for row in cells(data.decode())[3:5]] == ["100.00", "50.00"]
    assert "bbbc" not in err and "Student" not in err


def test_moodles_worksheet_is_filled_in_by_email_address(graded: Class) -> None:
    """Moodle's own columns stay, comments of several lines too; a grade that is locked there is left alone."""
    for student, name in (("s01", "jane"), ("s02", "omer"), ("s04", "eve")):
        graded.enrol(student, email=f"{name}@uni.example")
    file = graded.write("worksheet.csv", MOODLE)
    out, err = graded.run("export", "moodle", "--gradebook-file", file, "--assignment", EX2)
    before, after = cells(MOODLE), cells(out)
    assert [row[4] for row in after[1:]] == ["100.00", "50.00", ""]
    assert [row[:4] + row[5:] for row in after] == [row[:4] + row[5:] for row in before]
    assert "left as it was (locked in Moodle's gradebook): s04" in err


def test_a_worksheet_in_another_language_needs_its_columns_named(graded: Class) -> None:
    """The maximum stands right of the grades in every language."""
    graded.enrol("s01", email="jane@uni.example")
    text = 'ID,E-Mail-Adresse,Bewertung,Bestwertung\n"Teilnehmer/in12345",jane@uni.example,,"25,00"\n'
    file = graded.write("worksheet.csv", text)
    call = ("export", "moodle", "--gradebook-file", file, "--assignment", EX2)
    assert "no column 'Identifier'" in graded.refused(*call)
    out, _ = graded.run(*call, "--column", "Bewertung", "--match", "E-Mail-Adresse")
    assert cells(out)[1][2] == "25,00"


def test_a_plain_file_says_why_a_score_is_blank_and_runs_no_formula(graded: Class) -> None:
    graded.enrol("s01", first_name="=cmd|' /C calc'!A0", last_name="@SUM(1)", email="\t=1")
    out, _ = graded.run("export", "csv", "--assignment", EX2)
    rows = {row["student_id"]: row for row in csv.DictReader(io.StringIO(out))}
    assert (rows["s01"]["first_name"], rows["s01"]["last_name"]) == ("'=cmd|' /C calc'!A0", "'@SUM(1)")
    assert rows["s01"]["email"] == "'\t=1"
    assert [(rows[s]["score"], rows[s]["state"]) for s in ("s01", "s03", "s05")] == [
        ("10.00", "graded"), ("", "waits for a person"), ("0.00", "nothing handed in"),
    ]  # fmt: skip


def test_nothing_handed_in_is_blank_or_zero_by_configuration(graded: Class) -> None:
    graded.configure('c.Course.nothing_handed_in = "blank"')
    data, err = canvas(graded)
    assert cells(data.decode())[7][6] == ""
    assert "left as it was (nothing handed in): s05" in err
    graded.configure('c.Course.nothing_handed_in = "none"')
    assert "c.Course.nothing_handed_in is 'none'" in graded.refused("export", "csv", "--assignment", EX2)


def test_what_is_not_graded_or_not_due_yet_is_no_zero(graded: Class) -> None:
    """A submission in submitted/ that nobody graded, and a student whose extension still runs, stay blank."""
    graded.enrol("s07")
    graded.handed_in("s05").mkdir(parents=True)
    (graded.handed_in("s05") / "notes.txt").touch()
    file = graded.write("extensions.csv", "student,assignment,due\ns07,ex2-causal-masking,2036-01-01 12:00 UTC\n")
    graded.run("extensions", file)
    out, _ = graded.run("export", "csv", "--assignment", EX2)
    rows = {row["student_id"]: row for row in csv.DictReader(io.StringIO(out))}
    assert (rows["s05"]["score"], rows["s05"]["state"]) == ("", "handed in, not graded yet")
    assert (rows["s07"]["score"], rows["s07"]["state"]) == ("", "nothing handed in, and not due yet")


def test_an_assignment_that_nobody_graded_is_not_exported_as_zeros(school: Class) -> None:
    school.enrol("s01")
    assert "nothing of ex2-causal-masking is graded yet" in school.refused("export", "csv", "--assignment", EX2)


HEADER, _, POINTS, *STUDENTS = CANVAS.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(CANVAS.replace(",ID,", ",Number,"), "there is no column 'ID'", id="no-id"),
        pytest.param(CANVAS.replace("    Points Possible", "    "), "'Points Possible'", id="no-points"),
        pytest.param(CANVAS.replace(" (777)", ""), "there is no column for 'ex2-causal-masking'", id="no-assignment"),
        pytest.param(CANVAS.replace("100.00", "(read only)"), "there is no column for", id="read-only"),
        pytest.param(CANVAS.replace("Essay", EX2), "there are 2 columns for", id="two-columns"),
        pytest.param(CANVAS.replace("s02", "s01"), "'s01' stands in lines 4 and 5", id="doubled"),
        pytest.param(CANVAS.replace("SIS Login ID", "ID"), "the column 'ID' is there 2 times", id="doubled-column"),
        pytest.param(HEADER + POINTS + STUDENTS[5], "no row is a student of the gradebook", id="nobody"),
        pytest.param(CANVAS.replace('"Roe, Rex"', "Roe, Rex"), "line 7: there are 11 cells", id="unquoted"),
        pytest.param(CANVAS.replace('"Roe, Rex"', '"Roe, Rex'), "cannot be read as CSV", id="quotation-mark"),
        pytest.param("", "cannot be read as CSV", id="empty"),
        pytest.param("PK\x03\x04", "is a workbook or an archive", id="workbook"),
        pytest.param(MOODLE, "there is no column 'Student' or 'LastName'", id="moodles"),
    ],
)
def test_a_file_that_is_not_in_order_is_one_error_and_nothing_is_written(graded: Class, text: str, said: str) -> None:
    file, filled = graded.write("canvas.csv", text), graded.write("filled.csv", "as it was")
    err = graded.refused("export", "canvas", "--gradebook-file", file, "--assignment", EX2, "--output", filled)
    assert said in err
    assert filled.read_text("utf-8") == "as it was"
    assert not list(graded.root.glob("*.part"))


def test_an_output_that_cannot_be_written_is_one_error(graded: Class) -> None:
    call = ("export", "csv", "--assignment", EX2, "--output")
    assert "cannot be written" in graded.refused(*call, graded.root)
    assert "cannot be written" in graded.refused(*call, graded.root / "nowhere" / "grades.csv")


def test_two_students_with_one_email_address_are_not_guessed_apart(graded: Class) -> None:
    graded.enrol("s01", "s02", email="jane@uni.example")
    file = graded.write("worksheet.csv", MOODLE)
    err = graded.refused("export", "moodle", "--gradebook-file", file, "--assignment", EX2)
    assert "students s01 and s02 have the same email address" in err
