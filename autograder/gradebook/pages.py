"""Text cells in feedback and in Formgrader: as Markdown, but no HTML of a student's is ever live in the page.

nbgrader's templates show text cells without any cleaning, whatever HTMLExporter.sanitize_html says; they do it with
the filter `markdown2html`, and course_config.py puts the one below in its place.
"""

from __future__ import annotations

import html
import re
from typing import Any

from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

# Nothing that an element without attributes can do is of harm.
PLAIN = "details|summary|br|hr|p|b|i|em|strong|sub|sup|code|kbd"
_PLAIN_TAG = re.compile(rf"&lt;(/?(?:{PLAIN}))\s*/?&gt;", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
IMAGES = ("image/png", "image/jpeg")


@pass_context
def markdown2html(context: Any, source: str) -> str:
    """Return Markdown as HTML. Of HTML in it only plain tags without attributes remain; the rest is shown as text."""
    cell = context.get("cell") or {}
    return MarkdownWithMath(renderer=_Renderer(attachments=_images(cell.get("attachments")))).render(source)


class _Renderer(IPythonRenderer):
    def __init__(self, attachments: dict[str, dict[str, str]]) -> None:
        super().__init__(escape=False, allow_harmful_protocols=False, attachments=attachments)

    def block_html(self, html: str) -> str:
        return plain_tags(html) + "\n"

    def inline_html(self, html: str) -> str:
        return plain_tags(html)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Return a picture; for an attachment that is not there, which nbconvert ends with an error, its text."""
        if url.startswith("attachment:") and url.removeprefix("attachment:") not in self.attachments:
            return text
        return super().image(text, url, title)


def plain_tags(text: str) -> str:
    """Return HTML as text that shows its tags, other than plain ones without attributes."""
    return _PLAIN_TAG.sub(r"<\1>", html.escape(text))


def _images(attachments: Any) -> dict[str, dict[str, str]]:
    """Return the attachments that are pictures and nothing else."""
    found: dict[str, dict[str, str]] = {}
    for name, bundle in dict(attachments or {}).items():
        kept = {kind: data for kind, data in bundle.items() if kind in IMAGES and _BASE64.fullmatch(str(data))}
        if kept:
            found[name] = kept
    return found
