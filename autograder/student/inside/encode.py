"""Values into trees. Runs in the student's process, beside whatever the student defined.

An object is looked at by its real type (`type(x)`, never `x.__class__`) and read with the base class's own
methods, so an object that lies about itself is described as what it is.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from .values import MAX_AXES, MAX_AXIS, MAX_DEPTH, MAX_DIMENSIONS, MAX_INT_BITS, MAX_NODES, MAX_TEXT, Probe
from .wire import MAX_BLOB, WireError

_KEYS = (type(None), bool, int, float, str)  # of a dict


class Encoder:
    """Turns values into trees and collects the raw bytes that the trees point into."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.nodes = 0

    @property
    def blob(self) -> bytes:
        return b"".join(self.parts)

    def encode(self, value: Any) -> Any:
        """Return the tree of `value`. Never raises: what cannot travel is described."""
        saved = len(self.parts), self.size, self.nodes
        try:
            return self._tree(value, 0)
        except BaseException:  # a student's class may raise anything from anywhere; only its name is left
            del self.parts[saved[0] :]
            self.size, self.nodes = saved[1:]
            return ["o", _type_name(value), None, None]

    def _tree(self, value: Any, depth: int) -> Any:
        self.nodes += 1
        kind = type(value)
        if value is None or kind is bool:
            return value
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise WireError("too deep or too many")
        bases = kind.__mro__
        if int in bases:
            return self._integer(int.__int__(value))
        if np.generic in bases and np.dtype(kind).kind in "biufc":
            return self._scalar(value)
        if float in bases:
            number = float.__float__(value)
            return number if math.isfinite(number) else ["f", number.hex()]
        if complex in bases:
            both = complex.__complex__(value)
            return ["c", [self._tree(both.real, depth + 1), self._tree(both.imag, depth + 1)]]
        if str in bases:
            text = str.__str__(value)
            if len(text) > MAX_TEXT:
                raise WireError("too long")
            return text
        if kind is bytes:
            return ["b", self._raw(value), len(value)]
        if np.ndarray in bases:
            return self._array(value, bases, depth)
        if tuple in bases:
            items = [self._tree(item, depth + 1) for item in tuple.__iter__(value)]
            fields = getattr(kind, "_fields", None)
            if fields is not None:
                return ["n", str(kind.__name__)[:80], [str(field)[:80] for field in fields], items]
            return ["t", items]
        if list in bases:
            return ["l", [self._tree(item, depth + 1) for item in list.__iter__(value)]]
        if dict in bases:
            pairs = dict.items(value)
            if not all(type(key) in _KEYS for key, _ in pairs):
                raise WireError("a key that is no plain value")
            return ["d", [[self._tree(k, depth + 1), self._tree(v, depth + 1)] for k, v in pairs]]
        if kind.__module__.split(".")[0] == "torch" and kind.__name__ in ("Tensor", "Parameter"):
            return self._dense("tensor", _numbers(value))
        if kind is Probe:
            return ["p", value.name, value.text]
        return _describe(value)

    def _integer(self, number: int) -> Any:
        if -(2**63) < number < 2**63:
            return number
        if number.bit_length() > MAX_INT_BITS:
            return ["o", f"int of {number.bit_length()} bits", None, None]
        return ["i", hex(number)]

    def _scalar(self, value: Any) -> Any:
        array = _portable(np.array(value))
        return ["g", array.dtype.str, self._raw(array.tobytes())]

    def _array(self, value: Any, bases: tuple[type, ...], depth: int) -> Any:
        if np.ma.MaskedArray in bases:
            data = np.ma.getdata(value).view(np.ndarray)
            mask = np.ma.getmaskarray(value).view(np.ndarray)
            return ["m", self._tree(data, depth + 1), self._tree(mask, depth + 1)]
        plain = np.ndarray.view(value, np.ndarray)
        if plain.dtype.kind not in "biufc":
            return ["o", _type_name(value), str(plain.dtype)[:80], list(plain.shape)]
        return self._dense("matrix" if np.matrix in bases else "ndarray", plain)

    def _dense(self, kind: str, array: np.ndarray) -> Any:
        if array.ndim > MAX_DIMENSIONS or array.nbytes > MAX_BLOB:
            return ["o", "ndarray", str(array.dtype), list(array.shape)]
        array = _portable(array)
        return ["a", kind, array.dtype.str, list(array.shape), self._raw(array.tobytes())]

    def _raw(self, data: bytes) -> int:
        if self.size + len(data) > MAX_BLOB:
            raise WireError("too large")
        offset = self.size
        self.parts.append(data)
        self.size += len(data)
        return offset


def _numbers(tensor: Any) -> np.ndarray:
    """Return a torch tensor's numbers in its own dtype; bfloat16, which numpy has not, as float32, which holds it."""
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    return (plain.float() if str(plain.dtype) == "torch.bfloat16" else plain).numpy()


def _portable(array: np.ndarray) -> np.ndarray:
    """Return the array in a form that every machine reads: long doubles as doubles."""
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        return array.astype(np.float64)
    if array.dtype.kind == "c" and array.dtype.itemsize > 16:
        return array.astype(np.complex128)
    return array


def _type_name(value: Any) -> str:
    try:
        return str(type.__getattribute__(type(value), "__name__"))[:80]
    except BaseException:
        return "object"


def _describe(value: Any) -> Any:
    dtype = shape = None
    try:
        if hasattr(value, "dtype") and hasattr(value, "shape"):
            shape = [int(n) for n in itertools.islice(value.shape, MAX_AXES)]
            dtype = str(value.dtype)[:80]
    except BaseException:
        dtype = shape = None
    if shape is not None and not all(0 <= n < MAX_AXIS for n in shape):
        shape = None
    return ["o", _type_name(value), dtype, shape]
