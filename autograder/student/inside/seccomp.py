"""seccomp: system calls that student code has no use for are refused with "not permitted".

What stays open to a process that is otherwise confined: new namespaces and mounts, sockets of any family (vsock
belongs to no namespace), the kernel's keyrings, memory that no limit counts, and other processes' memory. Numbers
are from the kernel's unistd.h; a machine that is not listed gets no filter, and says so.
"""

from __future__ import annotations

import ctypes
import struct

from . import linux

# name -> (x86_64, aarch64)
_REFUSED = {
    "socket": (41, 198),
    "ptrace": (101, 117),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "swapon": (167, 224),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "setns": (308, 268),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "memfd_create": (319, 279),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "pidfd_getfd": (438, 438),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "syslog": (103, 116),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
}
# refused only where nothing else protects other people's files: the calls that Landlock does not know
_ON_FILES = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
_MACHINES = {"x86_64": (0, 0xC000003E, 56, 435), "aarch64": (1, 0xC00000B7, 220, 435)}

_LOAD, _EQUAL, _AT_LEAST, _SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag that clone(2) takes
_FILTER = 2


def available() -> bool:
    """Whether this processor is one of those that the filter is written for."""
    return linux.machine() in _MACHINES


def refuse(files_too: bool) -> None:
    """Install the filter for this process and whatever it starts. Needs no_new_privs. Raises OSError."""
    column, architecture, clone, clone3 = _MACHINES[linux.machine()]
    table = {**_REFUSED, **_ON_FILES} if files_too else _REFUSED
    numbers = sorted({number for row in table.values() if (number := row[column]) is not None})
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL)]
    program += [(_LOAD, 0, 0, 0)]
    if column == 0:  # the x32 variant of a call has another number
        program += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERRNO | _ENOSYS)]
    for number in numbers:
        program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | _EPERM)]
    # clone3 hides its flags behind a pointer: libc falls back to clone, whose flags can be seen
    program += [(_EQUAL, 0, 1, clone3), (_RETURN, 0, 0, _ERRNO | _ENOSYS)]
    program += [(_EQUAL, 0, 3, clone), (_LOAD, 0, 0, 16), (_SET, 0, 1, _NEW_NAMESPACES)]
    program += [(_RETURN, 0, 0, _ERRNO | _EPERM), (_RETURN, 0, 0, _ALLOW)]
    code = b"".join(struct.pack("=HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(code)
    filter_program = struct.pack("HL", len(program), ctypes.addressof(buffer))
    held = ctypes.create_string_buffer(filter_program)
    linux.prctl(linux.PR_SET_SECCOMP, _FILTER, ctypes.addressof(held))
