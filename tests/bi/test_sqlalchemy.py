"""The dialect of SQLAlchemy: URLs, connections, pools, Core's SELECTs, and what is told when something is refused."""

from __future__ import annotations

import inspect
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.engine.url import make_url
from sqlalchemy.pool import NullPool, QueuePool, StaticPool

import dpsql
from dpsql.interfaces import shared_connections as shared
from dpsql.interfaces.sqlalchemy import DpsqlDialect
from dpsql.interfaces.sqlalchemy.compiler import DOUBLE, RESERVED
from dpsql.session import refresh_sources

from .conftest import MakeEngine

MOST_SECONDS = 0.020
ROOT = Path(__file__).parents[2]
METADATA = sa.MetaData()
ORDERS = sa.Table(
    "orders",
    METADATA,
    sa.Column("customer", sa.BigInteger),
    sa.Column("region", sa.String),
    sa.Column("product", sa.BigInteger),
    sa.Column("quantity", sa.BigInteger),
    sa.Column("amount", DOUBLE),
    sa.Column("day", sa.Date),
    sa.Column("paid", sa.Boolean),
)
REGIONS = sa.Table("regions", METADATA, sa.Column("region", sa.String), sa.Column("zone", sa.Integer))
N = sa.func.count().label("n")
MONTH = sa.func.date_trunc("month", ORDERS.c.day)
SIZE = sa.case((ORDERS.c.amount > 50, "it's large"), else_="100 %")


def connected(connection: Any) -> dpsql.Connection:
    """The connection of dpsql behind one of SQLAlchemy."""
    found: dpsql.Connection = connection.connection.dbapi_connection
    return found


def spent(engine: Engine) -> float:
    """What alice has spent."""
    with engine.connect() as connection:
        return float(connected(connection).budget().spent.epsilon)


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("dpsql:///shop.yaml?analyst=alice", {"policy": "shop.yaml", "analyst": "alice"}),
        ("dpsql:////srv/shop.yaml?analyst=a%20b", {"policy": "/srv/shop.yaml", "analyst": "a b"}),
        ("dpsql://bob@/p/shop.yaml", {"policy": "p/shop.yaml", "analyst": "bob"}),
        (
            "dpsql:///shop.yaml?analyst=alice&rows=empty&epsilon=0.25&delta=1e-9&ledger=/x/y.ledger",
            {"policy": "shop.yaml", "analyst": "alice", "rows": "empty", "epsilon": "0.25", "delta": "1e-9",
             "ledger": "/x/y.ledger"},
        ),
    ],
)  # fmt: skip
def test_a_url_is_a_policy_and_the_arguments_of_connect(url: str, found: dict[str, str]) -> None:
    assert DpsqlDialect().create_connect_args(make_url(url)) == ((), found)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("dpsql:///shop.yaml", "names an analyst"),
        ("dpsql://?analyst=alice", "names a policy"),
        ("dpsql://host/shop.yaml?analyst=alice", "no host"),
        ("dpsql://alice:secret@/shop.yaml", "password"),
        ("dpsql:///shop.yaml?analyst=alice&row=empty", "no `row`; did you mean `rows`"),
        ("dpsql:///shop.yaml?analyst=alice&analyst=bob", "`analyst` once"),
        ("dpsql://bob@/shop.yaml?analyst=alice", "one analyst"),
    ],
)
def test_a_url_that_says_anything_else_is_refused_by_name(url: str, reason: str) -> None:
    with pytest.raises(sa.exc.ArgumentError, match=reason):
        DpsqlDialect().create_connect_args(make_url(url))


def test_the_entry_points_lead_to_the_dialect() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for target in project["entry-points"]["sqlalchemy.dialects"].values():
        module, _, name = target.partition(":")
        assert getattr(import_module(module), name) is DpsqlDialect


def test_importing_the_dialect_imports_neither_pandas_nor_pyarrow() -> None:
    heavy = "[m for m in ('pandas', 'pyarrow', 'polars') if m in sys.modules]"
    program = f"import sys, dpsql.interfaces.sqlalchemy; print({heavy})"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout == "[]\n"


def test_a_connection_opens_in_less_than_20_ms_once_the_policy_is_loaded(engine: MakeEngine) -> None:
    made = engine()
    with made.connect():
        seconds, connections = [], []
        for _ in range(9):
            begun = time.perf_counter()
            connections.append(made.connect())
            seconds.append(time.perf_counter() - begun)
        for connection in connections:
            connection.close()
    assert median(seconds) < MOST_SECONDS


def test_opening_inspecting_pinging_and_resetting_sends_no_query_and_costs_nothing(
    engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dpsql.Cursor, "execute", lambda *given: pytest.fail("a query was sent"))
    made = engine(more={"poolclass": QueuePool, "pool_pre_ping": True, "pool_size": 1})
    for _ in range(3):
        with made.begin() as connection:
            sa.inspect(connection).get_columns("orders")
            assert connected(connection).budget().spent.epsilon == 0
        made.connect().execution_options(isolation_level="AUTOCOMMIT").close()


SELECTS = {
    "groups": sa.select(ORDERS.c.region, N).group_by(ORDERS.c.region),
    "bound": sa.select(N, sa.func.sum(ORDERS.c.amount)).where(
        ORDERS.c.day >= date(2025, 2, 1), ORDERS.c.region.in_(["north", "south"])
    ),
    "boolean": sa.select(N).where(ORDERS.c.paid == sa.true()),
    "negated": sa.select(N).where(sa.not_(ORDERS.c.paid)),
    "joined": sa.select(REGIONS.c.zone, N)
    .select_from(ORDERS.join(REGIONS, ORDERS.c.region == REGIONS.c.region))
    .group_by(REGIONS.c.zone),
    "month": sa.select(sa.extract("month", ORDERS.c.day).label("month"), N).group_by(sa.text("month")),
    "cast": sa.select(sa.cast(ORDERS.c.paid, sa.Integer).label("p"), N).group_by(sa.text("p")),
    "top": sa.select(ORDERS.c.region, N).group_by(ORDERS.c.region).order_by(N.desc()).limit(2).offset(1),
    "offset": sa.select(ORDERS.c.region, N).group_by(ORDERS.c.region).order_by(N).offset(2),
    "having": sa.select(ORDERS.c.region, N).group_by(ORDERS.c.region).having(sa.func.count() > -10_000),
    "quotient": sa.select((sa.func.sum(ORDERS.c.quantity) / sa.func.count()).label("mean")),
    "distinct": sa.select(sa.func.count(sa.distinct(ORDERS.c.customer))),
    "subquery": sa.select(sa.func.max(sa.select(ORDERS.c.region, N).group_by(ORDERS.c.region).subquery().c.n)),
    "cte": sa.select(sa.select(ORDERS.c.region, N).group_by(ORDERS.c.region).cte("by_region").c.n),
    "ilike": sa.select(N).where(ORDERS.c.region.ilike("NOR%")),
    "case": sa.select(sa.func.sum(sa.case((ORDERS.c.paid, ORDERS.c.amount), else_=0.0))),
    "union": sa.union_all(sa.select(N), sa.select(sa.func.count(sa.distinct(ORDERS.c.customer)))),
    "unit": sa.select(MONTH.label("m"), N).where(date(2025, 2, 1) <= MONTH).group_by(MONTH).order_by("m"),
    "format": sa.select(sa.func.strftime(ORDERS.c.day, "%Y-%m"), N).group_by(sa.func.strftime(ORDERS.c.day, "%Y-%m")),
    "written": sa.select(SIZE, ORDERS.c.quantity // 3, N).group_by(SIZE, ORDERS.c.quantity // 3),
    "nothing": sa.select(sa.literal(None, sa.String).label("x"), N).select_from(ORDERS),
    "public": sa.select(REGIONS.c.region).order_by(REGIONS.c.zone, REGIONS.c.region),
}  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", SELECTS)
def test_selects_of_core_are_answered_under_the_columns_that_core_expects(
    name: str, engine: MakeEngine
) -> None:
    made = engine()
    with made.connect() as connection:
        result = connection.execute(SELECTS[name])
        assert len(list(result.keys())) == len(SELECTS[name].selected_columns)
        rows = result.fetchall()
    assert rows
    assert spent(made) == (0 if name == "public" else 1)


@pytest.mark.parametrize("name", SELECTS)
def test_selects_of_core_are_what_duckdb_understands(name: str, shop: Path) -> None:
    compiled = SELECTS[name].compile(
        dialect=DpsqlDialect(paramstyle="qmark"), compile_kwargs={"render_postcompile": True}
    )
    values = [compiled.params[key] for key in compiled.positiontup or ()]
    with duckdb.connect(str(shop / "shop.duckdb"), read_only=True) as plain:
        assert plain.execute(str(compiled), values).fetchall()


def test_limit_0_of_core_is_free(engine: MakeEngine) -> None:
    made = engine()
    with made.connect() as connection:
        assert connection.execute(sa.select(ORDERS).limit(0)).fetchall() == []
        assert connection.execute(SELECTS["groups"].limit(0)).fetchall() == []
    assert spent(made) == 0


def test_a_query_that_was_compiled_before_takes_its_new_values(engine: MakeEngine) -> None:
    made = engine()
    with made.connect() as connection:
        found = {
            limit: connection.execute(SELECTS["groups"].limit(limit)).fetchall() for limit in (1, 2, 3, 0)
        }
        assert {limit: len(rows) for limit, rows in found.items()} == {1: 1, 2: 2, 3: 3, 0: 0}
    assert spent(made) == 1


@pytest.mark.parametrize(
    "name", ["plain", "select", "Orders", "größe", 'a"b', "1st", "two words", "_x", "qualify"]
)
def test_names_are_quoted_so_that_duckdb_reads_them_back(name: str) -> None:
    column = sa.column(name)
    table = sa.table("t", column)
    text = str(sa.select(table.c[name]).compile(dialect=DpsqlDialect()))
    with duckdb.connect(":memory:") as plain:
        escaped = name.replace('"', '""')
        plain.execute(f'CREATE TABLE t AS SELECT 1 AS "{escaped}"')
        assert [d[0] for d in plain.execute(text).description] == [name]


def test_the_reserved_words_are_duckdbs() -> None:
    found = duckdb.sql("SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'")
    assert {row[0] for row in found.fetchall()} == RESERVED


def test_a_refused_query_shows_its_whole_sentence(engine: MakeEngine, shop: Path) -> None:
    sql = "SELECT amount FROM orders"
    with (
        dpsql.connect(shop / "shop.yaml", analyst="alice") as plain,
        pytest.raises(dpsql.QueryRefused) as direct,
    ):
        plain.execute(sql)
    with engine().connect() as connection, pytest.raises(sa.exc.ProgrammingError) as caught:
        connection.execute(sa.text(sql))
    assert str(direct.value) in str(caught.value)
    assert isinstance(caught.value.orig, dpsql.QueryRefused)
    assert caught.value.orig.__traceback__ is None or "pipeline" not in str(caught.value)


def test_writing_is_refused(engine: MakeEngine) -> None:
    with engine().connect() as connection:
        for statement in (
            ORDERS.insert().values(customer=1),
            ORDERS.delete(),
            sa.schema.CreateTable(sa.Table("new", sa.MetaData(), sa.Column("x", sa.Integer))),
        ):
            with pytest.raises(sa.exc.ProgrammingError, match="QueryRefused"):
                connection.execute(statement)


@pytest.mark.parametrize("pool", [NullPool, QueuePool, StaticPool])
def test_a_pool_that_hands_a_connection_to_another_thread_works(pool: type, engine: MakeEngine) -> None:
    made = engine(more={"poolclass": pool})

    def asked(turn: int) -> Any:
        with made.connect() as connection:
            return connection.execute(SELECTS["groups"].order_by(ORDERS.c.region)).fetchall()

    rows = asked(0)
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        for turn in range(4):
            assert (one if turn % 2 else other).submit(asked, turn).result() == rows
    assert spent(made) == 1


def test_the_sizes_of_a_pool_that_tools_ask_for_are_taken(engine: MakeEngine) -> None:
    made = engine(more={"pool_size": 5, "max_overflow": 2, "pool_timeout": 9, "pool_pre_ping": True})
    with made.connect() as connection:
        assert connection.execute(sa.text("SELECT 1")).scalar() == 1


def test_a_pooled_connection_of_older_data_is_replaced(
    tmp_path: Path, engine: MakeEngine, shop: Path
) -> None:
    made = engine(more={"poolclass": QueuePool})
    with made.connect() as connection:
        assert connection.execute(SELECTS["groups"]).fetchall()
    refresh_sources(shop / "shop.yaml", tmp_path / "test.ledger", "admin")
    with (
        made.connect() as connection,
        pytest.raises(sa.exc.DBAPIError, match="open a new connection") as error,
    ):
        connection.execute(SELECTS["month"])
    assert error.value.connection_invalidated
    with made.connect() as connection:
        assert connection.execute(SELECTS["month"]).fetchall()


def test_an_exhausted_budget_is_told_as_such(shop: Path, tmp_path: Path, engine: MakeEngine) -> None:
    poor = shop / "poor.yaml"
    poor.write_text(
        (shop / "shop.yaml").read_text("utf-8").replace("default: {epsilon: 1000", "default: {epsilon: 1")
    )
    with engine("poor").connect() as connection:
        connection.execute(SELECTS["groups"])
        with pytest.raises(sa.exc.OperationalError, match="does not cover this query"):
            connection.execute(SELECTS["month"])


@pytest.mark.parametrize(
    "options", [{"analyst": "dataset"}, {"rows": "all"}, {"epsilon": "much"}, {"epsilon": "900"}]
)
def test_a_wrong_argument_is_an_error_of_sqlalchemy(options: dict[str, str], engine: MakeEngine) -> None:
    with pytest.raises(sa.exc.DBAPIError) as caught:
        engine(**options).connect()
    assert isinstance(caught.value.orig, dpsql.Error)


def test_the_accuracy_of_a_url_is_that_of_its_queries(engine: MakeEngine) -> None:
    made = engine(accuracy="1000")
    with made.connect() as connection:
        connection.execute(SELECTS["groups"])
    assert 0 < spent(made) < 1


def test_every_argument_of_connect_may_stand_in_a_url() -> None:
    """But for `fresh`, since a dashboard that drew anew would pay for every refresh, and for frames."""
    arguments = {*inspect.signature(dpsql.connect).parameters} - {"policy", "fresh", "tables"}
    assert arguments == {*inspect.signature(shared.connect).parameters} - {"policy"}
    url = "dpsql:///shop.yaml?" + "&".join(f"{name}=1" for name in arguments)
    _, found = DpsqlDialect().create_connect_args(make_url(url))
    assert found.keys() == arguments | {"policy"}


def test_a_bound_value_of_each_kind_arrives(engine: MakeEngine) -> None:
    values: dict[str, object] = {"a": 1, "b": 2.5, "c": "x", "d": date(2025, 1, 1), "e": True, "f": None}
    select = sa.select(*(sa.bindparam(name, value).label(name) for name, value in values.items()))
    with engine().connect() as connection:
        assert dict(connection.execute(select).mappings().one()) == values
