"""Runs a notebook's cells in this process: no kernel, no screen, and each figure counted as it is shown.

That the pictures can be drawn without a warning shows where solutions/ is generated: nothing there writes to stderr.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from support import ROOT, notebook_path, read

NAMES = sorted(path.stem for path in (ROOT / "source").glob("*/*.ipynb") if path.stem == path.parent.name)


@dataclass
class Run:
    """A notebook after its run: what each cell of code printed and how many figures it showed, by position.

    `drawn` holds a digest of each figure that is shown while `draw` is true.
    """

    cells: list[dict[str, Any]]
    printed: dict[int, str] = field(default_factory=dict)
    figures: dict[int, int] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    seconds: float = 0.0  # of processor time
    draw: bool = False
    drawn: list[str] = field(default_factory=list)

    def execute(self) -> None:
        """Run all cells of code. Skips the test where a cell imports what is not installed here."""
        began = time.process_time()
        for at, cell in enumerate(self.cells):
            if cell["cell_type"] == "code":
                self.figures[at] = 0
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    try:
                        exec(compile(cell["source"], f"the cell {cell['id']}", "exec"), self.names)
                    except ModuleNotFoundError as error:
                        pytest.skip(f"{error.name} is not installed")
                self.printed[at] = out.getvalue()
        self.seconds = time.process_time() - began

    def show(self, *args: Any, **kwargs: Any) -> None:
        """Stands for plt.show."""
        for number in plt.get_fignums():
            self.figures[max(self.figures)] += 1
            if self.draw:
                canvas: Any = plt.figure(number).canvas
                canvas.draw()
                self.drawn.append(hashlib.sha256(canvas.buffer_rgba()).hexdigest())
        plt.close("all")


@contextlib.contextmanager
def running(name: str, widgets: bool = False) -> Iterator[Run]:
    """Gives a notebook of source/ after its run, with ipywidgets or as if that were not installed.

    Inside, figures still go to the run; afterwards all settings are as they were.
    """
    made = Run(read(notebook_path(ROOT / "source", name))["cells"])
    options = np.get_printoptions()
    plt.switch_backend("agg")
    before = sys.modules.get("ipywidgets")
    if not widgets:
        sys.modules["ipywidgets"] = None  # type: ignore[assignment]  # importing it raises ModuleNotFoundError
    try:
        with matplotlib.rc_context(), mock.patch.object(plt, "show", made.show):
            made.execute()
            yield made
    finally:
        if not widgets:  # that module alone: torch does not survive being imported a second time
            sys.modules.pop("ipywidgets")
            sys.modules.update({} if before is None else {"ipywidgets": before})
        plt.close("all")
        np.set_printoptions(**options)
