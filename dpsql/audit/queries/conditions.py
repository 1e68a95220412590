"""Conditions on rows beyond predicates: tests for other rows, released values, public rows, text beside text."""

from __future__ import annotations

from collections.abc import Mapping

from dpsql.audit.queries.compared_texts import beside_text
from dpsql.audit.queries.writer import Bound, Production, Writer, constant, form, texts

_PARTS = (
    "{c} = {v}", "{c} = {v}", "{c} IN ({v}, {w})", "({c} = {v} OR {c} = {w})", "{c} <> {v}", "{c} IS NOT NULL",
    "{c} IS NULL", "{c} IS DISTINCT FROM {v}", "NOT ({c} IN ({v}, {w}))", "COALESCE({c}, {v}) = {v}",
    "CASE WHEN {c} = {v} THEN {c} = {w} ELSE {c} = {w} END",
)  # fmt: skip


def _parts(w: Writer, bound: Bound) -> str:
    """A condition on the partition's column."""
    values = next(r.values for r in w.scope if r.sql == bound["c"]) or (False, True)
    return w.fill(w.one(*_PARTS), **bound, v=constant(w.one(*values)), w=constant(w.one(*values)))


_OF_UNIT = "FROM {S} WHERE {S.unit} = {unit} AND {S.p:1}"
_OF_VALUE = "FROM {T} WHERE {T.}{theirs} = {mine}{T.and}) {>|<=} {0|1|2|5}"
_OF_GROUPS = "{mine} {|NOT }IN (SELECT {T.}{theirs} FROM {T}{T.where} GROUP BY 1 HAVING COUNT(*) >"
_OF_PUBLIC = "FROM {P} WHERE {P.p:0})"
_COMPARED = "{>|<=|=} {0|1|2}"
_IN, _EXISTS = "{|NOT }IN (SELECT", "{|NOT }EXISTS (SELECT 1"

CONDITIONS = (
    form("semi join", 20, "{test}", "{test}", "{test} OR {p:1}", needs="unit + other"),
    # An aggregate of the unit's own rows, which is private like them.
    form("aggregate of the unit", 8, f"(SELECT COUNT(*) FROM {{S}} WHERE {{S.unit}} = {{unit}}{{S.and}}) {_COMPARED}",
         f"(SELECT COUNT({{S.text}}) {_OF_UNIT}) {_COMPARED}", needs="unit + other"),
    form("greatest of the unit", 4, f"(SELECT MAX({{S.int}} % 5) {_OF_UNIT}) {_COMPARED}",
         needs="unit with a table + other"),
    # What another release gives.
    form("released value", 10, "{mine} >= (SELECT AVG({T.}{theirs}) FROM {T}{T.where})",
         needs="loose + released summable"),
    form("released moment", 10, "{mine} >= (SELECT {MAX|MIN}({T.}{theirs}) FROM {T}) - INTERVAL 7 DAY",
         "{mine} >= (SELECT QUANTILE_DISC({T.}{theirs}, 0.5) FROM {T}) - INTERVAL 7 DAY",
         needs="loose + released bounded moment"),
    form("released groups", 7, _OF_GROUPS + " {0|1|3})", needs="released few values"),
    form("best released groups", 3, _OF_GROUPS + " 0 ORDER BY COUNT(*) DESC LIMIT {1|2})",
         needs="loose + released few values"),
    form("released for each row", 6, "(SELECT COUNT(*) " + _OF_VALUE, needs="released few values"),
    form("average for each row", 4, "(SELECT AVG({T.number}) " + _OF_VALUE, needs="loose + released few values"),
    # Public rows.
    form("test for public rows", 6, _EXISTS + " FROM {P} WHERE {P.}{theirs} = {mine} AND {P.p:0})",
         "{mine} " + _IN + " {P.}{theirs} " + _OF_PUBLIC, needs="public rows"),
    form("count of public rows for each row", 4,
         "(SELECT COUNT(*) FROM {P} WHERE {P.}{theirs} = {mine} AND {P.p:0}) {>|<=|=} {0|1|2}",
         "(SELECT COALESCE(MAX({P.}{theirs}), {mine}) FROM {P} WHERE {P.}{theirs} = {mine} AND {P.p:0}) <> {mine}",
         needs="public rows"),
    form("value of a public table", 4, "{mine} {=|<|>=} (SELECT {MIN|MAX}({P.}{theirs}) " + _OF_PUBLIC,
         "{int:0} {=|<|>=} (SELECT COUNT({P.}{theirs}) " + _OF_PUBLIC, needs="public value"),
    Production("text beside text", 60, beside_text, "private text + public text"),
    Production("some parts", 80, _parts, "part"),
)  # fmt: skip
"""Any number of these stand in one WHERE; the weight of each is its chance in percent."""

TEXTS: Mapping[str, tuple[Production[str], ...]] = {
    "where": (*texts(6, ""), *texts(4, " WHERE {p:1}")),
    "and": (*texts(7, ""), *texts(3, " AND {p:1}")),
    "only": (*texts(4, ""), *texts(1, " FILTER (WHERE {p:1})")),
    "unit": texts(1, "{c}", needs="unit"),
    "beside": (Production("text beside text in a join", 1, beside_text, "private text + public text"),),
    # Other rows of the unit that owns the rows in scope: by its key, or by another column beside it.
    "test": (
        *texts(3, f"{_EXISTS} {_OF_UNIT})", f"{{unit}} {_IN} {{S.unit}} FROM {{S}} WHERE {{S.p:1}})",
               needs="unit + other"),
        *texts(1, f"{_EXISTS} {_OF_UNIT} AND {{S.test}})", f"{{unit}} {_IN} {{S.unit}} FROM {{S}} WHERE {{S.test}})",
               needs="unit + other"),
        *texts(1, f"{{c}} {_IN} {{S.int}} {_OF_UNIT})", needs="unit + other + int"),
        *texts(1, f"{{c}} {_IN} {{S.text}} {_OF_UNIT})", needs="unit + other + text"),
        *texts(1, f"{{c}} {_IN} {{S.bool}} {_OF_UNIT})", needs="unit + other + bool"),
    ),
    "test or p": (*texts(1, "{test}", needs="unit + other"), *texts(1, "{p}")),
}  # fmt: skip
