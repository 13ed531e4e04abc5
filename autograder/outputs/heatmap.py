"""A matrix of weights as a picture (inline SVG) that works in light and in dark, on paper, and as words."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from autograder.grading.report import Picture

CELL, LEFT, TOP, SUM = 46, 44, 34, 62  # in units of the picture
LEAK = 1e-6  # a weight above this is seen

Matrix = Sequence[Sequence[float | None]]


def heatmap(matrix: Matrix, picture: Picture, name: str, identity: str) -> str:
    """Return an SVG of the matrix, with the sum of each row beside it and leaks outlined."""
    height, width = len(matrix), len(matrix[0])
    across, down = LEFT + width * CELL + SUM, TOP + height * CELL + 4
    words = f"{name}: {describe(matrix, picture)}"
    parts = [
        f'<svg class="heat" viewBox="0 0 {across} {down}" role="img" aria-labelledby="{identity}">'
        f'<title id="{identity}">{escape(words)}</title>',
        *(_label(LEFT + (j + 0.5) * CELL, TOP - 10, str(j)) for j in range(width)),
        _label(LEFT + width * CELL + SUM / 2, TOP - 10, "sum"),
    ]
    leaks = leaks_of(matrix, picture)
    for i, row in enumerate(matrix):
        parts.append(_label(LEFT - 14, TOP + (i + 0.5) * CELL + 5, str(i)))
        for j, value in enumerate(row):
            parts.append(_square(LEFT + j * CELL, TOP + i * CELL, value, (i, j) in leaks))
        total = None if any(value is None for value in row) else sum(value or 0.0 for value in row)
        off = "" if total is not None and abs(total - 1) < 5e-3 else "off"
        parts.append(_label(LEFT + width * CELL + SUM / 2, TOP + (i + 0.5) * CELL + 5, shown(total), off))
    return "".join(parts) + "</svg>"


def leaks_of(matrix: Matrix, picture: Picture) -> set[tuple[int, int]]:
    """Return the closed places at which the matrix holds something."""
    return {(i, j) for i, j in picture.closed if matrix[i][j] is None or abs(matrix[i][j] or 0.0) > LEAK}


def describe(matrix: Matrix, picture: Picture) -> str:
    """Return what the picture shows in a sentence, for whoever does not see it."""
    said = [f"{len(matrix)} rows ({picture.rows}) and {len(matrix[0])} columns ({picture.columns})"]
    leaks = sorted(leaks_of(matrix, picture))
    if picture.closed:
        places = ", ".join(f"({i}, {j})" for i, j in leaks[:6]) + (" and others" if len(leaks) > 6 else "")
        said.append(f"{len(leaks)} of {len(picture.closed)} places that should be closed are open: {places}" if leaks
                    else "nothing leaks")  # fmt: skip
    return "; ".join(said) + "."


def shown(value: float | None) -> str:
    """Return a weight in two decimals; "?" where it is no finite number."""
    if value is None:
        return "?"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.0e}"


def _square(x: float, y: float, value: float | None, leak: bool) -> str:
    strength = min(max(value or 0.0, 0.0), 1.0)
    odd = value is None or value < 0 or value > 1 + LEAK
    kind = "odd" if odd else "strong" if strength > 0.5 else "weak"
    square = (
        f'<rect class="base" x="{x}" y="{y}" width="{CELL}" height="{CELL}"/>'
        f'<rect class="fill {kind}" x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill-opacity="{strength:.3f}"/>'
    )
    if leak:
        square += f'<rect class="leak" x="{x + 2.5}" y="{y + 2.5}" width="{CELL - 5}" height="{CELL - 5}"/>'
    return square + _label(x + CELL / 2, y + CELL / 2 + 5, shown(value), kind)


def _label(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(text)}</text>'
