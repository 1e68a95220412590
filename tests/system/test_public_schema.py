"""PostgreSQL's clients say public where a table has no schema: it is the same, unless the policy has such a schema."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from answers.noiseless import Noiseless
from answers.shop import make_shop

from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.sql.system_tables.system_context import Client

Open = Callable[..., Session]


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_shop(tmp_path_factory.mktemp("public") / "shop")
    own = (folder / "shop.yaml").read_text(encoding="utf-8").replace("  tags: ", "  Public.tags: ")
    (folder / "own.yaml").write_text(own, encoding="utf-8")
    return folder


@pytest.fixture(name="opened", scope="module")
def _opened(folder: Path) -> Iterator[Open]:
    with ExitStack() as stack:

        @functools.cache
        def opened(policy: str = "shop", rows: str = "refuse") -> Session:
            loaded = load_policy(folder / f"{policy}.yaml")
            session = build_session(loaded, "alice", None, (None, None), Noiseless(least=3), rows)
            return stack.enter_context(closing(session))

        yield opened


@pytest.mark.parametrize(
    ("plain", "named"),
    [
        (
            "SELECT COUNT(*) FROM orders WHERE quantity > 2",
            'SELECT COUNT(*) FROM "public"."orders" WHERE quantity > 2',
        ),
        (
            "SELECT orders.region, AVG(orders.amount) AS a FROM orders GROUP BY orders.region",
            "SELECT PUBLIC.orders.region, AVG(public.orders.amount) AS a FROM Public.Orders GROUP BY orders.region",
        ),
        (
            "SELECT r.zone, COUNT(*) AS n FROM orders JOIN regions AS r ON orders.region = r.region GROUP BY r.zone",
            "SELECT r.zone, COUNT(*) AS n FROM public.orders JOIN public.regions AS r "
            "ON public.orders.region = r.region GROUP BY r.zone",
        ),
        (
            "SELECT COUNT(*) FROM orders WHERE customer IN (SELECT customer FROM orders AS o WHERE o.paid)",
            "SELECT COUNT(*) FROM public.orders WHERE customer IN (SELECT customer FROM main.orders AS o WHERE o.paid)",
        ),
        (
            "WITH public AS (SELECT * FROM orders) SELECT COUNT(*) FROM public WHERE product = 1",
            "WITH public AS (SELECT * FROM public.orders) SELECT COUNT(*) FROM public WHERE public.product = 1",
        ),
        (
            "PIVOT orders ON region USING COUNT(*) GROUP BY paid",
            "PIVOT public.orders ON region USING COUNT(*) GROUP BY paid",
        ),
    ],
)
def test_a_question_by_either_name_is_one_question(plain: str, named: str, opened: Open) -> None:
    first, again = opened().answer(plain), opened().answer(named)
    assert again.rows == first.rows and again.released.epsilon == 0 < first.released.epsilon
    assert [c.type for c in again.columns] == [c.type for c in first.columns]


def test_public_tables_and_statements_about_tables_have_either_name(opened: Open) -> None:
    session = opened()
    for sql in (
        "SELECT * FROM {}regions ORDER BY region",
        "DESCRIBE {}orders",
        "PRAGMA table_info('{}orders')",
    ):
        assert session.answer(sql.format("public.")).rows == session.answer(sql.format("")).rows
    named = session.describe(
        "SELECT COUNT(*) FROM public.orders WHERE day = $1 AND public.orders.quantity > $2"
    )
    assert named.parameters == (("1", "DATE"), ("2", "BIGINT"))


@pytest.mark.parametrize("rows", ["empty", "mock"])
def test_rows_of_people_are_kept_back_by_either_name(rows: str, opened: Open) -> None:
    session = opened(rows=rows)
    plain, named = (
        session.answer("SELECT * FROM orders"),
        session.answer("SELECT orders.* FROM public.orders"),
    )
    assert named.columns == plain.columns and named.rows == plain.rows
    assert named.released.epsilon == 0


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("SELECT COUNT(*) FROM public.nothing", 'there is no table "public.nothing"'),
        ("SELECT COUNT(*) FROM publics.orders", 'there is no table "publics.orders"'),
        ("SELECT region FROM public.orders", "rows of a private table"),
        (
            "SELECT COUNT(*) FROM public.orders AS o WHERE public.orders.paid",
            "a column may be qualified by its table",
        ),
        ("SELECT COUNT(*) FROM orders WHERE public.orders.paid", "by the schema that the table has in FROM"),
        (
            "WITH x AS (SELECT 1 AS paid) SELECT COUNT(*) FROM public.x WHERE paid",
            'there is no table "public.x"',
        ),
        ("SELECT COUNT(*) FROM public.orders, dpsql.budget", "a join of private rows with the system table"),
    ],
)
def test_what_is_refused_of_a_table_is_refused_of_it_by_either_name(
    sql: str, sentence: str, opened: Open
) -> None:
    with pytest.raises(QueryRefused) as refused:
        opened().answer(sql)
    assert sentence in str(refused.value)


def test_a_policy_with_tables_in_public_keeps_the_name_for_them(opened: Open) -> None:
    session = opened("own")
    tags = [
        session.answer(f"SELECT COUNT(*) FROM {name}").rows for name in ("public.tags", '"PUBLIC"."Tags"')
    ]
    assert tags[0] == tags[1]
    for sql in (
        "SELECT COUNT(*) FROM public.orders",
        "SELECT * FROM public.regions",
        "SELECT COUNT(*) FROM tags",
    ):
        with pytest.raises(QueryRefused, match="there is no table"):
            session.answer(sql)


def test_objects_of_the_catalogs_have_either_name(opened: Open) -> None:
    sql = "SELECT '{}'::regclass::oid AS n"
    assert opened().answer(sql.format("public.orders")).rows == opened().answer(sql.format("orders")).rows
    assert opened("own").answer("SELECT to_regclass('public.orders')").rows == ((None,),)


def test_the_name_that_a_client_knows_the_database_by_may_stand_before_a_schema(folder: Path) -> None:
    policy = load_policy(folder / "shop.yaml")
    sampler = Noiseless(least=3)
    with closing(
        build_session(policy, "bob", None, (None, None), sampler, client=Client("Store"))
    ) as session:
        first = session.answer("SELECT COUNT(*) FROM orders WHERE region = 'north'")
        for where in (
            '"Store"."public"."orders" WHERE',
            "store.main.orders WHERE store.main.orders.paid IS NULL OR",
        ):
            again = session.answer(f"SELECT COUNT(*) FROM {where} region = $1", ["north"])
            assert again.rows == first.rows
        assert session.budget().spent.epsilon == 2
        named = session.answer(
            "SELECT store.public.regions.zone, -store.public.regions.zone FROM store.public.regions"
        )
        assert [c.name for c in named.columns] == ["zone", "?column?"]
        asked = session.describe(
            "SELECT COUNT(*) FROM store.public.orders WHERE store.public.orders.day = $1"
        )
        assert asked.parameters == (("1", "DATE"),)
        for other in ("other.public.orders", "shop.main.orders", "store.orders"):
            with pytest.raises(QueryRefused):
                session.answer(f"SELECT COUNT(*) FROM {other}")
