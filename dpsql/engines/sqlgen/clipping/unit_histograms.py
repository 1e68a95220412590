"""How many units have how large a number, as SQL: rows, the largest |value| or the sum of all, in bins of `root_bins`.

Values are read from the typed view as they are, since the bounds that clip them are what is looked for. Every step is
total: values are moved into 2^62 steps before they are cast, NaN is no value, and a sum of fewer than 2^63 of them fits
a HUGEINT; what is above 2^62 counts as 2^62, so that its square fits as well. A unit is in one bin at most.
"""

from __future__ import annotations

from fractions import Fraction

from dpsql.algebra.catalog import Catalog, ColumnInfo
from dpsql.algebra.functions.spell import clamped, double
from dpsql.algebra.scan import quoted
from dpsql.algebra.types import SqlType
from dpsql.engines.base import EngineQuery
from dpsql.engines.sqlgen.relation import plain
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.errors import InternalError
from dpsql.mechanisms.clipping.root_bins import LARGEST
from dpsql.plan.calibration import Size, UnitHistogram


def unit_histogram_query(histogram: UnitHistogram, catalog: Catalog) -> EngineQuery:
    """The query: each bin that has units, by its k, and how many."""
    numbers = f"SELECT least({_number(histogram, catalog)}, {LARGEST})::HUGEINT AS t"
    rows = _rows(histogram, catalog)
    by_unit = f" GROUP BY {UNIT}" if histogram.by_unit else ""
    # 2^(k-1) < t^2 <= 2^k for the k that is the number of binary digits of t^2 - 1.
    power = "CASE WHEN t > 1 THEN length(bin(t * t - 1)) ELSE 0 END"
    counted = (
        f"SELECT {power} AS k0, count(*) AS g0 FROM ({numbers} FROM ({rows}){by_unit}) WHERE t > 0 GROUP BY 1"
    )
    return EngineQuery(counted, 1, 1)


def _rows(histogram: UnitHistogram, catalog: Catalog) -> str:
    info = catalog.table(histogram.table)
    if info is None:
        raise InternalError("a histogram of a table that the policy does not have")
    names = frozenset(c.name for c in info.columns if c.name == histogram.column)
    return plain(info, names, catalog.tables, owned=True, unchecked=names)


def _number(histogram: UnitHistogram, catalog: Catalog) -> str:
    if histogram.size is Size.ROWS:
        return "count(*)"
    info = catalog.table(histogram.table)
    column = info.column(histogram.column) if info is not None else None
    if column is None:
        raise InternalError("a histogram of a column that the policy does not have")
    # NULL becomes 0 before any LEAST, which would swallow it.
    size = f"coalesce(abs({_steps(column, histogram.step)}), 0)"
    if not histogram.by_unit:
        return size
    return f"max({size})" if histogram.size is Size.LARGEST else f"sum({size})"


def _steps(column: ColumnInfo, step: Fraction) -> str:
    """The value in steps of the grid, a BIGINT between -2^62 and 2^62 or thereabouts; NULL and NaN are NULL."""
    raw = quoted(column.name)
    if column.type is SqlType.INTEGER:
        most = int(LARGEST * min(step, Fraction(1)))
        inside = clamped(raw, -most, most)
        return (
            inside
            if step == 1
            else f"CAST(round(CAST({inside} AS DOUBLE) / {double(float(step))}) AS BIGINT)"
        )
    most_double = double(float(LARGEST * step))
    inside = (
        f"(CASE WHEN isnan({raw}) THEN NULL WHEN {raw} > {most_double} THEN {most_double} "
        f"WHEN {raw} < -{most_double} THEN -{most_double} ELSE {raw} END)"
    )
    return f"CAST(round({inside} / {double(float(step))}) AS BIGINT)"
