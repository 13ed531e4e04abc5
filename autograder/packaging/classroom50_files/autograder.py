"""What Classroom 50 calls: the visible checks of one assignment become result.json.

Classroom 50 publishes this folder without asking who reads it, so there is nothing hidden here: the check cells are
those of the notebook as it was handed out. They take the place of the student's own, so that a changed check counts
for nothing. The score is no grade: the hidden checks run in the instructor's repository.

Runs in the student's checkout, with the variables that Classroom 50's runner sets. Ends with 0 where there is a
result, whatever the score; anything else is a fault of the machine.
"""

from __future__ import annotations

import copy
import datetime
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SCHEMA = "classroom50/result/v1"
WHOLE = 100  # scores are whole numbers: hundredths of a point
NEEDED = ("nbclient", "nbformat", "ipykernel", "numpy", "matplotlib")


def install() -> None:
    """Install what is missing of what the notebooks need."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *missing], check=True)


def with_the_courses_checks(notebook: Any, released: Any) -> Any:
    """Return the student's notebook with each locked cell as it was released; those that are missing are put last."""
    mended = copy.deepcopy(notebook)
    wanted = {_id(cell): cell for cell in released.cells if _locked(cell)}
    seen = set()
    for cell in mended.cells:
        if _id(cell) in wanted and _id(cell) not in seen:
            seen.add(_id(cell))
            cell.cell_type, cell.source = wanted[_id(cell)].cell_type, wanted[_id(cell)].source
            cell.metadata = copy.deepcopy(wanted[_id(cell)].metadata)
            if cell.cell_type == "code":
                cell.setdefault("outputs", [])
                cell.setdefault("execution_count", None)
        elif _flags(cell).get("grade"):
            del cell.metadata["nbgrader"]  # a second copy, or a check that the course does not know
    mended.cells += [copy.deepcopy(cell) for grade_id, cell in wanted.items() if grade_id not in seen]
    return mended


def _flags(cell: Any) -> dict[str, Any]:
    flags = cell.metadata.get("nbgrader", {})
    return flags if isinstance(flags, dict) else {}


def _id(cell: Any) -> str | None:
    return _flags(cell).get("grade_id")


def _locked(cell: Any) -> bool:
    return bool(_flags(cell).get("locked")) and not _flags(cell).get("solution")


def find(name: str) -> tuple[Path | None, str]:
    """Return the notebook in the checkout, or None and the reason."""
    found = [path for path in sorted(Path.cwd().rglob(f"{name}.ipynb")) if ".ipynb_checkpoints" not in path.parts]
    outside = [path for path in found if HERE not in path.resolve().parents]
    if not outside:
        return None, f"There is no {name}.ipynb in your repository: put it back under that name."
    if len(outside) > 1:
        places = ", ".join(path.relative_to(Path.cwd()).as_posix() for path in outside[:3])
        return None, f"There are several notebooks named {name}.ipynb ({places}): keep one."
    return outside[0], ""


def main() -> int:
    """Run the visible checks and write result.json."""
    install()
    sys.path.insert(0, str(HERE))
    import check_notebooks

    (given,) = sorted(HERE.glob("*.ipynb"))
    released = check_notebooks.read(given)
    path, problem = find(given.stem)
    checks = [
        check_notebooks.Check(_id(cell) or "check", False, check_notebooks.points(cell), problem)
        for cell in check_notebooks.checks_of(released)
    ]
    if path is not None:
        try:
            notebook = check_notebooks.read(path)
        except check_notebooks.Unreadable as error:
            said = f"{path.name} cannot be read: {error}"
            checks = [check_notebooks.Check(c.name, False, c.points, said) for c in checks]
        else:
            checks = check_notebooks.run(with_the_courses_checks(notebook, released), path.parent)
    tests = [
        {
            "test-name": f"visible check: {check.name}",
            "passed": check.passed,
            "score": round(WHOLE * check.points) if check.passed else 0,
            "max-score": round(WHOLE * check.points),
            "message": check.message,
        }
        for check in checks
    ]
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")  # noqa: UP017
    result = {
        "schema": SCHEMA,
        "classroom": os.environ["CLASSROOM"],
        "assignment": os.environ["ASSIGNMENT"],
        "assignment_type": os.environ.get("ASSIGNMENT_TYPE") or "individual",
        "owner": os.environ.get("OWNER") or os.environ["USERNAME"],
        "submission": os.environ["SUBMISSION_TAG"],
        "commit": os.environ["COMMIT_URL"],
        "release": os.environ["RELEASE_URL"],
        "review": os.environ.get("REVIEW_URL") or os.environ["COMMIT_URL"],
        "datetime": now,  # the runner writes the times anew
        "graded_at": now,
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }
    part = Path("result.json.part")
    part.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    part.replace("result.json")
    for check in checks:
        print(f"{'passes' if check.passed else 'stops '}  {check.name}  {check.message}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
