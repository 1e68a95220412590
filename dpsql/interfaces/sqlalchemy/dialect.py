"""The SQLAlchemy dialect: how connections are opened, tested and returned.

A URL holds the arguments of a connection, as in `dpsql:///policies/shop.yaml?analyst=alice&rows=empty`. Three slashes
are a path relative to the working directory, four an absolute one. The analyst may also stand where other databases
have the user: `dpsql://alice@/policies/shop.yaml`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from sqlalchemy.engine.url import URL
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool

import dpsql
from dpsql.algebra.system_tables import MAIN
from dpsql.errors import InterfaceError, OperationalError
from dpsql.interfaces import shared_connections as shared
from dpsql.interfaces.sqlalchemy.compiler import DpsqlCompiler, DpsqlPreparer, DpsqlTypes
from dpsql.interfaces.sqlalchemy.inspection import Inspected

_GONE: Final = ("open a new connection", "is closed", "open another", "removed or replaced")
_ISOLATION: Final = "AUTOCOMMIT"


class DpsqlDialect(Inspected):
    """The dialect for SQLAlchemy 1.4 and 2.

    Connections share engines (`dpsql.shared`), so a pool is not needed. There are no transactions to reset.
    """

    name = "dpsql"
    driver = "dpsql"
    statement_compiler = DpsqlCompiler
    type_compiler = DpsqlTypes  # 1.4
    type_compiler_cls = DpsqlTypes
    preparer = DpsqlPreparer
    default_paramstyle = "qmark"
    default_isolation_level = _ISOLATION
    supports_statement_cache = True
    supports_native_boolean = True
    supports_native_decimal = True
    supports_native_uuid = True
    supports_sane_rowcount = False
    supports_sane_multi_rowcount = False
    supports_alter = False
    supports_comments = True
    supports_sequences = False
    supports_default_values = False
    supports_unicode_statements = True
    supports_unicode_binds = True
    postfetch_lastrowid = False
    div_is_floordiv = False
    max_identifier_length = 255

    @classmethod
    def import_dbapi(cls) -> Any:
        """The module of PEP 249."""
        return dpsql

    @classmethod
    def dbapi(cls) -> ModuleType:  # type: ignore[override]
        """The module of PEP 249, as SQLAlchemy 1.4 asks for it."""
        return dpsql

    @classmethod
    def get_pool_class(cls, url: URL) -> Any:
        """A connection for each use."""
        return FreshPool

    def create_connect_args(self, url: URL) -> Any:
        """What a connection is opened with."""
        return (), arguments(url)

    def connect(self, *given: Any, **named: Any) -> Any:
        """A connection on the engines that this process shares."""
        return shared.connect(*given, **named)

    def do_ping(self, dbapi_connection: Any) -> bool:
        """Whether the connection can be used; reads the ledger, runs no query."""
        dbapi_connection.budget()
        return True

    def is_disconnect(self, e: Any, connection: Any, cursor: Any) -> bool:
        """Whether the connection is unusable: closed, of another process, or on older data."""
        return isinstance(e, OperationalError | InterfaceError) and any(gone in str(e) for gone in _GONE)

    def get_isolation_level_values(self, dbapi_conn: Any) -> Any:
        """Every level is accepted: there are no transactions."""
        return [_ISOLATION, "READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]

    def get_isolation_level(self, dbapi_connection: Any) -> Any:
        """Autocommit, whatever was set."""
        return _ISOLATION

    def set_isolation_level(self, dbapi_connection: Any, level: Any) -> None:
        """Nothing: there are no transactions."""

    def reset_isolation_level(self, dbapi_conn: Any) -> None:
        """Nothing: there are no transactions."""

    def initialize(self, connection: Any) -> None:
        """Sets what other dialects ask the server, without a query."""
        self.default_schema_name = MAIN
        self.server_version_info = tuple(int(part) for part in dpsql.__version__.split("."))


class FreshPool(NullPool):
    """NullPool that accepts and ignores the size arguments that tools pass."""

    def __init__(
        self,
        creator: Callable[..., Any],
        pool_size: int = 0,
        max_overflow: int = 0,
        timeout: float = 0,
        use_lifo: bool = False,
        **rest: Any,
    ) -> None:
        super().__init__(creator, **rest)


_KNOWN: Final = (
    "analyst", "ledger", "epsilon", "delta", "rows", "accuracy", "clipping", "empty_conditions", "combine",
)  # fmt: skip
_EXAMPLE: Final = "dpsql:///policies/shop.yaml?analyst=alice"


def arguments(url: URL) -> dict[str, str]:
    """The arguments of `connect` in a URL. Raises ArgumentError for anything else in it."""
    if url.host or url.port or url.password:
        raise ArgumentError(f"a dpsql URL has no host, port or password: {_EXAMPLE}")
    if not url.database:
        raise ArgumentError(f"a dpsql URL names a policy file: {_EXAMPLE}")
    given = {name: _single(name, value) for name, value in url.query.items()}
    for name in given:
        if name not in _KNOWN:
            raise ArgumentError(
                f"a dpsql URL has no `{name}`{_instead(name)}; it may have {', '.join(_KNOWN)}"
            )
    if url.username and given.setdefault("analyst", url.username) != url.username:
        raise ArgumentError("a dpsql URL names one analyst: as user, or as ?analyst=, not two")
    if "analyst" not in given:
        raise ArgumentError(f"a dpsql URL names an analyst: {_EXAMPLE}")
    return {"policy": url.database, **given}


def _single(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"a dpsql URL has `{name}` once")
    return value


def _instead(name: str) -> str:
    close = difflib.get_close_matches(name.lower(), _KNOWN, n=1)
    return f"; did you mean `{close[0]}`?" if close else ""
