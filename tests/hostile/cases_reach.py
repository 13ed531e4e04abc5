"""Submissions that reach for what is not theirs: the network, files, processes, the kernel."""

from __future__ import annotations

from .case import ATTEMPT, SYSCALL, Case

NETWORK = [
    Case(
        "network",
        "Connects to a server on this machine by TCP, a unix socket, an abstract name and vsock.",
        (
            ATTEMPT + "import socket\ndef connect(family, address):\n    with socket.socket(family) as s:\n"
            "        s.settimeout(0.5)\n        s.connect(address)\n        s.send(b'hello')\n"
            "attempt('tcp', lambda: connect(socket.AF_INET, ('127.0.0.1', @PORT@)))\n"
            "attempt('unix', lambda: connect(socket.AF_UNIX, '@SOCKET@'))\n"
            "attempt('abstract', lambda: connect(socket.AF_UNIX, '\\0@MARK@'))\n"
            "attempt('vsock', lambda: connect(40, (2, 1024)))\n"
            "attempt('raw', lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))\n"
            "attempt('netlink', lambda: socket.socket(16, socket.SOCK_RAW))\n"
            "import urllib.request\n"
            "attempt('http', lambda: urllib.request.urlopen('http://127.0.0.1:@PORT@', timeout=0.5))",
        ),
        10,
        "network namespace, seccomp",
        refused=("tcp", "unix", "abstract", "vsock", "raw", "netlink", "http"),
        unsaid=("done",),
    ),
]

OTHERS_THINGS = [
    Case(
        "files-changed",
        "Changes mode, times, owner, attributes, length and name of a file that anybody may write to.",
        (
            ATTEMPT + "import os\nfor path in ('@SECRET@', '@OUTSIDE@'):\n"
            "    attempt('chmod', lambda: os.chmod(path, 0o777))\n"
            "    attempt('utime', lambda: os.utime(path, (0, 0)))\n"
            "    attempt('chown', lambda: os.chown(path, os.getuid(), os.getgid()))\n"
            "    attempt('xattr', lambda: os.setxattr(path, 'user.mark', b'x'))\n"
            "    attempt('truncate', lambda: os.truncate(path, 0))\n"
            "    attempt('rename', lambda: os.rename(path, path + '.away'))\n"
            "    attempt('remove', lambda: os.remove(path))",
        ),
        10,
        "mount namespace, Landlock, seccomp",
        refused=("chmod", "utime", "chown", "xattr", "truncate", "rename", "remove"),
        unsaid=("done",),
    ),
    Case(
        "keyring",
        "Leaves a key in the kernel's keyrings.",
        (
            SYSCALL
            + "attempt('add', lambda: call(248, 0, 0, 0, 0, -3))\nattempt('control', lambda: call(250, 0, -3, 1))",
        ),
        10,
        "seccomp",
        refused=("add", "control"),
    ),
    Case(
        "others-disturbed",
        "Changes limits, priority and processors of other processes, and signals one through a descriptor.",
        (
            ATTEMPT + "import os, resource, signal\nfor pid in (@VICTIM@, @GRADER@):\n"
            "    attempt('limits', lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3)))\n"
            "    attempt('priority', lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))\n"
            "    attempt('processors', lambda: os.sched_setaffinity(pid, {0}))\n"
            "    attempt('signal', lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGTERM))",
        ),
        10,
        "pid namespace",
        refused=("limits", "priority", "processors", "signal"),
        unsaid=("done",),
        needs="namespaces",
    ),
    Case(
        "ptrace",
        "Attaches to another process, and reads and writes its memory.",
        (
            SYSCALL + "attempt('attach', lambda: call(101, 16, @VICTIM@, 0, 0))\n"
            "attempt('seize', lambda: call(101, 0x4206, @VICTIM@, 0, 0))\n"
            "attempt('read', lambda: call(310, @VICTIM@, 0, 0, 0, 0, 0))\n"
            "attempt('write', lambda: call(311, @VICTIM@, 0, 0, 0, 0, 0))\n"
            "attempt('getfd', lambda: call(438, 0, 0, 0))",
        ),
        10,
        "pid namespace, seccomp",
        refused=("attach", "seize", "read", "write", "getfd"),
    ),
    Case(
        "mounts",
        "Mounts, unmounts, changes the root, in its own or in a new namespace.",
        (
            SYSCALL + "attempt('mount', lambda: 1 / (libc.mount(b'x', b'/tmp', b'tmpfs', 0, None) + 1))\n"
            "attempt('unmount', lambda: 1 / (libc.umount2(b'/proc', 2) + 1))\n"
            "attempt('chroot', lambda: os.chroot('.'))\n"
            "for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000):\n"
            "    attempt('unshare', lambda: call(272, flag))\n"
            "def clone():\n    pid = libc.syscall(ctypes.c_long(56), ctypes.c_long(0x10000000 | 17), 0, 0, 0, 0)\n"
            "    if pid == 0:\n        os._exit(0)\n    if pid < 0:\n        raise PermissionError\n"
            "attempt('clone', clone)\n"
            "attempt('fsopen', lambda: call(430, 0, 0))\nattempt('shell', lambda: os.stat('/@MARK@'))",
        ),
        10,
        "no capabilities, seccomp",
        refused=("mount", "unmount", "chroot", "unshare", "clone", "fsopen"),
        unsaid=("done",),
    ),
    Case(
        "root-wanted",
        "Asks for root by setuid, capabilities and set-user-id programs.",
        (
            SYSCALL + "for _ in (1,):\n    attempt('setuid', lambda: os.setuid(12345))\n"
            "    attempt('groups', lambda: os.setgroups([0]))\n"
            "    attempt('device', lambda: os.mknod('disk', 0o60600, 2049))\n    attempt('nice', lambda: os.nice(-5))\n"
            "    attempt('hostname', lambda: 1 / (libc.sethostname(b'x', 1) + 1))\n"
            "import subprocess\n"
            "attempt('su', lambda: subprocess.run(['su', '-c', 'id'], check=True, capture_output=True))",
        ),
        10,
        "no capabilities, no new privileges",
        refused=("setuid", "groups", "device", "nice", "hostname", "su"),
        unsaid=("done",),
    ),
    Case(
        "kernel-corners",
        "Opens bpf, perf events, userfaultfd, io_uring, and reads the kernel's log.",
        (
            SYSCALL + "for name, number in (('bpf', 321), ('perf', 298), ('fault', 323), ('ring', 425)):\n"
            "    attempt(name, lambda: call(number, 0, 0, 0, 0, 0))\n"
            "attempt('log', lambda: 1 / (libc.klogctl(3, ctypes.create_string_buffer(9), 9) + 1))",
        ),
        10,
        "seccomp",
        refused=("bpf", "perf", "fault", "ring", "log"),
    ),
]

CASES = [*NETWORK, *OTHERS_THINGS]
