"""PostgreSQL's casts in DuckDB's types: OIDs and the names for them, and arrays written as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.catalog_queries.call_types import TYPE_OF_CALL
from dpsql.sql.catalog_queries.calls import TEMPLATES
from dpsql.sql.catalog_queries.lookups import KINDS, Lookups, duckdb_call
from dpsql.sql.dialect import DType, Node
from dpsql.sql.lex.array_texts import NotAnArray, array_items
from dpsql.sql.public.render import node_of
from dpsql.sql.system_tables.declarations import function_columns, list_columns

_OTHER: Final = MappingProxyType(
    {
        **dict.fromkeys(("char", "name", "bpchar", "cstring", "tid", "aclitem"), "VARCHAR"),
        **dict.fromkeys(("sql_identifier", "character_data", "yes_or_no"), "VARCHAR"),
        **dict.fromkeys(("oid", "xid", "cid", "regconfig", "regdictionary", "regcollation"), "BIGINT"),
        **dict.fromkeys(("time_stamp", "timestamptz"), "TIMESTAMP"),
        "cardinal_number": "INTEGER",
        "int2vector": "INTEGER[]",
        "oidvector": "BIGINT[]",
        "oid_list": "BIGINT[]",
    }
)
_SYNONYMS: Final = MappingProxyType(dict.fromkeys(("regprocedure", "regoper", "regoperator"), "regproc"))
_PLAIN: Final = MappingProxyType(
    {
        **dict.fromkeys((DType.NAME, DType.CHAR, DType.BPCHAR, DType.VARCHAR, DType.TEXT), "VARCHAR"),
        DType.TIMESTAMPTZ: "TIMESTAMP",
        DType.JSONB: "JSON",
    }
)
_COMPARED: Final = (
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE),
    *(exp.Like, exp.ILike, exp.RegexpLike, exp.RegexpILike),
)
_SPELLED_LIST: Final = "'{' || array_to_string(_1, ',') || '}'"
_MOST_ITEMS: Final = 100
_LARGEST_COMPARED: Final = 8
# With a blank before the parenthesis sqlglot reads them as calls.
_QUANTIFIERS: Final = MappingProxyType[str, type[Node]]({"any": exp.Any, "some": exp.Any, "all": exp.All})
_COMPARISONS: Final = (
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE),
    *(exp.In, exp.NullSafeEQ, exp.NullSafeNEQ),
)
_OF_TEXT: Final = frozenset({"quote_ident", "quote_literal", "btrim", "translate", "char_length", "initcap"})
VECTORS: Final = frozenset(
    {"indkey", "indclass", "indoption", "indcollation", "proargtypes", "tgattr", "partattrs"}
)


def rewrite_casts(tree: Node, lookups: Lookups) -> None:
    """Give every cast a type of DuckDB's, innermost first: each depends on what is around it."""
    for node in reversed(all_of(tree, exp.Cast)):
        kind = _kind(node)
        if kind in KINDS:
            _rewrite_name(node, kind, lookups)
        elif kind is not None and kind.endswith("_list") and kind != "oid_list":
            names = exp.Identifier(this="dpsql_v")
            each = lookups.name(kind.removesuffix("_list"), exp.Column(this=names))
            mapped = lookups.filled("list_transform(_1, lambda dpsql_v: _2)", [node.this, each])
            node.replace(mapped)
        else:
            _rewrite_plain(node, kind, lookups)


def _kind(node: exp.Cast) -> str | None:
    """The name, in lower case, of a type for which sqlglot has no DType."""
    to = node.args["to"]
    if isinstance(to, exp.ObjectIdentifier | exp.PseudoType):
        name = str(to.this).lower()
    elif isinstance(to, exp.DataType) and to.this is DType.USERDEFINED:
        name = str(to.args["kind"].name if isinstance(to.args["kind"], Node) else to.args["kind"]).lower()
    else:
        return None
    return _SYNONYMS.get(name, name)


def _rewrite_name(node: exp.Cast, kind: str, lookups: Lookups) -> None:
    """An OID where OIDs are compared or looked up, a name where the value is shown or is text."""
    number = lookups.number(kind, node.this.copy()) if _may_be_name(node.this) else node.this.copy()
    shown = not _is_asked(node)
    node.replace(lookups.name(kind, number) if shown else exp.Paren(this=number))


def _may_be_name(node: Node) -> bool:
    """Whether a value cast to regclass and the like can be a name; columns of OIDs cannot."""
    while isinstance(node, exp.Paren):
        node = node.this
    return not (
        isinstance(node, exp.Column)
        and re.search(r"oid|relid|typid|parent|owner|type$|id$", node.name.lower())
    )


def _is_asked(node: Node) -> bool:
    """Whether the OID matters: it is compared, cast to a number, or an argument of a catalog function."""
    around = node.parent
    while isinstance(around, exp.Paren | exp.Array):
        node, around = around, around.parent
    if isinstance(around, exp.Cast):
        return not _is_text(around)
    if isinstance(around, exp.If) and node.arg_key == "this":  # CASE x WHEN 'int4'::regtype
        return True
    if isinstance(around, exp.Anonymous):
        name = str(around.this).lower()
        return name in TEMPLATES and name not in _OF_TEXT
    return isinstance(around, (exp.Tuple, *_COMPARISONS)) or _is_listed(around)


def _is_listed(around: Node | None) -> bool:
    """Whether this is the SELECT list of a subquery that something is compared with."""
    if not isinstance(around, exp.Select):
        return False
    outer = around.parent
    while isinstance(outer, exp.Subquery | exp.SetOperation):
        outer = outer.parent
    return isinstance(outer, _COMPARISONS)


def _is_text(node: exp.Cast) -> bool:
    kind = _kind(node)
    if kind is not None:
        return _OTHER.get(kind) == "VARCHAR"
    return isinstance(node.args["to"], exp.DataType) and _PLAIN.get(node.args["to"].this) == "VARCHAR"


def _rewrite_plain(node: exp.Cast, kind: str | None, lookups: Lookups) -> None:
    to = node.args["to"]
    longest = _longest(to)
    if kind is not None:
        if kind not in _OTHER:
            raise refuse_node(node, f"the type {kind} is not supported")
        to = exp.DataType.build(_OTHER[kind], dialect="duckdb")
    elif to.this in _PLAIN:
        to = exp.DataType.build(_PLAIN[to.this], dialect="duckdb")
    elif to.this is DType.DECIMAL and not to.expressions:
        to = exp.DataType.build("DOUBLE", dialect="duckdb")
    elif to.this is DType.ARRAY:
        to = _list_type(to)
    inner = node.this
    if to.this is DType.ARRAY and isinstance(inner, exp.Literal) and inner.is_string:
        items = inner.name.split() if kind is not None and kind.endswith("vector") else None
        written = list_items(inner.name) if items is None else [*map(exp.Literal.string, items)]
        if written is None:
            raise refuse_node(inner, "this text is not an array", "An array is a text such as '{a,b}'.")
        node.set("this", exp.Array(expressions=written))
    elif to.this in (DType.VARCHAR, DType.TEXT):
        spelled = _spelled(inner, lookups)
        if spelled is not None:
            node.set("this", spelled)
    node.set("to", to)
    if longest is not None:
        node.replace(duckdb_call("left", node.copy(), longest))


def _longest(to: Node) -> Node | None:
    """The length to which a cast to a text of some length cuts it."""
    texts = (DType.VARCHAR, DType.CHAR, DType.BPCHAR)
    if isinstance(to, exp.DataType) and to.this in texts and to.expressions:
        length: Node = to.expressions[0].this
        return length.copy()
    return None


def show_functions(tree: exp.Query, stars: Mapping[int, tuple[str, ...]], lookups: Lookups) -> None:
    """Give the columns of an answer that are functions by their names, not by their OIDs.

    `stars` are the columns that each `*` has of them.
    """
    queries: list[Node] = [tree]
    for query in queries:  # which grows meanwhile
        if isinstance(query, exp.SetOperation):
            queries += [query.left, query.right]
        elif isinstance(query, exp.Subquery):
            queries.append(query.this)
    for select in queries:
        for item in list(select.expressions) if isinstance(select, exp.Select) else ():
            star = item.this if isinstance(item, exp.Column) else item
            kind = _named_kind(item.unalias())
            if isinstance(star, exp.Star):
                of = item.args.get("table") if isinstance(item, exp.Column) else None
                names = stars.get(id(star), ())
                star.set("replace", [_named_function(column, of, lookups) for column in names])
            elif kind is not None:
                name = exp.to_identifier(item.alias_or_name, quoted=True)
                item.replace(exp.Alias(this=lookups.name(kind, item.unalias().copy()), alias=name))


def _named_function(column: str, of: Node | None, lookups: Lookups) -> Node:
    name = exp.to_identifier(column, quoted=True)
    value = exp.Column(this=name.copy(), table=of.copy() if of is not None else None)
    return exp.Alias(this=lookups.name("regproc", value), alias=name)


def _named_kind(value: Node) -> str | None:
    """The kind of the objects that a column or a call gives by OID, where PostgreSQL writes their names."""
    if isinstance(value, exp.Column):
        return "regproc" if value.name.lower() in function_columns() else None
    if isinstance(value, exp.Case):
        results = [value.args.get("default"), *(branch.args["true"] for branch in value.args["ifs"])]
        kinds = {_named_kind(result) for result in results if not isinstance(result, exp.Null | None)}
        return kinds.pop() if len(kinds) == 1 else None
    name = str(value.this).lower() if isinstance(value, exp.Anonymous) else ""
    kind = name.removeprefix("to_")
    return kind if kind in KINDS else None


def _spelled(value: Node, lookups: Lookups) -> Node | None:
    """What is cast to text and PostgreSQL writes otherwise than DuckDB; None for anything else."""
    kind = _named_kind(value)
    if kind is not None:
        return lookups.name(kind, value.copy())
    name = str(value.this).lower() if isinstance(value, exp.Anonymous) else ""
    if isinstance(value, exp.Array) or TYPE_OF_CALL.get(name, "").startswith("_"):
        return lookups.filled(_SPELLED_LIST, [value])
    return _spelled_list(value, lookups) if isinstance(value, exp.Column) else None


def _list_type(to: exp.DataType) -> exp.DataType:
    inner = to.expressions[0] if to.expressions else None
    if isinstance(inner, exp.DataType) and (inner.this in _PLAIN or inner.this is DType.USERDEFINED):
        return exp.DataType.build("VARCHAR[]", dialect="duckdb")
    if isinstance(inner, exp.ObjectIdentifier):
        return exp.DataType.build("BIGINT[]", dialect="duckdb")
    return to


def _spelled_list(column: exp.Column, lookups: Lookups) -> Node | None:
    """An array cast to text as PostgreSQL does it: `1 2` for a vector, `{a,b}` for others."""
    name = column.name.lower()
    if name not in list_columns():
        return None
    template = "array_to_string(_1, ' ')" if name in VECTORS else _SPELLED_LIST
    return lookups.filled(template, [column])


def list_items(text: str) -> list[Node] | None:
    """The items of an array literal `{a,b}`, or None."""
    try:
        return [exp.null() if item is None else exp.Literal.string(item) for item in array_items(text)]
    except NotAnArray:
        return None


def write_bound_lists(tree: Node, values: Mapping[str, object]) -> None:
    """Writes the lists among the values of placeholders as arrays. Raises ProgrammingError."""
    for mark in all_of(tree, exp.Placeholder):
        value = values.get(mark.name)
        if isinstance(value, list | tuple):
            mark.replace(exp.Array(expressions=[node_of(v) for v in value]))


def rewrite_lists(tree: Node) -> None:
    """Rewrite `x = ANY(array)`, `x <> ALL(array)` and comparisons with an array literal."""
    for call in all_of(tree, exp.Anonymous):
        quantifier = _QUANTIFIERS.get(str(call.this).lower())
        if quantifier is not None and len(call.expressions) == 1:
            call.replace(quantifier(this=exp.Paren(this=call.expressions[0])))
    for node in all_of(tree, exp.Any, exp.All):
        _rewrite_quantified(node)
    for compared in all_of(tree, exp.EQ, exp.NEQ):
        for side, other in (("this", compared.expression), ("expression", compared.this)):
            if isinstance(other, exp.Column) and other.name.lower() in list_columns():
                written = compared.args[side]
                if isinstance(written, exp.Literal) and list_items(written.name) is not None:
                    other.replace(exp.cast(other.copy(), "varchar", dialect="duckdb"))


def _rewrite_quantified(node: Node) -> None:
    compared, is_any = node.parent, isinstance(node, exp.Any)
    of = node.this
    while isinstance(of, exp.Paren):
        of = of.this
    if not isinstance(compared, exp.EQ if is_any else exp.NEQ) or node.arg_key != "expression":
        _compare_each(node, of)
        return
    value = compared.this
    if isinstance(of, exp.Subquery | exp.Query):
        member: Node = exp.In(this=value, query=of if isinstance(of, exp.Subquery) else exp.Subquery(this=of))
    else:
        named = _kind(of) if isinstance(of, exp.Cast) else None
        if isinstance(of, exp.Cast) and isinstance(of.this, exp.Literal):
            of = of.this
        member = _among(value, of, _named_items(_items_of(of), named or ""))
    compared.replace(member if is_any else exp.Not(this=exp.Paren(this=member)))


def _named_items(items: list[Node] | None, kind: str) -> list[Node] | None:
    """The items of an array of names, as in '{int4,text}'::regtype[], each as such a name."""
    of = kind.removesuffix("_list")
    if items is None or of not in KINDS or of == kind:
        return items
    return [exp.Cast(this=item, to=exp.ObjectIdentifier(this=of.upper())) for item in items]


def _items_of(of: Node) -> list[Node] | None:
    """The items of an array that stands in the text; None for any other."""
    if isinstance(of, exp.Cast):
        of = of.this
    if isinstance(of, exp.Literal):
        return list_items(of.name)
    return list(of.expressions) if isinstance(of, exp.Array) else None


def _compare_each(node: Node, of: Node) -> None:
    """Write `x LIKE ANY (array[a, b])` as `x LIKE a OR x LIKE b`, and ALL with AND.

    `x !~ ALL (..)` is read as `NOT x ~ ALL (..)` is, which means something else: neither is answered.
    """
    compared, items = node.parent, _items_of(of)
    if (
        not isinstance(compared, _COMPARED)
        or node.arg_key != "expression"
        or isinstance(compared.parent, exp.Not)
        or items is None
        or len(items) > _MOST_ITEMS
        or len(list(compared.this.walk())) > _LARGEST_COMPARED
    ):
        raise refuse_node(
            node,
            "ANY and ALL stand behind =, <>, <, > and LIKE with a short array that is written out, ANY behind = and "
            "ALL behind <> with any array, in a statement about the system",
        )
    is_any = isinstance(node, exp.Any)
    whole: Node | None = None
    for item in items:
        with_item = compared.copy()
        with_item.set("expression", item.copy())
        one = exp.Paren(this=with_item)
        joined = exp.Or if is_any else exp.And
        whole = one if whole is None else joined(this=whole, expression=one)
    constant = exp.false() if is_any else exp.true()
    compared.replace(exp.Paren(this=whole) if whole is not None else constant)


def _among(value: Node, of: Node, items: list[Node] | None) -> Node:
    if items is None:
        return duckdb_call("list_contains", of, value)
    return exp.In(this=value, expressions=items) if items else exp.false()
