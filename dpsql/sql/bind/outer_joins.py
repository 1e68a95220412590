"""Outer joins that keep rows of the public table: those rows have no owner, and must contribute nothing."""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Column, Expr, Literal
from dpsql.algebra.functions.entries import STRICT
from dpsql.algebra.question import Aggregate, Question
from dpsql.algebra.relations import reads
from dpsql.errors import QueryRefused


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
        if not adds_nothing and not _is_never_true(m.where, private):
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
        return all(is_without_match(e, private) for e in (*expr.args[1::2], expr.args[-1]))
    return expr.op in STRICT and any(is_without_match(a, private) for a in expr.args)


def _is_nothing(expr: Expr, private: frozenset[int], or_zero: bool) -> bool:
    """Whether the expression is NULL for certain then, or 0 where that may be, too."""
    if is_without_match(expr, private):
        return True
    if isinstance(expr, Literal):
        return or_zero and not isinstance(expr.value, bool) and expr.value == 0
    if not isinstance(expr, Call):
        return False
    if expr.op == "case":
        pairs = zip(expr.args[:-1:2], expr.args[1::2], strict=True)
        reached = [value for condition, value in pairs if not _is_never_true(condition, private)]
        return all(_is_nothing(value, private, or_zero) for value in (*reached, expr.args[-1]))
    return expr.op in ("cast", "coalesce") and all(_is_nothing(a, private, or_zero) for a in expr.args)


def _is_never_true(condition: Expr, private: frozenset[int]) -> bool:
    """Whether the condition is FALSE or NULL for certain then."""
    if is_without_match(condition, private):
        return True
    if isinstance(condition, Literal):
        return condition.value is False
    if not isinstance(condition, Call):
        return False
    if condition.op == "and":
        return any(_is_never_true(a, private) for a in condition.args)
    if condition.op == "or":
        return all(_is_never_true(a, private) for a in condition.args)
    inner = condition.args[0] if condition.op == "not" else None
    return isinstance(inner, Call) and inner.op == "is_null" and is_without_match(inner.args[0], private)
