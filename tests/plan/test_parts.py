"""Which parts of a partition a query is charged to: by what it says of the column, and all where in doubt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from dpsql.errors import InternalError
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.verify.cost_partitions import check_confined
from dpsql.policy.load import load_policy
from dpsql.privacy import Confined
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

POLICY = """\
version: 1
privacy: {{unit: customers.id, neighbours: {neighbours}, max_rows_per_unit: 20}}
tables:
  customers:
    source: shop.duckdb
    one_row_per_unit: true
    columns:
      id: {{type: integer}}
      country: {{type: text, values: [DE, FR, IT], nullable: {nullable}, partition: true}}
      age: {{type: integer, lower: 0, upper: 100}}
      zone: {{type: text, values: [DE, FR]}}
  orders:
    source: shop.duckdb
    unit_key: customer
    max_rows_per_unit: 5
    columns:
      number: {{type: integer}}
      customer: {{type: integer}}
      paid: {{type: boolean}}
      amount: {{type: integer, lower: 0, upper: 10}}
      land: {{type: text, values: [IT, FR, DE], nullable: true, partition: true}}
  lines:
    source: shop.duckdb
    unit_path: {{number: orders.number}}
    max_rows_per_unit: 9
    columns:
      number: {{type: integer}}
      item: {{type: integer}}
  lands:
    source: lands.csv
    public: true
budgets:
  dataset: {{epsilon: 100, delta: 1e-3}}
  default: {{epsilon: 10, delta: 1e-4, per_query: 1}}
"""
DE, FR, IT, OTHER = '"DE"', '"FR"', '"IT"', "null"


def made(folder: Path, neighbours: str = "add_remove", nullable: str = "true") -> Path:
    with duckdb.connect(str(folder / "shop.duckdb")) as db:
        db.execute("CREATE TABLE customers AS SELECT 1 AS id, 'DE' AS country, 40 AS age, 'DE' AS zone")
        db.execute(
            "CREATE TABLE orders AS SELECT 7 AS number, 1 AS customer, true AS paid, 5 AS amount, 'DE' AS land"
        )
        db.execute("CREATE TABLE lines AS SELECT 7 AS number, 3 AS item")
    (folder / "lands.csv").write_text("code,name\nDE,Germany\nFR,France\n", encoding="utf-8")
    path = folder / "shop.yaml"
    path.write_text(POLICY.format(neighbours=neighbours, nullable=nullable), encoding="utf-8")
    return path


@contextmanager
def session_of(path: Path) -> Iterator[Session]:
    with closing(build_session(load_policy(path), "alice", None, (None, None), ExactSampler())) as session:
        yield session


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with session_of(made(tmp_path_factory.mktemp("shop"))) as session:
        yield session


def parts(session: Session, sql: str) -> list[tuple[str, ...] | None]:
    """The parts of each release; None for all."""
    charges = prepare(sql, None, session._state).due
    return [c.confined.parts if c.confined is not None else None for c in charges]


OF_CUSTOMERS, OF_ORDERS = "SELECT COUNT(*) FROM customers ", "SELECT COUNT(*) FROM orders AS o "
OF_UNLISTED = OF_CUSTOMERS.replace(
    "SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (empty_conditions = true)"
)
JOINED = OF_ORDERS + "JOIN customers AS c ON c.id = o.customer "
LEFT = OF_ORDERS + "LEFT JOIN customers AS c ON c.id = o.customer "
PER_UNIT = (
    "SELECT COUNT(*) FROM (SELECT id, country, COUNT(*) AS n FROM customers {} GROUP BY id, country) AS t "
)
RANKED = (
    "SELECT COUNT(*) FROM (SELECT land, row_number() OVER (PARTITION BY customer ORDER BY amount) AS n "
    "FROM orders) AS t WHERE n = 1 "
)
SAME_UNIT = "SELECT 1 FROM customers AS c WHERE c.id = o.customer"
ORDERED = "SELECT customer, land FROM orders"
UNION = "SELECT COUNT(*) FROM ({} UNION ALL {}) AS u "


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (OF_CUSTOMERS + "WHERE country = 'DE'", (DE,)),
        (OF_CUSTOMERS + "WHERE 'DE' = country AND age > 30", (DE,)),
        (OF_CUSTOMERS + "WHERE country IN ('FR', 'DE')", (DE, FR)),
        (OF_CUSTOMERS + "WHERE country = 'DE' OR country = 'IT'", (DE, IT)),
        (OF_CUSTOMERS + "WHERE (country = 'DE' AND age > 3) OR (country = 'IT' AND age < 3)", None),
        (OF_CUSTOMERS + "WHERE (country = 'DE' AND age > 3) OR (country = 'DE' AND age < 3)", (DE,)),
        (OF_CUSTOMERS + "WHERE country <> 'DE'", (FR, IT)),
        (OF_CUSTOMERS + "WHERE country IS NULL", (OTHER,)),
        (OF_CUSTOMERS + "WHERE country IS NOT NULL", (DE, FR, IT)),
        (OF_CUSTOMERS + "WHERE country IS DISTINCT FROM 'DE'", (FR, IT, OTHER)),
        (OF_CUSTOMERS + "WHERE country IS NULL OR country = 'FR'", (FR, OTHER)),
        (OF_CUSTOMERS + "WHERE NOT (country = 'DE')", (FR, IT)),
        (OF_CUSTOMERS + "WHERE lower(country) = 'de'", (DE,)),
        (OF_CUSTOMERS + "WHERE country LIKE '%R'", (FR,)),
        (OF_CUSTOMERS + "WHERE CASE WHEN country = 'DE' THEN true ELSE false END", (DE,)),
        (OF_CUSTOMERS + "WHERE COALESCE(country, 'DE') = 'DE'", (DE, OTHER)),
        (OF_CUSTOMERS + "WHERE country BETWEEN 'A' AND 'E'", (DE,)),
        # other columns, other spellings, values that are not listed
        (OF_CUSTOMERS, None),
        (OF_CUSTOMERS + "WHERE zone = 'DE'", None),
        (OF_UNLISTED + "WHERE country = 'de'", None),
        (OF_UNLISTED + "WHERE country = 'DE '", None),
        (OF_UNLISTED + "WHERE country = 'XX'", None),
        (OF_CUSTOMERS + "WHERE country = zone", None),
        (OF_CUSTOMERS + "WHERE country = 'DE' OR age > 3", None),
        (OF_CUSTOMERS + "WHERE country = country OR age > 3", None),
        ("SELECT COUNT(*) FILTER (WHERE country = 'DE') FROM customers", None),
        ("SELECT SUM(CASE WHEN country = 'DE' THEN 1 ELSE 0 END) FROM customers", None),
        (OF_CUSTOMERS + "HAVING COUNT(*) > 1", None),
        # keys
        ("SELECT country, COUNT(*) FROM customers GROUP BY country", None),
        ("SELECT country, COUNT(*) FROM customers WHERE country IS NOT NULL GROUP BY country", (DE, FR, IT)),
        ("SELECT country, zone, AVG(age) FROM customers WHERE country <> 'IT' GROUP BY ALL", (DE, FR)),
        ("SELECT country = 'DE', COUNT(*) FROM customers GROUP BY 1", None),
        ("SELECT age // 10, MEDIAN(age) FROM customers WHERE country = 'IT' GROUP BY 1", (IT,)),
        ("SELECT country, COUNT(*) FROM customers GROUP BY country ORDER BY 2 DESC LIMIT 1", None),
        ("SELECT item, COUNT(*) FROM lines JOIN orders USING (number) WHERE land = 'DE' GROUP BY item", (DE,)),
        # tables of the unit with the column or without it
        (OF_ORDERS, None),
        (OF_ORDERS + "WHERE land = 'FR'", (FR,)),
        ("SELECT COUNT(*) FROM lines", None),
        ("SELECT COUNT(*) FROM lines AS l JOIN orders AS o ON l.number = o.number WHERE o.land = 'IT'", (IT,)),
        (JOINED + "WHERE c.country = 'DE'", (DE,)),
        (JOINED + "AND c.country IN ('DE', 'FR') WHERE o.land IN ('FR', 'IT')", (FR,)),
        (JOINED + "WHERE o.paid", None),
        (JOINED + "WHERE c.country = o.land", None),
        # outer joins: NULL may be the NULL of a row without a match
        (LEFT + "WHERE c.country = 'DE'", (DE,)),
        (LEFT + "WHERE c.country IS NULL", None),
        (LEFT + "WHERE COALESCE(c.country, 'DE') = 'DE'", None),
        (LEFT + "AND c.country = 'DE'", None),
        (LEFT + "AND o.land = 'DE'", None),
        (LEFT + "AND c.country = 'DE' WHERE o.land = 'IT'", (IT,)),
        (LEFT.replace("COUNT(*)", "c.country, COUNT(*)") + "GROUP BY c.country", None),
        # semi-joins inside a unit
        (OF_ORDERS + f"WHERE EXISTS ({SAME_UNIT} AND c.country = 'DE')", (DE,)),
        (OF_ORDERS + "WHERE customer IN (SELECT id FROM customers WHERE country IN ('DE', 'IT'))", (DE, IT)),
        (OF_ORDERS + f"WHERE NOT EXISTS ({SAME_UNIT} AND c.country = 'DE')", None),
        (OF_ORDERS + "WHERE customer NOT IN (SELECT id FROM customers WHERE country = 'DE')", None),
        (OF_ORDERS + "WHERE paid OR customer IN (SELECT id FROM customers WHERE country = 'DE')", None),
        # work inside a unit
        (PER_UNIT.format("WHERE country = 'DE'"), (DE,)),
        (PER_UNIT.format("") + "WHERE country = 'FR' AND n > 0", (FR,)),
        (PER_UNIT.format("") + "WHERE n > 0", None),
        (RANKED, None),
        (RANKED + "AND land = 'DE'", (DE,)),
        (UNION.format(*["SELECT customer, land FROM orders WHERE land = 'DE'"] * 2), (DE,)),
        (UNION.format("SELECT customer, land FROM orders WHERE land = 'DE'", ORDERED), None),
        (
            UNION.format(ORDERED, "SELECT id, country FROM customers") + "WHERE land = 'IT'",
            (IT,),
        ),
        (
            UNION.format(ORDERED, "SELECT id, zone FROM customers") + "WHERE land = 'DE'",
            None,
        ),
        # public tables
        ("SELECT COUNT(*) FROM customers JOIN lands ON country = code WHERE name = 'Germany'", None),
        ("SELECT name, COUNT(*) FROM customers JOIN lands ON country = code WHERE country = 'DE' GROUP BY 1", (DE,)),
    ],
)  # fmt: skip
def test_a_query_is_charged_to_the_parts_that_its_conditions_leave(
    shop: Session, sql: str, expected: tuple[str, ...] | None
) -> None:
    (found,) = parts(shop, sql)
    assert found == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        # what is fed is a value of its own: it says nothing of the column before it is known
        (
            OF_CUSTOMERS
            + "WHERE country = 'DE' AND age > (SELECT AVG(age) FROM customers WHERE country = 'FR')",
            [(FR,), (DE,)],
        ),
        (
            "SELECT country, COUNT(*), (SELECT COUNT(*) FROM orders) FROM customers "
            "WHERE country IN ('DE', 'FR') GROUP BY country",
            [None, (DE, FR)],
        ),
        (
            "SELECT country, zone, COUNT(*) FROM customers WHERE country <> 'FR' GROUP BY ROLLUP (country, zone)",
            [(DE, IT)],
        ),
    ],
)
def test_each_release_of_a_query_has_parts_of_its_own(
    shop: Session, sql: str, expected: list[tuple[str, ...] | None]
) -> None:
    assert sorted(map(str, parts(shop, sql))) == sorted(map(str, expected))


def test_groups_that_are_not_released_charge_nothing(tmp_path: Path) -> None:
    """Without a group of NULL, nobody outside of the listed values is in the release."""
    with session_of(made(tmp_path, nullable="false")) as session:
        sql = "SELECT country, COUNT(*) FROM customers GROUP BY country"
        assert parts(session, sql) == [(DE, FR, IT)]
        assert parts(session, "SELECT COUNT(*) FROM customers") == [None]
        median = (
            "SELECT country, MEDIAN(age), COUNT(DISTINCT id) FROM customers WHERE country > 'E' GROUP BY 1"
        )
        assert parts(session, median) == [(FR, IT)]


def test_where_units_are_replaced_a_release_is_confined_to_one_part_or_to_none(tmp_path: Path) -> None:
    with session_of(made(tmp_path, neighbours="substitute")) as session:
        assert parts(session, OF_CUSTOMERS + "WHERE country = 'DE'") == [(DE,)]
        assert prepare(OF_CUSTOMERS + "WHERE country = 'DE'", None, session._state).due[
            0
        ].confined == Confined((DE,), 2)
        assert parts(session, OF_CUSTOMERS + "WHERE country IN ('DE', 'FR')") == [None]


def test_responses_row_by_row_are_charged_to_every_part(tmp_path: Path) -> None:
    policy = made(tmp_path, neighbours="substitute")
    written = policy.read_text(encoding="utf-8").replace(
        "unit_key: customer", "unit_path: {customer: customers.id}"
    )
    policy.write_text(written, encoding="utf-8")
    with session_of(policy) as session:
        found = prepare("SELECT RANDOMIZED_RESPONSE(country) FROM customers", None, session._state)
        assert [c.confined for c in found.due] == [None]


@pytest.mark.parametrize("claimed", [(DE,), (DE, IT), (FR, IT, OTHER), ("no part",)])
def test_a_claim_of_too_few_parts_is_a_bug_that_is_found(shop: Session, claimed: tuple[str, ...]) -> None:
    ready = prepare(OF_CUSTOMERS + "WHERE country IN ('DE', 'FR')", None, shop._state)
    (release,) = ready.plan.releases
    check_confined(release, Confined((DE, FR)), shop._state.context)
    check_confined(release, Confined((DE, FR, IT)), shop._state.context)
    with pytest.raises(InternalError):
        check_confined(release, Confined(claimed), shop._state.context)
    context = shop._state.context
    wrong = replace(context, policy=replace(context.policy, privacy=replace(context.policy.privacy)))
    with pytest.raises(InternalError):
        check_confined(release, Confined((DE,), 2), wrong)
