"""The class report: its figures are right, its names can be hidden, and a large class stays readable."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from reports import ASSIGNMENT, a_class, cell, check, report
from support import ROOT, Page

from autograder.commands.report import read_reports, run
from autograder.course import load_course
from autograder.grading.outcome import ERROR, FAILED
from autograder.grading.report import NEEDS_REVIEW, UNGRADABLE, Report
from autograder.outputs import class_figures, class_numbers, class_page
from autograder.outputs.standing import Place
from autograder.problems import CourseError


def text_of(page: str) -> str:
    return " ".join(Page(page).text.split())


def items(reports: list[Report]) -> dict[str, class_numbers.Item]:
    (sitting,) = class_numbers.sittings(reports)
    return {item.name.removeprefix("test_"): item for item in sitting.items}


def test_difficulty_is_the_share_that_passes() -> None:
    found = items(a_class(30, (ASSIGNMENT,)))
    assert {name: item.share for name, item in found.items()} == pytest.approx(
        {"easy": 1.0, "middle": 2 / 3, "hard": 1 / 3, "odd": 2 / 3}
    )
    assert (found["hard"].passed, found["hard"].failed, found["hard"].open) == (10, 20, 0)


def test_discrimination_is_the_correlation_with_the_points_of_all_other_checks() -> None:
    found = items(a_class(30, (ASSIGNMENT,)))
    level = np.arange(30) % 3
    rest = 2 + 2 * (level >= 2) + (level != 2)  # of "middle": easy, hard and odd
    assert found["middle"].discrimination == pytest.approx(np.corrcoef(level >= 1, rest)[0, 1])
    assert found["odd"].discrimination is not None and found["odd"].discrimination < 0
    assert "look at this check" in found["odd"].remark
    assert found["easy"].discrimination is None and found["easy"].remark == "nobody fails it"


def test_of_a_few_submissions_nothing_is_said_about_what_a_check_tells() -> None:
    assert items(a_class(6, (ASSIGNMENT,)))["middle"].discrimination is None


def test_a_check_in_error_counts_neither_as_passed_nor_as_failed() -> None:
    odd = report(cell("first", 1, check("middle", ERROR, "stopped")), student="z", status=NEEDS_REVIEW)
    found = items([*a_class(9, (ASSIGNMENT,)), odd])["middle"]
    assert (found.passed, found.failed, found.open) == (6, 3, 2 - 1)


def test_a_diagnosis_counts_once_for_a_submission() -> None:
    twice = report(cell("a", 2, check("x", FAILED, "m", "idea"), check("y", FAILED, "m", "idea")))
    assert class_numbers.diagnoses([twice, twice]) == [("idea", 2, [ASSIGNMENT])]
    assert class_numbers.undiagnosed([twice, report(cell("a", 2, check("x", FAILED, "m")))]) == 1


def test_the_page_holds_every_part() -> None:
    why = "Not graded: it is a PDF."
    waiting = report(cell("first", 7), student="s9999", status=UNGRADABLE, message=why, seconds=0.0)
    places = [Place("s0001", ASSIGNMENT, 3.0, 7.0, 1.0, True, "http://localhost:8888/formgrader/submissions/abc")]
    page = class_page.render([*a_class(12), waiting], places, {"s0001": "Ana <b>Lopez</b>"})
    text = text_of(page)
    headings = "Scores", "Students by checks", "Diagnoses", "The checks themselves", "Slow and failing", "Everybody"
    assert [heading for heading in headings if heading not in text] == []
    assert "What needs a person (2)" in text and f"could not be judged: {why}" in text
    assert "Ana <b>Lopez</b>" in text
    links = {attributes["href"] for tag, attributes in Page(page).elements if tag == "a"}
    assert links == {"http://localhost:8888/formgrader/submissions/abc"}
    assert len(re.findall("<svg", page)) == 5  # distributions, two heat maps, diagnoses, checks
    identities = re.findall(r'\bid="([^"]+)"', page)
    assert len(identities) == len(set(identities))
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', page)) <= set(identities)


def test_hidden_names_are_nowhere_and_nothing_leads_back_to_them() -> None:
    reports = a_class(12)
    reports[0] = report(student="s0000", status=NEEDS_REVIEW, message="s0000/notebook.ipynb is odd")
    places = [Place("s0001", ASSIGNMENT, 3.0, 7.0, 0.0, True, "http://localhost:8888/formgrader/submissions/abc")]
    page = class_page.render(reports, places, {"s0001": "Ana Lopez"}, hide_names=True)
    assert not re.search(r"s00\d\d|Lopez|formgrader", page)
    assert "student 12" in page
    order = class_page._numbered({f"s{number:04}" for number in range(50)})
    assert list(order) != sorted(order), "numbers in the roster's order would be names"


def test_a_class_of_thousands_is_a_page_of_the_same_size() -> None:
    small, large = (class_page.render(a_class(count)) for count in (100, 5000))
    assert len(large) < 1.2 * len(small) and len(large) < 400_000
    text = text_of(large)
    assert "5000 submissions are too many for a column each: a column is the mean of about 83 of like scores." in text
    assert "5000 students are more than the 200 that this table holds" in text


def test_a_wide_class_is_drawn_in_groups_of_like_scores() -> None:
    (sitting,) = class_numbers.sittings(a_class(600, (ASSIGNMENT,)))
    assert list(sitting.scores) == sorted(sitting.scores)
    drawn = class_figures.heat_map(sitting, [str(number) for number in range(600)], "x")
    assert "lowest scores" in drawn and "599" not in drawn


def test_names_of_any_kind_stand_below_a_heat_map() -> None:
    names = {"s0000": "$x^$ & <i>Co</i>", "s0001": "\u738b\u5c0f\u660e", "s0002": "a\\_b", "s0003": "x\x1b\u202e"}
    page = Page(class_page.render(a_class(4), [], names))
    labels = [attributes for tag, attributes in page.elements if tag == "i"]
    assert labels == []
    names["s0003"] = "x\\x1b\\u202e"
    assert all(page.text.count(name) >= 3 for name in names.values()), "in two heat maps and the table of everybody"


def test_a_file_of_reports_takes_the_place_of_the_gradebook(tmp_path: Path) -> None:
    lines = [json.dumps(one.to_dict()) for one in a_class(3)]
    (tmp_path / "reports.jsonl").write_text("\n".join(lines), "utf-8")
    out = tmp_path / "class.html"
    assert run(load_course(ROOT), [ASSIGNMENT], out, reports=tmp_path / "reports.jsonl") == 0
    assert "3 submissions of 3 students" in text_of(out.read_text("utf-8"))


def test_a_bad_file_of_reports_is_one_error_that_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    path.write_text(json.dumps(a_class(1)[0].to_dict()) + "\n{}\n", "utf-8")
    with pytest.raises(CourseError, match=r"reports\.jsonl, line 2: no report"):
        read_reports(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CourseError, match="cannot be read"):
        read_reports(path)


def test_a_course_with_nothing_graded_says_what_to_do(tmp_path: Path) -> None:
    course = load_course(ROOT)
    course.root = tmp_path
    with pytest.raises(CourseError, match="was graded yet: run `course autograde NAME` first"):
        run(course, [], tmp_path / "class.html")
    assert list(tmp_path.iterdir()) == []
