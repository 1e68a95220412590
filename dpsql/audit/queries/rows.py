"""Private rows before any join: a table, or a derived table of its rows, of its units, or of two of its selections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dpsql.audit.queries.schema_view import Scope, TableView, computed
from dpsql.audit.queries.writer import Bound, Production, Source, Writer, texts


def _derived(w: Writer, select: str, scope: Scope) -> Source:
    """A SELECT in parentheses, or its name in WITH."""
    if w.chance(0.6):
        return Source(f"({select})", scope)
    w.tag("cte of rows")
    w.ctes.append(f"{(name := w.fresh('w'))} AS ({select})")
    return Source(name, scope)


def _select(name: str, weight: int, needs: str, *templates: str) -> Production[Source]:
    """A derived table of the rows of {table}, or of A and B, as a text."""

    def write(w: Writer, bound: Bound) -> Source:
        e, given = w.at(bound)
        return _derived(w, e.filled(w.one(*templates), given), tuple(e.shown))

    return Production(name, weight, write, needs)


def _table(w: Writer, _: Bound) -> Source:
    table = w.one(*w.view.privates)
    return Source(table.sql, table.rows)


def _star(w: Writer, _: Bound) -> Source:
    """`*`, now and then without a column, with one computed anew, or with one called by another name."""
    table = w.one(*w.view.privates)
    e, name, ref = w.over(table.rows), w.fresh("x"), w.one(*table.rows)
    star, scope, others = "*", table.rows, tuple(c for c in table.rows if c is not ref)
    if ref.kind not in ("unit", "key") and others:
        w.tag("star with changes")
        star, scope = w.one(
            (f"* EXCLUDE ({ref.sql})", others),
            (f"* REPLACE ({e.of(ref.kind)} AS {ref.sql})", (*others, computed(ref.sql, ref.kind))),
            (f"* RENAME ({ref.sql} AS {name})", (*others, replace(ref, sql=name))),
        )
    return _derived(w, f"SELECT {star} FROM {table.sql}{e.fill('{where}')}", scope)


# Windows over the rows of one unit with their kinds: {by} is the partition, {some} an order that leaves ties, {total}
# one that leaves only equal rows, {v} a column, and {c} one with a range.

_ENDS = (
    "{2 PRECEDING AND CURRENT ROW|1 PRECEDING AND 1 FOLLOWING|UNBOUNDED PRECEDING AND 1 PRECEDING|"
    "CURRENT ROW AND UNBOUNDED FOLLOWING|1 FOLLOWING AND 3 FOLLOWING|UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING}"
)
_WITHIN = "OVER ({by} ORDER BY {total}"
_NEAR = "OVER ({by} ORDER BY {c}{| DESC} RANGE BETWEEN {far}{|| EXCLUDE GROUP| EXCLUDE TIES| EXCLUDE CURRENT ROW})"
_WINDOWS = (
    ("row_number() " + _WITHIN + ")", "int"),
    ("row_number() OVER (PARTITION BY {key} ORDER BY {total})", "int"),
    ("{rank|dense_rank}() OVER ({by} ORDER BY {some})", "int"),
    ("ntile({1|2|3}) " + _WITHIN + ")", "int"),
    ("{percent_rank|cume_dist}() OVER ({by} ORDER BY {some})", "float"),
    ("{lag|lead}({v}{default}{skips}) " + _WITHIN + ")", ""),
    ("{first_value|last_value}({v}{skips}) " + _WITHIN + "{frame})", ""),
    ("nth_value({v}, {1|2}{skips}) " + _WITHIN + "{frame})", ""),
    ("LEAST(COUNT(*) OVER ({by} ORDER BY {some}), 9)", "int"),
    ("COUNT({text}) " + _WITHIN + f" ROWS BETWEEN {_ENDS})", "int"),
    ("MAX({text}) OVER ({by})", "text"),
    ("MIN({number}) " + _WITHIN + " ROWS UNBOUNDED PRECEDING)", "float"),
    ("AVG({number}) " + _WITHIN + f" ROWS BETWEEN {_ENDS})", "float"),
    ("MAX({number}) OVER ({by} ORDER BY {some} GROUPS BETWEEN " + _ENDS + ")", "float"),
    ("MIN({number}) " + _WITHIN + f" ROWS BETWEEN {_ENDS} EXCLUDE CURRENT ROW)", "float"),
)
_RANGES = ((f"LEAST(COUNT(*) {_NEAR}, 7)", "int"), (f"MAX({{number}}) {_NEAR}", "float"))
_FAR = (
    "{d} PRECEDING AND CURRENT ROW",
    "{d} PRECEDING AND {d} FOLLOWING",
    "UNBOUNDED PRECEDING AND {d} PRECEDING",
)
_DISTANCES = {"int": ("0", "1", "30"), "float": ("0.5", "20"), "date": ("INTERVAL 7 DAY", "INTERVAL 1 MONTH"),
              "ts": ("INTERVAL 90 MINUTE", "INTERVAL 2 DAY")}  # fmt: skip
_KEPT = (
    ("window", "SELECT *, {listed} FROM {table}{where}"),
    ("first rows of a unit", "SELECT *, {listed} FROM {table}{where} QUALIFY row_number() OVER (PARTITION BY {key} "
     "ORDER BY {total}) {= 1|<= 2|< 3|BETWEEN 2 AND 3|IN (1, 3)}"),
    ("distinct on", "SELECT DISTINCT ON ({key}) *, {listed} FROM {table}{where} ORDER BY {key}, {total}"),
)  # fmt: skip


def _windows(w: Writer, bound: Bound) -> Source:
    """Rows with values that depend on the other rows of their unit, all of them or only the first ones.

    An order that does not name every column leaves equal rows that may differ: exact queries take no value of one.
    """
    table = bound["own"]
    assert isinstance(table, TableView)
    e, v = w.over(table.columns), w.one(*(table.columns or [computed("1", "int")]))
    some = e.fill("{row order}{| DESC| NULLS FIRST}")
    given = {
        "some": some, "key": table.owner.sql, "v": v.sql, "table": table.sql,
        "total": ", ".join([some, *(c.sql for c in e.scope)]) if w.exact or w.chance(0.5) else some,
        "by": f"PARTITION BY {table.owner.sql}{e.maybe(0.2, ', {text}')}",
        "frame": w.maybe(0.5, f" ROWS BETWEEN {_ENDS}"),
        "default": w.one("", "", f", 1, {w.one(v.sql, 'NULL')}"), "skips": w.one("", "", " IGNORE NULLS"),
    }  # fmt: skip
    near = [c for c in e.scope if c.kind in _DISTANCES and c.interval is not None]
    if near:
        c = w.one(*near)
        given |= {"c": c.sql, "far": w.fill(w.one(*_FAR), d=w.one(*_DISTANCES[c.kind]))}
    picked = w.draw.sample((*_WINDOWS, *(_RANGES if near else ())), w.one(1, 1, 2))
    refs = [(computed(w.fresh("x"), kind or v.kind), e.fill(template, **given)) for template, kind in picked]
    name, template = w.one(*_KEPT)
    w.tag(name)
    select = e.fill(template, listed=", ".join(f"{sql} AS {ref.sql}" for ref, sql in refs), **given)
    return _derived(w, select, (*table.rows, *(ref for ref, _ in refs)))


_EACH = "SELECT {unit>u}, "
_GROUPED = " FROM {table}{where} GROUP BY 1{having}"

ROWS = (
    Production("table", 55, _table),
    Production("star", 6, _star),
    _select("columns of a table", 10, "own", _EACH + "{column>a}, {column>b}, {column>c} FROM {table}{where}",
            _EACH + "{column>a}, {column>b}, {int:2>n}, {text:2>t} FROM {table}{where}",
            _EACH + "{column>a}, {float:2>f} FROM {table}{where}"),
    _select("columns without a unit", 3, "private",
            "SELECT {column>a}, {column>b}, {int:2>n}, {float:2>f}, {text:2>t} FROM {table}{where}"),
    # The rows of each unit aggregated, mostly with a bound on what has none.
    _select("per unit", 7, "own", _EACH + "{int of unit>n}" + _GROUPED, _EACH + "{float of unit>f}" + _GROUPED,
            _EACH + "{float of unit>f}, {text of unit>t}" + _GROUPED,
            _EACH + "{int of unit>n}, {float of unit>f}" + _GROUPED,
            _EACH + "{float of unit>f}, {bool of unit>b}, {int of unit>n}" + _GROUPED),
    _select("per unit and key", 4, "own", _EACH + "{key>k}, {int of unit>n}" + _GROUPED.replace("1", "1, 2"),
            _EACH + "{key>k}, {float of unit>f}, {text of unit>t}" + _GROUPED.replace("1", "1, 2")),
    # Two selections of rows, stacked or compared; now and then one side has not all columns.
    _select("branches", 4, "own", *(
        f"{_EACH}{columns} FROM {{table}} WHERE {{p}} {word} SELECT {{of u}}, {others} FROM {{table}} WHERE {{p}}"
        for word in ("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL")
        for columns, others in (("{column>a}, {column>b}, {column>c}", "{of a}, {of b}, {of c}"),
                                ("{column>a}, {int:0>n}, {text:0>t}", "{of a}, NULL, {of t}"))
    )),
    # Two private tables behind each other, tied to one unit by a condition of WHERE.
    _select("comma join", 3, "two", "SELECT {A.unit>u}, {A.column>a}, {A.column>b}, {A.column>c}, {B.column>d} "
            "FROM {A}, {B} WHERE {A.unit} = {B.unit}{and}"),
    _select("comma join along a path", 1, "tie", "SELECT {A.column>a}, {A.column>b}, {B.column>d} FROM {A}, {B} "
            "WHERE {A.}{mine} = {B.}{theirs}{and}"),
    _select("distinct rows", 3, "own", "SELECT DISTINCT {unit>u}, {column>a} FROM {table}{where}",
            "SELECT DISTINCT {unit>u}, {column>a}, {column>b}, {column>c} FROM {table}{where}"),
    Production("window", 6, _windows, "own"),
)  # fmt: skip
"""Private rows before any join, under the names of their own columns or new ones."""

TEXTS: Mapping[str, tuple[Production[str], ...]] = {
    "row order": texts(1, "{int:1}", "{text:1}"),
    "having": (*texts(4, ""), *texts(1, " HAVING COUNT(*) {> 1|<= 2}")),
    "int of unit": texts(1, "{LEAST(COUNT(*), 1)|LEAST(COUNT(*), 3)|COUNT(*)}", "LEAST(COUNT({text}){only}, 5)",
                         "LEAST(COUNT(DISTINCT {text}), 4)"),
    "float of unit": (
        *texts(1, "LEAST(GREATEST(SUM({number}){only}, -30), 60)", "SUM({number}){only}", "AVG({number}){only}",
               "MIN({number}){only}", "MEDIAN({number}){only}",
               "{QUANTILE_CONT|QUANTILE_DISC}({number}, {0.9|0.25}){only}",
               # no two ways of rounding disagree on which side of a whole number this is
               "FLOOR({STDDEV|STDDEV_POP|VARIANCE|VAR_POP}({number}){only} * 10 + 0.0371)"),
    ),
    "text of unit": texts(1, "MAX({text})"),
    "bool of unit": texts(1, "{BOOL_OR|BOOL_AND}({p}){only}"),
}  # fmt: skip
