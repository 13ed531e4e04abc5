"""The public example of exercise 4, drawn on a student's page. No check uses these inputs.

Canary: attention-course-canary-c94a07d8e65b1f32
"""

from __future__ import annotations

import numpy as np

from autograder.graders import reference
from autograder.grading.checks import Example

CANARY = "attention-course-canary-c94a07d8e65b1f32"

N_Q, N_K = 4, 6
_random = np.random.default_rng(4)
Q, K, V = (_random.normal(0, 1, shape) for shape in ((N_Q, 5), (N_K, 5), (N_K, 2)))

EXAMPLES = (
    Example(
        "cross_attention",
        ("cross-attention-values", "cross-attention-lengths"),
        (Q, K, V),
        reference.weights(Q, K),
        f"Attention weights of {N_Q} queries over {N_K} keys, drawn at random.",
        rows="query (decoder)",
        columns="key (encoder)",
    ),
)
