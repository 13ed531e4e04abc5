"""The students' package: the released notebooks with their data, requirements and a short guide."""

from __future__ import annotations

import shutil
from pathlib import Path

from autograder.course import Course
from autograder.packaging import archive
from autograder.reading.assignment import Assignment
from autograder.reading.submission import IGNORED

NAME = "attention-course-student"
HANDOUT = Path(__file__).resolve().parent / "handout"  # goes into the package as it is
PYTHON = "python-3.12\n"  # for Binder
REQUIREMENTS = """\
# What the notebooks need. Install with: python -m pip install -r requirements.txt
ipywidgets>=8.1
jupyterlab>=4.2
matplotlib>=3.8
numpy>=2.0
"""
GUIDE = """\
# {title}

{count} notebooks, each in a folder of its own:

{listing}

Work through them in this order. Each exercise explains one idea, asks you to write a few functions, and has
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

**Without installing anything.** Put this folder into a repository of your own on GitHub and choose
*Code > Codespaces*; or, where the repository is public, open it at https://mybinder.org. Keep a repository with your
answers private: it can then be opened in Codespaces, but not at Binder.

## Before you hand in

1. Write your answers where `# YOUR CODE HERE` stands, and remove the line `raise NotImplementedError()`.
2. Restart the kernel and run all cells from top to bottom: that is how your notebook is run.
3. Read what each check says. A check that stops names what it saw and where to look.
   `python check_notebooks.py` runs all notebooks and lists the checks that stop; on GitHub the same runs at each push.
4. Hand in the `.ipynb` file under the name that it has.

Leave the locked cells as they are: they are replaced when your work is graded. You may add cells of your own
anywhere. Printing and warnings never cost points.
"""


def build(course: Course, destination: Path) -> tuple[Path, Path]:
    """Write the package as a folder and as a zip in `destination`. Returns (folder, zip).

    Both are replaced as a whole. Raises CourseError where a notebook is not released or cannot be written.
    """
    return archive.build(destination, NAME, lambda folder: fill(course, folder))


def fill(course: Course, folder: Path) -> None:
    """Write what students get to a folder. Raises CourseError where a notebook is not released."""
    assignments = course.assignments()
    for assignment in assignments:
        source = archive.released(course.root, assignment.name).parent
        ignore = shutil.ignore_patterns(*IGNORED, "*.pyc")
        shutil.copytree(source, folder / assignment.name, ignore=ignore)
    listing = "\n".join(_listed(number, assignment) for number, assignment in enumerate(assignments, start=1))
    guide = GUIDE.format(title="The attention mechanism", count=len(assignments), listing=listing)
    (folder / "README.md").write_text(guide, encoding="utf-8")
    requirements = REQUIREMENTS + _optional_requirements(course)
    (folder / "requirements.txt").write_text(requirements, encoding="utf-8")
    shutil.copytree(HANDOUT, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    (folder / ".binder").mkdir()
    (folder / ".binder" / "requirements.txt").write_text(requirements, encoding="utf-8")
    (folder / ".binder" / "runtime.txt").write_text(PYTHON, encoding="utf-8")


def _optional_requirements(course: Course) -> str:
    """Comments that name what single assignments need beyond that: it can be large, and not everybody needs it."""
    needs = [f"# {name} needs as well: {' '.join(course.requires[name])}" for name in course.requires]
    return "\n".join([*needs, ""])


def _listed(number: int, assignment: Assignment) -> str:
    remark = "" if assignment.graded else " (to look at and play with; nothing to write or hand in)"
    return f"{number}. `{assignment.name}`: {assignment.title}{remark}"
