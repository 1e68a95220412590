"""FROM clauses: private rows alone, beside each other, beside public rows, and beside released ones."""

from __future__ import annotations

from collections.abc import Mapping

from dpsql.audit.queries.aliased_tables import Side, joinable
from dpsql.audit.queries.needs import SMALL_TABLE
from dpsql.audit.queries.schema_view import ColumnView, Scope, TableView, computed, qualified
from dpsql.audit.queries.writer import Bound, Production, Source, Writer, texts


def _join(name: str, weight: int, needs: str, shows: str, *templates: str) -> Production[Source]:
    """A FROM clause as a text; predicates in it are on all its tables.

    `shows` says what it lets a query name: the columns of A, those of B- without the key of the unit, which may be NULL
    there, those of B as of a derived table in B>b, of b what the text gives a name, the integer b.n, and the key.
    """

    def write(w: Writer, bound: Bound) -> Source:
        e, given = w.at(bound)
        sql = e.filled(w.one(*templates), given)
        return Source(sql, tuple(c for shown in shows.split() for c in _shown(shown, given, tuple(e.shown))))

    return Production(name, weight, write, needs)


def _shown(shown: str, given: Mapping[str, str | Side], named: Scope) -> Scope:
    if shown == "key":
        return (computed(str(given["key"]), "unit"),)
    if "." in shown:
        return (computed(".".join(str(given[part]) for part in shown.split(".")), "int"),)
    name, _, alias = shown.rstrip("-").partition(">")
    side = given[name]
    scope = qualified(named, side) if isinstance(side, str) else side.scope
    scope = qualified(side.table.rows, str(given[alias])) if isinstance(side, Side) and alias else scope
    return tuple(c for c in scope if c.kind != "unit" or not shown.endswith("-"))


def _alone(w: Writer, _: Bound) -> Source:
    """Private rows without a join."""
    rows = w.write(w.grammar.rows)
    return Source(f"{rows.sql} AS {w.name('t')}" if rows.sql.startswith("(") else rows.sql, rows.scope)


def _aliased(w: Writer) -> Source:
    rows, alias = w.write(w.grammar.rows), w.name("t")
    return Source(f"{rows.sql} AS {alias}", qualified(rows.scope, alias))


def _with_publics(w: Writer, _: Bound) -> Source:
    """Private rows joined with a public table or two, on equal columns or with every row of a small one."""
    rows = found = _aliased(w)
    for table in w.draw.sample(w.view.publics, min(w.one(1, 1, 1, 1, 2), len(w.view.publics))):
        p = Side(table, w.fresh("p"))
        pairs = joinable(rows.scope, p.scope)
        if not pairs and table.size > SMALL_TABLE:
            continue
        beside = f"{found.sql}{w.one(' CROSS JOIN', ',')} {p.sql}"
        sql = _equal(w, found.sql, p, *w.one(*pairs)) if pairs else beside
        found = Source(sql, (*found.scope, *p.scope))
    return found


def _equal(w: Writer, rows: str, p: Side, mine: ColumnView, theirs: ColumnView) -> str:
    w.tag("unique join" if len(theirs.values) >= p.table.size - 1 else "fan-out")
    numbers = [r.sql for r in p.scope if r.kind == "int" and r is not theirs]
    a, b = w.draw.sample((mine.sql, theirs.sql), 2)
    on = f"{a} {'IS NOT DISTINCT FROM' if w.chance(0.1) else '='} {b}"
    on += f" AND {w.one(*numbers)} > 0" if numbers and w.chance(0.1) else ""
    return w.fill("{rows} {JOIN|LEFT JOIN|INNER JOIN|LEFT OUTER JOIN} {p} ON {on}", rows=rows, p=p.sql, on=on)


def _behind_both(w: Writer, _: Bound) -> Source:
    """Private rows behind a FULL JOIN of two public tables, where columns of all three can be compared."""
    rows = _aliased(w)
    small = [t for t in w.view.publics if t.size <= SMALL_TABLE]
    a, b = (Side(w.one(*small), w.fresh("p")) for _ in "ab")
    pairs, between = joinable(rows.scope, a.scope), joinable(a.scope, b.scope)
    if not pairs or not between:
        return rows
    w.tag("public full join")
    (mine, theirs), (x, y) = w.one(*pairs), w.one(*between)
    on = f"{x.sql} = {y.sql}{w.one('', '', f' AND {x.sql} <> {y.sql}')}"
    joined = f"{a.sql} FULL JOIN {b.sql} ON {on} JOIN {rows.sql} ON {mine.sql} = {theirs.sql}"
    return Source(joined, (*a.scope, *b.scope, *rows.scope))


def _natural(w: Writer, bound: Bound) -> Source:
    """A public table joined on all columns that it shares."""
    table, public = bound["A"], bound["P"]
    assert isinstance(table, TableView) and isinstance(public, TableView)
    shared = {c.name for c in table.columns}
    more = (c for c in public.columns if c.name not in shared)
    sql = w.fill("{t} NATURAL {|LEFT |INNER }JOIN {p}", t=table.sql, p=public.sql)
    return Source(sql, (*table.rows, *more))


def _beside_released(w: Writer, _: Bound) -> Source:
    """Rows of another production with the released count of the groups that they are in, or of everybody."""
    source = w.write(w.grammar.sources)
    found = w.grammar.possible(w.over(source.scope), "released few values")
    if not found:
        return source
    given = {**w.at(w.one(*found))[1], "rows": source.sql, "f": w.fresh("f"), "n": w.fresh("n")}
    if w.chance(0.2):
        w.tag("released row")
        w.ctes.append(w.filled("{f} AS (SELECT COUNT(*) AS {n} FROM {T}{T.where})", given))
        sql = w.filled("{rows} CROSS JOIN {f}", given)
    else:
        w.tag("join of a released table")
        group = "(SELECT {T.}{theirs} AS {k}, COUNT(*) AS {n} FROM {T}{T.where} GROUP BY 1 HAVING COUNT(*) > 0) AS {f}"
        on = w.one("{f}.{k} = {mine}", "{f}.{k} = {mine}", "{f}.{k} = {mine} AND {f}.{n} > 1")
        sql = w.filled(f"{{rows}} {{JOIN|LEFT JOIN}} {group} ON {on}", given)
    return Source(sql, (*source.scope, computed(f"{given['f']}.{given['n']}", "int")))


_ON = "ON {A.}{mine} = {B.}{theirs}"
_DERIVED = " FROM {B}) AS {b} ON {A.}{mine} = {b}.{theirs}{A.and}"
_COMPUTED = "(SELECT *, {B.int mod 7>n}, {B.text>s}, {B.bool p>f}" + _DERIVED
_FIXED = "(SELECT *, {int fixed>n}, {B.text>s}, {B.bool test>f}" + _DERIVED
_KEYS = "ON {A.unit} = {B.unit}"
_GROUPS = "{A} {JOIN|LEFT JOIN} (SELECT {A.unit>u}, {int counted>n} FROM {A} GROUP BY "
_FOUND = "FROM {B} WHERE {B.unit} = {A.unit} AND {B.p}"
_TWO = "SELECT {B.int mod 7>n}, {B.text>s} "
_BOTH = "SELECT {int counted>n}, {B.text of unit>s} "
_MEET = "{LEFT JOIN|LEFT JOIN|JOIN} {R} ON {R.}{mine} = {P.}{theirs} AND {R.unit} = "


def _lateral(select: str) -> tuple[str, ...]:
    query = f"LATERAL ({select}) AS {{b}}"
    return f"{{A}}, {query}", f"{{A}} JOIN {query} ON TRUE", f"{{A}} LEFT JOIN {query} ON TRUE"


SOURCES = (
    Production("rows alone", 240, _alone),
    Production("rows with public tables", 200, _with_publics, "public"),
    Production("rows behind public tables", 50, _behind_both, "small public"),
    Production("rows beside released ones", 120, _beside_released),
    # Rows of one unit beside each other.
    _join("private join", 70, "tie", "A B-", "{A} JOIN {B} " + _ON + "{and}"),
    _join("private left join", 35, "tie", "A B-", "{A} LEFT JOIN {B} " + _ON + "{and}"),
    _join("private right join", 35, "tie", "B A-", "{A} RIGHT JOIN {B} " + _ON + "{and}"),
    _join("computed columns", 45, "tie", "A B>b- b", "{A} {JOIN|LEFT JOIN} " + _COMPUTED,
          "{A} {JOIN|LEFT JOIN} " + _FIXED),
    _join("computed columns of every row", 15, "tie", "B>b b A-", "{A} RIGHT JOIN " + _COMPUTED,
          "{A} RIGHT JOIN " + _FIXED),
    # Of an outer join USING names a key that is never NULL.
    _join("using", 20, "same key", "key A- B-", "{A} {JOIN|JOIN|LEFT JOIN|RIGHT JOIN|FULL JOIN} {B} USING ({key})"),
    _join("full join", 20, "tie", "A- B-", "{A} FULL JOIN {B} " + _ON + "{and}"),
    _join("three private tables", 20, "three", "A B- C-",
          "{A} {JOIN|LEFT JOIN} {B} " + _ON + " {JOIN|JOIN|LEFT JOIN} {C} ON {A.}{ours} = {C.}{last}",
          "{B} {JOIN|LEFT JOIN} {A} " + _ON + " {JOIN|JOIN|LEFT JOIN} {C} ON {A.}{ours} = {C.}{last}"),
    _join("semi or anti join", 20, "two", "A", "{A} {SEMI|ANTI} JOIN {B} " + _KEYS + " AND {p}"),
    _join("test in a join condition", 10, "two", "A B-", "{A} {JOIN|LEFT JOIN} {B} " + _KEYS + " AND {A.test}",
          "{A} {JOIN|LEFT JOIN} {B} " + _KEYS + " AND {B.test}", "{A} JOIN {B} " + _KEYS + " AND ({test} OR {p})"),
    _join("test in a right join", 5, "two", "B A-", "{A} RIGHT JOIN {B} " + _KEYS + " AND {A.test}",
          "{A} RIGHT JOIN {B} " + _KEYS + " AND ({B.test} OR {p})"),
    _join("join with groups of a unit", 20, "owned", "A b-", _GROUPS + "1) AS {b} ON {A.unit} = {b}.{u}",
          _GROUPS.replace("{int", "{A.column>k}, {int") + "1, 2) AS {b} ON {A.unit} = {b}.{u}",
          _GROUPS.replace("{int", "{A.column>k}, {int") + "1, 2) AS {b} ON {A.unit} = {b}.{u} AND {of k} = {b}.{k}"),
    _join("list of constants", 20, "owned", "A b.n", "{A}, {constants} AS {b}({n})",
          "{A} {JOIN|LEFT JOIN} {constants} AS {b}({n}) ON {A.p} AND {b}.{n} {=|<|>=} {A.int}",
          "{A} {JOIN|LEFT JOIN} {constants} AS {b}({n}) ON {b}.{n} {=|<|>=} {A.int}"),
    _join("lateral rows", 8, "two", "A b", *_lateral(_TWO + _FOUND + "{and}")),
    _join("lateral first", 8, "two", "A b", *_lateral(_TWO + _FOUND + " ORDER BY {B.columns} LIMIT {1|2}")),
    _join("lateral aggregates", 8, "two", "A b", *_lateral(_BOTH + _FOUND)),
    _join("lateral groups", 8, "two", "A b", *_lateral(_BOTH + _FOUND + " GROUP BY {B.text:0}")),
    _join("lateral computed", 8, "owned", "A b", *_lateral("SELECT {int mod 7>n}, {text>s}")),
    _join("lateral list", 8, "owned", "A b",
          *_lateral("SELECT {int mod 7>n}, {text>s} UNION ALL SELECT {int mod 7}, {text}")),
    # Rows beside public ones.
    Production("natural join", 20, _natural, "same names"),
    _join("calendar", 45, "calendar", "a P R-",
          "(SELECT DISTINCT {R.unit>u} FROM {R}) AS {a}{ CROSS JOIN|,} {P} " + _MEET + "{a}.{u}",
          "(SELECT DISTINCT {R.unit>u} FROM {R}) AS {a} LEFT JOIN {P} ON {P.p:0} " + _MEET + "{a}.{u}"),
    _join("calendar of another table", 45, "calendar of others", "A P R-",
          "{A}{ CROSS JOIN|,} {P} " + _MEET + "{A.unit}", "{A} LEFT JOIN {P} ON {P.p:0} " + _MEET + "{A.unit}"),
    _join("join on any condition", 30, "beside public", "A P", "{A} {JOIN|LEFT JOIN} {P} ON {p}"),
    _join("join on two columns", 30, "beside column", "A P",
          "{A} {JOIN|LEFT JOIN} {P} ON {A.}{mine} {=|=|<|>=|<>|IS NOT DISTINCT FROM} {P.}{theirs}"),
    _join("join on texts", 150, "beside texts", "A P", "{A} {JOIN|LEFT JOIN} {P} ON {beside}",
          "{A} {JOIN|LEFT JOIN} {P} ON {p}"),
    _join("lateral public rows", 50, "joinable few", "A b",
          *_lateral("SELECT {P.column>n} FROM {P} WHERE {P.}{theirs} = {A.}{mine}{P.and}")),
)  # fmt: skip

TEXTS: Mapping[str, tuple[Production[str], ...]] = {
    "int mod 7": texts(1, "{int} % 7"),
    "int fixed": texts(1, "{1|0} % 7"),
    "int counted": texts(1, "LEAST(COUNT(*), {5|9})"),
    "bool p": texts(1, "({p})"),
    "bool test": texts(1, "({test or p})"),
    "columns": (Production("columns", 1, lambda w, _: ", ".join(c.sql for c in w.scope)),),
    "constants": texts(
        1, "range({1|2|3|4})", "generate_series({-1|0|1|2|3}, {1|2|3|4}, 2)", "unnest([{-1|0|1|2|3}])",
        "unnest([{0|1|2}, {-1|0|1|2|3}, {1|2|3}])", "(VALUES ({-1|0|1|2}), ({0|1|2|3}))", "(VALUES ({-1|0|1|2|3}))",
    ),
}  # fmt: skip
