"""Functions that other databases have and DuckDB has not, as DuckDB writes them.

Each call is read as a plain call first, so that the tree is known to hold what the text says, and is changed then. What
would mean something else in DuckDB, such as weeks that begin on Sunday, is refused with what to write instead.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, every, is_number
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.foreign import dialect_dates as dates
from dpsql.sql.normalize.foreign.cast_calls import CASTS
from dpsql.sql.normalize.foreign.clickhouse import CLICKHOUSE
from dpsql.sql.normalize.foreign.cut_patterns import cut_by_place
from dpsql.sql.normalize.foreign.date_parts import is_foreign_part
from dpsql.sql.normalize.foreign.date_units import is_of_sundays, part_word
from dpsql.sql.normalize.foreign.listed_values import LISTS, is_of_constants
from dpsql.sql.normalize.foreign.months_and_weekdays import COUNTED
from dpsql.sql.normalize.templates import Room, filled, spelled


def without_foreign(tree: Node) -> bool:
    """Changes calls of other databases' functions into DuckDB's. Says whether there was one. Raises QueryRefused.

    >>> after(without_foreign, "SELECT NVL(a, 0), DATEADD(day, -7, d) AS x FROM t")
    SELECT COALESCE(a, 0) AS "nvl(a, 0)", (d - INTERVAL '7' DAY) AS x FROM t
    """
    calls = [c for c in all_of(tree, exp.Anonymous) if _is_foreign(c)]
    keep_names(calls)
    room = Room()
    for call in reversed(calls):  # the inner ones first: an outer one may copy what they become
        room.take(_written(call), call, str(call.meta.get("written")))
        _replace(call)
    return bool(calls)


def count_rows(tree: Node) -> bool:
    """Changes COUNT(DISTINCT a, b), which counts rows of values none of which is NULL. Says whether there was one.

    >>> after(count_rows, "SELECT COUNT(DISTINCT a, b) AS n FROM t")
    SELECT COUNT(DISTINCT (a, b)) FILTER(WHERE NOT a IS NULL AND NOT b IS NULL) AS n FROM t
    """
    counts = [
        c for c in all_of(tree, exp.Count) if isinstance(c.this, exp.Distinct) and c.this.expressions[1:]
    ]
    for call in counts:
        call.this.set("expressions", [exp.Tuple(expressions=call.this.expressions)])
    keep_names(counts)
    for call in counts:
        (row,) = call.this.expressions
        present = [filled("NOT x IS NULL", {"x": value}) for value in row.expressions]
        around = call.parent
        if isinstance(around, exp.Filter):
            where = around.expression
            where.set("this", exp.and_(exp.Paren(this=where.this), *present, copy=False))
            continue
        filtered = exp.Filter()
        call.replace(filtered)
        filtered.set("this", call)
        filtered.set("expression", exp.Where(this=exp.and_(*present, copy=False)))
    return bool(counts)


def _written(call: Node) -> int:
    """About the nodes that are written for a call: DECODE and WIDTH_BUCKET have their subject in each branch."""
    args = call.expressions
    branches = len(args[1].expressions) if args[1:] and isinstance(args[1], exp.Array) else len(args)
    return 3 * len(every(call)) + (len(every(args[0])) * branches if args else 0)


def _is_foreign(call: Node) -> bool:
    name = str(call.this).upper()
    return name in FOREIGN and not _duckdb_has(name, call.expressions)


def _duckdb_has(name: str, args: list[Node]) -> bool:
    """Whether DuckDB reads the call as well, and means what it says."""
    if name in dates.READ_BY_ARGUMENTS and args and isinstance(args[0], exp.Placeholder):
        return True  # its unit is a parameter
    if name in LISTS:
        return not is_of_constants(args)
    if name == "FORMAT":
        return bool(args) and args[0].is_string and "{" in args[0].name
    if name in dates.FEWER_ARGUMENTS:
        return len(args) <= dates.FEWER_ARGUMENTS[name]
    if name == "TRUNC":
        return not (args[1:] and args[1].is_string)
    if name in ("DATE_PART", "DATEPART"):
        return not args or not (part_word(args[0]) or is_of_sundays(args[0]) or is_foreign_part(args[0]))
    return (name == "DATE_SUB" and len(args) == 3) or (name == "DECODE" and len(args) == 1)


def _replace(call: Node) -> None:
    spelling = FOREIGN[str(call.this).upper()]
    replaced = spelling.read(list(call.expressions))
    if replaced is None:
        written = call.meta.get("written")
        raise refuse_node(call, f"this form of {written} is not supported", f"Write {spelling.instead}.")
    replaced.meta.update({k: v for k, v in call.meta.items() if k not in replaced.meta})
    call.replace(replaced)


def _coalesced(args: list[Node]) -> Node | None:
    """NVL(x, y, ...)."""
    names = [f"x{i}" for i in range(len(args))]
    return filled(f"COALESCE({', '.join(names)})", dict(zip(names, args, strict=True))) if args[1:] else None


def _decoded(args: list[Node]) -> Node | None:
    """DECODE(x, a, b, ..., otherwise), for which NULL is equal to NULL."""
    if len(args) < 3:
        return None
    subject, pairs = args[0], args[1:]
    default = pairs.pop() if len(pairs) % 2 else None
    branches = [
        exp.If(this=filled("x IS NOT DISTINCT FROM a", {"x": subject, "a": when}), true=then)
        for when, then in zip(pairs[::2], pairs[1::2], strict=True)
    ]
    return exp.Case(ifs=branches, default=default)


def _bucket(args: list[Node]) -> Node | None:
    """WIDTH_BUCKET(x, low, high, n) of constants: 0 below `low`, n + 1 from `high` on."""
    if len(args) == 2 and isinstance(args[1], exp.Array):
        return _bucket_between(args[0], args[1].expressions)
    if len(args) != 4 or not all(map(is_number, args[2:])):
        return None
    x, low, high, n = args
    least = -float(low.this.name) if isinstance(low, exp.Neg) else float(low.name) if is_number(low) else None
    if least is None or least >= float(high.name) or not n.name.isdigit() or int(n.name) < 1:
        return None
    return filled(
        "CASE WHEN x < low THEN 0 WHEN x >= high THEN above "
        "ELSE CAST(FLOOR((x - low) * n / (high - low)) AS BIGINT) + 1 END",
        {"x": x, "low": low, "high": high, "n": n, "above": exp.Literal.number(int(n.name) + 1)},
    )


def _bucket_between(value: Node, ends: list[Node]) -> Node | None:
    """WIDTH_BUCKET(x, ARRAY[0, 10, 50]), the number of these that x is not below."""
    if not ends or not all(map(is_number, ends)):
        return None
    numbers = [float(end.name) for end in ends]
    if numbers != sorted(set(numbers)):
        return None
    branches = [
        exp.If(this=filled("x < end", {"x": value, "end": end}), true=exp.Literal.number(at))
        for at, end in enumerate(ends)
    ]
    last = exp.If(this=filled("x >= end", {"x": value, "end": ends[-1]}), true=exp.Literal.number(len(ends)))
    return exp.Case(ifs=[*branches, last])


_COALESCE: Final = "COALESCE(x, y)"
_DIVIDE: Final = "x / NULLIF(y, 0)"
FOREIGN: Final = MappingProxyType(
    {
        **spelled("IIF IFF", "IF(condition, x, y)", "c, x, y -> CASE WHEN c THEN x ELSE y END"),
        **spelled("NVL", _COALESCE, _coalesced),
        **spelled("NVL2", "CASE WHEN x IS NULL THEN z ELSE y END", "x, y, z -> CASE WHEN x IS NULL THEN z ELSE y END"),
        **spelled("ISNULL", _COALESCE, "x -> (x IS NULL)", "x, y -> COALESCE(x, y)"),
        **spelled("ZEROIFNULL", "COALESCE(x, 0)", "x -> COALESCE(x, 0)"),
        **spelled("DIV0", _DIVIDE, "x, y -> CASE WHEN y = 0 THEN 0 ELSE (x / NULLIF(y, 0)) END"),
        **spelled("DIV0NULL", _DIVIDE, "x, y -> CASE WHEN y = 0 OR y IS NULL THEN 0 ELSE (x / NULLIF(y, 0)) END"),
        **spelled("SAFE_DIVIDE TRY_DIVIDE", _DIVIDE, "x, y -> (x / NULLIF(y, 0))"),
        **spelled("DECODE", "CASE x WHEN a THEN b ELSE c END", _decoded),
        **spelled("WIDTH_BUCKET", "WIDTH_BUCKET(x, 0, 100, 10) or (x, ARRAY[0, 10, 50]) with constants", _bucket),
        **spelled("STDEV", "STDDEV(x)", "x -> STDDEV_SAMP(x)"),
        **spelled("STDEVP STD", "STDDEV_POP(x)", "x -> STDDEV_POP(x)"),
        **spelled("VAR", "VAR_SAMP(x)", "x -> VAR_SAMP(x)"),
        **spelled("VARP", "VAR_POP(x)", "x -> VAR_POP(x)"),
        **spelled("LOGICAL_OR BOOLOR_AGG", "BOOL_OR(condition)", "x -> BOOL_OR(x)"),
        **spelled("LOGICAL_AND BOOLAND_AGG EVERY", "BOOL_AND(condition)", "x -> BOOL_AND(x)"),
        **spelled("APPROX_DISTINCT NDV", "APPROX_COUNT_DISTINCT(x)", "x -> APPROX_COUNT_DISTINCT(x)"),
        **spelled("REGEXP_LIKE REGEXP_CONTAINS", "REGEXP_MATCHES(x, 'pattern')", "x, p -> REGEXP_MATCHES(x, p)"),
        **spelled("REGEXP_SUBSTR", "REGEXP_EXTRACT(x, 'pattern')", cut_by_place),
        **spelled("CHARINDEX LOCATE", "STRPOS(text, part)", "part, x -> STRPOS(x, part)"),
        **spelled("MID", "SUBSTRING(x, start, length)", "x, a, n -> SUBSTRING(x, a, n)"),
        **spelled("EQUAL_NULL", "x IS NOT DISTINCT FROM y", "x, y -> (x IS NOT DISTINCT FROM y)"),
        **spelled("NULLIFZERO", "NULLIF(x, 0)", "x -> NULLIF(x, 0)"),
        **spelled("SQUARE", "POWER(x, 2)", "x -> POWER(x, 2)"),
        **spelled("STARTSWITH", "STARTS_WITH(x, y)", "x, y -> STARTS_WITH(x, y)"),
        **spelled("BTRIM", "TRIM(x)", "x -> TRIM(x)", "x, y -> TRIM(x, y)"),
        **spelled("ENDSWITH", "ENDS_WITH(x, y)", "x, y -> ENDS_WITH(x, y)"),
        **spelled("HLL", "APPROX_COUNT_DISTINCT(x)", "x -> APPROX_COUNT_DISTINCT(x)"),
        **spelled("APPROX_QUANTILES", "APPROX_QUANTILE(x, 0.9)"),
        **CASTS,
        **COUNTED,
        **LISTS,
        **dates.FOREIGN,
        **CLICKHOUSE,
    }
)  # fmt: skip
"""By the name of a function in capitals, how it is read."""
