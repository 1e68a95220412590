"""What a child says is read as a stranger's: every value arrives as it was, and nothing else is ever made of it."""

from __future__ import annotations

import json
import math
import os
import pickle
import tracemalloc
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpsql.engines.codecs.codec import Malformed, Most, Reply, TooLarge, decode, encode, lengths, most_of

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**127), 2**127),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
    st.dates(),
    st.datetimes().map(lambda moment: moment.replace(fold=0)),
    st.times().map(lambda moment: moment.replace(fold=0)),
    st.timedeltas(),
    st.decimals(allow_nan=False),
    st.uuids(),
)
NESTED = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner)
)
COLUMNS = st.one_of(
    st.lists(NESTED, min_size=3, max_size=3), st.lists(st.dates() | st.none(), min_size=3, max_size=3)
)


def through(reply: Reply) -> Reply:
    coded = encode(reply)
    text, raw = lengths(coded[:16])
    assert len(coded) == 16 + text + raw
    return decode(coded[16 : 16 + text], coded[16 + text :])


@given(st.lists(COLUMNS, min_size=1, max_size=4))
@settings(max_examples=30)
def test_rows_arrive_as_they_were(columns: list[list[object]]) -> None:
    rows = list(zip(*columns, strict=True))
    found = through(Reply("ok", rows=rows)).rows
    assert found == rows
    assert repr(found) == repr(rows)  # types as well: 1, 1.0 and True are equal


def test_special_values_arrive_as_they_were() -> None:
    row = (
        float("inf"),
        float("-inf"),
        float("nan"),
        -0.0,
        "\ud800",
        "\0",
        datetime(2025, 1, 1, tzinfo=UTC),
        5e-324,
    )
    (found,) = through(Reply("ok", rows=[row])).rows or ()
    assert repr(found) == repr(row)


def test_integers_arrive_exactly_and_in_shape() -> None:
    given = np.array([[2**63 - 1, -(2**63)], [0, -1]], dtype=np.int64)
    found = through(Reply("ok", integers=given)).integers
    assert found is not None and found.tolist() == given.tolist() and found.dtype == np.int64
    empty = through(Reply("ok", rows=[], integers=np.zeros((0, 3), dtype=np.int64)))
    assert empty.integers is not None and empty.integers.shape == (0, 3) and empty.rows == []
    assert through(Reply("ok", rows=[()])).rows == [()]


def test_a_value_of_another_type_is_not_sent() -> None:
    for value in (object(), {1, 2}, np.int64(1), 1j, Exception("x")):
        with pytest.raises((TypeError, KeyError)):
            encode(Reply("ok", rows=[(value,)]))


def test_a_reply_has_a_greatest_size_on_either_side() -> None:
    most = Most(text=1000, integers=10)
    with pytest.raises(TooLarge):
        encode(Reply("ok", rows=[("x" * 1000,)]), most)
    with pytest.raises(TooLarge):
        encode(Reply("ok", integers=np.zeros(11, dtype=np.int64)), most)
    for text, raw in ((1001, 0), (0, 88), (2**63, 0)):
        with pytest.raises(Malformed):
            lengths(text.to_bytes(8, "little") + raw.to_bytes(8, "little"), most)


def test_what_is_said_of_private_rows_may_fill_the_memory_of_the_child() -> None:
    most = most_of("private", 2**30)
    assert (most.text, most.integers) == (2**30, 2**27)
    assert lengths((2**30).to_bytes(8, "little") + bytes(8), most) == (2**30, 0)
    with pytest.raises(Malformed):
        lengths((2**30 + 1).to_bytes(8, "little") + bytes(8), most)
    assert most_of("private", None).text == 2**36 and most_of("public", 2**30) == Most()


class Ran(Exception):
    """Raised by code of a child that runs in its parent."""


class Evil:
    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.system, ("touch pwned",)


HOSTILE = (
    b"",
    b"null",
    b"[]",
    b'["ok", null, null, null',
    b"[1, null, null, null]",
    b'["ok", null, null, null, null]',
    b'["ok", null, [1000000000000, []], null]',
    b'["ok", null, [-1, []], null]',
    b'["ok", null, [2, [["plain", [1]]]], null]',
    b'["ok", null, [1, [["plain", [[1]]]]], null]',
    b'["ok", null, [1, [["plain", [{}]]]], null]',
    b'["ok", null, [1, [["eval", ["1"]]]], null]',
    b'["ok", null, [1, [["__class__", ["1"]]]], null]',
    b'["ok", null, [1, [["date", ["yesterday"]]]], null]',
    b'["ok", null, [1, [["date", [["2025-01-01"]]]]], null]',
    b'["ok", null, [1, [["doubles", "%%%"]]], null]',
    b'["ok", null, [1, [["doubles", "AAAA"]]], null]',
    b'["ok", null, [1, [["doubles", ["AAAAAAAAAAA="]]]], null]',
    b'["ok", null, [2, [["doubles", "AAAAAAAAAAA="]]], null]',
    b'["ok", null, [1, [["mixed", [["os.system", "true"]]]]], null]',
    b'["ok", null, [1, [["mixed", [["dict", [[["list", []], 1]]]]]]], null]',
    b'["ok", null, [1, [["decimal", [["1"]]]]], null]',
    b'["ok", null, [1, [["timedelta", [[1e999]]]]], null]',
    b'["ok", null, [1, [["uuid", [7]]]], null]',
    b'["ok", null, [1, [["bytes", ["%%%"]]]], null]',
    b'["ok", null, null, [3]]',
    b'["ok", null, null, [-1]]',
    b'["ok", null, null, [true]]',
    b'["ok", null, null, "8"]',
    b'["ok", null, null, [99999999999, 99999999999, 0]]',
    b"[" * 1_000_000,
    b'["ok", ' + b"9" * 1_000_000 + b", null, null]",
    b"\xff\xfe\x00",
    pickle.dumps(("ok", None, None, None)),
    pickle.dumps(Evil()),
)


def test_columns_of_one_type_are_read_back_to_the_bit() -> None:
    doubles = [0.0, -0.0, 1.5, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, 0.1]
    days = [date(2025, 1, 1), date(1, 1, 1), date(2025, 1, 1), date(9999, 12, 31)] * 2
    coded = encode(Reply("ok", rows=list(zip(doubles, days, [*days[:7], None], strict=True))))
    text, _ = lengths(coded[:16])
    rows = decode(coded[16 : 16 + text], b"").rows
    assert rows is not None
    assert [math.copysign(1, row[0]) for row in rows] == [math.copysign(1, d) for d in doubles]
    assert [row[0] for row in rows] == doubles and all(type(row[0]) is float for row in rows)
    assert [row[1] for row in rows] == days and [row[2] for row in rows] == [*days[:7], None]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:50]))
def test_malicious_bytes_are_malformed_and_nothing_else(
    text: bytes, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    tracemalloc.start()
    try:
        with pytest.raises(Malformed) as caught:
            decode(text, b"x")
        assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    finally:
        tracemalloc.stop()
    assert caught.value.__context__ is None and os.listdir() == []


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=9), st.lists).map(
        lambda value: json.dumps(["ok", None, value, None]).encode()
    )
)
@settings(max_examples=50)
def test_whatever_the_bytes_are_the_values_are_of_the_known_types(text: bytes) -> None:
    try:
        reply = decode(text, b"")
    except Malformed:
        return
    assert type(reply) is Reply and known(reply.value) and all(known(list(row)) for row in reply.rows or ())


def known(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(known(v) for v in value)
    if isinstance(value, dict):
        return all(known(k) and known(v) for k, v in value.items())
    plain = (type(None), bool, int, float, str, bytes, date, datetime, time, timedelta, Decimal, UUID)
    return type(value) in plain
