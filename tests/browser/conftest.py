"""What the tests in a browser share: one real Chromium for each file, and a place for screenshots."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium: the one that is installed, or playwright's own."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="a real browser is driven by playwright: pip install -e '.[browser]'"
    )
    found = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_api.sync_playwright() as playwright:
        if found is None and not Path(playwright.chromium.executable_path).is_file():
            pytest.skip("there is no Chromium here: install one, or run `playwright install chromium`")
        running = playwright.chromium.launch(executable_path=found, args=QUIET)
        yield running
        running.close()


@pytest.fixture
def keep() -> Callable[[Any, str], None]:
    """Keeps a screenshot of a page under a name, in the folder that COURSE_SCREENSHOTS names, where it is set."""

    def keep(page: Any, name: str) -> None:
        if folder := os.environ.get("COURSE_SCREENSHOTS"):
            page.screenshot(path=str(Path(folder) / f"{name}.png"))

    return keep
