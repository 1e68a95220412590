"""What one engine query is to compute, and what is known of the rows that it computes it from."""

from __future__ import annotations

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Column, Expr, columns_of
from dpsql.algebra.facts import Facts
from dpsql.algebra.relations import MARK, Relation, Scan
from dpsql.algebra.scan import quoted
from dpsql.algebra.shape import Shape, table_of
from dpsql.engines.base import UnitList
from dpsql.engines.sqlgen.read import bounded_table, capped, names_read
from dpsql.engines.sqlgen.relation import Rows, public_rows
from dpsql.engines.sqlgen.unit_sets import Ends
from dpsql.plan.keys.domains import declared
from dpsql.plan.types import Bins, Bounding, Sum, Term
from dpsql.policy.model import Policy
from dpsql.slotted import dataclass

_FEW_GROUPS = 1000


@dataclass(frozen=True, slots=True)
class Task:
    """Terms by keys over a relation under bounding; `rows` are the expressions that are read row by row.

    `present` are the places of keys whose NULL is no group: what has it is left out after all bounding. `by_unit`: the
    terms of each unit are computed apart. `once`: what matters of a unit and a group is whether there are rows at all.
    `listed`: there may be units with more rows than a cap. `only`: what rows are joined with, or have to satisfy, in
    SQL behind those of every side, which are r, with the unit and the keys by name. `over_keys`: keys are there for
    that alone, and terms are added up over all of them. `inner`: SQL around this one reads the integers. `in_parts`:
    the rows are read for one part of the units after another. `of_largest`: rows are those of a list of large units.
    `groups`: how many the engine gives at most, where text and policy say so. `ends`: units are counted by sets of bits
    between them.
    """

    relation: Relation
    keys: tuple[Expr, ...]
    terms: tuple[Term, ...]
    bounding: Bounding
    found: Shape
    base: Facts
    rows: tuple[Expr, ...]
    policy: Policy
    catalog: Catalog
    bins: Bins | None = None
    present: tuple[int, ...] = ()
    by_unit: bool = False
    once: bool = False
    listed: bool = True
    only: str = ""
    over_keys: bool = False
    inner: bool = False
    in_parts: bool = False
    of_largest: UnitList | None = None
    groups: int | None = None
    ends: Ends | None = None

    @property
    def key_types(self) -> list[str]:
        """The types of the keys as the engine has them, which are those of released tables."""
        return [declared(key, self.base.of(key)) for key in self.keys]

    @property
    def few_groups(self) -> bool:
        """Whether the rows that the engine gives are known to be few."""
        return self.groups is not None and self.groups <= _FEW_GROUPS

    @property
    def owner(self) -> Scan:
        """The table that owns the rows, where one does."""
        assert isinstance(self.found.owner, Scan)
        return self.found.owner

    @property
    def every_key(self) -> int:
        """How many keys the engine's rows have: with bins one more, the last."""
        return 0 if self.over_keys else len(self.keys) + (self.bins is not None)

    @property
    def additive(self) -> bool:
        """Whether a term over all rows is its sum over any two halves of them, and is best computed so.

        Differences for each unit and group would be as many as there are pairs of them.
        """
        return not self.once and all(
            t.sum not in (Sum.DISTINCT, Sum.DISTINCT_TOTAL, Sum.UNITS) for t in self.terms
        )

    @property
    def has_parts(self) -> bool:
        """Whether units are counted among all rows of a table, so that each term adds up over parts of the units."""
        alone = isinstance(self.relation, Scan) and self.bounding.groups is None and not self.by_unit
        sums = {t.sum for t in self.terms}
        return alone and Sum.UNITS in sums and not sums & {Sum.DISTINCT, Sum.DISTINCT_TOTAL}

    @property
    def sets_of_units(self) -> int:
        """How many sets of units are counted at once, one for each term and group; 0 where there may be any number.

        Where units are counted, keys are checked row by row, so that the rows have no more groups than text and policy.
        """
        if self.groups is None or self.bounding.groups is not None or self.by_unit or self.inner:
            return 0
        nothing_listed = 1  # where keys are NULL
        return sum(t.sum is Sum.UNITS for t in self.terms) * (self.groups + nothing_listed)

    @property
    def counts_rows(self) -> bool:
        """Whether nothing is asked for but the number of all rows."""
        return not self.every_key and not self.by_unit and all(t == Term(Sum.ROWS) for t in self.terms)

    @property
    def in_reach(self) -> list[Column]:
        """Every column of the joined rows, in a fixed order; what a choice of rows by content goes by."""
        return sorted((c for c in self.found.base if c.name != MARK), key=lambda c: (c.scan, c.name))

    def names(self, scan: Scan) -> frozenset[str]:
        """The columns of a table that the query reads; all of them where rows are chosen by content."""
        if self.bounding.rows is not None and any(c.scan == scan.index for c in self.found.base):
            return frozenset(c.name for c in table_of(scan, self.catalog).columns)
        return names_read((*self.keys, *self.rows), scan.index)

    def read(self, scan: Scan) -> Rows:
        """The rows of a table as its own cap leaves them."""
        if table_of(scan, self.catalog).public:
            return public_rows(scan, self.catalog)
        table = bounded_table(scan, self.policy, self.catalog)
        return capped(table, self.names(scan), self.policy, self.listed)

    @property
    def summed(self) -> list[Expr]:
        """Every expression that terms, or the cells of bins, read."""
        terms = [e for t in self.terms for e in t.reads]
        return terms if self.bins is None else [*terms, self.bins.grid.arg]

    @property
    def used_marks(self) -> list[Column]:
        """The marks that keys or terms read, beside the columns in reach."""
        read = {c for e in (*self.keys, *self.summed) for c in columns_of(e)}
        return sorted((c for c in self.found.base if c.name == MARK and c in read), key=lambda c: c.scan)


def flat(column: Column) -> str:
    """The name of a column where the columns of all sources stand in one row."""
    return quoted(f"{column.scan}.{column.name}")
