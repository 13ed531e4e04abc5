"""Submissions that want to fill the machine that grades them: with processes, memory, files and output."""

from __future__ import annotations

from .case import ATTEMPT, FAILED, Case, in_call

PROCESSES = [
    Case(
        "fork-bomb",
        "Forks, and its children fork.",
        (
            "import os, time\ndef bomb():\n    for number in range(9):\n        try:\n            os.fork()\n"
            "        except OSError:\n            break\n    time.sleep(30)\nbomb()",
        ),
        10,
        "limit on processes, the zygote's watch",
        says=("Code cell",),
    ),
    Case(
        "fork-bomb-in-the-shell",
        "Starts processes that leave their parent and start more of their kind.",
        (
            "!n=0; while [ $n -lt 200 ]; do n=$((n+1)); "
            "(setsid sh -c 'setsid sleep 98765.4321 & sleep 98765.4321 &' &) ; "
            "done 2>/dev/null",
        ),
        10,
        "limit on processes; the pid namespace ends with process 1",
        needs="namespaces",
    ),
    Case(
        "threads-left",
        "Leaves threads that print and write to the channel.",
        (
            "import threading, time, os\ndef noise():\n    while True:\n        print('noise' * 99)\n"
            "        os.write(1, b'noise')\n        time.sleep(0.01)\n"
            "for number in range(8):\n    threading.Thread(target=noise, daemon=number % 2 == 0).start()",
        ),
        10,
        "outputs belong to cells",
    ),
    Case(
        "grandchildren-left",
        "Leaves grandchildren in sessions of their own that ignore all signals.",
        (
            "import os, signal, subprocess\nfor number in range(3):\n    if os.fork() == 0:\n        os.setsid()\n"
            "        if os.fork() == 0:\n            for s in range(1, 32):\n                try:\n"
            "                    signal.signal(s, signal.SIG_IGN)\n                except (OSError, ValueError):\n"
            "                    pass\n            os.execvp('sleep', ['sleep', '98765.4321'])\n        os._exit(0)\n"
            "subprocess.Popen('nohup setsid sleep 98765.4321 &', shell=True)",
        ),
        10,
        "the pid namespace ends with process 1",
    ),
    Case(
        "daemon-holds-the-channel",
        "Leaves a daemon that keeps channel and pipes open, and ends.",
        (
            in_call(
                "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
                "        time.sleep(98765)\n    os._exit(0)\nos._exit(0)"
            ),
        ),
        FAILED,
        "the pid namespace ends with process 1",
    ),
    Case(
        "forgotten-fork",
        "Forks when asked, and lets both processes answer.",
        (in_call("import os\nos.fork()"),),
        10,
        "only one process answers",
    ),
]

FILLED = [
    Case(
        "memory-in-a-call",
        "Grows a list without an end when asked.",
        (in_call("kept = []\nwhile True:\n    kept.append(bytearray(2**24))"),),
        FAILED,
        "limit on memory",
        says=("memory",),
    ),
    Case(
        "memory-at-once",
        "Asks for a terabyte.",
        (in_call("np.ones(2**37)"),),
        FAILED,
        "limit on memory",
        says=("asked for more memory than there is",),
    ),
    Case(
        "memory-of-many",
        "Starts six processes that use 300 MB each.",
        (
            "import os, time\ndef fill():\n    for number in range(6):\n        if os.fork() == 0:\n"
            "            kept = bytearray(300 * 2**20)\n            kept[::4096] = b'x' * len(kept[::4096])\n"
            "            time.sleep(30)\n    time.sleep(1.9)\nfill()",
        ),
        10,
        "the zygote's watch",
        says=("used more than 512 MB of memory; the statement that did it was left out",),
    ),
    Case(
        "memory-of-strays",
        "The same in processes that have left their parent, with others that end all the time beside them.",
        (
            "import os, time\ndef fill():\n    for number in range(6):\n        if os.fork() == 0:\n"
            "            os.setsid()\n"
            "            if os.fork():\n                os._exit(0)\n            kept = bytearray(300 * 2**20)\n"
            "            kept[::4096] = b'x' * len(kept[::4096])\n            time.sleep(30)\n"
            "    for number in range(40):\n        if os.fork() == 0:\n            if os.fork():\n"
            "                os._exit(0)\n"
            "            time.sleep(0.05)\n            os._exit(0)\n        time.sleep(0.04)\nfill()",
        ),
        10,
        "the zygote's watch",
        says=("memory",),
    ),
    Case(
        "memory-shared",
        "Fills anonymous shared memory.",
        (
            in_call(
                "import mmap\nkept = []\nwhile True:\n    kept.append(mmap.mmap(-1, 2**24))\n"
                "    kept[-1][::2**16] = b'x' * len(kept[-1][::2**16])"
            ),
        ),
        FAILED,
        "limit on memory",
        says=("raised OSError: [Errno 12]",),
    ),
    Case(
        "memory-in-files-without-names",
        "Fills memfds and System V shared memory.",
        (
            ATTEMPT + "import os, ctypes\nattempt('memfd', lambda: os.memfd_create('x'))\n"
            "libc = ctypes.CDLL(None)\nattempt('shm', lambda: 1 / (libc.shmget(0, 2**20, 0o1600) + 1))",
        ),
        10,
        "seccomp",
        refused=("memfd", "shm"),
    ),
    Case(
        "disk-one-file",
        "Writes one file of 200 MB.",
        (
            ATTEMPT + "def fill():\n    with open('big', 'wb') as file:\n        for _ in range(200):\n"
            "            file.write(bytes(2**20))\nattempt('fill', fill)",
        ),
        10,
        "size-limited scratch, RLIMIT_FSIZE",
        refused=("fill",),
    ),
    Case(
        "disk-many-files",
        "Writes 5,000 files, and 200 MB in twenty of them.",
        (
            ATTEMPT + "def many():\n    for number in range(5000):\n        open(f'f{number}', 'w').close()\n"
            "def large():\n    for number in range(20):\n        open(f'l{number}', 'wb').write(bytes(10 * 2**20))\n"
            "attempt('large', large)\nattempt('many', many)",
        ),
        10,
        "size-limited scratch",
        refused=("large", "many"),
        needs="namespaces",
    ),
    Case(
        "disk-elsewhere",
        "Writes to /dev/shm, /tmp, the libraries and the root.",
        (
            ATTEMPT + "import os, sys, numpy\n"
            "def shm():\n    with open('/dev/shm/@MARK@', 'wb') as file:\n        for _ in range(100):\n"
            "            file.write(bytes(2**20))\nattempt('shm', shm)\n"
            "for path in ('/@MARK@', '/usr/@MARK@', '/var/tmp/@MARK@', numpy.__path__[0] + '/@MARK@',\n"
            "             sys.prefix + '/@MARK@', '@OUTSIDE@/@MARK@', '/dev/@MARK@'):\n"
            "    attempt('write', lambda: open(path, 'w').write('x'))\n"
            "attempt('append', lambda: open(numpy.__file__, 'a').close())",
        ),
        10,
        "read-only views, Landlock",
        refused=("shm", "write", "append"),
        unsaid=("write: done", "append: done"),
    ),
    Case(
        "descriptors-used-up",
        "Opens files and pipes until there are no more.",
        (in_call("import os\nkept = []\nwhile True:\n    kept.append(os.pipe())"),),
        FAILED,
        "limit on open files",
        says=("Too many open files",),
    ),
    Case(
        "prints-one-long-line",
        "Prints 400 MB in one line.",
        ("for _ in range(4):\n    print('x' * 10**8, end='')",),
        10,
        "outputs are cut",
    ),
    Case(
        "prints-without-end",
        "Prints lines without an end.",
        ("while True:\n    print('all work and no play')",),
        10,
        "time limits, outputs are cut",
        says=("Code cell",),
    ),
    Case(
        "writes-to-descriptor-1",
        "Writes to descriptor 1 without an end.",
        ("import os\nblock = b'\\xff' * 2**16\nwhile True:\n    os.write(1, block)",),
        10,
        "pipes are drained and cut",
        says=("Code cell",),
    ),
    Case("yes", "Runs !yes.", ("!yes",), 10, "time limits, outputs are cut", says=("Code cell",)),
    Case(
        "shows-without-end",
        "Shows 20,000 rich outputs with large and deeply nested metadata.",
        (
            "from IPython.display import publish_display_data\nnested = []\nfor _ in range(50):\n"
            "    nested = [nested]\n"
            "for _ in range(20_000):\n"
            "    publish_display_data({'text/plain': 'x', 'text/html': 'y' * 999}, {'a': {'b': nested}})",
        ),
        10,
        "outputs are cut",
    ),
]

CASES = [*PROCESSES, *FILLED]
