"""What a catalog query may be made of: ordinary SQL and PostgreSQL's lists, patterns and types."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.descriptions import name_of, name_of_argument
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import every
from dpsql.sql.dialect import DType, Node
from dpsql.sql.validate.allow import MAX_TREE_DEPTH, NODES
from dpsql.sql.validate.function_names import NodeType


def _having(arguments: str, *kinds: NodeType) -> dict[NodeType, frozenset[str]]:
    return dict.fromkeys(kinds, frozenset(arguments.split()))


def _present(names: str) -> list[NodeType]:
    """The nodes that this version of sqlglot has."""
    return [kind for name in names.split() if (kind := getattr(exp, name, None)) is not None]


_ALLOWED: Final[MappingProxyType[NodeType, frozenset[str]]] = MappingProxyType(
    {
        **NODES,
        exp.Select: NODES[exp.Select] | {"kind"},
        exp.Join: NODES[exp.Join] | {"nested"},
        exp.In: NODES[exp.In] | {"negate"},
        exp.Between: NODES[exp.Between] | {"negate", "symmetric"},
        **_having("this alias db catalog joins laterals ordinality", exp.Table),
        **_having("this alias joins laterals with_", exp.Subquery),
        **_having("this alias view outer cross_apply ordinality", exp.Lateral),
        **_having("expressions alias offset", exp.Unnest),
        **_having("this", exp.Any, exp.All, exp.ObjectIdentifier, exp.PseudoType, exp.Parameter),
        **_having("this", exp.CurrentDate, exp.CurrentTimestamp, exp.LogicalOr, exp.LogicalAnd),
        **_having("this", exp.CurrentUser, exp.CurrentSchema),
        **_having("this", *_present("SessionUser CurrentCatalog CurrentDatabase CurrentRole Localtimestamp")),
        **_having("this expression", exp.SimilarTo, exp.Dot, exp.RegexpLike, exp.RegexpILike, exp.BitwiseAnd),
        **_having("this expression", *_present("ArrayContainsAll ArrayContainedBy ArrayOverlaps")),
        **_having("this expression requires_int128", exp.BitwiseRightShift, exp.BitwiseLeftShift),
        **_having("this expression negate", exp.Is),
        **_having("this expression replacement", exp.Replace),
        **_having("this expressions", exp.Anonymous, exp.Coalesce),
        **_having("this expressions offset safe", exp.Bracket),
        **_having("this expression", exp.Slice),
        **_having("this expressions kind nested", exp.DataType),
        **_having("expressions value_constructor bracket_notation", exp.Array),
        **_having("expressions safe coalesce", exp.Concat, exp.ConcatWs),
        **_having("this zone", exp.AtTimeZone),
        **_having("this to", exp.Cast),
        **_having("this nulls_excluded", exp.ArrayAgg),
        **_having("this separator", exp.GroupConcat),
        **_having("this start length zero_start", exp.Substring),
        **_having("this ifs default", exp.Case),
    }
)
_TYPES: Final = frozenset(
    {
        DType.BOOLEAN, DType.SMALLINT, DType.INT, DType.BIGINT, DType.FLOAT, DType.DOUBLE, DType.DECIMAL, DType.TEXT,
        DType.VARCHAR, DType.CHAR, DType.BPCHAR, DType.NAME, DType.DATE, DType.TIMESTAMP, DType.TIMESTAMPTZ,
        DType.ARRAY, DType.USERDEFINED, DType.JSON, DType.JSONB,
    }
)  # fmt: skip


def check_allowed(tree: Node) -> None:
    """Refuses the first node that is not allowed, or that has an argument that is not."""
    for node in every(tree):
        allowed = _ALLOWED.get(type(node))
        if allowed is None:
            raise refuse_node(node, f"{name_of(node)} is not supported in a statement about the system")
        for key, value in node.args.items():
            if key not in allowed and value is not None and value is not False and value != []:
                raise refuse_node(node, f"{name_of_argument(node, key)} is not supported")
        if type(node) is exp.DataType and node.this not in _TYPES:
            raise refuse_node(node, "this type is not supported in a statement about the system")
        if node.depth > MAX_TREE_DEPTH:
            raise refuse_node(
                node, "the statement is nested too deeply", "Write x IN (...) for many comparisons of x."
            )
