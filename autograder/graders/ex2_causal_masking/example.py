"""The public example of exercise 2, drawn on a student's page. No check uses these inputs.

Canary: attention-course-canary-5d0c7e19a2b84f63
"""

from __future__ import annotations

import numpy as np

from autograder.graders import reference
from autograder.grading.checks import Example

CANARY = "attention-course-canary-5d0c7e19a2b84f63"

N = 5
_random = np.random.default_rng(5)
Q, K, V = (_random.normal(0, 1, (N, width)) for width in (4, 4, 2))
FUTURE = np.triu(np.ones((N, N), dtype=bool), 1)

EXAMPLES = (
    Example(
        "causal_attention",
        ("causal-attention-values", "causal-leakage"),
        (Q, K, V),
        reference.weights(Q, K, reference.up_to_itself),
        f"Attention weights for {N} positions drawn at random. Above the diagonal lies the future.",
        closed=FUTURE,
    ),
)
