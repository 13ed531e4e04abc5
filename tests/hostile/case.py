"""One hostile submission as data."""

from __future__ import annotations

from dataclasses import dataclass, field

EX1, EX2 = "ex1-scaled-dot-product", "ex2-causal-masking"
RIGHT, BLANK = "right", "blank"

ATTEMPT = """\
def attempt(name, act):
    try:
        said = act()
    except BaseException as error:
        print(f"<{name}: refused, {type(error).__name__}>")
    else:
        print(f"<{name}: done, {said!r}>")

"""

SYSCALL = ATTEMPT + (
    "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    "def call(*arguments):\n    ctypes.set_errno(0)\n"
    "    if libc.syscall(*map(ctypes.c_long, arguments)) == -1:\n"
    "        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n    return 'allowed'\n"
)
FIND_CHILD = """\
import gc, json, struct
def child():
    return [found for found in gc.get_objects() if type(found).__name__ == "Child" and hasattr(found, "nonce")][0]
def send(message, nonce=None):
    text = json.dumps({**message, "nonce": child().nonce if nonce is None else nonce}).encode()
    child().channel.sendall(struct.pack("!II", len(text), 0) + text)
"""
ANSWERS = "def causal_mask(n):\n    {0}\ndef causal_attention(Q, K, V):\n    {0}\ndef is_causal(weights):\n    {0}"
FAILED = 8  # is_causal's two points are lost, and nothing else


@dataclass(frozen=True)
class Case:
    """An attack in a notebook that is otherwise right, or otherwise blank where the attack tries to gain.

    `cells` are put behind the notebook's own (`first`: before them). In them, and in `files`, @NAME@ stands for
    something outside of the sandbox: see `outside.Outside`. `score` is what must come of it (None: anything
    up to what it is without the attack, and `luck` more where the attack is a guess), `says` what must
    stand in the messages, `unsaid` patterns that may stand nowhere. Attempts in the cells print what became of them:
    `refused` and `done` name those that must fail and those that may succeed. `stopped_by` is the layer that holds.
    `needs` is a layer without which the case would be no test but an accident.
    """

    name: str
    tries: str
    cells: tuple[str, ...]
    score: float | None
    stopped_by: str
    base: str = RIGHT
    assignment: str = EX2
    first: bool = False
    says: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    student: str = ""  # the folder's name, where it is a part of the attack
    notebook: str = ""  # the file's name without its ending, likewise
    files: dict[str, str] = field(default_factory=dict)
    needs: str = ""
    luck: float = 0.0
    theme: str = ""


def in_call(body: str) -> str:
    """Return a cell that puts `body` into is_causal, above what it did before: worth 2 of the 10 points."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"right_is_causal = is_causal\ndef is_causal(weights):\n{lines}\n    return right_is_causal(weights)"


def answers(body: str, before: str = "") -> str:
    """Return a cell in which every function of exercise 2 has the same body."""
    return before + "\n" + ANSWERS.format(body.replace("\n", "\n    "))
