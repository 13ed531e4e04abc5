"""`course doctor`: what this machine offers, and what is missing for grading."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys

from rich.console import Console
from rich.table import Table

from autograder import __version__
from autograder.course import Course
from autograder.problems import MachineFault
from autograder.student.host import Host
from autograder.student.process import StudentProcess

LIBRARIES = ("numpy", "ipython", "matplotlib", "nbgrader", "nbformat", "pytest", "jupyterlab", "torch")
OPTIONAL = {
    "jupyterlab": "pip install 'attention-course[lab]'",
    "torch": "only for ex3b-measured-memory: pip install 'attention-course[torch]'",
}
NEEDS_A_PERSON = 3
ADVICE = (
    "install bubblewrap (`apt install bubblewrap`) and allow user namespaces: on Ubuntu 24.04 and newer "
    "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`, in Docker `--security-opt seccomp=unconfined "
    "--security-opt systempaths=unconfined`"
)


def run(course: Course) -> int:
    """Print what was found. Returns 0 where student code can be run, else 3."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row("kit", __version__)
    table.add_row("python", f"{platform.python_version()} ({sys.platform})")
    for library in LIBRARIES:
        table.add_row(library, _version(library))
    table.add_row("processes", "forked from a zygote" if hasattr(os, "fork") else "spawned, about a second each")
    status = 0
    try:
        with Host(course.limits) as host:
            process = StudentProcess(host, {})
            run = process.run_cell("6 * 7")
            process.close()
            works = any(output.get("data", {}).get("text/plain") == "42" for output in run.outputs)
            table.add_row("student code", "runs" if works else "does not run as it should")
            table.add_row("isolation", f"{host.isolation}, and the course accepts no less than {course.isolation}")
            table.add_row("", "by " + " + ".join(host.way.layers))
            for reason in host.refused:
                table.add_row("not offered", reason)
            if host.isolation != "full":
                table.add_row("for more", ADVICE)
            status = 0 if works else NEEDS_A_PERSON
    except MachineFault as fault:
        table.add_row("student code", str(fault))
        status = NEEDS_A_PERSON
    Console(highlight=False).print(table)
    return status


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return f"not installed; {OPTIONAL.get(library, 'needed: reinstall the kit')}"
