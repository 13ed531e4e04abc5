"""The optional exercise on measured memory: what is measured, what travels, and what is said where torch is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import ROOT, WITH_TORCH, Person, flags, model_answers, needs_torch, notebook_path, read

from autograder.gradebook.export import TOTAL, totals
from autograder.graders import measuring
from autograder.graders.measuring import Pattern
from autograder.limits import Limits
from autograder.student import gpu
from autograder.student.host import Host
from autograder.student.inside.decode import Decoder
from autograder.student.inside.encode import Encoder
from autograder.student.inside.values import Array, Opaque, Probe
from autograder.student.inside.wire import WireError
from autograder.student.process import StudentProcess

NAME = "ex3b-measured-memory"
PATIENT = Limits(cell_seconds=60, call_seconds=60)
WITHOUT = "import sys; sys.modules['torch'] = None; "  # and neither is it found nor can it be imported

FUNCTIONS = """
import math
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

def named(Q, K, V):
    scores = Q @ K.T
    scaled = scores / math.sqrt(K.shape[1])
    weights = torch.softmax(scaled, -1)
    return weights @ V

def folded(Q, K, V):
    return torch.softmax(Q @ K.T / math.sqrt(K.shape[1]), -1) @ V

def in_place(Q, K, V):
    table = Q @ K.T
    table /= math.sqrt(K.shape[1])
    table -= table.amax(-1, keepdim=True)
    table.exp_()
    table /= table.sum(-1, keepdim=True)
    return table @ V

def fused(Q, K, V):
    return F.scaled_dot_product_attention(Q[None, None], K[None, None], V[None, None])[0, 0]

def plain(Q, K, V):
    with sdpa_kernel(SDPBackend.MATH):
        return fused(Q, K, V)

def backward(function):
    def both(Q, K, V):
        Q, K, V = (x.detach().requires_grad_() for x in (Q, K, V))
        function(Q, K, V).sum().backward()
    return both

named_backward, fused_backward = backward(named), backward(fused)
"""
# In tables of n times n float32 at n = 1,024 and d = 64, where one tensor of n times d is 1/16.
UNITS = {
    "named": 3 + 1 / 16,
    "folded": 2.0,
    "in_place": 1 + 1 / 16,
    "plain": 2 + 1 / 16,
    "fused": 1 / 16,
    "named_backward": 3 + 1 / 16,
    "fused_backward": 5 / 16,
}


@pytest.fixture(scope="module")
def process() -> Iterator[StudentProcess]:
    """A student's process with torch loaded, and the functions above in it."""
    with Host(PATIENT, libraries=("torch",)) as host:
        process = StudentProcess(host, {})
        run = process.run_cell(FUNCTIONS)
        assert run.error is None, run.error
        yield process
        process.close()


def ask(process: StudentProcess, name: str, *arguments: Any) -> Any:
    answer = process.call(name, arguments, {})
    assert answer.op == "value", answer.error
    return answer.value


# -- what is measured ---------------------------------------------------------------------------------------------


@needs_torch
@pytest.mark.parametrize("name", UNITS)
def test_measured_peaks_are_those_of_the_tensors_that_are_alive(process: StudentProcess, name: str) -> None:
    """The reference counts every tensor once, from its making to its end, forward and backward."""
    n = 1024
    [(peak, largest)] = ask(process, name, measuring.PEAKS, [n], 64)
    assert peak / (4 * n * n) == pytest.approx(UNITS[name], abs=0.005)
    assert (largest >= 4 * n * n) == (name not in ("fused", "fused_backward"))


@needs_torch
def test_the_counter_of_the_notebook_measures_what_the_reference_does(process: StudentProcess) -> None:
    """With the model answer, and with what a profiler saw of the same calls as a third opinion."""
    setup, counter = (cell["source"] for cell in code_cells() if cell["id"] in ("setup", "memory-counter"))
    third = """
from torch.profiler import ProfilerActivity, profile
def profiled(fn, *inputs):
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as run:
        fn(*inputs)
    now = most = 0
    for event in sorted(run.profiler.kineto_results.events(), key=lambda event: event.start_ns()):
        if event.name() == "[memory]":
            now += event.nbytes()
            most = max(most, now)
    return most
def compared(function, n, measured):
    Q, K, V = (torch.randn(n, 64) for _ in range(3))
    return measured(function, Q, K, V), profiled(function, Q, K, V)
def all_three(measure, *names):
    return [compared(globals()[name], 512, measure) for name in names]
"""
    answer = model_answers(NAME)["measure-peak-bytes"]
    for source in (setup, counter, answer, third):
        run = process.run_cell(source)
        assert run.error is None, run.error
    names = ["named", "folded", "in_place"]
    run = process.run_cell(f"said = all_three(measure_peak_bytes, *{names})\ndef tell(): return said")
    assert run.error is None, run.error
    for name, (ours, profilers) in zip(names, ask(process, "tell"), strict=True):
        [(reference, _)] = ask(process, name, measuring.PEAKS, [512], 64)
        assert ours == reference
        assert profilers == pytest.approx(reference, rel=0.01)
    process.run_cell("memory.stop()")


@needs_torch
def test_the_meta_device_measures_what_fits_no_machine(process: StudentProcess) -> None:
    """A million positions take three tables of 4 TB each, and nothing is computed."""
    text = f"import torch\n{measuring.PEAKS.text.partition('def peaks')[0]}" + (
        "def on_meta(function, n, width):\n"
        "    return busiest(function, *(torch.empty(n, width, device='meta') for _ in range(3)))\n"
    )
    peak, largest = ask(process, "named", Probe("on_meta", text), 10**6, 64)
    assert largest == 4 * 10**12
    assert peak == 3 * largest + 4 * 64 * 10**6


def test_a_patterns_peak_is_found_by_going_through_it() -> None:
    pattern = Pattern((5, 7, -1, 4, -2, -3, 2), returned=4, inputs=(100,), once=50)
    assert (pattern.peak, pattern.left, pattern.made) == (12, 2, 18)


# -- what travels -------------------------------------------------------------------------------------------------


@needs_torch
@pytest.mark.parametrize(
    ("made", "dtype", "numbers"),
    [
        ("torch.tensor([1.5, 2.5])", "float32", [1.5, 2.5]),
        ("torch.tensor([1.5], dtype=torch.float16)", "float16", [1.5]),
        ("torch.tensor([1.5], dtype=torch.bfloat16)", "float32", [1.5]),
        ("torch.tensor([[3], [4]])", "int64", [[3], [4]]),
        ("torch.tensor(True)", "bool", True),
        ("torch.nn.Parameter(torch.ones(2))", "float32", [1, 1]),
        ("(torch.ones(2, requires_grad=True) * 2)[::1]", "float32", [2, 2]),
        ("torch.tensor([1 + 2j]).conj()", "complex64", [1 - 2j]),
        ("torch.ones(2, 3).T[:, :1]", "float32", [[1], [1], [1]]),
    ],
)
def test_a_tensor_travels_with_its_numbers_and_their_type(
    process: StudentProcess, made: str, dtype: str, numbers: Any
) -> None:
    process.run_cell(f"def make(): return {made}")
    value = ask(process, "make")
    assert isinstance(value, Array) and value.kind == "tensor"
    assert value.data.dtype == np.dtype(dtype)
    assert value.data.tolist() == numbers


@needs_torch
@pytest.mark.parametrize("kind", ["half", "bfloat16"])
def test_products_in_half_precision_work_where_nothing_of_the_processor_can_be_seen(
    process: StudentProcess, kind: str
) -> None:
    process.run_cell(f"def make(): return (torch.ones(80, 64).{kind}() @ torch.ones(64, 80).{kind}()).float()[0, 0]")
    assert ask(process, "make").data == 64.0


@needs_torch
@pytest.mark.parametrize("made", ["torch.ones(2, device='meta')", "torch.eye(2).to_sparse()"])
def test_a_tensor_without_numbers_to_send_is_described(process: StudentProcess, made: str) -> None:
    process.run_cell(f"def make(): return {made}")
    assert isinstance(ask(process, "make"), Opaque)


def test_a_probe_is_called_in_the_place_of_the_function() -> None:
    probe = Probe("twice", "def twice(function, x):\n    return [function(x), function(x + 1)]\n")
    with Host(Limits()) as host:
        process = StudentProcess(host, {})
        process.run_cell("import sys\ndef f(x): return 10 * x\ndef loaded(): return 'torch' in sys.modules")
        assert ask(process, "f", probe, 3) == [30, 40]
        assert process.call("f", (probe, "x"), {}).op == "raised"
        assert process.call("g", (probe, 3), {}).op == "missing"
        assert ask(process, "loaded") is False, "a notebook that does not need torch should not pay for it"
        process.close()


def test_no_probe_comes_from_the_students_side() -> None:
    """What a student's process sends never becomes a probe at the grader."""
    encoder = Encoder()
    tree = encoder.encode(Probe("f", "def f(): pass"))
    assert Decoder(encoder.blob, probes=True).decode(tree) == Probe("f", "def f(): pass")
    with pytest.raises(WireError, match="wrong side"):
        Decoder(encoder.blob).decode(tree)


# -- what the notebook says of the machine ------------------------------------------------------------------------


def code_cells() -> list[dict[str, Any]]:
    cells = read(notebook_path(ROOT / "source", NAME))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def cell(name: str) -> str:
    return next(each["source"] for each in code_cells() if each["id"] == name)


def run(source: str, names: dict[str, Any]) -> dict[str, Any]:
    exec(compile(source, "cell", "exec"), names)
    return names


def test_the_notebook_says_how_to_install_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModuleNotFoundError, match="python -m pip install torch"):
        run(cell("setup"), {})


class NoTorch:
    """Stands for torch where a cell is to meet a machine that this one is not."""

    class OutOfMemoryError(RuntimeError):
        pass

    def __init__(self, free: float = 0, total: float = 0) -> None:
        self.cuda, self.nn = self, self
        self.functional, self.free, self.total = self, free, total

    def manual_seed(self, seed: int) -> None: ...

    def is_available(self) -> bool:
        return self.total > 0

    def mem_get_info(self) -> tuple[float, float]:
        return self.free * 2**30, self.total * 2**30

    def get_device_name(self) -> str:
        return "a GPU"

    def randn(self, *shape: int, device: str) -> None: ...


@pytest.mark.parametrize(
    ("torch", "said"),
    [
        (NoTorch(), "finds no GPU here, so everything runs on the CPU"),
        (NoTorch(30, 40), "Using a GPU: 30.0 of 40.0 GiB are free."),
        (NoTorch(3, 40), "Other work is using this GPU."),
    ],
)
def test_the_notebook_says_what_it_runs_on(
    torch: NoTorch, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("torch", "torch.nn", "torch.nn.functional"):
        monkeypatch.setitem(sys.modules, name, torch)  # type: ignore[arg-type]
    run(cell("setup"), {})
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    "error", [NoTorch.OutOfMemoryError("CUDA out of memory"), RuntimeError("[...] can't allocate memory: you tried")]
)
def test_lengths_that_do_not_fit_are_left_out_with_a_sentence(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, Any] = {"torch": NoTorch(), "DEVICE": "cuda", "naive_attention": None, "fused_attention": None}
    calls = iter([100, 10, error])

    def measure(*arguments: Any) -> Any:
        said = next(calls)
        if isinstance(said, Exception):
            raise said
        return said

    run(cell("measurements"), {**names, "measure_peak_bytes": measure})
    assert "n = 512 and more are left out: the cuda has too little free memory" in capsys.readouterr().out


def test_other_errors_in_measuring_are_not_hidden() -> None:
    def measure(*arguments: Any) -> Any:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    names = {"torch": NoTorch(), "DEVICE": "cpu", "naive_attention": None, "fused_attention": None}
    with pytest.raises(RuntimeError, match="mat1"):
        run(cell("measurements"), {**names, "measure_peak_bytes": measure})


def test_lengths_too_small_for_an_exponent_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    run(cell("exponents"), {"lengths": [256, 512, 1024], "d_k": 64})
    assert "too small for an exponent: at least two of 1,024 or more are needed" in capsys.readouterr().out


# -- without torch ------------------------------------------------------------------------------------------------


def without_torch(*arguments: str, status: int) -> str:
    """Run the `course` command where torch is not installed, as far as it can tell."""
    code = f"{WITHOUT}from autograder.cli import main; sys.exit(main({list(arguments)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_without_torch_a_measured_submission_waits_for_a_person_and_is_no_zero() -> None:
    report = json.loads(without_torch("grade", f"solutions/{NAME}", "--format", "json", status=3))
    assert report["status"] == "needs-review"
    assert "torch is not installed here" in report["message"] and "python -m pip install torch" in report["message"]
    assert [cell["score"] for cell in report["cells"]] == [None] * 4


def test_without_torch_the_measured_assignment_is_checked_as_far_as_it_goes() -> None:
    said = without_torch("check", NAME, status=0)
    assert "skip not graded: torch is not installed here" in said and "The course is in order." in said
    assert said.count(" yes ") == 6


def test_without_torch_the_measured_tests_are_skipped_and_say_so() -> None:
    options = ["-q", "-rs", "-p", "no:cacheprovider", "tests/test_measured.py", "-k", "measured_peaks or travels"]
    code = f"{WITHOUT}import pytest; sys.exit(pytest.main({options!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "torch is not installed" in done.stdout and "passed" not in done.stdout


def test_grading_other_assignments_never_loads_torch() -> None:
    """Neither the grader nor, as a test above shows, a student's process."""
    code = (
        "import sys; from autograder.cli import main; "
        "status = main(['grade', 'solutions/ex3-memory-cost']); sys.exit(status or 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "10 / 10" in done.stdout, done.stdout + done.stderr


# -- on a GPU -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        (None, "torch finds none here"),
        ("nonsense", "torch finds none here"),
        ([1 * 2**30, 80 * 2**30], "1.0 of 80.0 GiB of the GPU are free and 2 are needed: other work is using it"),
        ([1 * 2**30, 1.5 * 2**30], "it is too small"),
    ],
)
def test_a_gpu_that_cannot_be_graded_on_is_named_with_what_to_do(memory: Any, said: str) -> None:
    assert said in str(gpu.judge(memory))
    assert "grade" in str(gpu.judge(memory))


def test_a_gpu_with_room_is_graded_on() -> None:
    assert gpu.judge([40 * 2**30, 80 * 2**30]) is None


def test_on_a_gpu_a_process_is_spawned_without_a_bound_on_its_addresses() -> None:
    with Host(PATIENT, gpu=True) as host:
        assert not host.forking and host.isolation in ("partial", "none")
        spawned = StudentProcess(host, {})
        spawned.run_cell(
            "import os, resource\n"
            "def room(): return resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY\n"
            "def shown(): return os.environ.get('CUDA_VISIBLE_DEVICES') != ''"
        )
        assert ask(spawned, "room") is True
        assert ask(spawned, "shown") is True
        spawned.close()


@needs_torch
def test_on_a_cpu_measured_work_sees_no_gpu_and_a_course_that_asks_for_one_is_told(process: StudentProcess) -> None:
    process.run_cell("import os\ndef hidden(): return os.environ['CUDA_VISIBLE_DEVICES'] == ''")
    assert ask(process, "hidden") is True
    process.run_cell("def threads(): return torch.get_num_threads()")
    assert ask(process, "threads") == 1, "more would hang the forks of a process that has used them"
    assert "torch finds none here" in str(gpu.fault(process.host))


def test_the_benchmark_says_what_it_cannot_do(tmp_path: Path) -> None:
    """Without torch, and with lengths that make no line, in one sentence each."""
    several = """
from benchmarks import gpu_memory
for arguments in (["--longest", "300"], ["--plot", "no/such/plot.png"]):
    try:
        gpu_memory.main(arguments)
    except SystemExit as end:
        assert end.code
"""
    for code, words in (
        (f"{WITHOUT}import benchmarks.gpu_memory", ("torch is not installed here",)),
        (several, ("leaves no two lengths", "is no folder")),
    )[: 2 if WITH_TORCH else 1]:
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
        assert all(said in done.stderr for said in words) and "Traceback" not in done.stderr


@needs_torch
def test_the_benchmark_writes_a_table_and_a_plot(tmp_path: Path) -> None:
    where = [f"--table={tmp_path / 'table.md'}", f"--plot={tmp_path / 'plot.png'}", "--longest=512"]
    command = [sys.executable, "-m", "benchmarks.gpu_memory", *where]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "table.md").read_text("utf-8")
    assert "| naive, every step named | float32 | forward | 512 | " in text
    assert "at **n = 320**" in text
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


# -- the course total ---------------------------------------------------------------------------------------------


def row(assignment: str, score: Any, max_score: float = 10.0, penalty: float = 0.0) -> dict[str, Any]:
    both = {"raw_score": score, "score": score if score == "" else max(0.0, score - penalty)}
    return {
        "assignment": assignment, "student_id": "s", "max_score": max_score, "late_submission_penalty": penalty, **both
    }  # fmt: skip


@pytest.mark.parametrize(
    ("scores", "optional", "total"),
    [
        ((8.0, 9.0), 0.0, 17.0),  # nothing handed in
        ((8.0, 9.0), 2.0, 19.0),
        ((8.0, 9.0), 10.0, 20.0),  # no more than everything
        ((10.0, 10.0), 1.0, 20.0),
        ((8.0, 9.0), "", 17.0),  # waits for a person: nothing yet
        ((8.0, ""), 5.0, ""),
    ],
)
def test_an_optional_assignment_never_lowers_a_course_total(scores: tuple[Any, Any], optional: Any, total: Any) -> None:
    rows = [row("ex1", scores[0]), row("ex2", scores[1]), row("ex3b", optional)]
    [line] = totals(rows, {"ex3b"})
    assert (line["assignment"], line["score"], line["max_score"]) == (TOTAL, total, 20.0)


def test_locked_and_graded_cells_are_what_students_rely_on() -> None:
    """The counter is locked, so that every student measures with the same one."""
    locked = {flags(each)["grade_id"] for each in code_cells() if flags(each).get("locked")}
    assert "memory-counter" in locked and len(locked) == 5


def test_the_committed_solution_shows_the_measured_figures() -> None:
    """It was run from top to bottom, without an error, and ends with the crossover that the text explains."""
    source, solution = (read(notebook_path(ROOT / step, NAME))["cells"] for step in ("source", "solutions"))
    assert [(each["id"], each["source"]) for each in solution] == [(each["id"], each["source"]) for each in source]
    code = [each for each in solution if each["cell_type"] == "code"]
    outputs = [output for each in code for output in each["outputs"]]
    assert all(each["execution_count"] for each in code)
    assert {output["output_type"] for output in outputs} <= {"stream", "display_data"}
    assert {output.get("name", "stdout") for output in outputs} == {"stdout"}
    said = "".join(output.get("text", "") for output in outputs)
    assert "4,096          64.00               3.016             0.016" in said
    assert "naive: exponent 1.989" in said and "n = 320, 3.20 times earlier" in said


def test_what_the_measured_exercise_sends_holds_no_canary(tmp_path: Path) -> None:
    for probe in (measuring.PEAKS, measuring.OUTPUTS, measuring.MEASURED):
        assert "canary" not in probe.text.lower()
        assert "reference" not in probe.text and "wanted" not in probe.text


def test_an_optional_assignment_is_named_with_what_it_needs_in_the_package(tmp_path: Path) -> None:
    done = Person(ROOT, tmp_path).course("package", "student", "--output", str(tmp_path / "out"))
    folder = Path(done.stdout.split()[0])
    text = (folder / "requirements.txt").read_text("utf-8")
    assert f"# {NAME} needs as well: torch" in text
