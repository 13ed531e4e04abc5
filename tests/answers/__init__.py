"""Two collections of answers to try the hidden checks with, in our own words and in many styles.

wrong/ holds wrong answers: each names the checks that must fail, those that may, and the diagnosis expected.
right/ holds right answers: each gets full points. `course check --matrix` prints all answers against all checks.
"""

from __future__ import annotations

from answers.right import RIGHT
from answers.wrong import KEPT, WRONG

__all__ = ["KEPT", "RIGHT", "WRONG"]
