"""Where the zygote is started: its command, its environment and what confines it."""

from __future__ import annotations

import os
from pathlib import Path

# Needed by some processors' numpy builds; tell nothing about the grader.
_PASSED_ON = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "LD_LIBRARY_PATH")


class Sandbox:
    """What the machine offers to confine student code."""

    isolation = "none"

    def command(self, command: list[str], scratch: Path) -> list[str]:
        """Return the command that runs `command` confined."""
        return command

    def environment(self, scratch: Path) -> dict[str, str]:
        """Return the whole environment of the zygote: nothing of the grader's."""
        passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return passed_on | {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(scratch),
            "TMPDIR": str(scratch),
            "IPYTHONDIR": str(scratch / "ipython"),
            "MPLCONFIGDIR": str(_font_cache()),
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
        }


def _font_cache() -> Path:
    """Return the folder in which matplotlib keeps its list of fonts; making the list takes a second."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "attention-course" / "matplotlib"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
