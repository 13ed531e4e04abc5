"""A student's page says everything of the report, and nothing of the student's ever becomes a part of the page."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
from pathlib import Path

import pytest
from reports import CODE, LEAKING, MESSAGE, cell, check, leaking, report
from support import ROOT, Page, canaries, hidden_lines, notebook_path, read, write
from support import Course as Command

from autograder.commands.grade import write_pages
from autograder.course import load_course
from autograder.grading.grader import Grader
from autograder.grading.outcome import ERROR, FAILED
from autograder.grading.report import CodeCell, Report, Work
from autograder.grading.showing import work_of
from autograder.outputs import html
from autograder.outputs.standing import Standing
from autograder.problems import CourseError
from autograder.reading.submission import from_notebook

EX2 = "ex2-causal-masking"
HOSTILE = "</pre></style><script>evil()</script><img src=x onerror=evil()>{{ 7 * 7 }}"
# Shows how often it was called in its process, and everything that it was ever given.
CURIOUS = """\
calls = []
def causal_attention(Q, K, V):
    calls.append(Q)
    return Q @ K.T @ V, np.full((len(Q), len(K)), float(len(calls)))
"""


def squeezed(text: str) -> str:
    return " ".join(text.split())


def text_of(source: str) -> str:
    return squeezed(Page(source).text)


def test_the_page_tells_every_cell_and_check_with_points_and_messages() -> None:
    made = leaking()
    text = text_of(html.render([made]))
    assert "5 of 8 points" in text
    for result in made.cells:
        assert f"{result.grade_id} {html.points(result.score)} of {html.points(result.max_score)}" in text
        for one in result.checks:
            word = {"passed": "passed", "failed": "not yet"}[one.outcome]
            assert f"{word} {one.title} " in text
    assert MESSAGE.replace("`", "") in text


def test_the_code_stands_beside_the_checks_of_its_cells_once() -> None:
    text = html.render([leaking()])
    assert Page(text).text.count("weights = softmax(Q @ K.T") == CODE.count("weights = softmax(Q @ K.T") == 1
    assert text.index("causal-leakage</h3>") < text.index("softmax") < text.index("is-causal-check</h3>")


def test_a_leak_is_outlined_and_said_in_words() -> None:
    page = html.render([leaking()])
    assert page.count('class="leak"') == 3
    text = text_of(page)
    assert "3 places where something is seen that should be closed" in text
    assert "3 of 3 places that should be closed are open: (0, 1), (0, 2), (1, 2)" in text
    assert "nothing leaks" in text, "of the wanted weights"


def test_rows_that_do_not_sum_to_one_stand_out() -> None:
    short = dataclasses.replace(LEAKING, yours=((0.5, 0.0, 0.0), *LEAKING.wanted[1:]))
    page = html.render([dataclasses.replace(leaking(), work=Work(pictures=(short,)))])
    assert re.findall(r'<text class="off"[^>]*>([^<]*)', page) == ["0.50"]


def test_weights_that_are_no_numbers_are_shown_as_such() -> None:
    odd = dataclasses.replace(LEAKING, yours=((None, 1e30, -0.5), *LEAKING.yours[1:]))
    page = html.render([dataclasses.replace(leaking(), work=Work(pictures=(odd,)))])
    assert "".join(f'<td class="n">{shown}</td>' for shown in ("?", "1e+30", "-0.50")) in page


def test_nothing_of_a_student_becomes_a_part_of_the_page() -> None:
    made = report(
        cell(HOSTILE, 1, dataclasses.replace(check("x", FAILED, HOSTILE), title=HOSTILE)),
        student=HOSTILE,
        notebook=HOSTILE,
        message=HOSTILE,
        work=Work((CodeCell(1, HOSTILE, HOSTILE, (HOSTILE,), HOSTILE),), (), {HOSTILE: (HOSTILE,)}),
    )
    standing = Standing(comments={HOSTILE: HOSTILE, "other": HOSTILE}, extra=((HOSTILE, 1.0, 1.0),))
    source = html.page([(made, standing)])
    page = Page(source)
    assert page.text.count("<script>evil()</script>") >= 10, "it should still be there to read"
    assert page.scripts == []
    assert {"script", "img", "iframe", "object", "link"} & {tag for tag, _ in page.elements} == set()
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert "49" not in page.text
    assert "default-src 'none'" in source


def test_no_character_makes_a_text_look_like_another() -> None:
    """Direction marks in code, names and messages are written out, and lone surrogates can be encoded."""
    odd = "a\u202eb\x1b[31m\ud800\n"
    made = report(
        cell("a", 1, check("x", FAILED, odd)),
        student=odd,
        message=odd,
        work=Work((CodeCell(1, f"x = 1  # {odd}", "", ("a",)),), (), {"a": ("f",)}),
    )
    source = html.render([made])
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]", source)
    assert Page(source).text.count("a\\u202eb\\x1b[31m\\ud800") == 5


def test_the_page_needs_nothing_from_elsewhere() -> None:
    source = html.render([leaking()])
    assert not re.search(r'(src|href)="(?!#)', source)
    assert "url(" not in source and "@import" not in source


def test_several_submissions_are_parts_of_one_page() -> None:
    source = html.render([leaking(student="s01"), leaking(student="s02")])
    identities = [attributes["id"] for _, attributes in Page(source).elements if "id" in attributes]
    assert len(identities) == len(set(identities))
    links = {str(attributes["href"]) for tag, attributes in Page(source).elements if tag == "a"}
    assert {f"#{name}" for name in identities} >= links
    assert text_of(source).count("Feedback for s0") == 2


def test_a_folder_gets_a_page_for_each_student_with_nothing_of_others(tmp_path: Path) -> None:
    write_pages(tmp_path, [leaking(student="s01"), leaking(student="../s02")])
    pages = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert pages == [f"_s02/{EX2}.html", f"s01/{EX2}.html"]
    assert "s02" not in (tmp_path / "s01" / f"{EX2}.html").read_text("utf-8")


def test_two_submissions_with_one_page_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="two submissions would be written"):
        write_pages(tmp_path, [leaking(), leaking()])
    assert list(tmp_path.iterdir()) == []


# -- what a person and the instructor decide --------------------------------------------------------------------------


def test_what_a_person_gave_counts_and_the_penalty_is_said() -> None:
    standing = Standing(
        scores={"causal-leakage": 1.5},
        by_hand=frozenset({"causal-leakage"}),
        comments={"causal-attention": "Nearly!", "essay": "Well told."},
        extra=(("essay", 2.0, 4.0),),
        penalty=2.5,
    )
    text = text_of(html.page([(leaking(), standing)]))
    assert "6 of 12 points" in text  # 3 + 1.5 + 2 + 2, less 2.5
    assert "the work reached 8.5 points, less a penalty of 2.5" in text
    assert "causal-leakage 1.5 of 3 points, given by a person" in text
    assert "essay 2 of 4 graded by a person" in text
    assert "Comment: Nearly!" in text and "Comment on essay Well told." in text


def test_what_nobody_has_decided_is_a_question_mark_and_no_zero() -> None:
    text = text_of(html.render([report(cell("a", 3, check("x", ERROR, "The check stopped.")))]))
    assert "? of 3" in text and "so far" in text and "A person has yet to look" in text


def test_titles_alone_hide_messages_and_pictures_and_nothing_else() -> None:
    hidden = leaking().with_titles_only()
    page = html.render([hidden])
    assert "Nothing that comes later" not in page and "no-mask" not in page and "<svg" not in page
    text = text_of(page)
    assert "not yet Title of future" in text and "5 of 8 points" in text
    assert "What they say more is not shown" in text and "softmax(Q @ K.T" in text


def course_with(tmp_path: Path, lines: str) -> Path:
    text = (ROOT / "course_config.py").read_text("utf-8")
    (tmp_path / "course_config.py").write_text(text + lines, "utf-8")
    return tmp_path


DUE = 'c.Course.assignments = {"a": {"due": "2027-01-31 12:00 UTC"}, "b": {}}\n'


@pytest.mark.parametrize(
    ("feedback", "before", "after", "never_due"),
    [("full", True, True, True), ("titles", False, False, False), ("after_due", False, True, False)],
)
def test_the_course_says_when_messages_are_shown(
    tmp_path: Path, feedback: str, before: bool, after: bool, never_due: bool
) -> None:
    course = load_course(course_with(tmp_path, f"{DUE}c.Course.feedback = {feedback!r}\n"))
    due = datetime.datetime(2027, 1, 31, 12, tzinfo=datetime.UTC)
    minute = datetime.timedelta(minutes=1)
    assert course.shows_messages("a", due - minute) is before
    assert course.shows_messages("a", due + minute) is after
    assert course.shows_messages("b", due + minute) is never_due


@pytest.mark.parametrize(("name", "value"), [("feedback", "'some'"), ("probe_seed", "-1"), ("probe_seed", "'x'")])
def test_a_wrong_setting_is_one_clear_error(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(CourseError, match=rf"c\.Course\.{name} is "):
        load_course(course_with(tmp_path, f"\nc.Course.{name} = {value}\n"))


# -- what is looked at while grading ----------------------------------------------------------------------------------


def with_answers(**answers: str) -> dict:
    notebook = read(notebook_path(ROOT / "source", EX2))
    for one in notebook["cells"]:
        name = one["metadata"].get("nbgrader", {}).get("grade_id", "").replace("-", "_")
        one["source"] = answers.get(name, one["source"])
    return notebook


def test_the_last_definition_of_a_function_is_the_one_shown() -> None:
    assignment = load_course(ROOT).assignment(EX2)
    notebook = with_answers()
    notebook["cells"].append({"cell_type": "code", "metadata": {}, "source": CODE})
    work = work_of(notebook, assignment, {})
    (shown,) = work.answering("causal-leakage")
    assert shown.source == CODE
    assert "def causal_mask" in work.answering("causal-mask-pattern")[0].source
    assert not any("Checks causal_attention" in one.source for one in work.cells), "locked cells are the course's"


def test_a_picture_is_drawn_by_a_process_that_has_never_seen_a_hidden_input() -> None:
    """A function that remembers its calls has none to show when it is asked for the public example."""
    course = load_course(ROOT)
    assignment = course.assignment(EX2)
    notebook = with_answers(causal_attention=CURIOUS)
    notebook["cells"].append({"cell_type": "code", "metadata": {}, "source": "calls.clear()"})  # of the visible checks
    with Grader(course) as grader:
        wrong, right = grader.grade(
            assignment,
            [from_notebook(made, assignment, "s", "s") for made in (notebook, assignment.notebook)],
            pages=True,
        )
    (picture,) = wrong.report.work.pictures
    assert {value for row in picture.yours for value in row} == {1.0}
    assert picture.grade_ids[0] == "causal-attention-values" and len(picture.closed) == 10
    assert right.report.score == right.report.max_score and right.report.work.pictures == ()
    assert wrong.report.work.answering("causal-leakage")[0].source == CURIOUS


def test_the_command_writes_a_page_with_no_hidden_line(tmp_path: Path, course: Command) -> None:
    write(tmp_path / "s01" / f"{EX2}.ipynb", with_answers(causal_attention=CODE))
    course("grade", tmp_path / "s01", "--format", "html", "--output", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert text_of(page).count("Attention weights for 5 positions") == 1
    assert [secret for secret in [*canaries().values(), *hidden_lines()] if secret in page] == []


def test_a_report_comes_back_from_its_json() -> None:
    made = dataclasses.replace(leaking(), work=Work())
    data = json.loads(json.dumps(made.to_dict()))
    assert "work" not in data
    assert Report.from_dict(data) == made
    for broken in ({}, {**data, "schema": "other"}, {**data, "cells": [{}]}, {**data, "more": 1}):
        with pytest.raises(ValueError):
            Report.from_dict(broken)
