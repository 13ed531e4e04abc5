"""What a Gradescope autograder runs: the one submission in submission/ becomes results/results.json.

    python -m autograder.commands.gradescope ROOT        in the folder of the unpacked package

Whatever is handed in and whatever breaks, there are results with a sentence that says what to do.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from autograder.commands.files import write_whole
from autograder.course import load_course
from autograder.grading.grader import Grader
from autograder.grading.showing import for_student
from autograder.outputs import gradescope
from autograder.problems import CourseError, MachineFault
from autograder.reading.folder import read_folder


def results(source: Path, submission: Path) -> str:
    """Return results.json for what lies in the folder `submission`. `source` is the unpacked package.

    Raises CourseError or MachineFault where nothing can be graded on this machine.
    """
    course = load_course(source)
    assignment = course.assignment((source / "assignment.txt").read_text("utf-8").strip())
    max_bytes = course.limits.submission_mb * 10**6
    handed_in = read_folder(submission, assignment, "submission", max_bytes, "submission", others=course.assignments())
    with Grader(course) as grader:
        (graded,) = grader.grade(assignment, [handed_in])
    return gradescope.render([for_student(course, graded.report)])


def main(arguments: Sequence[str]) -> int:
    """Write the results. Returns 0 where they are written: whatever was handed in is a result."""
    root = Path(arguments[0]).resolve()
    try:
        text = results(Path.cwd(), root / "submission")
    except (CourseError, MachineFault) as error:
        print(f"run_autograder: {error}", file=sys.stderr)
        text = gradescope.no_results(str(error))
    except Exception as error:  # a fault of the kit: its place is for instructors, who alone see what is printed
        traceback.print_exc()
        text = gradescope.no_results(f"the autograder stopped with {type(error).__name__}")
    try:
        write_whole(root / "results" / "results.json", text)
    except CourseError as error:
        print(f"run_autograder: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
