"""What happens to files and folders: encodings, halves, other formats, names, copies, links, things beside."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

from .recipe import NOT_READ, Notebook, answer, find, save, save_bytes, text_of, written

# -- encodings ----------------------------------------------------------------------------------------------------


@written("F01", silent=True)
def byte_order_mark(folder: Path, notebook: Notebook) -> None:
    """UTF-8 with a byte-order mark"""
    save_bytes(folder, text_of(notebook).encode("utf-8-sig"))


@written("F02", silent=True)
def utf_16(folder: Path, notebook: Notebook) -> None:
    """UTF-16 with a byte-order mark"""
    save_bytes(folder, text_of(notebook).encode("utf-16"))


@written("F02b", silent=True)
def utf_16_without_mark(folder: Path, notebook: Notebook) -> None:
    """UTF-16 without a byte-order mark"""
    save_bytes(folder, text_of(notebook).encode("utf-16-le"))


@written("F02c", silent=True)
def utf_32(folder: Path, notebook: Notebook) -> None:
    """UTF-32 with a byte-order mark"""
    save_bytes(folder, text_of(notebook).encode("utf-32"))


@written("F03", silent=True)
def latin_1(folder: Path, notebook: Notebook) -> None:
    """Latin-1, with accents in comments"""
    answer(notebook, "# Zoë, Müller: für später\n" + find(notebook, "is-causal")["source"])
    plain = text_of(notebook).encode("latin-1", "replace")
    save_bytes(folder, plain)


@written("F04", silent=True)
def windows_line_ends(folder: Path, notebook: Notebook) -> None:
    """The file has Windows line ends"""
    save_bytes(folder, text_of(notebook).replace("\n", "\r\n").encode())


@written("F05", silent=True)
def not_a_number(folder: Path, notebook: Notebook) -> None:
    """NaN and Infinity stand in the outputs, which JSON does not know"""
    data = {"application/json": {"x": [float("nan"), float("inf")]}}
    notebook["cells"][2]["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {"y": float("nan")}}]
    save(folder, notebook)


@written("F06", silent=True)
def doubled_keys(folder: Path, notebook: Notebook) -> None:
    """Keys come twice in the JSON"""
    save_bytes(folder, text_of(notebook).replace('"metadata"', '"metadata": {}, "metadata"').encode())


@written("F07", silent=True)
def control_characters(folder: Path, notebook: Notebook) -> None:
    """Tabs and other control characters stand in the JSON's texts as they are"""
    notebook["cells"][0]["source"] += "\u00a7"
    save_bytes(folder, text_of(notebook).replace("\u00a7", "\t\x0b\x7f").encode())


@written("F08", silent=True)
def null_bytes_behind(folder: Path, notebook: Notebook) -> None:
    """The file ends in zero bytes, as after a crash of the machine"""
    save_bytes(folder, text_of(notebook).encode() + bytes(4096))


# -- what cannot be read ------------------------------------------------------------------------------------------


@written("O29", says=("unresolved git merge at line", "hand in again"), **NOT_READ)
def git_merge(folder: Path, notebook: Notebook) -> None:
    """Git's conflict markers stand in the file"""
    text = text_of(notebook)
    at = text.rindex("\n", 0, text.index('"cell_type": "code"')) + 1
    piece = text[at : at + 40]
    conflict = f"<<<<<<< HEAD\n{piece}\n=======\n{piece}\n>>>>>>> 1a2b3c4\n"
    save_bytes(folder, (text[:at] + conflict + text[at:]).encode())


@written("O30", says="cut off", **NOT_READ)
def half(folder: Path, notebook: Notebook) -> None:
    """Half of the file is missing"""
    _cut(folder, notebook, 2)


@written("O30b", says="the file is empty", **NOT_READ)
def empty(folder: Path, notebook: Notebook) -> None:
    """The file is empty"""
    save_bytes(folder, b"")


@written("O30c", says="cut off", **NOT_READ)
def first_quarter(folder: Path, notebook: Notebook) -> None:
    """Only the first quarter of the file is there"""
    _cut(folder, notebook, 1)


@written("O30d", says="cut off", **NOT_READ)
def three_quarters(folder: Path, notebook: Notebook) -> None:
    """The last quarter of the file is missing"""
    _cut(folder, notebook, 3)


@written("O30e", says="the file is empty", **NOT_READ)
def zeros(folder: Path, notebook: Notebook) -> None:
    """The file is nothing but zero bytes"""
    save_bytes(folder, bytes(20_000))


@written("O30f", says="damaged", **NOT_READ)
def zeros_inside(folder: Path, notebook: Notebook) -> None:
    """A block of the file was overwritten with zero bytes"""
    data = text_of(notebook).encode()
    save_bytes(folder, data[:4096] + bytes(4096) + data[8192:])


@written("O30g", says="cut off", **NOT_READ)
def second_quarter(folder: Path, notebook: Notebook) -> None:
    """All but the last byte of the JSON is there"""
    save_bytes(folder, text_of(notebook).rstrip().encode()[:-1])


@written("F10", says="zip archive", **NOT_READ)
def zipped(folder: Path, notebook: Notebook) -> None:
    """A zip archive was given the notebook's name"""
    with zipfile.ZipFile(folder / f"{folder.name}.ipynb", "w") as archive:
        archive.writestr(f"{folder.name}.ipynb", text_of(notebook))


@written("F11", says="Python", **NOT_READ)
def a_script(folder: Path, notebook: Notebook) -> None:
    """A Python script was given the notebook's name"""
    code = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    save_bytes(folder, "\n\n".join(code).encode())


@written("F12", says="web page", **NOT_READ)
def web_page(folder: Path, notebook: Notebook) -> None:
    """The page around the notebook was saved instead of the file"""
    save_bytes(folder, b"<!DOCTYPE html>\n<html><body>" + text_of(notebook).encode() + b"</body></html>")


@written("F13", says="PDF", **NOT_READ)
def pdf(folder: Path, notebook: Notebook) -> None:
    """A PDF was given the notebook's name"""
    save_bytes(folder, b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + os.urandom(2000))


@written("F14", says="no notebook", **NOT_READ)
def other_json(folder: Path, notebook: Notebook) -> None:
    """The file is JSON of another kind"""
    save_bytes(folder, json.dumps([notebook]).encode())


@written("F15", says="link", **NOT_READ)
def link(folder: Path, notebook: Notebook) -> None:
    """The notebook is a link to another file"""
    save(folder, notebook, "real.txt")
    (folder / f"{folder.name}.ipynb").symlink_to(folder / "real.txt")


@written("F16", says=("no notebook was handed in", "ex2-causal-masking.ipynb/"), **NOT_READ)
def a_folder(folder: Path, notebook: Notebook) -> None:
    """A folder has the notebook's name"""
    save(folder, {}, f"{folder.name}.ipynb/notes.txt")


@written("F17", says="cannot be read", not_as_root=True, **NOT_READ)
def no_permission(folder: Path, notebook: Notebook) -> None:
    """Nobody may read the file"""
    save(folder, notebook).chmod(0)


@written("O24", says="no notebook was handed in (found: attn.py)", **NOT_READ)
def no_notebook(folder: Path, notebook: Notebook) -> None:
    """A script was handed in and no notebook"""
    save_bytes(folder, b"def is_causal(weights): return True\n", "attn.py")


@written("O24b", says="no notebook was handed in (found: nothing)", **NOT_READ)
def nothing(folder: Path, notebook: Notebook) -> None:
    """The folder is empty"""


@written("O24c", says="no notebook was handed in", **NOT_READ)
def checkpoint_only(folder: Path, notebook: Notebook) -> None:
    """Only the checkpoint of an editor was handed in"""
    save(folder, notebook, f".ipynb_checkpoints/{folder.name}-checkpoint.ipynb")


def _cut(folder: Path, notebook: Notebook, quarters: int) -> None:
    data = text_of(notebook).encode()
    save_bytes(folder, data[: len(data) * quarters // 4])
