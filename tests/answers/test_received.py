"""What an analyst has received answers later questions too, for nothing, and only where it says exactly that."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from answers.engines import shared_engines
from answers.lost_draws import lose_draws
from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.algebra.encoding.reading import question_of
from dpsql.errors import QueryRefused
from dpsql.interfaces import shared_connections as shared
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.plan.forms import canonical
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.stages import received_releases as received
from dpsql.stages.prepare import prepare

BROAD = (
    "SELECT region, paid, COUNT(*), AVG(amount), COUNT(DISTINCT customer) FROM orders GROUP BY region, paid"
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The shop with a cap on the table's rows, that no customer has, instead of one on what is aggregated."""
    folder = make_shop(tmp_path)
    text = (folder / "table_cap.yaml").read_text(encoding="utf-8")
    text = text.replace("max_rows_per_unit: 3", "max_rows_per_unit: 100")
    (folder / "capped.yaml").write_text(text)
    grouped = text.replace("orders.customer}", "orders.customer, max_groups_per_unit: 1}")
    (folder / "grouped.yaml").write_text(grouped)
    return folder


def opened(
    shop: Path,
    analyst: str = "alice",
    epsilon: object = None,
    policy: str = "capped",
    sampler: Sampler | None = None,
    accuracy: object = None,
) -> Session:
    return build_session(
        load_policy(shop / f"{policy}.yaml"),
        analyst,
        None,
        (epsilon, None),
        sampler or ExactSampler(),
        accuracy=accuracy,
        empty_conditions=True,
        resources=shared_engines,
    )


@pytest.fixture
def alice(shop: Path) -> Iterator[Session]:
    session = opened(shop)
    yield session
    session.close()


# An earlier question, and a later one that it implies.
IMPLIED = [
    (BROAD, "SELECT region, paid, COUNT(*) FROM orders GROUP BY region, paid"),
    (BROAD, "SELECT paid, region, AVG(amount) FROM orders GROUP BY paid, region"),
    (BROAD, "SELECT region, paid, SUM(amount), COUNT(amount) FROM orders GROUP BY ALL"),
    (BROAD, "SELECT region, COUNT(*) FROM orders WHERE paid GROUP BY region"),
    (BROAD, "SELECT COUNT(DISTINCT customer), COUNT(*) FROM orders WHERE region = 'north' AND NOT paid"),
    (BROAD, "SELECT region, paid, COUNT(*) FROM orders WHERE region IN ('north', 'east') GROUP BY ALL"),
    (
        "SELECT region, COUNT(*), MEDIAN(quantity) FROM orders WHERE amount > 5 GROUP BY region",
        "SELECT COUNT(*) FROM orders WHERE region = 'south' AND amount > 5",
    ),
    (
        "SELECT region, COUNT(*), MEDIAN(quantity), MAX(amount) FROM orders GROUP BY region",
        "SELECT region, MEDIAN(quantity), COUNT(*) FROM orders WHERE region <> 'west' GROUP BY region",
    ),
    (
        "SELECT VAR_SAMP(quantity) FROM orders",
        "SELECT AVG(quantity), SUM(quantity), COUNT(quantity) FROM orders",
    ),
    (
        "SELECT product, COUNT(*), SUM(quantity) FROM orders GROUP BY product",
        "SELECT product, SUM(quantity) FROM orders GROUP BY product",
    ),
    (
        "SELECT z.zone, paid, COUNT(*) FROM orders JOIN regions AS z USING (region) GROUP BY z.zone, paid",
        "SELECT zone, COUNT(*) FROM orders JOIN regions USING (region) WHERE paid GROUP BY zone",
    ),
    # Other spellings of the same conditions, which keep the same rows.
    (
        "SELECT SUM(quantity) FROM orders WHERE quantity >= 2 AND paid AND region IN ('north', 'south')",
        "SELECT SUM(quantity) FROM orders WHERE 1 = 1 AND (region = 'south' OR 'north' = region) AND paid = TRUE "
        "AND NOT (quantity < 2)",
    ),
    (
        "SELECT COUNT(*) FILTER (WHERE region = 'north') FROM orders",
        "SELECT SUM(CASE WHEN region IN ('north') THEN 1 ELSE 0 END) FROM orders",
    ),
    # Other spellings of the same measure, as one tool and the next write them.
    ("SELECT COUNT(*) FROM orders", "SELECT COUNT(1), COUNT(quantity), SUM(1), SUM(2) FROM orders"),
    ("SELECT SUM(1) FROM orders", "SELECT COUNT(*), SUM(0.5) FROM orders"),
    ("SELECT AVG(quantity) FROM orders", "SELECT SUM(quantity) / COUNT(*) FROM orders"),
    (
        "SELECT region, COUNT(*) FILTER (WHERE paid) FROM orders GROUP BY region",
        "SELECT region, COUNT_IF(paid), COUNT(CASE WHEN paid THEN 1 END), SUM(CASE WHEN paid THEN 1 ELSE 0 END), "
        "SUM(paid::INT), SUM(CASE WHEN paid THEN 3 END) FROM orders GROUP BY region",
    ),
    ("SELECT SUM(paid::INT) FROM orders", "SELECT COUNT(*) FILTER (WHERE paid) FROM orders"),
    (
        "SELECT SUM(CASE WHEN paid THEN quantity ELSE 0 END) FROM orders",
        "SELECT SUM(quantity) FILTER (WHERE paid), SUM(IF(paid, quantity, NULL)) FROM orders",
    ),
    (
        "SELECT AVG(rating) FILTER (WHERE paid AND quantity > 1) FROM orders",
        "SELECT COUNT(CASE WHEN quantity > 1 AND paid THEN rating END) FROM orders",
    ),
]


def test_what_was_received_under_one_ledger_answers_nothing_under_another(shop: Path) -> None:
    """Connections that share plans may have ledgers of their own."""
    one, other = (shared.connect(shop / "capped.yaml", analyst="alice", ledger=shop / name) for name in "ab")
    _, later = IMPLIED[0]
    one.execute(BROAD)
    assert one.execute(later).release.epsilon == 0
    assert other.execute(later).release.epsilon == 1
    one.close()
    other.close()


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("earlier", "later"), IMPLIED)
def test_what_an_earlier_answer_implies_is_free_and_what_the_data_says(
    shop: Path, earlier: str, later: str
) -> None:
    """Without noise the implied answer is the one that a draw would give."""
    session = opened(shop, sampler=Noiseless())
    session.answer(earlier)
    drawn = opened(shop, "bob", sampler=Noiseless()).answer(later)
    assert drawn.released.epsilon == 1
    implied = session.answer(later)
    assert implied.released.epsilon == 0 and session.budget().spent.epsilon == 1
    assert sorted(map(str, implied.rows)) == sorted(map(str, drawn.rows))
    assert implied.columns == drawn.columns


def test_an_implied_answer_is_made_of_the_noisy_numbers_that_were_received(alice: Session) -> None:
    first = {row[:2]: row[2] for row in alice.answer(BROAD).rows}
    later = alice.answer("SELECT region, COUNT(*) FROM orders WHERE paid GROUP BY region")
    assert {(region, True): n for region, n in later.rows} == {k: n for k, n in first.items() if k[1]}
    assert alice.answer("SELECT region, COUNT(*) FROM orders WHERE paid GROUP BY region").rows == later.rows


NOT_IMPLIED = [
    ("SELECT COUNT(*) FROM orders", "SELECT COUNT(rating) FROM orders"),
    ("SELECT AVG(rating) FROM orders", "SELECT COUNT(*) FROM orders"),
    ("SELECT COUNT(*) FILTER (WHERE paid) FROM orders", "SELECT SUM((NOT paid)::INT) FROM orders"),
    ("SELECT AVG(quantity) FILTER (WHERE paid) FROM orders", "SELECT COUNT(*) FROM orders"),
    (
        "SELECT SUM(quantity) FILTER (WHERE paid) FROM orders",
        "SELECT COUNT(*) FILTER (WHERE paid) FROM orders",
    ),
    (
        "SELECT AVG(CASE WHEN paid THEN quantity ELSE 0 END) FROM orders",
        "SELECT SUM(quantity) FILTER (WHERE paid), COUNT(*) FILTER (WHERE paid) FROM orders",
    ),
    (BROAD, "SELECT region, paid, COUNT(*), SUM(quantity) FROM orders GROUP BY ALL"),
    (BROAD, "SELECT region, COUNT(*) FROM orders WHERE amount > 5 AND paid GROUP BY region"),
    (
        BROAD,
        "SELECT region, COUNT(*) FROM orders GROUP BY region",
    ),  # sums of two groups are noisier than a draw
    (BROAD, "SELECT paid, COUNT(DISTINCT customer) FROM orders GROUP BY paid"),
    (BROAD, "SELECT region, paid, rating, COUNT(*) FROM orders GROUP BY ALL"),
    ("SELECT SUM(amount) FROM orders", "SELECT AVG(amount) FROM orders"),
    ("SELECT COUNT(*) FROM orders WHERE paid", "SELECT COUNT(*) FROM orders"),
    ("SELECT COUNT(*) FROM orders", "SELECT COUNT(*) FROM orders WHERE paid"),
    ("SELECT COUNT(*) FROM orders", "SELECT COUNT(*) FROM orders WHERE NULL"),
    (
        "SELECT product, COUNT(*) FROM orders GROUP BY product",
        "SELECT product, COUNT(*) FROM orders WHERE product = 1 GROUP BY product",
    ),
    (
        "SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1",
        "SELECT region, COUNT(*) FROM orders GROUP BY region",
    ),
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("earlier", "later"), NOT_IMPLIED)
def test_what_an_earlier_answer_does_not_imply_is_paid(alice: Session, earlier: str, later: str) -> None:
    alice.answer(earlier)
    assert alice.answer(later).released.epsilon == 1


def test_a_total_is_added_up_from_its_groups_where_that_is_no_less_sure(shop: Path, alice: Session) -> None:
    by = alice.answer("SELECT paid, rating, COUNT(*) AS n FROM orders GROUP BY ALL")
    careful = opened(shop, epsilon="0.1")
    plan = careful.explain("SELECT COUNT(*) FROM orders")
    assert any("adding up 12 groups" in note and "free" in note for note in plan.notes)
    assert plan.epsilon == 0
    answer = careful.answer("SELECT COUNT(*) FROM orders")
    assert answer.released.epsilon == 0 and answer.rows == ((sum(int(str(row[2])) for row in by.rows),),)
    ((interval,),) = answer.released.intervals
    alone = opened(shop, "bob").answer("SELECT COUNT(*) FROM orders").released.intervals[0][0]
    assert interval is not None and alone is not None
    widened = (interval.high - interval.low) / (alone.high - alone.low)
    assert 2.8 < widened < 4  # the root of 12, and the tails of a sum are lighter


def test_groups_that_leave_out_rows_do_not_add_up_to_a_total(shop: Path) -> None:
    """A region that is on no list is counted in the total, and stands in no group."""
    with duckdb.connect(str(shop / "shop.duckdb")) as data:
        data.execute("UPDATE orders SET region = 'nowhere' WHERE region = 'north'")
    session, careful = opened(shop, sampler=Noiseless()), opened(shop, epsilon="0.1", sampler=Noiseless())
    groups = session.answer("SELECT region, COUNT(*) FROM orders GROUP BY region").rows
    total = careful.answer("SELECT COUNT(*) FROM orders")
    assert total.released.epsilon == Fraction(1, 10)
    assert int(str(total.rows[0][0])) > sum(int(str(n)) for _, n in groups)


def test_rows_that_are_chosen_after_a_filter_are_not_those_chosen_before_it(shop: Path) -> None:
    session = opened(shop, policy="dataset_cap", sampler=Noiseless())
    session.answer("SELECT region, COUNT(*) FROM orders GROUP BY region")
    assert session.answer("SELECT COUNT(*) FROM orders WHERE region = 'north'").released.epsilon == 1
    assert session.answer("SELECT region, COUNT(*) FROM orders GROUP BY region").released.epsilon == 0


def test_groups_that_are_chosen_under_a_condition_are_not_those_chosen_without_it(shop: Path) -> None:
    session = opened(shop, policy="grouped", sampler=Noiseless())
    question = "SELECT region, COUNT(DISTINCT customer) FROM orders {} GROUP BY region"
    session.answer(question.format(""))
    assert session.answer(question.format("WHERE region <> 'north'")).released.epsilon == 1


def test_the_same_question_at_a_smaller_epsilon_is_answered_by_the_finer_draw(
    shop: Path, alice: Session
) -> None:
    careful = opened(shop, epsilon="0.25")
    # Groups of many products are kept or withheld by chance.
    for column, measure in (
        ("region", "COUNT(*)"),
        ("product", "COUNT(*)"),
        ("product", "COUNT(DISTINCT customer)"),
    ):
        question = f"SELECT {column}, {measure} FROM orders GROUP BY {column}"
        rows = alice.answer(question).rows
        assert careful.answer(question).rows == rows
    assert careful.budget().spent.epsilon == 3


def test_an_accuracy_that_the_received_answer_does_not_have_is_paid(shop: Path) -> None:
    """Beside a sum a count has half of the budget, so that its error is larger than alone."""
    opened(shop).answer("SELECT COUNT(*), SUM(quantity) FROM orders")
    rough, sure = opened(shop, accuracy=3_000), opened(shop, accuracy=320)
    assert rough.answer("SELECT COUNT(*) FROM orders").released.epsilon == 0
    assert sure.answer("SELECT COUNT(*) FROM orders").released.epsilon > 0


def test_what_others_received_changes_no_charge_no_plan_and_no_note(shop: Path, alice: Session) -> None:
    question = "SELECT region, paid, COUNT(*) FROM orders GROUP BY region, paid"
    bob = opened(shop, "bob")
    before = bob.explain(question)
    alice.answer(BROAD)
    assert bob.explain(question) == before
    assert bob.answer(question).released.epsilon == 1
    assert bob._state.ledger.spent_dataset().epsilon == 2


def test_answers_of_an_earlier_data_version_imply_nothing(shop: Path, alice: Session) -> None:
    alice.answer(BROAD)
    alice._state.ledger.refresh(alice._state.sources, "admin")
    later = opened(shop)
    assert later.answer("SELECT region, paid, COUNT(*) FROM orders GROUP BY ALL").released.epsilon == 1


def test_another_session_gives_the_same_implied_answer(shop: Path, alice: Session) -> None:
    alice.answer(BROAD)
    later = "SELECT region, COUNT(*) FROM orders WHERE NOT paid GROUP BY region"
    rows = alice.answer(later).rows
    alice.answer("SELECT region, paid, COUNT(*), SUM(quantity) FROM orders GROUP BY ALL")
    assert opened(shop).answer(later).rows == rows


def test_an_implied_answer_whose_draw_the_ledger_has_lost_is_drawn_and_paid(
    shop: Path, alice: Session
) -> None:
    """A database server loses its power and comes back; the session that asked it goes on."""
    later = "SELECT region, paid, COUNT(*) FROM orders GROUP BY ALL"
    alice.answer(BROAD)
    assert alice.answer(later).released.epsilon == alice.answer(later).released.epsilon == 0
    lose_draws(shop / "capped.ledger")
    assert alice.answer(later).released.epsilon == 1
    assert alice.budget().spent.epsilon == 2


def test_a_release_that_was_received_is_planned_again_once_for_all_later_questions(
    alice: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[object] = []
    plan = received.plan_releases
    monkeypatch.setattr(
        received, "plan_releases", lambda asked, *given: planned.append(asked) or plan(asked, *given)
    )
    for least in range(5):
        alice.answer(
            f"SELECT region, SUM(quantity) FILTER (WHERE quantity > {least}) FROM orders GROUP BY region"
        )
    assert len(planned) == len(set(planned)) == 4


def test_half_of_a_query_may_be_implied_and_the_other_half_drawn(alice: Session) -> None:
    alice.answer("SELECT paid, COUNT(*) FROM orders GROUP BY paid")
    both = "SELECT (SELECT COUNT(*) FROM orders WHERE paid), (SELECT SUM(quantity) FROM orders)"
    assert alice.explain(both).epsilon == Fraction(1, 2)
    assert alice.answer(both).released.epsilon == Fraction(1, 2)
    assert alice.answer(both).released.epsilon == 0


def test_a_fresh_draw_is_charged_in_full_each_time_and_leaves_the_stored_answer_as_it_was(
    alice: Session,
) -> None:
    question = "SELECT region, COUNT(*) FROM orders GROUP BY region"
    anew = question.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(fresh = true)", 1)
    first = alice.answer(question).rows
    draws = {alice.answer(anew).rows for _ in range(12)}
    assert len(draws) > 1 and alice.budget().spent.epsilon == 13
    assert alice._state.ledger.spent_dataset().epsilon == 13
    assert alice.answer(question).rows == first and alice.budget().spent.epsilon == 13
    assert alice._state.ledger.verify() == ()


def test_a_connection_may_ask_for_fresh_draws_and_a_query_of_it_may_not(shop: Path) -> None:
    session = build_session(
        load_policy(shop / "capped.yaml"), "alice", None, (None, None), ExactSampler(), fresh=True
    )
    for _ in range(2):
        assert session.answer("SELECT COUNT(*) FROM orders").released.epsilon == 1
    stored = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(fresh = FALSE) COUNT(*) FROM orders"
    assert session.answer(stored).released.epsilon == 1  # nothing but fresh draws so far
    assert session.answer(stored).released.epsilon == 0
    with pytest.raises(QueryRefused, match="fresh must be true or false"):
        session.answer("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(fresh = 1) COUNT(*) FROM orders")


def test_a_release_that_reads_a_fresh_draw_is_drawn_from_that_draw(shop: Path) -> None:
    session = opened(shop, sampler=Noiseless())
    fed = "SELECT COUNT(*) FROM orders WHERE amount > (SELECT AVG(amount) FROM orders)"
    anew = fed.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(fresh = true)", 1)
    assert session.answer(fed).rows == session.answer(anew).rows
    assert session.budget().spent.epsilon == 2


QUESTIONS = [later for _, later in (*IMPLIED, *NOT_IMPLIED)] + [
    "SELECT COUNT(*) FROM orders WHERE region <> '<Aggregate.SUM: ''sum''>' AND coupon = 'it''s \"x\"'",
    "SELECT COUNT(*) FROM orders WHERE day > DATE '2025-02-01' AND placed < TIMESTAMP '2025-03-01 10:00:00.5'",
    "SELECT COUNT(*) FROM orders WHERE amount > 0.1 AND quantity > -3 AND day + INTERVAL 1 MONTH > '2025-02-02'",
    "SELECT AVG(n) FROM (SELECT customer, COUNT(*) AS n, SUM(amount) AS s FROM orders GROUP BY customer) WHERE s > 1",
    "SELECT COUNT(*) FROM orders WHERE EXISTS (SELECT 1 FROM products p WHERE p.product = orders.product)",
    "SELECT COUNT(*) FROM (SELECT paid FROM orders UNION ALL SELECT NOT paid FROM orders) WHERE paid",
    "SELECT QUANTILE_CONT(quantity, 0.25), CORR(quantity, amount), COUNT(*) FILTER (paid) FROM orders",
    "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY customer ORDER BY day) AS n FROM orders) WHERE n = 1",
    "SELECT COUNT(*) FROM orders LEFT JOIN regions USING (region) WHERE zone IN (SELECT zone FROM regions)",
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("sql", QUESTIONS)
def test_the_canonical_text_of_a_question_is_read_back_as_that_question(alice: Session, sql: str) -> None:
    for release in prepare(sql, None, alice._state).plan.releases:
        text = canonical((release.question, release.parts))
        assert question_of(text) == release.question and canonical(question_of(text)) in text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(",
        "()",
        "(1,)",
        "__import__('os').getcwd()",
        "(Question(relation=open('x')),)",
        "(Question(relation=Scan(table='t', index=0), keys=(), measures=(Measure(aggregate=os.sep),)),)",
        "(Scan(table='t', index=0),)",
        "(Question(**{}),)",
        "(" * 5000,
        "(Question(relation=Scan(table='t', index=0).table, keys=(), measures=()),)",
    ],
)
def test_no_other_text_is_read_as_a_question(text: str) -> None:
    assert question_of(text) is None
