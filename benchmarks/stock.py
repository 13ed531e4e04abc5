"""nbgrader as it is: its own Execute step, and the same checks as hidden tests in the notebook.

The hidden tests call the very functions of `autograder/graders/`, with the notebook's own functions in place of a
process: what is compared is the way of running and recording, and not the work that the checks do.
"""

from __future__ import annotations

import json
from pathlib import Path

from autograder.grading.digests import digests_of_checks, folder_of
from benchmarks.classroom import ROOT

CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "stock"
"""
BEGIN, END = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
HELPER = """
import copy as _copy

class _Here:
    def __getattr__(self, name):
        return globals()[name]
    def ask(self, name, /, *args, **kwargs):
        from types import SimpleNamespace
        args, kwargs = _copy.deepcopy((args, kwargs))
        return SimpleNamespace(value=globals()[name](*args, **kwargs), arguments=list(args), keywords=kwargs)
"""


def make_stock(folder: Path, assignment: str) -> Path:
    """Write a course for stock nbgrader in `folder`: the assignment's source with hidden tests in its graded cells."""
    folder.mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text(CONFIG)
    notebook = json.loads((ROOT / "source" / assignment / f"{assignment}.ipynb").read_text("utf-8"))
    checks = _by_cell(assignment)
    for cell in notebook["cells"]:
        flags = cell["metadata"].get("nbgrader", {})
        if flags.get("grade"):
            source = "".join(cell["source"])
            lines = [f"from {module} import {name}\n{name}(_Here())" for module, name in checks[flags["grade_id"]]]
            cell["source"] = "\n".join([source, BEGIN, HELPER, *lines, END])
    place = folder / "source" / assignment
    place.mkdir(parents=True)
    (place / f"{assignment}.ipynb").write_text(json.dumps(notebook, indent=1), "utf-8")
    return folder


def _by_cell(assignment: str) -> dict[str, list[tuple[str, str]]]:
    """Return (module, function) of each hidden check by the graded cell that it belongs to."""
    import importlib

    found: dict[str, list[tuple[str, str]]] = {}
    names = digests_of_checks(assignment)
    folder = ROOT / "autograder" / "graders" / folder_of(assignment)
    for path in sorted(folder.rglob("test_*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for name, function in vars(importlib.import_module(module)).items():
            if name in names:
                (mark,) = [mark for mark in function.pytestmark if mark.name == "cell"]
                found.setdefault(mark.args[0], []).append((module, name))
    return found
