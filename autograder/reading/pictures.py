"""Cells of the course's own that only draw: they are left out while figures are not drawn.

To build a figure costs more than all the rest of a notebook, and nobody sees it. By convention a picture is a code
cell of the course's copy that is neither a solution nor graded and ends in `plt.show()`. Pictures are left out where
the student has left them as they are and no cell that is run needs a name that they make.
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.reading.assignment import Assignment

END = "plt.show()"
_WORD = re.compile(r"[^\W\d]\w*")
_COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try)
_NOW = {"genexpr", "listcomp", "setcomp", "dictcomp"}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class _Names:
    """The global names of one cell: made by it, needed when it is run, needed by its functions when they are called."""

    made: set[str] = field(default_factory=set)
    now: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)


class Pictures:
    """The pictures of one assignment. Looks at each different cell of a class once."""

    def __init__(self, assignment: Assignment) -> None:
        cells = [cell for cell in assignment.notebook["cells"] if cell["cell_type"] == "code"]
        texts = {_text(cell["source"]): cell["metadata"].get("nbgrader", {}) for cell in cells}
        self.texts = {
            text
            for text, flags in texts.items()
            if text.endswith(END) and not flags.get("solution") and not flags.get("grade")
        }
        self.known: dict[str, _Names] = {}

    def left_out(self, code: list[tuple[int, str]]) -> frozenset[int]:
        """Return the positions in `code` (position and source of each code cell) of the pictures that nothing needs."""
        drawing = {index for index, source in code if _text(source) in self.texts}
        while drawing:
            needed = self._needed(code, drawing)
            if not needed:
                break
            drawing -= needed
        return frozenset(drawing)

    def _needed(self, code: list[tuple[int, str]], drawing: set[int]) -> set[int]:
        """Return which of `drawing` were the last to make a name that a cell which is run looks up."""
        makers: dict[str, int] = {}
        needed: set[int] = set()
        later: set[str] = set()
        for index, source in code:
            names = self._names(source)
            if index not in drawing:
                needed.update(makers[name] for name in names.now if name in makers)
                later |= names.later
            makers.update(dict.fromkeys(names.made, index))
        needed.update(makers[name] for name in later if name in makers)
        return needed & drawing

    def _names(self, source: str) -> _Names:
        if source not in self.known:
            if len(self.known) > 10_000:
                self.known.clear()
            self.known[source] = _names(source)
        return self.known[source]


def _text(source: str) -> str:
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def _names(source: str) -> _Names:
    try:
        body = ast.parse(source).body
        table = symtable.symtable(source, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        words = set(_WORD.findall(source))  # no plain Python: whatever it mentions, it may need
        return _Names(set(), words, words)
    found = _Names({symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned()})
    done: set[str] = set()
    for statement in body:
        loaded, stored = _loaded(statement), _stored(statement)
        found.now.update(loaded - done - (stored if isinstance(statement, _COMPOUND) else set()))
        done |= stored
    found.later.update(_globals_of_functions(table))
    return found


def _loaded(statement: ast.stmt) -> set[str]:
    """Return the names that a statement looks up when it is run, without what its own comprehensions bind."""
    nodes = list(_outside_functions(statement))
    lambdas = [node.args for node in nodes if isinstance(node, ast.Lambda)]
    bound = {arg.arg for args in lambdas for arg in ast.walk(args) if isinstance(arg, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.comprehension):
            bound |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        names.add(statement.target.id)
    return names - bound


def _stored(statement: ast.stmt) -> set[str]:
    if isinstance(statement, _SCOPES):
        return {statement.name}
    imported = statement.names if isinstance(statement, (ast.Import, ast.ImportFrom)) else []
    names = {alias.asname or alias.name.split(".")[0] for alias in imported}
    nodes = _outside_functions(statement)
    return names | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _outside_functions(statement: ast.stmt) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        waiting += node.decorator_list if inside else list(ast.iter_child_nodes(node))  # type: ignore[attr-defined]


def _globals_of_functions(table: symtable.SymbolTable) -> set[str]:
    """Return the global names that a cell's functions look up. Its own comprehensions are none: they run now."""
    names: set[str] = set()
    waiting = [(scope, False) for scope in table.get_children()]
    while waiting:
        scope, later = waiting.pop()
        later = later or scope.get_name() not in _NOW
        if later:
            names |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
        waiting += [(inner, later) for inner in scope.get_children()]
    return names
