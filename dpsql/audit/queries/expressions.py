"""A grammar of typed SQL expressions over the columns that a SELECT has in scope."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from dpsql.algebra.expressions import LiteralValue
from dpsql.audit.queries.calls import CALLS
from dpsql.audit.queries.schema_view import ColumnView

_COMPARE = ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
_PATTERNS = ("'o%'", "'%N%'", "'_o%'", "'%'", "''")
_EXPRESSIONS = ("'^(n|so).*t'", "'[^a-m]o?r{1,2}'", "'\\w+\\s?$'", "''")
_MATCHES = ("~", "!~", "SIMILAR TO", "NOT SIMILAR TO")
_EXTRACTED = ("'[a-m]+'", "'(o)(r)?', 2", "'^.', 0")
_REPLACED = ("'[aeiou]', ''", "'o', 'x', 'g'", "'(.)(o)', '\\2\\1', 'g'", "'', '-', 'g'")
_FORMATS = ("'%Y-%m'", "'%A %d'", "'%H:%M'")
_ZONES = (
    "'UTC' AT TIME ZONE 'America/New_York'",
    "'Europe/Berlin' AT TIME ZONE 'UTC'",
    "'utc' AT TIME ZONE 'UTC'",
)
_LITERALS: Mapping[str, tuple[LiteralValue, ...]] = {
    "int": (0, 1, 2, 3, 5, 7, -1, -3, 100, 4503599627370496),
    "float": (0.0, 0.5, 1.5, -2.25, 3.0, 10.5, 100.0, 1e6),
    "text": ("north", "a", "toy", "NN", "", "b_rn", "o%", "it's", "é"),
    "date": (date(2025, 1, 1), date(2025, 3, 15), date(2025, 6, 30)),
    "bool": (True, False),
}
_ARGUMENT = re.compile(r"\{([a-z]+)\}")
# A parameter in a text that is being made: no name of a policy holds a control character.
MARK, END_MARK = "\x03", "\x04"


@dataclass(frozen=True, slots=True)
class Ref:
    """A column in scope: SQL that names it, its kind, and the policy's column behind it, if one is.

    The kind is one of int, float, text, bool, date, ts, or unit for the column that names the owner of a row.
    """

    sql: str
    kind: str
    column: ColumnView | None = None


Scope = tuple[Ref, ...]


def qualified(scope: Scope, alias: str) -> Scope:
    """The columns as columns of `alias`."""
    return tuple(replace(r, sql=f"{alias}.{r.sql}") for r in scope)


def constant(value: LiteralValue) -> str:
    """A constant as SQL."""
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value}'"
    if isinstance(value, date):
        return f"DATE '{value}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):
        return f"{value!r}::DOUBLE" if "e" in repr(value) else f"CAST({value} AS DOUBLE)"
    return str(value).upper()


_OF_PARTS = (
    "{c} = {v}", "{c} = {v}", "{c} IN ({v}, {w})", "({c} = {v} OR {c} = {w})", "{c} <> {v}", "{c} IS NOT NULL",
    "{c} IS NULL", "{c} IS DISTINCT FROM {v}", "NOT ({c} IN ({v}, {w}))", "COALESCE({c}, {v}) = {v}",
    "CASE WHEN {c} = {v} THEN {c} = {w} ELSE {c} = {w} END",
)  # fmt: skip


@dataclass(slots=True)
class Expressions:
    """Draws expressions; literals become parameters now and then, their values in `params`.

    `known` are the constants of the policy, by kind. `exact` leaves out what floating point makes depend on the order
    of operations near a boundary.
    """

    draw: random.Random
    scope: Scope
    known: Mapping[str, tuple[LiteralValue, ...]]
    exact: bool = False
    params: dict[str, LiteralValue] = field(default_factory=dict)
    binding: bool = False

    def of(self, kind: str, depth: int) -> str:
        """An expression of a type."""
        if depth <= 0 or self.draw.random() < 0.2:
            return self.leaf(kind)
        if self.draw.random() < 0.25:
            return self._called(kind, depth - 1)
        table: dict[str, Callable[[int], str]] = {
            "int": self._int,
            "float": self._float,
            "text": self._text,
            "bool": self.condition,
            "date": self._date,
            "ts": self._moment,
        }
        return table[kind](depth - 1)

    def _called(self, kind: str, depth: int) -> str:
        """A call of a function; few arguments are calls again."""
        call = self.draw.choice(CALLS[kind])
        return _ARGUMENT.sub(lambda m: self.of(m[1], min(depth, 1)), call)

    def columns(self, kind: str) -> list[str]:
        """The columns of a type."""
        return [r.sql for r in self.scope if r.kind == kind]

    def leaf(self, kind: str) -> str:
        """A column where there is one, mostly, else a literal."""
        columns = self.columns(kind)
        if columns and (self.draw.random() < 0.8 or kind == "ts"):
            return self.draw.choice(columns)
        return self.literal(kind)

    def literal(self, kind: str) -> str:
        """A constant, written or bound."""
        known = self.known.get(kind, ())
        if kind == "ts":
            return constant(self.draw.choice(known or (datetime(2025, 1, 2, 6),)))
        value = self.draw.choice(known if known and self.draw.random() < 0.5 else _LITERALS[kind])
        if self.binding and self.draw.random() < 0.5 and kind != "float":
            name = f"p{len(self.params)}"
            self.params[name] = value
            return f"{MARK}{name}{END_MARK}"
        return constant(value)

    def _pick(self, *options: Callable[[], str]) -> str:
        return self.draw.choice(options)()

    def _choice(self, kind: str, d: int) -> str:
        """The constructs that every type has."""
        return self._pick(
            lambda: f"CASE WHEN {self.condition(d)} THEN {self.of(kind, d)} ELSE {self.of(kind, d)} END",
            lambda: f"CASE WHEN {self.condition(d)} THEN {self.of(kind, d)} END",
            lambda: f"COALESCE({self.of(kind, d)}, {self.of(kind, d)})",
            lambda: f"NULLIF({self.of(kind, d)}, {self.of(kind, d)})",
            lambda: f"IF({self.condition(d)}, {self.of(kind, d)}, {self.of(kind, d)})",
            lambda: f"GREATEST({self.of(kind, d)}, {self.literal(kind)})" if kind != "ts" else self.of(kind, d),
            lambda: f"LEAST({self.of(kind, d)}, {self.of(kind, d)})",
        )  # fmt: skip

    def _int(self, d: int) -> str:
        part = self.draw.choice(
            ("month", "day", "dow", "isodow", "quarter", "year", "week", "doy", "yearweek")
        )
        unit, k = self.draw.choice(("day", "month", "week")), self.draw.choice((2, 3, 7, 10))
        return self._pick(
            lambda: self._choice("int", d),
            lambda: f"({self.of('int', d)} + {self.of('int', d)})",
            lambda: f"({self.of('int', d)} - {self.of('int', d)})",
            lambda: f"({self.of('int', d)} * {k})",
            lambda: f"({self.of('int', d)} // {k})",
            lambda: f"({self.of('int', d)} // {self.of('int', d)})",
            lambda: f"({self.of('int', d)} {self.draw.choice(('//', '%'))} {self.leaf('int')})",
            lambda: f"({self.of('int', d)} % {self.draw.choice((k, -k))})",
            lambda: f"(- {self.of('int', d)})",
            lambda: f"ABS({self.of('int', d)})",
            lambda: f"EXTRACT({part} FROM {self.of('date', d)})",
            lambda: f"date_part('{part}', {self.of('date', d)})",
            lambda: f"LENGTH({self.of('text', d)})",
            lambda: f"date_diff('{unit}', {self.of('date', d)}, {self.of('date', d)})",
            lambda: f"EXTRACT({self.draw.choice(('hour', 'millisecond'))} FROM {self.of('ts', d)})",
            lambda: f"epoch_ms({self.of('ts', d)})",
            lambda: f"EXTRACT(day FROM ({self.of('ts', d)} - {self.of('ts', d)}))",
            lambda: f"STRPOS({self.of('text', d)}, {self.literal('text')})",
            lambda: f"CAST({self.condition(d)} AS BIGINT)",
            lambda: f"CAST({self.of('float', d)} AS BIGINT)",
            lambda: f"SIGN({self.of('int', d)})",
        )  # fmt: skip

    def _float(self, d: int) -> str:
        return self._pick(
            lambda: self._choice("float", d),
            lambda: f"({self.of('float', d)} + {self.of('float', d)})",
            lambda: f"({self.of('float', d)} - {self.of('int', d)})",
            lambda: f"({self.of('float', d)} * {self.of('int', d)})",
            lambda: f"({self.of('float', d)} * {self.of('float', d)})",
            lambda: f"({self.of('float', d)} / {self.draw.choice((2, 4, -8))})",
            lambda: f"({self.of('int', d)} / {self._divisor(d)})",
            lambda: f"ROUND({self.of('float', d)})" if self.exact else f"ROUND({self.of('float', d)}, 1)",
            lambda: (
                f"FLOOR({self.of('float', d)})"
                if self.exact
                else f"CAST({self.of('float', d)} AS DECIMAL(9, 2))"
            ),
            lambda: f"CEIL({self.of('float', d)})",
            lambda: f"SQRT(ABS({self.of('float', d)}))",
            lambda: f"CAST({self.of('int', d)} AS DOUBLE)",
            lambda: f"LN(ABS({self.of('float', d)}) + CAST(1 AS DOUBLE))",
            lambda: f"ABS({self.of('float', d)})",
            lambda: f"EXTRACT(epoch FROM ({self.of('ts', d)} - {self.of('ts', d)}))",
        )

    def _divisor(self, d: int) -> str:
        """Any integer; where answers are compared with DuckDB's, which has infinities, none that is 0."""
        return f"NULLIF({self.of('int', d)}, 0)" if self.exact else self.of("int", d)

    def _text(self, d: int) -> str:
        n = self.draw.choice((1, 2, 4))
        return self._pick(
            lambda: self._choice("text", d),
            lambda: f"UPPER({self.of('text', d)})",
            lambda: f"LOWER({self.of('text', d)})",
            lambda: f"TRIM({self.of('text', d)})",
            lambda: f"SUBSTRING({self.of('text', d)}, {n}, 2)",
            lambda: f"LEFT({self.of('text', d)}, {n})",
            lambda: f"({self.of('text', d)} || {self.literal('text')})",
            lambda: f"CONCAT({self.of('text', d)}, '-', {self.of('text', d)})",
            lambda: f"REPLACE({self.of('text', d)}, 'o', 'x')",
            lambda: f"CAST({self.of('int', d)} AS VARCHAR)",
            lambda: f"regexp_extract({self.of('text', d)}, {self.draw.choice(_EXTRACTED)})",
            lambda: f"regexp_replace({self.of('text', d)}, {self.draw.choice(_REPLACED)})",
            lambda: f"CONCAT_WS('-', {self.of('text', d)}, {self.of('text', d)}, {self.of('int', d)})",
            lambda: f"{self.draw.choice(('LPAD', 'RPAD'))}({self.of('text', d)}, {n}, 'o')",
            lambda: f"SPLIT_PART({self.of('text', d)}, 'o', {n})",
            lambda: f"strftime({self.of(self.draw.choice(('date', 'ts')), d)}, {self.draw.choice(_FORMATS)})",
            lambda: f"{self.draw.choice(('dayname', 'monthname'))}({self.of('date', d)})",
        )

    def _date(self, d: int) -> str:
        n, unit = self.draw.choice((1, 3, 12)), self.draw.choice(("DAY", "MONTH", "WEEK"))
        return self._pick(
            lambda: self._choice("date", d),
            lambda: f"({self.of('date', d)} + {n})",
            lambda: f"CAST(({self.of('date', d)} - INTERVAL {n} {unit}) AS DATE)",
            lambda: f"LAST_DAY({self.of('date', d)})",
            lambda: f"CAST({self.of('ts', d)} AS DATE)",
            lambda: self._made(d),
        )

    def _made(self, d: int) -> str:
        """A date of its parts; DuckDB raises where there is none."""
        year, month = f"YEAR({self.of('date', d)})", self.leaf("int")
        if self.exact:
            return f"MAKE_DATE({year}, CASE WHEN {month} BETWEEN 1 AND 12 THEN {month} END, 28)"
        return f"MAKE_DATE({year}, {month}, {self.leaf('int')})"

    def _moment(self, d: int) -> str:
        unit = self.draw.choice(("hour", "day", "week", "month", "quarter", "year"))
        return self._pick(
            lambda: f"date_trunc('{unit}', {self.of('ts', d)})",
            lambda: f"({self.of('ts', d)} + INTERVAL 90 MINUTE)",
            lambda: f"({self.of('date', d)} - CAST({self.of('int', d)} % 9 AS BIGINT) * INTERVAL 36 HOUR)",
            lambda: f"{self._atom(d)} AT TIME ZONE {self.draw.choice(_ZONES)}",
            lambda: (
                f"time_bucket(INTERVAL {self.draw.choice(('90 MINUTE', '10 DAY', '5 MONTH'))}, {self.of('ts', d)})"
            ),
            lambda: f"CAST({self.of('date', d)} AS TIMESTAMP)",
        )

    def _atom(self, d: int) -> str:
        """A moment that a zone may stand behind."""
        return f"CAST({self.of(self.draw.choice(('ts', 'date')), d)} AS TIMESTAMP)"

    def _quantified(self, kind: str) -> str:
        word = self.draw.choice(("= ANY([{}])", "= SOME(ARRAY[{}])", "<> ALL([{}])"))
        return word.format(", ".join(self.literal(kind) for _ in range(self.draw.choice((1, 2)))))

    def _rows(self, first: str, second: str) -> str:
        """Rows of two values, compared with one or two others."""
        this = f"({self.leaf(first)}, {self.leaf(second)})"
        others = [f"({self.literal(first)}, {self.literal(second)})" for _ in range(2)]
        if self.draw.random() < 0.5:
            return f"{this} {self.draw.choice(('IN', 'NOT IN'))} ({', '.join(others)})"
        other = self.draw.choice(
            (others[0], f"({self.leaf(first)}, NULL)", f"({self.leaf(first)}, {self.leaf(second)})")
        )
        return f"{this} {self.draw.choice(('=', '<>'))} {other}"

    def some_parts(self) -> list[str]:
        """Mostly a condition on the partition's column, where one is in scope."""
        columns = [r for r in self.scope if r.column is not None and r.column.partition]
        if not columns or self.draw.random() < 0.2:
            return []
        ref = self.draw.choice(columns)
        assert ref.column is not None
        v, w = (constant(self.draw.choice(ref.column.values or (False, True))) for _ in range(2))
        return [self.draw.choice(_OF_PARTS).format(c=ref.sql, v=v, w=w)]

    def condition(self, d: int) -> str:
        """A predicate."""
        kind = self.draw.choice(("int", "float", "text", "date", "int", "text"))
        boolean = self.columns("bool")
        if self.draw.random() < 0.15:
            return self._called("bool", d)
        return self._pick(
            lambda: f"{self.of(kind, d)} {self.draw.choice(_COMPARE)} {self.of(kind, d)}",
            lambda: f"{self.leaf(kind)} {self.draw.choice(_COMPARE)} {self.literal(kind)}",
            lambda: f"{self.of(kind, d)} IN ({self.literal(kind)}, {self.literal(kind)}, {self.leaf(kind)})",
            lambda: f"{self.leaf(kind)} NOT IN ({self.literal(kind)}, {self.literal(kind)})",
            lambda: f"{self.of(kind, d)} BETWEEN {self.literal(kind)} AND {self.literal(kind)}",
            lambda: f"{self.leaf(kind)} {self._quantified(kind)}",
            lambda: self._rows(kind, self.draw.choice(("int", "text", "date", "float"))),
            lambda: (
                f"{self.of('text', d)} {self.draw.choice(('LIKE', 'ILIKE', 'NOT LIKE'))} {self.draw.choice(_PATTERNS)}"
            ),
            lambda: f"regexp_matches({self.of('text', d)}, {self.draw.choice(_EXPRESSIONS)})",
            lambda: f"{self.leaf('text')} {self.draw.choice(_MATCHES)} {self.draw.choice(_EXPRESSIONS)}",
            lambda: f"{self.of(kind, d)} IS {self.draw.choice(('', 'NOT '))}NULL",
            lambda: (
                f"({self.of('ts', d)} - {self.of('ts', d)}) {self.draw.choice(_COMPARE)} INTERVAL 90 MINUTE"
            ),
            lambda: f"({self.condition(d - 1)} AND {self.condition(d - 1)})" if d > 0 else "TRUE",
            lambda: f"({self.condition(d - 1)} OR {self.condition(d - 1)})" if d > 0 else "FALSE",
            lambda: f"NOT ({self.condition(d - 1)})" if d > 0 else "NOT FALSE",
            lambda: self.draw.choice(boolean) if boolean else "TRUE",
            lambda: f"({self.draw.choice(boolean)} IS NOT TRUE)" if boolean else "(1 = 1)",
        )
