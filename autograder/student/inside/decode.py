"""Trees into values. Runs in the grader and believes nothing.

Tags, bounds, dtypes, depth and the number of nodes are checked before anything is built.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from .values import (
    MAX_AXES,
    MAX_AXIS,
    MAX_DEPTH,
    MAX_DIMENSIONS,
    MAX_INT_BITS,
    MAX_NODES,
    MAX_TEXT,
    Array,
    NamedTuple,
    Opaque,
    Probe,
)
from .wire import WireError

_DTYPE = re.compile(r"[<>|](b1|[iu][1248]|f[248]|c(8|16))\Z")
_KINDS = ("ndarray", "matrix", "tensor")


class Decoder:
    """Builds values from trees. Raises WireError for whatever is not of the agreed form.

    With `probes` it accepts probes: on the student's side alone.
    """

    def __init__(self, blob: bytes, probes: bool = False) -> None:
        self.blob = blob
        self.probes = probes
        self.nodes = 0
        self.taken = 0

    def decode(self, tree: Any, depth: int = 0) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH + 2 or self.nodes > MAX_NODES + 1000:
            raise WireError("too deep or too many values")
        if tree is None or isinstance(tree, (bool, float)):
            return tree
        if isinstance(tree, int):
            return tree
        if isinstance(tree, str):
            return _text(tree, MAX_TEXT)
        if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
            raise WireError("a value is not of the agreed form")
        build = _BUILDERS.get(tree[0])
        if build is None:
            raise WireError("a value has an unknown tag")
        try:
            return build(self, depth, *tree[1:])
        except (TypeError, ValueError, OverflowError) as error:
            raise WireError("a value is not of the agreed form") from error

    def _items(self, depth: int, items: Any) -> list[Any]:
        if type(items) is not list:
            raise WireError("a value is not of the agreed form")
        return [self.decode(item, depth + 1) for item in items]

    def _integer(self, depth: int, digits: Any) -> int:
        if len(_text(digits, MAX_INT_BITS // 4 + 8)) > MAX_INT_BITS // 4 + 8:
            raise WireError("an integer is too long")
        return int(digits, 16)

    def _float(self, depth: int, digits: Any) -> float:
        return float.fromhex(_text(digits, 40))

    def _complex(self, depth: int, parts: Any) -> complex:
        real, imaginary = self._items(depth, parts)
        return complex(float(real), float(imaginary))

    def _bytes(self, depth: int, offset: Any, length: Any) -> bytes:
        return self._raw(offset, length)

    def _list(self, depth: int, items: Any) -> list[Any]:
        return self._items(depth, items)

    def _tuple(self, depth: int, items: Any) -> tuple[Any, ...]:
        return tuple(self._items(depth, items))

    def _named(self, depth: int, name: Any, fields: Any, items: Any) -> NamedTuple:
        names = tuple(_text(field, 80) for field in fields)
        values = tuple(self._items(depth, items))
        if len(names) != len(values):
            raise WireError("a named tuple has not one name for each item")
        return NamedTuple(_text(name, 80), names, values)

    def _dict(self, depth: int, pairs: Any) -> dict[Any, Any]:
        result = {}
        for key, value in pairs:
            name = self.decode(key, depth + 1)
            if not isinstance(name, (str, int, float, bool, type(None))):
                raise WireError("a dict has a key that is no plain value")
            result[name] = self.decode(value, depth + 1)
        return result

    def _array(self, depth: int, kind: Any, dtype: Any, shape: Any, offset: Any) -> Array:
        if kind not in _KINDS:
            raise WireError("an array is of an unknown kind")
        return Array(kind, self._dense(dtype, shape, offset))

    def _masked(self, depth: int, data: Any, mask: Any) -> Array:
        values, hidden = self.decode(data, depth + 1), self.decode(mask, depth + 1)
        if isinstance(values, Opaque):
            return values  # type: ignore[return-value]
        if not isinstance(values, Array) or not isinstance(hidden, Array) or hidden.data.dtype != bool:
            raise WireError("a masked array is not of the agreed form")
        if values.data.shape != hidden.data.shape:
            raise WireError("a masked array and its mask differ in shape")
        return Array("masked", values.data, hidden.data)

    def _scalar(self, depth: int, dtype: Any, offset: Any) -> Array:
        return Array("scalar", self._dense(dtype, [], offset))

    def _opaque(self, depth: int, name: Any, dtype: Any, shape: Any) -> Opaque:
        size = None if shape is None else _shape(shape, MAX_AXES, MAX_AXIS)
        return Opaque(_text(name, 120), None if dtype is None else _text(dtype, 80), size)

    def _probe(self, depth: int, name: Any, text: Any) -> Probe:
        if not self.probes:
            raise WireError("a probe comes from the wrong side")
        return Probe(_text(name, 80), _text(text, MAX_TEXT))

    def _dense(self, dtype: Any, shape: Any, offset: Any) -> np.ndarray:
        if not _DTYPE.match(_text(dtype, 8)):
            raise WireError("an array holds an unknown type of number")
        kind, size = np.dtype(dtype), _shape(shape)
        raw = self._raw(offset, kind.itemsize * math.prod(size))
        if not raw:
            return np.zeros(size, dtype=kind)
        return np.frombuffer(raw, dtype=kind).reshape(size).copy()

    def _raw(self, offset: Any, length: Any) -> bytes:
        if type(offset) is not int or type(length) is not int:
            raise WireError("an array lies at no place")
        if not 0 <= offset <= offset + length <= len(self.blob):
            raise WireError("an array reaches beyond the message")
        self.taken += length
        if self.taken > len(self.blob):  # else a small message could ask for any amount of memory
            raise WireError("two arrays share their numbers")
        return self.blob[offset : offset + length]


_BUILDERS: dict[str, Any] = {
    "i": Decoder._integer,
    "f": Decoder._float,
    "c": Decoder._complex,
    "b": Decoder._bytes,
    "l": Decoder._list,
    "t": Decoder._tuple,
    "n": Decoder._named,
    "d": Decoder._dict,
    "a": Decoder._array,
    "m": Decoder._masked,
    "g": Decoder._scalar,
    "o": Decoder._opaque,
    "p": Decoder._probe,
}


def _text(value: Any, limit: int) -> str:
    if type(value) is not str or len(value) > limit:
        raise WireError("a text is not of the agreed form")
    return value


def _shape(value: Any, axes: int = MAX_DIMENSIONS, longest: int = 2**40) -> tuple[int, ...]:
    if type(value) is not list or len(value) > axes:
        raise WireError("an array has no proper shape")
    if not all(type(n) is int and 0 <= n <= longest for n in value):
        raise WireError("an array has no proper shape")
    return tuple(value)
