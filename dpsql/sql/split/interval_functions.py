"""DP_INTERVAL_LOW(x) and DP_INTERVAL_HIGH(x): the ends of the 95 % interval of what is computed on a release.

They stand in the SELECT that aggregates private rows, or in one that reads such a SELECT alone and row by row, through
derived tables and WITH: its columns then stand for what they are made of, and the ends are passed on beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from dpsql.algebra.formula import Formula, measures_of
from dpsql.errors import QueryRefused
from dpsql.slotted import dataclass
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of, is_star, named_queries
from dpsql.sql.dialect import Node
from dpsql.sql.public.cut_query import Bounds
from dpsql.sql.public.formulas import Resolve, formula
from dpsql.sql.public.row_provenance import level_selects, measured_in, released_source, source_of

LOW: Final = "dp_interval_low"
HIGH: Final = "dp_interval_high"
BOUND_NAMES: Final = frozenset({LOW, HIGH})
# Clauses with which a row of a SELECT is not a row of what it reads.
_ANOTHER_ROW: Final = ("distinct", "joins", "group")


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a SELECT reads row by row: a released table, or `levels`, known as `name`; and what its columns stand for.

    `through` are the SELECTs between it and the release, from the outermost, which pass on what is read.
    """

    name: str
    levels: tuple[exp.Select, ...]
    resolve: Resolve
    through: tuple[exp.Select, ...] = ()


def bounds(tree: Node) -> tuple[Bounds, ...]:
    """Replaces every call in a cut tree by a column of a released table, and says what these columns hold.

    Raises QueryRefused for a call that does not stand where aggregates of private rows, or columns of such, do.
    """
    ends: dict[tuple[str, Formula], Bounds] = {}
    for call in all_of(tree, exp.Anonymous):
        name = str(call.this).lower()
        if name in BOUND_NAMES:
            reading, measured = _formula_of(call, name)
            if reading.through:
                _check_listed(tree, call, name)
            tables = [source_of(s) for s in reading.levels] or [_base(reading)]
            for each in tables:
                ends.setdefault((each, measured), Bounds(each, measured, f"l{len(ends)}", f"h{len(ends)}"))
            made = [ends[each, measured] for each in tables]
            columns = [b.low if name == LOW else b.high for b in made]
            for select, column in zip(reading.levels, columns, strict=False):
                _passed_on(select, source_of(select), column, columns[0])
            call.replace(_through(reading, columns[0]))
    return tuple(ends.values())


def _base(reading: _Reading) -> str:
    """The released table at the end of what is read."""
    if not reading.through:
        return reading.name
    source = released_source(reading.through[-1])
    assert source is not None
    return str(source.name)


def _through(reading: _Reading, column: str) -> Node:
    """The column of the release as the SELECT that asks sees it; those between have it under a name of its own."""
    name = column
    for select in reversed(reading.through):
        behind = select.args["from_"].this.alias_or_name
        _passed_on(select, behind, name, f"#{column}")
        name = f"#{column}"
    return exp.column(name, table=reading.name or None, quoted=True)


def _passed_on(select: exp.Select, table: str, column: str, name: str) -> None:
    """A SELECT has a column of what it reads under a name, once."""
    if all(e.alias != name for e in select.expressions):
        passed = exp.column(column, table=table or None, quoted=True)
        select.append("expressions", exp.alias_(passed, name, quoted=True))


def _check_listed(tree: Node, call: Node, name: str) -> None:
    """Columns are passed on beside those that are written: a star would list them."""
    natural = any(j.args.get("method") == "NATURAL" for j in all_of(tree, exp.Join))
    if natural or any(is_star(e) for s in all_of(tree, exp.Select) for e in s.expressions):
        raise QueryRefused(
            f"{name.upper()} of a subquery's column needs every column by its name",
            place=place_of(call),
            hint="Write the columns in the place of * and the condition in that of NATURAL.",
        )


def _formula_of(call: exp.Anonymous, name: str) -> tuple[_Reading, Formula]:
    """What a call reads, and the formula of measures that it asks about."""
    if len(call.expressions) != 1:
        raise QueryRefused(f"{name.upper()} takes one argument", place=place_of(call))
    select = call.find_ancestor(exp.Select)
    reading = _reading(select) if select is not None else None
    if reading is None:
        raise QueryRefused(
            f"{name.upper()} stands in the SELECT that aggregates private rows",
            place=place_of(call),
            hint=f"Write {name.upper()}(COUNT(*)) beside COUNT(*), or give it the name of such a column.",
        )
    measured = formula(call.expressions[0], reading.resolve)
    if measured is None or not measures_of(measured):
        raise QueryRefused(
            f"{name.upper()} takes an aggregate of private rows, or arithmetic on such aggregates",
            place=place_of(call),
            hint="A key has no noise; windows, texts and dates have no interval.",
        )
    return reading, measured


def _reading(select: exp.Select) -> _Reading | None:
    """What a SELECT reads row by row, down to a release; None where it reads anything else."""
    source = released_source(select)
    if source is not None:
        return _Reading(source.name, (), measured_in(source.name))
    levels = level_selects(select)
    if levels:
        alias = select.args["from_"].this.alias
        return _Reading(alias, levels, measured_in(alias))
    behind = _behind(select)
    inner = _reading(behind[0]) if behind is not None else None
    if behind is None or inner is None:
        return None
    (below, aliases), item = behind, select.args["from_"].this
    made = [(e.alias_or_name, formula(e.unalias(), inner.resolve)) for e in below.expressions]
    named = [(a, f) for a, (_, f) in zip(aliases, made, strict=False)] + made[len(aliases) :]
    formulas = {name.lower(): made_of for name, made_of in reversed(named)}
    name = item.alias_or_name

    def resolve(column: exp.Column) -> Formula | None:
        return formulas.get(column.name.lower()) if column.table.lower() in ("", name.lower()) else None

    return _Reading(name, inner.levels, resolve, (below, *inner.through))


def _behind(select: exp.Select) -> tuple[exp.Select, list[str]] | None:
    """The only SELECT that another one reads, and the names that its columns get."""
    clause = select.args.get("from_")
    if clause is None or any(select.args.get(c) for c in _ANOTHER_ROW):
        return None
    item = clause.this
    if isinstance(item, exp.Table) and not item.db and not item.alias_column_names:
        item = next((c for c in _ctes(select) if c.alias.lower() == item.name.lower()), None)
    if not isinstance(item, exp.CTE | exp.Subquery) or not isinstance(item.this, exp.Select):
        return None
    return item.this, item.alias_column_names


def _ctes(node: Node | None) -> Iterator[exp.CTE]:
    """The named queries that a query can read, the nearest first."""
    while node is not None:
        yield from reversed(named_queries(node))
        node = node.parent
