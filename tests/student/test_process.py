"""A student's process: cells run as in Jupyter, calls answer with data, and nothing that happens there escapes."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.student.host import Host
from autograder.student.inside.values import Opaque, plain
from autograder.student.process import Answer, CellRun, Ended, StudentProcess

Start = Callable[..., StudentProcess]


@pytest.fixture
def process(start: Start) -> StudentProcess:
    return start()


@pytest.fixture(scope="module", params=["forked", "spawned"])
def either_host(request: pytest.FixtureRequest) -> Host:
    """A host that forks processes from a zygote, and one that starts each on its own."""
    return request.getfixturevalue("host" if request.param == "forked" else "spawning_host")


@pytest.fixture(scope="module")
def either(either_host: Host) -> Iterator[StudentProcess]:
    """A process of either kind, for the tests that leave it alive."""
    process = StudentProcess(either_host, {})
    yield process
    process.close()


@pytest.fixture
def passing(either_host: Host, start: Start) -> StudentProcess:
    """A process of either kind, for the tests that end it."""
    return start(on=either_host)


def printed(run: CellRun, name: str = "stdout") -> str:
    return "".join(o["text"] for o in run.outputs if o["output_type"] == "stream" and o["name"] == name)


def kinds(run: CellRun) -> list[str]:
    return [output["output_type"] for output in run.outputs]


def call(process: StudentProcess, name: str, *args: Any, **kwargs: Any) -> Any:
    answer = process.call(name, args, kwargs)
    assert answer.op == "value", answer
    return plain(answer.value)


def processes(mark: str) -> list[str]:
    """The processes of this machine that have `mark` in their command line."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words:
            found.append(entry.name)
    return found


def is_soon(condition: Callable[[], bool]) -> bool:
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.02)
    return False


# -- both ways to start a process ---------------------------------------------------------------------------------


def test_cells_and_calls_work(either: StudentProcess) -> None:
    run = either.run_cell("import numpy as np\ndef double(x, times=2):\n    return x * times\nprint('hello')\n1 + 1")
    assert run.error is None
    assert printed(run) == "hello\n"
    assert run.outputs[-1]["data"] == {"text/plain": "2"}
    np.testing.assert_array_equal(call(either, "double", np.ones(2)), [2, 2])
    assert call(either, "double", 5, times=3) == 15


def test_a_hanging_call_costs_itself_and_the_process_goes_on(either: StudentProcess) -> None:
    either.run_cell("def hang():\n    while True:\n        pass\ndef fine():\n    return 1")
    assert either.call("hang", (), {}).interrupted
    assert call(either, "fine") == 1


def test_a_process_that_ends_is_said_to_have_died(passing: StudentProcess) -> None:
    with pytest.raises(Ended) as ended:
        passing.run_cell("import os\nos._exit(0)")
    assert ended.value.how == "died"


def test_the_graders_environment_and_modules_are_out_of_reach(
    either: StudentProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = either.run_cell(
        "import os, sys, importlib.util\n"
        "def environment(): return dict(os.environ)\n"
        "def modules(): return list(sys.modules)\n"
        "def found(name): return importlib.util.find_spec(name) is not None\n"
        "def path(): return sys.path"
    )
    assert run.error is None
    environment = call(either, "environment")
    assert not {"USER", "SHELL", "PYTEST_CURRENT_TEST", "PYTHONPATH", "VIRTUAL_ENV"} & set(environment)
    assert str(Path.home()) != environment["HOME"]
    assert not {"autograder", "pytest", "nbgrader"} & {name.split(".")[0] for name in call(either, "modules")}
    assert call(either, "found", "autograder") is False
    root = str(Path(__file__).resolve().parents[2])
    assert root not in call(either, "path")


def test_only_the_standard_streams_and_the_channel_are_open(either: StudentProcess) -> None:
    either.run_cell(
        "import os, stat\n"
        "def descriptors():\n"
        "    found = {}\n"
        "    for number in range(256):\n"
        "        try:\n"
        "            found[number] = chr(stat.S_IFMT(os.fstat(number).st_mode) >> 12)\n"
        "        except OSError:\n"
        "            pass\n"
        "    return found"
    )
    character_device, pipe, socket = (chr(kind >> 12) for kind in (stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK))
    found = call(either, "descriptors")
    assert [character_device, pipe, pipe] == [found.pop(number) for number in (0, 1, 2)]
    assert [socket] == list(found.values())


def test_closing_ends_what_a_process_started_removes_its_folder_and_can_be_repeated(passing: StudentProcess) -> None:
    mark = f"60.{os.getpid()}{time.monotonic_ns()}"
    passing.run_cell(f"import subprocess\nchildren = [subprocess.Popen(['sleep', '{mark}']) for _ in range(3)]")
    assert is_soon(lambda: len(processes(mark)) == 3)
    passing.close()
    passing.close()
    assert is_soon(lambda: not processes(mark))
    assert not passing.scratch.exists()


# -- cells, as in Jupyter -----------------------------------------------------------------------------------------


def test_outputs_keep_the_order_of_prints_displays_and_errors(process: StudentProcess) -> None:
    run = process.run_cell(
        "import sys\n"
        "from IPython.display import display, HTML\n"
        "print('one')\n"
        "display(HTML('<b>two</b>'))\n"
        "print('three')\n"
        "print('warning', file=sys.stderr)\n"
        "1/0"
    )
    assert kinds(run) == ["stream", "display_data", "stream", "stream", "error"]
    assert printed(run) == "one\nthree\n"
    assert printed(run, "stderr") == "warning\n"
    assert run.outputs[1]["data"]["text/html"] == "<b>two</b>"
    assert "ZeroDivisionError" == run.outputs[-1]["ename"] == run.error["type"]
    assert run.error["line_number"] == 7 and run.error["line"] == "1/0"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("%%time\nx = 1", "Wall time"),
        ("%timeit -n 1 -r 1 None", "per loop"),
        ("!echo from the shell", "from the shell\n"),
        ("lines = !echo a; echo b\nprint(list(lines))", "['a', 'b']\n"),
        ("%%bash\necho from bash", "from bash\n"),
        ("%%writefile made.txt\nhello", "Writing made.txt"),
        ("%matplotlib inline\nprint('ok')", "ok\n"),
        ("import asyncio\nawait asyncio.sleep(0)\nprint('awaited')", "awaited\n"),
        ("print(type(get_ipython()).__name__)", "Shell\n"),
        ("print(__name__)", "__main__\n"),
        ("def f(): return 1\nf?", ""),
        ("%config InlineBackend.figure_format = 'retina'\nprint('ok')", "ok\n"),
        ("%load_ext autoreload\n%autoreload 2\nprint('ok')", "ok\n"),
        (
            "import multiprocessing\nwith multiprocessing.get_context('fork').Pool(2) as pool:\n"
            "    print(pool.map(abs, [-1, -2]))",
            "[1, 2]\n",
        ),
        (
            "import threading\nt = threading.Thread(target=print, args=('thread',))\nt.start()\nt.join()",
            "thread\n",
        ),
    ],
    ids=["time", "timeit", "shell", "shell value", "bash", "writefile", "matplotlib", "await", "get_ipython", "main"]
    + ["help", "config", "autoreload", "pool", "thread"],
)
def test_what_notebooks_do_beyond_python_works(process: StudentProcess, source: str, shown: str) -> None:
    run = process.run_cell(source)
    assert run.error is None, run
    assert shown in printed(run)


def test_a_figure_is_a_sentence_unless_figures_are_wanted(start: Start) -> None:
    source = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    (output,) = [o for o in start().run_cell(source).outputs if o["output_type"] == "display_data"]
    assert list(output["data"]) == ["text/plain"] and "not drawn" in output["data"]["text/plain"]
    (output,) = [o for o in start(figures=True).run_cell(source).outputs if o["output_type"] == "display_data"]
    assert "image/png" in output["data"]


def test_a_syntax_error_is_told_with_its_line(process: StudentProcess) -> None:
    run = process.run_cell("x = 1\ndef f(n)\n    return n")
    assert run.error["type"] == "SyntaxError"
    assert run.error["line_number"] == 2 and run.error["line"] == "def f(n)"


@pytest.mark.parametrize(
    "source", ["input('n? ')", "import sys\nsys.stdin.readline() or 1/0", "import pdb; pdb.set_trace()"]
)
def test_nobody_is_there_to_type(process: StudentProcess, source: str) -> None:
    run = process.run_cell(source)
    assert run.error is not None and not run.interrupted
    assert process.run_cell("1").error is None


def test_input_inside_a_function_raises_there(process: StudentProcess) -> None:
    process.run_cell("def f():\n    return input('n? ')")
    answer = process.call("f", (), {})
    assert answer.op == "raised"
    assert answer.error["type"] == "RuntimeError" and "input()" in answer.error["text"]


@pytest.mark.parametrize(
    "source", ["exit()", "quit()", "import sys\nsys.exit()", "raise SystemExit(1)", "raise KeyboardInterrupt"]
)
def test_a_polite_exit_ends_nothing_but_its_cell(process: StudentProcess, source: str) -> None:
    run = process.run_cell(f"def above():\n    return 1\n{source}\ndef below():\n    return 2")
    assert not run.interrupted
    assert [call(process, "above"), call(process, "below")] == [1, 2]


def test_exit_inside_a_function_is_an_exception_of_the_call(process: StudentProcess) -> None:
    process.run_cell("import sys\ndef f():\n    sys.exit(0)")
    assert process.call("f", (), {}).error["type"] == "SystemExit"
    assert process.call("f", (), {}).error["type"] == "SystemExit"


def test_definitions_below_a_failing_line_are_still_read(process: StudentProcess) -> None:
    run = process.run_cell(
        "import numpy as np\n"
        "data = np.loadtxt('/home/sam/mask.csv')\n"
        "print('not reached')\n"
        "import math\n"
        "def helper(x):\n"
        "    return math.sqrt(x)\n"
        "class Thing:\n"
        "    pass\n"
        "def answer(x):\n"
        "    return helper(x), isinstance(Thing(), Thing)\n"
        "print('not reached either')"
    )
    assert run.error["type"] == "FileNotFoundError" and run.error["line_number"] == 2
    assert run.rescued and kinds(run) == ["error"]
    assert printed(run) == ""
    assert call(process, "answer", 4) == (2.0, True)
    wrong = process.call("answer", ("x",), {})
    assert wrong.error["line_number"] == 6 and wrong.error["line"] == "return math.sqrt(x)"


def test_a_rescued_definition_that_fails_itself_is_left_out_and_the_rest_is_read(process: StudentProcess) -> None:
    run = process.run_cell("1/0\n@missing\ndef a(): pass\ndef b(): return 1")
    assert run.error["type"] == "ZeroDivisionError"
    assert kinds(run) == ["error"]
    assert call(process, "b") == 1
    assert process.call("a", (), {}).op == "missing"


def test_a_hanging_cell_is_interrupted_and_definitions_above_and_below_are_kept(process: StudentProcess) -> None:
    run = process.run_cell("def above():\n    return 1\nwhile True:\n    pass\ndef below():\n    return 2")
    assert run.interrupted and run.rescued
    assert run.error["type"] == "KeyboardInterrupt"
    assert [call(process, "above"), call(process, "below")] == [1, 2]


def test_a_cell_that_prints_for_ever_is_interrupted_like_any_other(process: StudentProcess) -> None:
    run = process.run_cell(
        "def above():\n    return 1\nwhile True:\n    print('x' * 300_000)\ndef below():\n    return 2"
    )
    assert run.interrupted and run.truncated
    assert [call(process, "above"), call(process, "below")] == [1, 2]


def test_a_cell_that_waits_for_a_command_is_interrupted(process: StudentProcess) -> None:
    run = process.run_cell("!sleep 60\ndef below():\n    return 2")
    assert run.interrupted
    assert call(process, "below") == 2


def test_output_is_kept_up_to_the_limit_and_said_to_be_cut(process: StudentProcess) -> None:
    run = process.run_cell("for i in range(20_000):\n    print(f'line {i:06d}')")
    assert run.error is None and run.truncated
    text = printed(run)
    assert text.startswith("line 000000\nline 000001\n")
    assert 0 < len(text) <= 64 * 1024


def test_one_long_print_is_cut_and_not_dropped(process: StudentProcess) -> None:
    run = process.run_cell("print('x' * 10**7)")
    assert run.truncated
    assert 1000 < len(printed(run)) <= 64 * 1024


def test_an_error_stands_among_the_outputs_even_after_too_much_printing(process: StudentProcess) -> None:
    run = process.run_cell("for i in range(20_000):\n    print('x' * 100)\n1/0")
    assert run.truncated and run.error["type"] == "ZeroDivisionError"


def test_raw_writes_to_the_descriptors_are_captured(process: StudentProcess) -> None:
    run = process.run_cell("import os\nn = os.write(1, b'raw \\xff')\nn = os.write(2, b'error')")
    assert printed(run) == "raw \N{REPLACEMENT CHARACTER}"
    assert printed(run, "stderr") == "error"


def test_a_flood_of_raw_writes_neither_blocks_nor_fills_the_grader(process: StudentProcess) -> None:
    run = process.run_cell("import os\nfor _ in range(200):\n    os.write(1, b'x' * 65536)")
    assert run.error is None and run.truncated
    assert len(printed(run)) <= 64 * 1024


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nsys.stdout = None",
        "import sys\nsys.stdout = open('log.txt', 'w')\nsys.stdout.close()",
        "import sys\nsys.stdout.close()\nsys.stderr.close()",
        "import sys\ndel sys.stdout",
        "import os\nos.close(1)\nos.close(2)",
        "import sys, io\nsys.stdout = io.StringIO()",
    ],
    ids=["None", "closed file", "closed", "deleted", "descriptors closed", "StringIO"],
)
def test_a_notebook_may_take_its_own_streams_apart(process: StudentProcess, source: str) -> None:
    process.run_cell(source)
    run = process.run_cell("def f():\n    print('called')\n    return 1\n3")
    assert run.error is None
    assert [o["data"] for o in run.outputs if o["output_type"] == "execute_result"] == [{"text/plain": "3"}]
    assert call(process, "f") == 1


def test_an_exception_that_cannot_be_shown_does_not_end_the_process(process: StudentProcess) -> None:
    source = "class Bad(Exception):\n    def __str__(self):\n        raise SystemExit\ndef f():\n    raise Bad\n"
    run = process.run_cell(source + "raise Bad")
    assert run.error is not None
    assert process.call("f", (), {}).error["type"] == "Bad"


def test_threads_and_forks_of_a_notebook_do_not_garble_its_answers(process: StudentProcess) -> None:
    run = process.run_cell(
        "import os, threading\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from IPython.display import display\n"
        "def shout(i):\n"
        "    for _ in range(8):\n"
        "        print('x' * 200_000)\n"
        "with ThreadPoolExecutor(4) as pool:\n"
        "    list(pool.map(shout, range(4)))\n"
        "stop = threading.Event()\n"
        "def background():\n"
        "    while not stop.wait(0.001):\n"
        "        display('tick')\n"
        "thread = threading.Thread(target=background)\n"
        "thread.start()\n"
    )
    assert run.error is None
    assert process.run_cell("import time\ntime.sleep(0.05)\ndef f():\n    time.sleep(0.05)\n    return 1").error is None
    assert [call(process, "f") for _ in range(3)] == [1, 1, 1]
    assert process.run_cell("stop.set(); thread.join()").error is None


def test_a_child_that_a_notebook_forks_and_forgets_does_not_answer_in_its_place(process: StudentProcess) -> None:
    run = process.run_cell("import os\npid = os.fork()\nprint('both of us')\ndef f():\n    return os.getpid()")
    assert run.error is None
    assert process.run_cell("x = 1").error is None
    assert call(process, "f") == call(process, "f")


def test_a_cell_too_large_for_a_message_fails_alone(process: StudentProcess) -> None:
    run = process.run_cell("x = '" + "y" * 5_000_000 + "'")
    assert run.error is not None and "large" in run.error["text"]
    assert process.run_cell("1").error is None


@pytest.mark.parametrize(
    "source", ["x = '\ud800'", "x = '\0'", "\0", "", "   \n", "# only a comment", "(" * 2000 + ")" * 2000]
)
def test_odd_source_is_an_error_at_most(process: StudentProcess, source: str) -> None:
    process.run_cell(source)
    assert process.run_cell("1").error is None


# -- calls --------------------------------------------------------------------------------------------------------


def test_arguments_arrive_as_writable_copies_and_come_back_as_they_were_left(process: StudentProcess) -> None:
    process.run_cell("def f(Q, K, scale=None):\n    Q[0] = 9\n    K.append(4)\n    scale[0] = 0\n    return Q")
    Q, K, scale = np.ones(3), [1, 2], np.ones(1)
    answer = process.call("f", (Q, K), {"scale": scale})
    assert plain(answer.args[0]).tolist() == [9, 1, 1]
    assert answer.args[1] == [1, 2, 4]
    assert plain(answer.kwargs["scale"]).tolist() == [0]
    assert Q.tolist() == [1, 1, 1] and K == [1, 2] and scale.tolist() == [1]


@pytest.mark.parametrize(
    "value",
    [
        True,
        3,
        2**70,
        2.5,
        float("inf"),
        "text",
        [1, [2]],
        (1, 2),
        {"a": 1},
        np.float32(1),
        np.arange(3),
        np.eye(2)[:, :1],
    ],
    ids=repr,
)
def test_an_argument_arrives_in_its_own_type(process: StudentProcess, value: Any) -> None:
    process.run_cell("def f(x):\n    return type(x).__name__, x")
    name, back = call(process, "f", value)
    assert type(value).__name__ == name
    assert repr(value) == repr(back)


@pytest.mark.parametrize(
    ("expression", "name"),
    [("(i for i in [1])", "generator"), ("object()", "object"), ("np.array([None])", "ndarray"), ("f", "function")],
)
def test_what_cannot_travel_is_described(process: StudentProcess, expression: str, name: str) -> None:
    process.run_cell(f"import numpy as np\ndef f():\n    return {expression}")
    value = call(process, "f")
    assert isinstance(value, Opaque) and name == value.type_name


def test_a_coroutine_is_described_and_not_awaited(process: StudentProcess) -> None:
    process.run_cell("async def f():\n    return 1")
    assert call(process, "f").type_name == "coroutine"


def test_an_exception_is_told_with_its_type_text_and_the_students_own_line(process: StudentProcess) -> None:
    process.run_cell("import numpy as np\ndef f(x):\n    y = x @ x.T\n    return np.linalg.inv(y[0])")
    answer = process.call("f", (np.ones((2, 2)),), {})
    assert answer.op == "raised" and answer.error["type"] == "LinAlgError"
    assert answer.error["line_number"] == 4 and answer.error["line"] == "return np.linalg.inv(y[0])"


def test_recursion_without_end_and_too_much_memory_are_exceptions(process: StudentProcess) -> None:
    process.run_cell(
        "import numpy as np\ndef deep(n=0):\n    return deep(n + 1)\ndef big():\n    return np.ones((60000, 60000))"
    )
    assert process.call("deep", (), {}).error["type"] == "RecursionError"
    assert "MemoryError" in process.call("big", (), {}).error["type"]


def test_a_missing_function_and_a_name_that_is_no_function_are_told_apart(process: StudentProcess) -> None:
    process.run_cell("x = [1]")
    assert Answer("missing", "NoneType") == process.call("f", (), {})
    assert Answer("missing", "list") == process.call("x", (), {})


def test_an_answer_too_large_is_said_to_be(process: StudentProcess) -> None:
    process.run_cell("def f():\n    return [['x' * 90_000] * 100]")
    assert process.call("f", (), {}).op == "too-large"
    process.run_cell("def g():\n    import numpy as np\n    return np.zeros(10**8, dtype='i1')")
    assert isinstance(call(process, "g"), Opaque)


def test_prints_and_displays_during_a_call_are_shown_nowhere(process: StudentProcess) -> None:
    process.run_cell("import os\ndef f(x):\n    print(x)\n    display(x)\n    os.write(1, b'raw')\n    return 1")
    assert call(process, "f", 5) == 1
    run = process.run_cell("print('after')")
    assert printed(run) == "after\n" and kinds(run) == ["stream"]


def test_a_call_that_swallows_the_interrupt_costs_the_process(process: StudentProcess) -> None:
    process.run_cell(
        "def f():\n    x = 0\n    while True:\n        try:\n            while True:\n                x += 1\n"
        "        except BaseException:\n            x = 0"
    )
    with pytest.raises(Ended) as ended:
        process.call("f", (), {})
    assert ended.value.how == "killed"


def test_a_value_that_hangs_while_it_is_read_costs_the_process(process: StudentProcess) -> None:
    process.run_cell(
        "class Slow:\n    @property\n    def shape(self):\n        while True: pass\n    dtype = 1\n"
        "def f():\n    return Slow()"
    )
    with pytest.raises(Ended) as ended:
        process.call("f", (), {})
    assert ended.value.how == "killed"


@pytest.mark.parametrize("death", ["os._exit(0)", "os._exit(1)", "ctypes.string_at(0)"])
def test_sudden_death_in_a_cell_or_a_call_is_told(start: Start, death: str) -> None:
    process = start()
    with pytest.raises(Ended) as ended:
        process.run_cell(f"import os, ctypes\n{death}")
    assert ended.value.how == "died"
    process = start()
    process.run_cell(f"import os, ctypes\ndef f():\n    {death}")
    with pytest.raises(Ended) as ended:
        process.call("f", (), {})
    assert ended.value.how == "died"


@pytest.mark.parametrize("number", ["SIGKILL", "SIGSTOP", "SIGTERM", "SIGINT"])
def test_signals_to_itself_end_a_process_at_most(process: StudentProcess, number: str) -> None:
    """The first process of a pid namespace does not even notice some of them."""
    process.run_cell(f"import os, signal\ndef f():\n    os.kill(os.getpid(), signal.{number})\n    return 1")
    try:
        answer = process.call("f", (), {})
        assert answer.op in ("value", "raised")
    except Ended as ended:
        assert ended.how in ("died", "killed")


def test_statements_are_told_as_they_begin_so_that_the_deadly_one_is_known(process: StudentProcess) -> None:
    source = "a = 1\nb = 2\nimport os; os._exit(0)\ndef f(): return 1"
    with pytest.raises(Ended) as ended:
        process.run_cell(source, skip=[])
    assert (ended.value.how, ended.value.statement) == ("died", 3)


def test_statements_that_are_named_are_left_out(process: StudentProcess) -> None:
    run = process.run_cell("x = 1\nx = 2\ny = x\nprint(x, y)\n7", skip=[1])
    assert printed(run) == "1 1\n"
    assert run.error is None


def test_definitions_below_a_statement_that_fails_are_still_read_when_one_was_left_out(process: StudentProcess) -> None:
    run = process.run_cell("x = 1\ny = x + missing\nprint('no')\nimport math\ndef f():\n    return math.pi", skip=[0])
    assert run.error["type"] == "NameError" and run.error["line_number"] == 2
    assert printed(run) == ""
    assert 3 < call(process, "f") < 4


# -- files --------------------------------------------------------------------------------------------------------


def test_files_lie_in_the_working_folder_and_modules_among_them_can_be_imported(start: Start) -> None:
    process = start({"data/x.csv": b"1,2", "helper.py": b"def twice(x):\n    return 2 * x", "empty": b""})
    run = process.run_cell(
        "import helper\nprint(open('data/x.csv').read(), helper.twice(4), len(open('empty').read()))"
    )
    assert run.error is None
    assert printed(run) == "1,2 8 0\n"


def test_one_students_files_and_names_are_not_the_next_ones(start: Start) -> None:
    first = start({"mine.txt": b"x"})
    first.run_cell("secret = 1\nimport json\njson.secret = 1")
    second = start()
    run = second.run_cell("import os, json\nprint(os.listdir(), 'secret' in globals(), hasattr(json, 'secret'))")
    assert printed(run) == "[] False False\n"


# -- what a hostile process may send ------------------------------------------------------------------------------

CHANNEL = """
import gc, json, os, stat, struct
def channel():
    for number in range(3, 256):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                return number
        except OSError:
            pass
def nonce():
    return [o for o in gc.get_objects() if type(o).__name__ == 'Child'][0].nonce
def send(message, blob=b''):
    text = message if isinstance(message, bytes) else json.dumps(message).encode()
    os.write(channel(), struct.pack('!II', len(text), len(blob)) + text + blob)
"""

FORGERIES = {
    "noise": "os.write(channel(), os.urandom(1000))",
    "zeros": "os.write(channel(), bytes(1000))",
    "a huge header": "os.write(channel(), b'\\xff' * 8)",
    "half a frame": "os.write(channel(), struct.pack('!II', 1000, 0) + b'{'); os._exit(0)",
    "no JSON": "send(b'hello')",
    "not an object": "send([1])",
    "a stale nonce": "send({'op': 'done', 'nonce': 'guess'})",
    "no nonce": "send({'op': 'value', 'value': 1, 'args': [], 'kwargs': {}})",
    "an unknown answer": "send({'op': 'surprise', 'nonce': nonce()})",
    "an answer without parts": "send({'op': 'value', 'nonce': nonce()})",
    "parts of the wrong type": "send({'op': 'value', 'nonce': nonce(), 'value': 1, 'args': 5, 'kwargs': []})",
    "too few arguments": "send({'op': 'value', 'nonce': nonce(), 'value': 1, 'args': [], 'kwargs': {}})",
    "a malformed value": "send({'op': 'value', 'nonce': nonce(), 'value': ['a', 1], 'args': [1], 'kwargs': {}})",
    "an error of the wrong type": "send({'op': 'raised', 'nonce': nonce(), 'type': [1], 'line_number': {}})",
    "a missing function": "send({'op': 'missing', 'nonce': nonce(), 'type': {'a': [1]}})",
    "a cell's end": "send({'op': 'done', 'nonce': nonce(), 'error': 5, 'rescued': 'yes'})",
    "outputs of any form": "[send({'op': 'output', 'nonce': nonce(), 'output': o}) for o in (1, [], {'a': 1}, None)]",
    "statements of any form": "[send({'op': 'statement', 'nonce': nonce(), 'index': i}) for i in (1.5, 'x', None, -7)]",
    "bottomless nesting": 'send(b\'{"op":"output","nonce":"\' + nonce().encode() + b\'","output":{"a":\''
    " + b'[' * 980 + b']' * 980 + b'}}')",
    "a number without end": "send(b'{\"op\":\"done\",\"nonce\":' + b'9' * 5000 + b'}')",
    "a closed channel": "os.close(channel())",
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_forged_answers_end_as_ended_or_as_an_answer_and_never_otherwise(start: Start, forgery: str) -> None:
    process = start()
    process.run_cell(CHANNEL + f"def f(x):\n    {forgery}\n    return x")
    try:
        answer = process.call("f", (1,), {})
        assert isinstance(answer.op, str)
        if answer.op == "value":
            assert len(answer.args) == 1
        process.call("f", (1,), {})
    except Ended as ended:
        assert ended.how in ("died", "garbled", "killed")


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_forged_frames_during_a_cell_end_as_ended_or_as_a_run_and_never_otherwise(start: Start, forgery: str) -> None:
    process = start()
    try:
        run = process.run_cell(CHANNEL + forgery)
        assert isinstance(run, CellRun)
        assert all(type(output) is dict and type(output.get("output_type")) is str for output in run.outputs)
        process.run_cell("1")
    except Ended as ended:
        assert ended.how in ("died", "garbled", "killed")


def test_an_answer_written_before_the_question_is_worthless(process: StudentProcess) -> None:
    process.run_cell(CHANNEL + "send({'op': 'done', 'nonce': nonce(), 'error': None, 'rescued': False})")
    with pytest.raises(Ended) as ended:
        process.call("anything", (), {})
    assert ended.value.how == "garbled"


def test_a_hostile_process_harms_no_other(start: Start) -> None:
    hostile = start()
    with pytest.raises(Ended):
        hostile.run_cell(CHANNEL + "os.write(channel(), os.urandom(100))")
        hostile.run_cell("1")
    hostile.close()
    assert start().run_cell("1").error is None


# -- the grader's side --------------------------------------------------------------------------------------------


def test_nothing_is_left_open_in_the_grader(host: Host, start: Start) -> None:
    start().close()
    before = set(os.listdir("/proc/self/fd"))
    for source in ("x = 1", "import os\nos._exit(0)", "import os\nos.close(1)"):
        process = start()
        with contextlib.suppress(Ended):
            process.run_cell(source)
        process.close()
    assert before == set(os.listdir("/proc/self/fd"))
