"""How memory is measured: what is sent to where the student's functions are, and what the answers should be.

Canary: attention-course-canary-5b07e93ad1c4286f

The functions of the first part travel as source, so each brings its own imports and none holds an expected value. They
use a GPU where torch finds one, which in the sandbox it does not unless the course says so.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

from autograder.student.inside.values import Probe

CANARY = "attention-course-canary-5b07e93ad1c4286f"

# -- what travels -------------------------------------------------------------------------------------------------


def busiest(fn, *inputs):  # type: ignore[no-untyped-def]
    """Return (peak, largest) of one call: the most bytes of tensors alive beyond what was there before it, and the
    bytes of the largest tensor that it made.

    On a GPU the peak is the allocator's, of requested bytes; what a kernel takes for itself counts there. Elsewhere
    it is that of the tensors' storages, and the `meta` device will do: nothing is computed on it.
    """
    import weakref

    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Ledger(TorchDispatchMode):
        """Follows every storage from the operation that makes it to its end."""

        def __init__(self) -> None:
            super().__init__()
            self.now = self.peak = self.largest = 0
            self.known = {}  # type: ignore[var-annotated]

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # else torch loads its compiler, which takes two seconds

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            for storage in self.storages((args, kwargs)):
                if storage._cdata not in self.known:  # it was there before
                    self.known[storage._cdata] = weakref.finalize(storage, self.known.pop, storage._cdata, None)
            made = operation(*args, **(kwargs or {}))
            for storage in self.storages(made):
                if storage._cdata not in self.known:
                    size = storage.nbytes()
                    self.known[storage._cdata] = weakref.finalize(storage, self.gone, storage._cdata, size)
                    self.now += size
                    self.peak, self.largest = max(self.peak, self.now), max(self.largest, size)
            return made

        def storages(self, values):  # type: ignore[no-untyped-def]
            leaves = tree_leaves(values)
            return [leaf.untyped_storage() for leaf in leaves if type(leaf) in (torch.Tensor, torch.nn.Parameter)]

        def gone(self, key, size):  # type: ignore[no-untyped-def]
            self.known.pop(key, None)
            self.now -= size

    fn(*inputs)  # what a first call makes for good is not this call's
    on_gpu = any(isinstance(given, torch.Tensor) and given.is_cuda for given in inputs)
    if on_gpu:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_stats()["requested_bytes.all.current"]
    ledger = Ledger()
    with ledger:
        result = fn(*inputs)
    peak = ledger.peak
    if on_gpu:
        torch.cuda.synchronize()
        peak = torch.cuda.memory_stats()["requested_bytes.all.peak"] - before
    for end in list(ledger.known.values()):
        end.detach()
    del result
    return peak, ledger.largest


def peaks(function, lengths, width):  # type: ignore[no-untyped-def]
    """Return (peak, largest) in bytes of function(Q, K, V) for each length, with float32 of shape (n, width)."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    found = []
    for n in lengths:
        generator = torch.Generator().manual_seed(n)
        Q, K, V = (torch.randn(n, width, generator=generator).to(device) for _ in range(3))
        found.append(busiest(function, Q, K, V))
    return found


def outputs(function, *arrays):  # type: ignore[no-untyped-def]
    """Return what function(Q, K, V) gives for tensors made of the arrays, and whether they were left as they were."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    tensors = [torch.tensor(array, device=device) for array in arrays]
    result = function(*tensors)
    left = all(bool((tensor.cpu() == torch.tensor(array)).all()) for tensor, array in zip(tensors, arrays, strict=True))
    return result, left


def measured(measure, *patterns):  # type: ignore[no-untyped-def]
    """Return what measure(fn, *inputs) says of one function for each pattern.

    A pattern is (sizes of the inputs, bytes that a first call makes for good, steps, which one is returned): a step
    above zero makes a tensor of so many bytes, one below zero frees the tensor of that number, counted from 1.
    """
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"

    def tensor(size):  # type: ignore[no-untyped-def]
        return torch.empty(size, dtype=torch.uint8, device=device)

    def function(once, steps, returned):  # type: ignore[no-untyped-def]
        kept = []  # type: ignore[var-annotated]

        def fn(*given):  # type: ignore[no-untyped-def]
            if once and not kept:
                kept.append(tensor(once))
            alive = []  # type: ignore[var-annotated]
            for step in steps:
                if step > 0:
                    alive.append(tensor(step))
                else:
                    alive[-step - 1] = None
            return alive[returned - 1] if returned else None

        return fn

    said = []
    for sizes, once, steps, returned in patterns:
        inputs = [tensor(size) for size in sizes]
        said.append(measure(function(once, steps, returned), *inputs))
    return said


def _probe(function: Any, *more: Any) -> Probe:
    return Probe(function.__name__, "\n\n".join(inspect.getsource(part) for part in (*more, function)))


PEAKS = _probe(peaks, busiest)
OUTPUTS = _probe(outputs)
MEASURED = _probe(measured)


# -- what the answers should be -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pattern:
    """A function that makes and frees tensors of known sizes in a known order; all sizes in bytes.

    `steps` as for `measured`. `returned` is the number of the tensor that is returned, 0 for none.
    """

    steps: tuple[int, ...]
    returned: int = 0
    inputs: tuple[int, ...] = ()
    once: int = field(default=0)

    @property
    def sent(self) -> list[Any]:
        """As it travels."""
        return [list(self.inputs), self.once, list(self.steps), self.returned]

    @property
    def peak(self) -> int:
        """The bytes alive at the busiest moment of a call after the first."""
        now = most = 0
        made = []
        for step in self.steps:
            if step > 0:
                made.append(step)
                now += step
            else:
                now -= made[-step - 1]
            most = max(most, now)
        return most

    @property
    def left(self) -> int:
        """The bytes of what is returned."""
        return [step for step in self.steps if step > 0][self.returned - 1] if self.returned else 0

    @property
    def made(self) -> int:
        """All bytes that a call makes, those freed again included."""
        return sum(step for step in self.steps if step > 0)
