"""A subquery beside a condition that constants decide is looked up for nobody: the engine is not told of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from answers.engines import shared_engines
from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.policy.load import load_policy
from dpsql.session import build_session

MOST = "SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1"
SMALL = (
    "SELECT 1 FROM orders p WHERE p.customer = o.customer AND p.quantity < (SELECT AVG(quantity) FROM orders)"
)


@pytest.mark.parametrize(
    ("condition", "same"),
    [
        (f"region NOT IN ({MOST}) AND 0 NOT IN (0, 18)", "FALSE"),
        (f"1 = 1 OR region IN ({MOST})", "TRUE"),
        (f"EXISTS ({SMALL}) AND 2 < 1", "FALSE"),
        (f"(quantity > 1 OR EXISTS ({SMALL})) AND (1 = 2 AND EXISTS ({SMALL}))", "FALSE"),
        (
            f"EXISTS ({SMALL}) AND quantity > 1 AND (region IN ({MOST}) OR 1 = 1)",
            f"EXISTS ({SMALL}) AND quantity > 1",
        ),
    ],
)
def test_what_constants_decide_reads_no_subquery(condition: str, same: str, tmp_path: Path) -> None:
    policy = load_policy(make_shop(tmp_path) / "shop.yaml")
    session = build_session(policy, "alice", None, (None, None), Noiseless(), resources=shared_engines)
    counts = [session.answer(f"SELECT COUNT(*) FROM orders o WHERE {c}").rows for c in (condition, same)]
    session.close()
    assert counts[0] == counts[1]
