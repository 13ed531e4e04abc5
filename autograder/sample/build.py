"""Makes the sample class: the released notebooks, filled with what the students wrote, in nbgrader's layout.

What a student wrote for an assignment is a text file, students/<student>/<first part of the assignment's name>.txt,
of sections: a line `# %% <grade_id>` and then the source of that solution cell. A section `# %% new` becomes a code
cell of the student's own at the end of the notebook. A solution cell without a section stays as it was released.
"""

from __future__ import annotations

import copy
import datetime
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SECTION = "# %% "
NEW = "new"
DUE = datetime.datetime(2026, 11, 29, 17, 0, tzinfo=datetime.UTC)


@dataclass(frozen=True)
class Student:
    """One student of the sample class.

    `hours` is when the work was handed in, counted from the due date (below zero: before it), and None where nothing
    ever was. `expected` is the score that each assignment should get, None where that assignment was not handed in.
    """

    id: str
    first_name: str
    last_name: str
    email: str
    hours: float | None
    shows: str
    expected: dict[str, float | None]

    def handed_in(self, assignment: str) -> bool:
        """Whether there is a notebook of this student's for the assignment."""
        return self.hours is not None and self.expected.get(assignment) is not None


def roster() -> list[Student]:
    """Return everyone on the roster, also those who hand in nothing."""
    return [Student(**entry) for entry in json.loads((HERE / "class.json").read_text("utf-8"))]


def answers_path(student: str, assignment: str) -> Path:
    """Return where the answers of a student are; a blank one has no such file."""
    return HERE / "students" / student / f"{assignment.partition('-')[0]}.txt"


def read_answers(path: Path) -> dict[str, str]:
    """Return the source for each section of an answer file, in order: by grade_id, or as new, new-2, new-3...

    Raises ValueError for text above the first section and for a grade_id that comes twice.
    """
    sections: dict[str, list[str]] = {}
    lines: list[str] | None = None
    extra = 0
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if line.startswith(SECTION):
            name = line.removeprefix(SECTION).strip()
            if name == NEW:
                extra += 1
                name = NEW if extra == 1 else f"{NEW}-{extra}"
            if name in sections:
                raise ValueError(f"{path.name}, line {number}: a second section {name!r}")
            lines = sections[name] = []
        elif lines is not None:
            lines.append(line)
        elif line.strip():
            raise ValueError(f"{path.name}, line {number}: text above the first section")
    return {name: "\n".join(part).strip("\n") for name, part in sections.items()}


def fill(released: dict[str, Any], answers: dict[str, str]) -> dict[str, Any]:
    """Return a copy of a released notebook with the answers in its solution cells and new cells at its end.

    Raises ValueError for an answer to a cell that is not there or not a student's to write.
    """
    filled = copy.deepcopy(released)
    places = {}
    for cell in filled["cells"]:
        flags = cell["metadata"].get("nbgrader", {})
        if flags.get("solution") and not flags.get("locked"):
            places[flags["grade_id"]] = cell
    for name, source in answers.items():
        if name in places:
            places[name]["source"] = source
        elif name == NEW or name.startswith(f"{NEW}-"):
            _append(filled, source)
        else:
            raise ValueError(f"there is no solution cell {name!r}; there are {', '.join(places)}")
    return filled


def with_code(model: dict[str, Any], code: str) -> dict[str, Any]:
    """Return a copy of a notebook with one more code cell at its end; what that defines counts as the answer."""
    changed = copy.deepcopy(model)
    _append(changed, code)
    return changed


def write_class(
    released: Mapping[str, dict[str, Any]], folder: Path, due: Mapping[str, datetime.datetime] | None = None
) -> list[Student]:
    """Write what everyone handed in below `folder` (nbgrader's submitted/) and return the whole roster.

    `released` are the released notebooks and `due` the due dates (aware) by assignment; DUE where there is none.
    """
    students = roster()
    for student in students:
        for assignment, notebook in released.items():
            if not student.handed_in(assignment) or student.hours is None:
                continue
            path = answers_path(student.id, assignment)
            answers = read_answers(path) if path.is_file() else {}
            target = folder / student.id / assignment
            target.mkdir(parents=True, exist_ok=True)
            text = json.dumps(fill(notebook, answers), indent=1, ensure_ascii=False) + "\n"
            (target / f"{assignment}.ipynb").write_text(text, "utf-8", newline="\n")
            moment = (due or {}).get(assignment, DUE) + datetime.timedelta(hours=student.hours)
            stamp = moment.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
            (target / "timestamp.txt").write_text(stamp, "utf-8")
            secret = hashlib.sha256(f"{student.id} {assignment}".encode()).hexdigest()
            (target / "submission_secret.txt").write_text(secret, "utf-8")  # nbgrader releases no feedback without
    return students


def _append(notebook: dict[str, Any], source: str) -> None:
    """Add a code cell at the end, with the first free id of new-1, new-2..."""
    taken = {cell.get("id") for cell in notebook["cells"]}
    number = 1
    while f"{NEW}-{number}" in taken:
        number += 1
    notebook["cells"].append(
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"{NEW}-{number}",
            "metadata": {},
            "outputs": [],
            "source": source,
        }
    )
