"""How many characters a text can have at most, from what the policy declares of columns and the text of the query."""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Literal
from dpsql.algebra.facts import Fact


def of_first(_call: Call, facts: tuple[Fact, ...]) -> int | None:
    """No longer than the first argument."""
    return facts[0].longest


def of_any(_call: Call, facts: tuple[Fact, ...]) -> int | None:
    """No longer than the longest argument."""
    lengths = [f.longest for f in facts if f.longest is not None]
    return max(lengths) if len(lengths) == len(facts) else None


def of_all(_call: Call, facts: tuple[Fact, ...]) -> int | None:
    """No longer than all arguments together."""
    lengths = [f.longest for f in facts if f.longest is not None]
    return sum(lengths) if len(lengths) == len(facts) else None


def of_joined(call: Call, facts: tuple[Fact, ...]) -> int | None:
    """No longer than all arguments with the first one between them."""
    return of_all(call, (*facts[1:], *facts[:1] * (len(facts) - 2)))


def of_whole(call: Call, _facts: tuple[Fact, ...]) -> int | None:
    """As long as the second argument says."""
    length = call.args[1].value if isinstance(call.args[1], Literal) else None
    return length if isinstance(length, int) else None


def of_part(_call: Call, facts: tuple[Fact, ...]) -> int | None:
    """As many characters of the first argument as the last one counts; of a negative count all but so many."""
    whole, count = facts[0].longest, facts[-1].interval
    if count is None or count.lo < 0:
        return whole
    most = int(count.hi)
    return most if whole is None else min(whole, most)


def of_substring(call: Call, facts: tuple[Fact, ...]) -> int | None:
    """The same of SUBSTRING, where two arguments say no number of characters."""
    return of_part(call, facts) if len(facts) == 3 else facts[0].longest


NO_LONGER = frozenset({of_first, of_any, of_part, of_substring})


def of_replaced(call: Call, facts: tuple[Fact, ...]) -> int | None:
    """The first argument with every occurrence of one constant replaced by another."""
    whole, (searched, put) = (
        facts[0].longest,
        (a.value if isinstance(a, Literal) else None for a in call.args[1:]),
    )
    if whole is None or not isinstance(searched, str) or not isinstance(put, str):
        return None
    return whole * max(1, -(-len(put) // max(1, len(searched))))
