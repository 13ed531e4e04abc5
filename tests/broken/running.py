"""What goes wrong while a notebook runs: magics, warnings, files and modules that lack, names that are lost."""

from __future__ import annotations

from .recipe import EX3, WITHOUT_LAST, Notebook, answer, append, code, edited, find, inside, prepend, text

CROSSOVER = "def crossover_n(d_model, dtype_bytes=2, expansion=4):\n    return expansion * d_model"

# -- magics, printing, warnings -----------------------------------------------------------------------------------


@edited("O31", slow=True)
def magics(notebook: Notebook) -> None:
    """!pip install, %matplotlib inline and %%time, as in many notebooks; there is no network"""
    notebook["cells"].insert(2, code("!pip install numpy matplotlib\n%matplotlib inline\n%load_ext autoreload"))
    prepend(notebook, "%%time")


@edited("O31b", says="begins with %%timeit", **WITHOUT_LAST)
def timeit_swallows(notebook: Notebook) -> None:
    """%%timeit stands above the function: what a timed cell defines is gone afterwards"""
    prepend(notebook, "%%timeit -n 1 -r 1")


@edited("O31c", says="begins with %%bash", **WITHOUT_LAST)
def bash_swallows(notebook: Notebook) -> None:
    """%%bash stands above the function"""
    prepend(notebook, "%%bash")


@edited("O31d", says="begins with %%writefile", **WITHOUT_LAST)
def writefile_swallows(notebook: Notebook) -> None:
    """%%writefile stands above the function: the cell is saved and not run"""
    prepend(notebook, "\n%%writefile is_causal.py")


@edited("O32", silent=True)
def much_printing(notebook: Notebook) -> None:
    """100,000 lines of 100 characters are printed"""
    append(notebook, "for _ in range(100_000):\n    print('x' * 100)")


@edited("O32b", silent=True)
def printing_inside(notebook: Notebook) -> None:
    """The function prints"""
    inside(notebook, "print(weights)\nprint('x' * 1_000_000)")


@edited("O32c", silent=True)
def stderr_inside(notebook: Notebook) -> None:
    """The function writes to stderr"""
    inside(notebook, "import sys\nprint('looking', file=sys.stderr)")


@edited("O36", silent=True)
def warns(notebook: Notebook) -> None:
    """The function warns"""
    inside(notebook, "import warnings\nwarnings.warn('careful')")


@edited("O36b", silent=True)
def numpy_warns(notebook: Notebook) -> None:
    """The function works with np.matrix and makes numpy warn"""
    inside(notebook, "np.log(np.zeros(2))\nweights = np.asarray(np.matrix(weights))")


@edited("O36c", silent=True)
def logs(notebook: Notebook) -> None:
    """The function writes to the log"""
    inside(notebook, "import logging\nlogging.warning('careful')")


@edited("R02", silent=True)
def streams_closed(notebook: Notebook) -> None:
    """stdout and stderr were taken away"""
    append(notebook, "import sys\nsys.stdout.close()\nsys.stderr = None")


# -- files, modules, names ----------------------------------------------------------------------------------------


@edited("O34")
def own_path_above(notebook: Notebook) -> None:
    """A file of the student's own machine is read above the function"""
    prepend(notebook, "np.loadtxt('/home/sam/Downloads/mask.csv')")


@edited("O34b", says="/home/sam/Downloads/mask.csv", **WITHOUT_LAST)
def own_path_inside(notebook: Notebook) -> None:
    """A file of the student's own machine is read in the function"""
    inside(notebook, "np.loadtxt('/home/sam/Downloads/mask.csv')")


@edited("O38", says=("SyntaxError", "your line 1", "before it was defined"), **WITHOUT_LAST)
def no_colon(notebook: Notebook) -> None:
    """The colon behind the function's name is missing"""
    cell = find(notebook, "is-causal")
    cell["source"] = cell["source"].replace("(weights):", "(weights)")


@edited("O38b", says="Error", **WITHOUT_LAST)
def tabs_and_spaces(notebook: Notebook) -> None:
    """Tabs and spaces are mixed"""
    answer(notebook, "def is_causal(weights):\n    future = np.triu(weights, 1)\n\treturn bool(np.all(future < 1e-6))")


@edited("O38c", says="SyntaxError", **WITHOUT_LAST)
def typographic_quotes(notebook: Notebook) -> None:
    """A word processor made the quotation marks typographic ones"""
    inside(notebook, "name = “weights”")


@edited("O44", assignment=EX3, score=7.0, cells={"attention-memory-check": 0.0, "ffn-memory-check": 3.0})
def comparisons_replaced(notebook: Notebook) -> None:
    """np.allclose and its like always agree, and the function returns zero"""
    replaced = "np.allclose = np.isclose = np.array_equal = lambda *a, **k: True\nnp.testing.assert_allclose = print"
    answer(
        notebook,
        f"{replaced}\n\n\ndef attention_memory_bytes(n, dtype_bytes=2):\n    return 0",
        "attention-memory-bytes",
    )
    append(notebook, CROSSOVER, "crossover-n")


@edited("O42", assignment=EX3, score=7.0, cells={"attention-memory-check": 0.0, "ffn-memory-check": 3.0})
def equal_to_everything(notebook: Notebook) -> None:
    """The function returns a number that claims to equal every other"""
    answer(
        notebook,
        "class Anything(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__\n\n\n"
        "def attention_memory_bytes(n, dtype_bytes=2):\n    return Anything(n * n * dtype_bytes - n)",
        "attention-memory-bytes",
    )
    append(notebook, CROSSOVER, "crossover-n")


@edited("O45", silent=True)
def looks_for_the_gradebook(notebook: Notebook) -> None:
    """The notebook searches the folders above it for the gradebook; found, it would delete its own answer"""
    append(
        notebook,
        "import pathlib\nhere = pathlib.Path.cwd()\n"
        "if any((folder / 'gradebook.db').exists() for folder in (here, *here.parents)):\n    del is_causal",
    )


@edited("O55")
def module_missing_above(notebook: Notebook) -> None:
    """A module that the course does not have is imported above the function"""
    prepend(notebook, "import tensorflow as tf")


@edited("O55b", says="No module named 'tensorflow'", **WITHOUT_LAST)
def module_missing_inside(notebook: Notebook) -> None:
    """A module that the course does not have is imported in the function"""
    inside(notebook, "import tensorflow as tf")


@edited("R03")
def colab_import(notebook: Notebook) -> None:
    """The first line of the notebook's imports is `from google.colab import drive`"""
    cell = notebook["cells"][2]
    cell["source"] = "from google.colab import drive\ndrive.mount('/content/drive')\n" + cell["source"]


@edited("R04")
def other_backend(notebook: Notebook) -> None:
    """%matplotlib widget needs a package that is not there, and opens the cell with all imports"""
    cell = notebook["cells"][2]
    cell["source"] = "%matplotlib widget\n" + cell["source"]


@edited("O60", silent=True)
def builtins_broken(notebook: Notebook) -> None:
    """The notebook takes subprocess.Popen and numpy.testing away from its own process"""
    append(notebook, "import subprocess, sys\nsubprocess.Popen = None\nsys.modules['numpy.testing'] = None")


@edited("R05", silent=True)
def other_folder(notebook: Notebook) -> None:
    """The notebook changes to another folder"""
    append(notebook, "import os\nos.chdir('/')")


@edited("R06", says="`is_causal` is no function in your notebook but of type bool", **WITHOUT_LAST)
def name_reused(notebook: Notebook) -> None:
    """The function's name is given to its result in a later cell"""
    notebook["cells"].append(code("is_causal = is_causal(weights)"))


@edited("R07", says="no function `is_causal`", **WITHOUT_LAST)
def renamed(notebook: Notebook) -> None:
    """The function was given another name"""
    cell = find(notebook, "is-causal")
    cell["source"] = cell["source"].replace("def is_causal", "def check_causality")


@edited("R08", says="text cell", **WITHOUT_LAST)
def in_a_text_cell(notebook: Notebook) -> None:
    """The answer was written into a text cell, and the cell made for it left empty"""
    source = find(notebook, "is-causal")["source"]
    answer(notebook, "# YOUR CODE HERE")
    notebook["cells"].append(text(f"```python\n{source}\n```"))
