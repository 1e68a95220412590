"""Warnings about a policy that is valid but may not be meant."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpsql.engines.sources.described import column_names
from dpsql.errors import Problem
from dpsql.policy.model import AccountantName, Budget, Column, ColumnType, Policy, Table
from dpsql.policy.naming.key_names import named_table
from dpsql.policy.naming.suspected_units import suspected_units
from dpsql.policy.table_sources import SourceKind

LOOSE_EPSILON = 10
LOOSE_DELTA = Fraction(1, 100_000)
_BOUNDED = (ColumnType.INTEGER, ColumnType.FLOAT)


def warnings(policy: Policy) -> tuple[str, ...]:
    """Tables of another unit, rows without a cap, columns that cannot be summed, budgets that promise little."""
    suspicions = [str(suspicion) for suspicion in suspected_units(policy)]
    suspicions += [w for t in policy.tables if not t.public for w in _table_warnings(t, policy)]
    return (*suspicions, *_budget_warnings(policy))


def compared_with_sources(policy: Policy) -> tuple[tuple[Problem, ...], tuple[str, ...]]:
    """Tables and columns that a source lacks, as problems; missing sources, as warnings."""
    problems: list[Problem] = []
    notes: list[str] = []
    for table in policy.tables:
        if table.source.kind is SourceKind.FRAME:
            notes.append(
                f"tables.{table.name}.source: a frame is handed over in Python; not compared with it"
            )
            continue
        if not table.source.parts and not table.source.path.is_file():
            notes.append(f"tables.{table.name}.source: {table.source.path} is not here; not compared with it")
            continue
        names = column_names(table)
        if names is None:
            missing = f"there is no table {table.source.table} in {table.source.path.name}"
            problems.append(Problem(str(policy.path), None, f"tables.{table.name}", missing))
            continue
        there = {name.lower() for name in names}
        for column in (c.name for c in table.source_columns if c.name.lower() not in there):
            path = f"tables.{table.name}.columns.{column}"
            problems.append(Problem(str(policy.path), None, path, "the source has no such column"))
    return tuple(problems), tuple(notes)


def _table_warnings(table: Table, policy: Policy) -> Iterator[str]:
    here = f"tables.{table.name}"
    capped = table.max_rows_per_unit or policy.privacy.max_rows_per_unit
    if not (table.one_row_per_unit or table.row_is_unit or capped):
        yield (
            f"{here}: one person may own any number of rows, so that nothing can be counted or summed; "
            f"set {here}.max_rows_per_unit or privacy.max_rows_per_unit"
        )
    keys = _keys(table, policy)
    for column in table.columns:
        if column.name not in keys and not column.hidden:
            yield from _column_warnings(column, f"{here}.columns.{column.path}", policy)


def _keys(table: Table, policy: Policy) -> frozenset[str | None]:
    """The columns that nobody adds up: the unit's key, those of paths, and the one called after the table's rows."""
    paths = (t.unit_path for t in policy.tables if t.unit_path is not None)
    led_to = (p.key for p in paths if p.table == table.name)
    own = named_table(table).key
    leads = table.unit_path.column if table.unit_path is not None else None
    return frozenset((table.unit_key, leads, own.name if own is not None else None, *led_to))


def _column_warnings(column: Column, here: str, policy: Policy) -> Iterator[str]:
    if column.type in _BOUNDED and column.lower is None and not column.is_listed:
        yield f"{here}: no bounds, so that it can be counted, filtered and grouped, not summed or averaged"
    elif column.lower is None and not column.is_listed and policy.accountant is AccountantName.PURE:
        yield f"{here}: no public values, so that grouping needs a delta, which the pure accountant lacks"
    if column.unit_total is not None and column.unit_total < _magnitude(column):
        yield f"{here}: unit_total is below what one value may be, so that larger values are cut in sums"


def _magnitude(column: Column) -> Fraction:
    ends = [abs(Fraction(e)) for e in (column.lower, column.upper) if isinstance(e, int | Fraction)]
    return max(ends, default=Fraction(0))


def _budget_warnings(policy: Policy) -> Iterator[str]:
    # Who has what the default grants is warned of there.
    named = [(f"budgets.analysts.{name}", b) for name, b in policy.analysts if b != policy.default]
    roles = [(f"budgets.roles.{role.name}", role.budget) for role in policy.roles]
    granted = [*([("budgets.default", policy.default)] if policy.default else []), *named, *roles]
    for here, budget in granted:
        yield from _grant_warnings(here, budget, policy)
    if policy.analysts and policy.default is not None and policy.unknown_analysts is None:
        yield (
            "budgets: an analyst whose line is deleted from `analysts` has the default's budget from then on, as "
            "everybody who is not named; write `unknown_analysts: refuse` to refuse them, or `default` if that is meant"
        )
    if policy.dataset.limit.delta > LOOSE_DELTA:
        yield (
            f"budgets.dataset: delta {float(policy.dataset.limit.delta):g} is large; "
            "it should be far below one in the number of persons"
        )


def _grant_warnings(here: str, budget: Budget, policy: Policy) -> Iterator[str]:
    limit = budget.limit
    if limit.epsilon > LOOSE_EPSILON:
        yield f"{here}: epsilon {float(limit.epsilon):g} protects little; up to about 1 protects strongly"
    if limit.epsilon > policy.dataset.limit.epsilon or limit.delta > policy.dataset.limit.delta:
        yield f"{here}: more than budgets.dataset grants to all analysts together, which ends it first"
    opening = sum((draw.epsilon for draw in policy.calibrated), Fraction(0))
    if opening >= limit.epsilon:
        yield f"{here}: begins with epsilon {float(opening):g} of the draws under calibrated, which may leave nothing"
    if policy.accountant is not AccountantName.PURE and not budget.per_query.delta:
        yield f"{here}: no delta for a query, so that it cannot group by columns without public values"
