"""Reading notebook files: any version, any encoding, and a sentence for what cannot be read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

MAX_NESTING = 100
_OTHER_FILES = {"PK\x03\x04": "a zip archive", "%PDF": "a PDF", "<!doctype": "a web page", "<html": "a web page"}
_PYTHON = re.compile(r"^(import|from|def|class|#|print\()", re.MULTILINE)
_CONFLICT = re.compile(r"^\s*(<{7}|>{7}) ", re.MULTILINE)


class Unreadable(Exception):
    """A file that cannot be judged. The text says why and what a person should do."""


def read_notebook(path: Path, max_bytes: int) -> tuple[dict[str, Any], bytes]:
    """Return (notebook in format 4 as plain dicts, the file's bytes). Raises Unreadable."""
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise Unreadable(
                f"the file is {size / 1e6:.0f} MB, more than the {max_bytes / 1e6:.0f} MB that are read; "
                "ask for it again with its outputs cleared"
            )
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"the file cannot be read ({error.strerror or error}); ask for it again") from error
    return parse_notebook(data), data


def parse_notebook(data: bytes) -> dict[str, Any]:
    """Return the notebook in `data`, in format 4, as plain dicts. Raises Unreadable."""
    if not data.strip(b"\0 \t\r\n"):
        raise Unreadable("the file is empty; the upload probably failed, ask for it again")
    text = _decode(data)
    try:
        notebook = json.loads(text, strict=False)  # with line ends and tabs within a text
    except RecursionError as error:
        raise Unreadable("the file is nested too deeply to be a notebook; ask for it again") from error
    except ValueError as error:
        raise Unreadable(_why_no_json(text, error)) from error
    if not isinstance(notebook, dict):
        raise Unreadable("the file is JSON, but no notebook; ask for the .ipynb file")
    if _is_too_deep(notebook):
        raise Unreadable("the file is nested too deeply to be a notebook; ask for it again")
    if "worksheets" in notebook or notebook.get("nbformat") in (1, 2, 3):
        notebook = _upgrade(notebook)
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise Unreadable("the file is JSON, but no notebook (it has no cells); ask for the .ipynb file")
    notebook["cells"] = [_tidy(cell) for cell in cells if isinstance(cell, dict)]
    if not isinstance(notebook.get("metadata"), dict):
        notebook["metadata"] = {}
    return notebook


def _decode(data: bytes) -> str:
    """Return the file's text, without the zero bytes that a crash leaves behind it."""
    for encoding in (json.detect_encoding(data), "cp1252", "latin-1"):
        try:
            return data.decode(encoding).rstrip("\0 \r\n")
        except UnicodeDecodeError:
            continue
    raise AssertionError("every byte is Latin-1")


def _why_no_json(text: str, error: ValueError) -> str:
    conflict = _CONFLICT.search(text)
    if conflict:
        line = text.count("\n", 0, conflict.start()) + 1
        return f"the file holds an unresolved git merge at line {line}; resolve it and hand in again"
    if text.lstrip()[:1] == "{":
        return "the file is cut off or damaged; the upload probably failed, ask for it again"
    start = text.lstrip()[:200]
    for beginning, kind in _OTHER_FILES.items():
        if start.lower().startswith(beginning.lower()):
            return f"the file is {kind} and no notebook; ask for the .ipynb file itself"
    if _PYTHON.search(start):
        return "the file is a Python script and no notebook; ask for the .ipynb file"
    return "the file is no notebook; ask for the .ipynb file"


def _upgrade(notebook: dict[str, Any]) -> dict[str, Any]:
    import nbformat  # over a second to import, and needed for old files only

    try:
        return json.loads(nbformat.writes(nbformat.convert(nbformat.from_dict(notebook), 4)))
    except Exception as error:  # whatever is wrong with the old file, nbformat says it in its own ways
        raise Unreadable("the file is a notebook of an old format that cannot be converted; save it anew") from error


def _tidy(cell: dict[str, Any]) -> dict[str, Any]:
    """Return the cell with the types that a cell's parts must have, whatever the file says."""
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    text = source.encode("utf-8", "replace").decode() if isinstance(source, str) else ""
    cell["source"] = text.replace("\r\n", "\n")
    if not isinstance(cell.get("metadata"), dict):
        cell["metadata"] = {}
    if cell.get("cell_type") not in ("code", "markdown", "raw"):
        cell["cell_type"] = "raw"
    if not isinstance(cell["metadata"].get("nbgrader", {}), dict):
        del cell["metadata"]["nbgrader"]
    if cell["cell_type"] == "code" and not isinstance(cell.get("outputs"), list):
        cell["outputs"] = []
    return cell


def _is_too_deep(notebook: dict[str, Any]) -> bool:
    """Whether copying or writing the notebook might overflow the stack; widgets and plots nest to about 20."""
    level: list[Any] = [notebook]
    for _ in range(MAX_NESTING):
        parts = (item.values() if isinstance(item, dict) else item for item in level)
        level = [part for items in parts for part in items if isinstance(part, (dict, list))]
        if not level:
            return False
    return True


def grade_id(cell: dict[str, Any]) -> str | None:
    """Return the cell's nbgrader id, or None."""
    value = cell["metadata"].get("nbgrader", {}).get("grade_id")
    return value if isinstance(value, str) else None
