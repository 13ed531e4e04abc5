"""`course explain`: one check again for the instructor, with what went in, what came back and what was expected.

It shows hidden inputs and expected values. It is for whoever answers "why did I lose this point?", not for students.
"""

from __future__ import annotations

import sys
import textwrap
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from autograder.commands.check import paired
from autograder.course import Course
from autograder.graders import compare
from autograder.grading.batch import Batch, Entry, run_batch
from autograder.grading.digests import folder_of
from autograder.grading.grader import Grader
from autograder.grading.outcome import PASSED
from autograder.grading.student import Call
from autograder.problems import CourseError, MachineFault
from autograder.reading.discover import find_notebooks, read_submission
from autograder.reading.submission import from_notebook

WIDTH = 110


def run(course: Course, path: Path, check: str, assignment: str | None = None) -> int:
    """Run one check on a notebook and on the model answer, and print both. Returns 0, or 3 where it cannot be run."""
    wanted = course.assignment(assignment) if assignment else None
    found = find_notebooks([path])[0]
    submission = read_submission(found, course.assignments(), course.limits.submission_mb * 10**6, wanted)
    if submission.problem is not None:
        raise CourseError(f"{path}: {submission.problem}")
    known = course.assignment(submission.assignment)
    if not known.graded:
        raise CourseError(f"nothing in {known.name} is graded", f"choose a notebook of {', '.join(course.graded())}")
    checks = paired(known)
    if check not in checks:
        near = get_close_matches(check, checks, 1)
        raise CourseError(
            f"{known.name} has no check named {check!r}",
            f"did you mean {near[0]}?" if near else f"choose from {', '.join(checks)}",
        )
    ours = Entry(from_notebook(known.notebook, known, "", known.name))
    theirs = Entry(submission)
    with Grader(course) as grader:
        folder = folder_of(known.name)
        run_batch(
            Batch(grader.host_for(known.name), folder, [ours, theirs], True, only=check, probe_seed=course.probe_seed)
        )
    result = theirs.results.get(check)
    if result is None:
        raise MachineFault(f"{check} could not be run; `course doctor` and `course check` say more")
    lines = [
        f"{result.title}",
        f"check {check}, cell {checks[check]} of {known.name}",
        f"outcome: {result.outcome}",
        *_wrapped("message: ", result.message or "none, it passed"),
        f"diagnosis: {result.misconception or 'none'}",
        f"tolerance: {compare.VALUES:g} on every entry; {compare.STRESS:g} where scores are in the thousands; "
        "whole numbers and truth values exactly",
    ]
    lines += [f"note: {note}" for note in [*submission.notes, *theirs.notes]]
    expected = {_key(call): call for call in ours.calls}
    for number, call in enumerate(theirs.calls, start=1):
        lines += ["", f"call {number}: {call.function}"]
        for position, value in enumerate(call.arguments):
            lines += _shown(f"argument {position}", value)
        for name, value in call.keywords.items():
            lines += _shown(f"argument {name}", value)
        lines += _answer("returned", call)
        model = expected.get(_key(call))
        lines += _answer("expected", model) if model else ["  expected: the check asked the model answer otherwise"]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if result.outcome in (PASSED, "failed") else 3


def _key(call: Call) -> str:
    """The same for calls with the same inputs: the check may ask again what depends on an answer."""
    return repr((call.function, [_bytes(a) for a in call.arguments], {k: _bytes(v) for k, v in call.keywords.items()}))


def _bytes(value: Any) -> Any:
    return (value.shape, value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else value


def _answer(word: str, call: Call) -> list[str]:
    if call.failure is not None:
        return _wrapped(f"  {word}: nothing. ", call.failure)
    if isinstance(call.value, (tuple, list)) and any(isinstance(part, np.ndarray) for part in call.value):
        lines = [f"  {word}: a {type(call.value).__name__} of {len(call.value)}"]
        for position, part in enumerate(call.value):
            lines += [textwrap.indent(line, "  ") for line in _shown(f"part {position}", part)]
        return lines
    return _shown(word, call.value)


def _shown(name: str, value: Any) -> list[str]:
    """Return a value in lines, an array with its shape and type."""
    if isinstance(value, np.ndarray):
        with np.printoptions(precision=6, suppress=False, threshold=200, linewidth=WIDTH - 6):
            text = np.array2string(value)
        return [f"  {name}: array of shape {value.shape}, {value.dtype}", textwrap.indent(text, " " * 6)]
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        text = f"an integer of {value.bit_length()} bits" if isinstance(value, int) else type(value).__name__
    return [f"  {name}: {text if len(text) <= 2000 else text[:2000] + '...'}"]


def _wrapped(first: str, text: str) -> list[str]:
    return textwrap.wrap(first + text, WIDTH, subsequent_indent=" " * len(first))
