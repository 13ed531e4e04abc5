"""Reading a file that claims to be a notebook: whatever its encoding and version, or a sentence why not."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.reading.notebook import Unreadable, grade_id, parse_notebook, read_notebook

CODE = {"cell_type": "code", "metadata": {}, "source": ["x = 'Größe'\n", "y"], "outputs": [], "execution_count": None}
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CODE]}
TEXT = json.dumps(NOTEBOOK, ensure_ascii=False, indent=1)


def sources(notebook: dict[str, Any]) -> list[str]:
    return [cell["source"] for cell in notebook["cells"]]


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.encode("cp1252"),
        TEXT.replace("\n", "\r\n").encode(),
        b"\n\n  " + TEXT.encode() + b"\n\n",
        json.dumps(NOTEBOOK).encode(),
    ],
    ids=["UTF-8", "byte-order mark", "UTF-16", "UTF-16 big-endian", "Windows", "CRLF", "blank lines", "ASCII"],
)
def test_a_notebook_is_read_in_every_usual_encoding(data: bytes) -> None:
    assert sources(parse_notebook(data)) == ["x = 'Größe'\ny"]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_notebooks_of_old_formats_are_converted(version: int) -> None:
    old: dict[str, Any] = {"cell_type": "code", "input": "x = 1", "outputs": [], "language": "python"}
    notebook: dict[str, Any] = {
        1: {"cells": [{"cell_type": "code", "code": "x = 1", "prompt_number": 1}]},
        2: {"nbformat": 2, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [old]}]},
        3: {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [old], "metadata": {}}]},
    }[version]
    notebook["nbformat"] = version
    assert sources(parse_notebook(json.dumps(notebook).encode())) == ["x = 1"]


def test_a_notebook_that_nbformat_turned_into_format_3_keeps_its_grade_ids() -> None:
    made = copy.deepcopy(NOTEBOOK)
    made["cells"][0]["metadata"] = {"nbgrader": {"grade_id": "a"}}  # type: ignore[index]
    made["cells"][0]["source"] = "x = 1"  # type: ignore[index]
    made["cells"][0]["id"] = "one"  # type: ignore[index]
    old = json.dumps(nbformat.convert(nbformat.from_dict(made), 3))
    (cell,) = parse_notebook(old.encode())["cells"]
    assert grade_id(cell) == "a" and cell["source"] == "x = 1"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"  \n\t", "empty"),
        (b"\0" * 1000, "empty"),
        (TEXT.encode()[: len(TEXT) // 2], "cut off"),
        (TEXT.encode() + b"}", "damaged"),
        (TEXT.replace(' "cells"', '<<<<<<< HEAD\n=======\n>>>>>>> 1a2b3c4\n "cells"').encode(), "git merge at line 5"),
        (b"<!DOCTYPE html>\n<html></html>", "web page"),
        (b"\n <HTML><body>Sign in</body></HTML>", "web page"),
        (b"import numpy as np\n", "no notebook"),
        (b"PK\x03\x04" + bytes(range(256)), "no notebook"),
        (b"[1, 2]", "no notebook"),
        (b'"text"', "no notebook"),
        (b"12", "no notebook"),
        (b"null", "no notebook"),
        (b"{}", "no cells"),
        (b'{"cells": 5}', "no cells"),
        (b'{"cells": {"a": 1}}', "no cells"),
        (b'{"worksheets": 5, "nbformat": 3}', "old format"),
        (b'{"nbformat": 1}', "old format"),
        (b'{"cells": [], "n": ' + b"9" * 5000 + b"}", "damaged"),
        (b'{"cells":' + b"[" * 100_000, "nested too deeply"),
        (b'{"cells":[],"metadata":' + b"[" * 400 + b"]" * 400 + b"}", "nested too deeply"),
    ],
    ids=[
        "empty",
        "white space",
        "null bytes",
        "cut off",
        "too much",
        "merge",
        "web page",
        "sign-in page",
        "Python",
        "zip",
    ]
    + ["list", "string", "number", "null", "empty object", "number of cells", "dict of cells", "old", "older"]
    + ["endless number", "endless nesting", "deep nesting"],
)
def test_what_cannot_be_read_is_explained_with_a_next_step(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        parse_notebook(data)
    text = str(unreadable.value)
    assert reason in text
    assert "\n" not in text and len(text) < 200
    assert any(step in text for step in ("ask for", "hand in", "save it"))


def test_a_line_in_the_text_that_looks_like_a_merge_is_no_merge() -> None:
    made = copy.deepcopy(NOTEBOOK)
    made["cells"][0]["source"] = "<<<<<<< HEAD\n>>>>>>> abc"  # type: ignore[index]
    assert sources(parse_notebook(json.dumps(made).encode())) == ["<<<<<<< HEAD\n>>>>>>> abc"]


def test_parts_of_the_wrong_type_get_the_type_that_they_must_have() -> None:
    cells = [
        "text",
        5,
        {},
        {"cell_type": "code", "source": 5, "metadata": [], "outputs": {}},
        {"cell_type": "code", "source": ["a\n", 5, "b"], "metadata": {"nbgrader": "x"}},
        {"cell_type": "heading", "source": "h", "metadata": {"nbgrader": {"grade_id": 5}}},
        {"cell_type": [], "source": "lone \ud800 surrogate"},
    ]
    notebook = parse_notebook(json.dumps({"cells": cells, "metadata": 7}).encode())
    assert notebook["metadata"] == {}
    assert sources(notebook) == ["", "", "a\nb", "h", "lone ? surrogate"]
    assert [cell["cell_type"] for cell in notebook["cells"]] == ["raw", "code", "code", "raw", "raw"]
    assert all(isinstance(cell["metadata"], dict) and grade_id(cell) is None for cell in notebook["cells"])
    assert all(cell["outputs"] == [] for cell in notebook["cells"] if cell["cell_type"] == "code")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["cells", "metadata", "source", "cell_type", "nbgrader", "grade_id", "outputs", "nbformat"]
            ),
            inner,
            max_size=6,
        )
    ),
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(JSON.filter(lambda value: not isinstance(value, dict) or value.get("nbformat") not in (1, 2, 3)))
def test_any_json_is_a_tidy_notebook_or_unreadable(value: Any) -> None:
    for made in (value, {"cells": value}, {"cells": [value]}):
        try:
            notebook = parse_notebook(json.dumps(made).encode())
        except Unreadable:
            continue
        for cell in notebook["cells"]:
            assert isinstance(cell["source"], str) and isinstance(cell["metadata"], dict)
            assert cell["cell_type"] in ("code", "markdown", "raw")
            grade_id(cell)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=300))
def test_any_bytes_are_unreadable_or_a_notebook(data: bytes) -> None:
    try:
        parse_notebook(data)
    except Unreadable as unreadable:
        assert str(unreadable)


def test_a_file_that_is_too_large_is_not_even_opened(tmp_path: Path) -> None:
    path = tmp_path / "big.ipynb"
    path.touch()
    os.truncate(path, 5 * 10**12)
    with pytest.raises(Unreadable, match="5000000 MB, more than the 20 MB"):
        read_notebook(path, 20 * 10**6)


def test_a_file_that_cannot_be_read_is_explained(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="cannot be read"):
        read_notebook(tmp_path / "missing.ipynb", 1000)
    with pytest.raises(Unreadable, match="cannot be read"):
        read_notebook(tmp_path, 10**9)
