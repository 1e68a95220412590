"""docs/local-privacy.md says what is so: its policy loads, its queries run, its limits are those of the code."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction

import pytest
from pages import fenced, opened, text_of

from dpsql.algebra.local import MOST_BITS, MOST_COLUMNS, MOST_VALUES
from dpsql.release.draw import local_responses as local_rows
from dpsql.session import Session
from dpsql.sql.aggregation.local_model import LOCAL_NAMES

TEXT = text_of("local-privacy.md")
QUERIES = fenced(TEXT, "sql")
PEOPLE = 2_000
DATA = f"""
CREATE TABLE people AS SELECT range AS id, range % 4 = 0 AS smoker, ['DE', 'DE', 'FR', 'IT'][1 + range % 4] AS country,
    18 + range % 70 AS age FROM range({PEOPLE})"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with opened(TEXT, "people.duckdb", DATA, tmp_path_factory.mktemp("local")) as session:
        yield session


def test_every_query_runs_and_the_second_of_the_same_column_is_free(session: Session) -> None:
    counted, share, rows, counts, bits = (session.answer(q) for q in QUERIES)
    assert [a.released.epsilon for a in (counted, share, rows, counts, bits)] == [2, 0, 2, 2, 2]
    p = 1 / (1 + math.exp(2))
    seen = dict(counted.rows)[True]  # type: ignore[arg-type, call-overload]
    assert share.rows[0][0] == pytest.approx((seen / PEOPLE - p) / (1 - 2 * p))
    assert abs(share.rows[0][0] - 0.25) < 0.15  # type: ignore[operator]
    assert len(rows.rows) == 3 and all(re.fullmatch("[01]{4}", str(r[2])) for r in rows.rows)
    for found, truth in zip((*counts.rows[0], bits.rows[0][0]), (1000, 500, 500, 1000), strict=True):
        assert abs(found - truth) < 600  # type: ignore[operator]


def test_a_bit_by_hand_gives_the_same_estimate(session: Session) -> None:
    ((estimate,),) = session.answer(QUERIES[4]).rows
    by_hand = "SELECT COUNT(*) FROM (SELECT RAPPOR(country) AS bits FROM people) AS r WHERE substr(bits, 1, 1) = '1'"
    ((seen,),) = session.answer(by_hand).rows
    flip = 1 / (1 + math.e)
    assert estimate == pytest.approx((seen - PEOPLE * flip) / (1 - 2 * flip))  # type: ignore[operator]


def test_the_epsilons_of_three_columns_add_up_to_the_query(session: Session) -> None:
    epsilons = [r.epsilon for r in session.explain(QUERIES[2]).releases]
    assert sum(epsilons) == 2 and max(epsilons) - min(epsilons) <= Fraction(3, 10**9)


def test_every_call_and_every_limit_is_named() -> None:
    assert {name.lower() for name in re.findall(r"^\| `([A-Z_]+)\(", TEXT, flags=re.MULTILINE)} == LOCAL_NAMES
    for limit in (f"{local_rows.MOST_ROWS:,} rows", f"2 to {MOST_VALUES:,} values", f"{MOST_BITS} values"):
        assert limit in TEXT
    assert f"at most {MOST_COLUMNS} responses" in TEXT
