"""Answers from PostgreSQL's catalogs, in the types that PostgreSQL itself sends them in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from struct import pack

import psycopg
import pytest
from postgresql.server import Server

from dpsql.dbapi import Connection
from dpsql.engines.base import OutputColumn
from dpsql.interfaces.wire.channel import Opening, SessionSettings
from dpsql.interfaces.wire.conversation import converse
from dpsql.interfaces.wire.failures import Unsendable
from dpsql.interfaces.wire.values.data_rows import written_as
from dpsql.interfaces.wire.values.wire_types import column_type
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.session import build_session
from dpsql.sql.system_tables.system_context import Client
from wire.openings import Shop
from wire.protocol_scripts import MemoryChannel, client_message, shown, split

STATEMENTS = (
    "SELECT oid, relname, relkind, relnamespace FROM pg_class WHERE relname = 'pg_class'",
    "SELECT typname, typinput, typlen, typtype FROM pg_type WHERE oid = 16",
    "SELECT attname, attnum, atttypid FROM pg_attribute WHERE attrelid = 1259 AND attnum = 1",
    "SELECT array_agg(typname) AS a, array_agg(oid) AS b FROM pg_type WHERE oid = 16",
    "SELECT 'pg_class'::regclass AS a, 5::oid AS b, 'x'::name AS c, '{1,2}'::int[] AS d",
    "SELECT 1 AS one, 'a' AS two, 1.5 AS three, true AS four",
    "SELECT pg_advisory_lock(1), pg_advisory_unlock(1)",
)


@pytest.fixture
def opening(shop: Shop) -> Iterator[Opening]:
    """A session that knows the database by a name, as a PostgreSQL client's does."""
    opened: list[Connection] = []

    def connect(settings: SessionSettings) -> Connection:
        policy = load_policy(shop.policy)
        session = build_session(
            *(policy, "alice", shop.ledger, (None, None), ExactSampler()),
            any_thread=True,
            client=Client("shop"),
        )
        opened.append(Connection(session))
        return opened[-1]

    yield replace(shop.opening(), connect=connect)
    for connection in opened:
        connection.close()


def answers(sql: str, form: str, opening: Opening) -> tuple[list[bytes], list[str]]:
    """The messages of the extended protocol, with results in one format, and what they say."""
    sent = [f'Parse "" {sql}', f'Bind "" "" -> {form}', 'Describe P ""', 'Execute ""', "Sync"]
    channel = MemoryChannel(tuple(map(client_message, sent)))
    converse(channel, opening)
    return [m for m in split(channel.received) if m[:1] in (b"T", b"D", b"E")], shown(channel.received)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("form", ["t", "b"])
@pytest.mark.parametrize("sql", STATEMENTS)
def test_catalogs_are_sent_as_postgresql_sends_them(
    sql: str, form: str, opening: Opening, postgres_server: Server
) -> None:
    messages, said = answers(sql, form, opening)
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        given = db.execute(sql.encode(), binary=form == "b", prepare=False).pgresult
    assert given is not None
    cells = [given.get_value(0, i) for i in range(given.nfields)]
    row = b"".join(b"\xff" * 4 if c is None else pack("!i", len(c)) + c for c in cells)
    assert messages[-1] == b"D" + pack("!ih", len(row) + 6, given.nfields) + row
    told = said[2].split(" ")[1:]
    assert [t.partition(":")[0] for t in told] == [
        (given.fname(i) or b"").decode() for i in range(given.nfields)
    ]
    fields = messages[0][7:]
    for i in range(given.nfields):
        name, _, fields = fields.partition(b"\0")
        assert int.from_bytes(fields[6:10]) == given.ftype(i), name
        fields = fields[18:]


VECTORS = (("INTEGER[]", "int2vector", [1, 2]), ("BIGINT[]", "oidvector", [3]), ("BIGINT[]", "oidvector", []))


@pytest.mark.parametrize(("held", "kind", "value"), VECTORS)
def test_vectors_are_sent_as_postgresql_sends_them(
    held: str, kind: str, value: list[int], postgres_server: Server
) -> None:
    column = OutputColumn("a", held, kind)
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        for form in (0, 1):
            sql = f"SELECT '{' '.join(map(str, value))}'::{kind}"
            given = db.execute(sql.encode(), binary=bool(form)).pgresult
            assert given is not None
            assert written_as([column], [form])[0].cells([value]) == [given.get_value(0, 0)]
            assert given.ftype(0) == column_type(column).oid


def test_types_of_catalogs_that_the_engine_holds_as_others_are_told() -> None:
    assert column_type(OutputColumn("a", "VARCHAR[]", "anyarray")).oid == 2277
    assert column_type(OutputColumn("a", "BIGINT", "regconfig")).oid == 3734


def test_a_catalog_type_that_does_not_fit_is_not_told() -> None:
    assert column_type(OutputColumn("a", "DOUBLE", "oid")).oid == 701
    assert column_type(OutputColumn("a", "BIGINT[]", "oid")).oid == 1016
    assert column_type(OutputColumn("a", "VARCHAR", "no_such_type")).oid == 25


@pytest.mark.parametrize("kind", ["regclass", "regtype", "inet", "pg_node_tree"])
def test_what_has_no_binary_form_here_fails_closed(kind: str) -> None:
    cells = written_as([OutputColumn("a", "VARCHAR", kind)], [1])[0].cells
    with pytest.raises(Unsendable):
        cells(["x"])


MARKED = (
    "SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE n.nspname = $1 AND c.relkind = $2",
    "SELECT oid FROM pg_class WHERE relkind = ANY($1) AND relname = ANY($2) AND oid = ANY($3) AND relnatts = ANY($4)",
    "SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ($1, $2) AND $3 <> relname AND relname LIKE $4",
    "SELECT attname FROM pg_attribute WHERE attrelid = $1 AND attnum = $2 AND attname = $3 AND NOT attisdropped = $4",
    "SELECT CASE WHEN relkind = $1 THEN $2 ELSE relname END FROM pg_class WHERE relname = $3::text",
    "SELECT typname FROM pg_type WHERE typname = $1::name AND typtype = $2 AND typlen = $3 AND typelem = $4::oid",
    "SELECT schemaname || $1 FROM pg_tables WHERE tablename ~ $2 OR schemaname = $3",
    "SELECT 1 FROM information_schema.columns WHERE table_schema = $1 AND is_nullable = $2 AND is_identity <> $3",
    "SELECT table_name FROM information_schema.tables WHERE table_schema = $1 AND table_type = $2",
    "SELECT conkey[$1], (ARRAY['a'])[$2], array_upper(conkey, $3), array_length(conkey, $4) FROM pg_constraint",
    "SELECT name FROM pg_settings WHERE name = $1 AND (SELECT max(datname) FROM pg_database WHERE datname = $2) <> ''",
)


@pytest.mark.parametrize("sql", MARKED)
def test_parameters_have_the_types_that_postgresql_gives_them(
    sql: str, opening: Opening, postgres_server: Server
) -> None:
    ours = described(sql, opening)
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        db.pgconn.prepare(b"asked", sql.encode())
        told = db.pgconn.describe_prepared(b"asked")
        theirs = [told.param_type(i) for i in range(told.nparams)]
    assert ours == theirs


def described(sql: str, opening: Opening) -> list[int]:
    """The numbers of the types of a statement's parameters, as Describe tells them."""
    channel = MemoryChannel(tuple(map(client_message, (f'Parse "" {sql}', 'Describe S ""', "Sync"))))
    converse(channel, opening)
    (told,) = (m for m in split(channel.received) if m[:1] == b"t")
    return [int.from_bytes(told[at : at + 4]) for at in range(7, len(told), 4)]
