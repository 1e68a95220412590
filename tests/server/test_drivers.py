"""A short session through every driver that is installed: connect, parameters, an error, a notice, reflection."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import psycopg
import pytest
import sqlalchemy
from sqlalchemy import create_engine, inspect
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from server.served import PASSWORD, Served

COUNT = "SELECT COUNT(*) FROM orders WHERE product = {} AND day < {}"
DAY = date(2025, 2, 1)


def dbapi(module: str, server: Served) -> Any:
    driver = pytest.importorskip(module)
    return driver.connect(
        host="127.0.0.1", port=server.port, user="alice", password=PASSWORD, database="shop"
    )


def test_psycopg(server: Served) -> None:
    notices: list[str] = []
    with server.connect() as connection:
        connection.add_notice_handler(lambda notice: notices.append(str(notice.message_primary)))
        found = connection.execute(COUNT.format("%s", "%s"), (3, DAY)).fetchone()
        assert found is not None and isinstance(found[0], int)
        charged = [notice for notice in notices if notice.startswith("charged")]
        assert [notice.split(",")[0] for notice in charged] == ["charged epsilon 1"]
        notices.clear()
        binary = connection.cursor(binary=True).execute(COUNT.format("%s", "%s"), (3, DAY)).fetchone()
        assert binary == found  # and stored: no other notice
        assert not any(notice.startswith("charged") for notice in notices)
        with pytest.raises(psycopg.errors.UndefinedTable) as caught:
            connection.execute("SELECT * FROM nowhere")
        assert caught.value.diag.statement_position == "15"
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM orders")
        listed = "SELECT product FROM products WHERE product = ANY(%s) AND label <> ALL(%s) ORDER BY product"
        for form in (False, True):
            found = connection.cursor(binary=form).execute(listed, ([101, 102, 103], ["ink"]))
            assert found.fetchall() == [(101,), (103,)]
        with connection.pipeline():
            first, second = connection.execute("SELECT 1"), connection.execute("SELECT 2")
            assert (first.fetchone(), second.fetchone()) == ((1,), (2,))
        with connection.cursor().copy("COPY (SELECT region FROM regions) TO STDOUT") as copy:
            assert b"".join(copy).count(b"\n") >= 4
        with connection.transaction(), connection.cursor("named") as cursor:
            cursor.execute("SELECT region FROM regions")
            assert len(cursor.fetchall()) >= 4


def test_psycopg2(server: Served) -> None:
    connection = dbapi("psycopg2", server)
    cursor = connection.cursor()
    cursor.execute(COUNT.format("%s", "%s"), (4, DAY))
    assert isinstance(cursor.fetchone()[0], int)
    assert any("charged epsilon 1" in notice for notice in connection.notices)
    with pytest.raises(connection.ProgrammingError) as caught:
        cursor.execute("SELECT * FROM nowhere")
    assert caught.value.pgcode == "42P01"
    connection.rollback()
    cursor.execute("SELECT 1")
    assert cursor.fetchone() == (1,)
    connection.close()


def test_pg8000(server: Served) -> None:
    driver, connection = pytest.importorskip("pg8000.dbapi"), dbapi("pg8000.dbapi", server)
    cursor = connection.cursor()
    cursor.execute(COUNT.format("%s", "%s"), (5, DAY))
    assert isinstance(cursor.fetchone()[0], int)
    assert any(b"charged epsilon 1" in notice[b"M"] for notice in connection.notices)
    with pytest.raises(driver.DatabaseError) as caught:
        cursor.execute("SELECT * FROM nowhere")
    assert caught.value.args[0]["C"] == "42P01"
    connection.rollback()
    connection.close()


def test_asyncpg(server: Served) -> None:
    asyncpg = pytest.importorskip("asyncpg")

    async def run() -> None:
        notices: list[str] = []
        connection = await asyncpg.connect(
            host="127.0.0.1", port=server.port, user="alice", password=PASSWORD, database="shop", ssl=False
        )
        connection.add_log_listener(lambda _, notice: notices.append(notice.message))
        assert isinstance(await connection.fetchval(COUNT.format("$1", "$2"), 6, DAY), int)
        await asyncio.sleep(0)
        assert any("charged epsilon 1" in notice for notice in notices)
        with pytest.raises(asyncpg.UndefinedTableError):
            await connection.fetch("SELECT * FROM nowhere")
        assert [tuple(row) for row in await connection.fetch("SELECT 1, 'x'")] == [(1, "x")]
        listed = "SELECT region FROM regions WHERE region = ANY($1) ORDER BY region"
        assert [row[0] for row in await connection.fetch(listed, ["north", "east"])] == ["east", "north"]
        assert await connection.fetch(listed, []) == []
        behind = "SELECT region FROM regions WHERE region > ALL($1) ORDER BY region LIMIT 1"
        assert [row[0] for row in await connection.fetch(behind, ["east", "north"])] == ["south"]
        # A type that it does not know is looked up by a query with a parameter oid[], which it knows.
        assert await connection.fetchval("SELECT ARRAY[1, 2]") == [1, 2]
        named = "SELECT typname FROM pg_type WHERE oid = ANY($1::oid[]) ORDER BY oid"
        assert [row[0] for row in await connection.fetch(named, [25, 16])] == ["bool", "text"]
        assert await connection.fetchval("SELECT typname FROM pg_type WHERE oid = $1::oid", 16) == "bool"
        await connection.close()

    asyncio.run(run())


def test_a_pool_opens_all_its_connections_at_once(server: Served) -> None:
    asyncpg = pytest.importorskip("asyncpg")

    async def ask() -> list[int]:
        pool = await asyncpg.create_pool(
            host="127.0.0.1", port=server.port, user="carol", password=PASSWORD, database="shop", ssl=False,
            min_size=10, max_size=10,
        )  # fmt: skip
        async with pool:
            return await asyncio.gather(*(pool.fetchval("SELECT pg_backend_pid()") for _ in range(10)))

    assert len(set(asyncio.run(ask()))) == 10


def test_adbc(server: Served) -> None:
    driver = pytest.importorskip("adbc_driver_postgresql.dbapi")
    address = f"postgresql://alice:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{server.port}/shop"
    with driver.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT region, COUNT(*) AS n FROM orders GROUP BY region")
        table = cursor.fetch_arrow_table()
        assert table.column_names == ["region", "n"] and table.num_rows == 4


@pytest.mark.one_in(8)
@pytest.mark.parametrize("driver", ["psycopg2", "psycopg", "pg8000", "asyncpg"])
def test_sqlalchemy_reflects_through(driver: str, server: Served) -> None:
    pytest.importorskip(driver)
    if driver == "asyncpg":
        pytest.importorskip("greenlet")
    url = URL.create(f"postgresql+{driver}", "alice", PASSWORD, "127.0.0.1", server.port, "shop")
    if driver == "asyncpg":
        asyncio.run(_asynchronously(url))
        return
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        _check(connection)


async def _asynchronously(url: URL) -> None:
    from sqlalchemy.ext.asyncio import create_async_engine

    async with create_async_engine(url, poolclass=NullPool).connect() as connection:
        await connection.run_sync(_check)


def _check(connection: sqlalchemy.Connection) -> None:
    inspector = inspect(connection)
    assert {"orders", "regions"} <= set(inspector.get_table_names())
    columns = {column["name"]: str(column["type"]) for column in inspector.get_columns("orders")}
    assert columns["day"] == "DATE" and columns["amount"].startswith("DOUBLE")
    orders = sqlalchemy.Table("orders", sqlalchemy.MetaData(), autoload_with=connection)
    count = sqlalchemy.select(sqlalchemy.func.count()).select_from(orders).where(orders.c.day < DAY)
    assert isinstance(connection.execute(count).scalar(), int)


def test_a_client_that_asks_for_a_server_to_write_to_is_let_in(server: Served) -> None:
    """As connection pools with a primary do: what cannot be written is refused by itself."""
    with psycopg.connect(
        host="127.0.0.1",
        port=server.port,
        user="alice",
        password=PASSWORD,
        dbname="shop",
        target_session_attrs="read-write",
    ) as connection:
        assert connection.execute("SHOW transaction_read_only").fetchone() == ("off",)
        with pytest.raises(psycopg.Error):
            connection.execute("CREATE TABLE x (a int)")


def test_psycopg_declares_a_cursor_with_parameters(server: Served) -> None:
    with psycopg.connect(
        host="127.0.0.1", port=server.port, user="alice", password=PASSWORD, dbname="shop"
    ) as connection:
        with connection.cursor("listed") as cursor:
            cursor.execute("SELECT region FROM regions WHERE region > %s ORDER BY region", ("m",))
            assert [row[0] for row in cursor.fetchmany(1)] == ["north"]
        with connection.cursor("counted") as cursor:
            cursor.execute("SELECT COUNT(*) FROM orders WHERE product > %s AND day < %s", (6, DAY))
            ((count,),) = cursor.fetchall()
            assert isinstance(count, int)
