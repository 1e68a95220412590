"""The digest of a policy is made by explicit names: stored answers are found by it, so that it stays what it was."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dpsql.errors import InternalError
from dpsql.policy.digest import _ELSEWHERE, _WRITTEN, digest
from dpsql.policy.load import load_policy
from dpsql.policy.model import (
    AccountantName,
    Column,
    ColumnType,
    JsonField,
    Privacy,
    Reference,
    Table,
    UnitPath,
)
from dpsql.policy.rules.tables import SourceText
from dpsql.policy.table_sources import Source, SourceKind
from dpsql.slotted import dataclass

# Every key that bears on privacy.
FULL = """\
version: 1
privacy:
  unit: people.person
  neighbours: substitute
  max_rows_per_unit: 20
  max_groups_per_unit: 3
  mechanisms: [discrete_laplace, truncated_geometric, exponential]
tables:
  people:
    source: people.parquet
    one_row_per_unit: true
    columns:
      person: {type: integer, hidden: true}
      plan:   {type: text, values: [A, B, "ü"], nullable: true, partition: true}
      born:   {type: date, lower: 1920-01-01, upper: 2010-12-31}
  orders:
    source: shop.duckdb
    unit_key: person
    max_rows_per_unit: 5
    columns:
      person: {type: integer}
      number: {type: integer}
      amount: {type: float, lower: 0, upper: 500.5, step: 0.01, unit_total: 1000}
      placed: {type: timestamp, lower: 2025-01-01 00:00:00, upper: 2025-03-31 23:59:59}
      paid:   {type: boolean}
  items:
    source: items.csv
    unit_path: {order: orders.number}
    columns: {order: {type: integer}, kind: {type: integer, values: [1, 2, 3]}}
  regions: {source: shop.duckdb, public: true}
budgets:
  dataset: {epsilon: 100, delta: 1e-3}
  default: {epsilon: 10, delta: 1e-4, per_query: 1}
accountant: rdp
"""
ROWS = """\
version: 1
privacy: {unit: visits.*}
tables: {visits: {source: visits.duckdb, columns: {age: {type: integer, lower: 0, upper: 100}}}}
budgets: {dataset: {epsilon: 1, delta: 1e-6}, default: {epsilon: 1, delta: 1e-6}}
"""
# As they were when a digest was made of the names of the classes' fields.
KNOWN = [
    (FULL, "80fcdc8d34d7fea66a46d5cb390e3b505ead594f3058b34975c9a27ec11056b9"),
    (ROWS, "6c067b0218c5254412c308d8f4da8a9aa56ba5ff87cb77b6acb5bf0ab5ac8acc"),
]


@pytest.mark.parametrize(("text", "known"), KNOWN)
def test_a_policy_has_the_digest_that_it_had(text: str, known: str, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    assert load_policy(tmp_path / "p.yaml").digest == known


def test_every_field_is_written_or_written_elsewhere() -> None:
    """A field that is added to the policy and not here would be changed without a new digest."""
    for kind, keys in _WRITTEN.items():
        here = [k.attribute for k in keys] + sorted(_ELSEWHERE.get(kind, ()))
        assert sorted(here) == sorted(f.name for f in dataclasses.fields(kind)), kind
        names = [k.name or k.attribute for k in keys]
        assert len(set(names)) == len(names)


def classes(kind: type) -> Iterator[type]:
    """The dataclasses of the policy's model that a class is made of."""
    yield kind
    known = {k.__name__: k for k in (Privacy, Table, UnitPath, Column, JsonField, Reference)}
    for f in dataclasses.fields(kind):
        named = re.findall(r"\w+", str(f.type))
        yield from (c for name in named if name in known for c in classes(known[name]))


def test_every_class_is_written() -> None:
    assert {*classes(Privacy), *classes(Table)} == set(_WRITTEN)


def test_what_is_left_out_is_the_default() -> None:
    """Else a policy that does not give a key would be another one than a policy that gives its default."""
    for kind, keys in _WRITTEN.items():
        defaults = {f.name: f.default for f in dataclasses.fields(kind)}
        for key in keys:
            required = defaults[key.attribute] is dataclasses.MISSING
            assert required or key.left_out == defaults[key.attribute], key


@dataclass(frozen=True, slots=True)
class More(Column):
    """A column as a later version may have it."""

    format: str | None = None


def digest_of(*columns: Column) -> str:
    table = Table("t", Source(SourceKind.PARQUET, Path("t.parquet"), "t"), unit_key="u", columns=columns)
    return digest(Privacy("t.u"), (table,), (SourceText("t", "t.parquet"),), AccountantName.PURE)


def test_what_a_column_references_is_part_of_the_digest() -> None:
    column = Column("shop", ColumnType.INTEGER)
    other = (Reference("shops", "shop"), Reference("shops", "id"), Reference("stores", "shop"))
    digests = {digest_of(column), *(digest_of(dataclasses.replace(column, references=r)) for r in other)}
    assert len(digests) == 4


def test_which_field_of_json_a_column_is_is_part_of_the_digest() -> None:
    column = Column("x", ColumnType.INTEGER)
    other = (
        JsonField("pl", ("a",)),
        JsonField("pl", ("b",)),
        JsonField("data", ("a",)),
        JsonField("pl", ("a", "b")),
    )
    assert len({digest_of(column), *(digest_of(dataclasses.replace(column, field=f)) for f in other)}) == 5


def test_a_field_that_nobody_said_how_to_write_is_refused() -> None:
    assert digest_of(Column("u", ColumnType.INTEGER))
    with pytest.raises(InternalError, match="More"):
        digest_of(More("u", ColumnType.INTEGER))
    with pytest.raises(InternalError, match="float"):
        digest_of(Column("u", ColumnType.FLOAT, lower=0.5, upper=1.5))  # type: ignore[arg-type]
