"""Submissions that want to stop the process that runs them, and whoever waits for it."""

from __future__ import annotations

from .case import FAILED, Case, in_call

STUBBORN = (
    "import signal\nfor number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):\n"
    "    signal.signal(number, signal.SIG_IGN)\n"
    "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"
)

ENDINGS = [
    Case("exit-in-a-cell", "Calls sys.exit in a cell.", ("import sys\nsys.exit(0)",), 10, "IPython"),
    Case(
        "exit-in-a-call",
        "Calls sys.exit when asked.",
        (in_call("import sys\nsys.exit(0)"),),
        FAILED,
        "the process boundary",
        says=("ended the program (SystemExit)",),
    ),
    Case(
        "hard-exit-in-a-cell",
        "Calls os._exit in a cell, between finished definitions.",
        ("early = 1\nimport os\nos._exit(0)\nlate = 2",),
        10,
        "statements run one by one",
        says=("the statement that did it was left out",),
    ),
    Case(
        "hard-exit-everywhere",
        "Calls os._exit in twenty statements of a cell.",
        ("import os\n" + "os._exit(0)\n" * 20,),
        10,
        "bounded reruns",
        says=("was left out",),
    ),
    Case(
        "hard-exit-in-a-call",
        "Calls os._exit when asked.",
        (in_call("import os\nos._exit(0)"),),
        FAILED,
        "a new process for the next call",
        says=("ended the Python process",),
    ),
    Case("abort", "Calls os.abort in a cell.", ("import os\nos.abort()",), 10, "statements run one by one"),
    Case(
        "segfault",
        "Reads address 0 when asked.",
        (in_call("import ctypes\nctypes.string_at(0)"),),
        FAILED,
        "a new process for the next call",
        says=("ended the Python process",),
    ),
    Case(
        "base-exception",
        "Raises a BaseException in a cell, and one that cannot be printed when asked.",
        (
            "class Evil(BaseException):\n    def __str__(self): raise self\n    __repr__ = __str__",
            in_call("raise Evil()"),
            "raise Evil()",
        ),
        FAILED,
        "the process boundary",
        says=("raised Evil",),
    ),
    Case(
        "exception-without-a-name",
        "Raises an exception whose class refuses to say its name.",
        (
            "class Meta(type):\n    __name__ = property(lambda self: 1 / 0)\n"
            "    __mro__ = property(lambda self: 1 / 0)\nclass Evil(BaseException, metaclass=Meta): pass",
            in_call("raise Evil()"),
        ),
        FAILED,
        "a new process for the next call",
    ),
    Case(
        "stops-itself",
        "Sends SIGSTOP to itself.",
        (in_call("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nsignal.raise_signal(signal.SIGSTOP)"),),
        10,
        "pid namespace (process 1 cannot be stopped from inside)",
        needs="namespaces",
    ),
    Case(
        "descriptors-closed",
        "Closes all descriptors, its channel too.",
        (in_call("import os\nos.closerange(0, 4096)"),),
        FAILED,
        "a new process for the next call",
        says=("ended the Python process",),
    ),
    Case(
        "killed-by-timer",
        "Sets interval timers and alarms that go off all the time.",
        ("import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)",),
        10,
        "pid namespace (process 1 hears no signal that it does not handle)",
        needs="namespaces",
    ),
]

LOOPS = [
    Case(
        "loop-in-a-cell",
        "Loops for ever in a cell.",
        ("while True:\n    pass",),
        10,
        "time limits",
        says=("Code cell",),
    ),
    Case(
        "loop-in-a-call",
        "Loops for ever when asked.",
        (in_call("while True:\n    pass"),),
        FAILED,
        "time limits",
        says=("did not return within 1 seconds",),
    ),
    Case(
        "loop-in-c",
        "Loops for ever in C, where no signal is looked at.",
        (in_call("import itertools\nsum(itertools.repeat(1))"),),
        FAILED,
        "SIGKILL to process 1",
        says=("did not return within 1 seconds",),
    ),
    Case(
        "regular-expression",
        "Tries a regular expression that takes longer than the universe.",
        (in_call("import re\nre.match(r'(a+)+$', 'a' * 64 + 'b')"),),
        FAILED,
        "time limits",
        says=("did not return within 1 seconds",),
    ),
    Case(
        "deaf-to-signals",
        "Ignores SIGINT and SIGTERM and swallows every exception.",
        (in_call(STUBBORN),),
        FAILED,
        "SIGKILL to process 1",
        says=("did not return within 1 seconds",),
    ),
    Case(
        "deaf-in-a-cell",
        "The same in a cell.",
        (STUBBORN,),
        10,
        "SIGKILL to process 1",
        says=("could not be interrupted; the statement that did it was left out",),
    ),
    Case(
        "endless-answer",
        "Drips an answer, one byte at a time.",
        (
            "import gc, time\n"
            + in_call(
                "child = [x for x in gc.get_objects() if type(x).__name__ == 'Child' and hasattr(x, 'nonce')][0]\n"
                "child.channel.send(b'\\0\\0\\1\\0\\0\\0\\0\\0')\nwhile True:\n    child.channel.send(b' ')\n"
                "    time.sleep(0.05)"
            ),
        ),
        FAILED,
        "time limits",
        says=("did not return within 1 seconds",),
    ),
    Case(
        "flood-of-frames",
        "Sends frames with the right nonce without an end.",
        (
            "import gc, json, struct\n"
            + in_call(
                "child = [x for x in gc.get_objects() if type(x).__name__ == 'Child' and hasattr(x, 'nonce')][0]\n"
                "output = {'output_type': 'x', 'a': [[]] * 9999}\n"
                "text = json.dumps({'op': 'output', 'nonce': child.nonce, 'output': output})\n"
                "frame = struct.pack('!II', len(text), 0) + text.encode()\nwhile True:\n"
                "    child.channel.sendall(frame)"
            ),
        ),
        FAILED,
        "time limits",
        says=("did not return within 1 seconds",),
    ),
]

DEPTHS = [
    Case(
        "recursion-in-a-call",
        "Calls itself without an end.",
        ("def is_causal(weights):\n    return is_causal(weights)",),
        FAILED,
        "the process boundary",
        says=("RecursionError",),
    ),
    Case(
        "recursion-unlimited",
        "Lifts Python's limit and calls itself without an end.",
        (in_call("import sys\nsys.setrecursionlimit(10**9)\ndef f(x): return f([x])\nf(1)"),),
        FAILED,
        "a new process for the next call",
        says=("is_causal",),
    ),
    Case(
        "recursion-in-a-value",
        "Returns a list that holds itself, and one nested 100,000 deep.",
        (
            "deep = []\nfor _ in range(100_000):\n    deep = [deep]\nitself = []\nitself.append(itself)\n"
            "def causal_attention(Q, K, V):\n    return itself\n" + in_call("return deep"),
        ),
        2,
        "bounds on values",
    ),
    Case(
        "source-nested",
        "Evaluates source that is nested too deeply, and hands in a cell that is.",
        ("eval('(' * 10**5 + ')' * 10**5)", "x = " + "(" * 3000 + "1" + ")" * 3000),
        10,
        "IPython",
    ),
    Case(
        "source-too-long",
        "Hands in a cell of 5 MB.",
        ("x = '" + "a" * 5_000_000 + "'",),
        10,
        "bounds on frames",
    ),
]

CASES = [*ENDINGS, *LOOPS, *DEPTHS]
