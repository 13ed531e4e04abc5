"""The public example of exercise 1, drawn on a student's page. No check uses these inputs.

Canary: attention-course-canary-83e1b6f02c7d495a
"""

from __future__ import annotations

import numpy as np

from autograder.graders import reference
from autograder.grading.checks import Example

CANARY = "attention-course-canary-83e1b6f02c7d495a"

N = 5
_random = np.random.default_rng(3)
Q, K, V = (_random.normal(0, 1, (N, width)) for width in (6, 6, 2))

EXAMPLES = (
    Example(
        "scaled_dot_product_attention",
        ("attention-values", "attention-scaling"),
        (Q, K, V),
        reference.weights(Q, K),
        f"Attention weights for {N} positions drawn at random, with d_k = {Q.shape[1]}.",
    ),
)
