"""docs/functions.md lists what is supported: it is made from the table, and what it names is answered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.functions.aggregates import CALLS
from dpsql.algebra.functions.reference import reference
from dpsql.algebra.question import Aggregate
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

DOCUMENT = Path(__file__).parents[2] / "docs" / "functions.md"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    shop = make_shop(tmp_path_factory.mktemp("reference"))
    opened = build_session(load_policy(shop / "shop.yaml"), "alice", None, (None, None), Noiseless())
    yield opened
    opened.close()


def test_the_document_is_what_the_table_says() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == reference(), (
        "python -m dpsql.algebra.functions.reference > docs/functions.md"
    )


def test_every_function_and_every_aggregate_is_in_it() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert {call.computes for call in CALLS} == set(Aggregate)
    for function in FUNCTIONS.values():
        assert function.summary.replace("|", "\\|") in text
        assert all(f"`{s.upper()}`" in text for s in function.spellings)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("spelled", [call.written for call in CALLS])
def test_every_aggregate_is_answered_as_it_is_spelled(session: Session, spelled: str) -> None:
    call = spelled.replace("unit", "customer").replace("(p)", "(paid)").replace("x", "quantity")
    call = call.replace("(y, ", "(amount, ")
    assert len(session.answer(f"SELECT {call} FROM orders").rows) == 1
