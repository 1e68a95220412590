"""A grammar of FROM clauses, keys, aggregates and aggregating SELECTs over the private table."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from fuzz.expressions import Expressions, Scope
from fuzz.worlds import COLUMNS, World

KINDS = {
    "integer": "int",
    "float": "float",
    "text": "text",
    "boolean": "bool",
    "date": "date",
    "timestamp": "ts",
}
PUBLIC_COLUMNS: dict[str, Scope] = {
    "regions": (("region", "text"), ("country", "text"), ("weight", "int"), ("rate", "float")),
    "tags": (("region", "text"), ("tag", "text"), ("score", "int")),
    "nums": (("n", "int"),),
    "products": (("product", "int"), ("kind", "text")),
}
ALIAS = {"regions": "r", "tags": "g", "nums": "u", "products": "p"}
OPEN, CLOSE = "\x01", "\x02"
_BOUNDED = ("age", "quantity", "mark", "amount", "price", "big")


@dataclass(frozen=True, slots=True)
class Select:
    """An aggregating SELECT: its text, the names and kinds of its outputs, and how many of them are keys."""

    sql: str
    outputs: tuple[tuple[str, str, str], ...]  # name, SQL type, role
    keys: int
    tail: str = ""


@dataclass(slots=True)
class Selects:
    """Draws the parts of queries for one policy. `exact` keeps to what can be compared with DuckDB's own answer."""

    draw: random.Random
    world: World
    exact: bool = False
    binding: bool = False
    params: dict[str, object] = field(default_factory=dict)
    ctes: list[str] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    names: int = 0

    def _chance(self, p: float) -> bool:
        return self.draw.random() < p

    def _fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def _expressions(self, scope: Scope) -> Expressions:
        return Expressions(self.draw, scope, self.exact, self.params, self.binding)

    def _tag(self, *names: str) -> None:
        self.tags |= set(names)

    # Sources of private rows.

    def _base(self) -> tuple[str, Scope]:
        """The private table, itself or behind a derived table or a WITH query; columns unqualified."""
        columns = tuple((c, KINDS[COLUMNS[c][0]]) for c in COLUMNS if c != "secret")
        if self._chance(0.75):
            return "t", columns
        e = self._expressions(columns)
        where = f" WHERE {e.condition(1)}" if self._chance(0.5) else ""
        if self._chance(0.3):
            inner, scope = "*", columns
        else:
            picked = tuple(c for c in columns if self._chance(0.7)) or columns
            extra = tuple((self._fresh("x"), k) for k in ("int", "float", "text") if self._chance(0.5))
            written = [f"{e.of(k, 2)} AS {n}" for n, k in extra]
            unit = ["user_id"] if self.world.unit and self._chance(0.8) else []
            inner, scope = ", ".join([*unit, *(n for n, _ in picked), *written]), picked + extra
        if self._chance(0.5):
            self._tag("cte of rows")
            name = self._fresh("w")
            self.ctes.append(f"{name} AS (SELECT {inner} FROM t{where})")
            return name, scope
        self._tag("derived rows")
        return f"(SELECT {inner} FROM t{where})", scope

    def _from(self) -> tuple[str, Scope]:
        """A FROM clause with private rows, and what it lets a query name."""
        source, columns = self._base()
        if self._chance(0.5):
            return (f"{source} AS t" if source != "t" else "t"), columns
        own = tuple((f"t.{c}", k) for c, k in columns)
        joined = f"{source} AS t"
        names = {c for c, _ in columns}
        for table in self.draw.sample(tuple(PUBLIC_COLUMNS), 1 if self._chance(0.8) else 2):
            joined, more = self._join(joined, table, names)
            own += more
        return joined, own

    def _join(self, left: str, table: str, names: set[str]) -> tuple[str, Scope]:
        alias = ALIAS[table]
        scope = tuple((f"{alias}.{c}", k) for c, k in PUBLIC_COLUMNS[table])
        key = PUBLIC_COLUMNS[table][0][0]
        if key not in names:
            self._tag("cross join")
            return self.draw.choice((f"{left} CROSS JOIN {table} {alias}", f"{left}, {table} {alias}")), scope
        word = self.draw.choice(("JOIN", "LEFT JOIN", "INNER JOIN", "LEFT OUTER JOIN"))
        self._tag("left join" if "LEFT" in word else "join", "fan-out" if table == "tags" else "unique join")
        if table == "regions" and self._chance(0.2):
            return f"{left} {word} {table} {alias} ON t.{key} = {alias}.{key} AND {alias}.weight > 0", scope
        return f"{left} {word} {table} {alias} ON {alias}.{key} = t.{key}", scope

    # Aggregates and keys.

    def _number(self, e: Expressions) -> str:
        """A numeric argument, mostly with a finite range."""
        bounded = [c for c, _ in e.scope if c.split(".")[-1] in _BOUNDED]
        totals = [c for c in bounded if c.split(".")[-1] in dict(self.world.totals)]
        if totals and self._chance(0.4):
            return self.draw.choice(totals)
        if bounded and self._chance(0.2):
            return f"({self.draw.choice(bounded)} {self.draw.choice('+-*')} {self.draw.choice(bounded)})"
        if bounded and self._chance(0.5):
            return self.draw.choice(bounded)
        kind = self.draw.choice(("int", "float"))
        inner = e.of(kind, 2)
        if bounded and self._chance(0.3):
            branch = self.draw.choice(bounded)
            return f"CASE WHEN {e.condition(1)} THEN {branch} {self.draw.choice(('', 'ELSE 0', 'ELSE NULL'))} END"
        return inner if self._chance(0.4) else f"LEAST(GREATEST({inner}, -20), 50)"

    def _aggregate(self, e: Expressions) -> tuple[str, str, str]:
        """An aggregate with its SQL type and role."""
        only = f" FILTER (WHERE {e.condition(1)})" if self._chance(0.2) else ""
        self._tag(*(["filter"] if only else []))
        kind = self.draw.choice(
            ("rows", "rows", "count", "distinct", "unit", "if", "sum", "sum", "avg", "avg", "var", "std")
        )
        self._tag(f"aggregate {kind}")
        if kind == "unit" and self.world.unit and self._has_unit(e):
            return f"COUNT(DISTINCT user_id){only}", "int", "count"
        if kind in ("rows", "unit"):
            return f"COUNT(*){only}", "int", "count"
        if kind == "count":
            return (
                f"COUNT({e.of(self.draw.choice(('int', 'text', 'float', 'date')), 1)}){only}",
                "int",
                "count",
            )
        if kind == "distinct":
            return (
                f"COUNT(DISTINCT {e.of(self.draw.choice(('int', 'text', 'bool', 'date')), 1)}){only}",
                "int",
                "count",
            )
        if kind == "if":
            return f"{OPEN}COUNT_IF({e.condition(1)}){only}{CLOSE}", "int", "count"
        value = self._number(e)
        if kind == "sum":
            return f"{OPEN}SUM({value}){only}{CLOSE}", "float", "sum"
        name = {
            "avg": ("AVG", "mean"),
            "var": ("VAR_SAMP", "VAR_POP", "VARIANCE"),
            "std": ("STDDEV", "STDDEV_POP", "STDDEV_SAMP"),
        }[kind]
        return f"{self.draw.choice(name)}({value}){only}", "float", "null"

    def _has_unit(self, e: Expressions) -> bool:
        return not self.ctes and any(c in ("city", "t.city") for c, _ in e.scope)

    def _key(self, e: Expressions) -> tuple[str, str]:
        """A grouping key with its type: declared, derived or private."""
        names = {c.split(".")[-1]: c for c, _ in e.scope}
        options = [
            (names[c], k)
            for c, k in (("region", "text"), ("flag", "bool"), ("quantity", "int"), ("level", "int"),
                         ("mark", "int"), ("country", "text"),
                         ("tag", "text"), ("n", "int"), ("kind", "text"), ("city", "text"), ("product", "int"))
            if c in names
        ]  # fmt: skip
        derived = [
            (f"CASE WHEN {e.condition(1)} THEN 'yes' ELSE 'no' END", "text"),
            (f"({e.condition(1)})", "bool"),
            (f"CASE WHEN {e.condition(0)} THEN {e.of('text', 1)} WHEN {e.condition(1)} THEN 'b' END", "text"),
            (f"({e.of('int', 1)}) % 3", "int"),
            (e.of("text", 2), "text"),
        ]
        if "day" in names:
            derived += [
                (f"date_trunc('month', {names['day']})", "ts"),
                (f"EXTRACT(month FROM {names['day']})", "int"),
            ]
        if "moment" in names:
            derived += [(f"date_trunc('{self.draw.choice(('hour', 'day'))}', {names['moment']})", "ts")]
        if "age" in names:
            derived += [(f"{names['age']} // 10", "int"), (f"{names['age']} // 10 * 10", "int")]
        return self.draw.choice(options if options and self._chance(0.6) else derived)

    # SELECTs.

    def _aggregating(self, keys: int, robust: bool) -> Select:
        """One aggregating SELECT; `robust` leaves out the groups without rows, so that anything may stand on top."""
        source, scope = self._from()
        e = self._expressions(scope)
        where = f" WHERE {e.condition(2)}" if self._chance(0.5) else ""
        written = [self._key(e) for _ in range(keys)]
        measures = [self._aggregate(e) for _ in range(self.draw.choice((1, 1, 2, 3, 4)))]
        outputs = [(f"k{i}", kind, "key") for i, (_, kind) in enumerate(written)]
        outputs += [(f"m{i}", kind, role) for i, (_, kind, role) in enumerate(measures)]
        items = [f"{sql} AS k{i}" for i, (sql, _) in enumerate(written)]
        items += [f"{sql} AS m{i}" for i, (sql, _, _) in enumerate(measures)]
        group = ""
        if keys:
            named = self.draw.choice(("ordinal", "alias", "text", "all"))
            columns = {c.split(".")[-1] for c, _ in scope}
            assert not columns & {n for n, _, _ in outputs}
            by = {
                "ordinal": ", ".join(str(i + 1) for i in range(keys)),
                "alias": ", ".join(f"k{i}" for i in range(keys)),
                "text": ", ".join(sql for sql, _ in written),
                "all": "ALL",
            }[named]
            bound = "$" in by or any("$" in sql for sql, _ in written)
            group = f" GROUP BY {by if not (bound and named == 'text') else '1' if keys == 1 else '1, 2'}"
            self._tag(f"group by {named}")
        having = ""
        if robust and keys:
            having = f" HAVING COUNT(*) > 0{self._having(measures)}"
        elif self._chance(0.2) and not self.exact:
            having = f" HAVING {measures[0][0]} > 1"
        return Select(f"SELECT {', '.join(items)} FROM {source}{where}{group}{having}", tuple(outputs), keys)

    def _having(self, measures: list[tuple[str, str, str]]) -> str:
        counts = [sql for sql, _, role in measures if role == "count" and "$" not in sql]
        if not counts or not self._chance(0.5):
            return ""
        self._tag("having")
        return f" AND {self.draw.choice(counts)} {self.draw.choice(('>', '<=', '<>'))} {self.draw.choice((1, 2, 4))}"
