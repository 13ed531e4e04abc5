"""Which file of a submission's folder is the notebook: the one of the right name, else the best, else a person says."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.reading.assignment import Assignment
from autograder.reading.content import is_of_another
from autograder.reading.names import ENDINGS, below, listed, readable
from autograder.reading.notebook import Unreadable, grade_id, read_notebook
from autograder.reading.repair import defines
from autograder.reading.submission import Submission, from_file, ungradable

UNWRITTEN = "raise NotImplementedError"
MAX_CANDIDATES = 20


@dataclass(frozen=True)
class Choice:
    """The notebook of a folder, with notes on how it was found; or `problem`, where there is none to be graded."""

    path: Path | None
    notes: list[str] = field(default_factory=list)
    problem: str = ""


def read_folder(
    folder: Path,
    assignment: Assignment,
    student: str,
    max_bytes: int,
    shown: str = "",
    without: Collection[Path] = (),
    others: Sequence[Assignment] = (),
) -> Submission:
    """Return what one student handed in for an assignment in a folder. `shown` is how the folder's path is written.

    A notebook of one of the assignments `others` is none of this one.
    """
    choice = choose(folder, assignment, max_bytes, without)
    place = shown or f"{student}/{assignment.name}"
    problem = choice.problem
    if choice.path is not None:
        other = of_another_assignment(choice.path, assignment, others, max_bytes)
        problem = f"it is the notebook of {other}; ask for that of {assignment.name}" if other else ""
    if choice.path is None or problem:
        return ungradable(assignment.name, student, f"{place}/{assignment.name}.ipynb", problem)
    name = readable(choice.path.relative_to(folder).as_posix())
    submission = from_file(choice.path, assignment, student, f"{place}/{name}", max_bytes, own_folder=True)
    submission.notes[:0] = choice.notes
    return submission


def of_another_assignment(path: Path, assignment: Assignment, assignments: Sequence[Assignment], max_bytes: int) -> str:
    """Return the name of the assignment that a notebook is of, where that is clearly another one; else ""."""
    try:
        notebook, _ = read_notebook(path, max_bytes)
    except Unreadable:
        return ""
    return is_of_another(notebook, assignment, assignments)


def choose(folder: Path, assignment: Assignment, max_bytes: int, without: Collection[Path] = ()) -> Choice:
    """Return the notebook of `assignment` in a folder that one student handed in for it; none of those in `without`."""
    exact = folder / f"{assignment.name}.ipynb"
    candidates = [path for path in _candidates(folder) if path not in without]
    if exact.is_symlink():
        return Choice(None, problem="the notebook is a link to another file; ask for the notebook itself")
    if exact in candidates:
        return Choice(exact, _beside(folder, [path for path in candidates if path != exact]))
    if not candidates:
        inside = sorted(readable(p.name) + ("/" if p.is_dir() else "") for p in _inside(folder))
        return Choice(None, problem=f"no notebook was handed in (found: {listed(inside) or 'nothing'})")
    best = _best(candidates[:MAX_CANDIDATES], assignment, max_bytes)
    names = [_shown(path, folder) for path in candidates]
    if best is None:
        problem = f"there are several notebooks ({listed(names)}) and none is named {exact.name}; ask which one counts"
        return Choice(None, problem=problem)
    taken = f"The notebook was handed in as {_shown(best, folder)} and not as {exact.name}; it was taken."
    return Choice(best, [taken, *_beside(folder, [path for path in candidates if path != best])])


def _candidates(folder: Path) -> Iterator[Path]:
    """Find what may be a notebook: in the folder itself, else below it, else with an ending that a browser added."""
    files = [path for path in below(folder)[0] if not path.is_symlink()]
    here = [path for path in files if path.parent == folder]
    for paths, endings in ((here, (".ipynb",)), (files, (".ipynb",)), (files, ENDINGS)):
        found = [path for path in paths if path.name.lower().endswith(endings)]
        if found:
            yield from found
            return


def _inside(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _best(candidates: list[Path], assignment: Assignment, max_bytes: int) -> Path | None:
    """Return the notebook with most of the answers, then of the cells; None where different ones are as good."""
    if len(candidates) == 1:
        return candidates[0]
    ranks: dict[Path, tuple[bool, int, int]] = {}
    data: dict[Path, bytes] = {}
    for path in candidates:
        try:
            notebook, data[path] = read_notebook(path, max_bytes)
        except Unreadable:
            continue
        code = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
        written = [name for name in assignment.functions if any(defines(s, name) and UNWRITTEN not in s for s in code)]
        known = {grade_id(cell) for cell in notebook["cells"]} & set(assignment.cells)
        ranks[path] = (path.name == f"{assignment.name}.ipynb", len(written), len(known))
    top = max(ranks.values(), default=(False, 0, 0))
    first = [path for path, rank in ranks.items() if rank == top]
    return first[0] if first and len({data[path] for path in first}) == 1 else None


def _beside(folder: Path, others: list[Path]) -> list[str]:
    if not others:
        return []
    return [f"Another notebook lay beside it and was not graded: {listed([_shown(p, folder) for p in others])}."]


def _shown(path: Path, folder: Path) -> str:
    return readable(path.relative_to(folder).as_posix())
