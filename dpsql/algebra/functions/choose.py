"""Choices among values: CASE, COALESCE, NULLIF, LEAST and GREATEST."""

from __future__ import annotations

from dataclasses import replace

from dpsql.algebra.expressions import Call, Expr
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions.coerce import NAMES, unified
from dpsql.algebra.functions.lengths import of_any, of_first
from dpsql.algebra.functions.ranges import hull
from dpsql.algebra.functions.spell import at_huge, is_huge, once, settled, widened
from dpsql.algebra.functions.table import FactRule, Function, Mistyped, Signature, Takes, called
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval


def rows() -> tuple[Function, ...]:
    """The entries that pick one of their arguments."""
    return (
        Function(
            "case", ("if",), Takes(3, None, _case_types), "CASE WHEN p THEN x ... ELSE y END",
            "{int} > 2, {int}, {int}", _case_fact, _emit_case, strict=False, longest=_case_longest, keeps=True,
        ),
        _picked("coalesce", ("coalesce", "ifnull"), _coalesce_fact, "the first not NULL"),
        Function(
            "nullif", ("nullif",), Takes(2, 2, _nullif_types), "NULL where x = y, else x",
            "{int}, {int}", _nullif_fact, _emit_nullif, strict=False, longest=of_first, keeps=True, tells=True,
        ),
        _picked("least", ("least",), _extreme(least=True), "the least of those not NULL"),
        _picked("greatest", ("greatest",), _extreme(least=False), "the greatest of those not NULL"),
    )  # fmt: skip


def _picked(name: str, spellings: tuple[str, ...], fact: FactRule, summary: str) -> Function:
    """A choice among any number of values of one type."""

    def emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        huge = at_huge(facts)
        return settled(called(call, widened(args, facts, huge), facts), huge, fact(call, facts))

    taken = Takes(1, None, _same)
    return Function(name, spellings, taken, summary, "{int}, {int}", fact, emit, False, of_any, keeps=True)


def _same(args: tuple[Expr, ...]) -> Signature:
    kind = unified(args)
    return Signature((kind,) * len(args), kind)


def _case_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) % 2 == 0:
        raise Mistyped("a CASE needs pairs of a condition and a value, and one value for ELSE")
    kind = unified((*args[1::2], args[-1]))
    return Signature((SqlType.BOOLEAN, kind) * (len(args) // 2) + (kind,), kind)


def _nullif_types(args: tuple[Expr, ...]) -> Signature:
    kind = unified(args)
    if args[0].type not in (kind, SqlType.NULL) and kind is not SqlType.NULL:
        raise Mistyped(
            f"NULLIF would change {NAMES[args[0].type]} to {NAMES[kind]}; write CAST(... AS ...) first"
        )
    return Signature((kind, kind), kind)


def _around(call: Call, nullable: bool, facts: tuple[Fact, ...]) -> Fact:
    """The fact of a value that is one of these."""
    intervals = [f.interval for f in facts if f.interval is not None]
    return Fact(call.type, nullable, hull(intervals) if intervals else None)


def _case_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    values = (*facts[1::2], facts[-1])
    return _around(call, any(f.nullable for f in values), values)


def _case_longest(call: Call, facts: tuple[Fact, ...]) -> int | None:
    return of_any(call, (*facts[1::2], facts[-1]))


def _coalesce_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    last = next((i for i, f in enumerate(facts) if not f.nullable), len(facts) - 1)
    return _around(call, facts[last].nullable, facts[: last + 1])


def _nullif_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    return Fact(call.type, True, facts[0].interval)


def _extreme(least: bool) -> FactRule:
    """The least is no greater than any that is never NULL; the greatest is no less."""

    def fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
        around = _around(call, all(f.nullable for f in facts), facts)
        sure = [f.interval for f in facts if f.interval is not None and not f.nullable]
        if around.interval is None or not sure:
            return around
        lo, hi = around.interval.lo, around.interval.hi
        nearer = Interval(lo, min(i.hi for i in sure)) if least else Interval(max(i.lo for i in sure), hi)
        return replace(around, interval=nearer)

    return fact


def _emit_case(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    values = (*args[1::2], args[-1])
    *branches, last = widened(values, (*facts[1::2], facts[-1]), is_huge(_case_fact(call, facts)))
    whens = " ".join(f"WHEN {p} THEN {x}" for p, x in zip(args[0:-1:2], branches, strict=True))
    return f"(CASE {whens} ELSE {last} END)"


def _emit_nullif(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    huge = at_huge(facts)
    value, other = widened(args, facts, huge)
    sql = once(value, lambda v: f"(CASE WHEN {v} = {other} THEN NULL ELSE {v} END)")
    return settled(sql, huge, _nullif_fact(call, facts))
