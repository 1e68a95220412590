"""docs/listed-values.md says what is so: its policy loads, its queries run without a delta, its limits are kept to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pages import fenced, opened, text_of

from dpsql.engines.sources.referenced_keys import MOST_CHARACTERS, MOST_KEYS
from dpsql.session import Session

TEXT = text_of("listed-values.md")
GROUPED, JOINED, COUNTED = fenced(TEXT, "sql")
DATA = """
CREATE TABLE shops AS SELECT * FROM (VALUES (7, 'Lyon', 'FR'), (9, 'Nice', 'FR'), (12, 'Bonn', 'DE'))
    v(id, town, country);
CREATE TABLE suppliers AS SELECT unnest(['a1', 'a2', 'b1']) AS code;
CREATE TABLE sales AS SELECT i % 900 AS customer, ['card', 'cash'][1 + i % 2] AS paid,
    [7, 9, 12, 13][1 + i % 4] AS shop, ['a1', 'b1', 'A1'][1 + i % 3] AS supplier, (i % 90)::DOUBLE AS amount
    FROM range(3000) r(i)"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with opened(TEXT, "shop.duckdb", DATA, tmp_path_factory.mktemp("listed")) as session:
        yield session


def test_groups_by_a_key_are_public(session: Session) -> None:
    answer = session.answer(GROUPED)
    assert [row[0] for row in answer.rows] == ["a1", "a2", "b1", None]
    assert answer.released.delta == 0


def test_a_joined_table_narrows_the_groups(session: Session) -> None:
    assert [row[:2] for row in session.answer(JOINED).rows] == [(7, "Lyon"), (9, "Nice")]


def test_different_keys_are_counted_with_noise_for_the_list(session: Session) -> None:
    (told,) = session.explain(COUNTED).releases
    assert told.sensitivity == 3


def test_the_limits_are_those_that_are_held_to() -> None:
    assert f"{MOST_KEYS:,} rows" in TEXT and f"{MOST_CHARACTERS:,} characters" in TEXT
