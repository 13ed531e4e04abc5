"""Makes tour-widgets.png: the tour in a real JupyterLab, before and after a slider is moved.

    pip install playwright pillow; playwright install chromium     (once; the course does not need them otherwise)
    python docs/pictures/tour_widgets.py [--chromium /usr/bin/chromium] [--lab /path/to/jupyter]

It fails where no slider appears, or where the picture below it stays the same.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, TimeoutError, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
TOUR = "ex0-chapter-tour"
PORT = 8899
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chromium", help="the browser, where it is not playwright's own")
    parser.add_argument(
        "--lab", default="jupyter", help="the command jupyter of an environment with attention-course[lab]"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "release" / TOUR / f"{TOUR}.ipynb", folder)
        command = [options.lab, "lab", "--no-browser", f"--port={PORT}", "--IdentityProvider.token=", "--allow-root"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as lab:
            try:
                wait_for_lab()
                with sync_playwright() as playwright:
                    browser = playwright.chromium.launch(executable_path=options.chromium, args=FLAGS)
                    before, after = move_a_slider(browser.new_page(viewport={"width": 1150, "height": 900}))
                    browser.close()
            finally:
                lab.terminate()
    stacked(before, after).save(ROOT / "docs" / "pictures" / "tour-widgets.png", optimize=True)


def wait_for_lab() -> None:
    for _ in range(120):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/api").close()
            return
        except OSError:
            time.sleep(0.5)
    raise SystemExit("JupyterLab did not start")


def move_a_slider(page: Page) -> tuple[bytes, bytes]:
    """Run the whole notebook, move the temperature's slider by three steps; return the cell before and after."""
    page.goto(f"http://127.0.0.1:{PORT}/lab/tree/{TOUR}.ipynb", timeout=120_000)
    page.locator(".jp-Notebook").wait_for(timeout=120_000)
    page.get_by_text("| Idle").wait_for(timeout=60_000)
    with contextlib.suppress(TimeoutError):  # JupyterLab offers news, above the picture
        page.get_by_role("button", name="No", exact=True).click(timeout=5_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.locator(".jp-Notebook").evaluate("it => it.scrollTop = 0")
    cell = page.locator(".jp-Cell", has_text="explore(one_temperature").last
    handle = cell.locator(".noUi-handle, [role=slider]").first
    for _ in range(120):  # cells out of sight are drawn when they come into it
        if page.get_by_role("button", name="Select", exact=True).count():  # asks which kernel to use
            page.get_by_role("button", name="Select", exact=True).click()
        cell.scroll_into_view_if_needed()
        if handle.count() and cell.locator("img").count():
            break
        page.wait_for_timeout(1000)
    picture = cell.locator("img").last
    picture.wait_for(timeout=60_000)
    page.get_by_text("| Idle").wait_for(timeout=120_000)  # until then JupyterLab scrolls to what it runs
    page.wait_for_timeout(3000)
    cell.scroll_into_view_if_needed()
    picture.wait_for(timeout=10_000)
    first, before = picture.get_attribute("src"), cell.screenshot()
    handle.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    for _ in range(60):
        page.wait_for_timeout(500)
        if cell.locator("img").count() and cell.locator("img").last.get_attribute("src") != first:
            page.wait_for_timeout(1500)
            return before, cell.screenshot()
    raise SystemExit("the slider was moved, and the picture stayed the same")


def stacked(*pictures: bytes) -> Image.Image:
    """Return the screenshots one above the other, in few colours to keep the file small."""
    parts = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    sheet = Image.new("RGB", (max(part.width for part in parts), sum(part.height + 12 for part in parts)), "white")
    top = 0
    for part in parts:
        sheet.paste(part, (0, top))
        top += part.height + 12
    return sheet.quantize(128)


if __name__ == "__main__":
    main()
