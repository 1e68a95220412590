"""How expressions are written. What stands here is part of stored keys: names change in the code, never here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from dpsql.algebra.encoding.encoder import Encoding, Form, Forms, Members
from dpsql.algebra.expressions import Call, Column, Duration, Expr, Literal, ScalarParameter
from dpsql.algebra.types import SqlType

EXPRESSIONS: Final[Forms] = MappingProxyType(
    {
        Column: Form("Column", ("scan", "name", "type"), unwritten=("_hash",)),
        Literal: Form("Literal", ("value", "type")),
        Duration: Form("Duration", ("months", "days", "micros")),
        ScalarParameter: Form("Hole", ("question", "measure", "type", "lo", "hi")),
        Call: Form("Call", ("op", "args", "type"), unwritten=("size", "depth", "_hash")),
        SqlType: Members(
            "SqlType",
            {
                SqlType.BOOLEAN: "BOOLEAN: 'BOOLEAN'",
                SqlType.INTEGER: "INTEGER: 'BIGINT'",
                SqlType.DOUBLE: "DOUBLE: 'DOUBLE'",
                SqlType.TEXT: "TEXT: 'VARCHAR'",
                SqlType.DATE: "DATE: 'DATE'",
                SqlType.TIMESTAMP: "TIMESTAMP: 'TIMESTAMP'",
                SqlType.INTERVAL: "INTERVAL: 'INTERVAL'",
                SqlType.NULL: "NULL: 'NULL'",
            },
        ),
    }
)


def in_order(exprs: Sequence[Expr]) -> tuple[Expr, ...]:
    """Expressions in the order of their texts, each once."""
    text = _encoding().text
    by_text = {text(e): e for e in exprs}
    return tuple(by_text[t] for t in sorted(by_text))


@cache
def _encoding() -> Encoding:
    return Encoding(EXPRESSIONS)
