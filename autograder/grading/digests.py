"""Digests of what decides a result: the checks one by one, and the engine that asks them."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path

from autograder import __version__
from autograder.grading.batch import GRADERS
from autograder.problems import CourseError
from autograder.reading.assignment import Assignment

KIT = GRADERS.parent
ENGINE = ("student", "grading", "reading")


def folder_of(assignment: str) -> str:
    """Return the folder of an assignment's hidden checks, below autograder/graders/."""
    folder = assignment.replace("-", "_")
    if not (GRADERS / folder).is_dir():
        raise CourseError(f"{assignment} has no hidden checks", f"write them in autograder/graders/{folder}/test_*.py")
    return folder


def checks_digest(assignment: Assignment, probe_seed: int = 0) -> str:
    """Return a digest of everything that decides a score: the checks, what they share, their inputs, and the points."""
    digest = _of_files(_files(assignment.name))
    points = {cell.grade_id: cell.points for cell in assignment.graded}
    digest.update(repr((sorted(points.items()), probe_seed)).encode())
    return "sha256:" + digest.hexdigest()


def files_digest(assignment: str) -> str:
    """Return a digest of the files that an assignment's checks are loaded from."""
    return _of_files(_files(assignment)).hexdigest()


def checks_of(assignment: Assignment) -> dict[str, str]:
    """Return the digests of an assignment's hidden checks; none, where nothing in it is graded."""
    return digests_of_checks(assignment.name) if assignment.graded else {}


def digests_of_checks(assignment: str) -> dict[str, str]:
    """Return a digest of each hidden check: of its own lines, and of everything that it may use.

    A test's own lines count for it alone; the rest of its module, the folder's other modules and what all graders
    share count for each check that could use them.
    """
    folder = GRADERS / folder_of(assignment)
    tests = sorted(folder.rglob("test_*.py"))
    around = _of_files([*_shared(), *(path for path in sorted(folder.rglob("*.py")) if path not in tests)]).digest()
    found: dict[str, str] = {}
    for path in tests:
        lines = path.read_text("utf-8").splitlines()
        own: dict[str, list[str]] = {}
        for node in reversed(ast.parse("\n".join(lines)).body):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
                own[node.name] = lines[first : node.end_lineno]
                del lines[first : node.end_lineno]
        rest = hashlib.sha256(around + "\n".join(lines).encode()).digest()
        for name, text in own.items():
            found[name] = hashlib.sha256(rest + "\n".join(text).encode()).hexdigest()
    return found


def engine_digest() -> str:
    """Return a digest of the kit's version and of the code that runs and asks submissions."""
    digest = _of_files(path for folder in ENGINE for path in sorted((KIT / folder).rglob("*.py")))
    digest.update(__version__.encode())
    return digest.hexdigest()


def _files(assignment: str) -> list[Path]:
    return [*sorted((GRADERS / folder_of(assignment)).rglob("*.py")), *_shared()]


def _shared() -> list[Path]:
    return sorted([*GRADERS.glob("*.py"), *(GRADERS / "diagnoses").glob("*.py")])


def _of_files(paths: Iterable[Path]) -> hashlib._Hash:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest
