"""Grouping keys: columns as they stand, coarser values of columns with many, and what is computed of them."""

from __future__ import annotations

from dpsql.audit.queries.compared_texts import text_key
from dpsql.audit.queries.writer import Bound, Item, Production, Writer


def _key(name: str, weight: int, kind: str, template: str, needs: str = "") -> Production[Item]:
    """A key of a kind, or of the kind that is bound."""

    def write(w: Writer, bound: Bound) -> Item:
        return Item(w.fill(template, **bound), "key", str(bound.get(kind, kind)))

    return Production(name, weight, write, needs)


KEYS = (
    _key("column", 40, "kind", "{c}", "listed"),
    _key("unlisted column", 2, "kind", "{c}", "loose + unlisted"),
    # In one group, or in two where an outer join leaves some of a unit's rows without a match.
    _key("column of one row", 25, "kind", "{c}", "of one row"),
    # Coarser values of a column with many.
    _key("integers cut", 2, "int", "{c} // {size}", "wide integer"),
    _key("integers rounded", 2, "int", "{c} // {size} * {size}", "wide integer"),
    _key("integers without a range", 1, "float", "FLOOR({c} / 7) * 7", "boundless integer"),
    _key("doubles cut", 3, "float", "{FLOOR|CEIL|ROUND}({c} / {size})", "bounded double"),
    _key(
        "doubles rounded",
        3,
        "int",
        "CAST({FLOOR|CEIL|ROUND}({c} / {size}) AS BIGINT) * {size}",
        "bounded double",
    ),
    _key("tens", 2, "float", "ROUND({c}, -1)", "narrow double"),
    _key("moments cut", 3, "ts", "date_trunc('{unit of time}', {c})", "moment"),
    _key("months", 2, "date", "CAST(date_trunc('month', {c}) AS DATE)", "moment"),
    _key("parts of moments", 2, "int", "EXTRACT({month|yearweek|doy|decade} FROM {c})", "moment"),
    _key("days in buckets", 2, "kind", "time_bucket(INTERVAL {days} DAY, {c})", "bounded moment"),
    Production("key of public text", 25, text_key, "private text + public text"),
    _key("test", 4, "bool", "({test})", "unit + other"),
    _key("cases of a test", 4, "text", "CASE WHEN {test} THEN {text:1} ELSE {text:0} END", "unit + other"),
    _key("condition", 3, "bool", "({p:1})"),
    _key("yes or no", 3, "text", "CASE WHEN {p:1} THEN 'yes' ELSE 'no' END"),
    _key("cases", 3, "text", "CASE WHEN {p:0} THEN {text:1} WHEN {p:1} THEN 'b' END"),
    _key("remainder", 3, "int", "({int:1}) % 3"),
    _key("text", 3, "text", "{text:2}"),
)
