"""Small mistakes made mechanically: every mutant of a function differs from it in one place.

Operators and comparisons are exchanged, constants changed, names and parameters exchanged, calls and statements left
out, results swapped.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
MANY = 4  # parameters: where there are more, each is exchanged for the next one alone
OTHER_NAMES = {"max": "min", "min": "max", "all": "any", "any": "all", "sum": "mean", "triu": "tril", "exp": "exp2"}


@dataclass(frozen=True)
class Mutant:
    """A function with one mistake: what was done where (line counted within the function), and its source."""

    function: str
    change: str
    code: str


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every mutant of each function in a source, none twice."""
    for function in ast.parse(source).body:
        if isinstance(function, ast.FunctionDef):
            whole = ast.unparse(function)
            seen = {whole}
            for changed in _changed(function):
                code = ast.unparse(ast.fix_missing_locations(changed))
                if code not in seen:
                    seen.add(code)
                    yield Mutant(function.name, _difference(whole, code), code)


def _difference(before: str, after: str) -> str:
    """The lines that differ, as `was -> is`."""
    old, new = before.splitlines(), after.splitlines()
    gone = [line.strip() for line in old if line not in new]
    come = [line.strip() for line in new if line not in old]
    return f"{' '.join(gone) or '(nothing)'} -> {' '.join(come) or '(nothing)'}"


def _changed(function: ast.FunctionDef) -> Iterator[ast.FunctionDef]:
    """Yield copies of a function with one node exchanged each."""
    skip = 1 if ast.get_docstring(function) is not None else 0
    parameters = [argument.arg for argument in function.args.args]
    count = len(list(ast.walk(function)))
    for index in range(count):
        for number in range(20):
            changed = copy.deepcopy(function)
            node = list(ast.walk(changed))[index]
            others = list(_others(node, parameters))
            if number >= len(others):
                break
            if _put(changed, node, others[number]):
                yield changed
    for place in _statements(function, skip):
        changed = copy.deepcopy(function)
        body = _bodies(changed)[place[0]]
        body[place[1]] = ast.Pass()
        yield changed


def _bodies(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    return [node.body for node in ast.walk(function) if isinstance(getattr(node, "body", None), list)]


def _statements(function: ast.FunctionDef, skip: int) -> Iterator[tuple[int, int]]:
    for number, body in enumerate(_bodies(function)):
        for place in range(skip if number == 0 else 0, len(body)):
            yield number, place


def _put(tree: ast.AST, node: ast.AST, other: ast.AST) -> bool:
    """Put another node in the place of one. Returns False where it stands in no place that can be found."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, field, other)
                return True
            if isinstance(value, list):
                for place, item in enumerate(value):
                    if item is node:
                        value[place] = other
                        return True
    return False


def _others(node: ast.AST, parameters: list[str]) -> Iterator[ast.AST]:
    """Yield what could stand in the place of a node."""
    if isinstance(node, ast.BinOp):
        yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
        yield node.left
        yield node.right
    elif isinstance(node, ast.AugAssign):
        yield ast.AugAssign(node.target, OPERATORS[type(node.op)](), node.value)
    elif isinstance(node, ast.Compare):
        for other in COMPARISONS[type(node.ops[0])]:
            yield ast.Compare(node.left, [other()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        yield from node.values
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _other_constants(node.value)
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    elif isinstance(node, ast.Attribute) and node.attr == "T":
        yield node.value
    elif isinstance(node, ast.Attribute) and node.attr in OTHER_NAMES:
        yield ast.Attribute(node.value, OTHER_NAMES[node.attr], node.ctx)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in parameters:
        following = parameters[parameters.index(node.id) + 1 :] + parameters[: parameters.index(node.id)]
        others = following if len(parameters) <= MANY else following[:1]
        yield from (ast.Name(other, ast.Load()) for other in others)
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) > 1:
        yield ast.Tuple([node.elts[1], node.elts[0], *node.elts[2:]], node.ctx)
        yield ast.Tuple(node.elts[:-1], node.ctx)


def _other_constants(value: object) -> Iterator[ast.AST]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, (int, float)):
        yield ast.Constant(value + 1)
        yield ast.Constant(value - 1)
        yield ast.Constant(value * 100)


def _other_calls(node: ast.Call) -> Iterator[ast.AST]:
    """The first argument alone, and the call without one of its keywords."""
    if node.args:
        yield node.args[0]
    if isinstance(node.func, ast.Attribute) and not node.args:
        yield node.func.value  # x.max() becomes x
    for number in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:number] + node.keywords[number + 1 :])
