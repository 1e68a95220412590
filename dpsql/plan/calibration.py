"""Which limits of a policy can be found in the data, and by which numbers of its units."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from datetime import date
from fractions import Fraction

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Column
from dpsql.algebra.relations import Scan
from dpsql.algebra.shape import shape
from dpsql.algebra.types import sql_type
from dpsql.errors import InterfaceError
from dpsql.mechanisms.clipping.clipping_noise import Noise
from dpsql.plan.sums.grids import column_step, largest
from dpsql.policy.model import CalibratedDraw, ColumnType, Policy, Table
from dpsql.policy.model import Column as ColumnPolicy
from dpsql.policy.names import did_you_mean
from dpsql.slotted import dataclass

_NUMBERS = (ColumnType.INTEGER, ColumnType.FLOAT)


class Size(enum.StrEnum):
    """What number of a unit is counted; the value is the key of the policy that it limits."""

    ROWS = "max_rows_per_unit"
    LARGEST = "upper"
    TOTAL = "unit_total"


@dataclass(frozen=True, slots=True)
class UnitHistogram:
    """How many units have how large a number: of their rows in a table, or of a column's |values|, in steps.

    `by_unit` is False where every row is a unit.
    """

    table: str
    size: Size
    column: str = ""
    step: Fraction = Fraction(1)
    by_unit: bool = True

    @property
    def name(self) -> str:
        """What it is for, as `orders.amount.unit_total`."""
        return ".".join(filter(None, (self.table, self.column, self.size.value)))


@dataclass(frozen=True, slots=True)
class Found:
    """A histogram as it was released: a noisy count for each of `root_bins`."""

    of: UnitHistogram
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """A draw that was charged and stored: what of, with which noise, what came out, and on which day (UTC)."""

    draw: CalibratedDraw
    noise: Noise
    found: tuple[Found, ...]
    day: date


def unit_histograms(
    policy: Policy, catalog: Catalog, only: tuple[str, ...] = ()
) -> tuple[UnitHistogram, ...]:
    """The histograms of a policy, or those named: `orders`, `orders.amount`, `orders.amount.unit_total`.

    For each private table where a unit may have several rows, how many it has; for each number with bounds that queries
    may use, its largest size and, where a unit may have several rows, its total. InterfaceError where there is none.
    """
    every = tuple(_histogram(*limit, catalog) for limit in _limits(policy))
    if not every:
        raise InterfaceError(
            "nothing to find: no private table may have several rows of a unit, or has numbers"
        )
    for name in only:
        if not any(_is_of(h, name) for h in every):
            raise InterfaceError(f"there is no limit {name}{did_you_mean(name, [h.name for h in every])}")
    return tuple(h for h in every if not only or any(_is_of(h, name) for name in only))


def _is_of(histogram: UnitHistogram, name: str) -> bool:
    return f"{histogram.name}.".lower().startswith(f"{name}.".lower())


def is_found(histogram: UnitHistogram, policy: Policy) -> bool:
    """Whether a calibration under the policy would find this limit, too."""
    wanted = histogram.table, histogram.size, histogram.column
    return any(wanted == (t.name, size, c.name if c else "") for t, size, c in _limits(policy))


def _limits(policy: Policy) -> Iterator[tuple[Table, Size, ColumnPolicy | None]]:
    """The limits that can be found, in the policy's order."""
    for table in policy.tables:
        if not table.public:
            yield from ((table, size, column) for size, column in _limits_of(table))


def _limits_of(table: Table) -> Iterator[tuple[Size, ColumnPolicy | None]]:
    single = table.one_row_per_unit or table.row_is_unit
    if not single:
        yield Size.ROWS, None
    sizes = (Size.LARGEST,) if single else (Size.LARGEST, Size.TOTAL)
    for column in table.columns:
        if _is_summed(column, table):
            yield from ((size, column) for size in sizes)


def _histogram(table: Table, size: Size, column: ColumnPolicy | None, catalog: Catalog) -> UnitHistogram:
    if column is None:
        return UnitHistogram(table.name, size)
    step = _step(table, column, catalog)
    return UnitHistogram(table.name, size, column.name, step, not table.row_is_unit)


def _is_summed(column: ColumnPolicy, table: Table) -> bool:
    """Whether the column is a number with bounds, no key and not hidden, that queries can add up."""
    if column.type not in _NUMBERS or column.hidden or column.name == table.unit_key:
        return False
    ends = [Fraction(e) for e in (column.lower, column.upper) if isinstance(e, int | Fraction)]
    return bool(ends) and max(map(abs, ends)) < largest(sql_type(column.type))


def _step(table: Table, column: ColumnPolicy, catalog: Catalog) -> Fraction:
    """The step of the grid that sums of the column are taken on."""
    scan = Scan(table.name, 0)
    return column_step(Column(0, column.name, sql_type(column.type)), shape(scan, catalog), catalog)
