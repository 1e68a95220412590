"""What a caller says of itself: names that look like others and numbers of a billion digits are refused everywhere."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from plan.opened import Table

import dpsql
from dpsql.interfaces import shared_connections as shared
from dpsql.interfaces.cli.app import main

NAMES = (
    "alice ",
    " alice",
    "\talice",
    "ali\u200bce",
    "alice\u2060",
    "al\u00a0ice",
    "zoe\u0308",
    "x" * 129,
    "\ufeffalice",
)
NUMBERS = (
    "1e999999999", "1e-999999999", "9" * 5_000, "0." + "0" * 5_000 + "1", "\u0661\u0662", "0x10", "1_0", "nan", "inf",
    " 1 ", "1/3", "-1", "",
)  # fmt: skip
VALUES = (
    Decimal("1E+999999999"), Decimal("1E-999999999"), Decimal("sNaN"), Decimal("9" * 5_000), 10**5_000,
    Fraction(1, 10**5_000), float("nan"), float("inf"), True, b"1", [1],
)  # fmt: skip
# As a parameter a number that is next to nothing is the double 0, as in SQL.
UNBOUND = (VALUES[0], *VALUES[2:8])
Open = Callable[..., object]


@pytest.fixture(scope="module", name="policy")
def _policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = ((1, "a"), (2, "b"))
    return Table({"word": "text, values: [a, b]"}, rows, privacy="max_rows_per_unit: 1").store(
        tmp_path_factory.mktemp("arguments")
    )


def _by_url(policy: Path, **given: object) -> object:
    query = {name: str(value) for name, value in given.items()}
    url = sa.engine.URL.create("dpsql", database=str(policy), query=query)
    return sa.create_engine(url).connect()


DOORS: tuple[Open, ...] = (dpsql.connect, shared.connect, _by_url)


def _refused(door: Open, policy: Path, **given: object) -> str:
    with pytest.raises((dpsql.InterfaceError, dpsql.ProgrammingError, sa.exc.DBAPIError)) as raised:
        door(policy, **given)
    assert not list(policy.parent.glob("*.ledger*"))
    return str(raised.value)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("door", DOORS)
def test_nobody_has_a_name_that_looks_like_another(door: Open, name: str, policy: Path) -> None:
    assert "nobody has that name: a name " in _refused(door, policy, analyst=name)


@pytest.mark.parametrize("text", NUMBERS, ids=lambda t: ascii(t[:20]))
@pytest.mark.parametrize("what", ["epsilon", "delta", "accuracy"])
@pytest.mark.parametrize("door", DOORS)
def test_a_text_that_is_no_small_number_is_refused(door: Open, what: str, text: str, policy: Path) -> None:
    said = _refused(door, policy, analyst="alice", **{what: text})
    assert f"{what} must" in said and len(said) < 1_000


@pytest.mark.parametrize("what", ["epsilon", "delta", "accuracy"])
@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_a_value_that_is_no_small_number_is_refused(value: object, what: str, policy: Path) -> None:
    assert f"{what} must" in _refused(dpsql.connect, policy, analyst="alice", **{what: value})


@pytest.mark.parametrize("text", ["1e999999999", "1e-999999999", "9" * 5_000, " 1 ", "\u0661"])
@pytest.mark.parametrize("option", ["epsilon", "delta", "accuracy"])
def test_the_command_line_refuses_the_same_numbers(option: str, text: str, policy: Path) -> None:
    asked = ["query", str(policy), "SELECT COUNT(*) FROM t", "--analyst", "alice", f"--{option}", text]
    ran = CliRunner().invoke(main, asked)
    assert ran.exit_code > 1 and f"{option} must" in ran.output


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_the_command_line_refuses_the_same_names(name: str, policy: Path) -> None:
    ran = CliRunner().invoke(main, ["budget", str(policy), "--analyst", name])
    assert ran.exit_code > 1 and "nobody has that name" in ran.output


@pytest.mark.parametrize("text", ["9" * 5_000, "0." + "0" * 5_000 + "1"])
def test_a_parameter_of_the_command_line_has_few_digits(text: str, policy: Path) -> None:
    ran = CliRunner().invoke(
        main, ["query", str(policy), "SELECT COUNT(*) FROM t WHERE 1 < ?", "--param", text, "--analyst", "a"]
    )
    assert ran.exit_code == 2 and "at most 100 characters" in ran.output


def test_minutes_are_a_number(policy: Path) -> None:
    for text in ("nan", "inf", "1e308", "0", "-1"):
        ran = CliRunner().invoke(main, ["audit", str(policy), "--minutes", text])
        assert ran.exit_code == 2, text


@pytest.mark.parametrize("value", UNBOUND, ids=lambda v: type(v).__name__)
def test_a_parameter_of_a_query_is_finite_and_fits(value: object, policy: Path, tmp_path: Path) -> None:
    with dpsql.connect(policy, analyst="alice", ledger=tmp_path / "own.ledger") as connection:
        with pytest.raises(dpsql.Error) as raised:
            connection.execute("SELECT COUNT(*) FROM t WHERE u > ?", [value])
        assert isinstance(raised.value, dpsql.ProgrammingError | dpsql.NotSupportedError)
        assert connection.budget().spent.epsilon == 0


def test_names_that_differ_in_case_are_one_analyst(policy: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "one.ledger"
    with dpsql.connect(policy, analyst="Alice", ledger=ledger) as connection:
        connection.execute("SELECT COUNT(*) FROM t")
        spent = connection.budget().spent
    with dpsql.connect(policy, analyst="aLICE", ledger=ledger) as connection:
        assert connection.budget().spent == spent and spent.epsilon > 0
