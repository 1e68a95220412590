"""Whole queries: groups, totals at several levels, the best groups, and results that are queried again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dpsql.audit.queries.aggregating_selects import ANY, aggregating, asked, listed, source
from dpsql.audit.queries.generated_query import Query
from dpsql.audit.queries.random_aggregates import measure, measures
from dpsql.audit.queries.two_dialects import either
from dpsql.audit.queries.writer import Bound, Production, Writer, texts, words

_KEY = Query(columns=("key",))
_ORDERED = Query(ordered=True)


def _query(name: str, weight: int, *templates: str, known: Query = ANY) -> Production[Query]:
    """A query over any rows, whose FROM clause is {rows}."""

    def write(w: Writer, _: Bound) -> Query:
        rows, e = source(w)
        return asked(w, e.fill(w.one(*templates), rows=rows), known)

    return Production(name, weight, write)


def _tables(name: str, weight: int, needs: str, *templates: str) -> Production[Query]:
    """A query over the tables that are bound."""

    def write(w: Writer, bound: Bound) -> Query:
        e, given = w.at(bound)
        return asked(w, e.filled(w.one(*templates), given))

    return Production(name, weight, write, needs)


def _over(
    name: str, weight: int, keys: tuple[int, ...], *templates: str, known: Query = ANY
) -> Production[Query]:
    """A query over the results of a {select} by so many keys.

    {results} stands for it in FROM; {count} is the name of a count, {names} are those
    of its columns, {by} those of its keys, and {places} their numbers in some order.
    """

    def write(w: Writer, _: Bound) -> Query:
        select, template = aggregating(w, w.one(*keys), robust=True), w.one(*templates)
        given = {
            "select": select.sql, "names": ", ".join(select.names), "by": ", ".join(select.named("key")),
            "count": w.one(*(select.named("count") or ["1"])),
            "places": ", ".join(f"{i + 1}{w.one(' DESC', '', ' NULLS FIRST')}" for i in range(len(select.keys))),
        }  # fmt: skip
        given |= {"results": results(w, select.sql)} if "{results}" in template else {}
        return asked(w, w.fill(template, **given), known)

    return Production(name, weight, write)


def results(w: Writer, select: str) -> str:
    """A SELECT as a source of another: in parentheses, or by its name in WITH."""
    name = w.fresh("v")
    if w.chance(0.5):
        return f"({select}) AS {name}"
    w.tag("cte of results")
    w.ctes.append(f"{name} AS ({select})")
    return name


def _grouped(w: Writer, _: Bound) -> Query:
    """Keys and measures, with every group of the domain."""
    select = aggregating(w, w.one(1, 1, 2), robust=False)
    return asked(w, select.sql, Query(columns=select.roles))


def _rolled(w: Writer, _: Bound) -> Query:
    """Groups and their totals at several levels."""
    return asked(w, aggregating(w, w.one(1, 2, 2), robust=True, sets=True).sql)


def _top(w: Writer, _: Bound) -> Query:
    """The keys of the best groups, now and then with what they are chosen by."""
    w = replace(w, binding=False)  # the same text stands twice in what it is compared with
    rows, e = source(w)
    score, often = _score(e)
    descending, most, shown = w.chance(0.6), w.one(1, 1, 1, 2, 3), w.chance(often)
    form = w.one("{by}", "{by}", "{by}", "-({by})", "({by}) * 2", "{by} + 1")
    w.tag(f"best {most}", *(["score expression"] if form != "{by}" else []))
    down = "DESC" if descending is not form.startswith("-") else "ASC"
    given = {"key": e.of("key"), "score": score, "rest": e.fill("FROM {rows}{where} GROUP BY 1", rows=rows)}
    select = "SELECT {key} AS {k0}, {score} AS {s0} {rest}"
    best = f"{select if shown else 'SELECT {key} AS {k0} {rest}'} ORDER BY {form} {down}{{|, 1}} LIMIT {most}"
    sql = w.fill(best, by=w.one(score, w.name("s0")) if shown else score, **given)
    return asked(w, sql, Query(score=w.fill(select, **given), descending=descending, most=most))


def _score(w: Writer) -> tuple[str, float]:
    """What groups are ranked by, and how often it is shown."""
    if any(r.summable for r in w.scope) and w.chance(0.2):
        return w.fill("{open}SUM({summable}){close}"), 0.3
    if w.columns("unit") and w.chance(0.35):
        return w.fill("COUNT(DISTINCT {unit})"), 0.7
    found = w.write(w.grammar.measures)
    return found.sql if found.role in ("count", "sum") else w.fill("COUNT(DISTINCT {different})"), 0.3


# Measures that are empty where no private row is.
_OF_ROWS = (
    measure("rows listed", 2, "count", "COUNT({column})", "COUNT(DISTINCT {column})"),
    measure("units listed", 2, "count", "COUNT(DISTINCT {unit})", needs="unit"),
    measure("average listed", 1, "null", "AVG({summable})", needs="summable"),
    measure("sum listed", 2, "sum", "{open}SUM({summable}){close}", "{open}SUM({summable} * 2){close}",
            "{open}SUM(CASE WHEN {p} THEN {summable} END){close}", needs="summable"),
)  # fmt: skip


def _related(name: str, weight: int, needs: str, behind: str) -> Production[Query]:
    """The public side listed by an outer join: its groups are there without private rows."""
    both = ("{P} {LEFT|LEFT|FULL} JOIN {A}", "{A} {RIGHT|RIGHT|FULL} JOIN {P}")
    select = "SELECT {P.}{c} AS {k0}, {measure} AS {m0} FROM %s ON {A.}{mine} = {P.}{theirs}{A.and}" + behind

    def write(w: Writer, bound: Bound) -> Query:
        _, given = w.at(bound)
        e, _ = w.at({"A": given["A"]})
        found = e.write(_OF_ROWS)
        having = w.one("", "", "", "", " HAVING COUNT({A.}{mine}) > 0")
        sql = w.filled(f"{select % w.one(*both)} GROUP BY 1{having}", {**given, "measure": found.sql})
        return asked(w, sql, Query(columns=("key", found.role)))

    return Production(name, weight, write, needs)


def _beside_public(w: Writer, _: Bound) -> Query:
    """Results joined with a public table on their key."""
    select = aggregating(w, 1, robust=True)
    pairs = ((t, a, b) for t in w.view.publics for a in t.columns for b in t.columns if a is not b)
    kind = select.keys[0].kind
    bindings: list[Bound] = [
        {"P": t, "a": a.sql, "b": b.sql} for t, a, b in pairs if a.kind == kind in ("text", "int")
    ]
    sql = "SELECT {v}.*, {P.}{b} AS {o0} FROM ({select}) AS {v} LEFT JOIN {P} ON {v}.{k0} = {P.}{a}"
    return asked(w, w.fill(sql, select=select.sql, **w.one(*bindings)) if bindings else select.sql)


def _rows_twice(w: Writer, _: Bound) -> Query:
    """Rows with a name in WITH that is read twice."""
    rows = w.write(w.grammar.rows)
    sql = "WITH {w} AS (SELECT * FROM {rows} AS {t} WHERE {p}) SELECT (SELECT {counted} FROM {w}) AS {a0}"
    return asked(w, w.over(rows.scope).fill(sql + ", (SELECT {counted} FROM {w}) AS {b0}", rows=rows.sql))


def _interval(w: Writer, _: Bound) -> Query:
    """Results with the ends of their intervals, which another SELECT passes on."""
    select = aggregating(w, w.one(0, 1, 1), robust=True)
    known = select.named("count", "sum") if w.exact else select.named("count", "sum", "null")
    if not known:
        return asked(w, select.sql)
    w.tag("foreign")
    measure, rows = w.one(*known), results(w, select.sql)
    if w.chance(0.4):
        rows = f"(SELECT {', '.join(select.names)} FROM {rows}) AS {w.fresh('v')}"
    number = w.one(measure, measure, f"{measure} * 2 + 1")
    low, high = (either(f"DP_INTERVAL_{end}({number})", number) for end in ("LOW", "HIGH"))
    sql = "({low} <= {number} AND {number} <= {high}) AS {i0}" if w.exact else "{low} AS {i0}, {high} AS {j0}"
    ends = w.fill(sql, low=low, high=high, number=number)
    return asked(w, f"SELECT {', '.join((*select.named('key'), measure, ends))} FROM {rows}")


_OF_GROUP = "FROM {P} WHERE {P.}{theirs} = {A.}{mine}"
_SAID = (
    "(SELECT {MAX|MIN|COUNT}({P.}{c}) "
    + _OF_GROUP
    + ") AS {o0} FROM {A}{A.where} GROUP BY 1 HAVING COUNT(*) > 0"
)
_LOOKED_UP = "SELECT {A.}{mine} AS {k0}, {A.measure} AS {m0}, " + _SAID
_BEST = "(SELECT {mine} AS {b} FROM {table}{where} GROUP BY 1{best})"
_SERIES = (
    ("join", " JOIN " + _BEST + " AS {v} ON {mine} = {b}{where}"),
    ("join of names", " JOIN " + _BEST + " AS {v} ON {v}.{b} = {mine}{where}"),
    ("in", " WHERE {mine} IN " + _BEST),
    ("not in", " WHERE ({p}) AND {mine} NOT IN " + _BEST),
    ("in derived", " WHERE {mine} IN (SELECT {b} FROM " + _BEST + " AS {v})"),
)

SHAPES = (
    Production("grouped", 25, _grouped),
    _over("grouped and ordered", 25, (1, 1, 2), "{select} ORDER BY {places} LIMIT {1|2|100}{| OFFSET 1}",
          "{select} ORDER BY {count} DESC, {places} LIMIT {1|2|100}{| OFFSET 1}", known=_ORDERED),
    _over("single", 15, (0,), "{select}"),
    _over("arithmetic on results", 15, (0,), "SELECT COALESCE({m0}, -1) AS {o0}, CASE WHEN {count} > 2 THEN 'many' "
          "ELSE 'few' END, ROUND({count} * 100.0 / 7, 2) FROM ({select}) AS {v0}"),
    Production("rolled", 30, _rolled),
    Production("top", 40, _top),
    # A tool's SELECT over the user's query: it filters, sorts, groups again, or counts its rows.
    _over("outer", 12, (1, 2), "SELECT * FROM {results}", "SELECT COUNT(*), SUM({count}), MAX({count}) FROM {results}"),
    _over("outer and ordered", 18, (1, 2),
          "SELECT {k0}, {count} AS {c0} FROM {results} WHERE {count} >= 1 ORDER BY {by} LIMIT 1000",
          "SELECT {count} > 1 AS {b0}, COUNT(*) AS {n0} FROM {results} GROUP BY 1 ORDER BY 1",
          "SELECT {k0}, SUM({count}) AS {s0} FROM {results} GROUP BY {k0} HAVING COUNT(*) > 0 ORDER BY {k0}",
          known=_ORDERED),
    _query("windows", 4, "SELECT {key} AS {k0}, COUNT(*) AS {m0}, {ranked} AS {w0} FROM {rows}{where} "
           "GROUP BY {k0} HAVING COUNT(*) > 0{first ranks}"),
    _query("windows over results", 6, "SELECT {k0}, {m0}, RANK() OVER (ORDER BY {m0} DESC) AS {r0}, LAG({m0}) OVER "
           "(ORDER BY {k0}) AS {l0}, SUM({m0}) OVER (ORDER BY {m0}, {k0} ROWS UNBOUNDED PRECEDING) AS {s0} FROM "
           "(SELECT {key} AS {k0}, COUNT(*) AS {m0} FROM {rows}{where} GROUP BY 1 HAVING COUNT(*) > 0) AS {v0}"),
    _query("pivot", 5, 'SELECT {k0}, "true" AS {m0}, "false" AS {n0} FROM (SELECT {key} AS {k0}, ({p}) AS {b0}, '
           "{column} AS {c0} FROM {rows}{where}) PIVOT (COUNT({c0}) FOR {b0} IN (true, false) GROUP BY {k0}) "
           'WHERE "true" + "false" > 0', known=Query(columns=("key", "count", "count"))),
    _query("distinct", 5, "SELECT DISTINCT {key} AS {k0} FROM {rows}{where}", known=_KEY),
    _query("keys alone", 5, "SELECT {key} AS {k0} FROM {rows}{where} GROUP BY 1", known=_KEY),
    _query("statistic", 4, "SELECT {statistic} AS {m0} FROM {rows}{where}"),
    _query("statistics", 6, "SELECT {key} AS {k0}, {statistic} AS {m0}, {statistic} AS {m1} FROM {rows}{where} "
           "GROUP BY 1", known=Query(columns=("key", "null", "null"))),
    Production("several", 10, lambda w, _: asked(w, w.fill("SELECT ({first}) AS {a0}, {|1 + }({first}) AS {b0}"))),
    Production("union", 10, lambda w, _: asked(w, w.fill("{first} UNION ALL {first}"))),
    Production("beside a public table", 7, _beside_public),
    _over("beside other results", 3, (1,),
          "SELECT {v}.*, {u}.{m0} AS {o0} FROM ({select}) AS {v} CROSS JOIN ({first}) AS {u}"),
    _over("results read twice", 6, (1,),
          "WITH {w} AS ({select}) SELECT {a}.*, {b}.{m0} AS {o0} FROM {w} AS {a} {JOIN|LEFT JOIN} {w} AS {b} "
          "ON {a}.{k0} = {b}.{k0}"),
    Production("rows read twice", 4, _rows_twice),
    _related("related", 7, "joinable", ""),
    _related("join behind a listed table", 3, "joinable owned + other", " {JOIN|LEFT JOIN} {S} ON {A.unit} = {S.unit}"),
    # What a public table says of each group.
    _tables("looked up", 6, "joinable", _LOOKED_UP),
    _tables("looked up and found", 4, "joinable", _LOOKED_UP + " AND {|NOT }EXISTS (SELECT 1 " + _OF_GROUP + ")"),
    # Groups of the best values of a column: a join or a condition that is kept late.
    *(_tables(f"series by {name}", 3, "own values",
              f"SELECT {{mine}} AS {{k0}}, {{measures}} FROM {{table}}{rest} GROUP BY 1 HAVING COUNT(*) > 0",
              f"SELECT {{mine}} AS {{k0}}, {{key}} AS {{k1}}, {{measures}} FROM {{table}}{rest} GROUP BY 1, 2 "
              "HAVING COUNT(*) > 0")
      for name, rest in _SERIES),
    Production("interval", 10, _interval),
)  # fmt: skip

TEXTS: Mapping[str, tuple[Production[str], ...]] = {
    "key": (Production("key", 1, lambda w, _: w.write(w.grammar.keys).sql),),
    "measure": (Production("measure", 1, lambda w, _: w.write(w.grammar.measures).sql),),
    # One row with one column.
    "one row": (Production("one row", 1, lambda w, _: aggregating(w, 0, robust=False).sql),),
    "first": texts(1, "SELECT {m0} FROM ({one row}) AS {f}"),
    "measures": (Production("measures", 1, lambda w, _: listed(w, [], [m.sql for m in measures(w)])[0]),),
    "counted": texts(1, "COUNT(*)", "COUNT({text:0})", "COUNT(DISTINCT {int:0})"),
    # Of equal values the best one is the first by itself.
    "best": (
        *texts(1, " HAVING COUNT(*) > {0|1|3}", " HAVING COUNT(*) > {0|1|3} ORDER BY COUNT(*) DESC, 1 LIMIT {1|2|3}"),
        *texts(1, " ORDER BY COUNT(*) DESC, 1 LIMIT {1|2|3}", needs="loose"),
        *texts(1, " ORDER BY SUM({number}) DESC, 1 LIMIT {1|2|3}", needs="loose"),
    ),
    "first ranks": (*texts(7, ""), *texts(3, " QUALIFY RANK() OVER (ORDER BY COUNT(*) DESC) <= {1|2}")),
    "ranked": texts(1, "RANK() OVER (ORDER BY COUNT(*) DESC)", "SUM(COUNT(*)) OVER ()",
                    "COUNT(*) * 100.0 / SUM(COUNT(*)) OVER ()", "MAX(COUNT(*)) OVER () - COUNT(*)"),
    "statistic": (
        *texts(1, "{mode}{c}){only}{brace}", "{mode within}{c}){only}{brace}", needs="few values"),
        *texts(1, "{least}{c}){only}{brace}", "{greatest}{c}){only}{brace}", needs="cells"),
        *texts(1, "{least}{c}){only}{brace}", "{greatest}{c}){only}{brace}", needs="cells of text"),
        *texts(
            1, "QUANTILE({c}, {level}){only}", "QUANTILE_DISC({c}, [{levels}]){only}",
            "PERCENTILE_DISC({level}) WITHIN GROUP (ORDER BY {c}){only}",
            "PERCENTILE_DISC(ARRAY[{levels}]) WITHIN GROUP (ORDER BY {c}){only}", needs="cells",
        ),
        # Of integers that are no integers these have no answer to compare with.
        *texts(
            1, "{median}{c}{half}{only}", "QUANTILE_{cont}({c}, [{levels}]){only}",
            "PERCENTILE_{cont}({level}) WITHIN GROUP (ORDER BY {c}){only}",
            "PERCENTILE_{cont}([{levels}]) WITHIN GROUP (ORDER BY {c}){only}", needs="cells of doubles",
        ),
        *texts(1, "NULLIF(COUNT(*), 0)", needs="no cells or few values"),
    ),
    "levels": words("0.1", "0.75, 0.5", "0.2, 0.9, 0.5"),
    # Where DuckDB has one of several values, or another than a private choice aims at, it is asked for all of them.
    "mode": words(either("MODE(", "{'most': LIST(")),
    "mode within": words(either("MODE() WITHIN GROUP (ORDER BY ", "{'most': LIST(")),
    "least": words(either("MIN(", "{'among': LIST(")),
    "greatest": words(either("MAX(", "{'among': LIST(")),
    "brace": words(either("", "}")),
    "median": words(either("MEDIAN(", "QUANTILE_DISC(")),
    "half": words(either(")", ", 0.5)")),
}  # fmt: skip
