"""What tools and hands do to cells: removed, copied, moved, flags and metadata changed, written by other programs."""

from __future__ import annotations

import copy
from typing import Any

from .recipe import EX1, EX2, EX3, OTHERS, Notebook, answer, code, edited, find, good, place, prepend

# -- graded cells -------------------------------------------------------------------------------------------------


@edited("O07", says="The cell is-causal-check was missing and was put back")
def check_removed(notebook: Notebook) -> None:
    """A check cell was removed"""
    notebook["cells"].remove(find(notebook, "is-causal-check"))


@edited("O07b", says="was put back")
def all_checks_removed(notebook: Notebook) -> None:
    """All check cells were removed"""
    notebook["cells"] = [cell for cell in notebook["cells"] if not cell["metadata"].get("nbgrader", {}).get("grade")]


@edited("O09", says="The cell is-causal-check was there more than once; it is counted once")
def check_copied(notebook: Notebook) -> None:
    """A check cell was copied, its grade_id with it"""
    copied = copy.deepcopy(find(notebook, "is-causal-check")) | {"id": "copied"}
    notebook["cells"].insert(place(notebook, "is-causal-check") + 1, copied)


@edited("O11", score=8.0, cells=OTHERS | {"is-causal-check": 0.0}, says="is-causal-check had been edited")
def check_commented_out(notebook: Notebook) -> None:
    """The lines of a check are commented out, and the answer is wrong"""
    answer(notebook, "def is_causal(weights):\n    return 0")
    cell = find(notebook, "is-causal-check")
    cell["source"] = "\n".join(f"# {line}" for line in cell["source"].split("\n"))


@edited("O11b", silent=True)
def line_ends(notebook: Notebook) -> None:
    """Windows line ends and spaces at the ends of lines came into all cells"""
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].replace("\n", " \r\n") + "\r\n"


@edited("O12", says="points or flags of the cell is-causal-check")
def more_points(notebook: Notebook) -> None:
    """A check cell's points were raised to 200"""
    find(notebook, "is-causal-check")["metadata"]["nbgrader"]["points"] = 200


@edited("O12b", says="points or flags of the cell is-causal-check")
def check_made_an_answer(notebook: Notebook) -> None:
    """A check cell is marked as an answer and has no points"""
    flags = find(notebook, "is-causal-check")["metadata"]["nbgrader"]
    flags.update(solution=True, grade=False, locked=False)
    del flags["points"]


@edited("O12c", says="points or flags of the cell is-causal ")
def answer_locked(notebook: Notebook) -> None:
    """An answer cell is marked as locked and graded"""
    find(notebook, "is-causal")["metadata"]["nbgrader"].update(solution=False, grade=True, locked=True, points=5)


@edited("O13", says="is-causal-check had been made a markdown cell")
def check_made_text(notebook: Notebook) -> None:
    """A check cell was made a text cell"""
    _retype(find(notebook, "is-causal-check"), "markdown")


@edited("O14", says="is-causal had been made a markdown cell")
def answer_made_text(notebook: Notebook) -> None:
    """An answer cell was made a text cell"""
    _retype(find(notebook, "is-causal"), "markdown")


@edited("O14b", says="is-causal had been made a raw cell")
def answer_made_raw(notebook: Notebook) -> None:
    """An answer cell was made a raw cell"""
    _retype(find(notebook, "is-causal"), "raw")


@edited("O15", silent=True)
def check_above_the_answer(notebook: Notebook) -> None:
    """A check cell was moved above the answer"""
    check = find(notebook, "is-causal-check")
    notebook["cells"].remove(check)
    notebook["cells"].insert(place(notebook, "is-causal"), check)


@edited("O15b", silent=True)
def cells_backwards(notebook: Notebook) -> None:
    """The answer cells stand at the end, the first one last"""
    for name in ("is-causal", "causal-attention", "causal-mask"):
        cell = find(notebook, name)
        notebook["cells"].remove(cell)
        notebook["cells"].append(cell)


@edited("O17", says="grading metadata")
def no_cell_metadata(notebook: Notebook) -> None:
    """The metadata of all cells is gone"""
    for cell in notebook["cells"]:
        cell["metadata"] = {}


@edited("O17b", says="The grading metadata of 1 cell was missing and was restored")
def no_metadata_of_one(notebook: Notebook) -> None:
    """The metadata of one check cell is gone"""
    find(notebook, "is-causal-check")["metadata"] = {}


@edited("O17c", says="grading metadata")
def cells_made_anew(notebook: Notebook) -> None:
    """Every cell was made anew: other cell ids, no metadata, and nothing but code"""
    kept = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    notebook["cells"] = [code(source, f"new-{number}") for number, source in enumerate(kept)]


@edited("O17d", says="was put back")
def one_cell(notebook: Notebook) -> None:
    """Everything was merged into one cell"""
    kept = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    notebook["cells"] = [code("\n\n".join(kept))]


@edited("C01", silent=True)
def flags_of_another_course(notebook: Notebook) -> None:
    """A cell with a grade_id of another course was pasted in"""
    foreign = code("x = 1") | {"metadata": {"nbgrader": {"grade_id": "other", "grade": True, "points": 90}}}
    notebook["cells"].append(foreign)


@edited("C02", silent=True)
def odd_metadata(notebook: Notebook) -> None:
    """Tags, slides and comments were added to cells"""
    for cell in notebook["cells"]:
        cell["metadata"] |= {"tags": ["done"], "slideshow": {"slide_type": "skip"}, "collapsed": True, "comments": [1]}


@edited("C03", says="grading metadata")
def metadata_are_lists(notebook: Notebook) -> None:
    """The metadata of cells and of the notebook are lists"""
    notebook["metadata"] = []
    for cell in notebook["cells"]:
        cell["metadata"] = []


@edited("C04")
def grade_ids_are_numbers(notebook: Notebook) -> None:
    """The grade_ids are numbers, and the schema version is old"""
    for number, cell in enumerate(notebook["cells"]):
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] |= {"grade_id": number, "schema_version": 1}


@edited("C05", silent=True)
def old_schema(notebook: Notebook) -> None:
    """The cells' nbgrader metadata are of version 1"""
    for cell in notebook["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["schema_version"] = 1


@edited("C18", assignment=EX3, says="ex2-causal-masking", becomes=EX2)
def swapped(notebook: Notebook) -> None:
    """The notebook of another exercise lies in this one's folder, under this one's name"""
    notebook.clear()
    notebook.update(good(EX2))


@edited("C18b", says="ex1-scaled-dot-product", becomes=EX1)
def swapped_back(notebook: Notebook) -> None:
    """The same with the first exercise's notebook; recorded for this one it goes to a person"""
    notebook.clear()
    notebook.update(good(EX1))


@edited("C19", silent=True)
def two_exercises_in_one(notebook: Notebook) -> None:
    """Another exercise was done in the same notebook, above this one"""
    notebook["cells"] = good(EX1)["cells"] + notebook["cells"]


@edited("C20", silent=True)
def magic_in_text(notebook: Notebook) -> None:
    """A line of another shell's prompt was pasted above an answer as a comment, with odd characters"""
    prepend(notebook, "# >>> In [3]:\u200b \u00a0 \ufeff")


def _retype(cell: dict[str, Any], kind: str) -> None:
    cell["cell_type"] = kind
    del cell["outputs"], cell["execution_count"]
