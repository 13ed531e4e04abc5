"""What tells wrong ideas apart in exercise 2: about masks, about what they do to attention, about the verification.

Canary: attention-course-canary-e26b90f37d5c418a
"""

from __future__ import annotations

import numpy as np

from autograder.graders import compare, probes
from autograder.graders.diagnoses import masks, ways
from autograder.graders.diagnoses.ex1 import attention_calls, nothing
from autograder.graders.diagnoses.idea import ARGUMENTS, CORE, LARGE, Call, Idea, Subject, arrays, verdict
from autograder.graders.diagnoses.ways import CAUSAL, softmax, triangle

CANARY = "attention-course-canary-e26b90f37d5c418a"


@probes.seeded
def _lengths() -> tuple[Call, ...]:
    return Call((5,)), Call((3,)), Call((9,))


@probes.seeded
def _dominated() -> tuple[Call, ...]:
    """A future key stands out; then scores in the thousands."""
    calls = [probes.before_dominant_key(), probes.with_dominant_key(4), probes.huge_scores(6, 6, causal=True)]
    return tuple(Call(probe.inputs, tolerance=compare.STRESS) for probe in calls)


@probes.seeded
def _matrices() -> tuple[Call, ...]:
    """Causal and leaking weights, each of which some wrong verification takes for the other."""
    causal, leaking = probes.stochastic(7, 7, causal=True), probes.stochastic(5, 5)
    changes = ((1, 4), 1e-12), ((3, 4), 1e-4), ((0, 6), 1e-4), ((1, 6), -1e-4), ((2, 5), np.nan), ((3, 4), 0.2)
    odd = []
    for (i, j), amount in changes:
        changed = causal.copy()
        changed[i, j] += amount
        if np.isfinite(amount):
            changed[i, 0] -= amount
        odd.append(changed)
    plain = causal, leaking, np.eye(4), np.tril(causal, -1), 0.6 * causal, causal[::-1, ::-1].copy(), causal.T.copy()
    return tuple(Call((matrix,)) for matrix in (*plain, *odd))


def _no_leak(weights: np.ndarray) -> bool:
    return bool(np.all(np.abs(np.triu(weights, 1)) < 1e-6))


SUBJECTS = (
    Subject("causal_mask", arrays(1), {CORE: _lengths}, masks.mask),
    Subject(
        CAUSAL,
        arrays(2),
        {CORE: lambda: attention_calls(causal=True), LARGE: _dominated, ARGUMENTS: nothing},
        ways.right(ways.past),
    ),
    Subject("is_causal", verdict, {CORE: _matrices}, _no_leak),
)


ATTENTION = (
    Idea(
        "mask-ignored",
        "These are the weights of attention without any mask: where is yours used?",
        {CAUSAL: (masks.attend(softmax),)},
    ),
    Idea(
        "mask-after-softmax",
        "The blocked positions took part in the softmax before they were removed: what is the right order?",
        {CAUSAL: (masks.attend(masks.cut),)},
    ),
    Idea(
        "mask-after-softmax-and-counts",
        "Dividing by the number of visible positions does not bring back what the blocked ones took.",
        {CAUSAL: (masks.attend(masks.counted),)},
    ),
    Idea(
        "rest-given-to-itself",
        "Your rows sum to 1, but what the blocked positions took was given to one position alone.",
        {CAUSAL: (masks.attend(masks.rest_on_self),)},
    ),
    Idea(
        "zero-for-blocked",
        "A score of 0 does not forbid anything: what does the exponential make of 0?",
        {CAUSAL: (masks.attend(masks.zeroed),)},
    ),
    Idea(
        "booleans-added",
        "Adding True or 1 to a score moves it a little and forbids nothing: which number forbids a score?",
        {CAUSAL: (masks.added(lambda n: 1 - np.tri(n)), masks.added(lambda n: -np.tri(n)))},
    ),
    Idea(
        "integers-as-indices",
        "`~` turns the integers 0 and 1 into -1 and -2, which are row numbers: make the mask of truth values first.",
        {CAUSAL: (masks.attend(masks.last_rows_wiped),)},
    ),
    Idea(
        "output-unmasked",
        "Your weights hide the future, and the output was not made with them: which array multiplies V?",
        {CAUSAL: (masks.shown_apart,)},
    ),
    Idea(
        "weights-unmasked",
        "Your output hides the future, and the weights that came back do not: return those that were used.",
        {CAUSAL: (masks.masked_apart,)},
    ),
    *(
        Idea(
            f"no-scaling-and-{name}",
            f"Two things at once: {says}, and nothing calms scores of wide vectors.",
            {CAUSAL: tuple(masks.attend(way, masks.plain) for way in ways_)},
        )
        for name, says, ways_ in (
            ("mask-ignored", "these are weights without any mask", (softmax,)),
            ("mask-after-softmax", "the blocked positions took part in the softmax", (masks.cut,)),
            ("zero-for-blocked", "a score of 0 does not forbid anything", (masks.zeroed,)),
            (
                "one-step-ahead",
                "each position also sees its next neighbour",
                (lambda s: softmax(np.where(triangle(s, 1), s, -np.inf)),),
            ),
        )
    ),
)

VERDICTS = (
    Idea(
        "other-triangle",
        "It looks at the other side of the diagonal: which columns of row i are the future?",
        {
            "is_causal": (
                lambda weights: np.allclose(weights, np.triu(weights)),
                lambda weights: np.allclose(np.tril(weights, -1), 0),
            )
        },
    ),
    Idea(
        "diagonal-counted-as-future",
        "It refuses weight on the diagonal: may a position see itself?",
        {"is_causal": (lambda weights: np.allclose(np.triu(weights), 0),)},
    ),
    Idea(
        "next-position-overlooked",
        "It begins too late: where does the future of row i begin?",
        {"is_causal": (lambda weights: np.allclose(np.triu(weights, 2), 0),)},
    ),
    Idea(
        "row-sums-demanded",
        "It asks for more than causality: whether rows sum to 1 is another question.",
        {
            "is_causal": (
                lambda weights: np.allclose(weights, np.tril(weights)) and np.allclose(weights.sum(axis=1), 1),
                lambda weights: np.allclose(np.tril(weights).sum(axis=1), 1),
            )
        },
    ),
    Idea(
        "signs-cancel",
        "It looks at numbers with their sign, so one below 0 passes or makes up for one above: compare their sizes.",
        {
            "is_causal": (
                *((lambda weights, c=c: bool(np.triu(weights, 1).sum() < c)) for c in (1e-5, 1e-6, 1e-8)),
                *((lambda weights, c=c: bool(np.all(np.triu(weights, 1) < c))) for c in (1e-5, 1e-6, 1e-8)),
            )
        },
    ),
    Idea(
        "first-row-of-future-alone",
        "It looks at one row and judges all by it: what about the others?",
        {"is_causal": (lambda weights: np.allclose(weights[0, 1:], 0),)},
    ),
)

IDEAS = (*masks.IDEAS, *ATTENTION, *VERDICTS)
