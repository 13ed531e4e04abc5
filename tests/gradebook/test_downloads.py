"""What Canvas and Moodle let download becomes submitted/, whatever the archives hold."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from class_with_gradebook import EX2, Class
from support import ROOT, notebook_path

pytestmark = pytest.mark.filterwarnings("ignore:Object of type <Submitted")  # nbgrader's, as in course_config.py

MODEL = notebook_path(ROOT / "solutions", EX2).read_text("utf-8")
BLANK = notebook_path(ROOT / "release", EX2).read_text("utf-8")
NAME = f"{EX2}.ipynb"
SUFFIX = "assignsubmission_file"

WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),\
Last modified (grade)
Participant 501,Jane Doe,s01@uni.example,Submitted,,10.00,Yes,"Sunday, 1 November 2026, 2:30 PM",-
Participant 502,Ömer Ünal,s02@uni.example,Submitted,,10.00,Yes,"Friday, 30 October 2026, 9:05 AM",-
"""

BLIND = "Identifier,Status,Grade,Maximum Grade,Last modified (grade)\nParticipant 501,Submitted,,10.00,-\n"


def zipped(files: Mapping[str, str | bytes], day: int = 1) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, day, 8, 0, 0)), content)
    return data.getvalue()


def archive(school: Class, files: Mapping[str, str | bytes], name: str = "submissions.zip", day: int = 1) -> Path:
    path = school.root / name
    path.write_bytes(zipped(files, day))
    return path


def handed_in(school: Class) -> dict[str, str]:
    """Return what lies in submitted/, by name, without the assignment's folder."""
    root = school.root / "submitted"
    return {
        path.relative_to(root).as_posix().replace(f"/{EX2}/", "/"): path.read_text("utf-8")
        for path in root.rglob("*")
        if path.is_file()
    }


def test_canvas_archive_goes_to_the_students_of_the_class_list(school: Class) -> None:
    """Canvas's number names the student; the number that it adds to a name handed in again is taken off."""
    school.enrol("s01", lms_user_id="4321")
    files = {
        f"doejane_LATE_4321_98765_{EX2}-2.ipynb": "jane",
        "doejane_LATE_4321_98766_data_1_2_x.csv": "1,2",
        f"anon_4322_98767_{NAME}": "omer",
    }
    _, err = school.run("collect", EX2, archive(school, files))
    assert handed_in(school) == {f"s01/{NAME}": "jane", "s01/data_1_2_x.csv": "1,2", f"4322/{NAME}": "omer"}
    assert "numbers of nobody in the class list, taken as ids: 4322" in err
    assert "late, says Canvas, whose archive does not say when: s01" in err


def test_moodle_archive_needs_the_worksheet_that_says_who_is_who(school: Class) -> None:
    """Participants' numbers are anew for each assignment. The worksheet also says when, in the course's zone."""
    school.enrol("s01", email="S01@uni.example")
    school.enrol("s02", email="s02@uni.example")
    school.configure('c.LmsExtractor.timezone = "Europe/Berlin"')
    files = {f"Jane Doe_501_{SUFFIX}_/{NAME}": "jane", f"Ömer Ünal_502_{SUFFIX}_{NAME}": "omer"}
    zip_file = archive(school, files)
    assert "grading worksheet" in school.refused("collect", EX2, zip_file)
    school.run("collect", EX2, zip_file, school.write("worksheet.csv", WORKSHEET))
    assert handed_in(school) == {
        f"s01/{NAME}": "jane",
        "s01/timestamp.txt": "2026-11-01 13:30:00 UTC",
        f"s02/{NAME}": "omer",
        "s02/timestamp.txt": "2026-10-30 08:05:00 UTC",
    }


def test_who_is_not_in_the_class_list_gets_the_id_that_it_would_give_them(school: Class) -> None:
    """Not the participant's number, which is another one in the next assignment. Times that cannot be read are said."""
    text = WORKSHEET.replace("Sunday, 1 November 2026, 2:30 PM", "Sonntag, 1. Nov 2026")
    zip_file = archive(school, {f"Jane Doe_501_{SUFFIX}_/{NAME}": "jane"})
    _, err = school.run("collect", EX2, zip_file, school.write("worksheet.csv", text))
    assert handed_in(school) == {f"s01@uni.example/{NAME}": "jane"}
    assert "not in the class list: s01@uni.example" in err
    assert "1 times in the worksheet cannot be read ('Sonntag, 1. Nov 2026')" in err


def test_two_numbered_copies_of_a_notebook_are_both_kept(school: Class) -> None:
    files = {f"a_1_10_{EX2}-1.ipynb": "one", f"a_1_11_{EX2}-2.ipynb": "two"}
    school.run("collect", EX2, archive(school, files))
    assert handed_in(school) == {f"1/{EX2}-1.ipynb": "one", f"1/{EX2}-2.ipynb": "two"}


def test_nbgraders_own_command_reads_the_archive_folder(school: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """`nbgrader zip_collect` works with the plugins that course_config.py names."""
    from nbgrader.apps.zipcollectapp import ZipCollectApp

    school.enrol("s01", lms_user_id="4321")
    folder = school.root / "downloaded" / EX2 / "archive"
    folder.mkdir(parents=True)
    (folder / "submissions.zip").write_bytes(zipped({f"doejane_4321_98765_{NAME}": "jane"}))
    monkeypatch.chdir(school.root)
    app = ZipCollectApp()
    app.initialize([EX2, "--log-level=ERROR"])
    app.start()
    assert handed_in(school) == {f"s01/{NAME}": "jane"}
    with pytest.raises(SystemExit):
        app.start()
    assert handed_in(school) == {f"s01/{NAME}": "jane"}


def test_a_students_file_name_cannot_pass_for_anothers(school: Class) -> None:
    """The end of a name is the student's choice; the number before it is the LMS's."""
    school.enrol("s01", lms_user_id="4321")
    files = {
        f"doejane_4321_98765_x_4322_98000_{NAME}": "a",
        f"doejane_4321_98766_x_77_{SUFFIX}_y.ipynb": "b",
    }
    school.run("collect", EX2, archive(school, files))
    assert handed_in(school) == {f"s01/x_4322_98000_{NAME}": "a", f"s01/x_77_{SUFFIX}_y.ipynb": "b"}


def test_hostile_archives_write_nothing_outside(school: Class) -> None:
    """Names that lead out, links, encrypted and oversized files are left out and said; the rest is collected."""
    link = zipfile.ZipInfo("doejane_4321_5_link.ipynb")
    link.external_attr = 0o120777 << 16
    school.configure("c.Course.limits = {'submission_mb': 1}")
    path = school.root / "submissions.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name in ("../../evil_1_2_x", "/abs_1_2_x", "..\\win_1_2_x", "C:/drive_1_2_x", "a_1_2_x\n.ipynb", "readme"):
            made.writestr(name, "evil")
        made.writestr(link, "/etc/passwd")
        made.writestr("doejane_4321_6_big.bin", bytes(2 * 10**6))
        made.writestr("doejane_4321_7_timestamp.txt", "2001-01-01 00:00:00 UTC")
        made.writestr(f"__MACOSX/._doejane_4321_8_{NAME}", "shadow")
        made.writestr(f"doejane_4321_9_{NAME}", "jane")
        made.writestr("doejane_4321_10_work.zip", zipped({"../../../up.txt": "evil", "deep/data.txt": "1"}))
        made.writestr("doejane_4321_11_...zip", zipped({"dots.txt": "2"}))
        made.writestr(f"Jane_5_{SUFFIX}_../{EX2}/x.txt", "evil")
    before = {file for file in school.root.parent.rglob("*") if file.is_file()}
    _, err = school.run("collect", EX2, path, school.write("worksheet.csv", BLIND))
    found = handed_in(school)
    assert found.pop("4321/link.ipynb.left-out.txt") == "This file was left out: it is a link.\n"
    assert found.pop("4321/big.bin.left-out.txt") == "This file was left out: it has more than 1 MB.\n"
    assert found == {f"4321/{NAME}": "jane", "4321/work/deep/data.txt": "1", "4321/archive/dots.txt": "2"}
    for said in ("evil_1_2_x", "abs_1_2_x", "win_1_2_x", "drive_1_2_x", "it is a link", "more than 1 MB", "up.txt"):
        assert said in err
    assert "not for the student to say" in err and "readme (its name does not say whose it is)" in err
    new = {file for file in school.root.parent.rglob("*") if file.is_file()} - before
    assert {file.relative_to(school.root).parts[0] for file in new} <= {"submitted", "downloaded", "worksheet.csv"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        pytest.param({"notes.txt": "x"}, "is named as Canvas or Moodle name submissions", id="other-names"),
        pytest.param({"a_1_2_X.txt": "x", "A_1_3_x.TXT": "y"}, "has two different files", id="case-only"),
        pytest.param(b"PK\x03\x04 and no more", "is damaged", id="cut-off"),
    ],
)
def test_archives_that_are_not_in_order_are_one_error(school: Class, files: Any, said: str) -> None:
    path = school.root / "submissions.zip"
    path.write_bytes(files if isinstance(files, bytes) else zipped(files))
    assert said in school.refused("collect", EX2, path)
    assert not (school.root / "submitted").exists()


def test_one_name_twice_in_an_archive_is_an_error_unless_it_is_the_same_file(school: Class) -> None:
    path = school.root / "submissions.zip"
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "w") as made:
        made.writestr("a_1_2_x.ipynb", "same")
        made.writestr("a_1_2_x.ipynb", "same")
    school.run("collect", EX2, path)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as made:
        made.writestr("a_1_2_x.ipynb", "another")
    assert "holds two different files named" in school.refused("collect", EX2, path, "--force")
    assert handed_in(school) == {"1/x.ipynb": "same"}


def test_what_is_there_already_is_replaced_only_by_force(school: Class) -> None:
    """Not even the submissions of other students are written before that is known."""
    first = archive(school, {f"a_1_10_{NAME}": "first"}, "first.zip")
    both = archive(school, {f"a_1_11_{NAME}": "second", f"b_0_12_{NAME}": "other"}, "both.zip")
    school.run("collect", EX2, first)
    assert "of 1 already" in school.refused("collect", EX2, both)
    assert handed_in(school) == {f"1/{NAME}": "first"}
    school.run("collect", EX2, both, "--force")
    assert handed_in(school) == {f"1/{NAME}": "second", f"0/{NAME}": "other"}


def test_the_latest_of_several_submissions_counts(school: Class) -> None:
    """Canvas numbers files as they arrive, so archives may be named in any order; a copy is no second submission."""
    older = archive(school, {f"a_1_10_{NAME}": "older", f"b_2_9_{NAME}": "b"}, "older.zip")
    newer = archive(school, {f"a_1_11_{NAME}": "newer", f"b_2_9_{NAME}": "b"}, "newer.zip")
    _, err = school.run("collect", EX2, newer, older)
    assert handed_in(school) == {f"1/{NAME}": "newer", f"2/{NAME}": "b"}
    assert "1: 2 submissions, the latest counts" in err and "2: 2" not in err


def test_of_several_archives_of_moodles_each_has_its_own_time(school: Class) -> None:
    """The worksheet's time is that of the last submission."""
    school.configure('c.Course.several = "best"', "c.LatePolicy.percent_a_day = 50")
    sheet = school.write("worksheet.csv", WORKSHEET)
    name = f"Jane Doe_501_{SUFFIX}_/{NAME}"
    school.enrol("s01", email="s01@uni.example")
    newer, older = (
        archive(school, {name: BLANK}, "newer.zip", day=2),
        archive(school, {name: MODEL}, "older.zip", day=1),
    )
    school.run("collect", EX2, newer, older, sheet)
    assert handed_in(school) == {f"s01/{NAME}": MODEL, "s01/timestamp.txt": "2026-11-01 08:00:00 UTC"}


def test_the_best_of_several_submissions_counts_after_the_late_penalty(school: Class) -> None:
    """All of them are graded. A late one must be better by more than being late costs."""
    school.configure('c.Course.several = "best"', "c.LatePolicy.percent_a_day = 60")
    pattern = r"(?P<student>\w+?)_(?P<timestamp>\d{8}-\d{4})_"
    half = MODEL.replace("def is_causal", "def is_never_causal")
    assert half != MODEL
    folder = school.root / "flat"
    folder.mkdir()
    for name, text in {
        "s01_20261030-1200_a.ipynb": MODEL, "s01_20261101-0900_b.ipynb": BLANK,  # the earlier is better
        "s02_20261031-1200_a.ipynb": half, "s02_20261103-1200_b.ipynb": MODEL,  # two days late: 100 % are lost
    }.items():  # fmt: skip
        (folder / name).write_text(text, "utf-8")
    school.run("collect", EX2, folder, "--student-pattern", pattern)
    found = handed_in(school)
    assert [found["s01/timestamp.txt"], found["s02/timestamp.txt"]] == [
        "2026-10-30 12:00:00 UTC", "2026-10-31 12:00:00 UTC",
    ]  # fmt: skip
    assert found["s01/s01_20261030-1200_a.ipynb"] == MODEL
    assert len(found) == 4


def test_where_nothing_says_which_is_the_latest_nobody_guesses(school: Class) -> None:
    files = [archive(school, {f"s01_{NAME}": text}, f"{text}.zip") for text in ("one", "two")]
    err = school.refused("collect", EX2, *files, "--student-pattern", r"(?P<student>s\d+)_")
    assert "s01 has several submissions, and nothing says which is the latest" in err
    assert handed_in(school) == {}


def test_texts_typed_into_the_lms_are_collected_for_a_person(school: Class) -> None:
    """Who handed in a text, or a file that is too large, has handed in something: that is no zero."""
    files = {"doejane_LATE_4321_text.html": "text", "Ö_501_assignsubmission_onlinetext_/onlinetext.html": "html"}
    school.run("collect", EX2, archive(school, files), school.write("worksheet.csv", BLIND))
    assert handed_in(school) == {"4321/text.html": "text", "501/onlinetext.html": "html"}


def test_an_archive_may_have_been_unpacked_already(school: Class) -> None:
    """Some browsers do that. What a student put into folders of their own stays one submission."""
    folder = school.root / "unpacked"
    for name in (NAME, "data/x.csv", "data/deep/y.csv"):
        path = folder / f"Jane_501_{SUFFIX}_" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, "utf-8")
    (folder / "worksheet.csv").write_text(BLIND, "utf-8")
    school.run("collect", EX2, folder)
    assert handed_in(school) == {f"501/{name}": name for name in (NAME, "data/x.csv", "data/deep/y.csv")}


def test_a_flat_folder_is_split_by_a_pattern(school: Class) -> None:
    """The class list decides how an id is written; what the pattern does not fit is said."""
    school.enrol("S01")
    folder = school.root / "flat"
    folder.mkdir()
    for name in ("s01-1-ex2.ipynb", "s01-2-ex2.ipynb", "s02-1-ex2.ipynb", "s02-1-data.txt", "notes.ipynb"):
        (folder / name).write_text(name, "utf-8")
    os.symlink("/etc/passwd", folder / "s03-1-link.ipynb")
    _, err = school.run(
        "collect", EX2, folder, "--student-pattern", r"^(?P<student>s\d+)-(?P<attempt>\d+)-(?P<file>.+)"
    )
    assert handed_in(school) == {
        "S01/ex2.ipynb": "s01-2-ex2.ipynb", "s02/ex2.ipynb": "s02-1-ex2.ipynb", "s02/data.txt": "s02-1-data.txt",
        "s03/link.ipynb.left-out.txt": "This file was left out: it is a link.\n",
    }  # fmt: skip
    assert "notes.ipynb" in err and "s03-1-link.ipynb (it is a link)" in err
    assert "not in the class list: s02, s03" in err


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"(?P<student>s\d+", "is no pattern"),
        (r"s\d+", "does not say where the student's id is"),
        (r"(?P<student>.*)/a", "is no student id"),
        (r"(?P<student>s\d+)-\d-(?P<file>.*)", "has two different files"),
        (r"(?P<student>s\d+)-(?P<timestamp>\d)", "is no time"),
    ],
)
def test_a_pattern_that_does_not_fit_is_one_error(school: Class, pattern: str, said: str) -> None:
    folder = school.root / "flat"
    for name in ("s01-1-ex2.ipynb", "s01-2-ex2.ipynb", "=x/y/a.ipynb"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, "utf-8")
    err = school.refused("collect", EX2, folder, "--student-pattern", pattern)
    assert said in err
    assert not (school.root / "submitted").exists()


def test_blind_marking_uses_the_numbers_there_are(school: Class) -> None:
    """Where Moodle hides who is who, the participant's number is the student id, in the worksheet too."""
    sheet = school.write("worksheet.csv", BLIND)
    school.run("collect", EX2, archive(school, {f"Participant_501_{SUFFIX}_/{NAME}": "x"}), sheet)
    assert handed_in(school) == {f"501/{NAME}": "x"}
    school.grade("501", (2, 3, 3, 2))
    out, _ = school.run("export", "moodle", "--gradebook-file", sheet, "--assignment", EX2)
    assert out.splitlines()[1] == "Participant 501,Submitted,10.00,10.00,-"
