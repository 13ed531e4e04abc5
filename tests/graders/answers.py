"""Answers to try the hidden checks with: each check has a broken one that must fail it, and right ones pass all."""

from __future__ import annotations

import answers_ex1
import answers_ex2
import answers_ex3
import answers_ex4
from snippets import Broken, Right

EXERCISES = (answers_ex1, answers_ex2, answers_ex3, answers_ex4)

BROKEN: dict[str, list[Broken]] = {}  # by the check that must fail
for exercise in EXERCISES:
    for answer in exercise.BROKEN:
        BROKEN.setdefault(answer.check, []).append(answer)

RIGHT: list[Right] = [answer for exercise in EXERCISES for answer in exercise.RIGHT]
