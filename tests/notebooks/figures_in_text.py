"""Does every number in a notebook's text come from its code?

The rule for whoever writes a notebook: **a number in the text is printed, or written, by the code of its part.** A part
goes from one heading `#` or `##` to the next. A printed 2.7674 is the source of "2.77" and of "2.8", rounded as the
text does it. A number written in the code, such as a size, has to be the same.

No source is needed for a whole number up to 10: it counts or labels something ("part 3", "row 0", "two of 6"). With a
decimal point, a percent sign, or "times" or "a factor of" beside it, it is a figure after all. A power such as 10^9 is
notation, and `inline code` is code; both are left aside.

Where nothing prints the number, the cell's metadata names what computes it, as an expression in the notebook's names. A
number that the text itself chooses, a tolerance or an example, stands for itself:

    "figures": {"0.35": "weights.max()", "0.001": "0.001"}
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LABELS_UP_TO = 10
# A power; or a number, perhaps with commas, a fraction and an exponent. Not a piece of a name such as ex2 or W_1,
# and not an exponent in a formula.
_NUMBER = re.compile(
    r"(?<![\w.^{\\#-])(?:(?P<base>\d+)\^\{?(?P<power>-?\d+)\}?"
    r"|(?P<plain>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?P<exponent>e[+-]?\d+)?(?P<kilo>K\b)?)(?![\w^])"
)
_MEANT = re.compile(r"\s?(?:%|\\%|×|times\b|-fold\b)")  # after a whole number that is a figure all the same
_FACTOR = re.compile(r"factor of\s$")  # before one


@dataclass(frozen=True)
class Figure:
    """A number as it stands in a text: `said` is how, `decimals` to how many digits after the point."""

    said: str
    value: float
    decimals: int
    is_label: bool

    def comes_from(self, number: float, whole: bool = False) -> bool:
        """Whether a computed number, rounded as the text does, is this one; with `whole` also to a whole number."""
        close = 0.5000001 * 10.0**-self.decimals if self.decimals or whole else 1e-9 * self.value
        return abs(abs(number) - self.value) <= close


def figures(text: str) -> Iterator[Figure]:
    """Yield the numbers in a text. Signs are left aside: a dash may be a minus or not."""
    text = text.replace("{,}", ",").replace("\u2212", "-")
    text = re.sub(r"(?<![\w{-])-(?=\d)", " ", text)
    for match in _NUMBER.finditer(text):
        if match["base"]:
            yield Figure(match[0], float(match["base"]) ** float(match["power"]), 0, is_label=True)
            continue
        plain = match["plain"]
        fraction = plain.partition(".")[2]
        power = int((match["exponent"] or "e0")[1:])
        value = float(plain.replace(",", "") + (match["exponent"] or "")) * (1024 if match["kilo"] else 1)
        after, before = text[match.end() :], text[: match.start()]
        small = value <= LABELS_UP_TO and not fraction and not match["exponent"] and not match["kilo"]
        meant = bool(_MEANT.match(after) or _FACTOR.search(before))
        yield Figure(match[0], value, len(fraction) - power if fraction else 0, small and not meant)


def prose(text: str) -> str:
    """Return a cell's text without inline code; blocks of expected output stay."""
    return re.sub(r"(?<!`)`[^`\n]+`(?!`)", "", text)


def parts(cells: list[dict[str, Any]]) -> list[list[int]]:
    """Return the positions of the cells of each part. A heading of the first or second level begins one."""
    found: list[list[int]] = [[]]
    for at, cell in enumerate(cells):
        if cell["cell_type"] == "markdown" and re.match(r"##? ", cell["source"]):
            found.append([])
        found[-1].append(at)
    return [part for part in found if part]


def written(code: str) -> set[float]:
    """Return the numbers that stand in code, also as products and powers of such (10**9, 4 * 1024)."""
    found = set()
    tree = ast.parse(code)
    specs = [node.format_spec for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)]
    formats = {inner for spec in specs if spec is not None for inner in ast.walk(spec)}
    for node in ast.walk(tree):
        if node in formats:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {figure.value for figure in figures(node.value)}
        elif isinstance(node, (ast.Constant, ast.BinOp)) and (value := _constant(node)) is not None:
            found.add(abs(value))
    return found


def _constant(node: ast.expr) -> float | None:
    if isinstance(node, ast.Constant):
        is_number = isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
        return float(node.value) if is_number else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Pow)):
        left, right = _constant(node.left), _constant(node.right)
        if left is not None and right is not None:
            return left**right if isinstance(node.op, ast.Pow) else left * right
    return None


@dataclass(frozen=True)
class Sources:
    """What a part's code prints, and the numbers written in it."""

    printed: frozenset[float]
    written: frozenset[float]

    def hold(self, figure: Figure) -> bool:
        return figure.value in self.written or any(figure.comes_from(number) for number in self.printed)


def sources(cells: list[dict[str, Any]], printed: dict[int, str]) -> dict[int, Sources]:
    """Return the sources for each cell, by position. `printed` holds what each cell of code printed."""
    found = {}
    for part in parts(cells):
        code = [at for at in part if cells[at]["cell_type"] == "code"]
        shown = frozenset(figure.value for at in code for figure in figures(printed.get(at, "")))
        numbers = frozenset(value for at in code for value in written(cells[at]["source"]))
        found.update(dict.fromkeys(part, Sources(shown, numbers)))
    return found


def without_source(cells: list[dict[str, Any]], printed: dict[int, str], names: dict[str, Any]) -> list[str]:
    """Return a line for each number in the text that nothing computes, and for each entry of metadata that is wrong.

    `names` are the notebook's variables after its run.
    """
    known = sources(cells, printed)
    texts = [at for at, cell in enumerate(cells) if cell["cell_type"] == "markdown"]
    return [problem for at in texts for problem in in_cell(cells[at], known[at], names)]


def in_cell(cell: dict[str, Any], known: Sources, names: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the numbers in the text of one cell."""
    named = dict(cell["metadata"].get("figures", {}))
    in_text = list(figures(prose(cell["source"])))
    for said in sorted(named.keys() - {figure.said for figure in in_text}):
        yield f"{cell['id']}: its metadata names {said}, which is not in its text"
    for figure in in_text:
        if figure.said in named:
            value = float(eval(named[figure.said], dict(names)))
            if not figure.comes_from(value, whole=True):
                yield f"{cell['id']}: {figure.said} should be {named[figure.said]}, which is {value:.6g}"
        elif not figure.is_label and not known.hold(figure):
            yield f"{cell['id']}: nothing in this part prints or holds {figure.said}"


def checked(cells: list[dict[str, Any]]) -> list[tuple[int, Figure]]:
    """Return every number that needs a source, with the position of its cell."""
    return [
        (at, figure)
        for at, cell in enumerate(cells)
        if cell["cell_type"] == "markdown"
        for figure in figures(prose(cell["source"]))
        if not figure.is_label
    ]
