"""The keys of public tables that private columns reference: read once, from the same typed view that queries join.

They are public, so that whatever is wrong with them may be told. As lists of values they stand in the SQL on private
rows, which is why there is a limit on how many they are and how long.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpsql.algebra.catalog import Catalog, ColumnInfo, catalog
from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.scan import column_sql, quoted
from dpsql.algebra.types import sql_type
from dpsql.engines.base import PublicEngine
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import ColumnType, Policy, Reference
from dpsql.policy.rules.columns import MAX_INTEGER

MOST_KEYS = 20_000
"""The most keys of a public table that a private column may reference."""
MOST_CHARACTERS = 1_000_000
"""The most characters in all of them together."""


def open_catalog(policy: Policy, public: PublicEngine) -> Catalog:
    """The catalog of a policy over its public tables. Raises PolicyError for keys that a column cannot reference."""
    keys: dict[Reference, tuple[LiteralValue, ...]] = {}
    problems: list[Problem] = []
    for at, wanted, reference in _references(policy):
        referenced = _Keys(public, reference)
        mistake = referenced.mistake(wanted)
        if mistake is None:
            keys[reference] = referenced.read()
            mistake = _beyond_a_list(reference, keys[reference])
        if mistake is not None:
            problems.append(Problem(str(policy.path), None, at, mistake))
    if problems:
        raise PolicyError(tuple(problems))
    return catalog(policy, public, keys)


def _references(policy: Policy) -> Iterator[tuple[str, ColumnType, Reference]]:
    """Where in the policy each one stands, the type of the column, and what it references."""
    for table in policy.tables:
        for column in table.columns:
            if column.references is not None:
                at = f"tables.{table.name}.columns.{column.path}.references"
                yield at, column.type, column.references


class _Keys:
    """The keys of one public table."""

    def __init__(self, public: PublicEngine, reference: Reference) -> None:
        self.public = public
        self.reference = reference

    def mistake(self, wanted: ColumnType) -> str | None:
        """Why they cannot be the list of a column of that type; None where they can."""
        info = self._info()
        if info is None:
            return f"{self.reference.table} has no such column"
        if info.type is not sql_type(wanted):
            return f"the column is {wanted}, but {self.reference} is {info.type.value}"
        rows = self.public.fan_out(self.reference.table, ())
        if not rows:
            return f"{self.reference.table} has no rows, so that no value would be listed"
        if rows > MOST_KEYS:
            return (
                f"{self.reference.table} has {rows} rows; the keys of at most {MOST_KEYS} can be referenced"
            )
        if info.fact.nullable:
            return f"{self.reference} has NULLs, which are no keys"
        if self.public.fan_out(self.reference.table, (info.name,)) > 1:
            return f"{self.reference} is not unique: two rows have one value of it"
        return None

    def read(self) -> tuple[LiteralValue, ...]:
        """The keys in order, as queries that join the table see them."""
        info = self._info()
        assert info is not None
        value, table = column_sql(info, f"t.{quoted(info.name)}"), quoted(self.reference.table)
        return tuple(
            row[0] for row in self.public.evaluate(f"SELECT {value} AS v FROM {table} AS t ORDER BY 1")
        )

    def _info(self) -> ColumnInfo | None:
        wanted = self.reference.column.lower()
        return next((c for c in self.public.columns(self.reference.table) if c.name.lower() == wanted), None)


def _beyond_a_list(reference: Reference, values: tuple[LiteralValue, ...]) -> str | None:
    """What a list in the policy could not hold either, or what would make the SQL too long."""
    texts = [v for v in values if isinstance(v, str)]
    if any("\0" in t for t in texts):
        return f"{reference} holds a NUL character in one of its keys"
    if sum(map(len, texts)) > MOST_CHARACTERS:
        return f"the keys of {reference} have more than {MOST_CHARACTERS} characters in all"
    if any(isinstance(v, int) and abs(v) > MAX_INTEGER for v in values):
        return f"{reference} has a key beyond 2^62, the largest integer that can be listed"
    return None
