"""What stands in every branch of an OR holds of every row: a join condition there bounds what a row can meet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless
from answers.shop import make_shop

from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

BRANCHES = "(o.product = p.product AND o.quantity > 5) OR (o.quantity < 2 AND p.product = o.product AND o.amount > 1)"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("branches"))


@pytest.fixture(scope="module")
def session(shop: Path) -> Iterator[Session]:
    with closing(opened(shop, "table_cap.yaml")) as found:
        yield found


def opened(shop: Path, policy: str) -> Session:
    return build_session(load_policy(shop / policy), "alice", None, (None, None), Noiseless())


def test_an_equality_in_every_branch_joins_as_if_it_stood_alone(session: Session, shop: Path) -> None:
    sql = f"SELECT COUNT(*) FROM orders AS o, products AS p WHERE {BRANCHES}"
    alone = f"SELECT COUNT(*) FROM orders AS o, products AS p WHERE o.product = p.product AND ({BRANCHES})"
    (one,), (other,) = session.explain(sql).releases, session.explain(alone).releases
    assert one.sensitivity == other.sensitivity
    file = str(shop / "shop.duckdb")
    with duckdb.connect(file, read_only=True) as plain, closing(opened(shop, "shop.yaml")) as loose:
        assert loose.answer(sql).rows == tuple(plain.execute(sql).fetchall())


def test_an_equality_in_one_branch_alone_is_no_join_condition(session: Session) -> None:
    half = BRANCHES.replace("AND p.product = o.product ", "")
    (one,) = session.explain(f"SELECT COUNT(*) FROM orders AS o, products AS p WHERE {half}").releases
    (other,) = session.explain(f"SELECT COUNT(*) FROM orders AS o, products AS p WHERE {BRANCHES}").releases
    assert one.sensitivity > other.sensitivity
