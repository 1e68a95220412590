"""Outer joins that keep rows of the public table: those rows have no owner, and must contribute nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dpsql.algebra.expressions import Call, Column, Expr, Literal
from dpsql.algebra.functions.entries import STRICT
from dpsql.algebra.question import Aggregate, Question
from dpsql.algebra.relations import reads
from dpsql.errors import QueryRefused

# Calls that are NULL where their first argument is, and those that are one of their arguments.
_NULL_OF_FIRST: Final = ("in", "nullif")
_ONE_OF: Final = ("cast", "coalesce", "greatest", "least")


def check_outer(question: Question, private: frozenset[int]) -> None:
    """Refuses a question whose rows without a match are counted or grouped: their private columns are all NULL.

    `private` are the sources whose columns those are. Units are counted by a column of theirs, see `is_without_match`.
    """
    if not question.keys or any(private & reads(k) for k in question.keys):
        raise _refusal(question, "group by columns of the public table")
    scores = () if question.top is None else (question.top.score,)
    for m in (*question.measures, *scores):
        if m.aggregate is Aggregate.COUNT_UNITS:
            continue
        adds_nothing = m.arg is not None and _is_nothing(m.arg, private, m.aggregate is Aggregate.SUM)
        if not adds_nothing and not _is_never(True, m.where, private):
            raise _refusal(question, "count or sum a column of the private table")


def check_keys(level: Question) -> None:
    """Refuses a level without keys of such a question: its one group would have rows without an owner."""
    if level.public_keys_only and not level.keys:
        raise _refusal(level, "group by columns of the public table")


def _refusal(question: Question, remedy: str) -> QueryRefused:
    return QueryRefused(
        "an outer join that keeps rows of the public table has rows without an owner",
        place=question.place,
        hint=f"Use JOIN, or {remedy}.",
    )


def is_without_match(expr: Expr, private: frozenset[int]) -> bool:
    """Whether the expression is NULL for certain once every column of these sources is."""
    if isinstance(expr, Column):
        return expr.scan in private
    if isinstance(expr, Literal):
        return expr.value is None
    if not isinstance(expr, Call):
        return False
    if expr.op == "case":
        return all(is_without_match(value, private) for value in _reached(expr, private))
    if expr.op in _NULL_OF_FIRST:
        return is_without_match(expr.args[0], private)
    return expr.op in STRICT and any(is_without_match(a, private) for a in expr.args)


def _reached(case: Call, private: frozenset[int]) -> Iterator[Expr]:
    """The values of a CASE of which it may be one then."""
    for condition, value in zip(case.args[:-1:2], case.args[1::2], strict=True):
        if not _is_never(True, condition, private):
            yield value
        if _is_true(condition, private):
            return
    yield case.args[-1]


def _is_nothing(expr: Expr, private: frozenset[int], or_zero: bool) -> bool:
    """Whether the expression is NULL for certain then, or 0 where that may be, too."""
    if is_without_match(expr, private):
        return True
    if isinstance(expr, Literal):
        return or_zero and not isinstance(expr.value, bool) and expr.value == 0
    if not isinstance(expr, Call):
        return False
    if expr.op == "case":
        return all(_is_nothing(value, private, or_zero) for value in _reached(expr, private))
    return expr.op in _ONE_OF and all(_is_nothing(a, private, or_zero) for a in expr.args)


def _is_never(truth: bool, condition: Expr, private: frozenset[int]) -> bool:
    """Whether the condition has the other truth value for certain then, or is NULL."""
    if is_without_match(condition, private):
        return True
    if isinstance(condition, Literal):
        return condition.value is not truth
    if not isinstance(condition, Call):
        return False
    op, args = condition.op, condition.args
    if op == "not":
        return _is_never(not truth, args[0], private)
    if op == "case":
        return all(_is_never(truth, value, private) for value in _reached(condition, private))
    if op in ("and", "or", "coalesce"):
        enough = any if (op, truth) in (("and", True), ("or", False)) else all
        return enough(_is_never(truth, a, private) for a in args)
    if truth:
        return op in ("is_true", "is_false") and _is_never(op == "is_true", args[0], private)
    return _is_true(condition, private)


def _is_true(condition: Expr, private: frozenset[int]) -> bool:
    """Whether the condition is TRUE for certain then: x IS NULL, of what is NULL."""
    if not isinstance(condition, Call):
        return False
    return condition.op == "is_null" and is_without_match(condition.args[0], private)
