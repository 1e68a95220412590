"""A whole made-up dataset in a folder: Parquet files, and the policy over them."""

from __future__ import annotations

from contextlib import closing
from datetime import date
from pathlib import Path

from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.made_up.made_up_tables import made_up_tables
from dpsql.algebra.types import sql_type
from dpsql.engines.generated.json_texts import as_stored
from dpsql.engines.generated.source_files import copy_public_tables, write_source
from dpsql.engines.open_engines import open_public
from dpsql.engines.sources.referenced_keys import open_catalog
from dpsql.errors import PolicyError, Problem
from dpsql.policy.load import load_policy
from dpsql.policy.mock_policy import mock_policy_text, same_but_for_sources
from dpsql.policy.model import Policy
from dpsql.policy.table_sources import Source, SourceKind


def write_mock_dataset(policy: Policy, folder: Path, count: int) -> Path:
    """Makes the folder, with at most `count` made-up rows of each private table, and gives the policy's place in it.

    No private source is opened. Public tables are copied. Raises PolicyError, and OSError where the folder is there.
    """
    with closing(open_public(policy)) as public:
        tables = made_up_tables(policy, open_catalog(policy, public), count)
    files = {table.name: f"{_stem(table.name, i)}.parquet" for i, table in enumerate(policy.tables)}
    text = mock_policy_text(policy, files)
    folder.mkdir(parents=True)
    for table in policy.tables:
        if not table.public:
            path = (folder / files[table.name]).with_suffix("")
            columns = [(c.name, sql_type(c.type).value) for c in table.columns]
            rows = [[_text(value) for value in row] for row in tables[table.name]]
            write_source(Source(SourceKind.PARQUET, path, table.name), path, *as_stored(table, columns, rows))
    copy_public_tables(policy, {t.name: folder / files[t.name] for t in policy.tables if t.public})
    return _written(policy, folder / policy.path.name, text)


def _stem(table: str, number: int) -> str:
    return table if table.isidentifier() and table.isascii() else f"table_{number}"


def _text(value: LiteralValue) -> str | None:
    """A value as text that its type can be cast from."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, date | int) else repr(value)


def _written(policy: Policy, path: Path, text: str) -> Path:
    """The policy's file, once it says what it should."""
    path.write_text(text, encoding="utf-8")
    if not same_but_for_sources(policy, load_policy(path)):
        path.unlink()
        raise PolicyError(
            (Problem(str(policy.path), None, "", "the policy is written in a way that is not copied"),)
        )
    return path
