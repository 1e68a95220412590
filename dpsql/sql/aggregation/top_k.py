"""ORDER BY an aggregate with LIMIT: the groups that a private selection could choose, without a released histogram.

What cannot stand in an aggregating SELECT over private rows is refused here, from its text alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from dpsql.algebra.question import SCORES, Measure, Top
from dpsql.errors import QueryRefused
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.literals import whole
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import shallow
from dpsql.sql.dialect import DType, Node

MOST_CHOSEN = 100
"""The most groups of one selection; more of them are released and sorted."""
_NUMBERS = frozenset(
    {
        DType.TINYINT, DType.SMALLINT, DType.INT, DType.BIGINT, DType.INT128, DType.FLOAT, DType.DOUBLE,
        DType.DECIMAL,
    }
)  # fmt: skip
# A score and whether an expression rises with it; it falls otherwise.
_Score = tuple[Node, bool]


def top_groups(
    node: exp.Select, names: Mapping[str, Node], measured: Callable[[Node], Measure]
) -> Top | None:
    """The best groups that a SELECT asks for: ORDER BY one score, then maybe keys, and a constant LIMIT.

    `names` are those of the SELECT list, and `measured` binds an aggregate call. None where all groups are needed, as
    for HAVING and window functions, for OFFSET beside values, or where the score is of no bounded kind: those are
    released and sorted. Raises QueryRefused for OFFSET where only groups are asked for: a choice has no place to skip.
    """
    order, count = node.args.get("order"), _count(node.args.get("limit"))
    if order is None or count is None or not _is_plain(node):
        return None
    if count > (MOST_CHOSEN if node.args.get("distinct") is None else 1):
        return None
    first, *others = (_meant(o.this, node, names) for o in order.expressions)
    scored = _score(first)
    if scored is None or any(is_aggregate(n) for o in others for n in shallow(o)):
        return None
    score = measured(scored[0])
    if score.aggregate not in SCORES or score.other is not None:
        return None
    if _skips(node):
        _check_values(node)
        return None
    return Top(score, bool(order.expressions[0].args.get("desc")) is scored[1], count)


def _count(limit: Node | None) -> int | None:
    """The number of a LIMIT or FETCH that is written as one."""
    if limit is None or limit.args.get("limit_options"):
        return None
    count = limit.expression if isinstance(limit, exp.Limit) else limit.args.get("count")
    number = whole(count.this) if isinstance(count, exp.Literal) and not count.is_string else None
    return number if number is not None and number > 0 else None


def _skips(node: exp.Select) -> bool:
    offset = node.args.get("offset")
    return offset is not None and _sign(offset.expression) != 0


def _check_values(node: exp.Select) -> None:
    """Raises QueryRefused for OFFSET in a SELECT of groups without a value that could be released and sorted."""
    if not any(is_aggregate(n) for item in node.expressions for n in item.walk()):
        raise QueryRefused(
            "OFFSET is not supported where the groups are chosen privately, without their values",
            hint="Select the aggregate of ORDER BY as well: all groups are then released and sorted.",
            place=place_of(node.args["offset"]),
        )


def _is_plain(node: exp.Select) -> bool:
    """Whether nothing of a SELECT but an OFFSET looks at other groups than those in its answer."""
    if any(node.args.get(c) is not None for c in ("having", "qualify", "windows")):
        return False
    written = [*node.expressions, *node.args["order"].expressions]
    return not any(item.find(exp.Window, exp.Query) for item in written)


def _meant(node: Node, select: exp.Select, names: Mapping[str, Node]) -> Node:
    """What an expression of ORDER BY stands for: an item of the SELECT list by its place or name, or itself."""
    if isinstance(node, exp.Literal) and not node.is_string:
        at = whole(node.this) or 0
        return select.expressions[at - 1].unalias() if 1 <= at <= len(select.expressions) else node
    if isinstance(node, exp.Column) and not node.table:
        return names.get(node.name.lower(), node)
    return node


def _score(node: Node) -> _Score | None:
    """The one aggregate that an expression rises or falls with."""
    call = node.this if isinstance(node, exp.Filter) else node
    if is_aggregate(call):
        return node, True
    if isinstance(node, exp.Paren | exp.Round | exp.Floor | exp.Ceil):
        others = [v for k, v in node.args.items() if k != "this" and isinstance(v, Node)]
        return _score(node.this) if all(_sign(o) is not None for o in others) else None
    if isinstance(node, exp.Cast | exp.TryCast):
        return _score(node.this) if node.args["to"].this in _NUMBERS else None
    if isinstance(node, exp.Coalesce):
        return _score(node.this) if [_sign(e) for e in node.expressions] == [0] else None
    if isinstance(node, exp.Neg):
        return _turned(_score(node.this), -1)
    return _combined(node)


def _combined(node: Node) -> _Score | None:
    """A sum, difference, product or quotient with a constant."""
    if not isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div | exp.IntDiv):
        return None
    left, right = _sign(node.this), _sign(node.expression)
    if right is not None:
        sign = 1 if isinstance(node, exp.Add | exp.Sub) else right
        return _turned(_score(node.this), sign)
    if left is None or isinstance(node, exp.Div | exp.IntDiv):
        return None
    sign = {exp.Add: 1, exp.Sub: -1}.get(type(node), left)
    return _turned(_score(node.expression), sign)


def _turned(score: _Score | None, sign: int) -> _Score | None:
    """A score in the direction of a factor; a factor of 0 leaves nothing of it."""
    if score is None or sign == 0:
        return None
    return score[0], score[1] is (sign > 0)


def _sign(node: Node) -> int | None:
    """The sign of a constant; its value may be too long to be looked at."""
    if isinstance(node, exp.Paren):
        return _sign(node.this)
    if isinstance(node, exp.Neg):
        inner = _sign(node.this)
        return None if inner is None else -inner
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    return int(any(digit in "123456789" for digit in node.this.lower().partition("e")[0]))


def check_stars(node: exp.Select) -> None:
    """Refuses stars in the SELECT list. Raises QueryRefused at the star."""
    for item in node.expressions:
        if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
            raise QueryRefused(
                "a star cannot stand in an aggregating SELECT over private rows",
                place=place_of(item),
                hint="Name the columns to group by.",
            )


def check_qualify(node: exp.Select, has_keys: bool) -> None:
    """Refuses QUALIFY where there is always one row. Raises QueryRefused."""
    qualify = node.args.get("qualify")
    if qualify is not None and not has_keys:
        raise QueryRefused(
            "QUALIFY needs groups: without GROUP BY there is always exactly one row",
            place=place_of(qualify),
            hint="Add GROUP BY, or leave QUALIFY out.",
        )
