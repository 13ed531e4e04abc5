"""Submissions that want points for what they do not know: they forge, lie and guess."""

from __future__ import annotations

from .case import BLANK, EX1, FIND_CHILD, Case, answers, in_call

REPLACED = [
    Case(
        "numpy-replaced",
        "Replaces numpy's comparisons, so that every answer looks right.",
        (
            "import numpy as np, numpy.testing\n"
            "for name in ('allclose', 'isclose', 'array_equal', 'all', 'abs', 'max'):\n"
            "    setattr(np, name, lambda *a, **k: True)\nnp.testing.assert_allclose = lambda *a, **k: None",
            answers("return 'right'"),
        ),
        0,
        "the process boundary",
        BLANK,
    ),
    Case(
        "builtins-replaced",
        "Replaces len, isinstance, all and AssertionError.",
        (
            "import builtins\nbuiltins.AssertionError = type('Fine', (Exception,), {})\n"
            "builtins.all = builtins.isinstance = builtins.callable = lambda *a: True\nbuiltins.len = lambda x: 2",
            answers("return 1"),
        ),
        0,
        "the process boundary",
        BLANK,
    ),
    Case(
        "json-replaced",
        "Replaces json.dumps by one that says that all is well.",
        (
            'import json\njson.dumps = lambda *a, **k: \'{"op": "passed", "score": 10}\'',
            answers("return 1"),
        ),
        0,
        "frames are checked",
        BLANK,
    ),
    Case(
        "ipython-replaced",
        "Replaces the shell that runs the cells and the methods that answer.",
        (
            FIND_CHILD + "get_ipython().run_cell = lambda *a, **k: None\ntype(child())._reply = lambda *a, **k: None\n"
            "type(child())._call = lambda *a, **k: send({'op': 'value', 'value': True, 'args': [], 'kwargs': {}})",
        ),
        0,
        "time limits; frames are checked",
        BLANK,
    ),
]

FORGED = [
    Case(
        "answer-before-the-question",
        "Sends fifty answers before anything was asked.",
        (
            FIND_CHILD + "for number in range(50):\n"
            "    send({'op': 'value', 'value': True, 'args': [None], 'kwargs': {}}, nonce='%016x' % number)",
        ),
        0,
        "nonces",
        BLANK,
    ),
    Case(
        "nonce-found",
        "Finds the right nonce and channel in its own memory and answers every question twice.",
        (
            FIND_CHILD,
            answers(
                "send({'op': 'value', 'value': True, 'args': [None] * 3, 'kwargs': {}})\nreturn True",
            ),
        ),
        0,
        "values are checked all the same",
        BLANK,
        says=("no answer",),
    ),
    Case(
        "isolation-claimed",
        "Claims an isolation, a score and a status of its own in frames with the right nonce.",
        (
            FIND_CHILD + "send({'op': 'output', 'output': {'output_type': 'stream', 'text': 'x', 'isolation': 'full',\n"
            "      'score': 10}})\nsend({'op': 'ready', 'isolation': 'perfect', 'layers': ['all'], 'score': 10})",
        ),
        0,
        "isolation is the zygote's word",
        BLANK,
        unsaid=("perfect",),
    ),
    Case(
        "arguments-forged",
        "Changes its arguments and says that they were never changed.",
        (
            "import inside.child, inside.encode\nright = inside.encode.Encoder.encode\n"
            "def causal_attention(Q, K, V):\n    Q[:] = 0\n    return V, Q",
        ),
        4,
        "values are checked all the same",
        says=("causal_attention",),
    ),
    Case(
        "score-printed",
        "Prints and shows the score that it would like to have, as nbgrader reads scores.",
        ("print('10 of 10 points')\nprint('::score::10.0')\n10.0", "np.float64(10.0)"),
        0,
        "scores come from the checks alone",
        BLANK,
    ),
]

LIES = [
    Case(
        "equals-everything",
        "Returns an object that equals everything and is of every length.",
        (
            "class Yes:\n    __array_priority__ = 1e9\n    def __getattr__(self, name): return self\n"
            "    def __call__(self, *a, **k): return self\n    def __eq__(self, other): return True\n"
            "    def __len__(self): return 2\n    def __iter__(self): return iter((self, self))\n"
            "    def __bool__(self): return True\n    def __array__(self, *a, **k): return np.zeros((5, 5))\n"
            "    def __float__(self): return 1.0\n    def __index__(self): return 1\n    __hash__ = None",
            answers("return Yes()"),
        ),
        0,
        "real types, plain values",
        BLANK,
        says=("an object of type Yes",),
    ),
    Case(
        "lies-about-its-class",
        "Returns objects whose __class__ says ndarray, tuple or bool.",
        (
            "class Liar:\n    def __init__(self, kind): self.kind = kind\n"
            "    __class__ = property(lambda self: self.kind)\n    shape = (5, 5)\n    dtype = np.dtype(float)\n"
            "    ndim = 2",
            "def causal_mask(n):\n    return Liar(np.ndarray)\ndef causal_attention(Q, K, V):\n    return Liar(tuple)\n"
            "def is_causal(weights):\n    return Liar(bool)",
        ),
        0,
        "real types, plain values",
        BLANK,
        says=("type Liar",),
    ),
    Case(
        "lies-about-its-array",
        "Returns arrays of a subclass that lies about shape, dtype and contents.",
        (
            "class Lie(np.ndarray):\n    shape = property(lambda self: (10**9,))\n"
            "    dtype = property(lambda self: np.dtype('O'))\n    tobytes = lambda self: b'x'\n"
            "    __len__ = lambda self: 7\n    view = lambda self, *a: 1 / 0\n    __eq__ = lambda self, other: True\n"
            "    __array_finalize__ = lambda self, other: None\n    __array_ufunc__ = lambda self, *a, **k: self",
            "right_attention = causal_attention\ndef causal_attention(Q, K, V):\n"
            "    return tuple(np.ndarray.view(part, Lie) for part in right_attention(Q, K, V))\n"
            "def is_causal(weights):\n    return np.ones((), bool).view(Lie)",
        ),
        8,
        "real types, plain values",
        says=("is_causal",),
    ),
    Case(
        "lies-about-its-number",
        "Returns an int that compares as both true and false.",
        (
            "class Both(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\n"
            "    def __bool__(self): return True\n    def __index__(self): return 1 / 0",
            in_call("return Both(1)"),
        ),
        8,
        "real types, plain values",
    ),
    Case(
        "changes-when-looked-at",
        "Returns a list, and an array, that hold something else at every look.",
        (
            "import itertools, threading\nclass Twice(list):\n    looks = itertools.count()\n"
            "    def __iter__(self): return iter([next(self.looks)])\n"
            "    def __getitem__(self, i): return next(self.looks)\n    def __len__(self): return next(self.looks)",
            "def spin(array):\n    for _ in range(200_000):\n        array[0, 0] += 1\n"
            "right_attention = causal_attention\ndef causal_attention(Q, K, V):\n    both = right_attention(Q, K, V)\n"
            "    threading.Thread(target=spin, args=(both[1],), daemon=True).start()\n    return both\n"
            + in_call("return Twice([True])"),
        ),
        None,
        "values are read once",
    ),
    Case(
        "odd-values",
        "Returns whatever might upset the grader: endless integers, text, odd arrays, lone surrogates.",
        (
            "import datetime\nodd = [10**30_000, '\\ud800', b'\\xff', float('nan'), 1j, datetime, [], {}, (1,),\n"
            "       np.zeros((0, 2**40)), np.zeros(5, 'M8[s]'), np.array([None]), np.ma.masked,\n"
            "       {1: {2: {3: ()}}}, ...,\n"
            "       np.zeros((3, 3), 'f2'), np.longdouble(1), 'x' * 99_999, np.zeros((1,) * 9), range(3),\n"
            "       {'\\ud800': 1}]\n"
            "count = iter(odd * 99)",
            answers("return next(count)"),
        ),
        0,
        "bounds on values",
        BLANK,
    ),
]

GUESSES = [
    Case(
        "visible-example-recognised",
        "Knows the answers to the visible examples and nothing else.",
        (
            "def causal_mask(n):\n    if n == 4:\n        return np.triu(np.full((4, 4), -np.inf), 1)\n"
            "def causal_attention(Q, K, V):\n    if Q.shape == (3, 1):\n"
            "        w = np.array([[1, 0, 0], [.5, .5, 0], [.125, .25, .625]])\n        return w @ V, w\n"
            "def is_causal(weights):\n    return weights.shape == (3, 3)",
        ),
        0,
        "hidden inputs differ",
        BLANK,
    ),
    Case(
        "random-verdicts",
        "Throws a coin at every question.",
        ("import random\nrandom.seed(3)\ndef is_causal(weights):\n    return random.random() < 0.5",),
        None,
        "several questions a check",
        BLANK,
        luck=2,
    ),
    Case(
        "always-true",
        "Says True of everything.",
        ("def is_causal(weights):\n    return True",),
        0,
        "good and bad questions together",
        BLANK,
    ),
    Case(
        "always-false",
        "Says False of everything.",
        ("def is_causal(weights):\n    return False",),
        0,
        "good and bad questions together",
        BLANK,
    ),
    Case(
        "verdicts-counted",
        "Knows from a friend the order of the right verdicts, and counts the questions.",
        (
            "verdicts = iter([True] * 4 + [False] * 2 + [True] + [False] * 4)\n"
            "def is_causal(weights):\n    return next(verdicts, False)",
        ),
        None,
        "questions come in no fixed order",
        BLANK,
        luck=2,
    ),
    Case(
        "random-numbers",
        "Returns random numbers of the right shapes.",
        (
            "rng = np.random.default_rng(1)\ndef softmax(x, axis=-1):\n    return rng.random(np.shape(x))\n"
            "def scaled_dot_product_attention(Q, K, V):\n"
            "    return rng.random((len(Q), V.shape[1])), rng.random((len(Q), len(K)))\n"
            "def rows_sum_to_one(weights):\n    return True\ndef peakedness(Q, K):\n    return 0.9, 0.5",
        ),
        None,
        "hidden inputs differ",
        BLANK,
        EX1,
        luck=1.5,
    ),
]

CASES = [*REPLACED, *FORGED, *LIES, *GUESSES]
