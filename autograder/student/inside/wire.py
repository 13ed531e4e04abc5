"""Frames: how the grader and a student's process exchange messages.

A frame is an eight-byte header (two big-endian unsigned 32-bit lengths), a JSON object and a run of raw bytes
that the object's values point into. Nothing is ever unpickled or executed. Both sides bound what they accept:
the grader because the student's process may send anything, the student's process only to fail early.
"""

from __future__ import annotations

import json
import struct
from typing import Any

HEADER = struct.Struct("!II")

MAX_JSON = 4 * 2**20  # bytes: nested lists of about 200,000 numbers
MAX_BLOB = 64 * 2**20  # bytes: an array of 8 million float64
MAX_NESTING = 64  # more than values and outputs need, and far from overflowing the stack of whoever reads on


class WireError(Exception):
    """Bytes that are no frame, or a frame that says something it may not say."""


def pack(message: dict[str, Any], blob: bytes = b"") -> bytes:
    """Return the bytes of one frame. Raises WireError where the frame would be too large."""
    text = json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii")
    if len(text) > MAX_JSON or len(blob) > MAX_BLOB:
        raise WireError("the message is too large to be sent")
    return HEADER.pack(len(text), len(blob)) + text + blob


def lengths(header: bytes) -> tuple[int, int]:
    """Return (JSON length, blob length) of a frame from its header. Raises WireError beyond the bounds."""
    text_length, blob_length = HEADER.unpack(header)
    if text_length > MAX_JSON or blob_length > MAX_BLOB:
        raise WireError("the message is larger than allowed")
    return text_length, blob_length


def parse(text: bytes) -> dict[str, Any]:
    """Return the JSON object of a frame. Raises WireError for anything that is not one JSON object."""
    try:
        message = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:  # bad JSON, bad UTF-8, endless nesting, endless digits
        raise WireError("the message is not readable") from error
    if type(message) is not dict or type(message.get("op")) is not str:
        raise WireError("the message is not of the agreed form")
    _refuse_depth(message)
    return message


def _refuse_depth(message: dict[str, Any]) -> None:
    level: list[Any] = [message]
    for _ in range(MAX_NESTING):
        parts = (item.values() if type(item) is dict else item for item in level)
        level = [part for items in parts for part in items if type(part) in (list, dict)]
        if not level:
            return
    raise WireError("the message is nested too deeply")


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
