"""All hostile submissions."""

from __future__ import annotations

from dataclasses import replace

from . import cases_confuse, cases_gain, cases_harm, cases_lie, cases_machine, cases_reach, cases_secrets
from .case import Case

CASES: list[Case] = [
    replace(case, theme=theme)
    for theme, module in (
        ("gain", cases_gain),
        ("gain", cases_secrets),
        ("gain", cases_lie),
        ("harm", cases_harm),
        ("harm", cases_machine),
        ("harm", cases_reach),
        ("confuse", cases_confuse),
    )
    for case in module.CASES
]
