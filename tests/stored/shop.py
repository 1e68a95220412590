"""The shop as it was when the ledger and the keys of this folder were made: its data, its policies, what was asked.

Nothing here is ever changed, since what is stored speaks of it; new questions go to the end.
"""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import duckdb

from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

DATA = Path(__file__).parent / "data"
LEDGER = DATA / "ledger.gz"
ANSWERS = DATA / "answers.jsonl"
KEYS = DATA / "keys.jsonl"
TEXTS = DATA / "texts.gz"

_DIGITS = 16


class Asked(NamedTuple):
    """A question of alice's under one of the policies, and at which epsilon if not at the policy's."""

    policy: str
    sql: str
    epsilon: str | None = None


_SPENT = "SELECT customer, SUM(amount) AS spent, COUNT(*) AS n FROM orders GROUP BY customer"
_RANKED = (
    "SELECT region, amount, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY day) AS number, "
    "SUM(amount) OVER (PARTITION BY customer ORDER BY day ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS two FROM orders"
)
BROAD = (
    "SELECT region, paid, COUNT(*), AVG(amount), COUNT(DISTINCT customer) FROM orders GROUP BY region, paid"
)
# What the ledger was made by, in this order.
ASKED = (
    Asked("shop", "SELECT COUNT(*) AS n FROM orders"),
    Asked("shop", "SELECT region, COUNT(*) AS n FROM orders GROUP BY region"),
    Asked(
        "shop",
        "SELECT region, SUM(amount), AVG(amount) FROM orders WHERE day >= DATE '2025-02-01' GROUP BY region",
    ),
    Asked("shop", "SELECT VAR_SAMP(quantity), STDDEV_POP(amount) FROM orders WHERE NOT paid"),
    Asked(
        "shop",
        "SELECT CORR(quantity, amount), COVAR_POP(amount, quantity), REGR_SLOPE(amount, quantity) FROM orders",
    ),
    Asked(
        "shop",
        "SELECT MEDIAN(amount), QUANTILE_CONT(quantity, 0.25), QUANTILE_DISC(quantity, 0.9) FROM orders",
    ),
    Asked("shop", "SELECT region, MIN(amount), MAX(day) FROM orders GROUP BY region"),
    Asked("shop", "SELECT MODE(region), BOOL_AND(paid), BOOL_OR(paid) FROM orders"),
    Asked(
        "shop",
        "SELECT region, COUNT(DISTINCT customer), COUNT(DISTINCT quantity) FROM orders GROUP BY region",
    ),
    Asked("shop", "SELECT product, COUNT(*), SUM(quantity) FROM orders GROUP BY product"),
    Asked("shop", "SELECT DISTINCT product FROM orders WHERE region <> 'west'"),
    Asked("shop", "SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1"),
    Asked("shop", "SELECT region, COUNT(*) FROM orders GROUP BY region ORDER BY SUM(quantity) LIMIT 2"),
    Asked(
        "shop", "SELECT region, rating, COUNT(*), SUM(amount) FROM orders GROUP BY ROLLUP (region, rating)"
    ),
    Asked("shop", "SELECT region, paid, COUNT(DISTINCT customer) FROM orders GROUP BY CUBE (region, paid)"),
    Asked("shop", "SELECT date_trunc('month', day) AS month, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1"),
    Asked("shop", "SELECT COUNT(*) FILTER (paid), COUNT(*) FILTER (NOT paid), SUM(rating) FROM orders"),
    Asked("shop", "SELECT SUM(CASE WHEN region = 'north' THEN amount ELSE 0 END), COUNT(coupon) FROM orders"),
    Asked("shop", "SELECT z.zone, COUNT(*) FROM orders JOIN regions AS z USING (region) GROUP BY z.zone"),
    Asked(
        "shop",
        "SELECT t.tag, SUM(o.quantity) FROM orders o LEFT JOIN tags t ON t.region = o.region GROUP BY 1",
    ),
    Asked("shop", f"SELECT AVG(LEAST(spent, 200)), MAX(n), COUNT(*) FROM ({_SPENT}) WHERE n > 1"),
    Asked("shop", f"SELECT region, AVG(two) FROM ({_RANKED}) WHERE number <= 3 GROUP BY region"),
    Asked("shop", "SELECT COUNT(*) FROM orders WHERE region IN (SELECT region FROM regions WHERE zone > 1)"),
    Asked(
        "shop",
        "SELECT COUNT(*) FROM (SELECT paid FROM orders UNION ALL SELECT NOT paid FROM orders) WHERE paid",
    ),
    Asked("shop", "SELECT COUNT(*) FROM orders WHERE amount > (SELECT AVG(amount) FROM orders)"),
    Asked(
        "shop",
        "WITH large AS (SELECT region AS r FROM orders GROUP BY region HAVING COUNT(*) > 3) "
        "SELECT COUNT(*), SUM(quantity) FROM orders JOIN large ON region = r",
    ),
    Asked(
        "shop",
        "SELECT COUNT(*) FROM orders WHERE coupon = 'it''s <JoinKind.INNER: ''inner''>' OR placed IS NULL",
    ),
    Asked(
        "shop",
        "SELECT COUNT(*), SUM(amount * 2.5) FROM orders WHERE placed < TIMESTAMP '2025-02-01 12:30:00'",
    ),
    Asked(
        "shop",
        "SELECT COUNT(*) FROM orders WHERE day + INTERVAL 1 MONTH < DATE '2025-03-15' AND amount > 1e-5",
    ),
    Asked("pure", "SELECT region, COUNT(*) AS n FROM orders GROUP BY region", "0.5"),
    Asked("pure", "SELECT region, COUNT(*) AS n FROM orders GROUP BY region", "0.75"),
    Asked("pure", "SELECT paid, COUNT(*), COUNT(DISTINCT customer) FROM orders GROUP BY paid", "0.25"),
    Asked("pure", "SELECT paid, COUNT(*), COUNT(DISTINCT customer) FROM orders GROUP BY paid"),
    Asked("pure", "SELECT VAR_POP(quantity), MEDIAN(amount) FROM orders"),
    Asked("zcdp", "SELECT region, COUNT(*), SUM(amount), SUM(quantity) FROM orders GROUP BY region"),
    Asked("zcdp", "SELECT product, COUNT(*) FROM orders GROUP BY product"),
    Asked("zcdp", "SELECT region FROM orders WHERE paid GROUP BY region ORDER BY COUNT(*) DESC LIMIT 2"),
    Asked("zcdp", "SELECT region, paid, COUNT(*) FROM orders GROUP BY ROLLUP (region, paid)"),
    Asked("rdp", "SELECT region, COUNT(*), AVG(amount) FROM orders GROUP BY region"),
    Asked("rdp", "SELECT product, COUNT(DISTINCT customer) FROM orders GROUP BY product"),
    Asked("rdp", "SELECT MEDIAN(quantity) FROM orders"),
    Asked("table_cap", BROAD),
    Asked("table_cap", "SELECT product, COUNT(*), SUM(quantity) FROM orders GROUP BY product"),
    Asked("dataset_cap", "SELECT region, COUNT(*), COUNT(DISTINCT customer) FROM orders GROUP BY region"),
    Asked("unit_total", "SELECT region, SUM(amount) FROM orders GROUP BY region"),
    Asked(
        "linked",
        "SELECT p.plan, COUNT(*), SUM(o.amount) FROM people p JOIN orders o ON o.customer = p.person GROUP BY 1",
    ),
    Asked(
        "linked",
        "SELECT COUNT(*) FROM people p WHERE EXISTS (SELECT 1 FROM trips t WHERE t.person = p.person)",
    ),
    Asked("linked", "SELECT kind, AVG(weight) FROM parcels GROUP BY kind"),
    Asked("rows", "SELECT region, COUNT(*), AVG(amount) FROM orders GROUP BY region"),
    Asked("survey", "SELECT smoker, COUNT(*) FROM survey GROUP BY smoker"),
    Asked("survey", "SELECT country, AVG(age) FROM survey WHERE country = 'DE' GROUP BY country"),
    Asked(
        "survey",
        "SELECT RANDOMIZED_RESPONSE(country) AS c, RANDOMIZED_RESPONSE(drinks) AS d FROM survey AS s",
    ),
    Asked(
        "survey", "SELECT bits, COUNT(*) FROM (SELECT RAPPOR(country) AS bits FROM survey) AS r GROUP BY ALL"
    ),
    Asked("parts", "SELECT plan, COUNT(*) FROM people GROUP BY plan"),
    Asked("parts", "SELECT AVG(age) FROM people WHERE plan = 'B'"),
)
# What was not there to be asked when the ledger was made; its keys are kept as well.
LATER = (
    Asked("found_limits", "SELECT region, COUNT(*), COUNT(DISTINCT customer) FROM orders GROUP BY region"),
    Asked("found_limits", "SELECT AVG(amount), SUM(quantity) FROM orders WHERE paid"),
    Asked("found_rho", "SELECT region, COUNT(*), SUM(amount) FROM orders GROUP BY region"),
    Asked("found_limits", "SELECT region FROM orders GROUP BY region ORDER BY SUM(amount) DESC LIMIT 1"),
    Asked("found_limits", "SELECT product, SUM(amount) FROM orders GROUP BY product"),
)
# What the answers above imply.
IMPLIED = (
    Asked("table_cap", "SELECT region, paid, COUNT(*) AS orders FROM orders GROUP BY region, paid"),
    Asked("table_cap", "SELECT o.region AS r, COUNT(*) FROM orders AS o WHERE o.paid GROUP BY o.region"),
    Asked(
        "table_cap",
        "SELECT COUNT(DISTINCT customer), COUNT(*) FROM orders WHERE region = 'north' AND NOT paid",
    ),
    Asked("table_cap", "SELECT paid, region, AVG(amount) FROM orders GROUP BY paid, region"),
    Asked(
        "table_cap", "SELECT SUM(quantity) AS items, product FROM orders AS sold GROUP BY product ORDER BY 1"
    ),
    Asked(
        "shop",
        "SELECT region AS place, AVG(amount) FROM orders AS o WHERE o.day >= DATE '2025-02-01' GROUP BY 1",
    ),
    Asked("shop", "SELECT STDDEV_SAMP(quantity) FROM orders WHERE NOT paid"),
    Asked("pure", "SELECT region, COUNT(*) FROM orders AS o GROUP BY region", "0.25"),
    Asked("rdp", "SELECT region, COUNT(*) FROM orders GROUP BY region"),
    Asked("parts", "SELECT COUNT(*) FROM people WHERE plan = 'A'"),
)


def make_shop(folder: Path) -> Path:
    """Writes the data and every policy to a folder, and returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute((DATA / "shop.sql").read_text(encoding="utf-8"))
        connection.execute(f"COPY people TO '{folder / 'people.parquet'}'")
    for policy in DATA.glob("*.yaml"):
        (folder / policy.name).write_bytes(policy.read_bytes())
    return folder


def policies() -> tuple[str, ...]:
    """The names of the policies."""
    return tuple(sorted(p.stem for p in DATA.glob("*.yaml")))


@contextmanager
def opened(shop: Path, asked: Asked) -> Iterator[Session]:
    """A session of alice's, on the ledger in the shop's folder."""
    policy = load_policy(shop / f"{asked.policy}.yaml")
    session = build_session(
        *(policy, "alice", shop / "shop.ledger", (asked.epsilon, None), ExactSampler()), empty_conditions=True
    )
    with closing(session):
        yield session


def unpacked(shop: Path) -> Path:
    """Puts a copy of the committed ledger into the shop's folder, and returns it."""
    ledger = shop / "shop.ledger"
    ledger.write_bytes(gzip.decompress(LEDGER.read_bytes()))
    with closing(sqlite3.connect(ledger)) as db:
        for name in policies():
            _accept(db, load_policy(shop / f"{name}.yaml"))
        db.commit()
    return ledger


def said(session: Session, sql: str) -> tuple[list[list[str]], Fraction, Fraction]:
    """The rows of an answer as text, in order of that text, and its cost."""
    answer = session.answer(sql)
    rows = sorted([str(value) for value in row] for row in answer.rows)
    return rows, answer.released.epsilon, answer.released.delta


def keys_of(session: Session, sql: str, params: object) -> tuple[list[str], list[str]]:
    """The keys of a query's releases and of their paths of noise, shortened, and their canonical texts."""
    ready = prepare(sql, params, session._state)  # type: ignore[arg-type]
    charges = [c for pair in zip(ready.charges, ready.others, strict=True) for c in pair if c is not None]
    return [f"{c.key[:_DIGITS]} {c.path[:_DIGITS]}".strip() for c in charges], [c.canonical for c in charges]


def _accept(db: sqlite3.Connection, policy: Policy) -> None:
    """Notes the sources where they stand now, as the version that made the ledger did on first sight.

    The ledger was made without any, since it was made in another folder. This is the one place that knows how sources
    are accepted: under the first version of the data, with size, time of change and inode.
    """
    for path in sorted({table.source.path for table in policy.tables}):
        status = path.stat()
        known = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
        db.execute("INSERT INTO fingerprints VALUES (?, ?, ?, ?)", (policy.dataset.name, str(path), 1, known))
