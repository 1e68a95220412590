"""How many characters a text can have at most, from what the policy declares of columns and the text of the query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpsql.algebra.expressions import Call, Literal
from dpsql.algebra.facts import Fact

_NO_LONGER: Final = frozenset(
    {"lower", "upper", "trim", "ltrim", "rtrim", "reverse", "regexp_extract", "split_part", "nullif"}
)
_ONE_OF: Final = frozenset({"coalesce", "least", "greatest"})


def longest(call: Call, facts: tuple[Fact, ...]) -> int | None:
    """The most characters of the text that a call makes; None where nothing says so."""
    if call.op in _NO_LONGER:
        return facts[0].longest
    if call.op in _ONE_OF:
        return _most(facts)
    if call.op == "case":
        return _most((*facts[1::2], facts[-1]))
    if call.op in ("concat", "concat_op"):
        return _sum(facts)
    if call.op == "concat_ws":
        return _sum((*facts[1:], *facts[:1] * (len(facts) - 2)))
    if call.op in ("lpad", "rpad"):
        return _whole(call)
    if call.op in ("left", "right", "substring"):
        return _part(facts[0].longest, facts[-1], counted=call.op != "substring" or len(facts) == 3)
    return _replaced(call, facts[0].longest) if call.op == "replace" else None


def _most(facts: Sequence[Fact]) -> int | None:
    known = [f.longest for f in facts if f.longest is not None]
    return max(known) if len(known) == len(facts) else None


def _sum(facts: Sequence[Fact]) -> int | None:
    known = [f.longest for f in facts if f.longest is not None]
    return sum(known) if len(known) == len(facts) else None


def _whole(call: Call) -> int | None:
    length = call.args[1].value if isinstance(call.args[1], Literal) else None
    return length if isinstance(length, int) else None


def _part(whole: int | None, count: Fact, *, counted: bool) -> int | None:
    """Of a negative count it is all but so many characters, or those before a place."""
    if not counted or count.interval is None or count.interval.lo < 0:
        return whole
    most = int(count.interval.hi)
    return most if whole is None else min(whole, most)


def _replaced(call: Call, whole: int | None) -> int | None:
    searched, put = (a.value if isinstance(a, Literal) else None for a in call.args[1:])
    if whole is None or not isinstance(searched, str) or not isinstance(put, str):
        return None
    return whole * max(1, -(-len(put) // max(1, len(searched))))
