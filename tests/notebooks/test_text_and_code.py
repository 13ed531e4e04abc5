"""The numbers in the text of the notebooks are those that their code computes. figures_in_text.py says the rule."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from figures_in_text import Figure, checked, figures, in_cell, prose, sources, without_source
from in_process import NAMES, Run
from support import ROOT

from autograder.course import load_course

Cell = dict[str, Any]


def text(source: str, **named: str) -> Cell:
    return {"id": "text", "cell_type": "markdown", "source": source, "metadata": {"figures": named} if named else {}}


def code(source: str) -> Cell:
    return {"id": "code", "cell_type": "code", "source": source, "metadata": {}}


@pytest.mark.parametrize("name", NAMES)
def test_every_number_in_a_text_is_computed_by_its_code(name: str, ran: Callable[[str], Run]) -> None:
    run = ran(name)
    assert checked(run.cells), "the test should have something to look at"
    assert without_source(run.cells, run.printed, run.names) == []


def test_a_figure_with_another_last_digit_is_noticed(ran: Callable[[str], Run]) -> None:
    """Nearly always: now and then the changed number, too, is printed in the same part, above all a small one."""
    looked_at, missed = 0, []
    for name in NAMES:
        try:
            run = ran(name)
        except pytest.skip.Exception:  # a notebook that imports what is not installed here
            continue
        known = sources(run.cells, run.printed)
        for at, figure in checked(run.cells):
            looked_at += 1
            changed = with_other_digit(run.cells[at], figure)
            assert changed["source"] != run.cells[at]["source"], figure
            if not list(in_cell(changed, known[at], run.names)):
                missed.append((name, figure.said))
    assert looked_at > 100 and len(missed) <= looked_at // 10, missed


def with_other_digit(cell: Cell, figure: Figure) -> Cell:
    mantissa = re.match(r"[\d,.]+", figure.said)
    assert mantissa is not None
    last = mantissa.end() - 1
    other = figure.said[:last] + str((int(figure.said[last]) + 1) % 10) + figure.said[last + 1 :]
    exact = rf"(?<![\w.,^]){re.escape(figure.said)}(?![\w^])"
    return cell | {"source": re.sub(exact, other, cell["source"], count=1)}


@pytest.mark.parametrize(
    ("said", "printed", "fine"),
    [
        ("it is 2.77", "2.7674", True),
        ("it is 2.8", "2.7674", True),
        ("it is 2.76", "2.7674", False),
        ("it is 2.7674", "2.77", False),
        ("64 heads", "64.00", True),
        ("64 heads", "63.7", False),
        ("16,384 positions", "16384", True),
        ("$n$ = 16{,}384", "16,384", True),
        ("4.40e+12 FLOPs", "4.398e+12", True),
        ("4.40e+12 FLOPs", "4.51e+12", False),
        ("14 % of it", "14%", True),
        ("3 % of it", "14%", False),
        ("4 times as large", "5", False),
        ("a factor of 4", "5", False),
        ("from -3.5 to 2.5", "3.5 2.5", True),
        ("up to 128K", "128K", True),
        ("up to 128K", "131072", True),
        ("up to 64K", "131072", False),
        ("row 0 of part 3, `axis=-1`, `25`, $W_{12}$, ex42, $10^{-7}$, $x^2$", "", True),
    ],
)
def test_a_number_comes_from_a_print_rounded_as_the_text_says_it(said: str, printed: str, fine: bool) -> None:
    cells = [text(said), code("show()")]
    problems = without_source(cells, {1: printed}, {})
    assert (problems == []) == fine, problems


def test_a_number_written_in_the_code_has_to_be_the_same() -> None:
    cells = [text("with 4096 positions, and 1,048,576 bytes"), code("n = 4096\nmebibyte = 2**20")]
    assert without_source(cells, {1: ""}, {}) == []
    cells[0] = text("with 4097 positions")
    assert without_source(cells, {1: ""}, {}) == ["text: nothing in this part prints or holds 4097"]


def test_how_many_digits_are_printed_is_no_source() -> None:
    cells = [text("it is 12"), code('print(f"{x:12.4f}")')]
    assert without_source(cells, {1: "3.0000"}, {}) != []


def test_only_the_code_of_the_same_part_counts() -> None:
    cells = [text("# One"), code("a = 23"), text("## Two\n\nIt is 23."), code("b = 24")]
    assert without_source(cells, {}, {}) == ["text: nothing in this part prints or holds 23"]


def test_metadata_names_what_computes_a_number() -> None:
    cells = [text("about 23, and 0.35", **{"23": "width**0.5", "0.35": "weights[0]"})]
    names = {"width": 512, "weights": [0.3512]}
    assert without_source(cells, {}, names) == []
    assert without_source(cells, {}, names | {"width": 600}) == ["text: 23 should be width**0.5, which is 24.4949"]


def test_metadata_about_a_number_that_is_gone_is_noticed() -> None:
    assert without_source([text("nothing", **{"23": "23"})], {}, {}) == [
        "text: its metadata names 23, which is not in its text"
    ]


def test_a_block_of_expected_output_is_compared_too() -> None:
    source = "You should see\n\n```\n[0.218 0.782]\n```\n"
    assert [figure.said for figure in figures(prose(source))] == ["0.218", "0.782"]


def test_the_table_of_the_chapter_names_only_cells_and_functions_that_there_are() -> None:
    """docs/chapter.md says which graded cell checks what; one with another name would mislead."""
    course = load_course(ROOT)
    cells = {cell for assignment in course.assignments() for cell in assignment.cells}
    functions = {name for assignment in course.assignments() for name in assignment.functions}
    rows = (ROOT / "docs" / "chapter.md").read_text("utf-8").splitlines()
    spans = [
        span
        for row in rows
        for span in re.findall(r"`([^`]+)`", row)
        if "/" not in span and not span.startswith("course ")
    ]
    assert len(spans) > 15, "the test should have something to look at"
    assert {span for span in spans if "-" in span} - cells == set()
    if "ex5-variations" in course.names:
        assert {span for span in spans if "-" not in span} - functions == set()


def test_what_the_table_of_the_chapter_corrects_is_computed_in_a_notebook(ran: Callable[[str], Run]) -> None:
    """The second table's figures are printed or written by a notebook that it names."""
    page = (ROOT / "docs" / "chapter.md").read_text("utf-8")
    rows = [row.split("|")[1:4] for row in page.split("## Where")[1].splitlines() if row.count("|") == 4][2:]
    assert len(rows) >= 10
    for _, said, where in rows:
        runs = [ran(name) for name in NAMES if name.partition("-")[0] in where]
        known = [one for run in runs for one in sources(run.cells, run.printed).values()]
        named = {number for run in runs for cell in run.cells for number in cell["metadata"].get("figures", {})}
        for figure in figures(prose(said)):
            held = figure.is_label or figure.said in named or any(one.hold(figure) for one in known)
            assert held, f"{where.strip()} does not compute {figure.said}: {said.strip()}"
