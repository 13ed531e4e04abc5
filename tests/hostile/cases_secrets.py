"""Submissions that want to see what is hidden, or to carry it out."""

from __future__ import annotations

from .case import ATTEMPT, BLANK, Case, answers, in_call

SECRETS_OUT = [
    Case(
        "inputs-in-exception-text",
        "Raises an exception whose text is the hidden input in hexadecimal digits.",
        (in_call("raise ValueError('LEAK ' + weights.tobytes().hex())"),),
        8,
        "the message's bounds",
        says=("raised ValueError",),
        unsaid=(r"[0-9a-f]{24}",),
    ),
    Case(
        "inputs-in-many-numbers",
        "Raises an exception whose text is the hidden input, three decimals each.",
        (in_call("raise ValueError(' '.join(f'{x:.3f}' for x in weights.ravel()))"),),
        8,
        "the message's bounds",
        unsaid=(r"(-?\d+\.\d{3} ){9}",),
    ),
    Case(
        "inputs-in-class-names",
        "Raises an exception, and becomes an object, whose class is named after the hidden input.",
        (
            in_call("raise type('E' + weights.tobytes().hex()[:60], (Exception,), {})"),
            "def causal_attention(Q, K, V):\n    name = 'Z' + Q.tobytes().hex()\n"
            "    get_ipython().user_ns['causal_attention'] = type(name, (), {})()\n    return type(name, (), {})()",
        ),
        2,
        "the message's bounds",
        unsaid=(r"[0-9a-f]{24}",),
    ),
    Case(
        "inputs-in-the-traceback",
        "Puts the hidden input into the line of source that a message shows.",
        (
            "import linecache\n"
            + in_call(
                "source = 'raise ValueError(1)  # ' + weights.tobytes().hex()[:90]\n"
                "name = '<ipython-input-99-@MARK@>'\n"
                "linecache.cache[name] = (len(source), None, [source], name)\n"
                "exec(compile(source, name, 'exec'))"
            ),
        ),
        8,
        "lines are shown only where the notebook has them",
        says=("raised ValueError",),
        unsaid=(r"[0-9a-f]{24}",),
    ),
    Case(
        "inputs-printed",
        "Prints the hidden inputs while it is asked, in every way there is.",
        (
            in_call(
                "import os, sys\nprint('LEAK', weights)\nprint('LEAK', weights, file=sys.stderr)\n"
                "os.write(1, b'LEAK' + repr(weights).encode())\nos.write(2, b'LEAK')\n"
                "display('LEAK', weights)\nos.system('echo LEAK')\nget_ipython().system('echo LEAK')\n"
                "import warnings, logging\nwarnings.warn('LEAK')\nlogging.error('LEAK')"
            ),
        ),
        10,
        "outputs belong to cells",
        unsaid=("LEAK[^')\\\\]",),
    ),
    Case(
        "inputs-kept-for-the-next-run",
        "Writes the hidden inputs to disk, ends its process, and prints them when the notebook is run again.",
        (
            "import os\nfor folder in ('.', '/tmp', '/dev/shm'):\n    try:\n"
            "        print('FOUND', open(f'{folder}/kept').read())\n    except OSError:\n        pass",
            in_call(
                "import os\nfor folder in ('.', '/tmp', '/dev/shm'):\n    try:\n"
                "        open(f'{folder}/kept', 'w').write(repr(weights))\n    except OSError:\n        pass\n"
                "os._exit(1)"
            ),
        ),
        8,
        "own scratch, gone with its process",
        says=("ended the Python process",),
        unsaid=("FOUND [^'{]",),
    ),
]

READING = [
    Case(
        "secrets-read",
        "Reads the gradebook, other submissions, home folders and passwords, where their path is known.",
        (
            ATTEMPT + "import os\n"
            "for path in ('@SECRET@', '@OUTSIDE@/gradebook.db', '@OUTSIDE@/submitted/s02/answer.py',\n"
            "             '@HOME@/.bashrc',\n"
            "             '/etc/shadow', '/etc/passwd'):\n"
            "    attempt('read', lambda: open(path).read())\n"
            "attempt('list', lambda: os.listdir('@OUTSIDE@'))\n"
            "os.symlink('@SECRET@', 'link')\nattempt('link', lambda: open('link').read())\n"
            "attempt('copy', lambda: os.link('@SECRET@', 'hard'))",
        ),
        10,
        "mount namespace, Landlock",
        refused=("read", "list", "link", "copy"),
        unsaid=("@TOKEN@", "done"),
    ),
    Case(
        "graders-read",
        "Looks for the hidden checks, the reference answers and source/ everywhere.",
        (
            ATTEMPT + "import os\n"
            "for path in ('autograder/graders/reference.py', 'source', 'course_config.py', 'autograder'):\n"
            "    attempt('open', lambda: os.stat('@ROOT@/' + path))\n"
            "seen = 0\nfor folder, folders, files in os.walk('/'):\n"
            "    folders[:] = [f for f in folders if f not in ('lib', 'lib64', 'proc', 'usr', 'sys')]\n"
            "    seen += 1\n    for name in files:\n"
            "        if name in ('reference.py', 'course_config.py', 'test_leakage.py') or name.endswith('.ipynb'):\n"
            "            print('FOUND' + ' ' + os.path.join(folder, name))\n    if seen > 3000:\n        break",
        ),
        10,
        "mount namespace, Landlock",
        refused=("open",),
        unsaid=("FOUND ", "open: done"),
    ),
    Case(
        "kit-imported",
        "Imports the kit, also after putting folders on the path.",
        (
            ATTEMPT + "import sys, importlib\nsys.path[:0] = ['@ROOT@', '/inside', '/']\n"
            "for name in ('autograder', 'autograder.graders.reference', 'autograder.grading.batch'):\n"
            "    attempt('import', lambda: importlib.import_module(name))\n"
            "from importlib.metadata import distribution\n"
            "attempt('files', lambda: [open(f.locate()).read() for f in distribution('attention-course').files\n"
            "                          if 'graders' in str(f)][0])",
        ),
        10,
        "hidden folders",
        refused=("import", "files"),
        unsaid=("done",),
    ),
    Case(
        "memory-searched",
        "Walks sys.modules, the garbage collector and all frames for anything of the graders.",
        (
            "import gc, re, sys\nwanted = re.compile('attention-course-canary-[0-9a-f]{16}')\n"
            "def search():\n"
            "    found = [name for name in sys.modules if name.split('.')[0] in ('autograder', 'nbgrader')]\n"
            "    for thing in gc.get_objects():\n"
            "        try:\n            parts = list(thing.values()) if type(thing) is dict else \\\n"
            "                list(thing) if type(thing) in (list, tuple) else []\n"
            "            found += [part for part in parts if type(part) is str and wanted.search(part)]\n"
            "        except Exception:\n            pass\n    return found\n"
            "print('FOUND', len(search()))",
            in_call("found = search()\nif found:\n    raise ValueError('FOUND in call ' + str(found))"),
        ),
        10,
        "a zygote that was started, not forked from the grader",
        done=(),
        unsaid=(r"FOUND [1-9]", "FOUND in"),
    ),
    Case(
        "frames-walked",
        "Looks for the expected answer in the frames above its own call.",
        (
            answers(
                "frame = sys._getframe(1)\nwhile frame is not None:\n"
                "    for name, value in frame.f_locals.items():\n"
                "        if name in ('expected', 'want', 'reference', 'good', 'bad', 'probe', 'answer'):\n"
                "            return value\n    frame = frame.f_back\nreturn None",
                "import sys",
            ),
        ),
        0,
        "the process boundary",
        BLANK,
    ),
    Case(
        "environment-read",
        "Reads the environment and the command line that it was started with.",
        (
            "import os, sys\nprint(dict(os.environ), sys.argv)\n"
            "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.getenv.restype = ctypes.c_char_p\n"
            "print(libc.getenv(b'@MARK@'), libc.getenv(b'USER'), libc.getenv(b'PYTEST_CURRENT_TEST'))",
        ),
        10,
        "an environment made from nothing",
        unsaid=("PYTEST", "USER'", "VIRTUAL_ENV", "@ROOT@/"),
    ),
]

CASES = [*SECRETS_OUT, *READING]
