"""The students' package: the released notebooks with their data, requirements and a short guide."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path

from autograder.course import Course
from autograder.problems import CourseError
from autograder.reading.assignment import SOLUTION_MARKERS, Assignment
from autograder.reading.notebook import read_notebook
from autograder.reading.submission import IGNORED

NAME = "attention-course-student"
REQUIREMENTS = """\
# What the notebooks need. Install with: python -m pip install -r requirements.txt
jupyterlab>=4.2
matplotlib>=3.8
numpy>=2.0
"""
GUIDE = """\
# {title}

{count} notebooks, each in a folder of its own:

{listing}

Work through them in this order. Each notebook explains one idea, asks you to write a few functions, and has
checks that you can run yourself. When you hand in, your functions are tried with other inputs as well.

## Open the notebooks

You need Python 3.11 or newer.

**JupyterLab.** In a terminal, in this folder:

    python -m venv .venv
    source .venv/bin/activate          (Windows: .venv\\Scripts\\activate)
    python -m pip install -r requirements.txt
    jupyter lab

Then open a notebook in the panel on the left.

**VS Code.** Install the extensions *Python* and *Jupyter*, open this folder, open a notebook, and choose the
environment `.venv` (made as above) with *Select Kernel*.

**Google Colab.** Choose *File > Upload notebook* and take the `.ipynb` file; numpy and matplotlib are there
already. Download it again with *File > Download > Download .ipynb* before you hand in, and keep its name.

## Before you hand in

1. Write your answers where `# YOUR CODE HERE` stands, and remove the line `raise NotImplementedError()`.
2. Restart the kernel and run all cells from top to bottom: that is how your notebook is run.
3. Read what each check says. A check that stops names what it saw and where to look.
4. Hand in the `.ipynb` file under the name that it has.

Leave the locked cells as they are: they are replaced when your work is graded. You may add cells of your own
anywhere. Printing and warnings never cost points.
"""


def build(course: Course, destination: Path) -> tuple[Path, Path]:
    """Write the package as a folder and as a zip in `destination`. Returns (folder, zip).

    Both are replaced as a whole. Raises CourseError where a notebook is not released or cannot be written.
    """
    try:
        destination.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=destination) as scratch:
            made = Path(scratch) / NAME
            _fill(course, made)
            archive = _zip(made, Path(scratch) / f"{NAME}.zip")
            folder, target = destination / NAME, destination / f"{NAME}.zip"
            if folder.exists():
                shutil.rmtree(folder)
            made.replace(folder)
            archive.replace(target)
    except OSError as error:
        raise CourseError(
            f"{destination} cannot be written ({error.strerror})", "name another folder with --output"
        ) from error
    return folder, target


def _fill(course: Course, folder: Path) -> None:
    assignments = course.assignments()
    for assignment in assignments:
        source = course.root / "release" / assignment.name
        notebook = source / f"{assignment.name}.ipynb"
        if not notebook.is_file():
            raise CourseError(
                f"release/{assignment.name} is not there", f"run `nbgrader generate_assignment {assignment.name}`"
            )
        _refuse_answers(notebook, assignment)
        ignore = shutil.ignore_patterns(*IGNORED, "*.pyc")
        shutil.copytree(source, folder / assignment.name, ignore=ignore)
    listing = "\n".join(f"{number}. `{a.name}`: {a.title}" for number, a in enumerate(assignments, start=1))
    guide = GUIDE.format(title="The attention mechanism", count=len(assignments), listing=listing)
    (folder / "README.md").write_text(guide, encoding="utf-8")
    (folder / "requirements.txt").write_text(REQUIREMENTS + _optional_requirements(course), encoding="utf-8")


def _optional_requirements(course: Course) -> str:
    """Comments that name what single assignments need beyond that: it can be large, and not everybody needs it."""
    needs = [f"# {name} needs as well: {' '.join(course.requires[name])}" for name in course.requires]
    return "\n".join([*needs, ""])


def _refuse_answers(path: Path, assignment: Assignment) -> None:
    """Raise CourseError where a released notebook still holds model answers."""
    notebook, _ = read_notebook(path, 10**8)
    if any(marker in cell["source"] for cell in notebook["cells"] for marker in SOLUTION_MARKERS):
        raise CourseError(
            f"release/{assignment.name} holds model answers",
            f"run `nbgrader generate_assignment {assignment.name} --force`",
        )


def _zip(folder: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), (1980, 1, 1, 0, 0, 0))
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return target
