"""What tools and hands do to cells: removed, copied, moved, flags and metadata changed, written by other programs."""

from __future__ import annotations

import copy
from typing import Any

import nbformat

from .recipe import EX1, EX2, EX3, Notebook, answer, code, edited, find, good, place, prepend, save, written
from .running import OTHERS

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


# -- other programs -----------------------------------------------------------------------------------------------


@edited("O18", silent=True)
def colab(notebook: Notebook) -> None:
    """Saved by Colab: ids in the metadata, its own keys, an old minor version"""
    notebook |= {"nbformat_minor": 0}
    notebook["metadata"] = {"colab": {"provenance": [], "toc_visible": True}, "accelerator": "GPU"}
    for number, cell in enumerate(notebook["cells"]):
        cell.pop("id")
        cell["metadata"] |= {"id": f"Zx{number}", "outputId": "a", "colab": {"base_uri": "https://localhost:8080/"}}
        cell["metadata"].pop("deletable", None)


@edited("O19", silent=True)
def vscode(notebook: Notebook) -> None:
    """Saved by VS Code with the name of a kernel that exists on one machine only"""
    name = "python311jvsc74a57bd0" + "a1" * 32
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3.11 64-bit ('venv')", "name": name},
        "vscode": {"interpreter": {"hash": "a1" * 32}},
    }
    for cell in notebook["cells"]:
        cell["metadata"]["vscode"] = {"languageId": "python"}


@edited("O20", silent=True)
def no_kernel(notebook: Notebook) -> None:
    """The notebook names no kernel and has no metadata"""
    notebook["metadata"] = {}


@edited("O20b", silent=True)
def r_kernel(notebook: Notebook) -> None:
    """The notebook was saved under an R kernel"""
    notebook["metadata"] = {
        "kernelspec": {"display_name": "R", "language": "R", "name": "ir"},
        "language_info": {"name": "R", "file_extension": ".r"},
    }


@edited("C06", silent=True)
def deepnote_and_kaggle(notebook: Notebook) -> None:
    """Saved by Deepnote and Kaggle: their keys everywhere"""
    notebook["metadata"] |= {"deepnote": {}, "kaggle": {"accelerator": "none", "dataSources": []}}
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"] |= {"cell_id": str(number), "deepnote_cell_type": "code", "_uuid": "0" * 40, "trusted": True}
        cell["metadata"] |= {"execution": {"iopub.status.busy": "2027-01-01T00:00:00Z"}, "source_hash": None}


@edited("C07", silent=True)
def widgets(notebook: Notebook) -> None:
    """The state of widgets was saved"""
    state = {"model": {"model_module": "@jupyter-widgets/base", "state": {"children": [{"deep": [1] * 50}] * 50}}}
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": state}}
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "model"}}
    notebook["cells"][2]["outputs"] = [{"output_type": "display_data", "data": view, "metadata": {}}]


# -- the notebook format ------------------------------------------------------------------------------------------


@edited("O25", silent=True)
def same_ids(notebook: Notebook) -> None:
    """All cells have the same cell id"""
    for cell in notebook["cells"]:
        cell["id"] = "same"


@edited("O26", silent=True)
def ids_missing(notebook: Notebook) -> None:
    """The cell ids are missing, though the format asks for them"""
    for cell in notebook["cells"]:
        del cell["id"]


@edited("O26b", silent=True)
def ids_too_early(notebook: Notebook) -> None:
    """The cell ids are there, though the format does not know them yet"""
    notebook["nbformat_minor"] = 2


@written("O27")
def format_3(folder: Any, notebook: Notebook) -> None:
    """Saved in notebook format 3"""
    save(folder, nbformat.convert(nbformat.from_dict(notebook), 3))


@edited("C08", silent=True)
def version_is_text(notebook: Notebook) -> None:
    """The format's version is a text"""
    notebook.update(nbformat="4", nbformat_minor="five")


@edited("C09", silent=True)
def version_5(notebook: Notebook) -> None:
    """The format's version is one that does not exist yet"""
    notebook.update(nbformat=5, nbformat_minor=0)


@edited("C10", silent=True)
def version_missing(notebook: Notebook) -> None:
    """The format's version is missing"""
    del notebook["nbformat"], notebook["nbformat_minor"]


@edited("C11")
def source_missing(notebook: Notebook) -> None:
    """Cells without a source, of no type, or that are no cells"""
    notebook["cells"] += [{"cell_type": "code", "metadata": {}, "outputs": []}, {"source": 7}, None, "text", [1]]


@edited("C12", silent=True)
def source_in_lines(notebook: Notebook) -> None:
    """The sources are lists of lines with things between that are no text"""
    for cell in notebook["cells"]:
        cell["source"] = [line for part in cell["source"].splitlines(True) for line in (part, None, [])]


@edited("C13", silent=True)
def absurd_outputs(notebook: Notebook) -> None:
    """The outputs are of shapes that no program writes"""
    shapes = ({"a": 1}, "text", [None], [{"output_type": "nothing"}], [[]], None, [{"output_type": "stream"}])
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        cell.update(outputs=shapes[number % len(shapes)], execution_count="many")


@edited("C14", silent=True)
def large_outputs(notebook: Notebook) -> None:
    """Outputs of 15 MB were saved"""
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 15_000_000}, "metadata": {}}
    notebook["cells"][2]["outputs"] = [picture]


@edited("C15", status="ungradable", score=0.0, says=("25 MB", "outputs cleared"))
def too_large_outputs(notebook: Notebook) -> None:
    """Outputs of 25 MB were saved"""
    notebook["cells"][2]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "A" * 25_000_000}]


@edited("C16", status="ungradable", score=0.0, says="no cells")
def cells_are_a_dict(notebook: Notebook) -> None:
    """The cells are a dict"""
    notebook["cells"] = {str(number): cell for number, cell in enumerate(notebook["cells"])}


@edited("C17", status="ungradable", score=0.0, says="nested too deeply")
def nested_deeply(notebook: Notebook) -> None:
    """Lists are nested a thousand deep in the metadata"""
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    notebook["metadata"]["deep"] = deep


@edited("C18", assignment=EX3, says="ex2-causal-masking", becomes=EX2)
def swapped(notebook: Notebook) -> None:
    """The notebook of another exercise lies in this one's folder, under this one's name"""
    notebook.clear()
    notebook.update(good(EX2))


@edited("C19", silent=True)
def two_exercises_in_one(notebook: Notebook) -> None:
    """Another exercise was done in the same notebook, above this one"""
    notebook["cells"] = good(EX1)["cells"] + notebook["cells"]


def _retype(cell: dict[str, Any], kind: str) -> None:
    cell["cell_type"] = kind
    del cell["outputs"], cell["execution_count"]


@edited("C20", silent=True)
def magic_in_text(notebook: Notebook) -> None:
    """A line of another shell's prompt was pasted above an answer as a comment, with odd characters"""
    prepend(notebook, "# >>> In [3]:\u200b \u00a0 \ufeff")
