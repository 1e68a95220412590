"""Functions that other databases have and DuckDB has not, as DuckDB writes them.

Each call is read as a plain call first, so that the tree is known to hold what the text says, and is changed then. What
would mean something else in DuckDB, such as weeks that begin on Sunday, is refused with what to write instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.builders import case, conditional, grouped, named, number
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize import dialect_dates as dates
from dpsql.sql.normalize.output_names import keep_names

MOST_COPIED = 30_000
"""About how many nodes may be written for the calls of one query: an argument of some stands there several times."""

# From the arguments to what is written for the call; None where DuckDB has nothing of the same meaning.
Build = Callable[[list[Node]], Node | None]


def without_foreign(tree: Node) -> bool:
    """Changes calls of other databases' functions into DuckDB's. Says whether there was one. Raises QueryRefused."""
    calls = [c for c in all_of(tree, exp.Anonymous) if _is_foreign(c)]
    distinct = [
        d for d in all_of(tree, exp.Distinct) if isinstance(d.parent, exp.Count) and d.expressions[1:]
    ]
    for values in distinct:
        values.set("expressions", [exp.Tuple(expressions=list(values.expressions))])
    keep_names((*calls, *distinct))
    room = MOST_COPIED
    for call in reversed(calls):  # the inner ones first: an outer one may copy what they become
        room -= _written(call)
        if room < 0:
            raise refuse_node(
                call,
                f"{call.meta.get('written')} makes the query too large when it is written out",
                "Compute its argument in a subquery first.",
            )
        _replace(call)
    for values in distinct:
        _one_row(values)
    return bool(calls or distinct)


def _one_row(values: exp.Distinct) -> None:
    """COUNT(DISTINCT a, b) counts rows of values none of which is NULL."""
    call = values.parent
    assert call is not None
    (row,) = values.expressions
    known = [exp.Not(this=exp.Is(this=grouped(v.copy()), expression=exp.Null())) for v in row.expressions]
    around = call.parent
    if isinstance(around, exp.Filter):
        where = around.expression
        where.set("this", exp.and_(exp.Paren(this=where.this), *known, copy=False))
        return
    filtered = exp.Filter()
    call.replace(filtered)
    filtered.set("this", call)
    filtered.set("expression", exp.Where(this=exp.and_(*known, copy=False)))


def _written(call: Node) -> int:
    """At least the nodes that are written for a call: DECODE has its subject in each branch, others at most thrice."""
    args = call.expressions
    return 3 * _nodes(call) + (_nodes(args[0]) * len(args) if args else 0)


def _nodes(node: Node) -> int:
    return sum(1 for _ in node.walk())


def _is_foreign(call: Node) -> bool:
    name = str(call.this).upper()
    return name in FOREIGN and not _duckdb_has(name, call.expressions)


def _duckdb_has(name: str, args: list[Node]) -> bool:
    """Whether DuckDB reads the call as well, and means what it says."""
    if name in dates.READ_BY_UNIT and args and isinstance(args[0], exp.Placeholder):
        return True  # its unit is a parameter
    if name in ("DATE_PART", "DATEPART"):
        return not args or dates.unit_word(args[0]) is None
    return (name == "DATE_SUB" and len(args) == 3) or (name == "DECODE" and len(args) == 1)


def _replace(call: Node) -> None:
    build, example = FOREIGN[str(call.this).upper()]
    written, meta = str(call.meta.get("written")), dict(call.meta)
    found = build(list(call.expressions))
    if found is None:
        raise refuse_node(call, f"this form of {written} is not supported", f"Write {example}.")
    found.meta.update({k: v for k, v in meta.items() if k not in found.meta})
    call.replace(found)


def _coalesce(args: list[Node]) -> Node | None:
    return named(exp.Coalesce(this=args[0], expressions=args[1:]), "COALESCE") if len(args) > 1 else None


def _is_null(args: list[Node]) -> Node | None:
    if len(args) == 1:
        return exp.Paren(this=exp.Is(this=grouped(args[0]), expression=exp.Null()))
    return _coalesce(args) if len(args) == 2 else None


def _with(constant: str) -> Build:
    return lambda args: _coalesce([*args, number(constant)]) if len(args) == 1 else None


def _quotient(args: list[Node]) -> Node:
    """x / y, NULL for y = 0."""
    below = named(exp.Nullif(this=args[1], expression=number("0")), "NULLIF")
    return exp.Paren(this=exp.Div(this=grouped(args[0]), expression=below, typed=False, safe=False))


def _divided(args: list[Node]) -> Node | None:
    return _quotient(args) if len(args) == 2 else None


def _zero_for_zero(also_null: bool) -> Build:
    def build(args: list[Node]) -> Node | None:
        if len(args) != 2:
            return None
        divisor = grouped(args[1])
        zero: Node = exp.EQ(this=divisor.copy(), expression=number("0"))
        if also_null:
            zero = exp.Or(this=zero, expression=exp.Is(this=divisor.copy(), expression=exp.Null()))
        return case([(zero, number("0"))], _quotient(args))

    return build


def _decoded(args: list[Node]) -> Node | None:
    """DECODE(x, a, b, ..., otherwise), for which NULL is equal to NULL."""
    if len(args) < 3:
        return None
    subject, pairs = grouped(args[0]), args[1:]
    default = pairs.pop() if len(pairs) % 2 else None
    branches = [
        (exp.NullSafeEQ(this=subject.copy(), expression=grouped(when)), then)
        for when, then in zip(pairs[::2], pairs[1::2], strict=True)
    ]
    return case(branches, default)


def _if(args: list[Node]) -> Node | None:
    return conditional(*args) if len(args) == 3 else None


def _if_known(args: list[Node]) -> Node | None:
    if len(args) != 3:
        return None
    missing = exp.Is(this=grouped(args[0]), expression=exp.Null())
    return conditional(missing, args[2], args[1])


def _renamed(kind: type[Node], name: str) -> Build:
    return lambda args: named(kind(this=args[0]), name) if len(args) == 1 else None


def _distinct(args: list[Node]) -> Node | None:
    return named(exp.ApproxDistinct(this=args[0]), "APPROX_COUNT_DISTINCT") if len(args) == 1 else None


def _quantile(args: list[Node]) -> Node | None:
    if len(args) != 2:
        return None
    return named(exp.ApproxQuantile(this=args[0], quantile=args[1]), "APPROX_QUANTILE")


def _matches(args: list[Node]) -> Node | None:
    return (
        named(exp.RegexpLike(this=args[0], expression=args[1]), "REGEXP_MATCHES") if len(args) == 2 else None
    )


def _found(args: list[Node]) -> Node | None:
    """CHARINDEX and LOCATE name first what is searched for."""
    return named(exp.StrPosition(this=args[1], substr=args[0]), "STRPOS") if len(args) == 2 else None


def _part_of_text(args: list[Node]) -> Node | None:
    if len(args) != 3:
        return None
    return named(exp.Substring(this=args[0], start=args[1], length=args[2]), "SUBSTRING")


def _bucket(args: list[Node]) -> Node | None:
    """WIDTH_BUCKET(x, lo, hi, n) of constants: 0 below lo, n + 1 from hi on."""
    if len(args) != 4 or not all(isinstance(a, exp.Literal) and not a.is_string for a in args[2:]):
        return None
    value, (lo, hi, count) = grouped(args[0]), args[1:]
    low = -float(lo.this.this) if isinstance(lo, exp.Neg) else float(lo.this) if _is_number(lo) else None
    if low is None or low >= float(hi.this) or not count.this.isdigit() or int(count.this) < 1:
        return None
    width = exp.Paren(this=exp.Sub(this=hi.copy(), expression=grouped(lo.copy())))
    above = exp.Paren(this=exp.Sub(this=value.copy(), expression=grouped(lo.copy())))
    share = exp.Div(
        this=exp.Mul(this=above, expression=count.copy()), expression=width, typed=False, safe=False
    )
    whole = exp.cast(named(exp.Floor(this=share), "FLOOR"), "BIGINT", dialect="duckdb")
    place = exp.Add(this=whole, expression=number("1"))
    below = exp.LT(this=value.copy(), expression=grouped(lo.copy()))
    beyond = exp.GTE(this=value.copy(), expression=hi.copy())
    return case([(below, number("0")), (beyond, number(str(int(count.this) + 1)))], place)


def _is_number(node: Node) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string


_NULLS: Final = "COALESCE(x, y)"
FOREIGN: Final[Mapping[str, tuple[Build, str]]] = MappingProxyType(
    {
        **dict.fromkeys(("IIF", "IFF"), (_if, "IF(condition, x, y)")),
        "NVL": (_coalesce, _NULLS),
        "NVL2": (_if_known, "CASE WHEN x IS NULL THEN z ELSE y END"),
        "ISNULL": (_is_null, _NULLS),
        "ZEROIFNULL": (_with("0"), "COALESCE(x, 0)"),
        "DIV0": (_zero_for_zero(also_null=False), "x / NULLIF(y, 0)"),
        "DIV0NULL": (_zero_for_zero(also_null=True), "x / NULLIF(y, 0)"),
        **dict.fromkeys(("SAFE_DIVIDE", "TRY_DIVIDE"), (_divided, "x / NULLIF(y, 0)")),
        "DECODE": (_decoded, "CASE x WHEN a THEN b ELSE c END"),
        "WIDTH_BUCKET": (_bucket, "WIDTH_BUCKET(x, 0, 100, 10) with constants"),
        **dict.fromkeys(("STDEV",), (_renamed(exp.StddevSamp, "STDDEV_SAMP"), "STDDEV(x)")),
        **dict.fromkeys(("STDEVP", "STD"), (_renamed(exp.StddevPop, "STDDEV_POP"), "STDDEV_POP(x)")),
        "VAR": (_renamed(exp.Variance, "VAR_SAMP"), "VAR_SAMP(x)"),
        "VARP": (_renamed(exp.VariancePop, "VAR_POP"), "VAR_POP(x)"),
        **dict.fromkeys(
            ("LOGICAL_OR", "BOOLOR_AGG"), (_renamed(exp.LogicalOr, "BOOL_OR"), "BOOL_OR(condition)")
        ),
        **dict.fromkeys(
            ("LOGICAL_AND", "BOOLAND_AGG", "EVERY"),
            (_renamed(exp.LogicalAnd, "BOOL_AND"), "BOOL_AND(condition)"),
        ),
        **dict.fromkeys(("APPROX_DISTINCT", "NDV"), (_distinct, "APPROX_COUNT_DISTINCT(x)")),
        **dict.fromkeys(
            ("APPROX_PERCENTILE", "PERCENTILE_APPROX"), (_quantile, "APPROX_QUANTILE(x, 0.5)")
        ),
        **dict.fromkeys(
            ("REGEXP_LIKE", "REGEXP_CONTAINS"), (_matches, "REGEXP_MATCHES(x, 'pattern')")
        ),
        **dict.fromkeys(("CHARINDEX", "LOCATE"), (_found, "STRPOS(text, part)")),
        "MID": (_part_of_text, "SUBSTRING(x, start, length)"),
        **dates.FOREIGN,
    }
)  # fmt: skip
"""By the name of a function in capitals, what is written for it and what an analyst may write instead."""
