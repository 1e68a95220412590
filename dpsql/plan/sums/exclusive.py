"""Which conditions can never be true of the same row, and which imply one another: proven from the expressions alone.

The values of one expression fall into *regions*: one for NULL, one for each constant that it is compared with, and one
for each gap between these. Within a region every comparison with the constants has one truth value, so that a
condition has there a set of possible ones: what it says of other expressions may be anything. Two conditions exclude
each other if for some expression there is no region in which both may be true.

Guarantees: what is said to exclude holds for every row. Nothing is said of conditions that only several expressions
together tell apart.

*Because*: the value of the expression in a row lies in exactly one region, and the truth values of a condition in that
row are among those that are kept for it (Kleene's three-valued logic, of sets of truth values).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import TypeGuard

from dpsql.algebra.expressions import TRUE, Call, Column, Duration, Expr, Literal
from dpsql.algebra.facts import number_of
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.slotted import dataclass

_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_SIGNS = frozenset({"eq", "ne", *_FLIPPED, "is_distinct", "is_not_distinct"})
_WHOLE = TEMPORAL | {SqlType.INTEGER}
_NO, _YES = Fraction(0), Fraction(1)
# A place in the order of a type's values: numbers, truth values as 0 and 1, the bytes of a text.
_Place = Fraction | bytes


@dataclass(frozen=True, slots=True)
class _Truth:
    """The regions, as bits, in which a condition may be true, false and NULL."""

    true: int
    false: int
    null: int


@dataclass(frozen=True, slots=True)
class _Regions:
    """The regions of one expression: bit 2i for the gap before constant i, 2i + 1 for itself, the last one for NULL.

    `values` are those of values: between two whole numbers without a third there is none.
    """

    constants: tuple[_Place, ...]
    values: int

    @classmethod
    def of(cls, subject: Expr, constants: set[_Place]) -> _Regions:
        """The regions of an expression that is compared with these constants."""
        if subject.type is SqlType.BOOLEAN:
            return cls((_NO, _YES), 0b1010)
        places = tuple(sorted(constants))
        values = (2 << 2 * len(places)) - 1
        for i, (low, high) in enumerate(pairwise(places) if subject.type in _WHOLE else ()):
            if high - low <= 1:  # type: ignore[operator]
                values &= ~(4 << 2 * i)
        return cls(places, values)

    @property
    def null(self) -> int:
        """The region of NULL."""
        return 2 << 2 * len(self.constants)

    @property
    def every(self) -> int:
        """All regions."""
        return self.values | self.null

    def at(self, place: _Place) -> int:
        """The region of a constant."""
        return 2 << 2 * bisect_left(self.constants, place)

    def where(self, sign: str, place: _Place) -> int:
        """The regions of the values for which a comparison with a constant is true."""
        at = self.at(place)
        kept = {"eq": at, "ne": ~at, "lt": at - 1, "le": 2 * at - 1, "gt": -2 * at, "ge": -at}[sign]
        return kept & self.values


@dataclass(slots=True)
class Conditions:
    """Conditions on the rows of one relation, and what is proven of them."""

    every: tuple[Expr, ...]
    _constants: dict[Expr, set[_Place]] = field(default_factory=dict)
    _regions: dict[Expr, _Regions] = field(default_factory=dict)
    _subjects: dict[Expr, tuple[Expr, ...]] = field(default_factory=dict)
    _truths: dict[tuple[Expr, Expr], _Truth] = field(default_factory=dict)
    _compared: set[Expr] = field(default_factory=set)
    _atoms: dict[Expr, _Atom | None] = field(default_factory=dict)
    _true: dict[Expr, dict[int, int]] = field(default_factory=dict)
    _numbers: dict[Expr, int] = field(default_factory=dict)
    _places: dict[Expr, int] = field(default_factory=dict)
    _excluded: dict[Expr, int] = field(default_factory=dict)
    _implied: dict[tuple[Expr, Expr], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        subjects = {c: Counter(self._read(c)) for c in dict.fromkeys(self.every)}
        times = sum(subjects.values(), Counter())
        self._subjects.update((c, self._telling(of, times)) for c, of in subjects.items())
        for subject, constants in self._constants.items():
            self._numbers[subject] = len(self._numbers)
            self._regions[subject] = _Regions.of(subject, constants)
        self._places.update((c, i) for i, c in enumerate(self._subjects))

    def exclude(self, one: Expr, other: Expr) -> bool:
        """Whether no row can satisfy both of two of the conditions."""
        return bool(self._excluding(one) >> self._places[other] & 1)

    def beside(self, one: Expr) -> Iterator[Expr]:
        """The other conditions that a row may satisfy together with one of them."""
        excluding = self._excluding(one)
        return (c for c, at in self._places.items() if not excluding >> at & 1 and c != one)

    def _excluding(self, one: Expr) -> int:
        """Those of the conditions, as bits in their order, that exclude one of them."""
        if one not in self._excluded:
            mine, never = self._may(one).items(), self._never(one)
            bits = 0
            for other, place in self._places.items():
                theirs = self._may(other)
                apart = never or any(s in theirs and not true & theirs[s] for s, true in mine)
                bits |= (apart or self._never(other)) << place
            self._excluded[one] = bits
        return self._excluded[one]

    def imply(self, one: Expr, other: Expr) -> bool:
        """Whether every row that satisfies one of the conditions satisfies another."""
        key = (one, other)
        if key not in self._implied:
            mine = conjuncts(one)
            self._implied[key] = all(c in mine or self._implies(one, c) for c in conjuncts(other))
        return self._implied[key]

    def _may(self, condition: Expr) -> dict[int, int]:
        """The regions in which a condition may be true of each expression, which has a number here."""
        regions = self._true.get(condition)
        if regions is None:
            subjects = self._subjects[condition]
            regions = {self._numbers[s]: self._of(condition, s).true for s in subjects}
            self._true[condition] = regions
        return regions

    def _never(self, condition: Expr) -> bool:
        """Whether no row satisfies a condition."""
        never = isinstance(condition, Literal) and condition != TRUE
        return never or not all(self._may(condition).values())

    def _implies(self, one: Expr, conjunct: Expr) -> bool:
        for subject in self._subjects[one]:
            truth = self._of(conjunct, subject)
            if not self._of(one, subject).true & (truth.false | truth.null):
                return True
        return False

    def _read(self, condition: Expr) -> Iterator[Expr]:
        """The expressions that a condition tells apart by constants: truth values are of that kind themselves."""
        yield from self._alone(condition)
        for part in condition.args if _is_logic(condition) else ():
            yield from self._read(part)

    def _telling(self, subjects: Counter[Expr], times: Counter[Expr]) -> tuple[Expr, ...]:
        """The expressions of a condition without the truth values that stand once in all the conditions.

        Nothing else is said of these, so that the condition may be what it may be if nothing is known of them.
        """
        telling = tuple(s for s in subjects if s in self._compared or times[s] > 1)
        plain = (s for s in telling if isinstance(s, Column) or s.type is not SqlType.BOOLEAN)
        return telling if any(not isinstance(s, Literal) for s in plain) else tuple(subjects)

    def _alone(self, condition: Expr) -> Iterator[Expr]:
        """What one condition without AND, OR and NOT tells apart.

        A comparison has one truth value in each region of what it compares: itself it tells nothing apart that these
        do not.
        """
        atom = self._atom(condition)
        if atom is not None:
            self._constants.setdefault(atom.subject, set()).update(atom.places)
            self._compared.add(atom.subject)
            yield atom.subject
        elif isinstance(condition, Call) and condition.op == "is_null":
            self._constants.setdefault(condition.args[0], set())
            self._compared.add(condition.args[0])
            yield condition.args[0]
        elif condition.type is SqlType.BOOLEAN and not isinstance(condition, Literal):
            self._constants.setdefault(condition, set())
            yield condition

    def _atom(self, condition: Expr) -> _Atom | None:
        if condition not in self._atoms:
            self._atoms[condition] = _atom(condition)
        return self._atoms[condition]

    def _of(self, condition: Expr, subject: Expr) -> _Truth:
        key = (condition, subject)
        truth = self._truths.get(key)
        if truth is None:
            truth = self._truths[key] = self._truth(condition, subject, self._regions[subject])
        return truth

    def _truth(self, condition: Expr, subject: Expr, regions: _Regions) -> _Truth:
        if condition == subject and subject.type is SqlType.BOOLEAN:
            return _Truth(regions.at(_YES), regions.at(_NO), regions.null)
        if isinstance(condition, Literal):
            return _constant(condition.value, regions.every)
        if isinstance(condition, Call) and condition.op == "is_null" and condition.args[0] == subject:
            return _Truth(regions.null, regions.values, 0)
        if _is_logic(condition):
            return _RULES[condition.op]([self._truth(a, subject, regions) for a in condition.args])
        atom = self._atom(condition)
        if atom is not None and atom.subject == subject:
            return _compared(atom, regions)
        return _Truth(regions.every, regions.every, regions.every)


@dataclass(frozen=True, slots=True)
class _Atom:
    """A comparison of an expression with constants; `unknown` where one of a list is NULL."""

    subject: Expr
    sign: str
    places: tuple[_Place, ...]
    unknown: bool = False


def _atom(condition: Expr) -> _Atom | None:
    if not isinstance(condition, Call):
        return None
    if condition.op == "in":
        return _listed(condition)
    if condition.op not in _SIGNS:
        return None
    left, right = condition.args
    if isinstance(left, Literal):
        left, right, sign = right, left, _FLIPPED.get(condition.op, condition.op)
    else:
        sign = condition.op
    place = _place(right, left)
    return _Atom(left, sign, (place,)) if place is not None else None


def _listed(call: Call) -> _Atom | None:
    subject, *members = call.args
    constants = [m for m in members if not (isinstance(m, Literal) and m.value is None)]
    places = [p for m in constants if (p := _place(m, subject)) is not None]
    if len(places) < len(constants):
        return None
    return _Atom(subject, "in", tuple(places), len(constants) < len(members))


def _place(expr: Expr, subject: Expr) -> _Place | None:
    """Where a constant stands in the order of a subject's type; None for what is none, or has no such order."""
    if not isinstance(expr, Literal) or isinstance(subject, Literal) or expr.type is not subject.type:
        return None
    if isinstance(expr.value, Duration):
        return None
    if isinstance(expr.value, str):
        return expr.value.encode("utf-8", "surrogatepass")
    return Fraction(expr.value) if isinstance(expr.value, bool) else number_of(expr.value)


def _compared(atom: _Atom, regions: _Regions) -> _Truth:
    if atom.sign == "in":
        among = 0
        for place in atom.places:
            among |= regions.at(place)
        rest = regions.values & ~among
        return _Truth(among, 0, rest | regions.null) if atom.unknown else _Truth(among, rest, regions.null)
    (place,) = atom.places
    if atom.sign in ("is_distinct", "is_not_distinct"):
        at = regions.at(place)
        sides = (regions.every & ~at, at)
        return _Truth(*(sides if atom.sign == "is_distinct" else sides[::-1]), 0)
    true = regions.where(atom.sign, place)
    return _Truth(true, regions.values & ~true, regions.null)


def _constant(value: object, every: int) -> _Truth:
    if value is None:
        return _Truth(0, 0, every)
    return _Truth(every, 0, 0) if value else _Truth(0, every, 0)


def _all_of(parts: Sequence[_Truth]) -> _Truth:
    """AND: NULL where one part is and none is false."""
    truth = parts[0]
    for p in parts[1:]:
        null = (truth.null & (p.true | p.null)) | (truth.true & p.null)
        truth = _Truth(truth.true & p.true, truth.false | p.false, null)
    return truth


def _not(t: _Truth) -> _Truth:
    return _Truth(t.false, t.true, t.null)


def _is(t: _Truth) -> _Truth:
    return _Truth(t.true, t.false | t.null, 0)


_RULES: Mapping[str, Callable[[Sequence[_Truth]], _Truth]] = MappingProxyType(
    {
        "and": _all_of,
        "or": lambda parts: _not(_all_of([_not(p) for p in parts])),
        "not": lambda parts: _not(parts[0]),
        "is_true": lambda parts: _is(parts[0]),
        "is_false": lambda parts: _is(_not(parts[0])),
        "is_null": lambda parts: _Truth(parts[0].null, parts[0].true | parts[0].false, 0),
    }
)


def _is_logic(condition: Expr) -> TypeGuard[Call]:
    """Whether what a condition is depends on truth values alone."""
    return (
        isinstance(condition, Call) and condition.op in _RULES and condition.args[0].type is SqlType.BOOLEAN
    )


def conjuncts(condition: Expr) -> tuple[Expr, ...]:
    """The parts of an AND, however nested; nothing for TRUE."""
    if isinstance(condition, Call) and condition.op == "and":
        return tuple(c for part in condition.args for c in conjuncts(part))
    return () if condition == TRUE else (condition,)
