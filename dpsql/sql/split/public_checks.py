"""What is checked of the public query, which runs on released and public tables: its subqueries and its form.

A subquery that stands for one value fails where it has several, and what has been released by then is paid. So the text
must rule that out before the charge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.question import Aggregate, Question
from dpsql.errors import QueryRefused
from dpsql.sql.aggregation.null_tests import check_null_test_of_column
from dpsql.sql.ast.column_names import without_schemas
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of, every, first_source, from_items, named_queries
from dpsql.sql.bind.selects import Ctes
from dpsql.sql.dialect import Node
from dpsql.sql.public.cross_join_size import check_public_room
from dpsql.sql.public.list_aggregates import check_gathered
from dpsql.sql.public.render import check_public
from dpsql.sql.subqueries.column_lineage import origins
from dpsql.sql.validate.query_size import check_correlated


def check_rest(
    tree: Node, catalog: Catalog, params: Mapping[str, object], questions: Sequence[Question]
) -> None:
    """Refuses what could fail, or take too long, on results; names of columns lose that of the schema before them."""
    check_public(tree, catalog, params, questions=questions)
    check_gathered(tree)
    check_correlated(tree)
    check_public_room(tree, catalog)
    check_one_row(tree, {}, catalog, questions)
    check_null_tests(tree, questions)
    without_schemas(tree)


_SUMS = (Aggregate.SUM, Aggregate.SUM_DISTINCT)


def check_null_tests(tree: Node, questions: Sequence[Question]) -> None:
    """Refuses the question whether a released sum is NULL that a subquery gives."""
    for node in all_of(tree, exp.Is, exp.NullSafeEQ, exp.Coalesce) if questions else ():
        check_null_test_of_column(node, lambda column: _is_sum(column, questions))


def _is_sum(column: exp.Column, questions: Sequence[Question]) -> bool:
    """Whether a column is a released sum in every row; not where a join may have put NULL in its place."""
    select = column.find_ancestor(exp.Select)
    if select is None or any(join.side for join in select.args.get("joins") or []):
        return False
    of, ctes = column.table.lower(), _ctes(column, {})
    sources = [s for s in from_items(select) if of in ("", s.alias_or_name.lower())]
    known = [origins(source, ctes, questions) for source in sources]
    found = [
        c.origin for lineage in known if lineage for c in lineage.columns if c.name == column.name.lower()
    ]
    if None in known or len(found) != 1 or found[0] is None or found[0].measure is None:
        return False
    question = questions[found[0].release]
    return isinstance(question, Question) and question.measures[found[0].measure].aggregate in _SUMS


# The system table that has one row.
BUDGET = "dpsql.budget"
_SOURCES = (exp.From, exp.Join, exp.Exists, exp.Any, exp.All, exp.CTE, exp.SetOperation)


def check_one_row(tree: Node, ctes: Ctes, catalog: Catalog, questions: Sequence[Question]) -> None:
    """Refuses a scalar subquery of a query that has been cut where its text does not say that it has one row.

    A query without releases costs nothing, and may fail.
    """
    for node in all_of(tree, exp.Subquery) if questions else ():
        if _is_scalar(node) and not _one_row(node.this, _ctes(node, ctes), catalog, questions):
            raise QueryRefused(
                "a subquery that stands for one value can have several rows",
                place=place_of(node.this),
                hint="Aggregate without GROUP BY, add LIMIT 1, or compare every column that tells its rows apart.",
            )


def _is_scalar(node: Node) -> bool:
    """Whether a query in parentheses stands for a value, and not for rows."""
    parent = node.parent
    if parent is None or (
        isinstance(parent, exp.Subquery | exp.Query) and node.arg_key in ("this", "expression")
    ):
        return False
    return not isinstance(parent, _SOURCES) and not (isinstance(parent, exp.In) and node.arg_key == "query")


def _ctes(node: Node, ctes: Ctes) -> Ctes:
    """The names of WITH around a node."""
    names: dict[str, exp.CTE] = {}
    around: Node | None = node
    while around is not None:
        for cte in named_queries(around):
            names.setdefault(cte.alias.lower(), cte)
        around = around.parent
    return {**ctes, **names}


def _one_row(query: Node, ctes: Ctes, catalog: Catalog, questions: Sequence[Question]) -> bool:
    if isinstance(query, exp.Subquery):
        return _one_row(query.this, ctes, catalog, questions)
    if not isinstance(query, exp.Select):
        return False
    ctes = _ctes(query, ctes)
    lineage = origins(query, ctes, questions)
    if lineage is not None and lineage.unique == frozenset():
        return True
    source = first_source(query)
    if source is None or query.args.get("joins"):
        return False
    return _fixed(query, source, ctes, catalog, questions)


def _fixed(
    query: exp.Select, source: Node, ctes: Ctes, catalog: Catalog, questions: Sequence[Question]
) -> bool:
    """Whether equalities of WHERE leave one row of the only source."""
    if isinstance(source, exp.Values):
        return len(source.expressions) == 1
    if source.name == BUDGET and source.args.get("db") is not None:
        return True
    table = catalog.table(source.name) if isinstance(source, exp.Table) and not source.db else None
    lineage = origins(source, ctes, questions)
    if table is not None and table.public and source.name.lower() not in ctes:
        names = frozenset(c.name.lower() for c in table.columns)
        fixed = tuple(sorted(c.name for c in table.columns if c.name.lower() in _equal(query, source, names)))
        return catalog.public.fan_out(table.name, fixed) <= 1
    if lineage is None or lineage.unique is None:
        return False
    unique = frozenset(lineage.columns[at].name for at in lineage.unique)
    return unique <= _equal(query, source, frozenset(c.name for c in lineage.columns))


def _equal(query: exp.Select, source: Node, names: frozenset[str]) -> frozenset[str]:
    """The columns of the source that are equal to what does not depend on its row."""
    where = query.args.get("where")
    alias = source.alias_or_name.lower()
    equal = set()
    for part in (
        where.this.flatten() if where is not None and isinstance(where.this, exp.And) else _only(where)
    ):
        same = part.unnest()
        if isinstance(same, exp.EQ):
            for this, other in ((same.this, same.expression), (same.expression, same.this)):
                if _is_own(this, alias, names) and not _reads(other, alias, names):
                    equal.add(this.name.lower())
    return frozenset(equal)


def _only(where: Node | None) -> Iterator[Node]:
    if where is not None:
        yield where.this


def _is_own(node: Node, alias: str, names: frozenset[str]) -> bool:
    own = isinstance(node, exp.Column) and node.table.lower() in ("", alias)
    return own and node.name.lower() in names


def _reads(node: Node, alias: str, names: frozenset[str]) -> bool:
    """Whether a value may depend on the source's row; a query inside it may."""
    if any(isinstance(n, exp.Query) for n in every(node)):
        return True
    return any(_is_own(c, alias, names) for c in all_of(node, exp.Column))
