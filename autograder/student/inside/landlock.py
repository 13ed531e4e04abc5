"""Landlock: the kernel's own rule which files this process, and whatever it starts, may reach.

Interface: linux/landlock.h. Each version of it (ABI) can refuse more; what the kernel does not know is left out.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

from . import linux

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every processor
_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FILES_V1 = (1 << 13) - 1
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_TCP = 0b11  # bind, connect
_SCOPED = 0b11  # abstract unix sockets, signals


def version() -> int:
    """Return the kernel's Landlock ABI; 0 where there is none."""
    try:
        return linux.syscall(_CREATE, None, 0, _VERSION)
    except OSError:
        return 0


def restrict(readable: Iterable[str], writable: Iterable[str]) -> int:
    """Allow reading below `readable`, everything below `writable`, and nothing else. Returns the ABI used.

    Needs no_new_privs. Raises OSError where the kernel refuses.
    """
    abi = version()
    if abi == 0:
        raise OSError("this kernel has no Landlock")
    handled = _FILES_V1
    handled |= _REFER if abi >= 2 else 0
    handled |= _TRUNCATE if abi >= 3 else 0
    handled |= _IOCTL_DEV if abi >= 5 else 0
    attributes = struct.pack("=Q", handled)
    if abi >= 4:
        attributes += struct.pack("=Q", _TCP)
    if abi >= 6:
        attributes += struct.pack("=Q", _SCOPED)
    ruleset = linux.syscall(_CREATE, ctypes.c_char_p(attributes), len(attributes), 0)
    try:
        for path in readable:
            _allow(ruleset, path, handled & _READ)
        for path in writable:
            _allow(ruleset, path, handled)
        linux.syscall(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
    return abi


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no rule
    try:
        if not os.path.isdir(path):
            access &= _OF_A_FILE
        rule = struct.pack("=Qi", access, descriptor)
        linux.syscall(_ADD, ruleset, _PATH_BENEATH, ctypes.c_char_p(rule), 0)
    finally:
        os.close(descriptor)
