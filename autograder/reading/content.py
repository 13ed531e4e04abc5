"""Of which assignment a notebook is, by what it holds: the course's cells, else the functions that were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autograder.reading.assignment import Assignment
from autograder.reading.notebook import grade_id
from autograder.reading.repair import defines


def assignment_of(
    notebook: dict[str, Any], assignments: Sequence[Assignment], functions: bool = True
) -> Assignment | None:
    """Return the assignment whose cells, or else `functions`, the notebook holds most completely."""
    ids = {grade_id(cell) for cell in notebook["cells"]}
    by_ids = _best({a.name: _share(ids, a.cells) for a in assignments}, assignments)
    if by_ids is not None or not functions:
        return by_ids
    text = "\n".join(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code")
    defined = {name for a in assignments for name in a.functions if defines(text, name)}
    return _best({a.name: _share(defined, a.functions) for a in assignments}, assignments)


def is_of_another(notebook: dict[str, Any], assignment: Assignment, assignments: Sequence[Assignment]) -> str:
    """Return the name of the assignment that the notebook is of, where it holds nothing of `assignment`; else ""."""
    if not assignment.cells:  # it has nothing that a notebook could hold; the tour also defines a softmax, as ex1 does
        return ""
    other = assignment_of(notebook, assignments)
    if other is None or other.name == assignment.name or assignment_of(notebook, [assignment], functions=False):
        return ""
    known_by_ids = assignment_of(notebook, [other], functions=False) is not None
    return other.name if known_by_ids or assignment_of(notebook, [assignment]) is None else ""


def _share(found: set[Any], wanted: Any) -> float:
    return len(found & set(wanted)) / len(wanted) if wanted else 0.0


def _best(shares: Mapping[str, float], assignments: Sequence[Assignment]) -> Assignment | None:
    """Return the assignment with the highest share; None where all are zero or the first place is shared."""
    top = max(shares.values(), default=0.0)
    first = [assignment for assignment in assignments if shares[assignment.name] == top]
    return first[0] if top > 0 and len(first) == 1 else None
