"""Imports run in one direction, along the line from the notebook to the command; student code is kept from checks."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
KIT = ROOT / "autograder"

# Each layer imports from those above it only. Modules of the kit that are in no layer are one by themselves.
LINE = (
    ("autograder", "autograder.text"),
    ("autograder.problems",),
    ("autograder.limits",),
    ("autograder.reading",),
    ("autograder.student",),
    ("autograder.course",),
    ("autograder.grading",),
    ("autograder.outputs",),
    ("autograder.gradebook", "autograder.packaging", "autograder.sample"),
    ("autograder.commands",),
    ("autograder.cli",),
)
INSIDE_MAY = {"numpy", "IPython", "traitlets", "matplotlib", "matplotlib_inline"}
GRADERS_MAY = {
    "autograder.graders",
    "autograder.grading.checks",
    "autograder.grading.outcome",
    "autograder.student.inside.values",
    "autograder.student.inside.wire",
}
ABOUT_THE_CHECKS = {"autograder.commands.page", "autograder.commands.explain"}  # for instructors alone
VIEWS_MAY = {
    "autograder.outputs",
    "autograder.grading.outcome",
    "autograder.grading.report",
    "autograder.problems",
    "autograder.text",
}


def imports(path: Path) -> set[str]:
    """The modules that a file imports anywhere, relative ones in full."""
    package = path.relative_to(ROOT).with_suffix("").parts
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: -node.level]) if node.level else ""
            source = ".".join(part for part in (base, node.module) if part)
            names = {f"{source}.{alias.name}" for alias in node.names}
            modules = {name for name in names if (ROOT / name.replace(".", "/")).with_suffix(".py").is_file()}
            found.update(modules or {source})
    return found


def within(name: str, packages: set[str] | tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def layer(name: str) -> int:
    """The place of a module on the line."""
    for index, packages in reversed([*enumerate(LINE)]):
        if within(name, packages) and (index or name in packages):
            return index
    raise AssertionError(f"{name} has no place on the line: give it one in this file")


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def files(folder: str) -> list[Path]:
    return sorted((KIT / folder).rglob("*.py"))


def of_the_kit(path: Path) -> set[str]:
    return {name for name in imports(path) if within(name, ("autograder",))}


ENGINE = [path for path in files("") if "graders" not in path.relative_to(KIT).parts]


def test_the_kit_is_where_this_test_looks() -> None:
    assert len(ENGINE) > 30 and len(files("graders")) > 10 and len(files("student/inside")) > 5


@pytest.mark.parametrize("path", ENGINE, ids=module)
def test_imports_run_in_one_direction_along_the_line(path: Path) -> None:
    place = layer(module(path))
    backwards = {name for name in of_the_kit(path) if not within(name, ("autograder.graders",)) and layer(name) > place}
    assert backwards == set()


@pytest.mark.parametrize("path", files("student/inside"), ids=module)
def test_what_runs_beside_student_code_imports_nothing_of_the_kit_but_its_siblings(path: Path) -> None:
    siblings = {name for name in imports(path) if within(name, ("autograder.student.inside", "inside"))}
    others = {name.split(".")[0] for name in imports(path) - siblings}
    assert others - INSIDE_MAY - set(sys.stdlib_module_names) == set()
    assert "autograder" not in "".join(
        ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ), "inside the sandbox there is no package of this name"


@pytest.mark.parametrize("path", ENGINE, ids=module)
def test_nothing_in_the_engine_imports_the_hidden_checks(path: Path) -> None:
    if module(path) in ABOUT_THE_CHECKS:
        return
    assert not any(within(name, ("autograder.graders",)) for name in of_the_kit(path))


@pytest.mark.parametrize("path", files("graders"), ids=module)
def test_the_hidden_checks_import_only_what_a_check_needs(path: Path) -> None:
    assert {name for name in of_the_kit(path) if not within(name, GRADERS_MAY)} == set()


@pytest.mark.parametrize("path", files("graders"), ids=module)
def test_an_assignments_checks_import_nothing_of_another_assignments(path: Path) -> None:
    folder = path.relative_to(KIT / "graders").parts[0]
    for name in of_the_kit(path):
        part = name.split(".")[2] if name.startswith("autograder.graders.") else ""
        assert not part.startswith("ex") or part == folder or part == "expect", name


@pytest.mark.parametrize("path", files("outputs"), ids=module)
def test_every_output_is_a_view_of_the_report(path: Path) -> None:
    assert {name for name in of_the_kit(path) if not within(name, VIEWS_MAY)} == set()


def test_nbgrader_and_nbformat_are_imported_only_where_they_are_needed() -> None:
    """Importing them takes seconds, so `course grade` must do without."""
    allowed = ("autograder.gradebook", "autograder.commands", "autograder.packaging", "autograder.sample")
    for path in ENGINE:
        body = ast.parse(path.read_text("utf-8")).body
        top = {alias.name for node in body if isinstance(node, ast.Import) for alias in node.names}
        top |= {node.module or "" for node in body if isinstance(node, ast.ImportFrom)}
        slow = {name for name in top if name.split(".")[0] in ("nbgrader", "nbformat", "nbconvert", "sqlalchemy")}
        assert not slow or within(module(path), allowed), (module(path), slow)


def test_modules_are_short_enough_to_be_read() -> None:
    long = {module(path): count for path in files("") if (count := len(path.read_text("utf-8").splitlines())) > 320}
    assert long == {}
