"""One unit's line in a CSV file says nothing about anybody else's: neighbours answer alike but for that unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from answers.noiseless import Noiseless

import dpsql
from dpsql.dbapi import Connection
from dpsql.policy.load import load_policy
from dpsql.session import build_session

POLICY = """
version: 1
privacy: {{unit: orders.customer, max_rows_per_unit: 1}}
tables:
  orders:
    source: orders.csv
    unit_key: customer
    columns:
      customer: {{type: {key}}}
      day: {{type: date, lower: 2024-01-01, upper: 2024-12-31{null}}}
      amount: {{type: integer, lower: 0, upper: 10}}
      word: {{type: text, nullable: true}}
{format}
  goods: {{source: goods.csv, public: true}}
budgets: {{dataset: {{epsilon: 100}}, default: {{epsilon: 100, per_query: 1}}}}
accountant: pure
{engine}
"""
GOODS = "name,price,since\n" + "".join(f"{n},{n},2024-01-01\n" for n in range(10))
ASKED = (
    "SELECT COUNT(*) FROM orders",
    "SELECT COUNT(*) FROM orders WHERE day >= '2024-03-01' AND day < '2024-04-01'",
    "SELECT SUM(amount) FROM orders",
    "SELECT COUNT(*) FROM orders WHERE amount < 3",
    "SELECT COUNT(*) FROM orders WHERE word = 'a'",
    "SELECT COUNT(*) FROM orders JOIN goods ON amount = price",
)
HOSTILE = (
    '5000,03/25/2024,5,a', 'u5000,",""', '"', '5000,2024-03-05,5,"a', '5000,2024-03-05,5,a"', "5000",
    "5000,2024-03-05,5,a,b", "5000,2024-03-05,,a", "5000,,5,a", "5000,2024-03-05,5,", "5000,2024-03-05,x,a",
    "5000,2024-03-05,1e400,a", "5000,2024-03-05,nan,a", "5000,99999-01-01,5,a", "customer,day,amount,word",
    "5000,2024-03-05,5," + "y" * 5_000_000, "," * 10_000, "     ", "\0", "5000,2024-03-05\r,5,a",
    "\ufeff5000,2024-03-05,5,a", "5000;2024-03-05;5;a", "# 5000", "99999999999999999999,2024-03-05,5,a",
    "5000,2024-03-05,12.5,a", "5000,infinity,5,a", "'5000','2024-03-05','5','a'", ",2024-03-05,5,a",
)  # fmt: skip


@contextmanager
def asked_about(
    folder: Path,
    lines: Sequence[bytes],
    key: str = "integer",
    form: str = "",
    engine: str = "",
    null: str = "",
) -> Iterator[Connection]:
    folder.mkdir(exist_ok=True)
    (folder / "orders.csv").write_bytes(
        b"customer,day,amount,word\n" + b"".join(line + b"\n" for line in lines)
    )
    (folder / "goods.csv").write_text(GOODS)
    policy = folder / "shop.yaml"
    policy.write_text(POLICY.format(key=key, format=form and f"    format: {form}", engine=engine, null=null))
    session = build_session(load_policy(policy), "mallory", None, (None, None), Noiseless())
    with closing(session):
        yield Connection(session)


def answers(connection: Connection) -> list[tuple[object, object]]:
    """What is told of every question: the number, the columns."""
    found = [connection.execute(sql) for sql in ASKED]
    return [(cursor.fetchone(), cursor.description) for cursor in found]


def amounts(told: list[tuple[object, object]]) -> list[int]:
    return [int(row[0]) for row, _ in told]  # type: ignore[index]


OTHERS = [
    b"%d,2024-%02d-%02d,%d,%s" % (n, 1 + n % 12, 1 + n % 28, n % 11, b"ab"[n % 2 :][:1]) for n in range(300)
]


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, object]]:
    with asked_about(tmp_path_factory.mktemp("without"), OTHERS) as connection:
        return answers(connection)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("line", HOSTILE, ids=lambda line: ascii(line)[:40])
def test_one_more_line_moves_answers_by_one_row_at_most(
    tmp_path: Path, without: list[tuple[object, object]], line: str
) -> None:
    lines = [*OTHERS[:150], line.encode(), *OTHERS[150:]]
    with asked_about(tmp_path, lines) as connection:
        told = answers(connection)
    assert [d for _, d in told] == [d for _, d in without]
    moved = [abs(a - b) for a, b in zip(amounts(told), amounts(without), strict=True)]
    assert all(m <= most for m, most in zip(moved, (1, 1, 10, 1, 1, 1), strict=True)), moved


def test_a_date_in_another_style_leaves_those_of_others_as_they_are(tmp_path: Path) -> None:
    """With a guess, 25 March turned the days and months of all the others round."""
    others = [b"%d,03/%02d/2024,5,a" % (n, 1 + n % 12) for n in range(1200)]
    form = "{date: '%m/%d/%Y'}"
    for folder, lines in (("without", others), ("with", [*others, b"5000,03/25/2024,5,a"])):
        with asked_about(tmp_path / folder, lines, form=form) as connection:
            assert connection.execute(ASKED[1]).fetchone() == (len(lines),)


def test_a_line_of_quotes_leaves_the_quotes_of_others_as_they_are(tmp_path: Path) -> None:
    """With a guess, it switched quoting off."""
    others = [b'u%d,2024-03-05,5,"x, y"' % n for n in range(500)]
    sql = "SELECT COUNT(*) FROM orders WHERE word = 'x, y'"
    for folder, lines in (("without", others), ("with", [*others, b'u5000,",""'])):
        with asked_about(tmp_path / folder, lines, key="text") as connection:
            assert connection.execute(sql).fetchone() == (500,)


@pytest.mark.parametrize("engine", ["", "engine: {isolation: process}"])
def test_no_line_decides_whether_a_connection_opens(tmp_path: Path, engine: str) -> None:
    lines = [*OTHERS, *(line.encode() for line in HOSTILE), b"\xff,\xfe,\xff,\xff"]
    with asked_about(tmp_path, lines, engine=engine) as connection:
        assert amounts(answers(connection))[0] == len(OTHERS) + 1


@pytest.mark.one_in(4)
@pytest.mark.parametrize("line", ["a,b", '"', "1,2,3,4", "\0,1,2024-01-01", '"10,10,2024-01-01'])
def test_a_malformed_line_of_a_public_table_is_left_out_alone(tmp_path: Path, line: str) -> None:
    sql = "SELECT COUNT(*), SUM(price), MAX(since) FROM goods"
    with asked_about(tmp_path, OTHERS[:1]) as connection:
        before = connection.execute(sql)
        expected, shape = before.fetchall(), before.description
    (tmp_path / "goods.csv").write_text(GOODS + line + "\n")
    session = build_session(
        load_policy(tmp_path / "shop.yaml"), "carol", tmp_path / "l", (None, None), Noiseless()
    )
    with closing(session):
        after = Connection(session).execute(sql)
        assert (after.fetchall(), after.description) == (expected, shape)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("header", "told"),
    [
        (b"customer,day,amount", True),
        (b"customer,day,amount,amount,word", True),
        (b'customer,"day', True),
        (b"", True),
        (b"word,amount,day,customer,more", False),
    ],
)
def test_a_header_that_does_not_fit_is_the_admins_mistake_and_shows_nothing(
    tmp_path: Path, header: bytes, told: bool
) -> None:
    with asked_about(tmp_path, OTHERS[:1]):
        pass
    (tmp_path / "orders.csv").write_bytes(header + b"\n777777,isolation,isolation,isolation\n")
    if not told:
        dpsql.connect(tmp_path / "shop.yaml", analyst="mallory", ledger=tmp_path / "new").close()
        return
    with pytest.raises(dpsql.PolicyError) as caught:
        dpsql.connect(tmp_path / "shop.yaml", analyst="mallory", ledger=tmp_path / "new")
    assert "777777" not in str(caught.value) and "isolation" not in str(caught.value)
    assert "varchar" not in str(caught.value).lower()
