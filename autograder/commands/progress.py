"""A progress bar on standard error, where somebody is watching."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text


class Rate(ProgressColumn):
    """How many are done in a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")


class Progress:
    """Counts to `total`. Shows nothing when quiet, or when standard error is no terminal."""

    def __init__(self, what: str, total: int, quiet: bool = False) -> None:
        console = Console(stderr=True)
        self.bar = Bar(
            TextColumn(what),
            BarColumn(),
            MofNCompleteColumn(),
            Rate(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            disable=quiet or not sys.stderr.isatty(),
        )
        self.task = self.bar.add_task(what, total=total)

    def __enter__(self) -> Progress:
        self.bar.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.bar.stop()

    def step(self) -> None:
        self.bar.advance(self.task)
