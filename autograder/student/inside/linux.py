"""The few Linux calls that Python 3.11 has no function for. Numbers are from the kernel's own headers."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

_CAPABILITIES_V3 = 0x20080522
_LAST_CAPABILITY = 63

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Move this process (for CLONE_NEWPID: its children) into new namespaces."""
    _check(_libc.unshare(flags), "unshare")


def mount(kind: str, target: str, flags: int, options: str = "") -> None:
    """Mount a file system that needs no device."""
    _check(_libc.mount(kind.encode(), target.encode(), kind.encode(), flags, options.encode()), f"mount {target}")


def prctl(option: int, *arguments: int) -> None:
    values = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    _check(_libc.prctl(option, *values), f"prctl {option}")


def drop_capabilities() -> None:
    """Give up every capability, for this process and whatever it starts."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # beyond the kernel's last one
    header = struct.pack("=Ii", _CAPABILITIES_V3, 0)
    _check(_libc.capset(header, bytes(24)), "capset")


def syscall(number: int, *arguments: object) -> int:
    """Make a system call that libc has no function for. Raises OSError."""
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    _libc.syscall.restype = ctypes.c_long
    return _check(_libc.syscall(ctypes.c_long(number), *values), f"system call {number}")


def machine() -> str:
    """Return the processor's name as the kernel has it: x86_64, aarch64, ..."""
    return platform.machine()
