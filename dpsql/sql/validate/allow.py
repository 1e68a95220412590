"""The allow-list over syntax: every node and every argument set on it is known, or the query is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.comparisons import is_compared, is_counted
from dpsql.sql.ast.descriptions import (
    instead_of_argument,
    name_of,
    name_of_argument,
    reason_against,
)
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.star_expansion import complaint_of_star
from dpsql.sql.ast.traversal import children
from dpsql.sql.dialect import UNITS, Node
from dpsql.sql.normalize.foreign.date_parts import PARTS as FOREIGN_PARTS
from dpsql.sql.normalize.foreign.several_patterns import is_of_patterns
from dpsql.sql.normalize.quantified_comparisons import (
    complaint_of_list,
    complaint_of_quantifier,
)
from dpsql.sql.normalize.spellings import (
    OPERATORS,
    complaint_of_collation,
    complaint_of_match,
    complaint_of_row_count,
    long_unit,
)
from dpsql.sql.normalize.split_parts import complaint_of_call, complaint_of_subscript
from dpsql.sql.normalize.table_functions import complaint_of_series, complaint_of_unnest
from dpsql.sql.normalize.within_group import complaint_of_group, complaint_of_percentile
from dpsql.sql.normalize.zoned_moments import complaint_of_zone
from dpsql.sql.validate.allow_from import (
    complaint_of_cte,
    complaint_of_frame,
    complaint_of_join,
    complaint_of_lateral,
    complaint_of_nulls,
    complaint_of_subquery,
    complaint_of_table,
    complaint_of_window,
    complaint_of_window_function,
    has_names,
    is_aggregate,
)
from dpsql.sql.validate.allow_pivot import NODES as PIVOT_NODES
from dpsql.sql.validate.allow_pivot import RULES as PIVOT_RULES
from dpsql.sql.validate.allow_types import complaint_of_type
from dpsql.sql.validate.function_names import BITS, FUNCTIONS, WINDOWS, NodeType

MAX_TREE_DEPTH = 200
"""The deepest admitted tree: a stage may recurse over it, three frames a level, on Python's usual stack."""

_THIS: Final = frozenset({"this"})
_PAIR: Final = frozenset({"this", "expression"})
_TAIL: Final = frozenset({"with_", "order", "limit", "offset"})
_SELECT: Final = frozenset(
    {"expressions", "distinct", "from_", "joins", "where", "group", "having", "qualify", "windows"}
)
_OPERATORS: Final[tuple[NodeType, ...]] = (
    exp.Add, exp.And, exp.Div, exp.EQ, exp.GT, exp.GTE, exp.IntDiv, exp.LT, exp.LTE, exp.Mod, exp.Mul,
    exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Or, exp.Sub, exp.Escape, exp.Filter,
)  # fmt: skip
_WRAPPERS: Final[tuple[NodeType, ...]] = (
    exp.Boolean, exp.Exists, exp.From, exp.Having, exp.IgnoreNulls, exp.Neg, exp.Not, exp.Paren, exp.Qualify,
    exp.Var, exp.Where, exp.DataTypeParam,
)  # fmt: skip

_SETS: Final[tuple[NodeType, ...]] = (exp.Rollup, exp.Cube, exp.GroupingSets)

NODES: Final = MappingProxyType[NodeType, frozenset[str]](
    {
        **{node: frozenset(given) for node, given in FUNCTIONS.items()},
        **dict.fromkeys(_OPERATORS, _PAIR),
        **dict.fromkeys(_WRAPPERS, _THIS),
        **dict.fromkeys((exp.Union, exp.Intersect, exp.Except), _PAIR | _TAIL | {"distinct"}),
        exp.Select: _SELECT | _TAIL,
        **PIVOT_NODES,
        exp.Subquery: frozenset({"this", "alias", "joins", "pivots"}),
        exp.With: frozenset({"expressions", "recursive"}),
        exp.CTE: frozenset({"this", "alias", "materialized"}),
        exp.Table: frozenset({"this", "alias", "db", "catalog", "joins", "pivots"}),
        exp.TableAlias: frozenset({"this", "columns"}),
        exp.Join: frozenset({"this", "on", "using", "side", "kind", "method"}),
        exp.Lateral: frozenset({"this", "alias"}),
        exp.Values: frozenset({"expressions", "alias"}),
        exp.GenerateSeries: frozenset({"start", "end", "step", "is_end_exclusive"}),
        exp.Unnest: frozenset({"expressions", "alias"}),
        exp.Explode: _THIS,
        exp.Tuple: frozenset({"expressions"}),
        exp.Group: frozenset({"expressions", "all"}),
        **dict.fromkeys(_SETS, frozenset({"expressions"})),
        exp.Array: frozenset({"expressions", "bracket_notation"}),
        exp.Bracket: frozenset({"this", "expressions"}),
        **dict.fromkeys((exp.Any, exp.All), _THIS),
        exp.Order: frozenset({"this", "expressions"}),
        exp.Ordered: frozenset({"this", "desc", "nulls_first"}),
        exp.Limit: frozenset({"expression"}),
        exp.Offset: frozenset({"expression"}),
        exp.Fetch: frozenset({"direction", "count", "limit_options"}),
        exp.LimitOptions: frozenset({"rows"}),
        exp.Distinct: frozenset({"expressions", "on"}),
        exp.Alias: frozenset({"this", "alias"}),
        exp.Column: frozenset({"this", "table", "db", "catalog"}),
        exp.Identifier: frozenset({"this", "quoted"}),
        exp.Star: frozenset({"except_", "replace", "rename"}),
        exp.Literal: frozenset({"this", "is_string"}),
        exp.Null: frozenset(),
        exp.Placeholder: _THIS,
        exp.Div: _PAIR | {"typed", "safe"},
        **dict.fromkeys(BITS, _PAIR),
        exp.DPipe: _PAIR | {"safe"},
        exp.Like: _PAIR | {"negate"},
        exp.ILike: _PAIR | {"negate"},
        **dict.fromkeys(OPERATORS, _PAIR),
        exp.Is: _PAIR,
        exp.In: frozenset({"this", "expressions", "query"}),
        exp.Between: frozenset({"this", "low", "high", "symmetric"}),
        exp.Case: frozenset({"this", "ifs", "default"}),
        exp.If: frozenset({"this", "true", "false"}),
        exp.Cast: frozenset({"this", "to"}),
        exp.AtTimeZone: frozenset({"this", "zone"}),
        exp.Collate: _PAIR,
        exp.TryCast: frozenset({"this", "to", "safe"}),
        exp.DataType: frozenset({"this", "expressions", "kind", "nested"}),
        exp.Interval: frozenset({"this", "unit"}),
        exp.Window: frozenset({"this", "partition_by", "order", "spec", "alias", "over"}),
        exp.WithinGroup: _PAIR,
        exp.WindowSpec: frozenset({"kind", "start", "start_side", "end", "end_side", "exclude"}),
    }
)
"""Every admitted node and the arguments that may be set on it."""

PARTS: Final = UNITS | {
    "DOW",
    "DAYOFWEEK",
    "WEEKDAY",
    "ISODOW",
    "DOY",
    "DAYOFYEAR",
    "EPOCH",
    "ISOYEAR",
    "YEARWEEK",
}
"""The words that EXTRACT takes."""

_WORD: Final = re.compile(r"[^\W\d][\w$]*")
# Operators that DuckDB takes for no name, and some versions of sqlglot for an alias.
_OPERATOR_WORDS: Final = frozenset({"ISNULL", "NOTNULL"})
# Without parentheses behind them they are quantifiers in DuckDB, and columns in sqlglot.
_QUANTIFIERS: Final = frozenset({"ALL", "ANY", "SOME"})
Complaint = str | None


def check_nodes(tree: Node) -> None:
    """Refuse the first node, in the tree's order, that is not on the allow-list or has an argument that is
    not.

    Raises QueryRefused naming the construct and its place.
    """
    waiting: list[tuple[Node, int]] = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        _check_node(node)
        if depth > MAX_TREE_DEPTH:
            raise refuse_node(
                node,
                "a chain of operators or joins is too long here",
                "Write x IN (...) for many comparisons of x.",
            )
        waiting += [(child, depth + 1) for child in reversed(tuple(children(node)))]


def _check_node(node: Node) -> None:
    allowed = NODES.get(type(node))
    if allowed is None:
        name = name_of(node)
        raise refuse_node(node, *(reason_against(name) or (f"{name} is not supported", None)))
    for key, value in node.args.items():
        if key not in allowed and value is not None and value is not False and value != []:
            reason = f"{name_of_argument(node, key)} is not supported"
            raise refuse_node(node, reason, instead_of_argument(node, key))
    rule = _RULES.get(type(node))
    complaint = rule(node) if rule is not None else None
    if complaint is not None:
        raise refuse_node(node, complaint)


def _under(*parents: NodeType) -> Callable[[Node], bool]:
    return lambda node: isinstance(node.parent, parents)


_in_query = _under(exp.Select, exp.SetOperation, exp.Window)
_in_select = _under(exp.Select)


def _star(node: Node) -> Complaint:
    owner = node.parent if isinstance(node.parent, exp.Column) else node
    if _in_select(owner):
        return complaint_of_star(node)
    if owner is node and isinstance(node.parent, exp.Count) and not any(node.args.values()):
        return None
    if isinstance(owner, exp.Column) and type(owner.parent) is exp.Count and not any(node.args.values()):
        return complaint_of_row_count(owner)
    return "* stands only in COUNT(*) and as a column of SELECT"


def _tuple(node: Node) -> Complaint:
    return (
        None
        if isinstance(node.parent, (exp.Values, *_SETS))
        or (isinstance(node.parent, exp.Group) and not node.expressions)
        or is_compared(node)
        or is_counted(node)
        or is_of_patterns(node.parent)
        or (isinstance(node.parent, exp.Distinct) and node.arg_key == "on")
        else "a row of several values in parentheses stands only in a comparison with rows of as many"
    )


def _column(node: Node) -> Complaint:
    by_names = isinstance(node.this, (exp.Identifier, exp.Star)) and has_names(node, "table", "db", "catalog")
    return None if by_names else "a column is written as a name, or as names with dots between them"


def _table_alias(node: Node) -> Complaint:
    return None if has_names(node, "this", "columns") else "an alias is a name, or names in parentheses"


def _alias(node: Node) -> Complaint:
    if not has_names(node, "alias"):
        return "an alias is a name"
    in_list = _in_select(node) or (
        isinstance(node.parent, exp.Star) and node.arg_key in ("replace", "rename")
    )
    in_list = in_list or (isinstance(node.parent, exp.Pivot) and node.arg_key in ("using", "expressions"))
    return None if in_list else "an alias stands only behind a column of SELECT"


def _distinct(node: Node) -> Complaint:
    if _in_select(node):
        return None
    around = node.parent
    call = around.parent if isinstance(around, exp.Order) and node.arg_key == "this" else around
    if not is_aggregate(call) or node.args.get("on") is not None:
        return "DISTINCT stands only in an aggregate and behind SELECT"
    if len(node.expressions) == 1 or isinstance(call, exp.Count):
        return None
    return "DISTINCT of several values stands in parentheses, as in COUNT(DISTINCT (a, b))"


def _is(node: Node) -> Complaint:
    fits = isinstance(node.expression, (exp.Null, exp.Boolean))
    return None if fits else "IS takes only NULL, TRUE and FALSE; put what is left of it in parentheses"


def _interval(node: Node) -> Complaint:
    unit = node.args.get("unit") or None
    if not isinstance(node.this, (exp.Literal, exp.Paren)):
        return "INTERVAL takes a literal, or an expression in parentheses"
    if unit is None:
        spelled = isinstance(node.this, exp.Literal) and any(map(str.isalpha, node.this.name))
        return None if spelled else "INTERVAL needs a unit, as in INTERVAL 1 DAY"
    is_unit = unit.name.upper() in UNITS or long_unit(unit.name) is not None
    return None if is_unit else f"{unit.name} is not a unit of INTERVAL; {_UNITS_OF_INTERVAL}"


def _trim(node: Node) -> Complaint:
    """DuckDB has it of texts alone, and sqlglot would write a cast around another cast."""
    casts = (n for n in (node.this, node.args.get("expression")) if isinstance(n, exp.Cast))
    others = any(c.to.this not in exp.DataType.TEXT_TYPES for c in casts)
    return "TRIM takes texts; CAST(x AS VARCHAR) is one" if others else None


_UNITS_OF_INTERVAL: Final = "those are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE and SECOND"
_NO_PART: Final = (
    "EXTRACT takes a part of a date: YEAR, QUARTER, MONTH, WEEK, DAY, DOW (0 for Sunday), ISODOW, DOY, "
    "HOUR, MINUTE, SECOND or EPOCH"
)


def _extract(node: Node) -> Complaint:
    word = node.this.name.upper() if isinstance(node.this, (exp.Var, exp.Literal)) else ""
    is_part = word in PARTS or (word in FOREIGN_PARTS and isinstance(node.this, exp.Var))
    return None if is_part else _NO_PART


def _values(node: Node) -> Complaint:
    alias = node.args.get("alias")
    is_written = alias is None or alias.this is None or "start" in alias.this.meta
    return None if is_written else "VALUES stands only in parentheses behind FROM"


def _var(node: Node) -> Complaint:
    word = node.name.upper()
    if isinstance(node.parent, (exp.Interval, exp.Extract, exp.TimestampTrunc, exp.DateDiff, exp.WindowSpec)):
        return None
    if isinstance(node.parent, exp.Ordered) and word == "ALL":
        return None
    return f"{word} is not supported here"


def _order(node: Node) -> Complaint:
    inside = isinstance(node.parent, (exp.WithinGroup, exp.GroupConcat, exp.ArrayAgg)) or (
        isinstance(node.parent, exp.Anonymous) and is_aggregate(node.parent)
    )
    return None if _in_query(node) or inside else "ORDER BY inside a function is not supported"


def _filter(node: Node) -> Complaint:
    call = node.this.this if isinstance(node.this, exp.IgnoreNulls) else node.this
    return None if is_aggregate(call) else "FILTER stands only behind an aggregate"


def _pad(node: Node) -> Complaint:
    return None if node.args.get("fill_pattern") is not None else "LPAD and RPAD take three arguments"


def _identifier(node: Node) -> Complaint:
    others = _OPERATOR_WORDS | _QUANTIFIERS if isinstance(node.parent, exp.Column) else _OPERATOR_WORDS
    is_word = _WORD.fullmatch(node.name) and node.name.upper() not in others
    is_name = node.args.get("quoted") or is_word
    return None if is_name else f"{node.name} cannot be a name"


def _if(node: Node) -> Complaint:
    is_branch = isinstance(node.parent, exp.Case) and node.arg_key == "ifs"
    return None if is_branch or node.args.get("false") is not None else "IF takes three arguments"


def _escape(node: Node) -> Complaint:
    return None if isinstance(node.this, (exp.Like, exp.ILike)) else "ESCAPE stands only behind LIKE"


_RULES: Final = MappingProxyType[NodeType, Callable[[Node], Complaint]](
    {
        **dict.fromkeys(WINDOWS.values(), complaint_of_window_function),
        exp.Alias: _alias,
        exp.All: complaint_of_quantifier,
        exp.Any: complaint_of_quantifier,
        exp.Array: complaint_of_list,
        exp.Anonymous: complaint_of_call,
        exp.AtTimeZone: complaint_of_zone,
        exp.Bracket: complaint_of_subscript,
        exp.CTE: complaint_of_cte,
        exp.Collate: complaint_of_collation,
        exp.Column: _column,
        exp.DataType: complaint_of_type,
        exp.Distinct: _distinct,
        exp.Escape: _escape,
        **dict.fromkeys((exp.Explode, exp.Unnest), complaint_of_unnest),
        exp.Extract: _extract,
        exp.Filter: _filter,
        exp.GenerateSeries: complaint_of_series,
        exp.Identifier: _identifier,
        exp.If: _if,
        exp.IgnoreNulls: complaint_of_nulls,
        exp.Interval: _interval,
        exp.Is: _is,
        exp.Join: complaint_of_join,
        exp.Lateral: complaint_of_lateral,
        **dict.fromkeys(OPERATORS, complaint_of_match),
        exp.Order: _order,
        exp.Pad: _pad,
        **PIVOT_RULES,
        exp.Star: _star,
        exp.Subquery: complaint_of_subquery,
        exp.Table: complaint_of_table,
        exp.TableAlias: _table_alias,
        exp.Trim: _trim,
        exp.Tuple: _tuple,
        exp.Values: _values,
        exp.Var: _var,
        exp.Window: complaint_of_window,
        exp.WindowSpec: complaint_of_frame,
        exp.WithinGroup: complaint_of_group,
        exp.PercentileCont: complaint_of_percentile,
        exp.PercentileDisc: complaint_of_percentile,
    }
)
