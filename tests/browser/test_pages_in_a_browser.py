"""The student's page and the class report in a real browser: what they hold, on any screen, for everybody.

Screenshots are kept in the folder that COURSE_SCREENSHOTS names, where it is set.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reports import a_class, leaking

from autograder.outputs import class_page, html
from autograder.outputs.standing import Place, Standing

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with '.[browser]'")

Keep = Callable[[Any, str], None]  # the fixture `keep`
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LINK = "http://localhost:8888/formgrader/submissions/abc"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A student's page and the class report, as files."""
    folder = tmp_path_factory.mktemp("pages")
    standing = Standing(comments={"causal-attention": "Look at row 1."}, penalty=1.0)
    texts = {
        "feedback": html.page([(leaking(), standing)]),
        "class": class_page.render(a_class(24), [Place("s0001", "ex2-causal-masking", 3.0, 7.0, 0.0, True, LINK)]),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return {name: folder / f"{name}.html" for name in texts}


LOOKS = [(name, scheme, size) for name in ("feedback", "class") for scheme, size in (("light", WIDE), ("dark", PHONE))]


@pytest.mark.parametrize(
    ("name", "scheme", "size"), LOOKS, ids=[f"{name}-{scheme}-{size['width']}" for name, scheme, size in LOOKS]
)
def test_a_page_fits_the_screen_and_has_no_serious_barrier(
    browser: Any, pages: dict[str, Path], keep: Keep, name: str, scheme: str, size: dict[str, int]
) -> None:
    """In light and dark, wide and on a phone: nothing sticks out or is refused, and axe-core finds nothing serious."""
    context = browser.new_context(viewport=size, color_scheme=scheme)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(pages[name].as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert complaints == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    keep(page, f"{name}-{scheme}-{size['width']}")
    told = axe.Axe().run(page).response
    grave = [one for one in told["violations"] if one["impact"] in ("serious", "critical")]
    assert [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in grave] == []
    assert "color-contrast" in {one["id"] for one in told["passes"]}, "it should have looked"
    context.close()


def test_the_feedback_is_read_in_order_and_its_pictures_have_words(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page(viewport=WIDE)
    page.goto(pages["feedback"].as_uri())
    headings = page.get_by_role("heading").all_inner_texts()
    assert headings[:3] == ["ex2-causal-masking", "causal_attention", "causal-attention-values"]
    pictures = page.get_by_role("img").all()
    assert [picture.locator("title").text_content().split(":")[0] for picture in pictures] == [
        "Your weights",
        "Wanted weights",
    ]
    assert page.locator("svg .leak").count() == 3
    code = page.locator("figure", has_text="causal_attention").first.bounding_box()
    checks = page.locator(".checks").first.bounding_box()
    assert code["x"] > checks["x"] + checks["width"], "beside the checks on a wide screen"
    page.set_viewport_size(PHONE)
    code = page.locator("figure", has_text="causal_attention").first.bounding_box()
    assert code["x"] < 40, "below them on a phone"
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('pre')).whiteSpace") == "pre-wrap"
    page.close()


def test_dark_and_light_are_two_looks_of_one_page(browser: Any, pages: dict[str, Path]) -> None:
    seen = set()
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto(pages["class"].as_uri())
        colour = "one => getComputedStyle(one).getPropertyValue('fill')"
        seen.add((page.evaluate("getComputedStyle(document.body).backgroundColor"),
                  page.locator("svg text").first.evaluate(colour)))  # fmt: skip
        page.close()
    assert len(seen) == 2 and len({ink for _, ink in seen}) == 2, "the plots change as well"


def test_the_class_report_leads_into_formgrader(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page()
    page.goto(pages["class"].as_uri())
    assert page.get_by_role("heading", level=2).all_inner_texts()[:2] == ["Scores", "What needs a person (1)"]
    link = page.locator("section", has_text="What needs a person").get_by_role("link").first
    assert link.get_attribute("href") == LINK
    page.close()
