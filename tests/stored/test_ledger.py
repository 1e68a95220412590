"""A ledger of the version before canonical text had a table of its own: what it has stored is served for nothing."""

from __future__ import annotations

import json
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.algebra.encoding.reading import question_of
from dpsql.errors import QueryRefused
from stored.shop import ANSWERS, ASKED, IMPLIED, Asked, make_shop, opened, policies, said, unpacked

STORED = tuple(json.loads(line) for line in ANSWERS.read_text(encoding="utf-8").splitlines())
# Their noise was for more groups than a unit can be in, their groups were selected by numbers of units, or n > 1 was
# not yet 2 <= n in their key. They are other draws now, paid for again.
PAID_AGAIN = (
    "SELECT region, COUNT(DISTINCT customer), COUNT(DISTINCT quantity) FROM orders GROUP BY region",
    "SELECT region, paid, COUNT(DISTINCT customer) FROM orders GROUP BY CUBE (region, paid)",
    "SELECT paid, COUNT(*), COUNT(DISTINCT customer) FROM orders GROUP BY paid",
    "SELECT product, COUNT(*), SUM(quantity) FROM orders GROUP BY product",
    "SELECT DISTINCT product FROM orders WHERE region <> 'west'",
    *(a.sql for a in ASKED if a.sql.endswith("WHERE n > 1")),
)
# That policy has people with rows in another table alone.
REFUSED = tuple(a for a in ASKED if a.policy == "survey" and ("RESPONSE" in a.sql or "RAPPOR" in a.sql))
SERVED = tuple(
    (a, s) for a, s in zip(ASKED, STORED, strict=True) if a.sql not in PAID_AGAIN and a not in REFUSED
)
SPELLINGS = {
    "as it was asked": "{}",
    "with a comment": "{} -- again",
    "under another name": "SELECT * FROM ({}) AS again",
    "in a WITH": "WITH again AS ({}) SELECT * FROM again",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_shop(tmp_path_factory.mktemp("stored"))
    unpacked(folder)
    return folder


def test_the_ledger_is_what_was_written(shop: Path) -> None:
    with closing(Ledger.open(shop / "shop.ledger", dataset="shop")) as ledger:
        assert ledger.verify() == ()


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("asked", "stored"), SERVED, ids=[a.sql[:60] for a, _ in SERVED])
def test_a_stored_answer_is_served_for_nothing(shop: Path, asked: Asked, stored: list[list[str]]) -> None:
    with opened(shop, asked) as session:
        before = session.budget().spent
        for how, spelling in SPELLINGS.items():
            if "WITH" in spelling and asked.sql.startswith("WITH"):
                continue
            rows, epsilon, delta = said(session, spelling.format(asked.sql))
            assert (rows, epsilon, delta) == (stored, 0, 0), how
        assert session.budget().spent == before


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "asked", [a for a in ASKED if a.sql in PAID_AGAIN], ids=lambda a: f"{a.policy} {a.epsilon} {a.sql[:60]}"
)
def test_an_answer_with_more_noise_than_it_needs_now_is_charged_again(shop: Path, asked: Asked) -> None:
    with opened(shop, asked) as session:
        assert said(session, asked.sql)[1] > 0


@pytest.mark.parametrize("asked", REFUSED, ids=lambda a: a.sql[:60])
def test_a_stored_answer_that_is_refused_by_now_is_not_served(shop: Path, asked: Asked) -> None:
    with opened(shop, asked) as session, pytest.raises(QueryRefused, match="rows in answers alone"):
        said(session, asked.sql)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("asked", IMPLIED, ids=lambda a: a.sql[:60])
def test_what_stored_answers_imply_is_free(shop: Path, asked: Asked) -> None:
    """Found by how their texts begin, and read back from them."""
    with opened(shop, asked) as session:
        _, epsilon, delta = said(session, asked.sql)
        assert (epsilon, delta) == (0, 0)


def test_a_finer_answer_costs_the_difference_to_the_stored_one(shop: Path) -> None:
    finer = Asked("pure", "SELECT region, COUNT(*) AS n FROM orders GROUP BY region", "0.875")
    with opened(shop, finer) as session:
        assert said(session, finer.sql)[1] == Fraction(1, 8)


def test_what_was_never_asked_is_charged(shop: Path) -> None:
    """Otherwise the tests above would say nothing."""
    new = Asked("table_cap", "SELECT region, COUNT(*) FROM orders WHERE amount > 7 GROUP BY region")
    with opened(shop, new) as session:
        assert said(session, new.sql)[1] == 20


def test_history_tells_what_stored_texts_are_about(shop: Path) -> None:
    with opened(shop, Asked("parts", "")) as session:
        found = session.answer("SELECT question FROM dpsql.history ORDER BY 1").rows
        assert found == (("avg(age) of people",), ("count(*) of people",))


def test_every_kind_of_question_is_read_back_from_the_ledger(shop: Path) -> None:
    texts = []
    for name in policies():
        with closing(Ledger.open(shop / "shop.ledger", dataset=name)) as ledger:
            texts += [text for payment in ledger.payments("alice") for text in payment.canonical]
    plain = [text for text in texts if text.startswith("(Question(")]
    assert len(plain) > 40 and all(question_of(text) is not None for text in plain)
