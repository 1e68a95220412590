"""The allow-list over PIVOT: lists of constants, aggregates with names, and a GROUP BY."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.pivot import NEEDS_VALUES, calls_of, lists_of, name_of_value, written_keys
from dpsql.sql.normalize.unpivot import columns_of, is_unpivot, names_made
from dpsql.sql.validate.function_names import NodeType

_UNPIVOT: Final = (
    "UNPIVOT takes a name for the values, one for their columns, and columns: (value FOR name IN (a, b))"
)
NODES: Final = MappingProxyType[NodeType, frozenset[str]](
    {
        exp.Pivot: frozenset(
            {"this", "expressions", "fields", "using", "group", "alias", "unpivot", "include_nulls"}
        ),
        exp.PivotAlias: frozenset({"this", "alias"}),
    }
)


def complaint_of_pivot(node: Node) -> str | None:
    """What is wrong with a PIVOT, or None."""
    assert isinstance(node, exp.Pivot)
    source = node.parent if node.arg_key == "pivots" else node.this
    lists, calls = lists_of(node), calls_of(node)
    if (
        not isinstance(source, exp.Table | exp.Subquery)
        or source.args.get("joins")
        or _is_one_of_several(node, source)
    ):
        return "PIVOT takes one table, or one query in parentheses"
    if is_unpivot(node):
        return None if _is_plain_unpivot(node) else _UNPIVOT
    if not lists or not all(
        isinstance(i, exp.Column) or (isinstance(i, exp.In) and i.expressions) for i in lists
    ):
        return NEEDS_VALUES
    lists = [i for i in lists if isinstance(i, exp.In)]
    if not all(isinstance(i.this, exp.Column) for i in lists):
        return "PIVOT makes columns of the values of a column: compute it in a query in parentheses"
    names = [_names(i) for i in lists]
    if any(None in n for n in names):
        return "PIVOT takes constants, and needs a name for one like -1, 0.5 or DATE '2025-01-01', as in -1 AS below"
    if any(len(set(map(str.lower, filter(None, n)))) < len(n) for n in names):
        return "PIVOT takes each value, and each name, once"
    if not all(is_aggregate(_call(c)) for c in calls) or (
        node.arg_key != "pivots" and not node.args.get("using")
    ):
        return "PIVOT needs aggregates, as in USING SUM(amount)"
    if len(calls) > 1 and not all(isinstance(c, exp.Alias) for c in calls):
        return "PIVOT with several aggregates needs a name for each, as in SUM(amount) AS total"
    if not _are_names(node.args.get("group")):
        return "GROUP BY of PIVOT takes names of columns"
    if written_keys(node, source) is None:
        return "PIVOT needs GROUP BY, or a query in parentheses that lists the columns to group by"
    return None


def _is_plain_unpivot(node: Node) -> bool:
    """Whether an UNPIVOT names one column for the values, one for the names, and lists columns."""
    fields = node.args.get("fields") or ()
    made = names_made(node)
    names = [c.name.lower() for c, _ in columns_of(node)]
    return (
        len(fields) == 1
        and len(made) == 2
        and all(isinstance(n, exp.Identifier) for n in made)
        and all(isinstance(c, exp.Column) and not c.table for c, _ in columns_of(node))
        and len(set(names)) == len(names)
        and not (node.args.get("group") or node.args.get("using"))
    )


def _is_one_of_several(node: Node, source: Node) -> bool:
    pivots = source.args.get("pivots") or [node]
    return len(pivots) != 1 or pivots[0] is not node


def _call(written: Node) -> Node:
    call: Node = written.this if isinstance(written, exp.Alias) else written
    return call


def _are_names(group: Node | None) -> bool:
    """Whether a GROUP BY is a list of columns, or is not there."""
    if group is None:
        return True
    given = {key for key, value in group.args.items() if value}
    return given == {"expressions"} and all(isinstance(e, exp.Column) for e in group.expressions)


def _names(listed: Node) -> list[str | None]:
    """The columns of a list's values; None of what is no constant, or has no name."""
    return [name_of_value(v) if _is_constant(v) else None for v in listed.expressions]


def _is_constant(value: Node) -> bool:
    inner = value.this if isinstance(value, exp.PivotAlias) else value
    if isinstance(inner, exp.Neg | exp.Cast):
        inner = inner.this
    return isinstance(inner, exp.Literal | exp.Boolean)


def _complaint_of_name(node: Node) -> str | None:
    alias, listed = node.args.get("alias"), node.parent
    is_text = isinstance(alias, exp.Literal) and alias.is_string
    around = listed.parent if listed is not None else None
    if isinstance(alias, exp.Identifier) or (is_text and around is not None and is_unpivot(around)):
        return None
    return "a value of PIVOT is named by a name"


RULES: Final = MappingProxyType[NodeType, Callable[[Node], str | None]](
    {exp.Pivot: complaint_of_pivot, exp.PivotAlias: _complaint_of_name}
)
