"""Right answers to all exercises, in many styles."""

from __future__ import annotations

from answers.right import ex1, ex1_others, ex2, ex3, ex3b, ex4, ex5

RIGHT = [*ex1.RIGHT, *ex1_others.RIGHT, *ex2.RIGHT, *ex3.RIGHT, *ex3b.RIGHT, *ex4.RIGHT, *ex5.RIGHT]
