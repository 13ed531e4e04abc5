"""Characters that change how text is read rather than being read: terminal codes, direction marks, invisible ones."""

from __future__ import annotations

import re

# C0 and C1 controls, zero-width characters and joiners, direction marks, line separators, lone surrogates, tags
MISLEADING = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\u206a-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]+"
)


def escaped(text: str) -> str:
    """Return text with misleading characters written out, such as `\\x1b`: two names never become the same."""
    return MISLEADING.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
