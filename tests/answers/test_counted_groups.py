"""A count or an average of released groups is told that groups without rows are among these."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

GROUPS = "SELECT region, COUNT(*) AS n FROM orders GROUP BY region"
TOLD = "what counts or averages groups has the empty ones, too, and HAVING COUNT(*) > n leaves them out"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = make_shop(tmp_path_factory.mktemp("counted"))
    opened = build_session(load_policy(folder / "shop.yaml"), "alice", None, (None, None), Noiseless())
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        (f"SELECT AVG(n) FROM ({GROUPS}) AS g", True),
        (
            f"WITH g AS ({GROUPS}), h AS (SELECT n FROM g) SELECT COUNT(*) FROM regions, (SELECT * FROM h) AS i",
            True,
        ),
        (f"SELECT r.region, (SELECT MEDIAN(n) FROM ({GROUPS}) AS g) FROM regions AS r", True),
        (f"SELECT SUM(n), MAX(n) FROM ({GROUPS}) AS g", False),
        (f"SELECT AVG(n) FROM ({GROUPS} HAVING COUNT(*) > 3) AS g", False),
        (f"SELECT AVG(n) FROM ({GROUPS}) AS g WHERE n > 0", False),
        (GROUPS, False),
    ],
)
def test_a_note_says_so_where_the_groups_are_counted_as_they_are(
    sql: str, told: bool, session: Session
) -> None:
    notes = session.answer(sql).released.notes
    assert any(TOLD in note for note in notes) is told
    assert any("all 4 groups of a public list, empty ones too" in note for note in notes)
