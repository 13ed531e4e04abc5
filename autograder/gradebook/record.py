"""Grade what lies in submitted/ and record it in nbgrader's gradebook: the class at once, each submission once.

Results come from the store where they still hold, else from an engine. They are recorded part by part as they come:
each part is one transaction, and only then noted as recorded. Whatever ends the command in between, the next one goes
on from there.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Iterator, Sequence

import sqlalchemy
import sqlalchemy.exc
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograder.course import Course
from autograder.gradebook.changes import Score, change, not_lowered
from autograder.gradebook.command import Command
from autograder.gradebook.converter import ClassAutograde
from autograder.gradebook.opening import put_tools_on_path, reason_of, unusable
from autograder.gradebook.outcome import Outcome, Watcher, Wish
from autograder.gradebook.places import Files, Places, States
from autograder.gradebook.shared import SharedGradebook
from autograder.grading import pool
from autograder.grading.digests import checks_digest, checks_of
from autograder.grading.engine import Engine
from autograder.grading.grader import Graded, graded
from autograder.grading.ran import Ran
from autograder.grading.report import GRADED, NEEDS_REVIEW, Report
from autograder.grading.store import Store
from autograder.problems import CourseError
from autograder.reading.folder import read_folder
from autograder.reading.submission import Submission

TOO_DEEP = "folders lie too deep inside one another in what was handed in; take them out"  # nbgrader copies them all


class _Directory(CourseDirectory):
    """nbgrader's, except that a timestamp.txt that holds no time stops nobody."""

    def get_existing_timestamp(self, dest_path: str) -> datetime.datetime | None:
        try:
            return super().get_existing_timestamp(dest_path)
        except (AttributeError, ValueError, OverflowError, OSError):  # nbgrader calls a method that it lacks
            return None


class Recorder:
    """Grades and records one assignment of a course. `outcome` grows as the run goes on."""

    def __init__(
        self, course: Course, name: str, engine: Engine, wish: Wish | None = None, states: States | None = None
    ) -> None:
        put_tools_on_path()
        self.course = course
        self.assignment = course.assignment(name)
        self.engine = engine
        self.wish = wish or Wish()
        self.outcome = Outcome()
        self.raised: set[str] = set()  # students of whom a cell kept a score that is higher than the checks give now
        self.places = Places(course, self.assignment)
        self.checks = checks_of(self.assignment)
        self.states = states or States(self.places, self.checks)
        self.files: dict[str, Files] = {}  # what is waiting to be recorded, as it was when it was read
        self.digest = checks_digest(self.assignment, course.probe_seed) if self.checks else ""
        self.directory = _Directory(config=course.config)
        self.directory.assignment_id = name
        self.log = logging.getLogger("course.nbgrader")
        self.log.setLevel(logging.CRITICAL)
        self.command = Command(course)

    def run(self, students: Sequence[str], watcher: Watcher | None = None) -> Outcome:
        """Grade and record these students' submissions. Raises CourseError where the gradebook cannot be used."""
        watcher = watcher or Watcher()
        watcher.begins(len(students))
        gradebook = self._open()
        try:
            with Store(self.course) as store:
                converter = None if self.wish.dry else self._converter()
                for part in self._results(students, store):
                    self._note(self._record(part, gradebook, converter, store), store)
                    watcher.step(len(part))
        except sqlalchemy.exc.SQLAlchemyError as error:
            raise self._unusable(error) from error
        finally:
            gradebook.end()
        self.outcome.reports.sort(key=lambda report: report.student)
        self.outcome.changes.sort(key=lambda changed: changed.student)
        return self.outcome

    def _note(self, recorded: list[Report], store: Store) -> None:
        """Note in what state these submissions were recorded; in none, where the next run is to try again."""
        if self.wish.dry:
            return
        facts = self.places.facts([report.student for report in recorded])
        entries = []
        for report in recorded:
            files = self.files.pop(report.student, None)
            again = report.status == NEEDS_REVIEW or report.student in self.raised
            state = "" if again else self.states.of(report.student, facts, files)
            entries.append((report.student, state, report.to_dict()))
        store.note_recorded(self.assignment.name, entries)

    # -- results ----------------------------------------------------------------------------------------------

    def _results(self, students: Sequence[str], store: Store) -> Iterator[list[Graded]]:
        """Yield the class's results part by part: first what is needed to run the others, then those as they come."""
        known: list[Graded] = []
        older: dict[int, tuple[str, Ran | None]] = {}

        def parts() -> Iterator[pool.Part]:
            part = pool.Part()
            size = pool.size_of_parts(len(students), self.engine.parallel)
            for student in students:
                submission = self._read(student)
                if submission is None:
                    continue
                if submission.problem is not None or not self.assignment.graded:
                    known.append(graded(self.assignment, submission, None, self.digest))
                    continue
                key = store.key(submission)
                found = None if self.wish.force else store.find(key, self.checks)
                missing = frozenset(self.checks) - set(found.results if found else ())
                if found is not None and not missing:
                    known.append(graded(self.assignment, submission, found, self.digest))
                    if len(known) >= pool.LARGEST:
                        yield pool.Part()  # with nothing to be run: lets those that are known be recorded
                    continue
                older[id(submission)] = key, found
                part.submissions.append(submission)
                part.wanted.append(missing if found else None)
                if len(part.submissions) == size:
                    yield part
                    part = pool.Part()
            yield part

        for part, results in pool.run(self.engine, self.course, self.assignment, parts(), pages=True):
            done, keep = list(known), []
            known.clear()
            for submission, ran in zip(part.submissions, results, strict=True):
                key, found = older.pop(id(submission))
                if found is not None and ran.fault is None:
                    ran = ran.with_checks_of(found)
                keep.append((key, ran))
                done.append(graded(self.assignment, submission, ran, self.digest))
            store.keep(keep, self.checks)
            self.outcome.known += len(done) - len(results)
            yield done

    def _read(self, student: str) -> Submission | None:
        """Return what a student handed in; None where it has gone since the run began."""
        folder = self.places.submitted(student)
        if not folder.is_dir():
            self.outcome.unrecorded[student] = "the folder in submitted/ vanished during the run"
            return None
        self.files[student] = self.states.files(student)
        max_bytes = self.course.limits.submission_mb * 10**6
        submission = read_folder(folder, self.assignment, student, max_bytes, others=self.course.assignments())
        stamp = folder / "timestamp.txt"
        if stamp.is_file() and self.directory.get_existing_timestamp(str(folder)) is None:
            submission.notes.append("The time in timestamp.txt cannot be read, so nobody knows whether it was late.")
        return submission

    # -- recording --------------------------------------------------------------------------------------------

    def _record(
        self,
        part: list[Graded],
        gradebook: SharedGradebook,
        converter: ClassAutograde | None,
        store: Store,
    ) -> list[Report]:
        """Record a part in one transaction; where a step fails on one of them, each in a transaction of its own."""
        try:
            return self._record_together(part, gradebook, converter, store)
        except NbGraderException:
            recorded = []
            for one in part:
                try:
                    recorded += self._record_together([one], gradebook, converter, store)
                except NbGraderException as error:
                    cause = converter.error if converter is not None and converter.error is not None else error
                    if isinstance(cause, sqlalchemy.exc.SQLAlchemyError):
                        raise cause from error
                    reason = TOO_DEEP if isinstance(cause, RecursionError) else f"{type(cause).__name__}: {cause}"
                    self.outcome.unrecorded[one.report.student] = reason.splitlines()[0]
            return recorded

    def _record_together(
        self,
        part: list[Graded],
        gradebook: SharedGradebook,
        converter: ClassAutograde | None,
        store: Store,
    ) -> list[Report]:
        reports, changes = [], []
        with gradebook.part(one.report.student for one in part):
            for one in part:
                student = one.report.student
                before = _scores(gradebook, self.assignment.name, student)
                reason = self._stays(one) if before is not None else ""
                if reason:
                    self.outcome.unrecorded[student] = reason
                    continue
                if before is not None and self.wish.never_lower:
                    lower, one = one, not_lowered(one, before)
                    self.raised |= {student} if lower is not one else set()
                if before is not None:
                    changes.append(change(student, before, one.report, store.recorded(self.assignment.name, student)))
                if converter is not None:
                    converter.record(one, gradebook)
                reports.append(one.report)
        self.outcome.reports += reports
        self.outcome.changes += [changed for changed in changes if changed.is_one or changed.kept]
        return reports

    def _stays(self, one: Graded) -> str:
        """Return why a grade that is in the gradebook is not replaced by this result; "" where it is."""
        if one.fault is not None:
            return f"what was recorded before stays, since it could not be graded now: {one.fault}"
        if self.wish.never_lower and one.report.status != GRADED:
            return f"what was recorded before stays (--never-lower): {one.report.message}"
        return ""

    def _converter(self) -> ClassAutograde:
        return ClassAutograde(self.command, self.assignment, self.directory, self.log)

    def _open(self) -> SharedGradebook:
        """Return the open gradebook. Raises CourseError where it cannot be used or lacks the assignment."""
        try:
            gradebook = SharedGradebook(self.directory.db_url, self.directory.course_id, self.assignment.name)
            try:
                gradebook.find_assignment(self.assignment.name)
                everybody = {student.id for student in gradebook.students}
                self.outcome.absent = sorted(everybody - set(self.places.students()))
                if not self.wish.dry:  # a locked or read-only gradebook is better known before the work than after
                    gradebook.db.execute(sqlalchemy.text("UPDATE course SET id = id WHERE id IS NULL"))
                gradebook.db.commit_all()
            except BaseException:
                gradebook.end()
                raise
        except MissingEntry as error:
            raise CourseError(
                f"{self.assignment.name} is not in the gradebook yet",
                f"run `nbgrader generate_assignment {self.assignment.name}` first",
            ) from error
        except sqlalchemy.exc.SQLAlchemyError as error:
            raise self._unusable(error) from error
        return gradebook

    def _unusable(self, error: sqlalchemy.exc.SQLAlchemyError) -> CourseError:
        again = "then run the same command again: what was graded is kept"
        steps = {
            "locked": f"close what holds it, {again}",
            "readonly": f"make the file and its folder writable, {again}",
            "disk": f"make room, {again}",
            "full": f"make room, {again}",
        }
        upgrade = "run `nbgrader db upgrade` after a backup"
        step = next((text for word, text in steps.items() if word in reason_of(error)), upgrade)
        return unusable(self.directory.db_url, error, step)


def _scores(gradebook: Gradebook, assignment: str, student: str) -> dict[str, Score] | None:
    """Return the scores by cell that the gradebook holds for a submission; None where it was never graded."""
    try:
        submission = gradebook.find_submission(assignment, student)
    except MissingEntry:
        return None
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    if all(grade.auto_score is None and grade.manual_score is None for grade in grades):
        return None
    return {grade.cell.name: Score(grade.auto_score, grade.manual_score) for grade in grades}
