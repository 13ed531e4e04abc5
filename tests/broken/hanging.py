"""What hangs, ends the process, asks the keyboard, or wants too much."""

from __future__ import annotations

from .recipe import WITHOUT_LAST, Notebook, append, code, edited, inside, prepend

NEVER_INTERRUPTED = """\
while True:
    try:
        while True:
            pass
    except BaseException:
        pass"""


@edited("O01", slow=True, says="was stopped after")
def loop_below(notebook: Notebook) -> None:
    """An endless loop stands below a finished function"""
    append(notebook, "while True:\n    pass")


@edited("O01b", slow=True, says="was stopped after")
def loop_above(notebook: Notebook) -> None:
    """An endless loop stands above the function, in the same cell"""
    prepend(notebook, "while True:\n    pass")


@edited("O02", slow=True, says="the statement that did it was left out")
def loop_that_cannot_be_interrupted(notebook: Notebook) -> None:
    """An endless loop that swallows every interrupt stands below a finished function"""
    append(notebook, NEVER_INTERRUPTED)


@edited("O02b", slow=True, says="did not return within", **WITHOUT_LAST)
def function_that_cannot_be_interrupted(notebook: Notebook) -> None:
    """An endless loop that swallows every interrupt stands in the function"""
    inside(notebook, NEVER_INTERRUPTED)


@edited("O03", slow=True, says="`is_causal` did not return within", **WITHOUT_LAST)
def function_never_returns(notebook: Notebook) -> None:
    """A loop in the function never advances"""
    inside(notebook, "i = 0\nwhile i < len(weights):\n    weights[i]")


@edited(
    "O03b",
    slow=True,
    score=2.0,
    cells={"is-causal-check": 2.0, "causal-mask-pattern": 0.0},
    says="`causal_mask` did not return within",
)
def function_that_the_notebook_needs_never_returns(notebook: Notebook) -> None:
    """The function that hangs is called all over the notebook; the last function has nothing to do with it"""
    inside(notebook, "while True:\n    pass", "causal-mask")


@edited("O03c", slow=True, says="did not return within", **WITHOUT_LAST)
def function_sleeps(notebook: Notebook) -> None:
    """A sleep was left in the function"""
    inside(notebook, "import time\ntime.sleep(3600)")


@edited("O04", says="ended the Python process; the statement that did it was left out")
def process_exits(notebook: Notebook) -> None:
    """os._exit(0) stands below the function and ends the process without a word"""
    append(notebook, "import os\nos._exit(0)")


@edited("O04b", says="ended the Python process", **WITHOUT_LAST)
def function_ends_the_process(notebook: Notebook) -> None:
    """os._exit(1) stands in the function"""
    inside(notebook, "import os\nos._exit(1)")


@edited("O04c", says="ended the Python process")
def crash_in_c(notebook: Notebook) -> None:
    """A cell of the student's own crashes Python itself"""
    notebook["cells"].append(code("import ctypes\nctypes.string_at(0)"))


@edited("O05", silent=True)
def sys_exit_below(notebook: Notebook) -> None:
    """sys.exit() stands below the function"""
    append(notebook, "import sys\nsys.exit()")


@edited("O05b", silent=True)
def exit_below(notebook: Notebook) -> None:
    """exit() stands below the function"""
    append(notebook, "exit()")


@edited("O05c", says="ended the program (SystemExit)", **WITHOUT_LAST)
def sys_exit_inside(notebook: Notebook) -> None:
    """sys.exit(0) stands in the function"""
    inside(notebook, "import sys\nsys.exit(0)")


@edited("O06", silent=True)
def input_below(notebook: Notebook) -> None:
    """input() stands below the function"""
    append(notebook, "n = int(input('n? '))")


@edited("O06b", says="input() was called", **WITHOUT_LAST)
def input_inside(notebook: Notebook) -> None:
    """input() stands in the function"""
    inside(notebook, "limit = float(input('limit? '))")


@edited("O61", silent=True)
def too_much_memory(notebook: Notebook) -> None:
    """An array of 28 GB is made below the function"""
    append(notebook, "np.ones((60000, 60000))")


@edited("O61b", says="memory", **WITHOUT_LAST)
def function_needs_too_much_memory(notebook: Notebook) -> None:
    """An array of 28 GB is made in the function"""
    inside(notebook, "np.ones((60000, 60000))")


@edited("R01", says="recursion", **WITHOUT_LAST)
def recursion(notebook: Notebook) -> None:
    """The function calls itself for ever"""
    inside(notebook, "return is_causal(weights)")
