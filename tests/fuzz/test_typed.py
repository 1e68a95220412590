"""The fuzzers work on public tables of every type that DuckDB has, and their queries use every column of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from dpsql.audit.queries.random_query import random_query
from dpsql.engines.public_engine import FinishEngine
from dpsql.engines.sources.files import open_sources
from dpsql.policy.load import load_policy
from fuzz import typed
from fuzz.worlds import BITING, LOOSE, World, subjects

# No table can have a column of this type.
NO_COLUMN = {"TYPE"}
COLLATIONS = {"NOCASE", "NOACCENT", "NOCASE.NOACCENT", "NFC", "de"}
QUERIES = 400
EVERY = pytest.mark.parametrize("worlds", [LOOSE, BITING], ids=["loose", "biting"])


def types_of(world: World, folder: Path) -> set[str]:
    """The types of the world's unlisted public columns in their sources, in DuckDB's own words."""
    path = folder / f"{world.name}.yaml"
    path.write_text(world.policy, encoding="utf-8")
    policy = load_policy(path)
    with duckdb.connect() as connection:
        tables = [t for t in policy.tables if t.public and not t.columns]
        raw = open_sources(connection, policy, tables)
        return {c.kind.upper() for r in raw.values() for c in r.columns}


@EVERY
def test_every_type_of_duckdb_is_drawn(worlds: Sequence[World], tmp_path: Path) -> None:
    subjects((), tmp_path)
    drawn = set[str]().union(*(types_of(w, tmp_path) for w in worlds if w.typed is not None))
    with duckdb.connect() as connection:
        asked = "SELECT DISTINCT logical_type FROM duckdb_types() WHERE internal AND logical_type <> ALL($1)"
        known = {str(row[0]) for row in connection.execute(asked, [sorted(NO_COLUMN)]).fetchall()}
        with pytest.raises(duckdb.Error):
            connection.execute("CREATE TABLE t (x TYPE)")
    assert not known - drawn
    assert "JSON" in {raw for columns in typed.TABLES.values() for raw, _ in columns.values()}
    collated = {raw.partition(" COLLATE ")[2] for raw, _ in typed.TABLES["words"].values()}
    assert collated >= COLLATIONS
    assert 3 * sum(w.typed is not None for w in worlds) >= len(worlds)


@pytest.mark.one_in(40)
@EVERY
def test_every_column_of_such_a_table_stands_in_queries(worlds: Sequence[World], tmp_path: Path) -> None:
    found = subjects([w for w in worlds if w.typed is not None], tmp_path)
    views = [found[i].view for i in range(len(found))]
    unused = {c.name for view in views for t in view.publics for c in t.columns if t.name in typed.TABLES}
    filters = 0
    for seed in range(QUERIES * len(views)):
        text = random_query(seed, views[seed % len(views)], exact=worlds is LOOSE).sql
        unused -= set(re.findall(r"\w+", text))
        filters += re.search(r"FILTER \(WHERE \w+\.\w+ = '.*FILTER \(WHERE \w+\.\w+ = '", text) is not None
        if not unused and filters > len(views):
            break
    assert not unused
    assert filters > len(views)


def test_the_public_engine_reads_such_a_table_as_it_is_defined(tmp_path: Path) -> None:
    """What the fuzz of answers takes for the table is what the engine has."""
    subjects((), tmp_path)
    lines = "".join(f"  {name}: {{source: public.duckdb, public: true}}\n" for name in typed.TABLES)
    files = "".join(f"  {name}_file: {{source: {name}.parquet, public: true}}\n" for name in typed.TABLES)
    world = World("all").policy
    (tmp_path / "all.yaml").write_text(
        world.replace("budgets:\n", f"{lines}{files}budgets:\n", 1), encoding="utf-8"
    )
    policy = load_policy(tmp_path / "all.yaml")
    with closing(FinishEngine.open(policy)) as engine, duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"ATTACH '{tmp_path / 'public.duckdb'}' AS public (READ_ONLY)")
        for name in typed.TABLES:
            for table, raw in ((name, f"public.{name}"), (f"{name}_file", f"'{tmp_path / name}.parquet'")):
                typed.read(connection, table, raw)
                wanted = connection.sql(f"FROM {table}")
                found = engine._connection.sql(f"FROM {table}")
                assert (found.columns, found.types) == (wanted.columns, wanted.types)
                assert list(map(repr, found.fetchall())) == list(map(repr, wanted.fetchall()))
