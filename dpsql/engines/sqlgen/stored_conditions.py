"""Conditions of a query that can be asked of a column as it is stored, before it is clamped to its bounds.

Every row is read and clamped before DuckDB looks at a condition on what comes out. With v = min(max(x, lo), hi), where
lo < a <= hi, v >= a if and only if x >= a; the same holds of v <= a where lo <= a < hi, of v > a where lo <= a < hi, of
v < a where lo < a <= hi, and of v = a where lo < a < hi. NULL is on neither side of any. NaN, which is clamped to hi,
and infinities are above or below every number for DuckDB, too. A comparison raises for no value.

All other expressions read the clamped column alone: that they raise for no row follows from its bounds.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.expressions import Call, Column, Expr, Literal
from dpsql.algebra.facts import number_of
from dpsql.algebra.functions.spell import literal
from dpsql.algebra.relations import Filter, Join, JoinKind, Mark, Relation, Scan
from dpsql.algebra.scan import quoted
from dpsql.algebra.types import SqlType
from dpsql.engines.sqlgen.relation import stored_of
from dpsql.privacy import Interval
from dpsql.slotted import dataclass

_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "="}
_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A relation without some of its conditions, and these as conditions on the stored columns `t.<name>` of a scan."""

    relation: Relation
    stored: tuple[str, ...] = ()


def asked_of_stored(relation: Relation, owner: Scan, info: TableInfo) -> Asked:
    """The conditions that can be asked of a scan's stored columns; the relation's rows stay the same.

    They are looked for where each row of the relation has one row of the scan, which decides about that row alone: not
    on the right of an outer join, and not inside of what computes over several rows.
    """
    match relation:
        case Filter():
            inside = asked_of_stored(relation.source, owner, info)
            found = {c: _stored(c, owner, info) for c in relation.conjuncts} if _has(relation, owner) else {}
            stored = tuple(sql for sql in found.values() if sql)
            kept = tuple(c for c in relation.conjuncts if not found.get(c))
            source = Filter(inside.relation, kept) if kept else inside.relation
            return Asked(source, (*inside.stored, *stored))
        case Join(kind=JoinKind.INNER) if _has(relation.right, owner):
            right = asked_of_stored(relation.right, owner, info)
            return Asked(replace(relation, right=right.relation), right.stored)
        case Join():
            left = asked_of_stored(relation.left, owner, info)
            return Asked(replace(relation, left=left.relation), left.stored)
        case _:
            return Asked(relation)


def _has(relation: Relation, owner: Scan) -> bool:
    """Whether each row of the relation has one row of the scan."""
    match relation:
        case Scan():
            return relation == owner
        case Filter() | Mark():
            return _has(relation.source, owner)
        case Join(kind=JoinKind.INNER):
            return _has(relation.left, owner) or _has(relation.right, owner)
        case Join():
            return _has(relation.left, owner)
        case _:
            return False


def _stored(conjunct: Expr, owner: Scan, info: TableInfo) -> str:
    """The condition on the stored column, or nothing where it may differ from the one on the clamped column."""
    if not isinstance(conjunct, Call) or conjunct.op not in _SIGNS:
        return ""
    column, constant = conjunct.args
    op = conjunct.op
    if isinstance(column, Literal):
        column, constant, op = constant, column, _FLIPPED[op]
    if (
        not isinstance(column, Column)
        or not isinstance(constant, Literal)
        or column.type is not constant.type
    ):
        return ""
    known = info.column(column.name) if column.scan == owner.index else None
    at = number_of(constant.value)
    if known is None or known.values is not None or known.fact.interval is None or at is None:
        return ""
    if not _is_same(op, known.fact.interval, at):
        return ""
    name = stored_of(info, column.name) if column.type is SqlType.INTEGER else column.name
    return f"t.{quoted(name)} {_SIGNS[op]} {literal(constant)}"


def _is_same(op: str, bounds: Interval, at: Fraction) -> bool:
    """Whether the comparison is the same before and after clamping to the bounds."""
    above_least = bounds.lo < at or (op in ("le", "gt") and bounds.lo == at)
    below_most = at < bounds.hi or (op in ("ge", "lt") and at == bounds.hi)
    return above_least and below_most
