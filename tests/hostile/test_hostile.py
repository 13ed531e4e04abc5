"""Hostile submissions are graded as what they are, harm nothing, gain nothing, and mislead nobody.

All cases are graded once, for real, in one batch with honest submissions between them. A few telling ones are then
graded with one layer of confinement switched off at a time, to see that the others still hold, and what they do not.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from typing import Any

import pytest

from autograder.limits import Limits
from autograder.student.host import Host
from autograder.student.inside import landlock, seccomp

from .case import Case
from .cases import CASES
from .cases_confuse import PLAIN
from .grading import graded

PWNED = re.compile(r"^\s*(::|##\[)(error|set-output|add-mask|stop-commands)", re.MULTILINE)


def everything(without: str = "", *names: str) -> dict[str, Any]:
    result = graded(without, *names)
    assert result, "grading stopped"
    return result


def found(case: Case, result: dict[str, Any]) -> dict[str, Any]:
    """What came of one case."""
    if case.name not in result["found"]:
        pytest.skip(f"this machine does not offer {case.needs}")
    return result["found"][case.name]


def filled(pattern: str, result: dict[str, Any]) -> str:
    """Return a pattern with what the script put in place of the names."""
    for name in ("token", "mark", "root"):
        pattern = pattern.replace(f"@{name.upper()}@", re.escape(result[name]))
    return pattern


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_hostile_submission_is_judged_and_gains_nothing(case: Case) -> None:
    """It gets a score, never a person's time, and no more than it would without the attack."""
    result = everything()
    report = found(case, result)["report"]
    outcomes = {check["outcome"] for cell in report["cells"] for check in cell["checks"]}
    assert (report["status"], outcomes - {"passed", "failed"}) == ("graded", set())
    assert report["isolation"] == result["isolation"]
    without_it = result["found"][f"{case.base} {case.assignment}"]["report"]["score"]
    if case.score is None:
        assert report["score"] <= without_it + case.luck
    else:
        assert report["score"] <= without_it
        assert report["score"] == pytest.approx(case.score)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_said_of_it_is_true_and_plain(case: Case) -> None:
    """Messages say what happened, in plain text, and carry nothing out."""
    result = everything()
    one = found(case, result)
    for said in case.says:
        assert said in one["shown"]
    for pattern in (*case.unsaid, result["token"]):
        assert not re.search(filled(pattern, result), one["shown"])
    for name in case.refused:
        assert f"<{name}: refused" in one["shown"]
        assert f"<{name}: done" not in one["shown"]
    report = one["report"]
    checks = [check for cell in report["cells"] for check in cell["checks"]]
    texts = [report["student"], report["notebook"], report["message"] or "", *(check["message"] for check in checks)]
    for text in texts:
        text.encode("utf-8")
        assert not any(re.search(pattern, text) for pattern in (*PLAIN, r"\n"))
        assert len(text) < 5000


def test_honest_neighbours_lose_nothing() -> None:
    """The honest submissions between the hostile ones get their full marks."""
    honest = {name: one["report"] for name, one in everything()["found"].items() if name.startswith("honest")}
    assert len(honest) >= len(everything()["found"]) // 5
    assert {name: report["score"] for name, report in honest.items() if report["score"] != report["max_score"]} == {}
    assert {report["message"] for report in honest.values()} == {None}


def test_the_machine_is_left_as_it_was() -> None:
    """The same processes, mounts and files as before, and nothing outside was touched or reached."""
    result = everything()
    assert result["after"] == result["before"]
    assert result["harm"] == []


def test_no_view_of_the_reports_misleads() -> None:
    """Whatever the names and messages hold: no view has codes for a terminal, commands for a log or HTML that runs."""
    for name, text in everything()["views"].items():
        text.encode("utf-8")
        for pattern in PLAIN:
            assert not re.search(pattern, text), f"{name} holds {pattern}"
        if name != "json":
            assert not [line for line in PWNED.finditer(text) if "pwned" in text[line.start() : line.end() + 99]], name
        if name in ("html", "junit"):
            assert "<script>alert" not in text and "<img src=x" not in text, name
        if name == "json":
            assert len(text.splitlines()) == len(everything()["found"])


def test_there_are_enough_cases_and_each_is_explained() -> None:
    """At least sixty, each with a name of its own, a sentence, and the layer that stops it."""
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)
    assert {case.theme for case in CASES} == {"gain", "harm", "confuse"}
    for case in CASES:
        assert case.tries.endswith(".") and case.stopped_by, case.name


# -- with one layer less ----------------------------------------------------------------------------------------------

TELLING = (
    "secrets-read",
    "files-changed",
    "network",
    "grandchildren-left",
    "mounts",
    "environment-read",
    "nonce-found",
)


@cache
def layers() -> tuple[str, ...]:
    """The layers that this machine offers."""
    with Host(Limits()) as host:
        return host.way.layers


def weakened(without: str, *more: str) -> dict[str, Any]:
    """Grade the telling cases without some layers. Skips where the machine has none of them to begin with."""
    if not set(without.split(",")) & {*layers(), "landlock"}:
        pytest.skip(f"this machine does not offer {without}")
    return everything(without, *TELLING, *more)


def outcome(result: dict[str, Any], case: str, attempt: str) -> set[str]:
    """Return how the attempts of this name in a case ended: refused, done or both."""
    return set(re.findall(rf"<{re.escape(attempt)}: (refused|done)", result["found"][case]["shown"]))


def assert_judged(result: dict[str, Any]) -> None:
    """Whatever is weaker, nobody gains a point or a person's time, and everything ends."""
    for name, one in result["found"].items():
        report = one["report"]
        assert report["status"] == "graded", name
        assert report["isolation"] == result["isolation"]
        assert report["score"] <= (0 if name.startswith(("blank", "nonce")) else 10), name
        if name.startswith("honest"):
            assert report["score"] == 10, name
    assert result["after"]["processes"] == result["before"]["processes"]
    assert result["after"]["mounts"] == result["before"]["mounts"]
    assert result["after"]["files"] == result["before"]["files"]


def test_without_namespaces_landlock_holds_the_files() -> None:
    """Weaker: files in the scratch folder are not counted, other processes can be seen. The rest holds."""
    if landlock.version() == 0:
        pytest.skip("this kernel has no Landlock")
    names = ("disk-elsewhere", "other-processes", "keyring", "ptrace", "memory-of-strays", "hard-exit-in-a-call")
    result = weakened("namespaces", *names)
    assert result["isolation"] == "partial"
    assert_judged(result)
    assert outcome(result, "secrets-read", "read") == {"refused"}
    assert outcome(result, "disk-elsewhere", "write") == {"refused"}
    assert result["token"] not in json.dumps(result["found"])
    if "seccomp" in result["layers"]:
        assert result["harm"] == []
        for attempt in ("tcp", "unix", "abstract", "vsock"):
            assert outcome(result, "network", attempt) == {"refused"}
        assert outcome(result, "files-changed", "chmod") == outcome(result, "files-changed", "utime") == {"refused"}
        assert outcome(result, "keyring", "add") == outcome(result, "ptrace", "attach") == {"refused"}


def test_without_namespaces_and_seccomp_mode_and_times_of_files_are_open() -> None:
    """Weaker: Landlock knows neither chmod nor utime nor unix sockets."""
    if landlock.version() == 0:
        pytest.skip("this kernel has no Landlock")
    result = weakened("namespaces,seccomp")
    assert result["isolation"] == "partial"
    assert_judged(result)
    assert outcome(result, "secrets-read", "read") == {"refused"}
    if "uid" not in result["layers"]:
        assert outcome(result, "files-changed", "chmod") >= {"done"}
        assert "a file outside was changed" in result["harm"]
    assert outcome(result, "network", "unix") == {"done"}
    assert "a server outside was reached" in result["harm"]


def test_without_any_view_of_its_own_files_are_open() -> None:
    """Weaker: what everybody may read is read. The report says so, and points are still no easier to get."""
    result = weakened("namespaces,landlock")
    assert result["isolation"] == "none"
    assert_judged(result)
    assert "done" in outcome(result, "secrets-read", "read")
    assert result["found"]["nonce-found"]["report"]["score"] == 0


def test_without_seccomp_the_kernel_is_wider_open() -> None:
    """Weaker: namespaces of its own, sockets among its own processes, more of the kernel. The outside still holds."""
    if not seccomp.available():
        pytest.skip("this processor has no filter")
    result = weakened("seccomp", "keyring", "kernel-corners", "memory-in-files-without-names")
    if "namespaces" not in result["layers"]:
        pytest.skip("this machine has no namespaces")
    assert result["isolation"] == "partial"
    assert_judged(result)
    assert result["harm"] == []
    assert outcome(result, "mounts", "unshare") >= {"done"}
    assert outcome(result, "memory-in-files-without-names", "memfd") == {"done"}
    assert outcome(result, "secrets-read", "read") == {"refused"}
    for attempt in ("tcp", "unix", "abstract"):
        assert outcome(result, "network", attempt) == {"refused"}


def test_without_a_uid_of_its_own_everything_else_holds() -> None:
    """Weaker: the student's process has the uid of whoever grades, so the kernel counts its processes as theirs."""
    if os.geteuid() != 0:
        pytest.skip("only root can give away uids")
    result = weakened("uid")
    assert result["isolation"] == "partial"
    assert_judged(result)
    assert result["harm"] == []
    assert outcome(result, "secrets-read", "read") == outcome(result, "mounts", "mount") == {"refused"}


def test_without_resource_limits_the_watch_still_ends_a_hog() -> None:
    """Weaker: a single process is bounded by the zygote's look at it only, five times a second."""
    result = weakened("rlimits", "memory-of-strays")
    assert result["isolation"] == "none"
    assert_judged(result)
    assert result["harm"] == []
    assert "used more than 512 MB of memory" in result["found"]["memory-of-strays"]["shown"]


def test_landlock_is_not_missed_inside_namespaces() -> None:
    """Nothing is weaker: where namespaces hold the files, Landlock is not used."""
    if "namespaces" not in layers():
        pytest.skip("this machine has no namespaces")
    result = everything("landlock", "secrets-read", "files-changed")
    assert result["layers"] == list(layers())
    assert result["harm"] == []
