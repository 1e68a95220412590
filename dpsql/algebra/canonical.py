"""One spelling for every question that means the same: scans numbered from 0, text of a frozen value."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from dpsql.algebra.expr import Call, Column, Expr
from dpsql.algebra.question import Question
from dpsql.algebra.relation import Filter, Join, Relation, Scan, scans


def renumbered(question: Question) -> Question:
    """The same question with its scans numbered in the order of the relation."""
    numbers = {s.index: i for i, s in enumerate(scans(question.relation))}
    known: dict[Expr, Expr] = {}
    return replace(
        question,
        relation=_relation(question.relation, numbers, known),
        keys=tuple(_expr(k, numbers, known) for k in question.keys),
        measures=tuple(
            replace(
                m,
                arg=_expr(m.arg, numbers, known) if m.arg is not None else None,
                where=_expr(m.where, numbers, known),
            )
            for m in question.measures
        ),
    )


def _relation(relation: Relation, numbers: Mapping[int, int], known: dict[Expr, Expr]) -> Relation:
    if isinstance(relation, Scan):
        return replace(relation, index=numbers[relation.index])
    if isinstance(relation, Filter):
        source = _relation(relation.source, numbers, known)
        return Filter(source, _sorted(relation.conjuncts, numbers, known))
    left = _relation(relation.left, numbers, known)
    right = _relation(relation.right, numbers, known)
    return Join(left, right, relation.kind, _sorted(relation.on, numbers, known))


def _sorted(
    conjuncts: tuple[Expr, ...], numbers: Mapping[int, int], known: dict[Expr, Expr]
) -> tuple[Expr, ...]:
    distinct = {repr(c): c for c in (_expr(c, numbers, known) for c in conjuncts)}
    return tuple(distinct[text] for text in sorted(distinct))


def _expr(expr: Expr, numbers: Mapping[int, int], known: dict[Expr, Expr]) -> Expr:
    if isinstance(expr, Column):
        return replace(expr, scan=numbers[expr.scan])
    if not isinstance(expr, Call):
        return expr
    if expr not in known:
        known[expr] = Call(expr.op, tuple(_expr(a, numbers, known) for a in expr.args), expr.type)
    return known[expr]


def canonical(value: object) -> str:
    """The canonical text of a frozen value: equal values have equal texts."""
    return repr(value)


def digest(*texts: str) -> str:
    """A SHA-256 digest of texts that no other list of texts shares."""
    joined = "".join(f"{len(t)}:{t}" for t in texts)
    return hashlib.sha256(joined.encode()).hexdigest()
