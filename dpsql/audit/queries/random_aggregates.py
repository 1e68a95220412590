"""Aggregates of rows: counts, sums, order statistics, and those under conditions that exclude each other."""

from __future__ import annotations

from collections.abc import Mapping

from dpsql.algebra.functions.aggregates import names
from dpsql.algebra.question import Aggregate
from dpsql.audit.queries.compared_texts import spellings
from dpsql.audit.queries.two_dialects import CLOSE, CONT, OPEN, OR_FALSE, OR_TRUE, either
from dpsql.audit.queries.writer import Bound, Item, Production, Writer, texts, words


def _any(arguments: str, *computed: Aggregate) -> str:
    """A hole for the name of any call of these aggregates."""
    return f"{{{'|'.join((*names(arguments, *computed), names(arguments, *computed)[0]))}}}"


def measure(name: str, weight: int, role: str, *templates: str, needs: str = "") -> Production[Item]:
    """A production of an aggregate."""
    return Production(name, weight, lambda w, bound: Item(w.fill(w.one(*templates), **bound), role), needs)


def _foreign(w: Writer, _: Bound) -> Item:
    """Different lists of two values as other databases have them: one with a NULL counts for nothing."""
    few = [c.sql for c in w.scope if c.kind in ("int", "text", "bool")]
    if len(few) < 2:
        return Item("COUNT(*)", "count")
    w.tag("foreign")
    a, b = w.draw.sample(few, 2)
    both = either(f"{a}, {b}", f"CASE WHEN {a} IS NOT NULL AND {b} IS NOT NULL THEN ({a}, {b}) END")
    return Item(w.fill("COUNT(DISTINCT {both}){only}", both=both), "count")


_A = Aggregate
# Where y or x does not vary DuckDB says NaN, which is compared as NULL.
_PAIRS = (
    "NULLIF({of pairs}({%s}, {%s}){only}, CAST('nan' AS DOUBLE))",
    "CAST(REGR_COUNT({%s}, {%s}){only} AS BIGINT)",
)
_ALL = "{column}, {column}, {column}, {column}"

MEASURES = (
    measure("rows", 20, "count", "COUNT(*){only}"),
    measure("count", 10, "count", "COUNT({int:1}){only}", "COUNT({text:1}){only}", "COUNT({float:1}){only}",
             "COUNT({date:1}){only}"),
    measure("units", 10, "count", "COUNT(DISTINCT {unit}){only}", needs="unit"),
    measure("distinct", 6, "count", "COUNT(DISTINCT {different}){only}"),
    # Of many columns hardly another unit has the same: then each of a unit's rows counts.
    measure("distinct rows of values", 3, "count", "COUNT(DISTINCT ({different}, {column})){only}",
            f"COUNT(DISTINCT ({{different}}, {_ALL})){{only}}", needs="column"),
    Production("distinct lists", 2, _foreign),
    measure("estimate of distinct", 2, "count", "APPROX_COUNT_DISTINCT({different}){only}", needs="loose"),
    measure("count if", 10, "count", "{open}" + _any("(p)", _A.COUNT_ROWS) + "({p:1}){only}{close}"),
    measure("sum", 30, "sum", "{open}SUM({number}){only}{close}"),
    measure("sum of distinct", 5, "sum", "{open}SUM(DISTINCT {small}){only}{close}",
            "{open}SUM(DISTINCT CASE WHEN {p:1} THEN {small} {|ELSE 0} END){only}{close}", needs="small"),
    measure("sum of distinct", 3, "sum", "SUM(DISTINCT {number}){only}", needs="loose + summable"),
    measure("average", 20, "null", _any("(x)", _A.AVG) + "({number}){only}"),
    # DuckDB divides the parts of an INTERVAL one by one, and loses a millisecond.
    measure("average of times", 3, "null", "EXTRACT(EPOCH FROM AVG({ts:1} - {moment}){only})", needs="loose"),
    measure("variance", 10, "null", _any("(x)", _A.VAR_SAMP, _A.VAR_POP) + "({number}){only}"),
    measure("deviation", 10, "null", _any("(x)", _A.STDDEV_SAMP, _A.STDDEV_POP) + "({number}){only}"),
    measure("order", 15, "null", "{of order}{only}", needs="loose"),
    measure("quantile", 12, "null", "{QUANTILE|QUANTILE_DISC}({c}, {level}){only}", needs="exact + cells"),
    measure("quantile between", 6, "null", "QUANTILE_{cont}({c}, {level}){only}", needs="exact + cells of doubles"),
    measure("all or any", 5, "bool", "{open}BOOL_OR({p:1}){only}{or false}", "{open}BOOL_AND({p:1}){only}{or true}"),
    measure("two columns", 9, "null", _PAIRS[0] % ("number", "number"), needs="loose"),
    measure("rows of two columns", 1, "count", _PAIRS[1] % ("number", "number"), needs="loose"),
    measure("two columns", 9, "null", _PAIRS[0] % ("small", "small"), needs="exact + small"),
    measure("rows of two columns", 1, "count", _PAIRS[1] % ("small", "small"), needs="exact + small"),
)  # fmt: skip


# Conditions on one expression of which mostly no row satisfies two.

_OF_CONSTANTS = (
    ("{x} = {a}", "{x} = {b}", "{x} NOT IN ({a}, {b})"),
    ("{x} < {a}", "{x} >= {a}", "{x} IS NULL"),
    ("{x} BETWEEN {a} AND {b}", "{x} > {b}", "{x} < {a}"),
    ("{x} IN ({a}, {b})", "{x} IN ({a}, NULL)", "{x} <> {a} AND {x} <> {b}"),
    ("{x} <= {a}", "{x} <= {b}", "NOT {x} <= {a}"),
    ("{x} IS DISTINCT FROM {a}", "{x} IS NOT DISTINCT FROM {a}"),
)
_OF_PREDICATES = (
    ("{a}", "NOT ({a})", "({a}) IS NULL"),
    ("{a}", "({a}) IS NOT TRUE", "({b}) AND ({a}) IS NOT TRUE"),
    ("({a}) AND ({b})", "({a}) AND NOT ({b})", "NOT ({a})", "{a}"),
    ("({a}) OR ({b})", "NOT ({a}) AND NOT ({b})", "{b}"),
)
_UNDER = (
    ("COUNT(*) FILTER (WHERE {c})", "count"),
    ("{open}SUM({v}) FILTER (WHERE {c}){close}", "sum"),
    ("{open}SUM(CASE WHEN {c} THEN {v} ELSE 0 END){close}", "sum"),
    ("{open}SUM(CASE WHEN {c} THEN 1 ELSE 0 END){close}", "sum"),
    ("COUNT(CASE WHEN {c} THEN {v} END)", "count"),
    ("AVG(CASE WHEN {c} THEN {v} END)", "null"),
    ("{open}SUM(CASE WHEN {c} THEN 0 ELSE 2 END){close}", "sum"),
    ("COUNT(DISTINCT {int:0}) FILTER (WHERE {c})", "count"),
)


def exclusive_conditions(w: Writer) -> list[str]:
    """Conditions on one expression, in a random order, mostly such that no row satisfies two; now and then TRUE."""
    kind = w.one("int", "text", "date", "float", "bool", "bool", "spelled", "spelled")
    found = spellings(w) if kind == "spelled" else []
    if not found and kind in ("bool", "spelled"):
        a, b = w.of("p"), w.of("p")
        found = [w.fill(template, a=a, b=b) for template in w.one(*_OF_PREDICATES)]
    elif not found:
        x, a, b = w.of(kind, w.one("0", "1")), w.constant(kind), w.constant(kind)
        found = [w.fill(template, x=x, a=a, b=b) for template in w.one(*_OF_CONSTANTS)]
    found += w.one([], ["TRUE"], ["TRUE", w.of("p")])
    w.draw.shuffle(found)
    narrower = w.of("p", "0")
    return [f"({c}) AND ({narrower})" if w.chance(0.15) else c for c in found]


def measures(w: Writer) -> list[Item]:
    """The measures of a SELECT: sums under totals, aggregates under exclusive conditions, or any, few or many."""
    if any(c.summable and c.total for c in w.scope) and w.chance(0.4):
        w.tag("sums under totals")
        return [Item(w.fill("{open}SUM({under a total}){close}"), "sum") for _ in range(w.one(1, 1, 2))]
    if w.chance(0.3 if any(r.public for r in w.scope) else 0.15):
        w.tag("disjoint rows")
        alike, form, value = w.chance(0.5), w.one(*_UNDER), w.fill("{number}")
        calls = [
            (c, form, value) if alike else (c, w.one(*_UNDER), w.fill("{number}"))
            for c in exclusive_conditions(w)
        ]
        return [Item(w.fill(template, c=c, v=v), role) for c, (template, role), v in calls]
    many = w.chance(0.12)
    w.tag(*(["many measures"] if many else []))  # so many that they share one noise
    found = [
        w.write(w.grammar.measures) for _ in range(w.one(*((8, 16, 24, 32) if many else (1, 1, 2, 3, 4))))
    ]
    w.tag(*(["filter"] if any(" FILTER (" in m.sql for m in found) else []))
    return found


TEXTS: Mapping[str, tuple[Production[str], ...]] = {
    # A numeric argument, mostly with a finite range.
    "number": (
        *texts(100, "{under a total}", needs="total"),
        *texts(20, "({summable} {+|-|*} {summable})", needs="summable"),
        *texts(40, "{summable}", needs="summable"),
        *texts(12, "CASE WHEN {p:1} THEN {summable} {|ELSE 0|ELSE NULL} END", needs="summable"),
        *texts(11, "{any number}", needs="summable"),
        *texts(17, "LEAST(GREATEST({any number}, -20), 50)"),
    ),
    # What inherits unit totals: a column that has one, a multiple of it, or a sum of multiples of two.
    "under a total": (
        *texts(4, "{c}", needs="total"),
        *texts(1, "({c} * {factor})", "({factor} * ({c} - {c} * {factor}))", "({c} / {7|0.25|-3})",
               "({c} * {factor} {+|-} {|0.3 * }{total})", "CASE WHEN {p:1} THEN {c} * {factor} ELSE {c} END",
               "CASE WHEN {p:1} THEN {c} * {factor} ELSE {0|NULL} END", needs="total"),
    ),
    "summable": texts(1, "{c}", needs="summable"),
    "total": texts(1, "{c}", needs="total"),
    "small": texts(1, "{c}", needs="small"),
    "factor": (*texts(4, "{0.3|-2|1.75|(1 - 0.125)}"), *texts(1, "{summable}")),
    "any number": texts(1, "{int:2}", "{float:2}"),
    "column": texts(1, "{c}", needs="column"),
    "different": texts(1, "{int:1}", "{text:1}", "{bool:1}", "{date:1}"),
    "of order": (
        *texts(2, "MEDIAN({ordered})", "QUANTILE_CONT({ordered}, {any level})", "QUANTILE_DISC({ordered}, {any level})",
               "APPROX_QUANTILE({ordered}, 0.5)", "PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY {ordered}{| DESC})",
               "MIN({ordered})", "MAX({ordered})", "{MIN|MAX}({text:0})"),
        *texts(1, "MODE({text:1})", "MODE({different})"),
    ),
    "ordered": (
        *texts(8, "{c}", needs="cells"),
        *texts(1, "{date:1}", "{ts:1}", "LEAST(GREATEST({any number}, -20), 50)"),
    ),
    "of pairs": words(*(name for name in names("(y, x)") if name != "REGR_COUNT")),
    "level": words("0.5", "0.25", "0.9", "0.1", "0.75", "0.333"),
    "any level": texts(1, "{level}", "{level}", "{0|1|-0.25|0.05}"),
    # SUM and COUNT_IF over nothing are 0, and no two values are interpolated between.
    **{name: words(text) for name, text in (("open", OPEN), ("close", CLOSE), ("or false", OR_FALSE),
                                            ("or true", OR_TRUE), ("cont", CONT))},
}  # fmt: skip
