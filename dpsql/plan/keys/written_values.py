"""Values that WHERE lists: name IN ('a', 'b') leaves a key these two, whatever its column may hold.

They come from the text alone, so that the groups are public where no list of the policy tells them.
"""

from __future__ import annotations

from collections.abc import Iterable

from dpsql.algebra.expressions import Call, Duration, Expr, Literal, LiteralValue
from dpsql.algebra.facts import number_of
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval


def written_values(
    expr: Expr, conjuncts: Iterable[Expr], *, nullable: bool
) -> tuple[LiteralValue, ...] | None:
    """All that an expression can be in rows that pass the conjuncts, each once; None where none of them lists it.

    Some may be beyond what its type holds.
    """
    for part in conjuncts:
        if not isinstance(part, Call) or expr not in part.args:
            continue
        if part.op == "is_null":
            return (None,) if nullable else ()
        if part.op == "eq" or (part.op == "in" and part.args[0] == expr):
            # The expression itself among the others is no constant: x IN (1, x) is true of every x.
            others = part.args[1:] if part.args[0] == expr else part.args[:1]
            if listed := _constants(others, expr.type):
                return listed
    return None


def values_within(values: tuple[LiteralValue, ...], interval: Interval | None) -> tuple[LiteralValue, ...]:
    """Those that are in a range, and NULL: a column of results holds no others."""
    if interval is None:
        return values
    numbers = ((v, number_of(v)) for v in values)
    return tuple(v for v, n in numbers if n is None or interval.lo <= n <= interval.hi)


def _constants(members: tuple[Expr, ...], kind: SqlType) -> tuple[LiteralValue, ...]:
    """The values of constants of one type, of which there is one zero; none where there is anything else."""
    values = [m.value for m in members if isinstance(m, Literal) and m.type is kind]
    if len(values) < len(members):
        return ()
    of_rows = (v + 0.0 if isinstance(v, float) else v for v in values)
    return tuple(dict.fromkeys(v for v in of_rows if v is not None and not isinstance(v, Duration)))
