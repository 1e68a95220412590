"""What the parts of a SELECT over private rows have in common: its rows, its names, its refusals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.expressions import Expr
from dpsql.algebra.ownership import unit_column
from dpsql.algebra.relations import Branch, Filter, Relation, Union, conjuncts
from dpsql.errors import QueryRefused, Refusal
from dpsql.slotted import dataclass
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.column_names import default_name
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.star_expansion import star_columns
from dpsql.sql.ast.traversal import in_window, is_star, shallow
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.from_state import Joined
from dpsql.sql.bind.mark_joins import Marks
from dpsql.sql.bind.row_owner import Owner
from dpsql.sql.bind.scope import Output
from dpsql.sql.dialect import Node


@dataclass(frozen=True, slots=True)
class Private:
    """A derived table or common table expression of private rows."""

    relation: Relation
    outputs: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class OwnedRows:
    """The private rows of a SELECT after its WHERE, and what binds expressions over them."""

    joined: Joined
    binder: Binder
    marks: Marks
    owner: Owner


_MORE_THAN_A_VALUE = ("group", "having", "qualify", "distinct", "limit", "offset", "windows", "with_")
# A name of WITH in lower case: private rows, or a query that is public by now.
Ctes = Mapping[str, Private | exp.CTE]


def limited(node: Node) -> QueryRefused:
    """The refusal of LIMIT on private rows."""
    return QueryRefused(
        "LIMIT on private rows depends on their order",
        place=place_of(node),
        hint="Aggregate the rows; to take fewer of them, filter with WHERE.",
        kind=Refusal.PRIVATE_ROWS,
    )


def aliases(node: exp.Select) -> Mapping[str, Node]:
    """The names that the SELECT list gives, in lower case."""
    return {item.alias.lower(): item.this for item in node.expressions if isinstance(item, exp.Alias)}


def filtered(joined: Joined, predicate: Expr) -> Joined:
    """A FROM clause with a condition on its rows."""
    conditions = conjuncts(predicate)
    if not conditions:
        return joined
    relation: Relation = joined.relation
    if isinstance(relation, Filter):
        conditions = relation.conjuncts + conditions
        relation = relation.source
    return replace(joined, relation=Filter(relation, conditions))


def is_release(node: exp.Select) -> bool:
    """Whether a SELECT aggregates."""
    if node.args.get("group") is not None or node.args.get("distinct") is not None:
        return True
    places = [*node.expressions]
    for clause in ("having", "qualify", "order"):
        part = node.args.get(clause)
        places += [part] if part is not None else []
    if node.args.get("having") is not None:
        return True
    return any(is_aggregate(n) and not in_window(n) for place in places for n in shallow(place))


def is_value(node: exp.Select) -> bool:
    """Whether a SELECT is one aggregate without groups, and nothing more."""
    single = is_release(node) and len(node.expressions) == 1
    return single and not any(node.args.get(c) for c in _MORE_THAN_A_VALUE)


def renamed(table: Private, item: Node) -> Private:
    """Private rows under the names that an alias gives their columns."""
    return Private(table.relation, renamed_outputs(table.outputs, item))


def renamed_outputs(outputs: tuple[Output, ...], item: Node) -> tuple[Output, ...]:
    """Columns under the names that an alias gives them."""
    alias = item.args.get("alias")
    names = [c.name for c in alias.columns] if isinstance(alias, exp.TableAlias) else []
    if len(names) > len(outputs):
        raise QueryRefused("more column aliases than columns", place=place_of(item))
    return tuple(Output(n, o.expr) for n, o in zip(names, outputs, strict=False)) + outputs[len(names) :]


def outputs_of(node: exp.Select, joined: Joined, binder: Binder) -> tuple[Output, ...]:
    """The columns of a SELECT of rows."""
    outputs: list[Output] = []
    for item in node.expressions:
        if is_star(item):
            outputs += _starred(item, joined.scope.star(item), binder)
        else:
            outputs.append(Output(item.alias or default_name(item), binder.bind(item.unalias())))
    return tuple(outputs)


def _starred(item: Node, outputs: tuple[Output, ...], binder: Binder) -> Iterator[Output]:
    """What a star lists of the columns that it stands for."""
    for column in star_columns(item, [o.name for o in outputs]):
        written = column.written
        yield Output(column.name, outputs[column.at].expr if written is None else binder.bind(written))


def set_name(node: Node) -> str:
    """What a set operation is called."""
    return type(node).__name__.upper()


def lists_nothing(node: exp.Select) -> bool:
    """Whether a SELECT lists stars alone in EXISTS (SELECT * ...), where nobody asks for their columns."""
    around = node.parent
    while isinstance(around, exp.Subquery):
        around = around.parent
    return isinstance(around, exp.Exists) and all(isinstance(i, exp.Star) for i in node.expressions)


def is_private(table: object) -> bool:
    """Whether the rows of a source have an owner."""
    return isinstance(table, Private) or (isinstance(table, TableInfo) and not table.public)


def branches(side: Private) -> tuple[Branch, ...]:
    """One side of a union as branches: those of a union that it is as a whole, so that a long chain is flat."""
    outputs, relation = tuple(o.expr for o in side.outputs), side.relation
    if isinstance(relation, Union) and len(outputs) == len(relation.columns):
        others = [o for o, c in zip(outputs, relation.columns, strict=True) if o != c]
        # the key of the unit is called its owner's; it stands at one place, where nothing else can be named
        if not others or (len(others) == 1 and others[0] == unit_column(relation.index, others[0].type)):
            return relation.branches
    return (Branch(relation, outputs),)
