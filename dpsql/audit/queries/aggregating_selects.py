"""Aggregating SELECTs, and whole queries made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpsql.audit.queries.generated_query import MARK, PARAMETER, Params, Query
from dpsql.audit.queries.random_aggregates import measures
from dpsql.audit.queries.two_dialects import to_dpsql, to_duckdb
from dpsql.audit.queries.writer import Item, Writer
from dpsql.slotted import dataclass

ANY = Query()
_SELECT = "SELECT "
_CLAUSE = "WITH DIFFERENTIAL_PRIVACY OPTIONS({}) "
# Limits that bite, and one that does not.
_LIMITS = ("max_rows_contributed = 1", "max_rows_contributed = 2", "max_groups_contributed = 1",
           "max_rows_contributed = 2, max_groups_contributed = 1", "epsilon = 0.5")  # fmt: skip
_WIDE_LIMITS = ("epsilon = 0.5", "max_rows_contributed = 4000", "max_groups_contributed = 3000")


@dataclass(frozen=True, slots=True)
class Select:
    """An aggregating SELECT: its text, and its keys and measures with their names."""

    sql: str
    keys: tuple[Item, ...]
    measures: tuple[Item, ...]
    names: tuple[str, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        """The role of each column."""
        return tuple(item.role for item in (*self.keys, *self.measures))

    def named(self, *roles: str) -> list[str]:
        """The names of the columns with these roles."""
        return [name for name, role in zip(self.names, self.roles, strict=True) if role in roles]


def source(w: Writer) -> tuple[str, Writer]:
    """A FROM clause, and a writer that names its columns."""
    found = w.write(w.grammar.sources)
    return found.sql, w.over(found.scope)


def listed(w: Writer, keys: Sequence[str], found: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A list of SELECT, and the names in it: k0, k1 and so on of keys, and m0, m1 and so on of measures."""
    places = (*(f"k{i}" for i in range(len(keys))), *(f"m{i}" for i in range(len(found))))
    names = tuple(map(w.name, places))
    return ", ".join(f"{sql} AS {name}" for sql, name in zip((*keys, *found), names, strict=True)), names


def aggregating(w: Writer, keys: int, robust: bool, sets: bool = False) -> Select:
    """One aggregating SELECT; `robust` leaves out the groups without rows, so that anything may stand on top.

    With `sets` it has several grouping sets, which a last column tells apart.
    """
    rows, e = source(w)
    conditions = [*e.some(w.grammar.conditions), *([e.of("p", "2")] if w.chance(0.5) else [])]
    where = f" WHERE {' AND '.join(f'({c})' for c in conditions)}" if conditions else ""
    by, found = tuple(e.write(w.grammar.keys) for _ in range(keys)), tuple(measures(e))
    items, names = listed(w, [key.sql for key in by], [m.sql for m in found])
    group = _group_by(w, by, names) if keys else ""
    if sets:
        items += f", GROUPING({', '.join(names[:keys])}) AS {w.name('g')}"
        group = _grouping_sets(w, names[:keys])
    having = ""
    if robust and keys:
        having = f" HAVING COUNT(*) > 0{_having(w, found)}"
    elif w.chance(0.2) and not w.exact:
        having = f" HAVING {found[0].sql} > 1"
    return Select(f"SELECT {items} FROM {rows}{where}{group}{having}", by, found, names)


def _group_by(w: Writer, keys: Sequence[Item], names: Sequence[str]) -> str:
    listed = [key.sql for key in keys]
    named = {"ordinal": [str(i + 1) for i in range(len(keys))], "alias": names[: len(keys)], "all": ["ALL"]}
    if not any(MARK in sql for sql in listed):  # a parameter is not equal to itself
        named["text"] = listed
    form = w.one(*named)
    w.tag(f"group by {form}")
    return f" GROUP BY {', '.join(named[form])}"


def _grouping_sets(w: Writer, keys: Sequence[str]) -> str:
    first, rest, every = keys[0], ", ".join(keys[1:]), ", ".join(keys)
    named = {
        "rollup": f"ROLLUP ({every})",
        "cube": f"CUBE ({every})",
        "sets": f"GROUPING SETS (({every}), {keys[-1]}, ())",
        "apart": f"GROUPING SETS ({every}, ())",
        "mixed": f"{first}, ROLLUP ({rest})" if rest else f"GROUPING SETS (({first}), ())",
    }
    form = w.one(*named)
    w.tag(f"group by {form}")
    return f" GROUP BY {named[form]}"


def _having(w: Writer, found: Sequence[Item]) -> str:
    counts = [m.sql for m in found if m.role == "count" and MARK not in m.sql]
    if not counts or w.chance(0.5):
        return ""
    w.tag("having")
    return w.fill(" AND {count} {>|<=|<>} {1|2|4}", count=w.one(*counts))


def asked(w: Writer, sql: str, known: Query = ANY) -> Query:
    """The whole query of a text, with what is `known` of its rows, and the text of its scores."""
    ctes = f"WITH {', '.join(w.ctes)} " if w.ctes else ""
    if ctes and sql.startswith("WITH "):
        ctes, sql = f"{ctes[:-1]}, ", sql.removeprefix("WITH ")
    full, params = _bound(w, ctes + sql)
    mine, described = to_dpsql(full), to_duckdb(full) if "foreign" in w.tags else None
    if sql.startswith(_SELECT) and not w.binding and w.chance(0.1):
        w.tag("differential privacy clause")
        described = described or mine
        clause = _CLAUSE.format(w.one(*(_WIDE_LIMITS if w.exact else _LIMITS)))
        mine = to_dpsql(ctes + sql.replace(_SELECT, _SELECT + clause, 1))
    score = to_duckdb(ctes + known.score) if known.score is not None else None
    return replace(
        known, sql=mine, plain=score or to_duckdb(full), params=params, score=score, described=described,
        tags=frozenset(w.tags), productions=frozenset(w.productions),
    )  # fmt: skip


def _bound(w: Writer, sql: str) -> tuple[str, Params]:
    """The text with its parameters as `?` or `$name`, and their values."""
    used = PARAMETER.findall(sql)
    if not used:
        return sql, None
    if w.chance(0.5):
        w.tag("? parameters")
        return PARAMETER.sub("?", sql), tuple(w.params[n] for n in used)
    w.tag("$ parameters")
    return PARAMETER.sub(lambda m: "$" + m[1], sql), {n: w.params[n] for n in used}
