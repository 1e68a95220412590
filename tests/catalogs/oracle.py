"""What a real PostgreSQL answers, as the texts that it sends, and the tables of a policy in it."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
from psycopg import pq

from dpsql.session import Session
from dpsql.sql.system_tables.catalog_relations import Relation, Relations, relations
from dpsql.sql.system_tables.pg_catalog import comments, constraint_texts

Column = tuple[str, str]
Line = tuple[str | None, ...]


class Oracle:
    """A connection that tells names and types of columns, and rows as text."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection.pgconn
        self._types = {
            int(oid): name for oid, name in self.rows("SELECT oid, typname FROM pg_type") if oid and name
        }

    def rows(self, statement: str) -> list[Line]:
        return list(_lines(self._run(statement)))

    def answer(self, statement: str) -> tuple[list[Column], list[Line]]:
        result = self._run(statement)
        names = [(result.fname(i) or b"").decode() for i in range(result.nfields)]
        types = [self._types[result.ftype(i)] for i in range(result.nfields)]
        return list(zip(names, types, strict=True)), list(_lines(result))

    def places(self, statement: str) -> list[tuple[str, int]]:
        """The table of each column, and its place there."""
        result = self._run(statement)
        tables = {int(oid or 0): name or "" for oid, name in self.rows("SELECT oid, relname FROM pg_class")}
        return [(tables.get(result.ftable(i), ""), result.ftablecol(i)) for i in range(result.nfields)]

    def _run(self, statement: str) -> pq.abc.PGresult:
        result = self._connection.exec_(statement.encode())
        assert result.status == pq.ExecStatus.TUPLES_OK, result.error_message.decode()
        return result


def _lines(result: pq.abc.PGresult) -> Iterator[Line]:
    for row in range(result.ntuples):
        cells = [result.get_value(row, i) for i in range(result.nfields)]
        yield tuple(None if cell is None else cell.decode() for cell in cells)


def as_text(value: object, kind: str) -> str | None:
    """A value of ours as PostgreSQL would write one of this type."""
    match value:
        case None:
            return None
        case bool():
            return "t" if value else "f"
        case list():
            between, ends = (" ", ("", "")) if kind in ("int2vector", "oidvector") else (",", ("{", "}"))
            return ends[0] + between.join(map(_element, value)) + ends[1]
        case float():
            return f"{value:.17g}"
    return str(value)


def _element(value: object) -> str:
    text = as_text(value, "")
    if text is None:
        return "NULL"
    is_plain = text != "" and not set(text) & set(' ,{}"\\')
    return text if is_plain else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def made_in_postgresql(owner: psycopg.Connection, client: Session) -> None:
    """Make the client's tables with their keys, comments and privileges."""
    r = relations(client._state.system)
    script = [
        "CREATE SCHEMA main",
        "ALTER DATABASE shop SET search_path = main",
        "GRANT USAGE ON SCHEMA main TO tool",
    ]
    script += [_table(one) for one in r.tables]
    script += [f"ALTER TABLE main.{one.name} ADD CONSTRAINT {key.name} {text}" for one, key, text in _keys(r)]
    script += [statement for one in r.tables for statement in _comments(one, r)]
    script += ["GRANT SELECT ON ALL TABLES IN SCHEMA main TO tool"]
    for statement in ("SET search_path = main", *script):
        owner.execute(statement.encode())


def _table(one: Relation) -> str:
    columns = [f"{c.name} {c.pg_type.sql}{'' if c.nullable else ' NOT NULL'}" for c in one.attributes]
    return f"CREATE TABLE main.{one.name} ({', '.join(columns)})"


def _keys(r: Relations) -> list[tuple[Relation, object, str]]:
    texts = constraint_texts(r)
    return sorted(
        ((one, key, texts[key.oid]) for one, key in r.constraints), key=lambda k: not k[1].is_primary
    )


def _comments(one: Relation, r: Relations) -> Iterator[str]:
    for (oid, number), text in comments(r).items():
        if oid == one.oid:
            name = (
                f"COLUMN main.{one.name}.{one.attributes[number - 1].name}"
                if number
                else f"TABLE main.{one.name}"
            )
            yield f"COMMENT ON {name} IS '{text}'"
