"""What an entry says of itself holds: its example gives DuckDB's values, and it says where a text becomes longer."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import cycle
from math import inf, nextafter

import pytest
from edges import Engine, rendered
from function_cases import CASES, COLUMNS, call
from ordinary_rows import FACTS
from sql.gate_cases import DuckDBStatements

from dpsql.algebra.expressions import Literal, columns_of
from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.functions.entries import examples
from dpsql.algebra.functions.text.strings import added, growth
from dpsql.algebra.types import SqlType
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.scope import Output, Scope, Source
from dpsql.sql.parse.gate import gate

KINDS = {"int": "ab", "float": "xy", "text": "st", "date": "de", "ts": "uv", "bool": "pq"}
SCOPE = Scope((Source("ordinary", tuple(Output(name, column) for name, column in COLUMNS.items())),))
# A cast is refused of decimals on its own; MOD is not, and should be.
REFUSED_OF_DECIMALS = {"cast", "decimal", "mod"}
STATEMENTS = DuckDBStatements()
# More bytes than what a number, a date or a constant length makes.
SHORT = 500


def written(example: str) -> str:
    """The example over the columns of the ordinary rows."""
    columns = {kind: cycle(names) for kind, names in KINDS.items()}
    return re.sub(r"\{([a-z]+)\}", lambda m: next(columns[m[1]]), example)


def test_every_name_of_every_function_has_an_example() -> None:
    named = {found[0] for kind in KINDS for e in examples(kind) if (found := re.findall(r"^\w+", e))}
    assert named == {s.upper() for f in FUNCTIONS.values() for s in f.spellings}


@pytest.mark.parametrize("example", [e for kind in KINDS for e in examples(kind)])
def test_an_example_gives_the_value_that_duckdb_gives(example: str, ordinary: Engine) -> None:
    sql = f"SELECT {written(example)} FROM ordinary"
    (node,) = gate(sql, STATEMENTS).tree.expressions
    ours = rendered(Binder(SCOPE, {}, datetime(2025, 1, 1)).bind(node), FACTS)
    found = ordinary.connection.execute(sql).fetchall()
    assert ordinary.connection.execute(f"SELECT {ours} FROM ordinary").fetchall() == found
    assert len(set(found)) > 1


@pytest.mark.parametrize("op", [f.name for f in FUNCTIONS.values() if f.spellings and not f.lengthens])
def test_a_text_is_no_longer_than_the_longest_argument(op: str, ordinary: Engine) -> None:
    for args, _plain in CASES[op]:
        expr = call(op, args)
        if expr.type is SqlType.TEXT:
            texts = [f"length({c.name})" for c in columns_of(expr) if c.type is SqlType.TEXT]
            constants = [
                len(a.value) for a in expr.args if isinstance(a, Literal) and isinstance(a.value, str)
            ]
            most = f"greatest({', '.join(map(str, (*texts, *constants, 0)))})"
            longer = f"SELECT count(*) FROM ordinary WHERE length({rendered(expr, FACTS)}) > {most}"
            assert ordinary.connection.execute(longer).fetchall() == [(0,)]


@pytest.mark.parametrize("op", sorted(CASES))
def test_a_text_grows_no_more_than_its_function_says(op: str, ordinary: Engine) -> None:
    length = 50_000
    columns = ", ".join(
        f"repeat('an', {length // 2}) AS {c.name}" if c.type is SqlType.TEXT else c.name
        for c in COLUMNS.values()
    )
    for args, _plain in CASES[op]:
        expr = call(op, args)
        if expr.type is SqlType.TEXT:
            longest = (
                f"SELECT max(strlen({rendered(expr, FACTS)})) FROM (SELECT {columns} FROM ordinary LIMIT 3)"
            )
            (found,) = ordinary.connection.execute(longest).fetchall()[0]
            assert (found or 0) <= growth(expr) * length + added(expr) + SHORT


def far_apart(sql: str, engine: Engine) -> bool:
    """Whether an expression has other values of some decimals than of the doubles next to them."""
    decimals = (0.3, 0.5, 1.0, 2.0, 2.5, -1.0)
    pairs = ", ".join(
        f"({x!r}::DOUBLE, {nextafter(x, end)!r}::DOUBLE)" for x in decimals for end in (inf, -inf)
    )
    others = f"0.3::DOUBLE AS y, 2 AS a, 3 AS b, true AS p, false AS q FROM (VALUES {pairs}) v(u, w)"
    one, other = (
        engine.connection.execute(f"SELECT {sql} FROM (SELECT {x} AS x, {others})").fetchall() for x in "uw"
    )
    return one != [pytest.approx(row) for row in other]


@pytest.mark.parametrize("op", sorted(set(CASES) - REFUSED_OF_DECIMALS))
def test_what_tells_a_decimal_from_the_nearest_double_says_so(
    op: str, engines: tuple[Engine, Engine]
) -> None:
    of_doubles = [args for args, _plain in CASES[op] if any(a in ("x", "y") for a in args)]
    found = [args for args in of_doubles if far_apart(rendered(call(op, args), FACTS), engines[0])]
    assert not found or FUNCTIONS[op].tells


def test_rounding_and_comparing_are_seen_to_tell(engines: tuple[Engine, Engine]) -> None:
    assert all(
        far_apart(sql, engines[0]) for sql in ("round(x)", "floor(x)", "ceil(x)", "x = y", "x > 2.5::DOUBLE")
    )
    assert not far_apart("x * y + sqrt(abs(x))", engines[0])
