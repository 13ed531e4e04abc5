"""Each notebook of source/ is run once for all tests of this folder that only look at it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from in_process import Run, running


@pytest.fixture(scope="session")
def ran() -> Callable[[str], Run]:
    """Gives a notebook after its run with the model answers, and as if ipywidgets were not installed."""
    runs: dict[str, Run] = {}

    def ran(name: str) -> Run:
        if name not in runs:
            with running(name) as runs[name]:
                pass
        return runs[name]

    return ran
