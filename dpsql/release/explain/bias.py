"""What may have moved an answer away from the truth besides its noise, a sentence for each limit.

The sentences depend on the text, on the policy and on what was released, and on nothing else of the data.
Values outside the bounds of a column that is added up, or chosen from, are moved to the nearer one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpsql.algebra.expressions import Call, Column, Expr
from dpsql.algebra.question import Aggregate
from dpsql.algebra.relations import Scan, sources
from dpsql.algebra.types import SqlType
from dpsql.mechanisms.selection.order_statistic import rank_error
from dpsql.plan.choices.bins import starts
from dpsql.plan.types import (
    Bins,
    Histogram,
    Local,
    Modes,
    Part,
    Presence,
    Ranks,
    Release,
    ScaledScores,
    ScaledSums,
    Scores,
    Sums,
    Target,
    UnitTotal,
)
from dpsql.policy.model import Policy, Scalar
from dpsql.release.draw.noise import FoundLimit
from dpsql.release.explain.choices import cell_widths, chosen_by, own_cell
from dpsql.release.explain.mechanisms import groups_below, groups_of, name_of, rows_of
from dpsql.release.explain.release_names import listed
from dpsql.release.uncertainty.total_intervals import Told, families_of, told

_RARELY = Fraction(1, 20)
_CHOICE = "which groups come first"
# What a limit does, and what of: the names of measures as the analyst wrote them.
_Said = tuple[str, list[str]]


def bias_notes(
    releases: Sequence[Release], limits: Sequence[Sequence[FoundLimit]] | None, policy: Policy
) -> tuple[str, ...]:
    """A note for each limit that may have biased an answer: once for each, with all that it is a limit of.

    `limits` are those that were found for each release; None before there is an answer.
    """
    by_limit: dict[str, list[str]] = {}
    for i, release in enumerate(releases):
        for limit, names in _of_release(release, limits[i] if limits is not None else None, policy):
            by_limit.setdefault(limit, []).extend(names)
    return tuple(f"{listed(names)}: {limit}" if names else limit for limit, names in by_limit.items())


def _of_release(release: Release, found: Sequence[FoundLimit] | None, policy: Policy) -> Iterator[_Said]:
    for of_limit in told(release, found) if found is not None else ():
        if of_limit.at_most or of_limit.units.clipped_half_width:
            place = of_limit.family
            yield _people(of_limit), [_CHOICE] if place is None else _measures(release, [place])
    for part in release.parts:
        for limit in _fixed(release, part, policy):
            yield limit, _names(release, part)
        if isinstance(part, Presence):
            yield _withheld(part), []
        if isinstance(part, Ranks):
            for e, target in zip(chosen_by(release, part), part.targets, strict=True):
                yield _ranks(target, part.bins), [name_of(e)]
    yield from value_bounds(release, policy)


def _people(limit: Told) -> str:
    """How many people a limit that was found made smaller. Where none can be above it, it is not said."""
    k, n = max(limit.units.clipped, 0), max(limit.units.units, 0)
    most, more = "at most " if limit.at_most else "", "more than " if limit.at_least else ""
    sure = f"±{limit.units.clipped_half_width:,.0f}"
    return f"{most}about {k:,} ({sure}) of {more}{n:,} people count with less than they have"


def _fixed(release: Release, part: Part, policy: Policy) -> Iterator[str]:
    """What the policy's own limits leave out of a part."""
    if isinstance(part, Histogram):
        return
    bounding = part.bounding
    if bounding.table_cap:
        yield from _capped_tables(release, policy)
    if bounding.rows is not None:
        yield f"at most {rows_of(bounding.rows)} of a person are counted"
    if bounding.groups is not None:
        yield groups_of(bounding.groups)
    yield from map(_total, bounding.totals)


def _capped_tables(release: Release, policy: Policy) -> Iterator[str]:
    names = dict.fromkeys(s.table for s in sources(release.question.relation) if isinstance(s, Scan))
    for name in names:
        table = policy.table(name)
        if table is not None and table.max_rows_per_unit is not None:
            yield f"at most {rows_of(table.max_rows_per_unit)} of a person are read from {name}"


def _total(total: UnitTotal) -> str:
    arg, most = total.grid.arg, float(total.limit * total.grid.step)
    name = arg.name if isinstance(arg, Column) else "a value"
    return f"a person counts with {most:,.10g} of {name} at most, all rows together"


def _withheld(part: Presence) -> str:
    return f"{groups_below(part)}; which they are, and how many, is private"


def _ranks(target: Target, bins: Bins) -> str:
    """Which ranks an answer may have, in 95 of 100 cases in each group: it depends on epsilon and policy alone."""
    error = rank_error(
        _RARELY,
        q=target.level,
        cells=len(starts(bins)) - 1,
        epsilon=target.epsilon,
        score_range=target.score_range,
    )
    apart = f"{own} ({cell_widths(bins)})" if (own := own_cell(bins)) else ""
    if 0 < target.level < 1:
        return (
            f"with 95 % probability at most {_whole(error):,} of the values lie between the answer and the "
            f"quantile {float(target.level):g}{apart}"
        )
    end = "least" if target.level == 0 else "greatest"
    return (
        f"with 95 % probability the answer's rank from the {end} value is between 0 (beyond all values) and "
        f"{_whole(target.inside + error):,}{apart}; rank {target.inside:,} is aimed at"
    )


def _whole(ranks: Fraction) -> int:
    return -(-ranks.numerator // ranks.denominator)


def _names(release: Release, part: Part) -> list[str]:
    """What a part answers, as the analyst wrote it."""
    if isinstance(part, Ranks | Modes):
        return [name_of(e) for e in chosen_by(release, part)]
    if isinstance(part, Scores | ScaledScores):
        return [_CHOICE]
    if isinstance(part, Local):
        return ["each row"]
    if isinstance(part, Presence) and not part.counted:
        return ["which groups are shown"]
    return _measures(release, _places(release, part))


def _places(release: Release, part: Part) -> list[int]:
    """The places of a part's families among those of its release."""
    before = 0
    for other in release.parts:
        count = len(_families(other))
        if other is part:
            return list(range(before, before + count))
        before += count
    return []


def _families(part: Part) -> Sequence[object]:
    if isinstance(part, Sums):
        return part.shown
    return part.families if isinstance(part, Presence | ScaledSums) else ()


def _measures(release: Release, families: Sequence[int]) -> list[str]:
    """The measures that are made of these families, as the analyst wrote them."""
    used = families_of(release)
    return [
        name_of(e)
        for e, places in zip(release.estimators, used, strict=True)
        if any(k in families for k in places)
    ]


_COUNTS = frozenset({Aggregate.COUNT_ROWS, Aggregate.COUNT, Aggregate.COUNT_UNITS})


def value_bounds(release: Release, policy: Policy) -> Iterator[tuple[str, list[str]]]:
    """For each bounded column what becomes of values outside, and the measure that is made of its values.

    Of columns of tables alone, and not of those that are only compared.
    """
    tables = {s.index: s.table for s in sources(release.question.relation) if isinstance(s, Scan)}
    for e in release.estimators:
        args = (e.measure.arg, e.measure.other)
        if e.measure.aggregate in _COUNTS:
            continue
        columns = dict.fromkeys(c for arg in args if arg is not None for c in _added(arg))
        for column in columns:
            if (said := _said(column, tables, policy)) is not None:
                yield said, [name_of(e)]


def _added(expr: Expr) -> Iterator[Column]:
    """The columns whose values make the value of an expression."""
    if isinstance(expr, Column):
        yield expr
    elif isinstance(expr, Call):
        for arg in expr.args:
            if arg.type is not SqlType.BOOLEAN:
                yield from _added(arg)


def _said(column: Column, tables: dict[int, str], policy: Policy) -> str | None:
    table = policy.table(tables.get(column.scan, ""))
    declared = table.column(column.name) if table is not None and not table.public else None
    if declared is None or declared.lower is None or declared.upper is None:
        return None
    low, high = _bound(declared.lower), _bound(declared.upper)
    return f"values of {declared.name} outside {low} to {high} count as the nearer of these"


def _bound(value: Scalar) -> str:
    return f"{float(value):,.10g}" if isinstance(value, int | Fraction) else str(value)
