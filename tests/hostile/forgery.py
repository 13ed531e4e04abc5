"""What an attacker does at the other end of the wire, as strategies of hypothesis, and a stand-in for Host."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from autograder.limits import Limits

LIMITS = Limits(cell_seconds=0.3, call_seconds=0.3, grace_seconds=0.1, submission_seconds=3, output_kb=16)
HEADER = struct.Struct("!II")
END = HEADER.pack(2**32 - 1, 0)  # a header that is refused at once, so that nobody waits for more


class Attacker:
    """Stands in for Host: hands out one end of a socket pair, and answers on the other as `attack` says.

    `attack` gets (request, nonce) for each request and returns the bytes to send, or None to hang up.
    """

    isolation = "partial"

    def __init__(self, attack: Callable[[dict[str, Any]], bytes | None], printed: bytes = b"") -> None:
        self.limits = LIMITS
        self.attack = attack
        self.printed = printed
        self.signals: list[int] = []

    def fork(self) -> tuple[int, socket.socket, int, int, Path]:
        ours, self.theirs = socket.socketpair()
        (stdout, self.stdout), (stderr, self.stderr) = os.pipe(), os.pipe()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()
        return 1, ours, stdout, stderr, Path("nowhere")

    def signal(self, number: int, which: signal.Signals) -> None:
        self.signals.append(which)

    def end(self, number: int, scratch: Path) -> dict[str, Any]:
        self.theirs.close()
        self.thread.join(5)
        os.close(self.stdout)
        os.close(self.stderr)
        return {"status": 0, "why": ""}

    def _serve(self) -> None:
        try:
            if self.printed:
                os.set_blocking(self.stdout, False)
                os.write(self.stdout, self.printed)
            first = True
            while True:
                request = self._request()
                if request is None:
                    return
                if first:
                    first = False
                    self.theirs.sendall(frame({"op": "ready", "nonce": request["nonce"]}))
                    continue
                said = self.attack(request)
                if said is None:
                    self.theirs.shutdown(socket.SHUT_RDWR)
                    return
                self.theirs.sendall(said)
        except (OSError, ValueError):
            return

    def _request(self) -> dict[str, Any] | None:
        header = self._exactly(8)
        if header is None:
            return None
        text, blob = HEADER.unpack(header)
        body = self._exactly(text + blob)
        return None if body is None else json.loads(body[:text])

    def _exactly(self, length: int) -> bytes | None:
        parts = b""
        while len(parts) < length:
            part = self.theirs.recv(length - len(parts))
            if not part:
                return None
            parts += part
        return parts


def frame(message: Any, blob: bytes = b"") -> bytes:
    text = json.dumps(message).encode()
    return HEADER.pack(len(text), len(blob)) + text + blob


texts = st.text(max_size=12) | st.sampled_from(
    ["\ud800", "x" * 5000, "stdout", "stderr", "\x1b[2J", "::error::", "0x1p4", "<f8"]
)
numbers = st.integers(-(2**70), 2**70) | st.floats() | st.sampled_from([2**31, 2**32 - 1, 2**63, 2**64, -1, 0, 10**400])
plain_values = st.none() | st.booleans() | numbers | texts
dtypes = st.sampled_from(
    ["<f8", ">f4", "|b1", "<i8", "|u1", "<c16", "<f2", "|O", "<M8[s]", "|S8", "<U9", "f8", "", "|V999999", "<f16"]
)
sizes = st.lists(st.integers(-1, 9) | st.sampled_from([2**20, 2**31, 2**40, 2**63, 2**64]), max_size=10)
offsets = st.integers(-2, 300) | st.sampled_from([2**31, 2**63])
kinds = st.sampled_from(["ndarray", "matrix", "tensor", "scalar", "masked", ""])


def tagged(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Trees that are of the agreed form, or nearly."""
    pairs = st.lists(st.tuples(children, children).map(list), max_size=3)
    return st.one_of(
        st.tuples(st.sampled_from(list("ifcbltndamgoz")), children).map(list),
        st.tuples(st.just("i"), st.sampled_from(["0xff", "-0x1", "zz", "1" * 30_000])).map(list),
        st.tuples(st.just("f"), st.sampled_from(["nan", "inf", "-inf", "0x1p99999", "x"])).map(list),
        st.tuples(st.just("c"), st.lists(children, max_size=3)).map(list),
        st.tuples(st.just("b"), offsets, offsets).map(list),
        st.tuples(st.sampled_from("lt"), st.lists(children, max_size=4)).map(list),
        st.tuples(st.just("n"), texts, st.lists(texts, max_size=3), st.lists(children, max_size=3)).map(list),
        st.tuples(st.just("d"), pairs).map(list),
        st.tuples(st.just("a"), kinds, dtypes, sizes, offsets).map(list),
        st.tuples(st.just("g"), dtypes, offsets).map(list),
        st.tuples(st.just("m"), children, children).map(list),
        st.tuples(st.just("o"), texts, st.none() | texts, st.none() | sizes).map(list),
        st.lists(children, max_size=4),
        st.dictionaries(texts, children, max_size=3),
    )


trees = st.recursive(plain_values, tagged, max_leaves=12)
outputs = st.fixed_dictionaries(
    {"output_type": st.sampled_from(["stream", "error", "display_data", "execute_result", "clear", "x"]) | trees},
    optional={
        "name": texts | trees,
        "text": texts | trees,
        "data": st.dictionaries(st.sampled_from(["text/plain", "text/html", "image/png", "x"]), trees, max_size=3)
        | trees,
        "metadata": trees,
        "ename": trees,
        "evalue": trees,
        "traceback": trees,
        "execution_count": trees,
    },
)
operations = st.sampled_from(
    [
        "ready",
        "output",
        "statement",
        "done",
        "value",
        "raised",
        "missing",
        "too-large",
        "interrupted",
        "error",
        "cell",
        "",
    ]
)
messages = st.fixed_dictionaries(
    {"op": operations | trees},
    optional={
        "value": trees,
        "args": st.lists(trees, max_size=3) | trees,
        "kwargs": st.just({"axis": 0}) | trees,
        "output": outputs | trees,
        "error": st.fixed_dictionaries({}, optional={"type": trees, "text": trees, "line": trees, "line_number": trees})
        | trees,
        "type": trees,
        "text": trees,
        "line": trees,
        "line_number": trees,
        "rescued": trees,
        "index": trees,
        "isolation": texts,
        "layers": trees,
        "score": numbers,
    },
)
answers = st.builds(
    lambda value, args, kwargs: {"op": "value", "value": value, "args": args, "kwargs": {"axis": kwargs}},
    trees,
    st.lists(trees, min_size=2, max_size=2),
    trees,
)
nonces = st.sampled_from(["right", "right", "right", "wrong", "none", "odd"])
blobs = st.binary(max_size=200) | st.just(bytes(256))
frames = st.tuples(messages | answers | trees, nonces, blobs)


def packed(parts: list[tuple[Any, str, bytes]], nonce: str) -> bytes:
    """Return frames as the attacker sends them to a request with this nonce."""
    sent = b""
    for message, kind, blob in parts:
        if isinstance(message, dict) and kind != "none":
            message = {**message, "nonce": {"right": nonce, "wrong": "0" * 16, "odd": [nonce]}[kind]}
        sent += frame(message, blob)
    return sent
