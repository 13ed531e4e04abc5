"""Names of files and folders, copies, and what lies beside the notebook."""

from __future__ import annotations

import os
from pathlib import Path

from .recipe import EX1, EX2, NOT_READ, Notebook, answer, find, good, released, save, save_bytes, written

# -- names and what lies beside -----------------------------------------------------------------------------------


@written("O22", says="attn_final (1).ipynb")
def other_name(folder: Path, notebook: Notebook) -> None:
    """The notebook has another name"""
    save(folder, notebook, "attn_final (1).ipynb")


@written("O22b", says=("mine.ipynb", "notes.ipynb"))
def best_of_two(folder: Path, notebook: Notebook) -> None:
    """Two notebooks of other names; one holds the answers"""
    save(folder, notebook, "mine.ipynb")
    empty = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    save(folder, empty, "notes.ipynb")


@written("O22c", says=("first.ipynb", "second.ipynb", "ask"), **NOT_READ)
def two_as_good(folder: Path, notebook: Notebook) -> None:
    """Two different notebooks of other names, both answered"""
    save(folder, notebook, "first.ipynb")
    answer(notebook, "def is_causal(weights):\n    return True")
    save(folder, notebook, "second.ipynb")


@written("O22d", says="übung – Zoë ✓.ipynb")
def name_with_accents(folder: Path, notebook: Notebook) -> None:
    """The name has spaces, accents and signs"""
    save(folder, notebook, "übung – Zoë ✓.ipynb")


@written("O22e", says="ex2-causal-masking.ipynb.txt")
def browsers_ending(folder: Path, notebook: Notebook) -> None:
    """A browser added .txt to the name"""
    save(folder, notebook, f"{folder.name}.ipynb.txt")


@written("O22f", says="work/ex2-causal-masking.ipynb")
def folder_in_folder(folder: Path, notebook: Notebook) -> None:
    """The notebook lies one folder deeper, as after unpacking"""
    save(folder, notebook, f"work/{folder.name}.ipynb")


@written("O22g", says="done.ipynb")
def released_beside(folder: Path, notebook: Notebook) -> None:
    """Two notebooks of other names: as handed out, and answered"""
    save(folder, released(EX2), "start.ipynb")
    save(folder, notebook, "done.ipynb")


@written("O23", says="attn-Copy1.ipynb")
def copies_beside(folder: Path, notebook: Notebook) -> None:
    """A wrong copy and a checkpoint lie beside the notebook"""
    save(folder, notebook)
    wrong = good(EX2)
    answer(wrong, "def is_causal(weights):\n    return True")
    save(folder, wrong, "attn-Copy1.ipynb")
    save(folder, wrong, f".ipynb_checkpoints/{folder.name}-checkpoint.ipynb")


@written("O23b", silent=True)
def macs_leftovers(folder: Path, notebook: Notebook) -> None:
    """A Mac's archive left its shadow files beside the notebook"""
    save(folder, notebook)
    save_bytes(folder, b"\0\5\26\7" + bytes(200), f"._{folder.name}.ipynb")
    save_bytes(folder, b"\0\5\26\7" + bytes(200), f"__MACOSX/._{folder.name}.ipynb")


@written("O33", says="big.bin (5000 MB) was left out")
def big_file(folder: Path, notebook: Notebook) -> None:
    """A file of 5 GB lies beside the notebook"""
    save(folder, notebook)
    (folder / "big.bin").touch()
    os.truncate(folder / "big.bin", 5 * 10**9)


@written("F20", silent=True)
def module_beside(folder: Path, notebook: Notebook) -> None:
    """The answer is imported from a script that was handed in too"""
    source = find(notebook, "is-causal")["source"]
    save_bytes(folder, f"import numpy as np\n\n\n{source}\n".encode(), "answers.py")
    answer(notebook, "from answers import is_causal")
    save(folder, notebook)


@written("F21", silent=True)
def bad_timestamp(folder: Path, notebook: Notebook) -> None:
    """The file with the time of handing in holds no time"""
    save(folder, notebook)
    save_bytes(folder, b"yesterday\n", "timestamp.txt")


@written("F22", silent=True)
def standard_modules_shadowed(folder: Path, notebook: Notebook) -> None:
    """Files named like Python's own modules lie beside the notebook"""
    save(folder, notebook)
    for name in ("json", "random", "ast", "socket", "struct"):
        save_bytes(folder, b"raise RuntimeError('not the module you look for')\n", f"{name}.py")


@written("F23", assignment=EX1, silent=True, others=1)
def all_exercises_in_one_folder(folder: Path, notebook: Notebook) -> None:
    """Another exercise's notebook lies in the folder as well"""
    save(folder, notebook)
    save(folder, good(EX2), f"{EX2}.ipynb")
