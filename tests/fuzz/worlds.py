"""The policies that the fuzzers work under: one private table `t` bounded in every supported way, and public tables."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

import duckdb

from dpsql.audit.databases.random_database import Style
from dpsql.audit.sensitivity import Subject, subject
from dpsql.policy.load import load_policy
from fuzz import typed

# Column of t: its type in the policy, and the bounds, values and steps that the policy gives it.
COLUMNS = {
    "region": ("text", "values: [north, south, east, '']"),
    "flag": ("boolean", ""),
    "age": ("integer", "lower: 18, upper: 90"),
    "level": ("integer", "values: [1, 2, 3]"),
    "mark": ("integer", "values: [-1, 5, 9]"),
    "quantity": ("integer", "lower: -3, upper: 10"),
    "big": ("integer", "lower: -4, upper: 9007199254740993"),
    "amount": ("float", "lower: -2.5, upper: 500, step: 0.25"),
    "price": ("float", "lower: 0, upper: 100"),
    "day": ("date", "lower: 2025-01-01, upper: 2025-06-30"),
    "moment": ("timestamp", "lower: 2025-01-01T00:00:00, upper: 2025-01-03T12:00:00"),
    "city": ("text", ""),
    "product": ("integer", ""),
    "free": ("float", ""),
    "secret": ("text", "hidden: true"),
}
NULLABLE = (
    "region",
    "flag",
    "level",
    "mark",
    "age",
    "quantity",
    "amount",
    "price",
    "day",
    "moment",
    "city",
    "product",
    "free",
)
# Doubles, not decimals: a DECIMAL is a DOUBLE on private rows, which rounds halves and compares sums otherwise.
PUBLIC = """
CREATE TABLE regions AS SELECT * FROM (VALUES ('north', 'NN', 3, 0.5::DOUBLE), ('south', 'SS', -1, 1.25),
    ('east', 'NN', 0, NULL), ('west', 'WW', 7, 2.0), (NULL, 'SS', 2, 0.0)) v(region, country, weight, rate);
CREATE TABLE tags AS SELECT * FROM (VALUES ('north', 'a', 1), ('north', 'b', 2), ('south', 'a', 3),
    ('north', 'a', 1), (NULL, 'c', 4), ('', 'b', NULL)) v(region, tag, score);
CREATE TABLE nums AS SELECT * FROM (VALUES (1), (2)) v(n);
CREATE TABLE products AS SELECT * FROM (VALUES (1, 'toy'), (2, 'tool'), (3, NULL)) v(product, kind);
CREATE TABLE cities AS SELECT * FROM (VALUES ('oslo', 'NN'), ('Oslo', 'NN'), ('', NULL), ('e\u0301', 'SS'),
    ('50%', 'SS')) v(city, country)
"""
# Columns that are the keys of public tables in some policies.
REFERENCES = {"city": "cities.city", "product": "products.product"}
# Columns that are fields of JSON in some policies, by their names in it.
IN_JSON = {
    "level": "level",
    "quantity": "n.quantity",
    "price": "price",
    "flag": "n.flag",
    "day": "day",
    "city": "city",
}
PUBLIC_TABLES = ("regions", "nums", "tags", "products")


@dataclass(frozen=True, slots=True)
class Typed:
    """Public tables of `fuzz.typed` in a DuckDB file and in Parquet, none listed in the policy but `words` maybe.

    `private` are source types of private text.
    """

    files: tuple[str, ...]
    parquet: str
    private: tuple[tuple[str, str], ...]
    listed: bool = False

    @property
    def policy(self) -> str:
        """Their lines in a policy."""
        columns = f", columns: {{no: {{type: integer}}, {typed.LISTED}}}" if self.listed else ""
        words = f"\n  words: {{source: public.duckdb, public: true{columns}}}"
        files = "".join(f"\n  {name}: {{source: public.duckdb, public: true}}" for name in self.files)
        return f"{words}{files}\n  {self.parquet}: {{source: {self.parquet}.parquet, public: true}}"


_NOCASE = (("city", "VARCHAR COLLATE NOCASE"), ("region", "VARCHAR COLLATE NOCASE.NOACCENT"))
_UUID = (("city", "UUID"), ("region", "VARCHAR COLLATE de"))
_ENUM = (
    ("city", "VARCHAR COLLATE NOACCENT"),
    ("region", typed.enum(("north", "North", "south", "east", ""))),
)
TYPED = (
    Typed(("codes",), "numbers", _NOCASE),
    Typed(("wide",), "codes", _UUID, listed=True),
    Typed(("moments",), "nested", _ENUM),
    Typed(("nested",), "wide", ()),
    Typed(("numbers", "codes"), "moments", _ENUM, listed=True),
    Typed(("ends", "nested"), "codes", _NOCASE),
)


@dataclass(frozen=True, slots=True)
class World:
    """One policy.

    `unit` is False where every row is a unit of its own; `raw` are source types of another kind; `linked` adds a table
    of people and one that is owned along a foreign key; with `referenced` some columns are keys of public tables; with
    `gaussian` no other noise is allowed for counts and sums, and with `zcdp` rhos are added up.
    With `partition` a unit has one region, which is its people's home as well. `typed` are public tables of other types
    in the place of some ordinary ones, and the source types of private text. With `found` limits are found for every
    query, with `auto` for some, under an accountant that adds up rho if there is Gaussian noise.
    With `json` some columns are fields of JSON.
    """

    name: str
    unit: bool = True
    one_row: bool = False
    table_cap: int | None = None
    dataset_cap: int | None = None
    groups: int | None = None
    totals: tuple[tuple[str, str], ...] = ()
    nullable: bool = False
    substitute: bool = False
    parquet: bool = False
    raw: tuple[tuple[str, str], ...] = ()
    exact: bool = False
    linked: bool = False
    referenced: bool = False
    gaussian: bool = False
    zcdp: bool = False
    found: bool = False
    auto: bool = False
    partition: bool = False
    typed: Typed | None = None
    json: bool = False
    columns: tuple[str, ...] = field(default=tuple(COLUMNS))

    @property
    def policy(self) -> str:
        """The policy's text; sources are relative to it."""
        privacy = ["unit: t.user_id" if self.unit else "unit: t.*"]
        privacy += ["neighbours: substitute"] if self.substitute else []
        privacy += [f"max_rows_per_unit: {self.dataset_cap}"] if self.dataset_cap else []
        privacy += [f"max_groups_per_unit: {self.groups}"] if self.groups else []
        privacy += [f"mechanisms: [{GAUSSIAN}]"] if self.gaussian else []
        privacy += ["clipping: private"] if self.found else []
        privacy += ["clipping: auto"] if self.auto else []
        accountant = "zcdp" if self.zcdp or (self.found and self.gaussian) else "approx"
        table = [f"source: {'t.parquet' if self.parquet else 't.duckdb'}"]
        table += ["unit_key: user_id"] if self.unit else []
        table += ["one_row_per_unit: true"] if self.one_row else []
        table += [f"max_rows_per_unit: {self.table_cap}"] if self.table_cap else []
        names = PUBLIC_TABLES if self.typed is None else PUBLIC_TABLES[:2]
        names += ("cities",) if self.referenced else ()
        public = "\n".join(f"  {name}: {{source: public.duckdb, public: true}}" for name in names)
        public += self.typed.policy if self.typed is not None else ""
        return (
            f"version: 1\nprivacy: {{{', '.join(privacy)}}}\naccountant: {accountant}\ntables:\n  t:\n    "
            + "\n    ".join(table)
            + f"\n    columns:\n{self._columns()}\n{self._more_tables()}{public}\n"
            + "budgets:\n  dataset: {epsilon: 1000, delta: 0.1}\n"
            + "  default: {epsilon: 1000, delta: 0.1, per_query: {epsilon: 1, delta: 0.00001}}\n"
        )

    def _more_tables(self) -> str:
        cap = f"\n    max_rows_per_unit: {2 * self.table_cap}" if self.table_cap else ""
        linked = LINKED.format(cap=cap) if self.linked else ""
        home = "home: {type: text, values: [north, south, east]"
        parted = "home: {type: text, partition: true, values: [north, south, east, '']"
        return linked.replace(home, parted) if self.partition else linked

    def _columns(self) -> str:
        lines = ["      user_id: {type: integer}"] if self.unit else []
        lines += ["      row_key: {type: integer}"] if self.linked else []
        for name in (n for n in self.columns if not self.json or n not in IN_JSON):
            kind, more = COLUMNS[name]
            parts = [f"type: {kind}", *([more] if more else [])]
            parts += ["partition: true"] if self.partition and name == "region" else []
            parts += [f"references: {REFERENCES[name]}"] if self.referenced and name in REFERENCES else []
            parts += ["nullable: true"] if self.nullable and name in NULLABLE else []
            parts += [f"unit_total: {dict(self.totals)[name]}"] if name in dict(self.totals) else []
            lines.append(f"      {name}: {{{', '.join(parts)}}}")
        return "\n".join(self._fields() if self.json else ()) + "\n".join(lines)

    def _fields(self) -> list[str]:
        """The column of JSON, a field of which may always be missing."""
        fields = [
            f"          {key}: {{type: {', '.join(filter(None, COLUMNS[n]))}}}" for n, key in IN_JSON.items()
        ]
        return ["      pl:", "        type: json", "        fields:", *fields, ""]


GAUSSIAN = "discrete_gaussian, truncated_geometric, permute_and_flip, exponential"
LINKED = """  people:
    source: people.parquet
    unit_key: person
    one_row_per_unit: true
    columns:
      person: {{type: integer}}
      born: {{type: integer, lower: 1920, upper: 2010}}
      home: {{type: text, values: [north, south, east], nullable: true}}
  items:
    source: items.parquet
    unit_path: {{of_row: t.row_key}}{cap}
    columns:
      of_row: {{type: integer}}
      kind: {{type: integer, values: [1, 2, 3]}}
      worth: {{type: float, lower: 0, upper: 20, step: 0.5, nullable: true}}
"""
TOTALS = (("amount", "700"), ("quantity", "12"), ("price", "33.3"))
WIDE = (
    ("age", "HUGEINT"), ("quantity", "TINYINT"), ("big", "UBIGINT"), ("amount", "FLOAT"), ("price", "DECIMAL(12,3)"),
    ("moment", "TIMESTAMP_NS"), ("product", "HUGEINT"), ("free", "FLOAT"), ("day", "DATE"),
)  # fmt: skip
WIDER = tuple({**dict(WIDE), "age": "UHUGEINT", "moment": "DATE"}.items())

# Policies whose bounds and caps bite.
BITING = (
    World("one_row", one_row=True),
    World("one_row_nullable", one_row=True, nullable=True, parquet=True, typed=TYPED[0]),
    World("every_row", unit=False, nullable=True, parquet=True, totals=TOTALS),
    World("table_cap", table_cap=2, nullable=True, auto=True, typed=TYPED[1]),
    World("dataset_cap", dataset_cap=3, auto=True, json=True),
    World("dataset_cap_nullable", dataset_cap=2, nullable=True, parquet=True, typed=TYPED[1]),
    World("many_rows", dataset_cap=8, nullable=True, typed=TYPED[2]),
    World("gaussian", dataset_cap=3, nullable=True, gaussian=True),
    World("gaussian_substitute", substitute=True, table_cap=2, gaussian=True, typed=TYPED[3]),
    World("found", dataset_cap=8, nullable=True, found=True),
    World("both_caps", table_cap=4, dataset_cap=2, nullable=True, totals=TOTALS, typed=TYPED[2]),
    World("groups", dataset_cap=4, groups=2, nullable=True, typed=TYPED[5]),
    World("groups_alone", groups=1, parquet=True, nullable=True, json=True),
    World("groups_table_cap", table_cap=4, groups=2, totals=TOTALS),
    World("groups_substitute", substitute=True, groups=2, dataset_cap=5, nullable=True, typed=TYPED[0]),
    World("found_gaussian", table_cap=3, nullable=True, gaussian=True, found=True, typed=TYPED[1]),
    World(
        "found_gaussian_substitute", substitute=True, dataset_cap=5, gaussian=True, found=True, parquet=True
    ),
    World("linked_groups", linked=True, groups=2, table_cap=3, dataset_cap=4, nullable=True),
    World("loose_dataset_cap", table_cap=2, dataset_cap=5, parquet=True, nullable=True),
    World("totals_only", totals=TOTALS, nullable=True),
    World("totals_and_cap", table_cap=3, totals=TOTALS, parquet=True),
    World("cap_of_one", dataset_cap=1, nullable=True, totals=TOTALS, typed=TYPED[2]),
    World("substitute", substitute=True, dataset_cap=2, nullable=True, totals=TOTALS),
    World("substitute_table_cap", substitute=True, table_cap=2, auto=True),
    World("substitute_one_row", substitute=True, one_row=True, nullable=True, typed=TYPED[5]),
    World("substitute_every_row", substitute=True, unit=False, parquet=True),
    World("other_types", table_cap=3, dataset_cap=4, nullable=True, raw=WIDE),
    World("other_types_table", table_cap=2, raw=WIDER, totals=TOTALS),
    World("linked", linked=True, dataset_cap=3, nullable=True, auto=True, typed=TYPED[5]),
    World("linked_caps", linked=True, table_cap=3, totals=TOTALS),
    World("linked_both", linked=True, table_cap=2, dataset_cap=4, nullable=True, parquet=True, totals=TOTALS),
    World("linked_one_row", linked=True, one_row=True, dataset_cap=2),
    World("referenced", dataset_cap=3, nullable=True, referenced=True),
    World("referenced_caps", linked=True, table_cap=2, groups=3, referenced=True, parquet=True),
    World("referenced_substitute", substitute=True, table_cap=2, nullable=True, referenced=True),
    World("linked_substitute", linked=True, substitute=True, table_cap=2, dataset_cap=3, typed=TYPED[0]),
)

# Policies with a partition.
PARTED = (
    World("parted", table_cap=2, dataset_cap=3, nullable=True, partition=True),
    World("parted_not_null", table_cap=3, partition=True, typed=TYPED[1]),
    World("parted_linked", linked=True, table_cap=2, nullable=True, partition=True),
    World("parted_rows", unit=False, nullable=True, parquet=True, partition=True, typed=TYPED[2]),
    World("parted_substitute", substitute=True, table_cap=2, nullable=True, partition=True),
    World(
        "parted_linked_substitute", linked=True, substitute=True, dataset_cap=3, nullable=True, partition=True
    ),
)

# Policies whose bounds and caps do not bite on data inside the bounds: the answer without noise is DuckDB's own.
_LOOSE = (("amount", "1000000"), ("quantity", "1000000"), ("price", "1000000"))
LOOSE = (
    World("loose_one_row", one_row=True, exact=True),
    World("loose_one_row_nullable", one_row=True, nullable=True, exact=True, typed=TYPED[0]),
    World("loose_every_row", unit=False, nullable=True, parquet=True, exact=True),
    World("loose_table_cap", table_cap=60, nullable=True, exact=True, typed=TYPED[1]),
    World("loose_dataset_cap", dataset_cap=4000, nullable=True, parquet=True, exact=True, json=True),
    World("loose_both", table_cap=60, dataset_cap=200_000, totals=_LOOSE, exact=True, typed=TYPED[2]),
    World("loose_totals", table_cap=60, totals=_LOOSE, nullable=True, exact=True),
    World("loose_groups", dataset_cap=200_000, groups=3000, nullable=True, exact=True, typed=TYPED[3]),
    World("loose_groups_alone", groups=3000, parquet=True, exact=True),
    World("loose_linked_groups", linked=True, table_cap=60, dataset_cap=100_000, groups=3000, exact=True),
    World("loose_substitute", substitute=True, table_cap=60, nullable=True, exact=True, typed=TYPED[4]),
    World("loose_local", substitute=True, one_row=True, nullable=True, exact=True),
    World("loose_referenced", table_cap=60, nullable=True, exact=True, referenced=True),
    World("loose_linked", linked=True, dataset_cap=100_000, exact=True, typed=TYPED[0]),
    World("loose_linked_caps", linked=True, table_cap=60, dataset_cap=100_000, nullable=True, exact=True),
)


@dataclass(frozen=True, slots=True)
class Subjects(Sequence[Subject]):
    """The policies as the fuzzers take them, each made when it is first asked for."""

    worlds: Sequence[World]
    folder: Path
    made: dict[int, Subject] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.worlds)

    def __getitem__(self, at: int) -> Subject:  # type: ignore[override]  # one at a time
        if at not in self.made:
            self.made[at] = _subject(self.worlds[at], self.folder)
        return self.made[at]


def subjects(worlds: Sequence[World], folder: Path) -> Subjects:
    """The policies for the fuzzers; they and the public tables are written to a folder."""
    with duckdb.connect(str(folder / "public.duckdb")) as connection:
        connection.execute(PUBLIC)
    typed.write(folder)
    return Subjects(worlds, folder)


class Asking(Protocol):
    """What a run of a fuzzer that asks questions saw: how many, and what went wrong."""

    asked: int
    failure: str | None


R = TypeVar("R", bound=Asking)


def run_over(
    worlds: Sequence[World],
    folder: Path,
    seed: int,
    enough: int,
    run: R,
    fuzz: Callable[[World, Subject, Path, int, R], None],
) -> R:
    """One database after another of each policy in turn, until enough is asked or something goes wrong."""
    made = subjects(worlds, folder)
    while run.asked < enough and run.failure is None:
        at = seed % len(worlds)
        fuzz(worlds[at], made[at], folder / str(seed), seed, run)
        shutil.rmtree(folder / str(seed))
        seed += 1
    return run


def _subject(world: World, folder: Path) -> Subject:
    path = folder / f"{world.name}.yaml"
    path.write_text(world.policy, encoding="utf-8")
    types = (*world.raw, *(world.typed.private if world.typed is not None else ()))
    return subject(load_policy(path), world.name, Style(types=types, plain=world.exact))
