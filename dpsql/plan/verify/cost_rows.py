"""Which of several conditions one row can satisfy together, found by trying values: the route of `cost`.

Where `exclusive` computes with regions, here every condition is evaluated at sample values of one expression at a time:
at each constant that it is compared with, at a value between each two, beyond both ends, and at NULL. Whatever else a
condition speaks of may be true, false or NULL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import pairwise
from operator import and_, or_
from types import MappingProxyType
from typing import NamedTuple

from dpsql.algebra.expressions import TRUE, Call, Duration, Expr, Literal, nodes
from dpsql.algebra.facts import number_of
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.plan.verify.numbered_rows import COMPARISONS
from dpsql.slotted import dataclass

MOST_KINDS = 4096
"""More kinds of rows than these are not looked at."""
_Value = bool | int | Fraction | bytes | None
_LOGIC = frozenset({"and", "or", "not", "is_true", "is_false"})
_STATES: Mapping[str, bool | None] = MappingProxyType({"is_true": True, "is_false": False, "is_null": None})
_COMPARED = frozenset({*COMPARISONS, "is_distinct", "is_not_distinct"})


def kinds(conditions: Sequence[Expr]) -> Iterator[frozenset[Expr]]:
    """The sets of conditions that may be just those that a row satisfies."""
    every = tuple(c for c in dict.fromkeys(conditions) if _possible(c))
    tried = tuple(_Tried.of(s, every) for s in (*_shared(every), TRUE))
    numbers: dict[Expr, int] = {}
    read = tuple(_Condition.of(c, tried, numbers) for c in every)
    kind = _Kind((), (), tuple(t.all for t in tried), frozenset())
    open_ = [kind]
    while open_:
        kind = open_.pop()
        at = len(kind.true) + len(kind.false)
        if at == len(every):
            yield frozenset(c.itself for c in kind.true)
            continue
        more = kind.satisfying(read[at])
        if all(more.left) and not any(more.forces(c) for c in kind.false):
            open_.append(more)
        if not kind.forces(read[at]):
            open_.append(_Kind(kind.true, (*kind.false, read[at]), kind.left, kind.known))


@dataclass(frozen=True, slots=True)
class _Tried:
    """The sample values of one expression: as bits, those at which each condition may be true, or is true for sure."""

    all: int
    may: Mapping[Expr, int]
    must: Mapping[Expr, int]

    @classmethod
    def of(cls, subject: Expr, conditions: Sequence[Expr]) -> _Tried:
        samples = _samples(subject, conditions)
        parts = dict.fromkeys(c for w in conditions for c in (w, *_parts(w)))
        truths = {c: _truths(c, subject, samples) for c in parts}
        may = {c: at.true for c, at in truths.items()}
        must = {c: at.true & ~at.false & ~at.null for c, at in truths.items()}
        return cls((1 << len(samples)) - 1, may, must)


class _Condition(NamedTuple):
    """A condition: the samples of each expression at which it may be true, and for each of its parts, which has a
    number, those at which that is not sure.
    """

    itself: Expr
    may: tuple[int, ...]
    parts: tuple[tuple[int, tuple[int, ...]], ...]

    @classmethod
    def of(cls, condition: Expr, tried: Sequence[_Tried], numbers: dict[Expr, int]) -> _Condition:
        parts = tuple(
            (numbers.setdefault(p, len(numbers)), tuple(t.all & ~t.must[p] for t in tried))
            for p in _parts(condition)
        )
        return cls(condition, tuple(t.may[condition] for t in tried), parts)


class _Kind(NamedTuple):
    """A row that satisfies some conditions and not others; parts `known` are true, at the samples that are `left`."""

    true: tuple[_Condition, ...]
    false: tuple[_Condition, ...]
    left: tuple[int, ...]
    known: frozenset[int]

    def satisfying(self, condition: _Condition) -> _Kind:
        """The same row, if it satisfies one condition more."""
        left = tuple(map(and_, self.left, condition.may))
        known = self.known.union(number for number, _ in condition.parts)
        return _Kind((*self.true, condition), self.false, left, known)

    def forces(self, condition: _Condition) -> bool:
        """Whether the row satisfies a condition, whatever else it is."""
        return all(
            number in self.known or not all(map(and_, self.left, unsure))
            for number, unsure in condition.parts
        )


def _parts(condition: Expr) -> tuple[Expr, ...]:
    if isinstance(condition, Call) and condition.op == "and":
        return tuple(p for a in condition.args for p in _parts(a))
    return () if isinstance(condition, Literal) and condition.value is True else (condition,)


def _possible(condition: Expr) -> bool:
    """Whether each of the expressions in a condition has a value at which it may be true.

    A truth value that stands once in it, and in no comparison, tells no more than the constants: they leave it open.
    """
    times = Counter(nodes(condition))
    compared = {a for n in times if isinstance(n, Call) and n.op not in _LOGIC for a in n.args}
    subjects = dict.fromkeys((*_compared_parts(condition), TRUE))
    telling = (
        s for s in subjects if s.type is not SqlType.BOOLEAN or times[s] > 1 or s in compared or s == TRUE
    )
    return all(_Tried.of(s, (condition,)).may[condition] for s in telling)


def _shared(conditions: Sequence[Expr]) -> tuple[Expr, ...]:
    """Truth values, and what is compared, in more than one of the conditions. (Beside these, constants decide.)"""
    seen: dict[Expr, int] = {}
    for condition in conditions:
        for node in dict.fromkeys(_compared_parts(condition)):
            seen[node] = seen.get(node, 0) + 1
    return tuple(node for node, times in seen.items() if times > 1)


def _compared_parts(condition: Expr) -> Iterator[Expr]:
    for node in nodes(condition):
        if node.type is SqlType.BOOLEAN:
            parts = (node, *node.args) if isinstance(node, Call) else (node,)
            yield from (n for n in parts if not isinstance(n, Literal))


def _samples(subject: Expr, conditions: Sequence[Expr]) -> tuple[_Value, ...]:
    if subject.type is SqlType.BOOLEAN:
        return (True, False, None)
    values = {
        value
        for condition in conditions
        for node in nodes(condition)
        if isinstance(node, Call) and node.type is SqlType.BOOLEAN and subject in node.args
        for other in node.args
        if other.type is subject.type and (value := _value(other)) is not None
    }
    texts = sorted(v for v in values if isinstance(v, bytes))
    numbers = sorted(v for v in values if isinstance(v, int | Fraction))
    if texts:
        return (b"", *texts, *(t + b"\0" for t in texts), None)
    if not numbers:
        return (0, None)
    whole = subject.type in TEMPORAL or subject.type is SqlType.INTEGER
    step = 1 if whole else Fraction(min((b - a for a, b in pairwise(numbers)), default=2)) / 2
    return (numbers[0] - 1, *numbers, *(n + step for n in numbers), None)


@lru_cache(maxsize=1024)
def _value(expr: Expr) -> _Value:
    """The value of a constant that has an order; a whole number as an int, which is compared sooner."""
    if not isinstance(expr, Literal) or isinstance(expr.value, Duration):
        return None
    if isinstance(expr.value, bool):
        return expr.value
    if isinstance(expr.value, str):
        return expr.value.encode("utf-8", "surrogatepass")
    number = number_of(expr.value)
    return number.numerator if number is not None and number.denominator == 1 else number


class _Truths(NamedTuple):
    """The sample values, as bits, at which a condition may be true, false and NULL."""

    true: int
    false: int
    null: int

    @classmethod
    def of(cls, truths: Iterable[bool | None]) -> _Truths:
        """What is sure at each of the values."""
        bits = {True: 0, False: 0, None: 0}
        for i, truth in enumerate(truths):
            bits[truth] |= 1 << i
        return cls(bits[True], bits[False], bits[None])


def _truths(condition: Expr, subject: Expr, values: Sequence[_Value]) -> _Truths:
    """What a condition may be where the subject has each of the values."""
    every = (1 << len(values)) - 1
    if isinstance(condition, Literal):
        value = condition.value if isinstance(condition.value, bool) else None
        return _Truths(*(every if value is t else 0 for t in (True, False, None)))
    if condition == subject:
        return _Truths.of(bool(v) if v is not None else None for v in values)
    if not isinstance(condition, Call):
        return _Truths(every, every, every)
    if condition.op in _LOGIC or (condition.op == "is_null" and condition.args[0].type is SqlType.BOOLEAN):
        return _connected(condition.op, [_truths(a, subject, values) for a in condition.args])
    if _is_constant(condition):
        subject, values = condition.args[0], [_value(condition.args[0])] * len(values)
    if subject not in condition.args or not _is_comparison(condition, subject):
        return _Truths(every, every, every)
    return _Truths.of(_compared(condition, subject, values))


def _is_constant(call: Call) -> bool:
    """Whether constants alone are compared, the first with a known place: the same is said of every row."""
    first = next(iter(call.args), TRUE)
    placed = isinstance(first, Literal) and (first.value is None or _value(first) is not None)
    return placed and all(isinstance(a, Literal) for a in call.args)


def _connected(op: str, parts: Sequence[_Truths]) -> _Truths:
    """What NOT, AND, OR, IS TRUE and their like may be of parts that each may be what it may be."""
    first = parts[0]
    if op == "not":
        return _Truths(first.false, first.true, first.null)
    if op in _STATES:
        yes = {True: first.true, False: first.false, None: first.null}[_STATES[op]]
        others = (bits for t, bits in zip((True, False, None), first, strict=True) if t is not _STATES[op])
        return _Truths(yes, reduce(or_, others), 0)
    if op == "or":
        return _connected("not", [_connected("and", [_connected("not", [p]) for p in parts])])
    # NULL where some part is, and every other one is that or true.
    null = reduce(and_, (p.true | p.null for p in parts)) & reduce(or_, (p.null for p in parts))
    return _Truths(reduce(and_, (p.true for p in parts)), reduce(or_, (p.false for p in parts)), null)


def _is_comparison(call: Call, subject: Expr) -> bool:
    """Whether all that is compared with the subject is constants, of its type."""
    others = [a for a in call.args if a != subject]
    if call.op == "is_null":
        return True
    alike = all(isinstance(o, Literal) and (o.value is None or o.type is subject.type) for o in others)
    ordered = all(_value(o) is not None or (isinstance(o, Literal) and o.value is None) for o in others)
    whole = call.op == "in" and call.args[0] == subject and subject not in call.args[1:]
    return alike and ordered and (whole or (call.op in _COMPARED and len(others) == 1))


def _compared(call: Call, subject: Expr, values: Sequence[_Value]) -> list[bool | None]:
    """What a comparison of the subject with constants is at each of the values."""
    if call.op == "is_null":
        return [v is None for v in values]
    if call.op == "in":
        members = frozenset(map(_value, call.args[1:]))
        outside = None if None in members else False
        return [None if v is None else True if v in members else outside for v in values]
    left, right = ([_value(a)] * len(values) if a != subject else values for a in call.args)
    pairs = zip(left, right, strict=True)
    if call.op in ("is_distinct", "is_not_distinct"):
        same = call.op == "is_not_distinct"
        return [(a == b) is same for a, b in pairs]
    holds = COMPARISONS[call.op]
    return [None if a is None or b is None else holds(a, b) for a, b in pairs]
