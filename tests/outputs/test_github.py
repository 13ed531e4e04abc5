"""The job summary shows what students wrote and lets none of it act; annotations are few, and only ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from markdown_it import MarkdownIt
from support import Page

from autograder.grading.outcome import FAILED
from autograder.grading.report import UNGRADABLE, CellResult, Report
from autograder.outputs import github

COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)  # how GitHub's runner finds a command in a line


def commands(text: str) -> list[str]:
    return [line for line in re.split(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text) if COMMAND.search(line)]


def test_the_summary_tells_scores_and_folds_messages_up(report: Callable[..., Report]) -> None:
    text = github.render([report()])
    assert "| s01 | ex2-causal-masking | 7.67 of 10 |" in text
    assert text.count("<details>") == text.count("</details>") == 1
    assert text.index("<details>") < text.index("Look at row 2.") < text.index("</details>")
    assert "- failed: Title 1" in text and "- passed: Title 0" in text


def test_nothing_that_a_student_wrote_acts(all_kinds: Sequence[Report]) -> None:
    nasty = all_kinds[-1]
    text = github.render([nasty])
    assert commands(text) == []
    assert text.count("<details>") == text.count("</details>") == 1
    for sign in ("<script", "](", "http://", "`x`", "**b**", "$y$", "www.e", "@e", "\x1b", "\u202e", "| &#96;"):
        assert sign not in text, sign
    row = next(line for line in text.splitlines() if line.startswith("| ") and "of 10" in line)
    assert row.count("|") == 5, "a name with a bar makes no column"


def test_rendered_as_markdown_a_students_words_are_shown_and_are_no_elements(all_kinds: Sequence[Report]) -> None:
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(github.render([all_kinds[-1]]))
    page = Page(html)
    ours = ["h3", "p", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "strong", "ul", "li", "br"]
    assert {tag for tag, _ in page.elements} <= set(ours)
    assert [tag for tag, _ in page.elements].count("td") == 4, "one row of four columns"
    for words in ("::error::x", "</details><script>alert(1)</script>", "[a](http://e.org)", "| `x` **b** $y$"):
        assert words in page.text


def test_annotations_are_the_only_commands_and_student_text_in_them_is_escaped(all_kinds: Sequence[Report]) -> None:
    text = github.annotated(all_kinds)
    lines = text.splitlines()
    assert commands(text) == lines and text.count("\n") == len(lines)
    assert all(re.fullmatch(r"::(error|warning) title=[^:,\r\n]*::[^\r\n]*", line) for line in lines)
    assert "##[" not in text and "%250A" in text, "a percent sign of the student's is no escape of ours"
    assert [line.split()[0] for line in lines] == ["::error"] * 3 + ["::warning"] * 2


@pytest.mark.parametrize(("count", "shown"), [(0, 0), (1, 1), (10, 10), (11, 10), (500, 10)])
def test_there_are_at_most_ten_annotations_of_a_kind(report: Callable[..., Report], count: int, shown: int) -> None:
    reports = [report(), report(status=UNGRADABLE, message="cut off")] * count
    lines = github.annotated(reports).splitlines()
    for kind in ("error", "warning"):
        assert len([line for line in lines if line.startswith(f"::{kind} ")]) == shown
    if count > shown:
        assert f"::{count - 9} more submissions" in lines[-1]


def test_a_summary_stays_below_what_github_takes_and_counts_what_it_leaves_out(
    report: Callable[..., Report], cell: Callable[..., CellResult]
) -> None:
    long = report(cell(10, *[FAILED] * 30, message="A way forward. " * 100))
    text = github.render([long] * 40)
    assert 500_000 < len(text.encode()) < 2**20
    left_out = int(re.search(r"too long: (\d+) submissions", text)[1])  # type: ignore[index]
    assert left_out + text.count("<details>") == 40
    many = github.render([report(cell(1), student=f"{n}" + "x" * 200) for n in range(5000)])
    assert len(many.encode()) < 2**20 and "5000 submissions are not told in full" in many


def test_text_without_signs_stays_as_it_is() -> None:
    assert github.inert("Zoë and 李: row 2, (0.5)") == "Zoë and 李&#58; row 2, (0&#46;5)"
    assert "@everyone" not in github.inert("to @everyone").replace("&#64;", "@")
