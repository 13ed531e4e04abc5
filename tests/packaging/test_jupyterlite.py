"""The JupyterLite site holds the released notebooks and nothing else of the course, and errors are one line."""

from __future__ import annotations

import functools
import importlib.util
import json
import threading
import urllib.request
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support import ROOT, canaries, notebook_path

from autograder.course import load_course
from autograder.packaging import jupyterlite
from autograder.problems import CourseError


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return jupyterlite.build(load_course(ROOT), tmp_path_factory.mktemp("site"))[0]


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_plain_web_server_gives_out_jupyterlab_and_every_released_notebook(address: str) -> None:
    def get(path: str) -> bytes:
        with urllib.request.urlopen(f"{address}/{path}") as answer:
            return answer.read()

    assert b"jupyter-config-data" in get("lab/index.html")
    listed = json.loads(get("api/contents/all.json"))["content"]
    names = load_course(ROOT).names
    assert sorted(entry["name"] for entry in listed) == sorted(names)
    for name in names:
        assert get(f"files/{name}/{name}.ipynb") == notebook_path(ROOT / "release", name).read_bytes()


def test_it_has_the_kernel_and_no_extension_that_would_need_a_server(site: Path) -> None:
    config = json.loads((site / "jupyter-lite.json").read_text("utf-8"))["jupyter-config-data"]
    names = [path.relative_to(site / "extensions").as_posix() for path in site.glob("extensions/*/*")]
    assert names == ["@jupyterlite/pyodide-kernel-extension"] and len(config["federated_extensions"]) == 1


def test_nothing_hidden_is_in_the_site(site: Path) -> None:
    secrets = [canary.encode() for canary in canaries().values()]
    for path in site.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not [canary for canary in secrets if canary in data], path
            assert path.suffix != ".ipynb" or b"BEGIN SOLUTION" not in data, path


def test_without_jupyterlite_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(CourseError, match=r"not installed: python -m pip install 'attention-course\[jupyterlite\]'"):
        jupyterlite.build(load_course(ROOT), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_pyodide_that_is_not_there_is_said_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUPYTERLITE_PYODIDE_URL", "missing.tar.bz2")
    with pytest.raises(CourseError, match=r"names missing.tar.bz2, which is not there"):
        jupyterlite.build(load_course(ROOT), tmp_path)
    assert list(tmp_path.iterdir()) == []
