"""What a student's process gives up before the first byte of student code runs.

Two ways lead to a confined process. Inside bubblewrap each student gets namespaces of its own (`namespaces`).
Where the machine refuses those, Landlock bounds the files instead (`landlock`). An unused uid (`uid`, when started
as root), seccomp and resource limits come on top of either. Each step that was asked for must hold, or the process
ends before a student's byte runs.
"""

from __future__ import annotations

import glob
import os
import resource
from typing import Any

from . import landlock, linux, seccomp

MIB = 2**20
FILES_MAX = 4096  # files and folders in the scratch folder
SHARED_MEMORY_MB = 16
# What a GPU's driver opens. Written down from its documentation: not yet run on a GPU.
GPU_NODES = "/dev/nvidia*"
GPU_FACTS = ("/proc/driver/nvidia", "/proc/devices", "/proc/self", "/sys/bus/pci", "/sys/devices", "/sys/module/nvidia")


class Confinement:
    """The confinement of one student's process.

    `request` says what is wanted: `layers` (a list of the names above), `limits` (see `autograder.limits`), `uid`
    (the unused uid, for `uid`), `scratch` (the working folder), `readable` (paths, for `landlock`), `gpu` (whether
    a GPU may be used).
    """

    def __init__(self, request: dict[str, Any]) -> None:
        self.layers: list[str] = request["layers"]
        self.limits: dict[str, Any] = request["limits"]
        self.scratch: str = request["scratch"]
        self.readable: list[str] = request.get("readable", [])
        self.uid: int = request.get("uid", 0)
        self.gpu: bool = request.get("gpu", False)

    def divide(self) -> None:
        """First half, in the fork itself: become nobody in particular, in user, pid, ipc and mount namespaces.

        The pid namespace holds for the children that are forked from here.
        """
        if "uid" in self.layers:
            os.setgroups([])
            os.setresgid(self.uid, self.uid, self.uid)
            os.setresuid(self.uid, self.uid, self.uid)
            linux.prctl(linux.PR_SET_DUMPABLE, 1)  # or the maps below would belong to root
        if "namespaces" in self.layers:
            uid, gid = os.getuid(), os.getgid()
            linux.unshare(linux.CLONE_NEWUSER | linux.CLONE_NEWPID | linux.CLONE_NEWIPC | linux.CLONE_NEWNS)
            for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)

    def enter(self) -> None:
        """Second half, in the process that will run student code: mounts, limits, and no way back."""
        used = _address_space()
        if "namespaces" in self.layers:
            self._mounts()
        linux.drop_capabilities()
        os.chdir(self.scratch)
        os.umask(0o077)
        self._resources(used)
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        if "landlock" in self.layers:
            nodes = sorted(glob.glob(GPU_NODES)) if self.gpu else []
            facts = [path for path in GPU_FACTS if self.gpu and os.path.exists(path)]
            landlock.restrict([*self.readable, *facts], [self.scratch, os.devnull, *nodes])
        if "seccomp" in self.layers:
            seccomp.refuse(files_too="namespaces" not in self.layers)

    def _mounts(self) -> None:
        """Give the student's files a file system of their own, bounded in bytes and in number."""
        options = f"mode=700,nr_inodes={FILES_MAX},uid={os.getuid()},gid={os.getgid()}"
        flags = linux.MS_NOSUID | linux.MS_NODEV
        linux.mount("tmpfs", self.scratch, flags, f"size={self.limits['scratch_mb']}m,{options}")
        if os.path.isdir("/dev/shm"):
            linux.mount("tmpfs", "/dev/shm", flags, f"size={SHARED_MEMORY_MB}m,{options}")
        try:
            linux.mount("proc", "/proc", flags | linux.MS_NOEXEC)
        except OSError:  # some kernels refuse a new /proc inside a masked one: an empty folder hides as much
            linux.mount("tmpfs", "/proc", flags, f"size=4k,{options}")

    def _resources(self, used: int) -> None:
        wanted = {
            resource.RLIMIT_AS: used + self.limits["memory_mb"] * MIB,
            resource.RLIMIT_CPU: int(self.limits["submission_seconds"]) + 10,
            resource.RLIMIT_NOFILE: self.limits["open_files"],
            resource.RLIMIT_FSIZE: self.limits["scratch_mb"] * MIB,
            resource.RLIMIT_NPROC: self.limits["processes"],
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_MSGQUEUE: 0,
        }
        if self.gpu:
            del wanted[resource.RLIMIT_AS]  # a driver maps all of its memory, and the host's, at once
        for name, value in wanted.items():
            if name == resource.RLIMIT_NPROC and not {"namespaces", "uid"} & set(self.layers):
                continue  # it would count every process of the person who grades
            _, hard = resource.getrlimit(name)
            bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(name, (bound, bound))


def _address_space() -> int:
    """Return the bytes of address space this process uses now, inherited libraries included."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
