"""Frames as sources: one content is one version whatever library holds it, and no value decides about another's."""

from __future__ import annotations

import datetime
import decimal
import os
from contextlib import closing
from pathlib import Path

import numpy
import pandas
import polars
import pyarrow
import pytest
from answers.noiseless import Noiseless
from pyarrow import parquet

import dpsql
from dpsql.engines.sources.arrow_tables import arrow_table, content_of_table
from dpsql.engines.sources.frames import HandedFrames
from dpsql.errors import InterfaceError, OperationalError, PolicyError, WrongType
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.session import Session, build_session

POLICY = """version: 1
privacy: {{unit: orders.customer, max_rows_per_unit: 9}}
accountant: pure
tables:
  orders:
    source: frame
    unit_key: customer
    columns:
      customer: {{type: integer}}
      region: {{type: text, values: [north, south], nullable: true}}
      amount: {{type: float, lower: 0, upper: 100, step: 0.5, nullable: true}}
      day: {{type: date, lower: 2025-01-01, upper: 2025-12-31, nullable: true}}
      moment: {{type: timestamp, nullable: true}}
      paid: {{type: boolean, nullable: true}}
  regions: {{source: frame, public: true}}
engine: {{isolation: {isolation}}}
budgets: {{dataset: {{epsilon: 1000}}, default: {{epsilon: 1000, per_query: 1}}}}
"""
NOON = datetime.datetime(2025, 1, 2, 12)
ROWS = {
    "customer": [1, 1, 2, 3],
    "region": ["north", "south", "north", None],
    "amount": [1.5, 2.0, None, 100.0],
    "day": [datetime.date(2025, 1, 2), None, datetime.date(2025, 12, 31), datetime.date(2025, 1, 1)],
    "moment": [NOON, None, NOON, NOON],
    "paid": [True, False, None, True],
}
REGIONS = pyarrow.table({"region": ["north", "south"], "name": ["N", "S"]})
ASKED = (
    "SELECT COUNT(*) FROM orders",
    "SELECT SUM(amount) FROM orders WHERE paid",
    "SELECT COUNT(*) FROM orders WHERE day >= DATE '2025-01-02'",
    "SELECT COUNT(*) FROM orders WHERE moment = TIMESTAMP '2025-01-02 12:00:00'",
    "SELECT COUNT(*) FROM orders JOIN regions USING (region) WHERE name = 'N'",
)
FOUND = [4, 101.5, 2, 3, 2]
ZONED = pyarrow.timestamp("us", "Europe/Berlin")


def as_arrow() -> pyarrow.Table:
    return pyarrow.table(ROWS)


def in_unit(unit: str, zone: str | None = None) -> pyarrow.Table:
    moments = as_arrow()["moment"].cast(pyarrow.timestamp(unit)).cast(pyarrow.timestamp(unit, zone))
    return as_arrow().set_column(4, "moment", moments)


FRAMES = {
    "pyarrow": as_arrow,
    "pyarrow, with dictionaries and zones": lambda: as_arrow().set_column(
        1, "region", as_arrow()["region"].dictionary_encode()
    ).set_column(4, "moment", as_arrow()["moment"].cast(pyarrow.timestamp("us", "UTC")).cast(ZONED)),
    "pyarrow, moments in milliseconds": lambda: in_unit("ms"),
    "pyarrow, moments in seconds of a zone": lambda: in_unit("s", "Europe/Berlin"),
    "pyarrow, in pieces": lambda: pyarrow.concat_tables([as_arrow().slice(0, 3), as_arrow().slice(3)]),
    "polars": lambda: polars.DataFrame(ROWS),
    "polars, with categories": lambda: polars.DataFrame(ROWS).cast({"region": polars.Categorical}),
    "pandas": lambda: pandas.DataFrame(ROWS).astype({"moment": "datetime64[us]"}),
    "pandas of objects": lambda: pandas.DataFrame(ROWS).astype(object),
    "pandas of Arrow": lambda: as_arrow().to_pandas(types_mapper=pandas.ArrowDtype),
    "pandas, with categories": lambda: pandas.DataFrame(ROWS).astype(
        {"moment": "datetime64[us]"}
    ).astype("category"),
}  # fmt: skip


def policy_in(folder: Path, isolation: str = "inline") -> Policy:
    (folder / "policy.yaml").write_text(POLICY.format(isolation=isolation), encoding="utf-8")
    return load_policy(folder / "policy.yaml")


def opened(policy: Policy, orders: object) -> Session:
    frames = HandedFrames(policy, {"orders": orders, "regions": REGIONS})
    return build_session(frames.policy, "a", None, (None, None), Noiseless(), frames=frames)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_every_library_gives_the_same_rows_and_the_same_content(frame, tmp_path: Path) -> None:
    policy = policy_in(tmp_path)
    with closing(opened(policy, as_arrow())), closing(opened(policy, frame())) as session:
        assert [session.answer(sql).rows[0][0] for sql in ASKED] == FOUND


def test_engines_in_processes_read_the_same_rows(tmp_path: Path) -> None:
    with closing(opened(policy_in(tmp_path, "process"), as_arrow())) as session:
        assert [session.answer(sql).rows[0][0] for sql in ASKED] == FOUND


def test_another_content_is_refused_until_it_is_refreshed(tmp_path: Path) -> None:
    policy_in(tmp_path)
    there = {"orders": as_arrow(), "regions": REGIONS}
    more = {**there, "orders": as_arrow().slice(0, 3)}
    with dpsql.connect(tmp_path / "policy.yaml", analyst="a", tables=there) as connection:
        connection.execute("SELECT COUNT(*) FROM orders")
    with pytest.raises(OperationalError, match="the data has changed"):
        dpsql.connect(tmp_path / "policy.yaml", analyst="a", tables=more)
    assert dpsql.refresh(tmp_path / "policy.yaml", tables=more) == 2
    dpsql.connect(tmp_path / "policy.yaml", analyst="a", tables=more).close()
    with pytest.raises(OperationalError, match="the data has changed"):
        dpsql.connect(tmp_path / "policy.yaml", analyst="a", tables=there)


def test_a_frame_that_is_changed_later_changes_nothing(tmp_path: Path) -> None:
    frame = pandas.DataFrame(ROWS)
    with closing(opened(policy_in(tmp_path), frame)) as session:
        frame.loc[:, "paid"] = False
        assert session.answer(ASKED[1]).rows == ((101.5,),)


@pytest.mark.parametrize("change", range(len(ROWS)))
def test_the_content_tells_every_column_and_null_apart(change: int, tmp_path: Path) -> None:
    table = policy_in(tmp_path).tables[0]
    name = list(ROWS)[change]
    values = [None, *ROWS[name][1:]]
    others = {**ROWS, name: values}
    zero = {"customer": 0, "region": "", "amount": 0.0, "paid": False}.get(name)
    seen = {content_of_table(arrow_table(pyarrow.table(rows), table)) for rows in (ROWS, others)}
    if zero is not None:
        filled = pyarrow.table({**ROWS, name: [zero, *ROWS[name][1:]]})
        seen.add(content_of_table(arrow_table(filled, table)))
    assert len(seen) == 2 + (zero is not None)


def test_what_stands_behind_a_null_is_no_content(tmp_path: Path) -> None:
    table = policy_in(tmp_path).tables[0]

    def content(hidden: int) -> str:
        kept = numpy.array([1, 2, 3, hidden])
        column = pyarrow.Array.from_buffers(
            pyarrow.int64(), 4, [pyarrow.py_buffer(bytes([0b0111])), pyarrow.py_buffer(kept.tobytes())]
        )
        return content_of_table(arrow_table(pyarrow.table({**ROWS, "customer": column}), table))

    assert content(7) == content(8)


OBJECTS = {
    "customer": (1, [True, 1.5, "1", None, 2**70, decimal.Decimal(1)]),
    "region": ("north", [1, None, float("nan"), b"x", "\ud800", ["north"]]),
    "amount": (1.5, [True, "1.5", None, float("nan"), 10**400, [1]]),
    "day": (datetime.date(2025, 1, 2), [NOON, "2025-01-02", 1, pandas.NaT]),
    "moment": (NOON, [datetime.date(2025, 1, 2), "2025-01-02", pandas.NaT, numpy.datetime64("2025-01-02")]),
    "paid": (True, [1, "true", None, 0.0]),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_read_alone(name: str, tmp_path: Path) -> None:
    """Beside whatever else, a good value stays what it is, and what is no value of the type is NULL."""
    table = policy_in(tmp_path).tables[0]
    good, others = OBJECTS[name]
    for other in others:
        frame = pandas.DataFrame({**{key: [None, None] for key in ROWS}, name: [good, other]}, dtype=object)
        assert arrow_table(frame, table).column(name).to_pylist() == [good, None], other


def test_a_text_of_python_s_is_read_alone(tmp_path: Path) -> None:
    """Half a surrogate pair is no text, and refuses nobody else's."""
    table, texts = policy_in(tmp_path).tables[0], ["north", "\ud800", None]
    frame = pandas.DataFrame({"region": pandas.Series(texts, dtype="string[python]")})
    assert arrow_table(frame, table).column("region").to_pylist() == ["north", None, None]


@pytest.mark.parametrize("name", ROWS)
def test_a_category_is_read_alone(name: str, tmp_path: Path) -> None:
    """A missing value is NULL beside categories of any type, and where there is none."""
    table, good = policy_in(tmp_path).tables[0], OBJECTS[name][0]
    for values in ([good, None], [None, None]):
        frame = pandas.DataFrame({name: pandas.Categorical(values)})
        assert arrow_table(frame, table).column(name).to_pylist() == values


@pytest.mark.parametrize("name", ROWS)
def test_a_column_without_any_value_is_read(name: str, tmp_path: Path) -> None:
    table, nothing = policy_in(tmp_path).tables[0], {name: [None, None]}
    frames = (pyarrow.table(nothing), polars.DataFrame(nothing), pandas.DataFrame(nothing, dtype=object))
    read = [arrow_table(frame, table) for frame in frames]
    assert all(found.column(name).to_pylist() == [None, None] for found in read)
    assert len(set(map(content_of_table, read))) == 1


def test_a_moment_with_a_zone_among_objects_is_one_in_utc(tmp_path: Path) -> None:
    zone = datetime.timezone(datetime.timedelta(hours=2))
    first = datetime.datetime(1, 1, 1, tzinfo=zone)
    frame = pandas.DataFrame({"moment": [NOON.replace(tzinfo=zone), first]}, dtype=object)
    read = arrow_table(frame, policy_in(tmp_path).tables[0])
    assert read.column("moment").to_pylist() == [NOON - datetime.timedelta(hours=2), None]


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_a_moment_that_is_too_far_fails_nobody(unit: str, tmp_path: Path) -> None:
    far = pyarrow.array([2**63 - 1, 2 - 2**63, None, None], pyarrow.int64()).view(pyarrow.timestamp(unit))
    counted = "SELECT COUNT(*) FROM orders WHERE moment {} TIMESTAMP '2025-01-02'"
    with closing(opened(policy_in(tmp_path), as_arrow().set_column(4, "moment", far))) as session:
        found = [session.answer(counted.format(compared)).rows[0][0] for compared in "><"]
    assert found == [1, 1]


def test_nan_is_missing_in_pandas_and_a_number_elsewhere(tmp_path: Path) -> None:
    table, nan = policy_in(tmp_path).tables[0], float("nan")
    for dtype in ("float64", "Float64", "float64[pyarrow]"):
        frame = pandas.DataFrame({"amount": pandas.array([0.0, 1.0], dtype=dtype)})
        with numpy.errstate(invalid="ignore"):
            frame["amount"] = frame["amount"] / frame["amount"]
        assert arrow_table(frame, table).column("amount").to_pylist() == [None, 1.0], dtype
    read = arrow_table(polars.DataFrame({"amount": [nan, 1.0]}), table).column("amount").to_pylist()
    assert read[0] != read[0] and read[1] == 1.0


ENDS = numpy.arange(5, dtype="int32").tobytes()
DAMAGED = pyarrow.StringArray.from_buffers(4, pyarrow.py_buffer(ENDS), pyarrow.py_buffer(b"\xff\xfe\xfd\xfc"))
REFUSED = {
    "no frame": ([1, 2], "a frame is a table of pyarrow, pandas or polars, not list"),
    "lazy": (polars.DataFrame(ROWS).lazy(), "collect a lazy one first"),
    "a list": (as_arrow().set_column(2, "amount", [[[1.0]] * 4]), "amount is list<item: double>, which cannot"),
    "two names": (pyarrow.table([[1], [2]], names=["customer", "Customer"]), "two columns customer"),
    "a text for a number": (as_arrow().set_column(2, "amount", [["1"] * 4]), "VARCHAR, which cannot be read as float"),
    "no columns": (pyarrow.table({"x": [1]}), "none of the columns"),
    "a missing column": (as_arrow().drop_columns("paid"), "the source has no such column"),
    "a null where none is declared": (
        as_arrow().set_column(0, "customer", [pyarrow.array([1, 1, 2, None])]), None
    ),
    "texts that are none": (
        as_arrow().set_column(1, "region", pyarrow.chunked_array([DAMAGED])),
        "a text in it is damaged",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("frame", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_says_why(frame: object, message: str | None, tmp_path: Path) -> None:
    policy = policy_in(tmp_path)
    if message is None:  # a row without a key belongs to nobody, as in every source
        with closing(opened(policy, frame)) as session:
            assert session.answer(ASKED[0]).rows == ((3,),)
        return
    with pytest.raises(PolicyError, match=message):
        opened(policy, frame)


def test_frames_are_handed_over_for_the_tables_that_take_one(tmp_path: Path) -> None:
    policy_in(tmp_path)
    connect, path = dpsql.connect, tmp_path / "policy.yaml"
    with pytest.raises(
        PolicyError, match=r"tables.orders.source: the policy takes a frame here; hand it over"
    ):
        connect(path, analyst="a", tables={"regions": REGIONS})
    with pytest.raises(InterfaceError, match="no table 'order'; did you mean"):
        connect(path, analyst="a", tables={"order": as_arrow()})
    with pytest.raises(WrongType, match="tables is a dict of frames"):
        connect(path, analyst="a", tables=[as_arrow()])
    REGIONS.to_pandas().to_csv(tmp_path / "regions.csv", index=False)
    path.write_text(path.read_text().replace("regions: {source: frame", "regions: {source: regions.csv"))
    with pytest.raises(InterfaceError, match="the policy reads regions from a file"):
        connect(path, analyst="a", tables={"orders": as_arrow(), "regions": REGIONS})


def test_whoever_hands_over_all_private_rows_is_told_what_is_wrong_with_them(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY.format(isolation="inline").replace("south], nullable: true", "south]"))
    frames = {"orders": as_arrow(), "regions": REGIONS}
    with pytest.raises(PolicyError, match=r"columns.region: the column has NULLs; declare it nullable"):
        dpsql.connect(path, analyst="a", tables=frames)
    parquet.write_table(pyarrow.table({"c": [1]}), tmp_path / "others.parquet")
    others = "  others: {source: others.parquet, unit_key: c, columns: {c: {type: integer}}}\n"
    path.write_text(path.read_text().replace("  regions:", f"{others}  regions:"))
    with pytest.raises(PolicyError, match=r"the data does not satisfy the policy; see `dpsql check`"):
        dpsql.connect(path, analyst="a", tables=frames)


def test_copies_are_for_this_user_and_gone_with_the_session(tmp_path: Path) -> None:
    with closing(opened(policy_in(tmp_path), as_arrow())) as session:
        path = session.policy.tables[0].source.path
        assert os.stat(path).st_mode & 0o777 == 0o600 and os.stat(path).st_nlink == 0
    assert not path.exists()
    assert {p.name for p in tmp_path.iterdir()} <= {"policy.yaml", "policy.ledger"}


def test_a_directory_for_copies_is_used_and_left_empty(tmp_path: Path) -> None:
    directory = tmp_path / "spill"
    directory.mkdir()
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY.format(isolation="inline, temp_directory: spill"), encoding="utf-8")
    with closing(opened(load_policy(path), as_arrow())) as session:
        target = os.readlink(session.policy.tables[0].source.path)
        assert target.startswith(str(directory)) and target.endswith("(deleted)")
        assert session.answer(ASKED[0]).rows == ((4,),)
    assert list(directory.iterdir()) == []
