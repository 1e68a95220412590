"""Comparisons with = ANY, = SOME and <> ALL, which SQL defines as IN and NOT IN, and others with a list's values."""

from __future__ import annotations

from functools import reduce
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.slotted import dataclass
from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of, outside_parentheses
from dpsql.sql.dialect import DType, Node
from dpsql.sql.normalize.foreign.several_patterns import (
    complaint_of_patterns,
    is_of_patterns,
    is_type_of_patterns,
)
from dpsql.sql.normalize.table_functions import is_unnested
from dpsql.sql.normalize.templates import Room
from dpsql.sql.normalize.within_group import is_list_of_levels
from dpsql.sql.normalize.written_lists import (
    WrittenList,
    check_listed,
    complaint_of_written,
    is_typed,
    values_of,
    within,
)

_FORMS: Final = (
    "ANY, SOME and ALL stand behind a comparison, in parentheses with a query, a list or a parameter"
)
COMPARISONS: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
# ALL and SOME with a list in parentheses, which sqlglot takes for functions.
_CALLS: Final = MappingProxyType[str, type[Node]]({"ALL": exp.NEQ, "SOME": exp.EQ})


def complaint_of_quantifier(node: Node) -> str | None:
    """What is wrong with ANY, SOME or ALL, or None."""
    if is_of_patterns(node):
        return complaint_of_patterns(node)
    if not _fits(node):
        return _FORMS
    if (written := written_list(node)) is not None:
        return complaint_of_written(written)
    return None if _members(node) is not None or bound_list(node) is not None else _FORMS


def complaint_of_list(node: Node) -> str | None:
    """What is wrong with a list, or None: of one type it stands in ANY, SOME and ALL alone."""
    typed = is_typed(node)
    if not (is_unnested(node) or is_list_of_levels(node)):
        around = typed or outside_parentheses(node)[1]
        compared = around is not None and _comparison(around) is not None
        if typed is not None and not compared:
            return "a list of one type stands only in a comparison with ANY, SOME or ALL"
        if compared and around is not None and not (_fits(around) or is_of_patterns(around)):
            return _FORMS
    return None if node.expressions or typed is not None else "a list without values is not supported"


@dataclass(frozen=True, slots=True)
class BoundList:
    """A placeholder that a list is bound to, and the type that each of its values is cast to (None: not cast)."""

    placeholder: exp.Placeholder
    item: exp.DataType | None = None


def bound_list(quantifier: Node) -> BoundList | None:
    """The placeholder in ANY ($1), or in ANY ($1::TEXT[]) with the type of its values; None for anything else."""
    inside, item = _listed(quantifier)
    return BoundList(inside, item) if isinstance(inside, exp.Placeholder) else None


def written_list(quantifier: Node) -> WrittenList | None:
    """The list in ANY ('{a,b}'), ANY ('{1,2}'::INT[]) or ANY (ARRAY[1, 2]::INT[]); None for anything else."""
    inside, item = _listed(quantifier)
    is_text = isinstance(inside, exp.Literal) and inside.is_string
    is_list = isinstance(inside, exp.Array) and item is not None
    return WrittenList(inside, item) if inside is not None and (is_text or is_list) else None


def _listed(quantifier: Node) -> tuple[Node | None, exp.DataType | None]:
    """What stands in a quantifier beside one value, without a cast of a list, and the type in that."""
    compared = quantifier.parent
    if not _fits(quantifier) or compared is None or isinstance(compared.this, exp.Tuple):
        return None, None
    inside = _inside(quantifier)
    if isinstance(inside, exp.Cast) and inside.to.this is DType.ARRAY and len(inside.to.expressions) == 1:
        return _bare(inside.this), inside.to.expressions[0]
    return inside, None


def is_list_type(node: Node) -> bool:
    """Whether a type is that of a list behind a quantifier, as in ANY ($1::TEXT[])."""
    cast = node.parent
    if not isinstance(cast, exp.Cast) or node.arg_key != "to":
        return False
    _, around = outside_parentheses(cast)
    if around is not None and is_of_patterns(around):
        return is_type_of_patterns(node, cast, around)
    listed = None
    if around is not None and _comparison(around) is not None:
        listed = bound_list(around) or written_list(around)
    return listed is not None and listed.item is not None and listed.item.this is not DType.ARRAY


def without_braces(tree: Node) -> bool:
    """Changes comparisons with lists as PostgreSQL writes them into x IN and NOT x IN. Says whether there was one.

    >>> after(without_braces, "SELECT a = ANY('{x,y}') AS b, c <> ALL('{1}'::INT[]) AS d FROM t")
    SELECT a IN ('x', 'y') AS b, (NOT c IN (CAST('1' AS INT))) AS d FROM t
    """
    found = [(n, w) for n in all_of(tree, *COMPARISONS) if (w := written_list(n.expression)) is not None]
    keep_names(node for node, _ in found)
    listed = [(node, values_of(written)) for node, written in found]
    check_listed(sum(parts_of(node, values) for node, values in listed))
    room = Room()
    for node, values in reversed(listed):
        node.replace(with_each(node, values, room))
    return bool(found)


def without_quantifiers(tree: Node) -> None:
    """Changes x = ANY (...) and SOME into x IN (...), x <> ALL (...) into NOT x IN (...), others into what they are.

    Other comparisons with a query stay, for released results alone.

    >>> after(without_quantifiers, "SELECT a = ANY (SELECT b FROM t), a <> ALL([1]), a > ALL([1, 2]), a <> ANY([3, 4])")
    SELECT a IN (SELECT b FROM t), (NOT a IN (1)), (a > 1 AND a > 2), (a <> 3 OR a <> 4)
    """
    found = [n for n in all_of(tree, *COMPARISONS) if _comparison(n.expression) and _fits(n.expression)]
    spread = [(n, _members(n.expression)) for n in found if not _is_membership(n.expression)]
    check_listed(sum(parts_of(n, of.expressions) for n, of in spread if isinstance(of, exp.Array)))
    room = Room()
    for node in reversed(found):
        inside = _members(node.expression)
        if inside is None:
            continue
        if not _is_membership(node.expression):
            if isinstance(inside, exp.Array):
                node.replace(with_each(node, inside.expressions, room))
            else:
                node.set("expression", _quantified(node.expression, inside))
            continue
        this = node.this if isinstance(node.this, exp.Column | exp.Tuple) else exp.Paren(this=node.this)
        is_list = isinstance(inside, exp.Array)
        within = exp.In(this=this, **({"expressions": inside.expressions} if is_list else {"query": inside}))
        node.replace(within if isinstance(node, exp.EQ) else exp.Paren(this=exp.Not(this=within)))


def _quantified(quantifier: Node, query: Node) -> Node:
    """ANY or ALL of a query, as sqlglot writes it: SOME is ANY."""
    made = (exp.Any if _comparison(quantifier) is exp.EQ else exp.All)(this=query)
    made.meta.update(quantifier.meta)
    return made


def _fits(node: Node) -> bool:
    """Whether a quantifier stands behind the comparison that makes it IN or NOT IN, or a list behind another."""
    if _comparison(node) is None or node.arg_key != "expression":
        return False
    compared = node.parent
    if _is_membership(node):
        return True
    is_given = _is_list(node) or isinstance(_inside(node), exp.Query)
    return isinstance(compared, COMPARISONS) and not isinstance(compared.this, exp.Tuple) and is_given


def _is_membership(quantifier: Node) -> bool:
    """Whether a comparison with a quantifier is IN or NOT IN."""
    return type(quantifier.parent) is _comparison(quantifier)


def _is_list(quantifier: Node) -> bool:
    inside = _inside(quantifier)
    if isinstance(inside, exp.Cast) and inside.to.this is DType.ARRAY:
        inside = _bare(inside.this)
    return isinstance(inside, exp.Array | exp.Placeholder) or (
        isinstance(inside, exp.Literal) and inside.is_string
    )


def parts_of(compared: Node, values: list[Node]) -> int:
    """How many values and parts of what is compared with them are written for a comparison."""
    if _is_membership(compared.expression):
        return len(values)
    return len(values) * sum(1 for _ in compared.this.walk())


def with_each(compared: Node, values: list[Node], room: Room) -> Node:
    """A comparison with these values: as IN, or with each of them."""
    room.take(parts_of(compared, values), compared, "a comparison with each of a list")
    if _is_membership(compared.expression):
        return within(compared, values)
    is_any = _comparison(compared.expression) is exp.EQ
    if not values:
        return exp.Paren(this=exp.Boolean(this=not is_any))
    each = [type(compared)(this=_operand(compared.this), expression=_operand(value)) for value in values]
    return exp.Paren(this=reduce(lambda a, b: (exp.Or if is_any else exp.And)(this=a, expression=b), each))


def _operand(node: Node) -> Node:
    is_plain = isinstance(node, exp.Column | exp.Literal | exp.Cast | exp.Paren | exp.Func)
    return node.copy() if is_plain else exp.Paren(this=node.copy())


def _comparison(node: Node) -> type[Node] | None:
    """What ANY, SOME and ALL have to stand behind; None for what is no quantifier."""
    if isinstance(node, exp.Any):
        return exp.EQ
    if isinstance(node, exp.All):
        return exp.NEQ
    is_call = isinstance(node, exp.Anonymous) and len(node.expressions) == 1
    return _CALLS.get(str(node.this).upper()) if is_call else None


def _members(quantifier: Node) -> exp.Array | exp.Subquery | None:
    """The query or the list behind a quantifier."""
    inner = _inside(quantifier)
    if isinstance(inner, exp.Select | exp.SetOperation):
        return exp.Subquery(this=inner)
    return inner if isinstance(inner, exp.Array | exp.Subquery) else None


def _inside(quantifier: Node) -> Node:
    return _bare(quantifier.expressions[0] if isinstance(quantifier, exp.Anonymous) else quantifier.this)


def _bare(inner: Node) -> Node:
    while isinstance(inner, exp.Paren) or (
        isinstance(inner, exp.Subquery) and isinstance(inner.this, exp.Subquery)
    ):
        inner = inner.this
    return inner
