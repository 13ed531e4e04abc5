"""Submissions that want help from elsewhere: from the zygote, from a friend, from a person."""

from __future__ import annotations

from .case import ATTEMPT, BLANK, FIND_CHILD, Case, answers, in_call

OTHERS = [
    Case(
        "zygote-socket",
        "Sends the zygote's own requests to every socket that it finds open.",
        (
            "import socket\nfor number in range(3, 1024):\n    try:\n"
            '        socket.socket(fileno=number).send(b\'{"op": "fork", "number": 1, "scratch": "/"}\\n\' * 50)\n'
            "    except OSError:\n        continue",
        ),
        0,
        "no inherited descriptors; frames are checked",
        BLANK,
        says=("NotImplementedError",),
    ),
    Case(
        "zygote-object",
        "Looks for the zygote's object in its inherited memory and asks it for another process.",
        (
            ATTEMPT + "import gc\n"
            "zygotes = [found for found in gc.get_objects() if type(found).__name__ == 'Zygote']\n"
            'attempt(\'ask\', lambda: zygotes[0].control.send(b\'{"op": "fork", "number": 1}\\n\'))\n'
            "attempt('wake', lambda: __import__('os').write(zygotes[0].wake, b'x'))",
        ),
        10,
        "closed descriptors",
        refused=("ask", "wake"),
    ),
    Case(
        "other-processes",
        "Lists all processes and reads their environment, command line and memory.",
        (
            ATTEMPT + "import os\nvictims = [@VICTIM@, @GRADER@, os.getppid()]\n"
            "for victim in victims:\n"
            "    for part in ('environ', 'cmdline', 'mem', 'maps', 'root', 'cwd', 'fd'):\n"
            "        path = f'/proc/{victim}/{part}'\n"
            "        attempt(f'read {part}', lambda: os.listdir(path) if os.path.isdir(path) else open(path).read(9))",
        ),
        10,
        "pid and mount namespaces",
        refused=tuple(f"read {part}" for part in ("environ", "cmdline", "mem", "maps", "root", "cwd", "fd")),
        unsaid=("done",),
    ),
    Case(
        "mailbox-written",
        "Leaves an answer for a friend in every folder that it can write to.",
        (
            "import os\nfor folder in ('.', '/tmp', '/var/tmp', '/dev/shm', os.environ['HOME'], '/run'):\n"
            "    try:\n        open(f'{folder}/@MARK@', 'w').write('@MARK@ says @TOKEN@')\n"
            "    except OSError as error:\n        print(error)",
        ),
        10,
        "own scratch, gone with its process",
    ),
    Case(
        "mailbox-read",
        "Looks for what a friend has left.",
        (
            ATTEMPT + "import os\nfor folder in ('.', '/tmp', '/var/tmp', '/dev/shm', os.environ['HOME'], '/run'):\n"
            "    attempt('read', lambda: open(f'{folder}/@MARK@').read())",
        ),
        10,
        "own scratch, gone with its process",
        refused=("read",),
        unsaid=("@TOKEN@", "read: done"),
    ),
]

PERSONS_WANTED = [
    Case(
        "machine-fault-imitated",
        "Raises exceptions named like the grader's own faults to be sent to a person.",
        (
            answers(
                "raise type('MachineFault', (Exception,), {})('out of memory in the grader')",
            ),
        ),
        0,
        "three outcomes: what a student raises is failed",
        BLANK,
        says=("raised MachineFault",),
    ),
    Case(
        "pytest-imitated",
        "Raises pytest's own exceptions: skip, xfail, exit, fail.",
        (
            "import pytest\n"
            "def causal_mask(n):\n    pytest.skip('not on this machine')\n"
            "def causal_attention(Q, K, V):\n    pytest.exit('stop grading', 0)\n"
            "def is_causal(weights):\n    pytest.xfail('known bug of the grader')",
        ),
        0,
        "the process boundary",
        BLANK,
        says=("raised",),
    ),
    Case(
        "error-forged",
        "Answers with frames that say the grader is in error.",
        (FIND_CHILD, answers("send({'op': 'error', 'message': 'the grader is out of memory'})\nreturn None")),
        0,
        "frames are checked",
        BLANK,
        says=("no answer",),
    ),
    Case(
        "zygote-killed",
        "Sends SIGKILL to its parent, to process 1 and to whatever else there is.",
        (
            ATTEMPT + "import os, signal\nfor pid in (os.getppid(), @VICTIM@, @GRADER@):\n"
            "    attempt('kill', lambda: os.kill(pid, signal.SIGKILL) if pid > 1 else 1 / 0)\n"
            "attempt('everybody', lambda: os.kill(-1, signal.SIGKILL))",
        ),
        10,
        "pid namespace",
        refused=("kill", "everybody"),
        unsaid=("kill: done",),
        needs="namespaces",
    ),
    Case(
        "name-that-is-no-text",
        "Gives its process a name that breaks whoever reads the process table.",
        ("import ctypes, time\nctypes.CDLL(None).prctl(15, b'\\xff) R 1 (\\xfe', 0, 0, 0)\ntime.sleep(0.5)",),
        10,
        "the zygote reads bytes",
    ),
    Case(
        "memory-gone-while-answering",
        "Returns what needs all memory to be sent.",
        (
            in_call("return [list(range(10**6))] * 50"),
            "def causal_attention(Q, K, V):\n    return [np.broadcast_to(np.float64(0), (10**6, 10**6))] * 2",
        ),
        2,
        "bounds on values, limits on memory",
    ),
    Case(
        "setup-attacked",
        "Hands in files named like the modules that the student's process might still load.",
        ("import matplotlib.pyplot, json, numpy\nprint(json.__file__)",),
        10,
        "loaded before the student's files are written",
        files=dict.fromkeys(
            ("numpy.py", "json.py", "matplotlib/__init__.py", "IPython.py", "inside.py", "wire.py", "encodings.py"),
            "import os\nos._exit(1)",
        ),
    ),
]

CASES = [*OTHERS, *PERSONS_WANTED]
