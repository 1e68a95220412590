"""What a statement about the system may be made of: ordinary SQL and PostgreSQL's lists, patterns and types."""

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

_LISTED: Final[MappingProxyType[NodeType, frozenset[str]]] = MappingProxyType(
    {
        **NODES,
        exp.Select: NODES[exp.Select] | {"kind"},
        exp.Table: frozenset({"this", "alias", "db", "catalog", "joins", "laterals", "ordinality"}),
        exp.Subquery: frozenset({"this", "alias", "joins", "laterals", "with_"}),
        exp.Lateral: frozenset({"this", "alias", "view", "outer", "cross_apply", "ordinality"}),
        exp.Join: NODES[exp.Join] | {"nested"},
        exp.SimilarTo: frozenset({"this", "expression"}),
        exp.With: NODES[exp.With] | {"recursive"},
        exp.Unnest: frozenset({"expressions", "alias", "offset"}),
        exp.Anonymous: frozenset({"this", "expressions"}),
        exp.Is: frozenset({"this", "expression", "negate"}),
        exp.In: NODES[exp.In] | {"negate"},
        exp.Between: NODES[exp.Between] | {"negate", "symmetric"},
        exp.Any: frozenset({"this"}),
        exp.All: frozenset({"this"}),
        exp.Array: frozenset({"expressions", "value_constructor", "bracket_notation"}),
        exp.Bracket: frozenset({"this", "expressions", "offset", "safe"}),
        exp.Dot: frozenset({"this", "expression"}),
        exp.RegexpLike: frozenset({"this", "expression"}),
        exp.RegexpILike: frozenset({"this", "expression"}),
        exp.BitwiseAnd: frozenset({"this", "expression"}),
        exp.BitwiseRightShift: frozenset({"this", "expression", "requires_int128"}),
        exp.BitwiseLeftShift: frozenset({"this", "expression", "requires_int128"}),
        exp.AtTimeZone: frozenset({"this", "zone"}),
        exp.ObjectIdentifier: frozenset({"this"}),
        exp.PseudoType: frozenset({"this"}),
        exp.Parameter: frozenset({"this"}),
        exp.Cast: frozenset({"this", "to"}),
        exp.CurrentUser: frozenset({"this"}),
        exp.CurrentSchema: frozenset({"this"}),
        exp.CurrentDate: frozenset({"this"}),
        exp.CurrentTimestamp: frozenset({"this"}),
        exp.ArrayAgg: frozenset({"this", "nulls_excluded"}),
        exp.GroupConcat: frozenset({"this", "separator"}),
        exp.Concat: frozenset({"expressions", "safe", "coalesce"}),
        exp.ConcatWs: frozenset({"expressions", "safe", "coalesce"}),
        exp.Coalesce: frozenset({"this", "expressions"}),
        exp.Substring: frozenset({"this", "start", "length", "zero_start"}),
        exp.LogicalOr: frozenset({"this"}),
        exp.LogicalAnd: frozenset({"this"}),
        exp.Case: frozenset({"this", "ifs", "default"}),
        exp.Replace: frozenset({"this", "expression", "replacement"}),
        exp.DataType: frozenset({"this", "expressions", "kind", "nested"}),
        **{
            kind: frozenset({"this"})
            for name in ("SessionUser", "CurrentCatalog", "CurrentDatabase", "CurrentRole", "Localtimestamp")
            if (kind := getattr(exp, name, None)) is not None
        },
    }
)
_TYPES: Final = frozenset(
    {
        DType.BOOLEAN, DType.SMALLINT, DType.INT, DType.BIGINT, DType.FLOAT, DType.DOUBLE, DType.DECIMAL, DType.TEXT,
        DType.VARCHAR, DType.CHAR, DType.BPCHAR, DType.NAME, DType.DATE, DType.TIMESTAMP, DType.TIMESTAMPTZ,
        DType.ARRAY, DType.USERDEFINED,
    }
)  # fmt: skip


def check_about(tree: Node) -> None:
    """Refuses the first node that is not listed, or that has an argument that is not."""
    for node in every(tree):
        allowed = _LISTED.get(type(node))
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
