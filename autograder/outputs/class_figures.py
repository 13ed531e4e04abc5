"""The plots of a class report as SVG to stand in a page: drawn by matplotlib, in the page's own colours and fonts."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.outputs.class_numbers import Sitting, share

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_COLUMNS = 60  # of a heat map; a larger class is put together in groups
BINS = 10
# matplotlib draws with these, and the page says what they are, in light and in dark
INK, QUIET, BAR, WARM = "#010101", "#020202", "#030303", "#040404"
COLOURS = {INK: "currentColor", QUIET: "var(--line)", BAR: "var(--heat)", WARM: "var(--open)"}
PASSED, FAILED, OPEN = (0.48, 0.66, 0.886), (0.91, 0.52, 0.13), (0.55, 0.55, 0.58)
PALE = (0.96, 0.94, 0.91)
_STYLE: Any = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar in a name is a dollar
    "svg.hashsalt": "class report",
    "font.size": 10,
    "font.family": "sans-serif",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def distributions(found: Sequence[Sitting]) -> str:
    """Return a histogram of the scores of each assignment, in per cent."""
    shown = [sitting for sitting in found if len(sitting.scores)]
    most = max(int(histogram(sitting.scores).max()) for sitting in shown)
    with _drawing() as make:
        figure = make(figsize=(2.6 * len(shown) + 0.6, 2.4))
        axes = figure.subplots(1, len(shown), sharey=True, squeeze=False)
        for axis, sitting in zip(axes[0], shown, strict=True):
            axis.bar(np.arange(BINS) * 10 + 5, histogram(sitting.scores), width=9, color=BAR)
            axis.axvline(float(np.median(sitting.scores)), color=WARM, linestyle="--", linewidth=1.5)
            axis.set(title=sitting.assignment.partition("-")[0], xlabel="per cent", xlim=(0, 100), ylim=(0, most * 1.1))
            axis.yaxis.get_major_locator().set_params(integer=True)
        axes[0][0].set_ylabel("submissions")
        return _svg(figure, "d")


def histogram(scores: np.ndarray) -> np.ndarray:
    """Return how many scores lie in each tenth, 100 per cent in the last."""
    return np.histogram(np.clip(scores, 0, 100), bins=BINS, range=(0, 100))[0]


def heat_map(sitting: Sitting, names: Sequence[str], identity: str) -> str:
    """Return checks by students, lowest scores to the left; a class that is too wide in groups of equal size."""
    columns = min(len(names), MOST_COLUMNS)
    groups = np.array_split(np.arange(len(names)), columns)
    shares = np.array([[share(row[group]) for group in groups] for row in sitting.passed])
    each = len(names) == columns
    with _drawing() as make:
        height = 0.27 * len(shares) + (1.0 if each else 0.6)
        figure = make(figsize=(max(6.5, 4.2 + 0.2 * columns) if each else 10.5, height))
        axis = figure.subplots()
        axis.imshow(_colours(shares), interpolation="none", aspect="auto")
        axis.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
        axis.set_yticks(np.arange(len(shares) + 1) - 0.5, minor=True)
        axis.set_yticks(np.arange(len(shares)), [_short(item.title) for item in sitting.items])
        if each:
            axis.set_xticks(np.arange(columns), list(names), rotation=90, fontsize=8)
            axis.grid(which="minor", color=QUIET, linewidth=0.6)
        else:
            axis.set_xticks([0, columns - 1], ["lowest scores", "highest scores"])
        axis.tick_params(which="both", length=0)
        for spine in axis.spines.values():
            spine.set_visible(False)
        return _svg(figure, identity)


def _colours(shares: np.ndarray) -> np.ndarray:
    """Return RGB: from one colour through a pale one to the other, so that a half does not look like "open"."""
    known = np.nan_to_num(shares)[..., None]
    failed, pale, passed = (np.array(colour) for colour in (FAILED, PALE, PASSED))
    low, high = failed + 2 * known * (pale - failed), pale + (2 * known - 1) * (passed - pale)
    return np.where(np.isnan(shares)[..., None], np.array(OPEN), np.where(known < 0.5, low, high))


def bars(counts: Sequence[tuple[str, int]]) -> str:
    """Return a horizontal bar for each name, the largest at the top."""
    with _drawing() as make:
        figure = make(figsize=(7.5, 0.3 * len(counts) + 0.5))
        axis = figure.subplots()
        places = np.arange(len(counts))[::-1]
        drawn = axis.barh(places, [number for _, number in counts], color=BAR, height=0.7)
        axis.bar_label(drawn, padding=3)
        axis.set_yticks(places, [name for name, _ in counts])
        axis.set(xlabel="submissions", ylim=(-0.6, len(counts) - 0.4))
        axis.xaxis.get_major_locator().set_params(integer=True)
        return _svg(figure, "b")


def items(found: Sequence[Sitting]) -> str:
    """Return every check by the share that passed it and what it tells about the rest of a submission."""
    with _drawing() as make:
        figure = make(figsize=(6.5, 3.2))
        axis = figure.subplots()
        for marker, sitting in zip("osD^vPX*" * len(found), found, strict=False):
            dots = [(item.share, item.discrimination) for item in sitting.items if item.discrimination is not None]
            if dots:
                axis.scatter(*zip(*dots, strict=True), marker=marker, s=36, color=BAR, alpha=0.75,
                             label=sitting.assignment.partition("-")[0])  # fmt: skip
        axis.axhline(0.15, color=WARM, linestyle="--", linewidth=1)
        axis.set(xlabel="share that passes (easy to the right)", ylabel="discrimination", xlim=(-0.02, 1.02))
        axis.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1, 1))
        return _svg(figure, "i")


@contextmanager
def _drawing() -> Iterator[Any]:
    """matplotlib in our style, without a screen and without its global figures. Gives the class of figures."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the browser has the fonts, not we
        yield Figure


def _svg(figure: Figure, identity: str) -> str:
    """Return a figure as an SVG element that takes its colours from the page; its words stand beside it."""
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for drawn, said in COLOURS.items():
        text = text.replace(drawn, said)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{identity}-", text)
    text = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font: \1 system-ui, sans-serif", text)
    width = re.search(r'width="([\d.]+)pt"', text)
    wide = float(width[1]) if width else 480.0
    text = re.sub(r'<svg ([^>]*?)width="[\d.]+pt"', rf'<svg \1style="width: {wide * 4 / 3:.0f}px"', text, count=1)
    text = re.sub(r'<svg ([^>]*?)height="[\d.]+pt"', r'<svg \1 aria-hidden="true" focusable="false"', text, count=1)
    return text


def _short(title: str, most: int = 60) -> str:
    return title if len(title) <= most else title[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"
