"""Notebooks as other programs write them, and as no program should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat

from .recipe import Notebook, edited, save, written

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
def format_3(folder: Path, notebook: Notebook) -> None:
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
