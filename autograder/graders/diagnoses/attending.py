"""Wrong ideas about softmax, and about attention apart from its scaling, for all functions that attend.

Canary: attention-course-canary-c69d03e5127b8fa4
"""

from __future__ import annotations

import numpy as np

from autograder.graders.diagnoses import ways
from autograder.graders.diagnoses.idea import ARGUMENTS, LARGE, WHOLE, Idea
from autograder.graders.diagnoses.ways import anywhere, d_k, of_result, of_scores, of_weights

CANARY = "attention-course-canary-c69d03e5127b8fa4"


def _swapped_axes(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return ways.softmax(x, -1 if axis == 0 else 0)


NORMALISING = (
    Idea(
        "softmax-over-queries",
        "Your columns sum to 1 instead: which axis lists the choices of one query?",
        anywhere(
            *of_weights(lambda s, see: ways.softmax(see(s), 0)),
            softmax=(lambda x, axis=-1: ways.softmax(x, 0), _swapped_axes),
        ),
    ),
    Idea(
        "softmax-over-everything",
        "All your entries together sum to 1: which of them should compete with each other?",
        ways.both(ways.over_everything),
    ),
    Idea(
        "sum-without-keepdims",
        "Broadcasting divides column j by the sum of row j: print the shape of what you divide by.",
        ways.both(ways.sum_without_keepdims, ways.plain_sum_without_keepdims, ways.neither_with_keepdims),
    ),
    Idea(
        "max-without-keepdims",
        "The largest score that you subtract in column j belongs to row j: print the shape of what you subtract.",
        ways.both(ways.max_without_keepdims),
    ),
    Idea(
        "no-exponential",
        "Shares of the plain numbers can fall below 0 or lose their sign: where is the exponential?",
        ways.both(ways.shares, ways.open_shares, ways.shares_of_sizes, ways.shares_above_zero, ways.above_the_least),
    ),
    Idea(
        "not-normalised",
        "The exponentials are there, but nothing makes shares of them: what should each row add up to?",
        ways.both(ways.powers, ways.shifted_powers),
    ),
    Idea(
        "sigmoid",
        "Each of your entries depends on its own score alone, so the keys do not compete: what makes shares of a row?",
        ways.both(ways.sigmoid),
    ),
    Idea(
        "softmax-left-out",
        "What stands there are the scores themselves: which step turns a row of scores into shares?",
        ways.both(ways.as_it_is),
    ),
    Idea(
        "logarithm-of-softmax",
        "Shares are never below 0: did you stop at their logarithm?",
        ways.both(ways.logarithm),
    ),
    Idea(
        "softmax-twice",
        "Your weights are nearly even whatever the scores: was something normalised that was normalised already?",
        ways.both(ways.twice),
    ),
    Idea(
        "another-base",
        "Your shares do grow with the scores, but at another rate: which number is raised to the power of a score?",
        ways.both(ways.of_base_two, ways.of_base_ten),
    ),
    Idea(
        "negative-scores",
        "The best match gets the smallest share from you: look for a minus sign.",
        ways.both(ways.negative),
    ),
    Idea(
        "best-key-alone",
        "The largest score takes everything in your rows: the choice should be soft.",
        ways.both(ways.best_alone),
    ),
    Idea(
        "even-weights",
        "All your weights in a row are alike whatever the scores: what should they depend on?",
        ways.both(ways.even),
    ),
    Idea(
        "rounded-results",
        "Your numbers have only a few digits: keep all of them, and round only when you print.",
        anywhere(
            *of_result(*((lambda w, Q, K, V, d=d: (w.round(d) @ V, w.round(d))) for d in ways.DIGITS)),
            *of_result(*((lambda w, Q, K, V, d=d: ((w @ V).round(d), w.round(d))) for d in ways.DIGITS)),
            *of_result(*((lambda w, Q, K, V, d=d: ((w @ V).round(d), w)) for d in ways.DIGITS)),
            *of_result(*((lambda w, Q, K, V, d=d: (w @ V, w.round(d))) for d in ways.DIGITS)),
            softmax=tuple((lambda x, axis=-1, d=d: ways.rounded(x, axis, d)) for d in ways.DIGITS),
        ),
    ),
    Idea(
        "no-max-subtraction",
        "The exponential overflows or vanishes; softmax ignores a shift of a whole row, so choose one that helps.",
        ways.both(ways.without_shift),
        (LARGE,),
    ),
    Idea(
        "one-global-max",
        "A row far below the largest score vanished: each row needs a shift of its own.",
        ways.both(ways.global_shift),
        (LARGE,),
    ),
    Idea(
        "shift-never-negative",
        "Rows whose scores all lie far below 0 vanished: such a row needs a shift as well.",
        ways.both(ways.shift_not_below_zero),
        (LARGE,),
    ),
    Idea(
        "clipped-scores",
        "Scores beyond a limit were made equal, and so were their weights: only a shift leaves a softmax as it is.",
        ways.both(*ways.clipped(*ways.LIMITS)),
        (LARGE,),
    ),
)

RESULTS = (
    Idea(
        "swapped-return",
        "The two results are in the wrong order.",
        anywhere(*of_result(lambda w, Q, K, V: (w, w @ V))),
    ),
    Idea(
        "output-only",
        "The output alone came back: which second result is asked for?",
        anywhere(*of_result(lambda w, Q, K, V: w @ V, lambda w, Q, K, V: (w @ V,))),
    ),
    Idea(
        "weights-only",
        "The weights alone came back: what are they for, and what is asked for besides?",
        anywhere(*of_result(lambda w, Q, K, V: w, lambda w, Q, K, V: (w, w), lambda w, Q, K, V: (w,))),
    ),
    Idea(
        "scores-returned",
        "Your output is right, but the second result holds scores: which step of your calculation is to be returned?",
        anywhere(
            lambda Q, K, V, see: (ways.attend(Q, K, V, see)[0], ways.scaled(Q, K)),
            lambda Q, K, V, see: (ways.attend(Q, K, V, see)[0], see(ways.scaled(Q, K))),
            lambda Q, K, V, see: (ways.attend(Q, K, V, see)[0], Q @ K.T),
        ),
    ),
    Idea(
        "weights-transposed",
        "Your weights are right, but the output mixes V with their columns: which numbers belong to query i?",
        anywhere(*of_result(lambda w, Q, K, V: (w.T @ V, w))),
    ),
    Idea(
        "blends-keys",
        "Your weights are right, but applied to something else than V: keys are labels, and V is the content.",
        anywhere(*of_result(lambda w, Q, K, V: (w @ K, w), lambda w, Q, K, V: (w @ Q, w))),
    ),
    Idea(
        "keys-and-queries-swapped",
        "Your rows follow the keys: whose row is row i, and which of the two arrays comes first in the product?",
        anywhere(
            lambda Q, K, V, see: _with(V, ways.softmax(see(K @ Q.T / ways.root(K)))),
            lambda Q, K, V, see: _with(V, ways.softmax(see(K @ Q.T / ways.root(K)), 0)),
            lambda Q, K, V, see: _turned(V, ways.softmax(see(K @ Q.T / ways.root(K)))),
        ),
    ),
    Idea(
        "scores-from-queries-alone",
        "Your weights stay as they are when only the keys change: which two arrays are compared?",
        anywhere(*of_scores(lambda Q, K, V: Q @ Q.T / ways.root(Q))),
    ),
    Idea(
        "scores-from-keys-alone",
        "Your weights stay as they are when only the queries change: which two arrays are compared?",
        anywhere(*of_scores(lambda Q, K, V: K @ K.T / ways.root(K))),
    ),
    Idea(
        "values-as-keys",
        "Your weights change with V and not with K: which array is each query compared with?",
        anywhere(
            *of_scores(lambda Q, K, V: Q @ V.T / ways.root(K)),
            lambda Q, K, V, see: _with(K, ways.softmax(see(Q @ V.T / ways.root(K)))),
        ),
    ),
    Idea(
        "softmax-over-features",
        "A softmax was taken over the features of single vectors: it belongs to the scores of a query with all keys.",
        anywhere(
            lambda Q, K, V, see: _with(V, ways.shares(see_zero(see, ways.softmax(Q) @ ways.softmax(K).T))),
            lambda Q, K, V, see: _with(V, see_zero(see, ways.softmax(Q) @ ways.softmax(K).T)),
        ),
    ),
    Idea(
        "integer-buffer",
        "An array made like an integer array holds integers and cuts off fractions: which of yours is one?",
        anywhere(
            lambda Q, K, V, see: _with(V, _cut(ways.attend(Q, K, V, see)[1], Q)),
            lambda Q, K, V, see: (_cut(ways.attend(Q, K, V, see)[0], V), ways.attend(Q, K, V, see)[1]),
            lambda Q, K, V, see: (_cut(ways.attend(Q, K, V, see)[0], V), _cut(ways.attend(Q, K, V, see)[1], Q)),
            softmax=(ways.in_whole_numbers,),
        ),
        (WHOLE,),
    ),
    Idea("arguments-changed", "Work on a copy: the caller still needs these arrays.", about=(ARGUMENTS,)),
)


def see_zero(see: ways.See, products: np.ndarray) -> np.ndarray:
    """Weights that are made without an exponential: 0 where nothing may be seen."""
    return np.where(np.isfinite(see(products)), products, 0)


def _with(V: np.ndarray, weights: np.ndarray) -> ways.Pair:
    return weights @ V, weights


def _turned(V: np.ndarray, weights: np.ndarray) -> ways.Pair:
    return weights.T @ V, weights


def _cut(made: np.ndarray, like: np.ndarray) -> np.ndarray:
    return np.trunc(made) if like.dtype.kind in "iu" else made


TOGETHER = (
    Idea(
        "no-scaling-and-softmax-over-queries",
        "Two things at once: your columns sum to 1 instead of the rows, and nothing calms scores of wide vectors.",
        anywhere(*of_weights(lambda s, see: ways.softmax(see(s), 0), scale=False)),
    ),
    Idea(
        "no-scaling-and-softmax-over-everything",
        "Two things at once: all entries compete, not just those of one row, and nothing calms scores of wide vectors.",
        anywhere(*of_weights(lambda s, see: ways.over_everything(see(s)), scale=False)),
    ),
    Idea(
        "scale-by-d-k-and-softmax-over-queries",
        "Two things at once: your columns sum to 1 instead of the rows, and the scores are calmed too much.",
        anywhere(
            lambda Q, K, V, see: _with(V, ways.softmax(see(Q @ K.T / d_k(K)), 0)),
        ),
    ),
    Idea(
        "no-scaling-and-keys-and-queries-swapped",
        "Two things at once: your rows follow the keys, and nothing calms scores of wide vectors.",
        anywhere(
            lambda Q, K, V, see: _with(V, ways.softmax(see(K @ Q.T))),
            lambda Q, K, V, see: _turned(V, ways.softmax(see(K @ Q.T))),
        ),
    ),
)

IDEAS = (*NORMALISING, *RESULTS, *TOGETHER)
