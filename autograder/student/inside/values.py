"""Values as tagged trees: plain data with its type beside it, arrays as raw bytes.

JSON carries None, bool, text, finite floats and integers below 2**63 as they are. Everything else is a list
that begins with a tag:

    ["i", hex]                      a larger integer
    ["f", hex]                      nan and the infinities
    ["c", [re, im]]                 complex; both as trees
    ["b", offset, length]           bytes, in the frame's blob
    ["l", items] ["t", items]       list, tuple
    ["n", name, fields, items]      named tuple
    ["d", [[key, value], ...]]      dict
    ["a", kind, dtype, shape, offset]   array; kind is ndarray, matrix or tensor
    ["m", data, mask]               masked array; both as trees
    ["g", dtype, offset]            numpy scalar
    ["p", name, text]               a probe; from the grader only
    ["o", type, dtype, shape]       anything else: described, never sent

`encode` makes trees and `decode` reads them; this module holds what both speak of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

MAX_DEPTH = 12
MAX_NODES = 200_000
MAX_INT_BITS = 100_000
MAX_TEXT = 100_000
MAX_DIMENSIONS = 8
MAX_AXES, MAX_AXIS = 64, 2**63  # of an array that is only described: numpy's own bounds


@dataclass(frozen=True)
class Opaque:
    """Something that cannot travel: only what it is. `dtype` and `shape` are None where it has none."""

    type_name: str
    dtype: str | None = None
    shape: tuple[int, ...] | None = None

    def __str__(self) -> str:
        size = f" of shape {self.shape}" if self.shape is not None else ""
        return f"{self.type_name}{size}" + (f" holding {self.dtype}" if self.dtype else "")


@dataclass(frozen=True)
class Array:
    """An array with the kind it had in the student's process: ndarray, matrix, tensor or scalar."""

    kind: str
    data: np.ndarray
    mask: np.ndarray | None = None


@dataclass(frozen=True)
class Probe:
    """A function of the grader's own, sent as source to where the student's functions are.

    `text` is Python that defines `name`. As the first argument of a call of a student's function it is called in that
    function's place: `name(function, *arguments)`. Student code can read it, so it holds no expected value.
    """

    name: str
    text: str

    def __repr__(self) -> str:
        return f"<probe {self.name}>"


@dataclass(frozen=True)
class NamedTuple:
    """A named tuple: its class's name, its fields and its items."""

    name: str
    fields: tuple[str, ...]
    items: tuple[Any, ...]


def plain(value: Any) -> Any:
    """Return a decoded value as the numpy and Python objects that checks work with.

    Arrays, matrices and tensors become ndarrays, masked arrays np.ma arrays, named tuples tuples.
    """
    if isinstance(value, Array):
        if value.kind == "masked":
            return np.ma.MaskedArray(value.data, mask=value.mask)  # type: ignore[arg-type]
        return value.data[()] if value.kind == "scalar" else value.data
    if isinstance(value, NamedTuple):
        return tuple(plain(item) for item in value.items)
    if isinstance(value, (list, tuple)):
        return type(value)(plain(item) for item in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value
