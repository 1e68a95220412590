"""Expressions of SQLAlchemy in DuckDB's SQL: quoting, types, LIMIT and OFFSET, regular expressions."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import types
from sqlalchemy.sql.compiler import GenericTypeCompiler, IdentifierPreparer, SQLCompiler

_RESERVED: Final = (
    "all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create "
    "default deferrable desc describe distinct do else end except false fetch for foreign from group having in "
    "initially intersect into lambda lateral leading limit not null offset on only or order pivot pivot_longer "
    "pivot_wider placing primary qualify references returning select show some summarize symmetric table then to "
    "trailing true union unique unpivot using variadic when where window with"
)
RESERVED: Final = frozenset(_RESERVED.split())
"""DuckDB's reserved words."""
_WITH_UNITS: Final = frozenset({"date_diff", "date_part", "date_trunc", "strftime", "time_bucket", "to_char"})
_GROUPED: Final = "dpsql_grouped"


class DOUBLE(types.Float):  # type: ignore[type-arg, unused-ignore]
    """DuckDB's DOUBLE, of 64 bits, also for SQLAlchemy 1.4, which has none."""

    __visit_name__ = "DOUBLE"


class HUGEINT(types.Integer):
    """DuckDB's integer of 128 bits."""

    __visit_name__ = "HUGEINT"


class DpsqlPreparer(IdentifierPreparer):
    """Names in double quotes where DuckDB needs them: reserved words, capitals, special characters."""

    reserved_words = set(RESERVED)  # noqa: RUF012 - an attribute of SQLAlchemy's class


class DpsqlCompiler(SQLCompiler):
    """SELECT as DuckDB writes it."""

    def limit_clause(self, select: Any, **kw: Any) -> str:
        """LIMIT and OFFSET as literals, since dpsql plans LIMIT 0 without reading private rows."""
        text = ""
        if select._limit_clause is not None:
            text += f"\n LIMIT {self.process(select._limit_clause, **kw | {'literal_execute': True})}"
        if select._offset_clause is not None:
            text += f"\n OFFSET {self.process(select._offset_clause, **kw | {'literal_execute': True})}"
        return text

    def group_by_clause(self, select: Any, **kw: Any) -> str:
        """GROUP BY, with its constants as literals, as in the SELECT list."""
        return str(super().group_by_clause(select, **kw | {_GROUPED: True}))  # type: ignore[no-untyped-call, unused-ignore]

    def visit_function(self, func: Any, add_to_result_map: Any = None, **kw: Any) -> str:
        """A call; units and formats, as in date_trunc('month', x), are literals."""
        written = {_GROUPED: True} if func.name.lower() in _WITH_UNITS else {}
        return str(super().visit_function(func, add_to_result_map=add_to_result_map, **kw | written))

    def visit_bindparam(self, bindparam: Any, **kw: Any) -> str:  # type: ignore[override, unused-ignore]
        """A value; constants of the SELECT list and of GROUP BY are literals, since two parameters may differ."""
        shown = kw.pop(_GROUPED, False) or kw.get("within_columns_clause", False)
        if shown and not bindparam.expanding and isinstance(bindparam.type, types.String | types.Integer):
            kw["literal_execute"] = True
        return str(super().visit_bindparam(bindparam, **kw))  # type: ignore[no-untyped-call, unused-ignore]

    def visit_ilike_op_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        """ILIKE, which DuckDB has."""
        return self._like("ILIKE", binary, **kw)

    def visit_not_ilike_op_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        """NOT ILIKE."""
        return self._like("NOT ILIKE", binary, **kw)

    def _like(self, word: str, binary: Any, **kw: Any) -> str:
        escape = binary.modifiers.get("escape")
        text = f"{self.process(binary.left, **kw)} {word} {self.process(binary.right, **kw)}"
        return text if escape is None else f"{text} ESCAPE '{escape.replace(chr(39), chr(39) * 2)}'"

    def visit_regexp_match_op_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        """regexp_matches."""
        return f"regexp_matches({self.process(binary.left, **kw)}, {self.process(binary.right, **kw)})"

    def visit_not_regexp_match_op_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        """NOT regexp_matches."""
        return f"NOT {self.visit_regexp_match_op_binary(binary, operator, **kw)}"


class DpsqlTypes(GenericTypeCompiler):
    """Types by their names in DuckDB."""

    def visit_FLOAT(self, type_: Any, **kw: Any) -> str:
        """64 bits, as Python's float; DuckDB's FLOAT has 32."""
        return "DOUBLE"

    visit_DOUBLE = visit_FLOAT

    def visit_HUGEINT(self, type_: Any, **kw: Any) -> str:
        """128 bits."""
        return "HUGEINT"

    def visit_DATETIME(self, type_: Any, **kw: Any) -> str:
        """A timestamp without a time zone."""
        return "TIMESTAMP"

    def visit_TEXT(self, type_: Any, **kw: Any) -> str:
        """Text of any length."""
        return "VARCHAR"
