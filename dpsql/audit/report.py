"""What an audit saw: how much was tried, how near each claim came to being met, and every promise that was broken."""

from __future__ import annotations

from collections import Counter
from dataclasses import field

from dpsql.algebra.expressions import LiteralValue
from dpsql.audit.databases.random_database import Database
from dpsql.audit.exact import Moved
from dpsql.audit.queries.generated_query import Query
from dpsql.slotted import dataclass

_LONG = 40


@dataclass(frozen=True, slots=True)
class TableDump:
    """A generated table as text: its columns, the unit key first, and its rows."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken promise, with all that is needed to see it again: `--seed seed` meets it on the first database."""

    what: str
    sql: str
    params: tuple[LiteralValue, ...] | dict[str, LiteralValue] | None
    policy: str
    seed: int
    one: tuple[TableDump, ...]
    others: tuple[tuple[TableDump, ...], ...]

    def __str__(self) -> str:
        lines = [self.what, f"policy {self.policy}, seed {self.seed}", self.sql]
        lines += [f"parameters {self.params!r}"] if self.params is not None else []
        named = [("database", self.one)]
        named += [(f"neighbour {i + 1}", tables) for i, tables in enumerate(self.others)]
        for name, tables in named:
            for table in tables:
                lines.append(f"{name}, {table.name} ({', '.join(table.columns)}):")
                lines += [f"  {', '.join(map(_shown, row))}" for row in table.rows]
        return "\n".join(lines)


def _shown(value: str | None) -> str:
    """A value for people; one letter many times is written as a product."""
    if value is None:
        return "NULL"
    if len(value) > _LONG and len(set(value)) == 1:
        return f"{value[0]!r} * {len(value)}"
    return repr(value)


def dumped(database: Database) -> tuple[TableDump, ...]:
    """The rows of a generated database."""
    dumps = []
    for filled in database.tables:
        table = filled.plan.table
        key = [table.unit_key] if table.unit_key is not None else []
        rows = [(unit, *row) if key else row for unit, row in filled.rows]
        dumps.append(TableDump(table.name, (*key, *(c.name for c in filled.plan.columns)), tuple(rows)))
    return tuple(dumps)


@dataclass(slots=True)
class Tried:
    """What a run of the sensitivity fuzz has seen so far: an execution is a query on a pair of neighbours.

    `nearest` holds, for each kind of release, the movement that came nearest to its claim, and `seen` how many there
    were; `apart` counts releases that are confined to parts in which the differing unit is not, `largest` queries that
    were compared with what the units tell that own most; `refused` counts the
    reasons. A violation ends the work on its database.
    """

    executions: int = 0
    repeats: int = 0
    apart: int = 0
    largest: int = 0
    databases: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    nearest: dict[str, Moved] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)

    @property
    def refusals(self) -> int:
        """How many executions were refused."""
        return sum(self.refused.values())

    def saw(self, m: Moved) -> None:
        """Notes a movement."""
        self.seen[m.kind] += 1
        if m.kind not in self.nearest or m.ratio > self.nearest[m.kind].ratio:
            self.nearest[m.kind] = m

    def admitted(self, query: Query) -> None:
        """Notes the constructs of a query that was planned."""
        self.constructs.update(query.tags)

    def __str__(self) -> str:
        lines = [
            f"{self.executions} executions, {self.repeats} repeats, {self.refusals} refused, {self.apart} apart, "
            f"{self.largest} of the largest units"
        ]
        lines += [
            f"  {kind}: {m.ratio:.3f} of the claim, of {self.seen[kind]}"
            for kind, m in sorted(self.nearest.items())
        ]
        return "\n".join(lines)
