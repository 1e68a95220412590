"""What the admin is told of texts that are longer than is read of them.

This reads private rows before any charge: nothing of it may reach an analyst.
"""

from __future__ import annotations

from dpsql.engines.settings import Limits, connect
from dpsql.engines.sources.files import Raw, open_sources
from dpsql.engines.sources.types import as_text
from dpsql.policy.model import Column, ColumnType, Policy, Table

_SECONDS = 600


def cut_texts(policy: Policy) -> tuple[str, ...]:
    """A sentence for each private column of which texts are cut, or, as keys, own nothing. Raises PolicyError."""
    private = [t for t in policy.tables if not t.public]
    with connect(Limits(_SECONDS)) as connection:
        raw = open_sources(connection, policy, private)
        told: list[str] = []
        for table in private:
            texts = [c for c in table.columns if c.type is ColumnType.TEXT and c.values is None]
            if texts:
                counts = connection.execute(_counted(raw[table.name], texts)).fetchall()[0]
                told += [_told(table, c, n) for c, n in zip(texts, counts, strict=True) if n]
        return tuple(told)


def _counted(raw: Raw, texts: list[Column]) -> str:
    found = [(raw.column(c.name), c.longest) for c in texts]
    asked = (f"count_if(length({as_text(c)}) > {n})" if c is not None else "0" for c, n in found)
    return f"SELECT {', '.join(asked)} FROM {raw.sql}"


def _told(table: Table, column: Column, count: int) -> str:
    here, texts = f"tables.{table.name}.columns.{column.name}", "text is" if count == 1 else "texts are"
    what = "such a key owns no row" if column.name == table.unit_key else "the rest is cut off"
    return f"{here}: {count} {texts} longer than max_length, {column.longest} characters; {what}"
