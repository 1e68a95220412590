"""Small random databases full of edge values, and their neighbours."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from fuzz.worlds import NULLABLE, PUBLIC, World

# A row is text, column by column, which DuckDB casts to the source's type; None is NULL.
Row = tuple[str | None, ...]

_EDGES: dict[str, tuple[str, ...]] = {
    "region": ("north", "south", "east", "", "west", "North", "north ", "x" * 300),
    "flag": ("true", "false"),
    "age": ("18", "90", "17", "91", "0", "-1", "9223372036854775807", "-9223372036854775808", "54"),
    "level": ("1", "3", "0", "4", "9223372036854775807"),
    "mark": ("-1", "5", "9", "0", "6", "-9223372036854775808"),
    "quantity": ("-3", "10", "-4", "11", "0", "1", "-128", "127"),
    "big": ("-4", "9007199254740992", "9007199254740993", "9007199254740994", "9223372036854775807", "0", "-5"),
    "amount": ("nan", "inf", "-inf", "-0.0", "0.0", "-2.5", "500", "500.0000001", "-2.75", "0.125", "1e300", "5e-324"),
    "price": ("nan", "inf", "-inf", "-0.0", "0", "100", "100.001", "99.9999999", "-1", "1e-9", "33.3"),
    "day": ("2025-01-01", "2025-06-30", "2024-12-31", "2025-07-01", "infinity", "-infinity", "0001-01-01",
            "9999-12-31"),
    "moment": ("2025-01-01", "2025-01-03 12:00:00", "2024-12-31 23:59:59.999999", "2025-01-03 12:00:00.000001",
               "infinity", "2262-01-01", "1970-01-01"),
    "city": ("oslo", "Oslo", "", " ", "bern", "riga", "e\u0301", "\u00e9", "a\u200bb", "y" * 4000, "12", "x'y\"z"),
    "product": ("1", "2", "3", "0", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993"),
    "free": ("nan", "inf", "-inf", "-0.0", "0", "1.5", "1e308", "-1e308", "5e-324", "9007199254740993"),
    "secret": ("s", "", "z"),
}  # fmt: skip
# Ordinary values, inside the bounds and on the grids: sums of them are exact in doubles.
_PLAIN: dict[str, tuple[str, ...]] = {
    "region": ("north", "south", "east", ""),
    "flag": ("true", "false"),
    "age": tuple(str(n) for n in range(18, 91, 9)),
    "level": ("1", "2", "3"),
    "mark": ("-1", "5", "9"),
    "quantity": tuple(str(n) for n in range(-3, 11)),
    "big": ("-4", "0", "7", "4503599627370496", "9007199254740993"),
    "amount": tuple(str(n / 4) for n in range(-10, 2001, 61)),
    "price": tuple(str(n / 4) for n in range(0, 401, 23)),
    "day": ("2025-01-01", "2025-01-31", "2025-02-28", "2025-03-01", "2025-04-17", "2025-06-29", "2025-06-30"),
    "moment": (
        "2025-01-01",
        "2025-01-01 06:30:00",
        "2025-01-01 23:59:59",
        "2025-01-02",
        "2025-01-03 12:00:00",
    ),
    "city": ("oslo", "Oslo", "", "bern", "riga", "b_rn", "50%", "e\u0301"),
    "product": ("1", "2", "3", "4", "0", "-7"),
    "free": ("-1.5", "0", "2.25", "1000000", "0.125"),
    "secret": ("s",),
}
_IDS = ("-9223372036854775808", "9223372036854775807", "0", "-1", *map(str, range(1, 20)))


@dataclass(frozen=True, slots=True)
class Database:
    """Rows of `t`: (unit, row) pairs, the unit being the text of the key or None for rows without an owner."""

    world: World
    rows: tuple[tuple[str | None, Row], ...]

    @property
    def units(self) -> tuple[str, ...]:
        """Every unit that owns a row."""
        return tuple(sorted({u for u, _ in self.rows if u is not None}))


def random_row(world: World, draw: random.Random, edge: float) -> Row:
    """A row whose values are edge values with probability `edge` each."""
    return tuple(_value(world, name, draw, edge) for name in world.columns)


def _value(world: World, name: str, draw: random.Random, edge: float) -> str | None:
    if world.nullable and name in NULLABLE and draw.random() < 0.15:
        return None
    choices = _EDGES[name] if draw.random() < edge else _PLAIN[name]
    value = draw.choice(choices)
    if world.raw_type(name).startswith("DECIMAL") and value in ("nan", "inf", "-inf"):
        return "100.001"
    if world.raw_type(name) == "UBIGINT" and value.startswith("-"):
        return "0"
    if world.raw_type(name) == "TIMESTAMP_NS" and value == "infinity":
        return "2262-01-01"
    return value


def random_database(world: World, draw: random.Random) -> Database:
    """Units with few rows and some with many, with ties and duplicate rows; a few rows without an owner."""
    edge = 0.0 if world.exact else draw.choice((0.2, 0.5, 0.9))
    rows: list[tuple[str | None, Row]] = []
    units = draw.sample(_IDS, draw.randint(2, 9)) if not world.exact else list(_IDS[: draw.randint(3, 22)])
    for unit in units:
        rows += [(unit, row) for row in unit_rows(world, draw, edge)]
    if world.unit and draw.random() < 0.3 and not world.exact:
        rows += [(None, random_row(world, draw, edge)) for _ in range(3)]
    if not world.unit:
        rows = [(str(i), row) for i, (_, row) in enumerate(rows)]
    draw.shuffle(rows)
    return Database(world, tuple(rows))


def unit_rows(world: World, draw: random.Random, edge: float) -> list[Row]:
    """The rows of one unit: one, few or many; all alike, or a few kinds repeated, or all different."""
    if world.one_row:
        return [random_row(world, draw, edge)]
    count = draw.choice((1, 1, 2, 3, 5, 8, 14))
    kinds = [random_row(world, draw, edge) for _ in range(draw.choice((1, 2, count)))]
    return [draw.choice(kinds) for _ in range(count)] if len(kinds) < count else kinds[:count]


def neighbour(database: Database, draw: random.Random) -> Database:
    """The database without one unit, or, under substitute, with another unit's worth of rows in its place."""
    sizes = {u: sum(v == u for v, _ in database.rows) for u in database.units}
    heaviest = max(database.units, key=lambda u: sizes[u])
    unit = heaviest if draw.random() < 0.6 else draw.choice(database.units)
    rest = tuple((u, row) for u, row in database.rows if u != unit)
    if not database.world.substitute:
        return replace(database, rows=rest)
    new = unit_rows(database.world, draw, draw.choice((0.0, 0.5, 1.0)))
    if not database.world.unit:
        new = new[:1]
    return replace(database, rows=(*rest, *((unit, row) for row in new)))


def stored(database: Database, folder: Path, draw: random.Random | None = None) -> Policy:
    """Writes a database and its policy to a folder; with `draw`, rows and columns of the source in another order."""
    world, rows = database.world, list(database.rows)
    columns = [("user_id", "BIGINT")] if world.unit else []
    columns += [(name, world.raw_type(name)) for name in world.columns]
    values = [[u, *row] if world.unit else list(row) for u, row in rows]
    order = list(range(len(columns)))
    if draw is not None:
        draw.shuffle(values)
        draw.shuffle(order)
    folder.mkdir(parents=True, exist_ok=True)
    made = ", ".join(f"{columns[i][0]} {columns[i][1]}" for i in order)
    parts = ", ".join(f"CAST(unnest(${n + 1}::VARCHAR[]) AS {columns[i][1]})" for n, i in enumerate(order))
    with duckdb.connect(":memory:" if world.parquet else str(folder / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t ({made})")
        if values:
            connection.execute(f"INSERT INTO t SELECT {parts}", [[v[i] for v in values] for i in order])
        if world.parquet:
            connection.execute(f"COPY t TO '{folder / 't.parquet'}' (FORMAT parquet)")
    path = folder / "policy.yaml"
    path.write_text(world.policy, encoding="utf-8")
    _public(folder)
    return load_policy(path)


def _public(folder: Path) -> None:
    """The public tables, written once for all folders beside this one."""
    once = folder.parent / "public.duckdb"
    if not once.exists():
        with duckdb.connect(str(once)) as connection:
            connection.execute(PUBLIC)
    shutil.copy(once, folder / "public.duckdb")
