"""Values on the wire: what a function returns arrives as the same plain data, or is described; nothing else gets in."""

from __future__ import annotations

import collections
import json
import math
import struct
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autograder.student.inside import wire
from autograder.student.inside.decode import Decoder
from autograder.student.inside.encode import Encoder
from autograder.student.inside.values import MAX_INT_BITS, MAX_NODES, Array, NamedTuple, Opaque, plain

Point = collections.namedtuple("Point", "x y")


def travel(value: Any) -> Any:
    """Send a value through a whole frame, as a student's process would, and read it as the grader does."""
    encoder = Encoder()
    tree = encoder.encode(value)
    frame = wire.pack({"op": "value", "value": tree}, encoder.blob)
    text_length, blob_length = wire.lengths(frame[: wire.HEADER.size])
    text = frame[wire.HEADER.size : wire.HEADER.size + text_length]
    blob = frame[wire.HEADER.size + text_length :]
    assert len(blob) == blob_length
    return Decoder(blob).decode(wire.parse(text)["value"])


def same(got: Any, sent: Any) -> None:
    """Require equality in type and value, with NaN equal to NaN and -0.0 different from 0.0."""
    assert type(got) is type(sent)
    assert repr(got) == repr(sent)


# -- Python's own values --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -1,
        2**63 - 1,
        -(2**63),
        2**63,
        2**64,
        -(2**100),
        0.0,
        -0.0,
        0.1,
        5e-324,
        1.7976931348623157e308,
        math.nan,
        math.inf,
        -math.inf,
        1j,
        complex(math.nan, -math.inf),
        complex(-0.0, 2.5),
        "",
        "Größe \U0001f600 \0 \n",
        "a lone surrogate \ud800 and \udfff",
        b"",
        bytes(range(256)),
        [],
        [1, [2.5, ["three", None]]],
        (),
        (1,),
        ([], ()),
        {},
        {"a": 1, 2: "b", None: [], 2.5: (), True: False},
        {"nested": {"deeper": {"still": np.pi}}},
    ],
    ids=lambda value: repr(value)[:30].encode("ascii", "backslashreplace").decode(),
)
def test_plain_python_values_arrive_as_they_were_sent(value: Any) -> None:
    same(plain(travel(value)), value)


def test_an_integer_arrives_whole_up_to_the_limit_and_is_described_beyond_it() -> None:
    for value in (2**16384, -(2**16384) + 1, 2**MAX_INT_BITS - 1, -(2**MAX_INT_BITS) + 1):
        assert value == travel(value)
    assert Opaque(f"int of {MAX_INT_BITS + 1} bits") == travel(2**MAX_INT_BITS)
    assert Opaque("int of 400001 bits") == travel(-(2**400_000))


def test_a_named_tuple_arrives_with_its_name_and_fields_and_is_a_tuple_for_checks() -> None:
    got = travel(Point(1, [2]))
    assert NamedTuple("Point", ("x", "y"), (1, [2])) == got
    same(plain(got), (1, [2]))


def test_subclasses_of_plain_types_arrive_as_the_plain_type() -> None:
    class Int(int):
        pass

    class Float(float):
        pass

    class Complex(complex):
        pass

    class Text(str):
        pass

    class List(list):
        pass

    class Tuple(tuple):
        pass

    for value, wanted in (
        (Int(7), 7),
        (Int(2**70), 2**70),
        (Float(2.5), 2.5),
        (Float("nan"), math.nan),
        (Complex(1, 2), 1 + 2j),
        (Text("hello"), "hello"),
        (List([1, 2]), [1, 2]),
        (Tuple((1, 2)), (1, 2)),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.defaultdict(list, {"a": [1]}), {"a": [1]}),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
    ):
        same(plain(travel(value)), wanted)


# -- arrays ---------------------------------------------------------------------------------------------------------

NUMBERS = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
NUMBERS += [np.float16, np.float32, np.float64, np.complex64, np.complex128]


@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3), (1,) * 8], ids=str)
def test_arrays_of_every_number_type_arrive_bit_for_bit(dtype: type, shape: tuple[int, ...]) -> None:
    count = math.prod(shape)
    sent = np.frombuffer(np.random.default_rng(count).bytes(16 * count), dtype=np.uint8)
    sent = sent[: count * np.dtype(dtype).itemsize].copy()
    sent = (sent & 1).view(dtype).reshape(shape) if dtype is np.bool_ else sent.view(dtype).reshape(shape)
    got = travel(sent)
    assert isinstance(got, Array) and got.kind == "ndarray"
    assert (sent.dtype, sent.shape) == (got.data.dtype, got.data.shape)
    assert sent.tobytes() == got.data.tobytes()
    assert type(plain(got)) is np.ndarray and plain(got).flags.writeable


@pytest.mark.parametrize(
    "sent",
    [
        np.arange(12).reshape(3, 4)[::2, ::-1],
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(12).reshape(3, 4).T,
        np.broadcast_to(np.float32(2), (3, 4)),
        np.arange(3, dtype=">i4"),
        np.arange(3, dtype=">f8"),
    ],
    ids=["strided", "Fortran order", "transposed", "broadcast", "big-endian int", "big-endian float"],
)
def test_arrays_arrive_equal_however_they_lie_in_memory(sent: np.ndarray) -> None:
    got = plain(travel(sent))
    assert sent.shape == got.shape and sent.dtype == got.dtype
    np.testing.assert_array_equal(got, sent)


@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda dtype: dtype.__name__)
def test_numpy_scalars_stay_numpy_scalars_of_their_type(dtype: type) -> None:
    got = plain(travel(dtype(1)))
    assert type(got) is dtype and got == 1


def test_long_doubles_arrive_as_doubles() -> None:
    assert type(plain(travel(np.longdouble(0.5)))) is np.float64
    got = plain(travel(np.array([0.5, 2], dtype=np.longdouble)))
    assert got.dtype == np.float64 and got.tolist() == [0.5, 2.0]
    assert plain(travel(np.array([0.5j], dtype=np.clongdouble))).dtype == np.complex128


def test_a_matrix_arrives_with_its_kind_and_is_an_ordinary_array_for_checks() -> None:
    got = travel(np.array([[1.0, 2.0]]).view(np.matrix))
    assert isinstance(got, Array) and got.kind == "matrix"
    assert type(plain(got)) is np.ndarray and plain(got).shape == (1, 2)


@pytest.mark.parametrize("mask", [[True, False, True], False], ids=["masked", "no mask"])
def test_a_masked_array_arrives_with_data_and_mask(mask: Any) -> None:
    got = plain(travel(np.ma.MaskedArray([1.0, np.nan, 3.0], mask=mask)))
    assert type(got) is np.ma.MaskedArray
    np.testing.assert_array_equal(np.ma.getmaskarray(got), np.broadcast_to(mask, 3))
    np.testing.assert_array_equal(got.data, [1.0, np.nan, 3.0])


def test_a_subclass_of_ndarray_arrives_as_an_ordinary_array() -> None:
    class Mine(np.ndarray):
        def view(self, *args: Any) -> Any:
            raise RuntimeError

        def __array__(self, *args: Any) -> Any:
            raise RuntimeError

    got = travel(np.arange(3).view(Mine))
    assert isinstance(got, Array) and got.kind == "ndarray"
    assert got.data.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (np.array(["a", "b"]), Opaque("ndarray", "<U1", (2,))),
        (np.array([None, [1]], dtype=object), Opaque("ndarray", "object", (2,))),
        (np.zeros(2, dtype="M8[s]"), Opaque("ndarray", "datetime64[s]", (2,))),
        (np.zeros(2, dtype=[("a", "i4")]), Opaque("ndarray", "[('a', '<i4')]", (2,))),
        (np.timedelta64(3, "s"), Opaque("timedelta64", "timedelta64[s]", ())),
        (np.zeros((1,) * 20), Opaque("ndarray", "float64", (1,) * 20)),
        (np.broadcast_to(np.int8(0), (2**50,)), Opaque("ndarray", "int8", (2**50,))),
        (np.array(["x"] * 2).reshape((1,) * 19 + (2,)), Opaque("ndarray", "<U1", (1,) * 19 + (2,))),
    ],
    ids=["text", "objects", "dates", "records", "time", "many axes", "endless", "text with many axes"],
)
def test_arrays_that_hold_no_numbers_or_are_too_large_are_described(value: Any, wanted: Opaque) -> None:
    assert wanted == travel(value)


# -- what cannot travel, and what lies about itself -------------------------------------------------------------------


class Liar:
    """Claims to be a float, to equal everything and to be an array, and raises at every other question."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return float

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("nobody may ask")

    def __float__(self) -> float:
        return 1.0

    def __len__(self) -> int:
        return -5

    def __getattr__(self, name: str) -> Any:
        raise SystemExit

    def __repr__(self) -> str:
        raise KeyboardInterrupt


class NegativeShape:
    dtype = "float32"
    shape = (-1, 2)


class FalseShape:
    dtype = "float32"
    shape = "ab"


class LongName:
    pass


LongName.__name__ = "n" * 1000


class WithAMeta(type):
    @property
    def __name__(cls) -> str:
        raise ValueError

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return 0


class Meta(metaclass=WithAMeta):
    pass


class IntThatLies(int):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__

    def __int__(self) -> int:
        return 42

    __index__ = __int__  # type: ignore[assignment]

    def bit_length(self) -> int:
        raise RuntimeError


class FloatThatLies(float):
    def __float__(self) -> float:
        return 42.0

    def hex(self) -> str:
        raise RuntimeError


class ComplexThatLies(complex):
    def __complex__(self) -> complex:
        return 42j


class TextThatLies(str):
    def __str__(self) -> str:
        return "lie"

    def __len__(self) -> int:
        return -1


class ListThatLies(list):
    def __iter__(self) -> Any:
        return iter([42])

    def __len__(self) -> int:
        return -1


class TupleThatLies(tuple):
    def __iter__(self) -> Any:
        return iter((42,))


class DictThatLies(dict):
    def items(self) -> Any:
        return [("lie", 42)]


class FieldsThatLie(tuple):
    @property
    def _fields(self) -> Any:
        raise RuntimeError


def endless() -> Any:
    while True:
        yield 1


def test_what_cannot_travel_is_described_by_its_real_type() -> None:
    for value, name in (
        (Liar(), "Liar"),
        (endless(), "generator"),
        (LongName(), "n" * 80),
        (len, "builtin_function_or_method"),
        (Liar, "type"),
        (np, "module"),
        ({1, 2}, "set"),
        (range(3), "range"),
        (bytearray(b"x"), "bytearray"),
        (NotImplemented, "NotImplementedType"),
        (np.random.default_rng(0), "Generator"),
    ):
        got = travel([value, 1])
        assert isinstance(got[0], Opaque) and got[1] == 1
        assert name == got[0].type_name


def test_a_class_that_equals_every_class_and_has_no_name_is_described() -> None:
    assert isinstance(travel(Meta()), Opaque)
    assert isinstance(travel([Meta()]), Opaque)


def test_whatever_an_object_says_of_its_shape_the_grader_can_read_the_answer() -> None:
    class Endless:
        dtype = "float32"

        @property
        def shape(self) -> Any:
            return endless()

    class Deep:
        dtype = "float32"
        shape = (2**70,) * 70

    for value in (NegativeShape(), FalseShape(), Deep(), Endless()):
        got = travel(value)
        assert isinstance(got, Opaque)
        assert type(value).__name__ == got.type_name


def test_subclasses_that_lie_are_read_with_the_base_class() -> None:
    for value, wanted in (
        (IntThatLies(7), 7),
        (FloatThatLies(2.5), 2.5),
        (FloatThatLies("inf"), math.inf),
        (ComplexThatLies(1j), 1j),
        (TextThatLies("true"), "true"),
        (ListThatLies([1, 2]), [1, 2]),
        (TupleThatLies((1, 2)), (1, 2)),
        (DictThatLies(a=1), {"a": 1}),
    ):
        same(plain(travel(value)), wanted)


def test_a_tuple_with_false_fields_does_not_stop_the_encoder() -> None:
    assert isinstance(travel(FieldsThatLie((1,))), (Opaque, NamedTuple, tuple))


def test_what_contains_itself_is_described() -> None:
    narrow: list[Any] = []
    narrow.append(narrow)
    wide: list[Any] = []
    wide.extend([wide] * 50)
    knot: dict[str, Any] = {}
    knot["knot"] = [knot]
    for value, name in ((narrow, "list"), (wide, "list"), (knot, "dict")):
        assert Opaque(name) == travel(value)


def test_lists_are_described_beyond_the_allowed_depth_and_length() -> None:
    deep: Any = 1
    for _ in range(12):
        deep = [deep]
    assert deep == travel(deep)
    assert Opaque("list") == travel([deep])
    assert Opaque("list") == travel([0] * MAX_NODES)
    assert len(travel([0] * 100_000)) == 100_000


def test_long_texts_are_described() -> None:
    assert travel("x" * 100_000) == "x" * 100_000
    assert Opaque("str") == travel("x" * 100_001)


def test_arrays_that_together_are_too_large_are_described_and_the_rest_still_travels() -> None:
    encoder = Encoder()
    big = np.zeros(40 * 2**20, dtype=np.int8)
    trees = [encoder.encode(value) for value in ([big, big], "after", np.ones(2))]
    assert trees[0] == ["o", "list", None, None]
    decoder = Decoder(encoder.blob)
    assert decoder.decode(trees[1]) == "after"
    assert plain(decoder.decode(trees[2])).tolist() == [1.0, 1.0]


def test_a_message_that_is_too_large_is_refused_before_it_is_sent() -> None:
    with pytest.raises(wire.WireError):
        wire.pack({"op": "value", "value": ["x" * 100_000] * 100})
    with pytest.raises(wire.WireError):
        wire.pack({"op": "value"}, bytes(wire.MAX_BLOB + 1))


def test_dict_keys_that_are_no_plain_values_make_the_dict_opaque() -> None:
    for value in ({(1, 2): 3}, {np.float64(1): 2}, {frozenset(): 1}, {b"a": 1}):
        assert Opaque("dict") == travel(value)


# -- what the grader refuses ------------------------------------------------------------------------------------------

LEAVES = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5)
LEAVES |= st.sampled_from([*"ifcbltndamgo", "ndarray", "matrix", "tensor", "<f8", "|b1", "<i4", "|u1", "0x1f", "nan"])
TREES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=3))
TAGGED = st.tuples(st.sampled_from("ifcbltndamgo"), st.lists(TREES, max_size=4)).map(lambda pair: [pair[0], *pair[1]])
BLOB = bytes(range(64))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(TREES | TAGGED)
@example(["a", "ndarray", "<f8", [0, 2**40, 2**40], 0])
@example(["a", "ndarray", "<f8", [2**40, 2**40], 0])
@example(["a", "ndarray", "<f8", [True], 0])
@example(["a", "ndarray", "<f8", [1], -1])
@example(["a", "ndarray", "<f8", [8], 8])
@example(["a", "ndarray", "|O8", [1], 0])
@example(["a", "ndarray", "<f8\n", [1], 0])
@example(["a", ["ndarray"], "<f8", [1], 0])
@example(["a", "ndarray", "<f8", [1], 0, 0])
@example(["b", 0, 2**63])
@example(["b", 0.0, 1])
@example(["b", True, True])
@example(["i", "0x" + "f" * 30_000])
@example(["i", "1_0"])
@example(["f", "0x1p99999"])
@example(["c", [1, 10**400]])
@example(["c", [["l", []], 1]])
@example(["c", ["1", "2"]])
@example(["n", "P", 5, []])
@example(["n", "P", {"a": 1}, [1]])
@example(["n", "P", ["a", "b"], [1]])
@example(["d", [[["l", []], 1]]])
@example(["d", ["ab", "cd"]])
@example(["d", 5])
@example(["m", ["a", "ndarray", "<f8", [1], 0], ["a", "ndarray", "<f8", [1], 0]])
@example(["m", 1, 2])
@example(["m", ["o", "x", None, None], 2])
@example(["o", "x", None, [2**80]])
@example(["o", "x", None, [1] * 100])
@example(["o", "x" * 200, None, None])
@example(["g", "<f8", 60])
@example(["l", "abc"])
@example(["l", {"a": 1}])
@example(["", 1])
@example([[]])
@example({"a": 1})
def test_a_tree_of_any_form_is_read_or_refused_and_nothing_else_happens(tree: Any) -> None:
    try:
        value = Decoder(BLOB).decode(tree)
    except wire.WireError:
        return
    plain(value)


def test_a_tree_cannot_make_the_grader_allocate_more_than_was_sent() -> None:
    decoder = Decoder(BLOB)
    trees = [
        ["a", "ndarray", "<f8", [2**30], 0],
        ["a", "ndarray", "<f8", [0, 2**40], 0],
        ["a", "ndarray", "<f8", [2**20, 0, 2**20], 0],
        ["b", 0, 2**40],
        ["i", "f" * 10**6],
        ["o", "x", None, [2**40] * 8],
    ]
    tracemalloc.start()
    try:
        for tree in trees:
            try:
                plain(decoder.decode(tree))
            except wire.WireError:
                continue
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_a_flood_of_values_and_bottomless_nesting_are_refused() -> None:
    with pytest.raises(wire.WireError):
        Decoder(b"").decode(["l", [0] * (MAX_NODES + 2000)])
    deep: Any = 0
    for _ in range(100):
        deep = ["l", [deep]]
    with pytest.raises(wire.WireError):
        Decoder(b"").decode(deep)


@pytest.mark.parametrize(
    "tree",
    [
        [],
        [[]],
        {},
        ["unknown"],
        ["b", 60, 10],
        ["b", -8, 8],
        ["a", "ndarray", "<f8", [1], 60],
        ["a", "ndarray", "<f8", [0, 2**41], 0],
        ["a", "ndarray", "|O8", [1], 0],
        ["a", "ndarray", "<U2", [1], 0],
        ["a", "list", "<f8", [1], 0],
        ["m", ["a", "ndarray", "<f8", [1], 0], ["a", "ndarray", "<f8", [1], 0]],
        ["m", ["a", "ndarray", "<f8", [2], 0], ["a", "ndarray", "|b1", [1], 0]],
        ["d", [[["l", []], 1]]],
        ["o", "x", None, [-1]],
        ["o", "x", None],
    ],
    ids=str,
)
def test_a_tree_that_is_not_of_the_agreed_form_is_refused(tree: Any) -> None:
    with pytest.raises(wire.WireError):
        Decoder(BLOB).decode(tree)


def test_a_named_tuple_must_have_as_many_items_as_fields() -> None:
    with pytest.raises(wire.WireError):
        Decoder(b"").decode(["n", "P", ["x", "y"], [1]])


# -- frames -----------------------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=200) | TREES.map(lambda tree: json.dumps(tree).encode()))
@example(b'{"op": "x", "a": NaN}')
@example(b'{"op": 5}')
@example(b'{"op": "x"} ')
@example(b'"op"')
@example(b"\xff\xfe{}")
@example(b'{"op": "x", "n": ' + b"9" * 5000 + b"}")
@example(b"[" * 100_000)
@example(b'{"op":"x","a":' + b"[" * 500 + b"]" * 500 + b"}")
@example(b'{"op":"x","a":' + b'{"a":' * 500 + b"1" + b"}" * 500 + b"}")
def test_any_bytes_are_a_message_or_refused(text: bytes) -> None:
    try:
        message = wire.parse(text)
    except wire.WireError:
        return
    assert isinstance(message["op"], str)


def test_a_message_nested_too_deeply_to_be_handled_further_is_refused() -> None:
    """What the parser can just about read must not overflow the stack of whoever prints or copies it later."""
    for depth in (100, 500, 900, 960, 980, 990):
        with pytest.raises(wire.WireError):
            wire.parse(b'{"op":"output","output":' + b"[" * depth + b"]" * depth + b"}")
    assert wire.parse(b'{"op":"value","value":' + b"[" * 40 + b"]" * 40 + b"}")["op"] == "value"


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(min_size=8, max_size=8))
def test_any_header_is_within_bounds_or_refused(header: bytes) -> None:
    try:
        text_length, blob_length = wire.lengths(header)
    except wire.WireError:
        return
    assert text_length <= wire.MAX_JSON and blob_length <= wire.MAX_BLOB


def test_a_header_may_not_announce_more_than_the_bounds() -> None:
    for announced in ((wire.MAX_JSON + 1, 0), (0, wire.MAX_BLOB + 1), (2**32 - 1, 2**32 - 1)):
        with pytest.raises(wire.WireError):
            wire.lengths(struct.pack("!II", *announced))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(VALUES)
def test_every_plain_value_survives_the_journey(value: Any) -> None:
    got = travel(value)
    if isinstance(got, Opaque):  # nested more deeply than allowed
        assert type(value) in (list, tuple, dict)
    else:
        same(plain(got), value)
