"""What SQLAlchemy's inspector asks, in its types, answered from the policy: no SQL, no row, no charge."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import types
from sqlalchemy.engine import default
from sqlalchemy.exc import NoSuchTableError

from dpsql.algebra.system_tables import MAIN, main_schemas
from dpsql.algebra.types import base_name
from dpsql.dbapi import Connection
from dpsql.interfaces.sqlalchemy.compiler import DOUBLE, HUGEINT
from dpsql.release.render.type_codes import decimal_shape
from dpsql.sql.system_tables.reports import TableReport

Described = dict[str, Any]
_CACHED: Final = "dpsql tables"


class Inspected(default.DefaultDialect):
    """The part of the dialect about schemas, tables, columns and keys; names are case-insensitive."""

    default_schema_name = MAIN

    def get_schema_names(self, connection: Any, **kw: Any) -> list[str]:
        """The schemas of the policy and of the system tables."""
        return sorted({MAIN, *(t.schema for t in self._reports(connection, **kw))})

    def get_table_names(self, connection: Any, schema: str | None = None, **kw: Any) -> list[str]:
        """The policy's tables in a schema."""
        return [t.name for t in self._in(connection, schema, **kw) if not t.system]

    def get_view_names(self, connection: Any, schema: str | None = None, **kw: Any) -> list[str]:
        """The system tables in a schema."""
        return [t.name for t in self._in(connection, schema, **kw) if t.system]

    def _no_names(self, connection: Any, schema: str | None = None, **kw: Any) -> list[str]:
        return []

    get_temp_table_names = get_temp_view_names = _no_names
    get_materialized_view_names = get_sequence_names = _no_names

    def has_table(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> bool:
        """Whether a query may name this table."""
        return self._found(connection, table_name, schema, **kw) is not None

    def has_schema(self, connection: Any, schema_name: str, **kw: Any) -> bool:
        """Whether there is a schema of this name; public is one where it is another name of main."""
        names = self.get_schema_names(connection, **kw)
        return self._schema(connection, schema_name, **kw) in {s.lower() for s in names}

    def has_sequence(self, connection: Any, sequence_name: str, schema: str | None = None, **kw: Any) -> bool:
        """No."""
        return False

    def get_columns(
        self, connection: Any, table_name: str, schema: str | None = None, **kw: Any
    ) -> list[Any]:
        """The visible columns, with bounds or public values as comments."""
        return [
            {
                "name": c.name,
                "type": sqlalchemy_type(c.type),
                "nullable": c.nullable,
                "default": None,
                "autoincrement": False,
                "comment": c.comment,
            }
            for c in self._table(connection, table_name, schema, **kw).columns
        ]

    def get_pk_constraint(
        self, connection: Any, table_name: str, schema: str | None = None, **kw: Any
    ) -> Any:
        """The column that is declared to be unique."""
        table = self._table(connection, table_name, schema, **kw)
        return {"constrained_columns": list(table.primary_key), "name": None}

    def get_foreign_keys(
        self, connection: Any, table_name: str, schema: str | None = None, **kw: Any
    ) -> list[Any]:
        """The foreign keys that lead from a row to its unit; a schema that both tables have is called as it is here."""
        table = self._table(connection, table_name, schema, **kw)
        return [
            {
                "name": None,
                "constrained_columns": list(k.columns),
                "referred_schema": schema if k.schema == table.schema else k.schema,
                "referred_table": k.table,
                "referred_columns": list(k.referred),
                "options": {},
            }
            for k in table.foreign_keys
        ]

    def _nothing_of(
        self, connection: Any, table_name: str, schema: str | None = None, **kw: Any
    ) -> list[Any]:
        """None: what is declared to be unique is the primary key, and bounds are instructions, not checks."""
        self._table(connection, table_name, schema, **kw)
        return []

    get_indexes = get_unique_constraints = get_check_constraints = _nothing_of

    def get_table_options(
        self, connection: Any, table_name: str, schema: str | None = None, **kw: Any
    ) -> Described:
        """None."""
        self._table(connection, table_name, schema, **kw)
        return {}

    def get_table_comment(
        self, connection: Any, table_name: str, schema: str | None = None, **kw: Any
    ) -> Any:
        """Whether the table is private."""
        return {"text": self._table(connection, table_name, schema, **kw).comment}

    def get_view_definition(
        self, connection: Any, view_name: str, schema: str | None = None, **kw: Any
    ) -> str:
        """Empty: system tables have no definition in SQL."""
        self._table(connection, view_name, schema, **kw)
        return ""

    def _table(self, connection: Any, name: str, schema: str | None, **kw: Any) -> TableReport:
        found = self._found(connection, name, schema, **kw)
        if found is None:
            raise NoSuchTableError(name if schema is None else f"{schema}.{name}")
        return found

    def _found(self, connection: Any, name: str, schema: str | None, **kw: Any) -> TableReport | None:
        tables = self._in(connection, schema, **kw)
        return next((t for t in tables if t.name.lower() == name.lower()), None)

    def _in(self, connection: Any, schema: str | None, **kw: Any) -> list[TableReport]:
        wanted = self._schema(connection, schema, **kw)
        return [t for t in self._reports(connection, **kw) if t.schema.lower() == wanted]

    def _schema(self, connection: Any, schema: str | None, **kw: Any) -> str:
        """A schema as the policy has it, in lower case: a query may say public for main, and so may this."""
        named = (schema if schema is not None else MAIN).lower()
        tables = (f"{t.schema}.{t.name}" for t in self._reports(connection, **kw))
        return MAIN if named in main_schemas(tables) else named

    def _reports(self, connection: Any, **kw: Any) -> tuple[TableReport, ...]:
        """The tables, cached per inspector by hand: SQLAlchemy 1.4's decorator cannot cache this."""
        cache: dict[Any, Any] = kw.get("info_cache", {})
        if _CACHED not in cache:
            opened: Connection = connection.connection.dbapi_connection
            cache[_CACHED] = opened.tables()
        reports: tuple[TableReport, ...] = cache[_CACHED]
        return reports


_TYPES: Final = MappingProxyType[str, Any](
    {
        "BOOLEAN": types.BOOLEAN,
        **dict.fromkeys(("TINYINT", "UTINYINT", "SMALLINT"), types.SMALLINT),
        **dict.fromkeys(("USMALLINT", "INTEGER"), types.INTEGER),
        **dict.fromkeys(("UINTEGER", "BIGINT"), types.BIGINT),
        **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT"), HUGEINT),
        **dict.fromkeys(("FLOAT", "DOUBLE"), DOUBLE),
        **dict.fromkeys(("VARCHAR", "ENUM", "UUID", "JSON"), types.VARCHAR),
        "BLOB": types.BLOB,
        "DATE": types.DATE,
        "TIME": types.TIME,
        **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), types.TIMESTAMP),
        "INTERVAL": types.Interval,
    }
)


def sqlalchemy_type(name: str) -> types.TypeEngine[Any]:
    """SQLAlchemy's type of a column; NullType where it has none."""
    shape = decimal_shape(name)
    if shape is not None:
        return types.DECIMAL(*shape)
    if name == "TIMESTAMP WITH TIME ZONE":
        return types.TIMESTAMP(timezone=True)
    kind: types.TypeEngine[Any] = _TYPES.get(base_name(name), types.NullType)()
    return kind
