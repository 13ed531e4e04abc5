"""`python -m benchmarks.gpu_memory`: the memory of attention, predicted and measured, as a table and a plot.

On a GPU: every way that torch has there, in three types of number, forward and with the backward pass, up to 32,768
positions, by the allocator's peak of requested bytes. Without one: what a CPU can do by the tensors that are alive, and
the longer ones on the meta device, which computes nothing. What fails for want of memory is a line that says so.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.graders.measuring import busiest

try:
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ModuleNotFoundError:
    sys.exit("torch is not installed here: install it with `python -m pip install torch`, and run this again.")

ROOT = Path(__file__).resolve().parent.parent
D = 64
D_MODEL = 256
ON_CPU = 4096  # the longest that is computed on a CPU
LENGTHS = [2**k for k in range(8, 16)]
MIB = 2**20
BUSY = 0.5  # of a GPU's memory free: less means that other work uses it


@dataclass(frozen=True)
class Way:
    """A way to compute attention of Q, K, V (n, d), and what is predicted of it, in numbers held at the peak.

    A `kernel` is of one device: on the meta device torch takes the way without one.
    """

    name: str
    run: Callable[..., Any]
    forward: Callable[[int], float]
    backward: Callable[[int], float] | None = None
    kernel: bool = False


def named(Q: Any, K: Any, V: Any) -> Any:
    scores = Q @ K.T  # (n, n)
    scaled = scores / math.sqrt(K.shape[1])  # (n, n)
    weights = torch.softmax(scaled, -1)  # (n, n)
    return weights @ V  # (n, d)


def folded(Q: Any, K: Any, V: Any) -> Any:
    return torch.softmax(Q @ K.T / math.sqrt(K.shape[1]), -1) @ V


def in_one(Q: Any, K: Any, V: Any) -> Any:
    return F.scaled_dot_product_attention(Q[None, None], K[None, None], V[None, None])[0, 0]  # (1, 1, n, d) inside


def in_two_dimensions(Q: Any, K: Any, V: Any) -> Any:
    return F.scaled_dot_product_attention(Q, K, V)


def by(backend: Any) -> Callable[..., Any]:
    def run(Q: Any, K: Any, V: Any) -> Any:
        with sdpa_kernel(backend):
            return in_one(Q, K, V)

    return run


def ways(device: str) -> list[Way]:
    """What there is on a device."""

    def tables(count: int, rest: float = 1) -> Callable[[int], float]:
        return lambda n: count * n * n + rest * n * D

    def rows(count: float) -> Callable[[int], float]:
        return lambda n: count * n * D

    found = [
        Way("naive, every step named", named, tables(3), tables(3)),
        Way("naive, one expression", folded, tables(2, 0), tables(3)),
        Way("torch: math", by(SDPBackend.MATH), tables(2)),
        Way("torch: flash", by(SDPBackend.FLASH_ATTENTION), rows(1), rows(5), kernel=True),
    ]
    if device == "cuda":
        found += [
            Way("torch: memory-efficient", by(SDPBackend.EFFICIENT_ATTENTION), rows(1), rows(5), kernel=True),
            Way("torch: cuDNN", by(SDPBackend.CUDNN_ATTENTION), rows(1), rows(5), kernel=True),
        ]
    return [*found, Way("wrong: two dimensions for torch's own (T8)", in_two_dimensions, tables(2))]


@dataclass(frozen=True)
class Row:
    """One line of the table. `measured` is None where there is only the reason why not."""

    way: str
    kind: str
    passes: str
    n: int
    on: str
    unit: int
    measured: float | None
    predicted: float | None
    note: str = ""


def with_backward(run: Callable[..., Any]) -> Callable[..., Any]:
    def both(Q: Any, K: Any, V: Any) -> None:
        run(*(tensor.detach().requires_grad_() for tensor in (Q, K, V))).sum().backward()

    return both


def rows_of(way: Way, kind: Any, passes: str, device: str, lengths: list[int]) -> Iterator[Row]:
    """Measure one way at all lengths; the first that does not fit is the last."""
    name = str(kind).removeprefix("torch.")
    guess = way.forward if passes == "forward" else way.backward
    for n in lengths:
        on = device if device == "cuda" or n <= ON_CPU else "meta"
        if on == "meta" and way.kernel:
            return
        unit = n * n * kind.itemsize
        predicted = guess(n) / n**2 if guess else None
        run = way.run if passes == "forward" else with_backward(way.run)
        try:
            Q, K, V = (torch.randn(n, D, device=on, dtype=torch.float32).to(kind) for _ in range(3))
            peak, _ = busiest(run, Q, K, V)
        except (RuntimeError, NotImplementedError) as error:
            short = isinstance(error, torch.OutOfMemoryError) or "allocate memory" in str(error)
            note = f"does not fit: {_free(device)} free" if short else "not to be had here"
            yield Row(way.name, name, passes, n, on, unit, None, predicted, note)
            return
        yield Row(way.name, name, passes, n, on, unit, peak / unit, predicted)


def measure(device: str, lengths: list[int]) -> list[Row]:
    """All lines of the table."""
    kinds = (torch.float32, torch.float16, torch.bfloat16) if device == "cuda" else (torch.float32,)
    return [
        row
        for kind in kinds
        for passes in ("forward", "forward and backward")
        for way in ways(device)
        for row in rows_of(way, kind, passes, device, lengths)
    ]


def crossover(device: str) -> int:
    """The first n at which the naive peak reaches that of the FFN's hidden layer at d_model 256."""
    W = torch.randn(D_MODEL, 4 * D_MODEL, device=device)

    def reached(n: int) -> bool:
        Q, K, V = (torch.randn(n, D, device=device) for _ in range(3))
        hidden, _ = busiest(lambda x: x @ W, torch.randn(n, D_MODEL, device=device))
        return bool(busiest(named, Q, K, V)[0] >= hidden)

    low, high = 1, 4 * D_MODEL
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low


def wrong_ideas(device: str) -> list[tuple[str, str]]:
    """What the wrong ways to measure say of the naive way at n = 1,024, in units of n times n numbers."""
    n = 1024
    unit = 4 * n * n
    Q, K, V = (torch.randn(n, D, device=device) for _ in range(3))
    found = [("right", f"{busiest(named, Q, K, V)[0] / unit:.2f}")]
    found += [("the end for the peak (T1)", f"{named(Q, K, V).nbytes / unit:.2f}")]
    inputs = sum(tensor.nbytes for tensor in (Q, K, V))
    found += [("the inputs counted (T4)", f"{(busiest(named, Q, K, V)[0] + inputs) / unit:.2f}")]
    if device != "cuda":
        return [*found, ("those that need a GPU (T3, T7, T9)", "not yet run on a GPU")]
    large = [torch.randn(4 * n, D, device=device) for _ in range(3)]
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    named(*large)
    named(Q, K, V)
    found += [("the peak not reset after n = 4,096 (T3)", f"{torch.cuda.max_memory_allocated() / unit:.2f}")]
    found += [("reserved for allocated (T7)", f"{torch.cuda.max_memory_reserved() / unit:.2f}")]
    return found


def first_call(device: str) -> str:
    """What a first matrix product takes beyond its result (T9): to be asked before anything else is computed."""
    if device != "cuda":
        return "not yet run on a GPU"
    X = torch.ones(256, 256, device=device)
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    Y = X @ X
    return f"{(torch.cuda.max_memory_allocated() - before - Y.nbytes) / MIB:.2f} MiB"


def _free(device: str) -> str:
    return f"{torch.cuda.mem_get_info()[0] / 2**30:.1f} GiB" if device == "cuda" else "the machine has too little"


def described(device: str) -> str:
    """The device in a few words, with a sentence where something is to be said of it."""
    if device != "cuda":
        return f"CPU, torch {torch.__version__}"
    free, total = torch.cuda.mem_get_info()
    busy = " (in use by other work, which does not disturb the count)" if free < BUSY * total else ""
    return (
        f"{torch.cuda.get_device_name()}, torch {torch.__version__}, "
        f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB free{busy}"
    )


def table(rows: list[Row], about: str, cross: int, first: str, wrong: list[tuple[str, str]]) -> str:
    """The page, in Markdown."""
    lines = [
        "# Memory of attention, predicted and measured\n",
        f"Written by `python -m benchmarks.gpu_memory` on: {about}.",
        f"Predicted and measured in units: one is n times n numbers of the type. d = {D}.",
        "On `meta` nothing is computed, and the tensors that would be alive are counted.\n",
    ]
    if not about.startswith("CPU"):
        lines.append("The peaks are the allocator's, of requested bytes.\n")
    else:
        lines.append("No GPU was to be had: **the figures for one are not yet run on a GPU.**\n")
    lines += ["| way | numbers | passes | n | on | predicted | measured |", "|:--|:--|:--|--:|:--|--:|--:|"]
    for row in rows:
        predicted = "" if row.predicted is None else f"{row.predicted:.3f}"
        measured = row.note if row.measured is None else f"{row.measured:.3f}"
        lines.append(f"| {row.way} | {row.kind} | {row.passes} | {row.n:,} | {row.on} | {predicted} | {measured} |")
    lines += [
        "",
        f"The naive peak reaches that of the FFN's hidden layer (d_model {D_MODEL}, predicted with one table at "
        f"n = {4 * D_MODEL:,}) at **n = {cross:,}**.\n",
        "What wrong ways to measure say of the naive way at n = 1,024:\n",
        "| way to measure | units |",
        "|:--|--:|",
        *(f"| {name} | {said} |" for name, said in wrong),
        f"| what a first product of matrices takes for good (T9) | {first} |",
        "",
    ]
    return "\n".join(lines)


def plot(rows: list[Row], about: str, path: Path) -> None:
    """Peaks against n on two logarithmic axes: what was measured as points, what was predicted as lines."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8.4, 5.2), layout="constrained")
    shown = [row for row in rows if row.kind == "float32" and row.passes == "forward" and row.measured is not None]
    names = list(dict.fromkeys(row.way for row in shown if not row.way.startswith("wrong")))
    for number, name in enumerate(names):
        own = [row for row in shown if row.way == name]
        predicted = [(row.n, row.predicted * row.unit / MIB) for row in own if row.predicted is not None]
        axes.loglog(*zip(*predicted, strict=True), "-", color=f"C{number}", linewidth=1)
        for on, filled in (("meta", "none"), ("", f"C{number}")):
            points = [(row.n, row.measured * row.unit / MIB) for row in own if (row.on == "meta") == (on == "meta")]
            if points:
                label = f"{name}{', meta device' if on else ''}"
                axes.loglog(
                    *zip(*points, strict=True),
                    "os^DvP"[number],
                    color=f"C{number}",
                    markerfacecolor=filled,
                    label=label,
                )
    lengths = sorted({row.n for row in shown})
    axes.loglog(lengths, [4 * n * n / MIB for n in lengths], "k--", linewidth=1, label="exercise 3: one table")
    axes.set_xticks(lengths, [f"{n:,}" for n in lengths])
    axes.minorticks_off()
    axes.set_xlabel("sequence length n (positions)")
    axes.set_ylabel("peak memory in MiB, float32, forward")
    axes.set_title(f"Measured (points) and predicted (lines): {about.partition(',')[0]}, d = {D}")
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> int:
    """Measure, and write the table and the plot. Returns 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_memory", description=__doc__)
    parser.add_argument("--table", type=Path, default=ROOT / "docs" / "measured-memory.md")
    parser.add_argument("--plot", type=Path, default=ROOT / "docs" / "pictures" / "measured-memory.png")
    parser.add_argument("--longest", type=int, default=LENGTHS[-1], help="the largest n; the default is %(default)s")
    options = parser.parse_args(arguments)
    lengths = [n for n in LENGTHS if n <= options.longest]
    if len(lengths) < 2:
        parser.error(f"--longest {options.longest} leaves no two lengths: give {LENGTHS[1]} or more")
    for path in (options.table, options.plot):
        if not path.parent.is_dir():
            parser.error(f"{path.parent} is no folder: make it first, or name another")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    about, began = described(device), time.monotonic()
    if device == "cpu":
        print("torch finds no GPU here: measuring on the CPU, and longer lengths on the meta device.")
    else:
        print(about)
    torch.manual_seed(0)
    with contextlib.suppress(RuntimeError):
        torch.set_num_threads(min(4, torch.get_num_threads()))
    first = first_call(device)
    rows = measure(device, lengths)
    text = table(rows, about, crossover(device), first, wrong_ideas(device))
    options.table.write_text(text, encoding="utf-8")
    plot(rows, about, options.plot)
    print(text)
    print(f"{len(rows)} lines in {time.monotonic() - began:.0f} s: {options.table}, {options.plot}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
