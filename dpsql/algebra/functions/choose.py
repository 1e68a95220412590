"""Choices among values: CASE, COALESCE, NULLIF, LEAST and GREATEST."""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Expr
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions.coerce import NAMES, unified
from dpsql.algebra.functions.ranges import hull
from dpsql.algebra.functions.spell import at_huge, is_huge, once, settled, widened
from dpsql.algebra.functions.table import EmitRule, Function, Mistyped, Signature
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval


def rows() -> tuple[Function, ...]:
    """The rows of the table that pick one of their arguments."""
    return (
        Function(
            "case",
            ("if",),
            (3, None),
            _case_types,
            _case_fact,
            _emit_case,
            "CASE WHEN p THEN x ... ELSE y END",
        ),
        Function(
            "coalesce",
            ("coalesce", "ifnull"),
            (1, None),
            _same,
            _coalesce_fact,
            _call("coalesce"),
            "the first not NULL",
        ),
        Function(
            "nullif",
            ("nullif",),
            (2, 2),
            _nullif_types,
            _nullif_fact,
            _emit_nullif,
            "NULL where x = y, else x",
        ),
        Function(
            "least", ("least",), (1, None), _same, _least_fact, _call("least"), "the least of those not NULL"
        ),
        Function(
            "greatest",
            ("greatest",),
            (1, None),
            _same,
            _greatest_fact,
            _call("greatest"),
            "the greatest of those not NULL",
        ),
    )


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
    known = [f.interval for f in facts if f.interval is not None]
    return Fact(call.type, nullable, hull(known) if known else None)


def _case_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    values = (*facts[1::2], facts[-1])
    return _around(call, any(f.nullable for f in values), values)


def _coalesce_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    last = next((i for i, f in enumerate(facts) if not f.nullable), len(facts) - 1)
    return _around(call, facts[last].nullable, facts[: last + 1])


def _nullif_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    return Fact(call.type, True, facts[0].interval)


def _least_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    sure, known = _sure_and_known(facts)
    nullable = all(f.nullable for f in facts)
    if not known:
        return Fact(call.type, nullable)
    hi = min(i.hi for i in sure) if sure else max(i.hi for i in known)
    return Fact(call.type, nullable, Interval(min(i.lo for i in known), hi))


def _greatest_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    sure, known = _sure_and_known(facts)
    nullable = all(f.nullable for f in facts)
    if not known:
        return Fact(call.type, nullable)
    lo = max(i.lo for i in sure) if sure else min(i.lo for i in known)
    return Fact(call.type, nullable, Interval(lo, max(i.hi for i in known)))


def _sure_and_known(facts: tuple[Fact, ...]) -> tuple[list[Interval], list[Interval]]:
    """The ranges of the arguments that are never NULL, and of all that can have a value."""
    sure = [f.interval for f in facts if f.interval is not None and not f.nullable]
    return sure, [f.interval for f in facts if f.interval is not None]


def _emit_case(_call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    result = _case_fact(_call, facts)
    values = (*args[1::2], args[-1])
    *branches, last = widened(values, (*facts[1::2], facts[-1]), is_huge(result))
    whens = " ".join(f"WHEN {p} THEN {x}" for p, x in zip(args[0:-1:2], branches, strict=True))
    return f"(CASE {whens} ELSE {last} END)"


def _call(name: str) -> EmitRule:
    facts_of = {"least": _least_fact, "greatest": _greatest_fact, "coalesce": _coalesce_fact}[name]

    def emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        huge = at_huge(facts)
        sql = f"{name}({', '.join(widened(args, facts, huge))})"
        return settled(sql, huge, facts_of(call, facts))

    return emit


def _emit_nullif(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    huge = at_huge(facts)
    value, other = widened(args, facts, huge)
    sql = once(value, lambda v: f"(CASE WHEN {v} = {other} THEN NULL ELSE {v} END)")
    return settled(sql, huge, _nullif_fact(call, facts))
