"""Broken and odd submissions, each made from a good one, graded as a person would grade them.

What a student did is judged; what a tool did to the file is repaired and noted; what cannot be judged goes to a
person with a sentence that says why; nothing scores by being broken; one submission never stops the others.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .gradebook import Recorded, digests, hand_in, make_course, read_gradebook
from .grading import Report, grade, messages
from .recipe import EX1, EX2, GRADED, REVIEW, UNGRADABLE, Recipe, good, text_of
from .recipes import ALL, HERE

# Recorded in a gradebook too: what stock nbgrader refuses or scores wrongly, and what is special about files there.
RECORDED = [
    *("O07", "O09", "O11b", "O12b", "O14b", "O15", "O17", "O17c", "O17d", "O18", "O20b", "O26", "O27", "O30", "O30b"),
    *(
        "C03",
        "C04",
        "C09",
        "C11",
        "C13",
        "C16",
        "C18b",
        "C19",
        "A14",
        "O04",
        "O32c",
        "O38",
        "F01",
        "F02",
        "F03",
        "F08",
        "F15",
    ),
    *("F20", "O29", "O22", "O22b", "O22c", "O23", "O23b", "O33", "O47"),
]
COURSE_ONLY = ["O22e", "O22f", "O24", "O24b", "F16", "F21"]  # nbgrader looks for nothing but *.ipynb in the folder


def ids(recipes: list[Recipe] | tuple[Recipe, ...]) -> list[str]:
    return [recipe.id for recipe in recipes]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Report]]:
    """The reports on all recipes, of `course grade`."""
    return grade(HERE, tmp_path_factory.mktemp("grade"))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded]:
    """What `nbgrader autograde` and `course autograde` put into the gradebook, each of a course of its own."""
    folder = tmp_path_factory.mktemp("gradebook")
    by_id = {recipe.id: recipe for recipe in ALL}
    course = make_course(folder / "made")

    def run(name: str) -> Recorded:
        chosen = [by_id[id] for id in (RECORDED + COURSE_ONLY if name == "course" else RECORDED)]
        root = folder / name
        person = hand_in(chosen, course, root)
        before = digests(root / "submitted")
        done = person.run(name, "autograde", EX2, status=3 if name == "course" else 0)
        assert before == digests(root / "submitted"), "files in submitted/ were changed"
        return read_gradebook(root, done.stdout + done.stderr)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(("course", "nbgrader"), pool.map(run, ("course", "nbgrader")), strict=True))


def on(recipe: Recipe, reports: dict[str, list[Report]]) -> Report:
    """Return the one report on a recipe's own assignment."""
    found = reports[recipe.id]
    assert 1 + recipe.others == len(found)
    (report,) = (report for report in found if report["assignment"] == (recipe.becomes or recipe.assignment))
    return report


# -- the recipes themselves ---------------------------------------------------------------------------------------


def test_there_are_enough_and_each_is_told_apart() -> None:
    assert len(ALL) >= 45
    assert len({recipe.id for recipe in ALL}) == len({recipe.what for recipe in ALL}) == len(ALL)


@pytest.mark.parametrize("recipe", HERE, ids=ids(HERE))
def test_a_recipe_breaks_something(recipe: Recipe, tmp_path: Path) -> None:
    """What a recipe writes is not the good notebook under its right name and nothing else."""
    recipe.write(tmp_path)
    files = {path.relative_to(tmp_path / recipe.id).as_posix(): path for path in tmp_path.rglob("*") if path.is_file()}
    assert {f"{recipe.assignment}/{recipe.assignment}.ipynb": text_of(good(recipe.assignment)).encode()} != {
        name: path.read_bytes() for name, path in files.items() if path.stat().st_size < 10**9
    } or len(files) > 1


# -- course grade -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", HERE, ids=ids(HERE))
def test_what_became_of_it(recipe: Recipe, reports: dict[str, list[Report]]) -> None:
    """The status and the scores are those that the recipe names."""
    report = on(recipe, reports)
    assert recipe.status == report["status"], report["message"]
    assert pytest.approx(recipe.score) == report["score"], messages(report)
    cells = {cell["grade_id"]: cell["score"] for cell in report["cells"]}
    assert recipe.cells == {name: pytest.approx(cells[name]) for name in recipe.cells}


@pytest.mark.parametrize("recipe", HERE, ids=ids(HERE))
def test_what_is_said_of_it(recipe: Recipe, reports: dict[str, list[Report]]) -> None:
    """The report says what the recipe asks for; of what is right and needed no repair it says nothing."""
    said = messages(on(recipe, reports))
    for text in recipe.says:
        assert text in said
    if recipe.silent:
        assert said.strip() == ""


@pytest.mark.parametrize("recipe", HERE, ids=ids(HERE))
def test_no_point_is_lost_without_a_sentence(recipe: Recipe, reports: dict[str, list[Report]]) -> None:
    for report in reports[recipe.id]:
        assert report["max_score"] == 10.0
        if report["status"] in (UNGRADABLE, REVIEW):
            assert report["message"]
            assert report["score"] == 0.0
            continue
        for check in (check for cell in report["cells"] for check in cell["checks"]):
            assert check["outcome"] in ("passed", "failed")
            assert check["score"] == check["max_score"] or len(check["message"]) > 20


@pytest.mark.parametrize("recipe", HERE, ids=ids(HERE))
def test_messages_are_for_people(recipe: Recipe, reports: dict[str, list[Report]]) -> None:
    """No traceback, no schema, no path of the grading machine in what is said, and not too much of it."""
    for report in reports[recipe.id]:
        said = messages(report)
        assert not re.search(r"Traceback|KeyError|jsonschema|site-packages|/tmp/|autograder/", said), said
        assert len(report["message"] or "") < 1200


# -- the gradebook ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["course", "nbgrader"])
@pytest.mark.parametrize("recipe", [r for r in ALL if r.id in RECORDED], ids=sorted(RECORDED, key=ids(ALL).index))
def test_the_gradebook_holds_the_same_score(
    recipe: Recipe, command: str, recorded: dict[str, Recorded], reports: dict[str, list[Report]]
) -> None:
    """What `course grade` reports is what both commands record; what cannot be judged waits for a person."""
    book = recorded[command]
    if recipe.status == GRADED and not recipe.becomes:
        found = {cell["grade_id"]: cell["score"] for cell in on(recipe, reports)["cells"]}
        assert {name: pytest.approx(score) for name, score in found.items()} == book.scores[recipe.id]
        assert recipe.id not in book.waiting
    else:
        assert set(book.scores[recipe.id].values()) == {None}
        assert len(book.waiting[recipe.id]) == 4


@pytest.mark.parametrize("id", COURSE_ONLY)
def test_course_autograde_finds_what_nbgrader_does_not(id: str, recorded: dict[str, Recorded]) -> None:
    (recipe,) = (recipe for recipe in ALL if recipe.id == id)
    expected = recipe.score if recipe.status == GRADED else None
    assert expected == recorded["course"].total(id)


def test_what_cannot_be_judged_is_a_page_that_says_why(recorded: dict[str, Recorded]) -> None:
    """After `nbgrader autograde`, Formgrader shows the reason where the notebook would be, and no model answer."""
    for id, reason in (
        ("O30", "cut off"),
        ("O29", "git merge"),
        ("O22c", "ask which one counts"),
        ("F15", "link"),
        ("C18b", EX1),
    ):
        path = recorded["nbgrader"].folder / "autograded" / id / EX2 / f"{EX2}.ipynb"
        text = path.read_text("utf-8")
        assert reason in text
        assert "BEGIN SOLUTION" not in text and "np.where(key > query" not in text


def test_repairs_are_told_in_the_autograded_notebook(recorded: dict[str, Recorded]) -> None:
    for command in ("course", "nbgrader"):
        for id, note in (("O22", "attn_final (1).ipynb"), ("O33", "big.bin (5000 MB)"), ("O09", "more than once")):
            path = recorded[command].folder / "autograded" / id / EX2 / f"{EX2}.ipynb"
            assert note in " ".join(path.read_text("utf-8").replace("\\n", " ").split()), (command, id)


def test_what_is_too_large_is_not_copied(recorded: dict[str, Recorded]) -> None:
    for command in ("course", "nbgrader"):
        assert not list((recorded[command].folder / "autograded").rglob("big.bin"))


def test_nobody_but_those_concerned_is_left_to_a_person(recorded: dict[str, Recorded]) -> None:
    broken = {recipe.id for recipe in ALL if recipe.status != GRADED or recipe.becomes}
    for command in ("course", "nbgrader"):
        assert set(recorded[command].waiting) <= broken
