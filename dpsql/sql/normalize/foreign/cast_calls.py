"""Casts that other databases write as functions, and what they have for numbers, texts and quantiles."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of, is_number
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import Kind, filled, spelled

_WIDEST: Final = 38


def _size(node: Node) -> str | None:
    """A number of digits of a DECIMAL."""
    fits = is_number(node) and node.name.isdigit() and int(node.name) <= _WIDEST
    return node.name if fits else None


def _one_of(*numbers: str) -> Kind:
    def kind(node: Node) -> Node | None:
        sign, number = ("-", node.this) if isinstance(node, exp.Neg) else ("", node)
        return node if is_number(number) and f"{sign}{number.name}" in numbers else None

    return kind


def _field(args: list[Node]) -> Node | None:
    """FIELD(x, 'a', 'b'), the place of x among the others, or 0."""
    if len(args) < 2:
        return None
    subject, *values = args
    branches = [
        exp.If(this=filled("x = a", {"x": subject, "a": value}), true=exp.Literal.number(at))
        for at, value in enumerate(values, 1)
    ]
    return exp.Case(ifs=branches, default=exp.Literal.number(0))


def _tried(args: list[Node]) -> Node | None:
    """TRY(x), as Trino has it: a cast in it gives NULL where it fails, and nothing else does fail."""
    if len(args) != 1:
        return None
    tried = exp.Paren(this=args[0].copy())
    for cast in reversed(all_of(tried, exp.Cast)):
        if type(cast) is exp.Cast:
            cast.replace(exp.TryCast(this=cast.this, to=cast.to))
    return tried


_KINDS: Final = MappingProxyType[str, Kind](
    {
        "precision": _size,
        "scale": _size,
        "zero": _one_of("0"),
        "end": _one_of("1", "-1"),
        "accuracy": lambda node: node if is_number(node) else None,
        "number": lambda node: None if node.is_string else node,
    }
)
_spelled = partial(spelled, kinds=_KINDS)
CASTS: Final = MappingProxyType(
    {
        **_spelled("STRING", "CAST(x AS VARCHAR)", "x -> CAST(x AS VARCHAR)"),
        **_spelled("INT INTEGER", "CAST(TRUNC(x) AS INTEGER)", "x -> CAST(TRUNC(CAST(x AS DOUBLE)) AS INTEGER)"),
        **_spelled("BIGINT SMALLINT", "CAST(TRUNC(x) AS BIGINT)", "x -> CAST(TRUNC(x) AS BIGINT)"),
        **_spelled("FLOAT DOUBLE TO_DOUBLE", "CAST(x AS DOUBLE)", "x -> CAST(x AS DOUBLE)"),
        **_spelled("BOOLEAN TO_BOOLEAN", "CAST(x AS BOOLEAN)", "x -> CAST(x AS BOOLEAN)"),
        **_spelled(
            "TO_NUMBER TO_DECIMAL TO_NUMERIC", "CAST(x AS DECIMAL(18, 2))", "x -> CAST(x AS DECIMAL(38, 0))",
            "x, precision -> CAST(x AS DECIMAL({precision}, 0))",
            "x, precision, scale -> CAST(x AS DECIMAL({precision}, {scale}))",
        ),
        **_spelled(
            "TRY_TO_NUMBER TRY_TO_DECIMAL TRY_TO_NUMERIC", "TRY_CAST(x AS DOUBLE)", "x -> TRY_CAST(x AS BIGINT)"
        ),
        **_spelled("TRY", "TRY_CAST(x AS DOUBLE)", _tried),
        **_spelled("TRY_TO_DOUBLE", "TRY_CAST(x AS DOUBLE)", "x -> TRY_CAST(x AS DOUBLE)"),
        **_spelled("TRUNCATE", "TRUNC(x)", "x -> TRUNC(x)", "x, zero -> TRUNC(x)", "x, n -> TRUNC(x, n)"),
        **_spelled("FIELD", "CASE x WHEN 'a' THEN 1 ELSE 0 END", _field),
        **_spelled("SUBSTRING_INDEX", "SPLIT_PART(x, ',', 1)", "x, separator, end -> SPLIT_PART(x, separator, end)"),
        **_spelled("PERCENTILE", "QUANTILE_CONT(x, 0.5)", "x, q -> QUANTILE_CONT(x, q)"),
        **_spelled(
            "APPROX_PERCENTILE PERCENTILE_APPROX", "APPROX_QUANTILE(x, 0.5)", "x, q -> APPROX_QUANTILE(x, q)",
            "x, q, accuracy -> APPROX_QUANTILE(x, q)",
        ),
    }
)  # fmt: skip
"""By the name of a function in capitals, how it is read."""
