"""What each unit adds to the cells of its groups, as SQL: how many units are how large, and sums of scaled vectors.

Every step is total, and no divisor is below 1, whichever rows an engine computes it of: a cell is clamped to its limit,
which is a BIGINT and leaves room for the multiplications that follow, and a sum over all units of what is clamped fits
a HUGEINT. The threshold comes as a parameter; it is at most 2^62, and so is every cell that was scaled to it.

Where sizes are measured in L2, squares are compared with squares. The root that vectors are divided by is made of whole
numbers: that of a double is no more than the hint it begins with (`mechanisms.clipping.scaling.root_from`).

Without groups a unit has one row, so that nothing is added up over its rows; a single cell is then scaled by clamping.
With groups only units above the threshold are looked for among the rows, and these are mostly few.

Where no row adds anything below 0 to a cell, and sizes are measured in L1, the size of a unit is a sum over its rows,
whatever groups they are in. Then no vector is needed but those of units above the threshold: sums over all rows, less
what these units add, and what is left of that after scaling. A cell is clamped in these vectors alone. *Because* a
limit that is not proven is 2^(62 - f): a unit with a cell above it is in the highest bin by either size, and above
every threshold, or exactly at the largest, where scaling changes nothing. All rows of a cell are below 2^125.

A condition on rows makes no such sum larger, and a size in L2 is never above the one in L1. So the rows of the units
that own most are kept for all questions about a table, and with each kind of size how large it is at most of any other
unit, whatever the condition. Where the threshold is above that, these rows tell all that is to be known of units above
it. They are asked where that is no more than the limit of a cell, too, so that no cell of any other unit is clamped: in
L2, where squares of many cells are added up, the limit is far below the highest threshold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpsql.algebra.expressions import LiteralValue
from dpsql.engines.base import EngineQuery
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.plan.sums.signs import adds_nothing_below_0, never_negative
from dpsql.plan.types import Histogram, ScaledScores, ScaledSums, Sum, Term
from dpsql.slotted import dataclass

THRESHOLD = "threshold"
OF_BINS = 3
"""How many integers there are for each bin of a histogram that comes with sums."""
Part = Histogram | ScaledSums | ScaledScores
_Scaled = ScaledSums | ScaledScores
_TAU = f"CAST(${THRESHOLD} AS HUGEINT)"
_ADDITIVE = frozenset({Sum.ROWS, Sum.VALUES, Sum.TOTAL, Sum.SHIFTED, Sum.SQUARES, Sum.PRODUCT})


@dataclass(frozen=True, slots=True)
class DrawnBefore:
    """What of a release is drawn before a query that reads it: a threshold, and of private groups those that are kept.

    `kept` are their keys, column by column. `largest`: no units count but those that own most. `unscaled`: sums are
    asked for as if no unit were above the threshold.
    """

    threshold: int | None = None
    kept: tuple[tuple[LiteralValue, ...], ...] = ()
    largest: bool = False
    unscaled: bool = False


def with_drawn(query: EngineQuery, drawn: DrawnBefore) -> EngineQuery:
    """The query with what it waits for."""
    if drawn.largest and query.of_largest is not None:
        query = replace(query.of_largest, values=query.values)
    if drawn.unscaled and query.unscaled is not None:
        query = replace(query.unscaled, values=query.values)
    values = [(_kept_name(i), column) for i, column in enumerate(drawn.kept)]
    more = [(THRESHOLD, drawn.threshold)] if drawn.threshold is not None else []
    return replace(query, values=(*query.values, *values, *more))


def of_kept_groups(types: Sequence[str], grouped: str) -> str:
    """The rows of the groups that are kept."""
    return f"SELECT r.* FROM ({grouped}) AS r {among_kept_groups(types)}"


def among_kept_groups(types: Sequence[str]) -> str:
    """What leaves the rows r of kept groups alone, whose keys come as parameters of these types; NULL is a key like any
    other."""
    keys = (f"unnest(CAST(${_kept_name(i)} AS {t}[])) AS k{i}" for i, t in enumerate(types))
    same = " AND ".join(f"r.k{i} IS NOT DISTINCT FROM s.k{i}" for i in range(len(types)))
    return f"SEMI JOIN (SELECT {', '.join(keys)}) AS s ON {same}"


def _kept_name(index: int) -> str:
    return f"kept{index}"


def sums_of_rows(parts: Sequence[Part]) -> bool:
    """Whether the sizes of units are sums over their rows, for all of the parts."""
    return _additive(parts) and all(
        not p.squared and summed_cells(p) and never_negative(p.terms, p.cells) for p in parts
    )


def grows_with_rows(parts: Sequence[Part]) -> bool:
    """Whether there are sums over the rows of a unit that are no less than its sizes, for all of the parts."""
    return _additive(parts) and all(adds_nothing_below_0(t) for p in parts for t in p.terms)


def _additive(parts: Sequence[Part]) -> bool:
    return all(t.sum in _ADDITIVE for p in parts for t in p.terms)


def summed_terms(parts: Sequence[Part]) -> tuple[Term, ...]:
    """The terms that the sizes of units are combinations of, where `sums_of_rows` holds."""
    return tuple(dict.fromkeys(t for p in parts for t, _ in summed_cells(p)))


def bounding_terms(parts: Sequence[Part]) -> tuple[Term, ...]:
    """The terms that `most_sql` is a combination of."""
    return tuple(dict.fromkeys(t for p in parts for t, _ in _most_cells(p)))


def most_sql(part: Part, terms: Sequence[Term]) -> str:
    """A sum over the rows of a unit that is no less than its size, where `grows_with_rows` holds.

    In L1 a size is at most that of all cells, each at most its terms with all signs positive; in L2 it is no larger.
    """
    return _combination([(c, terms.index(t)) for t, c in _most_cells(part)])


def _most_cells(part: Part) -> tuple[tuple[Term, int], ...]:
    sums = [sum(abs(cell[i]) for cell in part.cells) for i in range(len(part.terms))]
    return tuple((t, c) for t, c in zip(part.terms, sums, strict=True) if c)


def summed_cells(part: Part) -> tuple[tuple[Term, int], ...]:
    """All cells of a part together, as a combination of terms."""
    sums = [sum(cell[i] for cell in part.cells) for i in range(len(part.terms))]
    return tuple((t, c) for t, c in zip(part.terms, sums, strict=True) if c)


def total_sql(part: Part, terms: Sequence[Term]) -> str:
    """What all rows of a unit add to its size, where `sums_of_rows` holds."""
    return _combination([(c, terms.index(t)) for t, c in summed_cells(part)])


def _above(part: _Scaled) -> str:
    """SELECT the units of `sized` that are above the threshold."""
    return f"SELECT {UNIT} FROM sized WHERE t * {1 << part.clipping.shift}::HUGEINT > {_TAU}"


ONLY_ABOVE = f"SEMI JOIN above AS a ON r.{UNIT} IS NOT DISTINCT FROM a.{UNIT}"
"""What leaves the rows r of units above the threshold alone."""


def reduced_sql(
    part: _Scaled, terms: Sequence[Term], keys: int, sized: str, totals: str, vectors: str
) -> str:
    """What `scaled_sql` selects, where `sums_of_rows` holds.

    `sized` selects the unit and its size t, `totals` the keys and the terms over all rows, `vectors` the unit, the keys
    and the terms of units above the threshold by group, found by `ONLY_ABOVE`.
    """
    names, factor = [f"k{i}" for i in range(keys)], _factor(part)
    raw, clamped = list(_raw_cells(part, terms)), list(_cells(part, terms))
    if not keys and len(raw) == 1:  # its size is a unit's only cell
        multiplied = f"SELECT CAST(t AS HUGEINT) * {factor} AS x FROM ({sized})"
        above = f"SELECT {_TAU} - x AS x FROM ({multiplied}) WHERE x > {_TAU}"
        both = f"SELECT {raw[0]} * {factor} AS x FROM ({totals}) UNION ALL {above}"
        return f"SELECT CAST(sum(x) AS HUGEINT) AS g0 FROM ({both})"
    cells = [f"{r} AS r{i}, {c} AS c{i}" for i, (r, c) in enumerate(zip(raw, clamped, strict=True))]
    size = " + ".join(f"CAST(c{i} AS HUGEINT)" for i in range(len(raw)))
    every = [*names, *(f"{r} * {factor} AS x{i}" for i, r in enumerate(raw))]
    moved = [*names, *(f"c{i} * {_TAU} // d - r{i} * {factor}" for i in range(len(raw)))]
    sums = (f"CAST(sum(x{i}) AS HUGEINT) AS g{i}" for i in range(len(raw)))
    return (
        f"WITH sized AS ({sized}), above AS MATERIALIZED ({_above(part)}), "
        f"v AS MATERIALIZED (SELECT {', '.join([UNIT, *names, *cells])} FROM ({vectors})), "
        f"d AS (SELECT {UNIT}, greatest(sum({size}), 1) AS d FROM v GROUP BY {UNIT}) "
        f"SELECT {', '.join([*names, *sums])} FROM (SELECT {', '.join(every)} FROM ({totals}) UNION ALL "
        f"SELECT {', '.join(moved)} FROM v JOIN d ON v.{UNIT} IS NOT DISTINCT FROM d.{UNIT}){_group(names)}"
    )


def _group(names: Sequence[str]) -> str:
    return f" GROUP BY {', '.join(names)}" if names else ""


def less_vectors_sql(part: _Scaled, terms: Sequence[Term], keys: int, grouped: str, totals: str) -> str:
    """What `scaled_sql` selects, where `grouped` has the vectors of all units that are above the threshold, or of more.

    `totals` selects the keys and the terms over all rows.
    """
    names, factor = [f"k{i}" for i in range(keys)], _factor(part)
    cells = range(len(part.cells))
    raw = [f"{r} AS r{i}" for i, r in enumerate(_raw_cells(part, terms))]
    written = [*raw, *(f"{c} AS c{i}" for i, c in enumerate(_cells(part, terms)))]
    vectors = f"SELECT {', '.join([UNIT, *names, *written])} FROM v"
    rows = _with_divisors(part, vectors, sized_sql(part, terms, keys, "SELECT * FROM v"))
    every = [*names, *(f"r{i} * {factor} AS x{i}" for i in cells)]
    moved = [*names, *(f"{_divided(part).format(c=f'c{i}')} - r{i} * {factor}" for i in cells)]
    sums = (f"CAST(coalesce(sum(x{i}), 0) AS HUGEINT) AS g{i}" for i in cells)
    return (
        f"WITH v AS MATERIALIZED ({grouped}) SELECT {', '.join([*names, *sums])} FROM ("
        f"SELECT {', '.join(every)} FROM (SELECT {', '.join([*names, *raw])} FROM ({totals})) UNION ALL "
        f"SELECT {', '.join(moved)} FROM ({rows})){_group(names)}"
    )


def size_sql(part: Part, terms: Sequence[Term]) -> str:
    """What a row of a unit adds to its size, or to the square of it."""
    cells = (f"CAST({cell} AS HUGEINT)" for cell in _cells(part, terms))
    return " + ".join(f"{cell} * {cell}" if part.squared else f"abs({cell})" for cell in cells)


def sized_sql(part: Part, terms: Sequence[Term], keys: int, grouped: str) -> str:
    """SELECT the unit, t: the size of each unit, or its square.

    `grouped` selects the unit, the keys and the terms of each unit and group.
    """
    size = size_sql(part, terms)
    if not keys:
        return f"SELECT {UNIT}, {size} AS t FROM ({grouped})"
    return f"SELECT {UNIT}, sum({size}) AS t FROM ({grouped}) GROUP BY {UNIT}"


def histogram_sql(part: Histogram, sized: str) -> str:
    """SELECT k0, g0: the bins that have units, as powers of two, and how many units each has."""
    # Many units have the same size, and writing digits is slow.
    alike = f"SELECT t, count(*) AS n FROM ({sized}) WHERE t > 0 GROUP BY t"
    return f"SELECT {_bin(part)} AS k0, sum(n) AS g0 FROM ({alike}) GROUP BY 1"


def _bin(part: Histogram) -> str:
    """The bin of a size t, as a power of two."""
    digits = power_of("t")
    power = f"({digits} + 1) // 2" if part.squared else digits  # t <= 4^j for the least j
    return f"least({power} + {part.clipping.bins.lowest}, {part.clipping.bins.highest})"


def histogram_of_largest_sql(part: Histogram, sized: str, first: str, summed: bool) -> str:
    """SELECT k0, g0: the same of the units of `sized`; and as g0 of NULL the least bin in which no others can be.

    `first` selects the least p for which no other unit has a size above 2^(p - 1). Where that is above the limit of a
    cell, no bin is said to have no others: the cells of these would be clamped, which sums over all rows do not do.
    `summed`: also g1, the sizes of a bin's units added up, and g2, what of these is above the highest power of two.
    """
    low, high, limit = part.clipping.bins.lowest, part.clipping.bins.highest, part.clipping.limit
    above = f"t - least(t, {1 << high - low}::HUGEINT)"
    sums = ("count(*)", "sum(t)", f"sum({above})")[: OF_BINS if summed else 1]
    counted = ", ".join([f"{_bin(part)} AS k0", *(f"{s} AS g{i}" for i, s in enumerate(sums))])
    least = ", ".join([f"NULL, p + {low}", *("0" for _ in sums[1:])])
    return (
        f"SELECT {counted} FROM ({sized}) WHERE t > 0 GROUP BY 1 "
        f"UNION ALL SELECT {least} FROM ({first}) WHERE p <= {min(high - low, limit.bit_length())}"
    )


def power_of(size: str) -> str:
    """The least j with size <= 2^j: as many binary digits as size - 1 has."""
    return f"CASE WHEN {size} > 1 THEN length(bin({size} - 1)) ELSE 0 END"


def scaled_sql(part: _Scaled, terms: Sequence[Term], keys: int, grouped: str, sized: str = "") -> str:
    """SELECT k0, ..., g0, ...: for each group the sums of the units' cells, each in units of 2**-shift and scaled.

    `sized` selects what `sized_sql` does from where it is kept.
    """
    names, cells = [f"k{i}" for i in range(keys)], [f"c{i}" for i in range(len(part.cells))]
    written = (f"{cell} AS {name}" for cell, name in zip(_cells(part, terms), cells, strict=True))
    vectors = f"SELECT {', '.join([UNIT, *names, *written])} FROM"
    once, scaled = "", _divided(part)
    if not keys and len(cells) == 1:
        rows, scaled = f"{vectors} ({grouped})", _clamped(part)
    elif sized:
        rows = _with_divisors(part, f"{vectors} ({grouped})", sized)
    else:
        once = f"WITH v AS MATERIALIZED ({grouped}) "
        rows = _with_divisors(part, f"{vectors} v", sized_sql(part, terms, keys, "SELECT * FROM v"))
    sums = (f"CAST(coalesce(sum({scaled.format(c=c)}), 0) AS HUGEINT) AS g{i}" for i, c in enumerate(cells))
    return f"{once}SELECT {', '.join([*names, *sums])} FROM ({rows}){_group(names)}"


def _clamped(part: _Scaled) -> str:
    """A unit's only cell {c}, multiplied and scaled: above the threshold it is the threshold, in L1 and in L2."""
    multiplied, tau = f"{{c}} * {_factor(part)}", f"CAST({_TAU} AS BIGINT)"
    return f"greatest(least({multiplied}, {tau}), -{tau})"


def _divided(part: _Scaled) -> str:
    """A cell {c} of a unit, multiplied, and scaled where the unit has a divisor d, since it is above the threshold."""
    numerator = f"abs({{c}}) * {_factor(part)} * {_TAU}" if part.squared else f"abs({{c}}) * {_TAU}"
    scaled = f"CAST(sign({{c}}) * (({numerator}) // d) AS BIGINT)"
    return f"CASE WHEN d IS NULL THEN {{c}} * {_factor(part)} ELSE {scaled} END"


def _factor(part: _Scaled) -> str:
    return f"{1 << part.clipping.shift}::BIGINT"


def _with_divisors(part: _Scaled, vectors: str, sized: str) -> str:
    """The vectors with d: what the cells of a unit above the threshold are divided by, NULL for every other unit."""
    above = _by_root(part, sized) if part.squared else _by_total(part, sized)
    # As GROUP BY compares units, so that none is added up as one and divided as another.
    return f"SELECT v.*, a.d FROM ({vectors}) AS v LEFT JOIN ({above}) AS a ON v.{UNIT} IS NOT DISTINCT FROM a.{UNIT}"


def _by_total(part: _Scaled, sized: str) -> str:
    """The units whose |cells| add up to t, multiplied more than tau: t itself, since cells are not multiplied there."""
    return f"SELECT {UNIT}, t AS d FROM ({sized}) WHERE t * {1 << part.clipping.shift}::HUGEINT > {_TAU}"


def _by_root(part: _Scaled, sized: str) -> str:
    """The same for units whose squares add up to t: the root of q, that of the multiplied vector, or a little more.

    With any h >= 1, a = ceil((h + ceil(q / h)) / 2) has a^2 >= q; b = a - 1 is taken if b >= 1 is at least
    ceil(q / b), that is, if its square suffices: without a square that could overflow.
    """
    q = f"SELECT *, t * {1 << 2 * part.clipping.shift}::HUGEINT AS q FROM ({sized})"
    h = f"SELECT *, greatest(CAST(sqrt(CAST(q AS DOUBLE)) AS HUGEINT), 1::HUGEINT) AS h FROM ({q})"
    a = f"SELECT *, (h + (q + h - 1) // h + 1) // 2 AS a FROM ({h})"
    b = f"SELECT *, greatest(a - 1, 1::HUGEINT) AS b FROM ({a})"
    root = "CASE WHEN b >= (q + b - 1) // b THEN b ELSE a END"
    return f"SELECT {UNIT}, {root} AS d FROM ({b}) WHERE q > {_TAU} * {_TAU}"


def _cells(part: Part, terms: Sequence[Term]) -> Iterator[str]:
    """Every cell of a unit's group, clamped."""
    limit = f"{part.clipping.limit}::HUGEINT"
    for cell in _raw_cells(part, terms):
        yield f"CAST(greatest(least({cell}, {limit}), -{limit}) AS BIGINT)"


def _raw_cells(part: Part, terms: Sequence[Term]) -> Iterator[str]:
    place = {term: i for i, term in enumerate(terms)}
    for cell in part.cells:
        yield f"({_combination([(c, place[t]) for c, t in zip(cell, part.terms, strict=True) if c])})"


def _combination(weighted: Sequence[tuple[int, int]]) -> str:
    integers = ((f"CAST(g{at} AS HUGEINT)", c) for c, at in weighted)
    return " + ".join(g if c == 1 else f"{g} * ({c}::HUGEINT)" for g, c in integers)
