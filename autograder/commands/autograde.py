"""`course autograde`: what `nbgrader autograde` does for submitted/, the class as one batch."""

from __future__ import annotations

import sys
from collections.abc import Callable

from autograder.commands.progress import Progress
from autograder.course import Course
from autograder.outputs import table

NEEDS_A_PERSON = 3


def run(course: Course, name: str, student: str | None = None, force: bool = False, jobs: int = 1) -> int:
    """Grade and record an assignment, print the class, and return the exit status of the contract."""
    course.assignment(name)  # an unknown name is said before nbgrader's import, which takes seconds
    from autograder.gradebook.record import Recorder

    recorder = Recorder(course, name)
    bars: list[Progress] = []

    def started(total: int) -> Callable[[], None]:
        bars.append(Progress(name, total))
        bars[0].bar.start()
        return bars[0].step

    try:
        outcome = recorder.run(student, force, jobs, started)
    finally:
        for bar in bars:
            bar.bar.stop()
    sys.stdout.write(table.render(outcome.reports))
    for who, why in outcome.unrecorded.items():
        print(f"course: {who}: the grade could not be recorded: {why}", file=sys.stderr)
    for_review = [report for report in outcome.reports if report.needs_a_person]
    said = [f"{len(outcome.reports) - len(for_review)} graded and recorded"]
    if for_review:
        said.append(f"{len(for_review)} left to a person ({', '.join(report.student for report in for_review)})")
    if outcome.unchanged:
        said.append(f"{len(outcome.unchanged)} unchanged (--force grades them again)")
    if outcome.absent:
        said.append(f"nothing handed in by {', '.join(outcome.absent)}")
    print("; ".join(said) + ".", file=sys.stderr)
    return NEEDS_A_PERSON if for_review or outcome.unrecorded else 0
