"""Random sessions: a question by groups, and later ones that it implies, or nearly."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from fuzz.worlds import World

# Conditions compare a key with what can be in it, what cannot, and NULL.
_TEXT = ("'north'", "'south'", "'east'", "''", "'west'", "NULL")
_FEW = ("1", "2", "3", "-1", "5", "9", "0", "NULL")
VALUES: Mapping[str, tuple[str, ...]] = {
    "region": _TEXT,
    "home": _TEXT,
    "level": _FEW,
    "mark": _FEW,
    "kind": _FEW,
    "quantity": ("-3", "0", "4", "10", "11", "NULL"),
    "flag": ("TRUE", "FALSE", "NULL"),
    "country": ("'NN'", "'SS'", "'XX'", "NULL"),
    "weight": ("3", "-1", "0", "2", "7", "NULL"),
    "tag": ("'a'", "'b'", "'c'", "NULL"),
    "n": ("1", "2", "3", "NULL"),
    "city": ("'oslo'", "''", "NULL"),
    "product": ("1", "2", "NULL"),
    "day": ("DATE '2025-01-31'", "DATE '2025-04-01'", "NULL"),
}
_SAID = ("NULL", "TRUE", "FALSE", "1 = 1", "1 > 2", "NULL = 1", "NULL IS NULL", "1 IN (2, NULL)", "NOT NULL")
_COMPARE = ("=", "<>", "<", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")


@dataclass(frozen=True, slots=True)
class Source:
    """A FROM clause: the private columns and the public ones that may be keys, and what may be measured."""

    sql: str
    keys: tuple[str, ...]
    numbers: tuple[str, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its rows, its groups and its measures, each a name of an aggregate with its argument."""

    source: Source
    keys: tuple[str, ...]
    where: tuple[str, ...]
    measures: tuple[tuple[str, str], ...]
    having: str = ""
    rolled: bool = False
    epsilon: str = "1"

    def text(self, *, plain: bool = False, fresh: bool = False) -> str:
        """The query; `plain` for DuckDB alone, where a sum over nothing is 0."""
        options = (
            ""
            if plain
            else f"WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = {self.epsilon}{', fresh = true' * fresh}) "
        )
        keys = [f"{key} AS k{i}" for i, key in enumerate(self.keys)]
        items = [*keys, *(f"{_call(m, plain)} AS m{i}" for i, m in enumerate(self.measures))]
        source = self.source.sql
        where = f" WHERE {' AND '.join(f'({c})' for c in self.where)}" if self.where else ""
        group = f" GROUP BY {self._groups()}" if self.keys else ""
        having = f" HAVING {self.having}" if self.having else ""
        return f"SELECT {options}{', '.join(items)} FROM {source}{where}{group}{having}"

    def _groups(self) -> str:
        places = ", ".join(str(i + 1) for i in range(len(self.keys)))
        return f"ROLLUP ({', '.join(self.keys)})" if self.rolled else places

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The role of each column, where groups without rows are in the answer."""
        if self.having or self.rolled:
            return None
        return ("key",) * len(self.keys) + tuple(_role(name) for name, _ in self.measures)


def _call(measure: tuple[str, str], plain: bool) -> str:
    name, x = measure
    if name == "COUNT DISTINCT":
        return f"COUNT(DISTINCT {x})"
    if name == "QUANTILE":
        return f"CAST(QUANTILE_DISC({x}, 0.5) AS DOUBLE)" if plain else f"QUANTILE_CONT({x}, 0.5)"
    if name == "FILTER":
        return f"COUNT(*) FILTER (WHERE {x})"
    called = f"{name}({x})"
    return f"COALESCE({called}, 0)" if plain and name == "SUM" else called


def _role(name: str) -> str:
    return {"SUM": "sum", "COUNT": "count", "COUNT DISTINCT": "count", "FILTER": "count"}.get(name, "null")


def sources(world: World) -> tuple[Source, ...]:
    """What questions of a policy are about."""
    own = ("region", "flag", "level", "mark", "quantity", "city", "product")
    grouped = (
        *own,
        "EXTRACT(month FROM day)",
        "date_trunc('month', day)",
        "CASE WHEN level > 1 THEN 'x' END",
    )
    numbers = ("quantity", "level", "amount", "age", "price")
    unit = "user_id" if world.unit else ""
    t, x = _under("t", own), _under("t", numbers)
    joined = Source("t JOIN regions r ON t.region = r.region", (*t, "r.country", "r.weight"), x, unit)
    found = [
        Source("t", grouped, numbers, unit),
        Source("(SELECT * FROM t WHERE level > 1 OR level IS NULL) AS v", grouped, numbers, unit),
        joined,
        replace(joined, sql=joined.sql.replace("JOIN", "LEFT JOIN")),
        Source("t JOIN tags g ON t.region = g.region", (*t, "g.tag"), x, unit),
        Source("t CROSS JOIN nums m", (*t, "m.n"), x, unit),
        Source(
            "regions r LEFT JOIN t ON t.region = r.region", ("r.region", "r.country", "r.weight"), x, unit
        ),
    ]
    if world.linked:
        people = "t JOIN people p ON t.user_id = p.person"
        found.append(Source(people, (*t, "p.home"), x, "t.user_id"))
        found.append(
            Source("items i JOIN t ON i.of_row = t.row_key", (*t, "i.kind"), (*x, "i.worth"), "t.user_id")
        )
    return tuple(found)


def _under(alias: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{alias}.{name}" for name in names)


@dataclass(frozen=True, slots=True)
class Asking:
    """Draws the questions of a session."""

    draw: random.Random
    world: World

    def first(self) -> Asked:
        """A question by up to three groups."""
        source = self.draw.choice(sources(self.world))
        keys = tuple(self.draw.sample(source.keys, self.draw.choice((0, 1, 2, 2, 2, 3))))
        where = (self.condition(source.keys, 1),) if self.draw.random() < 0.3 else ()
        measures = tuple(self._measure(source) for _ in range(self.draw.choice((1, 2, 3))))
        return Asked(source, keys, where, measures)

    def later(self, earlier: Asked) -> Asked:
        """A question about the same rows or some of them: often implied, often nearly."""
        draw = self.draw
        count = len(earlier.keys)
        keys = tuple(draw.sample(earlier.keys, count if draw.random() < 0.5 else draw.randint(0, count)))
        if self.world.groups:  # which groups of a unit are kept depends on the order of the keys
            keys = tuple(k for k in earlier.keys if k in keys)
        other = [k for k in earlier.source.keys if k not in keys]
        if other and draw.random() < 0.05:
            keys = (*keys, draw.choice(other))
        about = earlier.keys if earlier.keys and draw.random() < 0.9 else earlier.source.keys
        more = tuple(self.condition(about, draw.choice((0, 1, 2))) for _ in range(draw.choice((0, 1, 1, 2))))
        where = tuple(draw.sample((*earlier.where, *more), len(earlier.where) + len(more)))
        if earlier.where and draw.random() < 0.1:
            where = tuple(c for c in where if c not in earlier.where)
        asked = replace(earlier, keys=keys, where=where, measures=self._less(earlier, about))
        asked = replace(asked, epsilon=draw.choice(("1", "0.5", "0.05", "0.05")))
        if keys and draw.random() < 0.2:
            return replace(asked, rolled=True, having="COUNT(*) > 0")
        return replace(asked, having=self._having(keys)) if keys and draw.random() < 0.2 else asked

    def _having(self, keys: tuple[str, ...]) -> str:
        key = self.draw.choice(keys)
        return f"COUNT(*) > {self.draw.choice((0, 2))} AND ({self._plain(key) if _name(key) in VALUES else 'TRUE'})"

    def _less(self, earlier: Asked, about: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """Some of the measures, or what is computed on the way to them."""
        on_the_way = {"AVG": ("SUM", "COUNT", "AVG"), "STDDEV_SAMP": ("AVG", "VAR_POP", "COUNT", "SUM")}
        picked = self.draw.sample(earlier.measures, self.draw.randint(1, len(earlier.measures)))
        found = [(self.draw.choice(on_the_way.get(name, (name,))), x) for name, x in picked]
        chance = self.draw.random()
        if chance < 0.05:
            found.append(self._measure(earlier.source))
        elif chance < 0.1:
            found.append(("FILTER", self.condition(about, 1)))
        return tuple(found)

    def _measure(self, source: Source) -> tuple[str, str]:
        name = self.draw.choice(
            ("COUNT", "COUNT", "COUNT", "SUM", "AVG", "STDDEV_SAMP", "COUNT DISTINCT", "QUANTILE")
        )
        x = self.draw.choice(source.numbers)
        if name == "COUNT" and "regions r LEFT" not in source.sql:
            return name, self.draw.choice(("*", "*", x))
        if name == "COUNT DISTINCT" and source.unit:
            return name, source.unit
        if name in ("STDDEV_SAMP", "QUANTILE"):  # exact for integers
            return name, next(n for n in source.numbers if n.endswith(("quantity", "level")))
        return name, x

    def condition(self, keys: tuple[str, ...], depth: int) -> str:
        """A condition on some of the keys, or on none."""
        known = [k for k in keys if _name(k) in VALUES]
        if depth and self.draw.random() < 0.6:
            a, b = self.condition(keys, depth - 1), self.condition(keys, depth - 1)
            return self.draw.choice((f"({a}) OR ({b})", f"({a}) AND ({b})", f"NOT ({a})", f"({a}) IS NOT TRUE",
                                     f"CASE WHEN {a} THEN {b} END", f"COALESCE({a}, {b})"))  # fmt: skip
        if not known or self.draw.random() < 0.12:
            return self.draw.choice(_SAID)
        return self._plain(self.draw.choice(known))

    def _plain(self, key: str) -> str:
        values = VALUES[_name(key)]
        a, b = self.draw.choice(values), self.draw.choice(values)
        sub = "SELECT region FROM tags WHERE score > 1" if _name(key) == "region" else f"SELECT {a}"
        options = [
            f"{key} {self.draw.choice(_COMPARE)} {a}",
            f"{key} = {a}",
            f"{key} IN ({a}, {b})",
            f"{key} NOT IN ({a}, {b})",
            f"{key} BETWEEN {a} AND {b}",
            f"{key} IS NULL",
            f"{key} IS NOT NULL",
            f"COALESCE({key}, {a}) = {b}",
        ]
        if _name(key) == "region":
            options += [
                f"{key} IN ({sub})",
                f"{key} NOT IN ({sub})",
                f"{key} LIKE '%o%'",
                f"LENGTH({key}) > 4",
            ]
        if _name(key) == "flag":
            options += [key, f"NOT {key}", f"{key} IS NOT TRUE"]
        return self.draw.choice(options)


def _name(key: str) -> str:
    """The column's own name, or the text of an expression."""
    return key.rpartition(".")[2]
