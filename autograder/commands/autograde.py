"""`course autograde`: grade and record what lies in submitted/, and say what was changed for whom and why."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from autograder.commands.progress import Progress
from autograder.course import Course
from autograder.gradebook.outcome import Outcome, Watcher, Wish
from autograder.gradebook.places import Facts, Places, States
from autograder.grading.digests import checks_of
from autograder.grading.engine import Engine, cluster, local
from autograder.grading.report import GRADED
from autograder.grading.store import Store
from autograder.outputs import table
from autograder.problems import CourseError
from autograder.reading.names import readable

NEEDS_A_PERSON = 3
MANY = 12  # names in one line


def run(
    course: Course,
    name: str,
    student: str | None = None,
    wish: Wish = Wish(),  # noqa: B008 (it is frozen)
    jobs: int = 1,
    address: str | None = None,
) -> int:
    """Grade and record an assignment, print the class, and return the exit status of the contract."""
    places = Places(course, course.assignment(name))
    students = places.students()
    if student is not None:
        if student not in students:
            raise CourseError(f"{student} has handed in no {name}", "look into submitted/")
        students = [student]
    states, facts = States(places, checks_of(places.assignment)), places.facts()
    unchanged = {} if wish.force else _unchanged(course, states, students, facts)
    waiting = [who for who in students if who not in unchanged]
    odd = {name: "the folder's name is no text; give it another" for name in places.unusable()}
    if students and not waiting:  # nbgrader's import takes longer than all of this
        outcome = Outcome(absent=sorted(facts.students - set(students)) if student is None else [])
    else:
        outcome = _record(course, name, waiting, wish, cluster(address) if address else local(jobs), states)
    outcome.unchanged = sorted(unchanged)
    outcome.still_open = sorted(who for who, status in unchanged.items() if status != GRADED)
    outcome.unrecorded |= odd
    return _say(outcome, wish)


def _unchanged(course: Course, states: States, students: Sequence[str], facts: Facts) -> dict[str, str]:
    """Return the students whose submissions are in the state in which they were last recorded, with their status."""
    with Store(course) as store:
        recorded = store.states(states.places.assignment.name)
    found = {}
    for who in students:
        state, status = recorded.get(who, ("", ""))
        if state and state == states.of(who, facts):
            found[who] = status
    return found


class _Shown(Watcher):
    """A progress bar, where somebody is watching."""

    def __init__(self, name: str) -> None:
        self.progress = Progress(name, 0)

    def begins(self, total: int) -> None:
        self.progress.bar.update(self.progress.task, total=total)

    def step(self, count: int) -> None:
        self.progress.bar.advance(self.progress.task, count)


def _record(course: Course, name: str, students: Sequence[str], wish: Wish, engine: Engine, states: States) -> Outcome:
    from autograder.gradebook.record import Recorder

    recorder = Recorder(course, name, engine, wish, states)
    shown = _Shown(name)
    try:
        with shown.progress:
            return recorder.run(students, shown)
    except (KeyboardInterrupt, CourseError):
        if not wish.dry:
            _aside(
                f"course: stopped; {len(recorder.outcome.reports)} of {len(students)} are recorded. "
                "The same command goes on from there."
            )
        raise


def _say(outcome: Outcome, wish: Wish) -> int:
    if not wish.dry and outcome.reports:
        sys.stdout.write(table.render(outcome.reports))
    for changed in outcome.changes:
        if changed.is_one:
            (print if wish.dry else _aside)(changed.line())
        for kept in changed.kept:
            (print if wish.dry else _aside)(f"{changed.student}: {kept}")
    if wish.dry and not outcome.changes:
        print("No score would change.")
    for why, who in _by_reason(outcome.unrecorded).items():
        _aside(f"course: {_names(list(map(readable, who)))}: not recorded: {why}")
    for_review = [report.student for report in outcome.reports if report.needs_a_person]
    done = len(outcome.reports) - len(for_review)
    for_review += outcome.still_open
    known = min(outcome.known, len(outcome.reports))
    _aside(_summary(done, for_review, outcome.unchanged, outcome.absent, wish.dry, known))
    return NEEDS_A_PERSON if for_review or outcome.unrecorded else 0


def _aside(text: str) -> None:
    print(text, file=sys.stderr)


def _by_reason(unrecorded: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for who, why in sorted(unrecorded.items()):
        found.setdefault(why.replace(who, "..."), []).append(who)
    return found


def _names(who: Sequence[str]) -> str:
    return ", ".join(who[:MANY]) + (f" and {len(who) - MANY} others" if len(who) > MANY else "")


def _summary(
    done: int,
    for_review: Sequence[str],
    unchanged: Sequence[str],
    absent: Sequence[str],
    dry: bool,
    known: int = 0,
) -> str:
    said = [f"{done} graded, nothing recorded (--dry-run)" if dry else f"{done} graded and recorded"]
    if known and not dry:
        said[0] += f" ({known} of them known from before)"
    if for_review:
        said.append(f"{len(for_review)} left to a person ({_names(for_review)})")
    if unchanged:
        said.append(f"{len(unchanged)} unchanged (--force grades them again)")
    if absent:
        said.append(f"nothing handed in by {_names(absent)}")
    return "; ".join(said) + "."
