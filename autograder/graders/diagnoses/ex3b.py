"""What tells wrong ideas apart in exercise 3b: what a measurement counts, and what a line is fitted to.

Canary: attention-course-canary-60e4d9b1c87f2a35

Much of what a wrong measurement returns depends on the machine. An idea may therefore return, in place of a value, a
test of the value that the student's function returns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.graders import expect, measuring
from autograder.graders.diagnoses.idea import CORE, NEAR, Call, Idea, Subject, number
from autograder.graders.measuring import Pattern

CANARY = "attention-course-canary-60e4d9b1c87f2a35"

MEASURE, FUSED, FIT = "measure_peak_bytes", "fused_attention", "fit_exponent"
SHARE = 0.02
PAGE, BLOCK = 1024, 2**21  # the least of what a process and what the allocator of a GPU takes at a time
LENGTHS, WIDTH = (512, 1024), 64

# In order: the largest first; the end is the peak in none; one has inputs, one makes something for good.
PATTERNS = (
    Pattern((7_000_100, 9_000_300, -1, 800_500), returned=3),
    Pattern((1_500_700, 1_200_100, -2), returned=1, inputs=(5_000_300,)),
    Pattern((900_100, 500_700, -2), returned=1, once=4_000_500),
)
PEAK = np.array([pattern.peak for pattern in PATTERNS])
LEFT = np.array([pattern.left for pattern in PATTERNS])
MADE = np.array([pattern.made for pattern in PATTERNS])
INPUTS = np.array([sum(pattern.inputs) for pattern in PATTERNS])
ONCE = np.array([pattern.once for pattern in PATTERNS])

MIXED = [128, 256, 512, 1024, 2048, 4096], [4 * n * n + 4 * 900 * n for n in (128, 256, 512, 1024, 2048, 4096)]

Test = Callable[[Any], bool]


def _several(value: Any) -> Any:
    """Read what a probe returned as the numbers in it; a test of such numbers is left as it is."""
    return value if callable(value) else (expect.array(value, "a measurement").astype(float),)


def _are(test: Callable[[np.ndarray], Any]) -> Callable[..., Test]:
    """Wrong code that returns a test of the three sizes in place of sizes."""

    def holds(seen: Any) -> bool:
        sizes = seen[0]
        return sizes.shape == PEAK.shape and bool(np.all(np.isfinite(sizes))) and bool(test(sizes))

    return lambda *arguments, **keywords: holds


def _say(sizes: np.ndarray) -> Callable[..., np.ndarray]:
    return lambda *arguments, **keywords: sizes


def _near(got: np.ndarray, want: np.ndarray | float) -> bool:
    return bool(np.all(np.abs(got - want) <= SHARE * np.maximum(1, np.abs(want))))


def _whole(sizes: np.ndarray, unit: int) -> bool:
    return bool(np.any(sizes != 0) and np.all(sizes % unit == 0))


def _is_a_record(sizes: np.ndarray) -> bool:
    """The same record each time, with or without what was there before the call taken off."""
    records = sizes, sizes + INPUTS + ONCE
    alike = any(np.ptp(record) <= SHARE * PEAK.min() for record in records)
    return alike and not _whole(sizes, PAGE) and records[1].min() >= (1 - SHARE) * PEAK[0]


def _holds_what_was_there(sizes: np.ndarray) -> bool:
    """The inputs more than the peak, and with them perhaps all else that was alive, which is the same each time."""
    more = sizes - PEAK - INPUTS, sizes - PEAK - INPUTS - ONCE
    return any(np.ptp(each) <= SHARE * PEAK.min() and each.min() >= -SHARE * PEAK.min() for each in more)


def _is_next_to_nothing(sizes: np.ndarray) -> bool:
    """Some hundred or thousand bytes, and whole ones."""
    return bool(np.all(np.abs(sizes) < SHARE * PEAK.min()) and np.any(sizes != 0) and np.all(sizes % 1 == 0))


def _has_a_table(seen: Any) -> bool:
    """The way that PyTorch takes without its kernels: two tables and the output, at both lengths."""
    peaks = seen[0][:, 0] if seen[0].shape == (len(LENGTHS), 2) else np.zeros(len(LENGTHS))
    return _near(peaks, np.array([4 * (2 * n * n + n * WIDTH) for n in LENGTHS]))


def _without_a_kernel(*arguments: Any, **keywords: Any) -> Test:
    return _has_a_table


def _line(x: Any, y: Any) -> float:
    return float(np.polyfit(x, y, 1)[0])


def _some(chosen: Callable[[list[int]], list[int]]) -> Callable[..., float]:
    """A fit of some of the points: `chosen` takes the places of all, shortest first."""

    def fit(ns: list[float], sizes: list[float]) -> float:
        places = chosen(sorted(range(len(ns)), key=lambda place: ns[place]))
        return _line(np.log([ns[p] for p in places]), np.log([sizes[p] for p in places]))

    return fit


def _shortest(count: int) -> Callable[..., float]:
    return _some(lambda places: places[:count])


def _measuring() -> tuple[Call, ...]:
    return (Call((measuring.MEASURED, *(pattern.sent for pattern in PATTERNS)), tolerance=SHARE),)


def _fitting() -> tuple[Call, ...]:
    return (
        Call(([64, 256, 1024, 4096], [5 * n * n for n in (64, 256, 1024, 4096)])),
        Call(([1000, 10, 300], [12.5 * n for n in (1000, 10, 300)])),
        Call(([3, 7], [0.25 * 3**3, 0.25 * 7**3])),
    )


def _mixed() -> tuple[Call, ...]:
    return (Call(MIXED, tolerance=1e-3),)


def _attending() -> tuple[Call, ...]:
    return (Call((measuring.PEAKS, list(LENGTHS), WIDTH)),)


def _exponent(value: Any) -> Any:
    return (expect.array(number(value), "an exponent"),)


SUBJECTS = (
    Subject(MEASURE, _several, {CORE: _measuring}, _say(PEAK)),
    Subject(
        FUSED,
        _several,
        {CORE: _attending},
        _say(np.zeros((len(LENGTHS), 2))),
    ),
    Subject(
        FIT,
        _exponent,
        {CORE: _fitting, NEAR: _mixed},
        lambda ns, sizes: _line(np.log(ns), np.log(sizes)),
    ),
)

IDEAS = (
    Idea(
        "end-for-peak",
        "You measure what was left at the end: what was alive at the busiest moment? A sum of gains and releases is "
        "what is left, too.",
        {MEASURE: (_say(LEFT), _say(LEFT + ONCE))},
    ),
    Idea(
        "sum-of-all-tensors",
        "You add up all that was ever made: when one tensor is freed before the next one is made, how much is alive?",
        {MEASURE: (_say(MADE), _say(MADE + ONCE))},
    ),
    Idea(
        "peak-not-reset",
        "Measure sizes in falling order: does your answer change? A peak remembers the largest thing that ever "
        "happened, until it is told to forget.",
        {MEASURE: (_are(_is_a_record),)},
    ),
    Idea(
        "baseline-kept",
        "The inputs, and whatever else your notebook holds, were there before you started: are they a cost of the "
        "call?",
        {MEASURE: (_are(_holds_what_was_there),)},
    ),
    Idea(
        "no-warm-up",
        "Something that is made only once was born inside your measurement: how do you let that happen before it?",
        {MEASURE: (_say(PEAK + ONCE),)},
    ),
    Idea(
        "python-memory",
        "Your tool sees Python's own objects and next to nothing of tensors: PyTorch asks the system for memory by "
        "itself. Which counter sees tensors?",
        {MEASURE: (_are(_is_next_to_nothing),)},
    ),
    Idea(
        "nothing-seen",
        "You measure 0 for everything: you ask after all has been freed, or you ask for the memory of the process, "
        "which uses freed pages again, or you ask a GPU that has nothing to do.",
        {MEASURE: (_are(lambda sizes: np.all(sizes == 0)),)},
    ),
    Idea(
        "memory-of-the-process",
        "Your sizes are whole pages, as the system hands them to a process: it keeps freed pages and uses them again, "
        "so they say little about one call.",
        {MEASURE: (_are(lambda sizes: _whole(sizes, PAGE) and not _whole(sizes, BLOCK)),)},
    ),
    Idea(
        "reserved-for-allocated",
        "Your sizes are whole blocks, as an allocator takes them from the machine to keep: how much of a block was "
        "asked for?",
        {MEASURE: (_are(lambda sizes: _whole(sizes, BLOCK)),)},
    ),
    Idea(
        "too-few-dimensions",
        "Your numbers come from the way without a kernel: how many dimensions has a tensor with batch, heads, n and d, "
        "and how many has yours?",
        {FUSED: (_without_a_kernel,)},
    ),
    Idea(
        "short-lengths-only",
        "You look at the shortest lengths, where what grows in proportion to n still counts: what do the longer ones "
        "say?",
        {FIT: tuple(_shortest(count) for count in (2, 3, 4))},
        (NEAR,),
    ),
    Idea(
        "ends-only",
        "You go from one end to the other and look at no point between: what do the others say?",
        {FIT: (_some(lambda places: [places[0], places[-1]]),)},
        (NEAR,),
    ),
    Idea(
        "one-logarithm",
        "A power is a straight line only on two logarithmic axes: how many of yours are?",
        {
            FIT: (
                lambda ns, sizes: _line(ns, np.log(sizes)),
                lambda ns, sizes: _line(np.log(ns), sizes),
                _line,
            )
        },
    ),
    Idea(
        "axes-exchanged",
        "Your exponent is one divided by the right one: which of the two logarithms is the height of a point?",
        {FIT: (lambda ns, sizes: _line(np.log(sizes), np.log(ns)),)},
    ),
    Idea(
        "intercept-for-slope",
        "You return where the line starts: which of the two numbers is its slope?",
        {
            FIT: (
                lambda ns, sizes: float(np.polyfit(np.log(ns), np.log(sizes), 1)[1]),
                lambda ns, sizes: math.exp(float(np.polyfit(np.log(ns), np.log(sizes), 1)[1])),
            )
        },
    ),
    Idea(
        "line-through-the-origin",
        "You divide one logarithm by the other: does the line begin at zero, whatever the constant factor is?",
        {
            FIT: (
                lambda ns, sizes: float(np.mean(np.log(sizes) / np.log(ns))),
                lambda ns, sizes: float(np.log(sizes[-1]) / np.log(ns[-1])),
                lambda ns, sizes: float(np.dot(np.log(ns), np.log(sizes)) / np.dot(np.log(ns), np.log(ns))),
            )
        },
    ),
)
