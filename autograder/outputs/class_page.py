"""`course report`: the class at a glance, as one page for the instructor that needs nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder.grading.outcome import PASSED
from autograder.grading.report import UNGRADABLE, Report
from autograder.outputs import class_figures, class_numbers
from autograder.outputs.class_numbers import Sitting
from autograder.outputs.html import environment, readable
from autograder.outputs.standing import Place

MOST_STUDENTS, MOST_WAITING, MOST_DIAGNOSES, MOST_SLOW = 200, 100, 15, 10


def render(
    reports: Sequence[Report],
    places: Sequence[Place] = (),
    names: Mapping[str, str] | None = None,
    hide_names: bool = False,
    made_at: str = "",
) -> str:
    """Return the page. `places` are the gradebook's, `names` people's names by student; either may be missing.

    With `hide_names` no name, link or message of a submission is on the page: students are numbered, in an order that
    is neither the roster's nor that of their scores.
    """
    from markupsafe import Markup

    names = {} if names is None else names
    everybody = {place.student for place in places} | set(names) | {report.student for report in reports}
    called = _numbered(everybody) if hide_names else {who: readable(names.get(who) or who) for who in everybody}
    where = {(place.student, place.assignment): place for place in places}
    found = class_numbers.sittings(reports)
    judged = [sitting for sitting in found if sitting.reports]
    given = class_numbers.diagnoses(reports)
    shown = given[:MOST_DIAGNOSES]
    return (
        environment()
        .get_template("class.html")
        .render(
            title="Class report",
            made_at=made_at,
            hidden=hide_names,
            students=len(everybody),
            submissions=len(reports),
            summary=[_summary(sitting, reports, places) for sitting in found],
            distributions=Markup(class_figures.distributions(judged)) if judged else "",
            tenths=[(sitting.assignment, _tenths(sitting)) for sitting in judged],
            maps=[_map(number, sitting, called) for number, sitting in enumerate(judged) if sitting.items],
            diagnoses=given,
            more_diagnoses=len(given) - len(shown),
            diagnosis_bars=Markup(class_figures.bars([(idea, number) for idea, number, _ in shown])) if shown else "",
            undiagnosed=class_numbers.undiagnosed(reports),
            items=Markup(class_figures.items(judged)) if _any_told(judged) else "",
            sittings=judged,
            slow=[_line(report, called, where, hide_names) for report in _slowest(reports)],
            low=[_line(report, called, where, hide_names) for report in _lowest(reports)],
            waiting=_waiting(reports, places, called, where, hide_names),
            most_waiting=MOST_WAITING,
            table=_table(found, places, called, where, hide_names),
            most_students=MOST_STUDENTS,
        )
    )


def _numbered(students: set[str]) -> dict[str, str]:
    order = sorted(students, key=lambda who: hashlib.sha256(who.encode("utf-8", "replace")).digest())
    return {who: f"student {number}" for number, who in enumerate(order, start=1)}


def _summary(sitting: Sitting, reports: Sequence[Report], places: Sequence[Place]) -> dict[str, Any]:
    ours = [report for report in reports if report.assignment == sitting.assignment]
    scores = sitting.scores
    return {
        "assignment": sitting.assignment,
        "submissions": len(ours),
        "mean": float(scores.mean()) if len(scores) else None,
        "median": float(np.median(scores)) if len(scores) else None,
        "full": int(np.sum(scores >= 100 - 1e-9)),
        "zero": int(np.sum(scores <= 0)),
        "waiting": len({r.student for r in ours if r.needs_a_person} | _by_hand(places, sitting.assignment)),
        "late": sum(place.penalty > 0 for place in places if place.assignment == sitting.assignment),
    }


def _by_hand(places: Sequence[Place], assignment: str) -> set[str]:
    return {place.student for place in places if place.assignment == assignment and place.needs_a_person}


def _tenths(sitting: Sitting) -> list[int]:
    """Return how many scores lie in each tenth."""
    return [int(number) for number in class_figures.histogram(sitting.scores)]


def _map(number: int, sitting: Sitting, called: Mapping[str, str]) -> dict[str, Any]:
    from markupsafe import Markup

    names = [called[report.student] for report in sitting.reports]
    most = class_figures.MOST_COLUMNS
    return {
        "sitting": sitting,
        "svg": Markup(class_figures.heat_map(sitting, names, f"h{number}")),
        "group": 1 if len(names) <= most else round(len(names) / most),
    }


def _any_told(found: Sequence[Sitting]) -> bool:
    return any(item.discrimination is not None for sitting in found for item in sitting.items)


def _slowest(reports: Sequence[Report]) -> list[Report]:
    ran = [report for report in reports if report.seconds > 0]
    return sorted(ran, key=lambda report: -report.seconds)[:MOST_SLOW]


def _lowest(reports: Sequence[Report]) -> list[Report]:
    lost = [report for report in reports if report.max_score and report.score < report.max_score / 2]
    return sorted(lost, key=lambda report: (report.score / report.max_score, report.student))[:MOST_SLOW]


def _line(
    report: Report, called: Mapping[str, str], where: Mapping[tuple[str, str], Place], hide: bool
) -> dict[str, Any]:
    place = where.get((report.student, report.assignment))
    failed = [check.title for cell in report.cells for check in cell.checks if check.outcome != PASSED]
    return {
        "student": called[report.student],
        "report": report,
        "link": place.link if place and not hide else "",
        "failed": failed,
        "why": "" if hide else report.message or "",
    }


def _waiting(
    reports: Sequence[Report],
    places: Sequence[Place],
    called: Mapping[str, str],
    where: Mapping[tuple[str, str], Place],
    hide: bool,
) -> list[dict[str, Any]]:
    """Return the submissions that need a person: those of the reports with the reason, then the gradebook's others."""
    lines = []
    seen = set()
    for report in reports:
        key = report.student, report.assignment
        decided = key in where and not where[key].needs_a_person  # a person has been there since
        if report.needs_a_person and not decided:
            seen.add(key)
            word = "could not be judged" if report.status == UNGRADABLE else "a check could not decide"
            lines.append({**_line(report, called, where, hide), "assignment": report.assignment, "word": word})
    for place in places:
        if place.needs_a_person and (place.student, place.assignment) not in seen:
            link = "" if hide else place.link
            line = {"student": called[place.student], "assignment": place.assignment, "link": link, "why": ""}
            lines.append({**line, "word": "marked for a person in the gradebook"})
    return lines


def _table(
    found: Sequence[Sitting],
    places: Sequence[Place],
    called: Mapping[str, str],
    where: Mapping[tuple[str, str], Place],
    hide: bool,
) -> dict[str, Any]:
    """Return everybody's scores: the gradebook's where it has any, otherwise the reports'."""
    assignments = list(dict.fromkeys([*(s.assignment for s in found), *(place.assignment for place in places)]))
    scores: dict[tuple[str, str], Place] = {}
    for sitting in found:
        for report in sitting.reports:
            key = report.student, report.assignment
            scores[key] = Place(*key, report.score, report.max_score, needs_a_person=report.needs_a_person)
    scores.update(where)
    if len(called) > MOST_STUDENTS:
        return {"assignments": assignments, "rows": []}
    rows = []
    for who, name in sorted(called.items(), key=lambda item: (len(item[1]) if hide else 0, item[1], item[0])):
        cells = [scores.get((who, assignment)) for assignment in assignments]
        rows.append({"student": name, "cells": cells, "id": "" if hide or name == who else who})
    return {"assignments": assignments, "rows": rows}
