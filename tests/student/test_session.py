"""A notebook that is graded: what hangs or kills is left out alone, the rest is run and asked, within a budget."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from autograder.limits import Limits
from autograder.student.host import Host
from autograder.student.inside.values import plain
from autograder.student.process import Answer
from autograder.student.session import MAX_HANGS, Lost, Session

Open = Callable[..., Session]

STUBBORN = (
    "x = 0\nwhile True:\n    try:\n        while True:\n            x += 1\n    except BaseException:\n        x = 0"
)
DEADLY = "import os\nos._exit(0)"


@pytest.fixture
def run(host: Host) -> Iterator[Open]:
    """Runs cells as a notebook, and ends its process after the test."""
    opened: list[Session] = []

    def run(*cells: str, on: Host = host, **options: Any) -> Session:
        opened.append(Session(on, list(enumerate(cells)), **options))
        opened[-1].run()
        return opened[-1]

    yield run
    for session in opened:
        session.close()


@pytest.fixture(scope="module")
def hurried_host(host: Host) -> Iterator[Host]:
    """A host whose submissions have two seconds and a half."""
    limits = dataclasses.replace(host.limits, cell_seconds=0.7, submission_seconds=2.5)
    with Host(limits) as hurried:
        yield hurried


def value(answer: Answer | Lost) -> Any:
    assert isinstance(answer, Answer) and answer.op == "value", answer
    return plain(answer.value)


def values(session: Session, *names: str) -> list[Any]:
    return [value(session.call(name, (), {})) for name in names]


# -- cells ------------------------------------------------------------------------------------------------------------


def test_cells_run_once_from_top_to_bottom_errors_and_all(run: Open) -> None:
    session = run("n = 1", "n += 1\n1/0", "n += 1\ndef f():\n    return n")
    assert values(session, "f") == [3]
    assert [cell.error and cell.error["type"] for _, cell in sorted(session.runs.items())] == [
        None,
        "ZeroDivisionError",
        None,
    ]
    assert session.notes == []


def test_the_last_definition_of_a_function_counts_wherever_it_stands(run: Open) -> None:
    session = run("def f():\n    return 1", "def g():\n    return f()", "def f():\n    return 2")
    assert values(session, "f", "g") == [2, 2]


def test_only_the_statement_that_kills_is_left_out(run: Open) -> None:
    session = run(
        "def before():\n    return 1",
        f"def above():\n    return 2\na = 5\n{DEADLY}\nb = a + 1\ndef below():\n    return b",
        "def after():\n    return above() + below()",
    )
    assert values(session, "before", "above", "below", "after") == [1, 2, 6, 8]
    assert session.notes == ["Code cell 2 ended the Python process; the statement that did it was left out."]


def test_two_statements_that_kill_in_one_cell_are_both_left_out(run: Open) -> None:
    session = run(f"{DEADLY}\nx = 1\nimport ctypes\nctypes.string_at(0)\ndef f():\n    return x")
    assert values(session, "f") == [1]
    assert len(session.notes) == 1


def test_what_needs_the_statement_that_was_left_out_is_lost_and_definitions_below_are_not(run: Open) -> None:
    session = run("import os\nx = os._exit(0)\ny = x + 1\ndef f():\n    return 'kept'\nz = 1")
    assert values(session, "f") == ["kept"]
    assert session.runs[0].error["type"] == "NameError"


def test_cells_that_kill_in_several_places_lose_their_own_statements_only(run: Open) -> None:
    session = run(f"def a():\n    return 1\n{DEADLY}", "def b():\n    return 2", f"{DEADLY}\ndef c():\n    return 3")
    assert values(session, "a", "b", "c") == [1, 2, 3]
    assert len(session.notes) == 2


def test_a_cell_that_hangs_is_interrupted_and_said_to_have_been_stopped(run: Open) -> None:
    session = run("def a():\n    return 1\nwhile True:\n    pass\ndef b():\n    return 2", "def c():\n    return 3")
    assert values(session, "a", "b", "c") == [1, 2, 3]
    assert session.notes == ["Code cell 1 was stopped after 1 seconds."]


def test_a_loop_that_cannot_be_interrupted_is_left_out_alone(run: Open) -> None:
    session = run(f"def above():\n    return 1\n{STUBBORN}\ndef below():\n    return 2", "def c():\n    return 3")
    assert values(session, "above", "below", "c") == [1, 2, 3]
    assert session.notes == ["Code cell 1 could not be interrupted; the statement that did it was left out."]


def test_a_cell_that_is_no_python_and_kills_is_left_out_whole(run: Open) -> None:
    session = run("%%capture\nimport os\nos._exit(1)", "def f():\n    return 1")
    assert values(session, "f") == [1]
    assert len(session.notes) == 1 and "left out" in session.notes[0]


def test_a_cell_that_forges_frames_is_left_out_and_the_rest_is_run(run: Open) -> None:
    forge = (
        "import os, stat\n"
        "for n in range(3, 200):\n"
        "    try:\n"
        "        if stat.S_ISSOCK(os.fstat(n).st_mode): os.write(n, b'\\xff' * 100)\n"
        "    except OSError: pass"
    )
    session = run("def a():\n    return 1", f"{forge}\ndef b():\n    return 2", "def c():\n    return 3")
    assert values(session, "a", "c") == [1, 3]
    assert session.notes


def test_runs_tells_of_every_cell_by_its_position(run: Open, host: Host) -> None:
    session = Session(host, [(3, "print('x')"), (7, DEADLY), (9, "1")])
    session.run()
    session.close()
    assert sorted(session.runs) == [3, 7, 9]
    assert session.runs[3].outputs[0]["text"] == "x\n"
    assert session.notes[0].startswith("Code cell 2 ")


def test_a_file_beside_the_notebook_can_be_read_and_each_rerun_has_it_as_it_was(run: Open) -> None:
    session = run(
        "text = open('data/x.txt').read()\nopen('data/x.txt', 'w').write('changed')\n" + DEADLY,
        "def f():\n    return text",
        files={"data/x.txt": b"as given"},
    )
    assert values(session, "f") == ["as given"]


# -- calls ------------------------------------------------------------------------------------------------------------


def test_a_call_that_kills_costs_itself_and_the_notebook_is_run_again_for_the_next(run: Open) -> None:
    session = run(f"import os\ndef bad():\n    os._exit(0)\ndef good(x):\n    return x.sum()\n{DEADLY}")
    assert Lost("died") == session.call("bad", (), {})
    assert value(session.call("good", (np.ones(3),), {})) == 3.0
    assert Lost("died") == session.call("bad", (), {})
    assert value(session.call("good", (np.ones(3),), {})) == 3.0


def test_a_function_that_hangs_is_called_so_often_and_no_more(run: Open) -> None:
    session = run(
        "calls = []\ndef hang(n):\n    calls.append(n)\n    while True: pass\ndef count():\n    return len(calls)"
    )
    lost = [session.call("hang", (n,), {}) for n in range(4)]
    assert [each.how for each in lost] == ["hung"] * MAX_HANGS + ["given-up"] * (4 - MAX_HANGS)
    assert values(session, "count") == [MAX_HANGS]


def test_a_call_that_cannot_be_interrupted_costs_itself(run: Open) -> None:
    indented = STUBBORN.replace("\n", "\n    ")
    session = run(f"def bad():\n    {indented}\ndef good():\n    return 1")
    assert session.call("bad", (), {}).how == "hung"
    assert values(session, "good") == [1]


def test_a_call_answered_with_garbage_costs_itself(run: Open) -> None:
    session = run(
        "import os, stat\ndef bad():\n    for n in range(3, 200):\n        try:\n"
        "            if stat.S_ISSOCK(os.fstat(n).st_mode): os.write(n, b'{' * 100)\n"
        "        except OSError: pass\ndef good():\n    return 1"
    )
    assert Lost("garbled") == session.call("bad", (), {})
    assert values(session, "good") == [1]


def test_state_stays_between_calls_of_one_process(run: Open) -> None:
    session = run("n = 0\ndef f():\n    global n\n    n += 1\n    return n")
    assert values(session, "f", "f", "f") == [1, 2, 3]


# -- the budget -------------------------------------------------------------------------------------------------------


def test_cells_beyond_the_budget_are_not_run_and_calls_say_that_it_is_used_up(run: Open, hurried_host: Host) -> None:
    slow = "import time\ntime.sleep(0.5)"
    session = run("def f():\n    return 1", *[slow] * 8, on=hurried_host)
    assert session.remaining <= 0
    assert 4 <= len(session.runs) <= 7
    assert "were not run" in session.notes[-1]
    assert Lost("budget", 2.5) == session.call("f", (), {})


def test_cells_that_hang_leave_time_for_calls_and_the_rest_still_gives_its_definitions(
    run: Open, hurried_host: Host
) -> None:
    hanging = "while True:\n    pass"
    session = run("def f():\n    return 1", *[hanging] * 6, "x = 1\ndef g():\n    return 2", on=hurried_host)
    assert session.remaining > 0
    assert values(session, "f", "g") == [1, 2]
    assert "gave only definitions" in session.notes[-1]


def test_cells_that_hang_leave_half_of_the_budget_to_the_calls(run: Open, hurried_host: Host) -> None:
    slow = "while True:\n    pass"
    late = "x = 1\ndef g():\n    return 2"
    session = run("def f():\n    return 1", slow, slow, slow, late, slow, on=hurried_host)
    assert values(session, "f", "g") == [1, 2]
    assert len(session.runs) == 6 and not session.runs[4].interrupted
    assert "gave only definitions" in session.notes[-1]


def test_reruns_count_towards_the_same_budget(run: Open, hurried_host: Host) -> None:
    session = run(*[STUBBORN] * 12, "def f():\n    return 1", on=hurried_host)
    assert session.remaining < 1.5
    assert values(session, "f") == [1]


def test_running_again_for_a_call_stops_when_the_budget_is_used_up(run: Open, hurried_host: Host) -> None:
    session = run(
        "import os, time\ntime.sleep(0.5)\ndef f():\n    os._exit(0)\ndef g():\n    return 1", on=hurried_host
    )
    answers = [session.call("f", (), {}) for _ in range(5)]
    assert answers[0].how == "died"
    assert answers[-1].how == "budget"
    assert session.call("g", (), {}).how == "budget"


def test_reruns_are_bounded_in_number(run: Open, host: Host) -> None:
    limits = dataclasses.replace(host.limits, submission_seconds=60.0)
    with Host(limits) as patient:
        session = run(
            *[f"def f{n}():\n    return {n}\n{DEADLY}" for n in range(20)], "def g():\n    return 1", on=patient
        )
        assert values(session, "g", "f0") == [1, 0]
        assert len(session.notes) == 20
        session.close()


def test_the_default_limits_are_in_order() -> None:
    limits = Limits()
    assert limits.call_seconds <= limits.cell_seconds < limits.submission_seconds
    assert limits.submission_mb <= limits.scratch_mb
