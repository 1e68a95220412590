"""PostgreSQL's operators where DuckDB's differ: vectors from 0, integer division, escapes of LIKE."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.catalog_queries.calls import groups_of
from dpsql.sql.catalog_queries.lookups import Lookups, duckdb_call
from dpsql.sql.catalog_queries.pg_casts import VECTORS
from dpsql.sql.dialect import Node
from dpsql.sql.system_tables.declarations import list_columns

_ESCAPE: Final = "\\"
_BOUNDS: Final = frozenset({"array_lower", "array_upper", "generate_subscripts"})
_SIMILAR: Final = MappingProxyType({"%": ".*", "_": ".", ".": r"\.", "^": r"\^", "$": r"\$"})
_IN_FIRST: Final = "coalesce(list_contains(_1, dpsql_v), FALSE)"
_CONTAINS: Final = (
    f"CASE WHEN _1 IS NOT NULL THEN len(list_filter(_2, lambda dpsql_v: NOT {_IN_FIRST})) = 0 END"
)
_OVERLAPS: Final = f"CASE WHEN _1 IS NOT NULL THEN len(list_filter(_2, lambda dpsql_v: {_IN_FIRST})) > 0 END"
_ARRAY_OPERATORS: Final = MappingProxyType[type[Node], str](
    {
        kind: template
        for name, template in (
            ("ArrayContainsAll", _CONTAINS),
            ("ArrayContainedBy", _CONTAINS),
            ("ArrayOverlaps", _OVERLAPS),
        )
        if (kind := getattr(exp, name, None)) is not None
    }
)
_COUNTS: Final = frozenset({"indnatts", "indnkeyatts", "pronargs", "relnatts", "tgnargs"})
_INEXACT: Final = frozenset({"reltuples", "procost", "prorows", "null_frac", "n_distinct", "correlation"})


def rewrite_operators(tree: Node, lookups: Lookups) -> None:
    """Give operators PostgreSQL's meaning. Raises QueryRefused where there is no equivalent."""
    for bracket in all_of(tree, exp.Bracket):
        _rewrite_bracket(bracket)
    for call in all_of(tree, exp.Anonymous):
        _rewrite_bound(call)
    for dot in all_of(tree, exp.Dot):
        _rewrite_field(dot)
    for joined in all_of(tree, exp.DPipe):
        _join(joined)
    for like in all_of(tree, exp.Like, exp.ILike):
        _escape(like)
    for quotient in all_of(tree, exp.Div):
        _divide(quotient)
    for moment in all_of(tree, exp.AtTimeZone):
        zone = moment.args.get("zone")
        if not isinstance(zone, exp.Literal) or zone.name.upper() != "UTC":
            raise refuse_node(moment, "moments are in UTC here: another time zone is not supported")
        moment.replace(moment.this)
    for part in all_of(tree, exp.Substring):
        _extract(part)
    for similar in all_of(tree, exp.SimilarTo):
        _match(similar)
    for select in all_of(tree, exp.Select):
        if not select.expressions:  # EXISTS (SELECT FROM t)
            select.set("expressions", [exp.Literal.number(1)])
    for compared in reversed(all_of(tree, *_ARRAY_OPERATORS)):
        _compare_arrays(compared, lookups)
    for moment_part in all_of(tree, exp.Extract):
        if moment_part.name.upper() == "EPOCH":
            moment_part.replace(exp.cast(moment_part.copy(), "decimal(20, 6)", dialect="duckdb"))
    for ordered in all_of(tree, exp.Ordered):
        by = ordered.this
        if isinstance(by, exp.Column) and by.name.lower() == "all" and not by.this.args.get("quoted"):
            ordered.set("this", exp.Var(this="ALL"))


def _rewrite_bracket(node: exp.Bracket) -> None:
    """Shift the index of a vector: PostgreSQL counts int2vector from 0, and arrays from 1 as DuckDB does."""
    if any(isinstance(index, exp.Slice) for index in node.expressions):
        _check_part(node)
        return
    if not is_vector(node.this) or len(node.expressions) != 1:
        return
    (index,) = node.expressions
    one = exp.Literal.number(1)
    is_constant = isinstance(index, exp.Literal) and index.is_int
    more = exp.Literal.number(int(index.name) + 1) if is_constant else exp.Add(this=index, expression=one)
    node.set("expressions", [more])


def _rewrite_bound(call: exp.Anonymous) -> None:
    """Count the places of a vector from 0, wherever a function tells them."""
    if str(call.this).lower() in _BOUNDS and call.expressions and is_vector(call.expressions[0]):
        less = exp.Paren(this=exp.Sub(expression=exp.Literal.number(1)))
        call.replace(less)
        less.this.set("this", call)


def is_vector(node: Node) -> bool:
    """Whether it is a column of the type int2vector or oidvector, whose places are counted from 0."""
    return isinstance(node, exp.Column) and node.name.lower() in VECTORS


def is_count(node: Node) -> bool:
    """Whether it is a column of PostgreSQL's that counts columns or arguments, under a name that nothing else has."""
    if not isinstance(node, exp.Column) or node.name.lower() not in _COUNTS:
        return False
    tables = all_of(node.root(), exp.TableAlias)
    given = {name.name.lower() for alias in tables for name in (alias, *alias.columns)}
    given |= {alias.alias.lower() for alias in all_of(node.root(), exp.Alias)}
    return node.name.lower() not in given


def _check_part(node: exp.Bracket) -> None:
    """Refuses a part of an array that DuckDB would count otherwise: of a vector, in two dimensions, from the end."""
    of, bounds = node.this, [bound for part in node.expressions for bound in part.args.values()]
    counted = all(b is None or (isinstance(b, exp.Literal) and b.name != "0") or is_count(b) for b in bounds)
    is_other = isinstance(of, exp.Bracket) or is_vector(of)
    if is_other or len(node.expressions) != 1 or not counted:
        raise refuse_node(node, "a part of an array is written as x[1:2], with numbers from 1, of no vector")


def _rewrite_field(node: exp.Dot) -> None:
    """A field of a composite value: `(keys).n`."""
    field = node.expression
    if not isinstance(field, exp.Identifier) or not isinstance(node.this, exp.Paren):
        raise refuse_node(node, "a dot stands only between names, and behind a value in parentheses")
    node.replace(duckdb_call("struct_extract", node.this.this, exp.Literal.string(field.name)))


def _join(node: exp.DPipe) -> None:
    """Joined arrays, of which NULL is an empty one; texts are joined by DuckDB as by PostgreSQL."""
    if all(_is_list(side) for side in (node.this, node.expression)):
        node.replace(duckdb_call("list_concat", node.this, node.expression))


def _is_list(node: Node) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    return isinstance(node, exp.Array) or (
        isinstance(node, exp.Column) and node.name.lower() in list_columns()
    )


def _escape(node: Node) -> None:
    """The default escape of LIKE is a backslash in PostgreSQL, none in DuckDB."""
    pattern = node.args["expression"]
    if (
        isinstance(pattern, exp.Literal)
        and _ESCAPE in pattern.name
        and not isinstance(node.parent, exp.Escape)
    ):
        around = exp.Escape(expression=exp.Literal.string(_ESCAPE))
        node.replace(around)
        around.set("this", node)


def _extract(node: exp.Substring) -> None:
    """`substring(x from 'pattern')`: what its first group matches, or the whole match."""
    pattern = node.args.get("start")
    if not isinstance(pattern, exp.Literal) or not pattern.is_string or node.args.get("length") is not None:
        return
    group = exp.Literal.number(min(groups_of(pattern), 1))
    found = duckdb_call("regexp_matches", node.this.copy(), pattern.copy())
    case = exp.Case(ifs=[exp.If(this=found, true=duckdb_call("regexp_extract", node.this, pattern, group))])
    node.replace(case)


def _match(node: exp.SimilarTo) -> None:
    """SIMILAR TO as a regular expression: % and _ as in LIKE; | * + ( ) [ ] mean the same in both."""
    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise refuse_node(node, "SIMILAR TO takes a constant pattern here")
    meant = re.sub(r"[%_.^$]", lambda m: _SIMILAR[m.group()], pattern.name)
    node.replace(duckdb_call("regexp_full_match", node.this, exp.Literal.string(meant)))


def _compare_arrays(node: Node, lookups: Lookups) -> None:
    """`a @> b`, `a <@ b` and `a && b` of arrays: a NULL is in none."""
    sides = [node.this, node.expression]
    if type(node).__name__ == "ArrayContainedBy":
        sides.reverse()
    node.replace(lookups.filled(_ARRAY_OPERATORS[type(node)], sides))


def _divide(node: exp.Div) -> None:
    """Integer division, as almost every numeric column of a catalog is an integer."""
    by = node.expression
    whole = isinstance(by, exp.Literal) and by.is_number and by.name.isdigit()
    names = {c.name.lower() for c in all_of(node.this, exp.Column)}
    if whole and not names & _INEXACT and node.this.find(exp.Extract) is None:
        node.replace(exp.IntDiv(this=node.this, expression=by))
