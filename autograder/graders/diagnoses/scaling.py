"""Wrong ideas about the scaling of the scores, for all three functions that attend.

Canary: attention-course-canary-5be3917a06c2d4f8
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograder.graders.diagnoses import ways
from autograder.graders.diagnoses.idea import Idea
from autograder.graders.diagnoses.ways import CAUSAL, CROSS, SELF, anywhere, d_k, divided, of_scores

CANARY = "attention-course-canary-5be3917a06c2d4f8"


_CONSTANTS = (*range(2, 17), 20, 24, 25, 32, 36, 48, 49, 50, 64, 96, 100, 128, 256, 512, 768, 1024)

IDEAS = (
    Idea(
        "no-scaling",
        "These are weights of the plain dot products, whose spread grows with d_k: what brings it back to about 1?",
        anywhere(*divided(lambda Q, K, V: 1.0)),
    ),
    Idea(
        "scale-by-d-k",
        "That calms the scores too much: from d_k = 9 to d_k = 36, by which factor does the spread of the scores grow?",
        anywhere(*divided(lambda Q, K, V: d_k(K))),
    ),
    Idea(
        "multiply-by-root",
        "Wider vectors make your weights sharper, not calmer: check the direction of the scaling.",
        anywhere(*divided(lambda Q, K, V: 1 / ways.root(K), lambda Q, K, V: 1 / d_k(K))),
    ),
    Idea(
        "scale-by-length",
        "The scaling should depend on how long one vector is, not on how many positions there are.",
        anywhere(*divided(lambda Q, K, V: len(K) ** 0.5, lambda Q, K, V: len(K)), functions=(SELF, CAUSAL)),
    ),
    Idea(
        "scale-by-number-of-keys",
        "Your weights get calmer when keys are added: the scaling should depend on how long one vector is.",
        anywhere(*divided(lambda Q, K, V: len(K) ** 0.5, lambda Q, K, V: len(K)), functions=(CROSS,)),
    ),
    Idea(
        "scale-by-number-of-queries",
        "Your weights get calmer when queries are added: the scaling should depend on how long one vector is.",
        anywhere(*divided(lambda Q, K, V: len(Q) ** 0.5, lambda Q, K, V: len(Q)), functions=(CROSS,)),
    ),
    Idea(
        "scale-by-d-v",
        "Your weights change when only the width of V does: which vectors do the scores come from?",
        anywhere(*divided(lambda Q, K, V: V.shape[1] ** 0.5, lambda Q, K, V: V.shape[1])),
    ),
    Idea(
        "scale-hard-coded",
        "Your scaling is the same number at every width, so it is right for one width at most: try another d_k.",
        anywhere(
            *divided(*((lambda Q, K, V, c=c: c**0.5) for c in _CONSTANTS)),
            *divided(*((lambda Q, K, V, c=c: c) for c in _CONSTANTS if c not in (2, 3, 4, 5, 6, 7, 8, 16))),
        ),
    ),
    Idea(
        "scale-wrong-function",
        "The scaling does depend on d_k, but not in the right way: from d_k = 9 to 36 it should double.",
        anywhere(
            *divided(
                lambda Q, K, V: np.log2(d_k(K)),
                lambda Q, K, V: np.log(d_k(K)),
                lambda Q, K, V: d_k(K) / 2,
                lambda Q, K, V: (2 * d_k(K)) ** 0.5,
                lambda Q, K, V: (d_k(K) / 2) ** 0.5,
                lambda Q, K, V: ways.root(K) / 2,
                lambda Q, K, V: ways.root(K) * 2,
                lambda Q, K, V: ways.root(K) + 1,
                lambda Q, K, V: (d_k(K) + 1) ** 0.5,
                lambda Q, K, V: (d_k(K) - 1) ** 0.5,
                lambda Q, K, V: d_k(K) ** 0.25,
                lambda Q, K, V: d_k(K) ** (1 / 3),
                lambda Q, K, V: d_k(K) ** 1.5,
                lambda Q, K, V: d_k(K) ** 2,
            )
        ),
    ),
    Idea(
        "scale-after-softmax",
        "All your rows have the same sum: something is applied after the softmax that belongs before it.",
        anywhere(
            *(
                (lambda Q, K, V, see, f=f, s=s: _after(Q, K, V, see, f, s))
                for f in (lambda K: 1 / ways.root(K), lambda K: ways.root(K), lambda K: 1 / d_k(K))
                for s in (lambda Q, K: Q @ K.T, ways.scaled)
            )
        ),
    ),
    Idea(
        "scale-the-output",
        "Your output is a constant factor away from the weighted mean of V: what is done to it at the end?",
        anywhere(
            *(
                (lambda Q, K, V, see, f=f, s=s: _at_the_end(Q, K, V, see, f, s))
                for f in (lambda K: 1 / ways.root(K), lambda K: ways.root(K), lambda K: 1 / d_k(K), len)
                for s in (lambda Q, K: Q @ K.T, ways.scaled)
            )
        ),
    ),
    Idea(
        "cosine-similarity",
        "A query twice as long gets the same weights from you: should its length not matter?",
        anywhere(
            *of_scores(
                lambda Q, K, V: _unit(Q) @ _unit(K).T,
                lambda Q, K, V: _unit(Q) @ _unit(K).T / ways.root(K),
            )
        ),
    ),
)


def _after(
    Q: np.ndarray, K: np.ndarray, V: np.ndarray, see: ways.See, factor: Callable[..., float], scores: ways.Step
) -> ways.Pair:
    weights = factor(K) * ways.softmax(see(scores(Q, K)))
    return weights @ V, weights


def _at_the_end(
    Q: np.ndarray, K: np.ndarray, V: np.ndarray, see: ways.See, factor: Callable[..., float], scores: ways.Step
) -> ways.Pair:
    weights = ways.softmax(see(scores(Q, K)))
    return factor(K) * (weights @ V), weights


def _unit(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).sum(axis=1, keepdims=True))
