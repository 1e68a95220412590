"""Whether sums are shown as quotients of one another alone, such as a share: then what both lose cancels.

It is known from the text: no column of the answer would change if all sums were multiplied by one number, and no other
clause reads them. A limit that is found for such sums may be a smaller one. It is about accuracy, never about privacy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from dpsql.algebra.formula import measures_of
from dpsql.algebra.formula_degree import is_unmoved
from dpsql.algebra.question import Aggregate, Question
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.public.cut_query import Bounds
from dpsql.sql.public.render import SCHEMA
from dpsql.sql.public.row_provenance import Trace, trace

_ADDED: Final = frozenset({Aggregate.SUM, Aggregate.COUNT, Aggregate.COUNT_ROWS})
_MEASURE: Final = re.compile(r"a\d+")
_CLAUSES: Final = ("where", "having", "qualify", "order", "windows")


def with_quotients(
    tree: Node, questions: Sequence[Question], traced: Trace | None, bounded: Sequence[Bounds]
) -> tuple[Question, ...]:
    """The questions of a finished public query, with those marked whose measures it shows as quotients alone.

    `bounded` are the columns that tell how sure others are.
    """
    if len(questions) != 1 or not _can_be(questions[0]) or _reads_measures(tree):
        return tuple(questions)
    if bounded or tree.args.get("with_") is not None:
        traced = _traced_alone(tree, bounded)
    if traced is None or len(traced.sources) != 1 or traced.sources[0].kept is not None:
        return tuple(questions)
    formulas = [*traced.formulas, *(b.formula for b in bounded)]
    known = [f for f in formulas if f is not None]
    read = frozenset[int]().union(*(measures_of(f) for f in known))
    every = len(known) == len(formulas) and len(read) == len(questions[0].measures)
    return (replace(questions[0], quotients=every and all(map(is_unmoved, known))),)


def _can_be(question: Question) -> bool:
    """Whether it asks for several sums, in groups that are not chosen by them."""
    added = all(m.aggregate in _ADDED for m in question.measures)
    return type(question) is Question and question.top is None and added and len(question.measures) > 1


def _reads_measures(tree: Node) -> bool:
    """Whether another clause than the list of a SELECT reads a measure, or several rows are read at once."""
    tables = [t for t in all_of(tree, exp.Table) if t.db == SCHEMA]
    clauses = (s.args.get(name) for s in all_of(tree, exp.Select) for name in _CLAUSES)
    nodes = [n for c in clauses if c is not None for n in (c if isinstance(c, list) else [c])]
    return len(tables) != 1 or any(_MEASURE.fullmatch(c.name) for n in nodes for c in all_of(n, exp.Column))


def _traced_alone(tree: Node, bounded: Sequence[Bounds]) -> Trace | None:
    """The trace of the query with a constant in the place of each column that tells how sure another is, and with the
    queries of WITH where they are read."""
    names, copy = {name for b in bounded for name in (b.low, b.high)}, tree.copy()
    for column in all_of(copy, exp.Column):
        if column.name in names:
            column.replace(exp.Literal.number(0))
    clause = copy.args.get("with_")
    for named in reversed(clause.expressions if clause is not None else []):
        for read in all_of(copy, exp.Table):
            if not read.db and read.name.lower() == named.alias.lower():
                read.replace(exp.Subquery(this=named.this.copy(), alias=named.args["alias"].copy()))
    copy.set("with_", None)
    return trace(copy)
