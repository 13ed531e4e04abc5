"""What causal_mask returns: which cells it blocks, and whether it can be added.

Canary: attention-course-canary-203c6cbfbefed8a8
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.graders import blocking, expect, words
from autograder.graders.diagnoses import diagnosed
from autograder.graders.failure import Failure
from autograder.grading.checks import cell

CANARY = "attention-course-canary-203c6cbfbefed8a8"

LENGTHS = 7, 3, 1, 24
TO_ADD = 5


@cell("causal-mask-pattern")
@diagnosed("causal_mask")
def test_mask_blocks_exactly_the_future(student: Any) -> None:
    """The mask tells the future from the past and the present, at every length"""
    for n in LENGTHS:
        mask = expect.matrix(student.causal_mask(n), (n, n), f"your mask for n = {n}", finite=False)
        future = np.triu(np.ones((n, n), dtype=np.bool_), 1)
        blocked = blocking.blocked_cells(mask, (0, 0), f"yours for n = {n}")  # the first cell is always open
        if not np.array_equal(blocked, future):
            i, j = (int(index) for index in np.argwhere(blocked != future)[0])
            relation = "later than" if j > i else "the same as" if i == j else "earlier than"
            raise Failure(
                f"In your mask for n = {n}, query {i} and key {j} (counting from 0) are treated wrongly: the entry is "
                f"{words.show(mask[i, j])}.",
                f"That key is {relation} the query; may the query see it?",
            )


@cell("causal-mask-pattern")
@diagnosed("causal_mask")
def test_mask_is_there_to_be_added(student: Any) -> None:
    """The mask can be added to scores: 0 where a position may look, hugely negative where not"""
    value = student.causal_mask(TO_ADD)
    mask = expect.array(value, "your mask")
    if mask.ndim != 2 or mask.size < 4:
        raise Failure(
            f"Asked for a square mask, causal_mask returned an array of shape {words.shape(mask.shape)}.",
            "It has a row for each query and a column for each key.",
        )
    blocking.check_additive(mask, value)
