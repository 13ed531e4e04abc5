"""A student and an instructor in JupyterLab, with nbgrader's own extensions, in a real browser.

Each has a server of their own; both are gone at the end, and so are their kernels. Screenshots are kept in the folder
that COURSE_SCREENSHOTS names, where it is set.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import support
from support import ASSIGNMENTS, Person, notebook_path, read

from autograder.sample.build import fill

psutil = pytest.importorskip("psutil", reason="processes are looked at with psutil: pip install -e '.[dev]'")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("jupyterlab") is None, reason="JupyterLab is not installed: pip install -e '.[lab]'"
)

Keep = Callable[[Any, str], None]  # the fixture `keep`

EX2 = ASSIGNMENTS[1]
SECONDS = 90  # the longest wait for anything on a page; a loaded machine is slow
SIZE = {"width": 1280, "height": 1040}
SERVER = (
    "jupyter",
    "lab",
    "--no-browser",
    "--allow-root",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port=0",  # any that is free
    # Should nobody be left to end the server, it ends itself.
    "--ServerApp.shutdown_no_activity_timeout=300",
    "--MappingKernelManager.cull_idle_timeout=240",
    "--MappingKernelManager.cull_interval=30",
    "--MappingKernelManager.cull_connected=True",
)
# JupyterLab asks whether it may fetch news; a test needs neither the question nor the network.
NO_NEWS = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}

# Forgives a leak of 0.001. The visible check asks about larger ones only, so it takes a hidden check to see it.
COARSE = """\
def is_causal(weights):
    future = np.triu(weights, k=1)  # (n, n)
    return bool(np.all(np.abs(future) < 1e-3))
"""

GRADES = f"""
import json
from nbgrader.api import Gradebook

with Gradebook("sqlite:///gradebook.db", "attention") as gradebook:
    found = gradebook.find_submission_notebook({EX2!r}, {EX2!r}, "ben")
    print(json.dumps({{grade.name: [grade.auto_score, grade.manual_score] for grade in found.grades}}))
"""


@contextlib.contextmanager
def jupyterlab(person: Person) -> Iterator[dict[str, Any]]:
    """Run JupyterLab in a person's folder; gives what the server says of itself, with its `url` and `token`."""
    settings = person.home / "config" / "labconfig" / "page_config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(NO_NEWS), "utf-8")
    said = person.home / "jupyterlab.log"
    server = person.start(*SERVER, said=said)
    try:
        yield _about(server, person.home / "runtime" / f"jpserver-{server.pid}.json", said)
    finally:
        begun = psutil.Process(server.pid).children(recursive=True) if server.poll() is None else []
        server.terminate()  # it shuts its kernels down first
        _, left = psutil.wait_procs([psutil.Process(server.pid), *begun], timeout=30)
        for process in left:
            process.kill()
        server.wait(30)
    assert [process.name() for process in left] == [], "JupyterLab should have ended itself and its kernels"


def _about(server: Any, file: Path, said: Path) -> dict[str, Any]:
    """Wait for the file that a server writes about itself when it listens."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and server.poll() is None:
        with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
            return json.loads(file.read_text("utf-8"))
        time.sleep(0.05)
    pytest.fail(f"JupyterLab does not start:\n{said.read_text('utf-8', 'replace')}")


class Lab:
    """A page that shows JupyterLab."""

    def __init__(self, browser: Any, server: dict[str, Any]) -> None:
        self.context = browser.new_context(viewport=SIZE)
        self.page = self.context.new_page()
        self.page.set_default_timeout(SECONDS * 1000)
        self.abroad: list[str] = []  # what was asked of other machines, and refused
        self.context.route(lambda url: not url.startswith((server["url"], "data:", "blob:")), self._refuse)
        self.page.goto(f"{server['url']}lab?token={server['token']}")

    def _refuse(self, route: Any) -> None:
        self.abroad.append(route.request.url)
        route.abort()

    def menu(self, *names: str) -> None:
        """Choose from a menu, as in menu("Nbgrader", "Formgrader")."""
        for name in names:
            self.page.get_by_role("menuitem", name=name, exact=True).click()

    def notebook(self) -> Any:
        """Return the notebook in front, once its kernel waits for work."""
        self.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")


@contextlib.contextmanager
def shown(browser: Any, server: dict[str, Any], keep: Keep, name: str) -> Iterator[Lab]:
    """JupyterLab on a page of its own. Where a test fails, the page is kept as it was then."""
    lab = Lab(browser, server)
    try:
        yield lab
    except BaseException:
        keep(lab.page, f"{name}-failed")
        raise
    finally:
        lab.context.close()


def answer(lab: Lab, cell: Any, text: str) -> None:
    """Write `text` in place of what a cell holds, and run it as students do."""
    cell.locator(".cm-content").click()
    lab.page.keyboard.press("Control+A")
    lab.page.keyboard.insert_text(text)
    lab.page.keyboard.press("Shift+Enter")


def run_cell(lab: Lab, cell: Any) -> str:
    """Run a cell as students do, and return what it prints."""
    cell.locator(".jp-InputPrompt").click()
    lab.page.keyboard.press("Shift+Enter")
    cell.locator(".jp-OutputArea-output").first.wait_for()
    return cell.locator(".jp-OutputArea").inner_text()


def is_saved(response: Any) -> bool:
    """Whether this is the answer to Formgrader's saving a score."""
    return "/api/grade/" in response.url and response.request.method == "PUT"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """The instructor of a course where one assignment is released."""
    folder = tmp_path_factory.mktemp("lab")
    root = support.copy_course(folder / "course")
    instructor = Person(root, folder / "homes" / "instructor")
    instructor.nbgrader("generate_assignment", EX2)  # notes its cells and points in the gradebook as well
    instructor.nbgrader("release_assignment", EX2)
    return instructor


def student(instructor: Person, name: str) -> Person:
    """A student's folder, with the settings that a student of this course has."""
    folder = instructor.home.parent / name / "work"
    folder.mkdir(parents=True)
    settings = ["c = get_config()", 'c.CourseDirectory.course_id = "attention"']
    settings.append(f"c.CourseDirectory.student_id = {name!r}")  # everybody here has one name for the machine
    settings.append(f"c.Exchange.root = {str(instructor.folder / 'exchange')!r}")
    (folder / "nbgrader_config.py").write_text("\n".join(settings) + "\n", "utf-8")
    return Person(folder, folder.parent)


def test_a_student_fetches_answers_checks_validates_and_hands_in(browser: Any, course: Person, keep: Keep) -> None:
    """All of it in JupyterLab; the exchange then holds the notebook as the student left it."""
    ana = student(course, "ana")
    with jupyterlab(ana) as server, shown(browser, server, keep, "student") as lab:
        lab.menu("Nbgrader", "Assignment List")
        lab.page.locator("#released_assignments_list").get_by_role("button", name="Fetch").click()
        fetched = lab.page.locator("#fetched_assignments_list")
        fetched.get_by_role("button", name=EX2).click()
        fetched.locator(".assignment-notebooks").get_by_role("link", name=EX2).click()

        notebook = lab.notebook()
        cell = notebook.locator(".jp-CodeCell")
        imports = cell.filter(has_text="import numpy as np")
        imports.locator(".jp-InputPrompt").click()
        lab.page.keyboard.press("Shift+Enter")
        answer(lab, cell.filter(has_text="def causal_mask(n)"), support.model_answers(EX2)["causal-mask"])
        said = run_cell(lab, cell.filter(has_text="# Checks causal_mask:"))
        assert said.startswith("Visible check passed: causal_mask")

        notebook.get_by_role("button", name="Validate").click()
        dialog = lab.page.get_by_role("dialog")
        dialog.get_by_text("The following cell failed").first.wait_for()
        told = dialog.inner_text()
        assert "# Checks causal_attention: output and weights" in told and "NotImplementedError" in told
        assert "# Checks causal_mask" not in told, "that cell passes"
        keep(lab.page, "jupyterlab-validate")
        dialog.get_by_role("button", name="Ok").click()

        lab.page.get_by_role("tab", name="Assignments").click()
        fetched.get_by_role("button", name="Submit").click()
        lab.page.locator("#submitted_assignments_list").get_by_text(EX2).first.wait_for()
        keep(lab.page, "jupyterlab-assignments")
        assert lab.abroad == []

    (handed_in,) = (course.folder / "exchange" / "attention" / "inbound").glob(f"ana+{EX2}+*")
    cells = [one["source"] for one in read(handed_in / f"{EX2}.ipynb")["cells"]]
    assert support.model_answers(EX2)["causal-mask"] in cells


def test_an_instructor_collects_grades_and_changes_a_score_in_formgrader(
    browser: Any, course: Person, keep: Keep
) -> None:
    """The score is that of the hidden checks, and what a person writes over it is in the gradebook."""
    ben = student(course, "ben")
    answers = {"causal-mask": support.model_answers(EX2)["causal-mask"], "is-causal": COARSE}
    released = read(notebook_path(course.folder / "release", EX2))
    support.write(notebook_path(ben.folder, EX2), fill(released, answers))
    ben.nbgrader("submit", EX2)

    with jupyterlab(course) as server, shown(browser, server, keep, "instructor") as lab:
        lab.menu("Nbgrader", "Formgrader")
        lab.page.locator(".jp-SideBar [data-id=filebrowser]").click()  # closes it: more room
        formgrader = lab.page.frame_locator("#formgrader-iframe iframe")
        row = formgrader.locator("tr", has_text=EX2)
        row.locator(".collect a").click()
        formgrader.get_by_text(f"Successfully collected submissions of '{EX2}'").wait_for()
        formgrader.get_by_role("button", name="Close").first.click()
        row.locator(".num-submissions a").click()

        row = formgrader.locator("tr", has_text="ben")
        row.get_by_text("needs autograding").wait_for()
        row.locator(".autograde a").click()
        formgrader.get_by_text(f"Successfully autograded '{EX2}' for student 'ben'").wait_for()
        formgrader.get_by_role("button", name="Close").first.click()
        row.get_by_text("3 / 10", exact=True).wait_for()
        assert row.locator(".status").inner_text() == "graded"

        row.locator(".student-name a").click()
        formgrader.get_by_role("link", name=EX2, exact=True).click()
        message = formgrader.locator(".output_text", has_text="is_causal forgives rounding, and nothing else")
        assert "1 of 2 points" in message.inner_text()
        score = formgrader.locator("input#is-causal-check")
        formgrader.locator("input#is-causal-check[placeholder='1']").wait_for()
        with lab.page.expect_response(is_saved) as saved:
            score.fill("1.75")
            message.click()  # anywhere else
        assert saved.value.ok
        message.evaluate("one => { jQuery('html, body').stop(); one.scrollIntoView({block: 'end'}) }")
        keep(lab.page, "formgrader")
        assert [url for url in lab.abroad if "/mathjax/" not in url] == [], "only formulas come from elsewhere"
    grades = json.loads(course.python("-c", GRADES).stdout)
    assert grades == {
        "causal-mask-pattern": [2, None],
        "causal-attention-values": [0, None],
        "causal-leakage": [0, None],
        "is-causal-check": [1, 1.75],
    }
