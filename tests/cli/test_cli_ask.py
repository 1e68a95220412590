"""The analyst's commands: query, explain and budget."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from fractions import Fraction

import pytest

from dpsql import errors
from dpsql.engines.base import OutputColumn
from dpsql.interfaces.cli import options
from dpsql.interfaces.cli.ask import plan_as_json
from dpsql.interfaces.cli.parameter_values import typed
from dpsql.privacy import Cost
from dpsql.release.types import Answer, Explanation, Interval95, Released, Span

COLUMNS = (OutputColumn("region", "VARCHAR"), OutputColumn("n", "BIGINT"))
ANSWER = Answer(
    COLUMNS,
    (("north", 1234),),
    Released(
        Cost(Fraction(1, 2)),
        lambda: Explanation(Fraction(1, 2), Fraction(0), (), "", ("a note",)),
        lambda: ((None, Interval95(1178, 1290)),),
    ),
)


def test_a_pipe_gets_csv_and_stderr_stays_silent(session, run):
    session.script.append(ANSWER)
    result = run("query", "p.yaml", "SELECT 1", "--analyst", "alice")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "region,n\nnorth,1234\n", "")


def test_a_terminal_gets_a_table_and_stderr_the_charge(session, run, monkeypatch):
    session.script.append(ANSWER)
    monkeypatch.setattr(options, "is_terminal", lambda: True)
    result = run("query", "p.yaml", "SELECT 1")
    assert "1,234 ± 56" in result.stdout
    assert result.stderr == (
        "1 row; charged epsilon 0.5, delta 0; ± is a 95 % interval of the noise alone\nnote: a note\n"
    )


def test_a_terminal_tells_what_may_have_biased_the_answer(session, run, monkeypatch):
    limit = "COUNT(*): about 20 (±8) of 1,010 people count with less than they have"
    explained = Explanation(Fraction(1), Fraction(0), (), "", ("a note",), bias=(limit,))
    sure = Interval95(1178, 1290, Span(1178, 1350))
    session.script.append(
        Answer(
            COLUMNS,
            (("north", 1234),),
            Released(Cost(Fraction(1)), lambda: explained, lambda: ((None, sure),)),
        )
    )
    monkeypatch.setattr(options, "is_terminal", lambda: True)
    result = run("query", "p.yaml", "SELECT 1")
    assert "1,234 ± 56 (to 1,350)" in result.stdout
    meaning, *notes = result.stderr.splitlines()
    assert meaning.endswith(
        "± is a 95 % interval of the noise alone; (to ...) is an estimate of all that is left out, which supposes "
        "groups alike; it is not one of 95 %"
    )
    assert notes == [f"note: {limit}", "note: a note"]


@pytest.mark.parametrize(
    ("style", "sign"), [("json", '"epsilon": 0.5'), ("markdown", "| ---: |"), ("csv", "n\n")]
)
def test_a_format_can_be_chosen(session, run, style, sign):
    session.script.append(ANSWER)
    assert sign in run("query", "p.yaml", "SELECT 1", "--format", style).stdout


def test_options_reach_the_connection_as_they_were_written(session, run):
    session.script.append(ANSWER)
    run("query", "p.yaml", "q", "--analyst", "al", "--ledger", "l", "--epsilon", "0.30", "--delta", "1e-6",
        "--accuracy", "25", "--rows", "mock")  # fmt: skip
    opened = {name: str(value) for name, value in session.opened.items()}
    assert opened == {
        "policy": "p.yaml", "analyst": "al", "ledger": "l", "epsilon": "0.30", "delta": "1e-6", "accuracy": "25",
        "rows": "mock",
    }  # fmt: skip
    assert session.closed


def test_the_environment_names_analyst_and_ledger(session, run):
    session.script.append(ANSWER)
    run("query", "p.yaml", "q", DPSQL_ANALYST="eve", DPSQL_LEDGER="x.ledger")
    assert (session.opened["analyst"], str(session.opened["ledger"])) == ("eve", "x.ledger")


def test_without_any_name_the_analyst_is_the_login_name(session, run):
    session.script.append(ANSWER)
    run("query", "p.yaml", "q", LOGNAME="mallory")
    assert session.opened["analyst"] == "mallory"


def test_who_asks_by_the_login_name_and_may_not_is_told_how_to_say_another(session, run, monkeypatch):
    def refused(policy, **given):
        raise errors.InterfaceError("the policy grants 'mallory' no budget")

    monkeypatch.setattr(options, "connect", refused)
    said = "asked as mallory, the login name; --analyst or DPSQL_ANALYST says who asks\n"
    assert run("query", "p.yaml", "q", LOGNAME="mallory").stderr.startswith(said)
    assert run("query", "p.yaml", "q", "--analyst", "mallory").stderr.startswith("the policy grants")
    assert run("query", "p.yaml", "q", DPSQL_ANALYST="mallory").stderr.startswith("the policy grants")


def test_a_system_without_a_login_name_is_asked_for_one(session, run, monkeypatch):
    monkeypatch.setattr(options.getpass, "getuser", lambda: (_ for _ in ()).throw(OSError))
    result = run("query", "p.yaml", "q")
    assert result.exit_code == 2 and "say who asks" in result.stderr


def test_a_dash_reads_the_query_from_stdin(session, run):
    session.script.append(ANSWER)
    run("query", "p.yaml", "-", stdin="SELECT\n1")
    assert session.asked == [("SELECT\n1", None)]


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        ((), None),
        (("--param", "5", "--param", "2025-03-01"), (5, dt.date(2025, 3, 1))),
        (("--param", "$low=5", "--param", "$name='5'"), {"low": 5, "name": "5"}),
    ],
)
def test_parameters_are_passed_by_place_or_by_name(session, run, arguments, passed):
    session.script.append(ANSWER)
    run("query", "p.yaml", "q", *arguments)
    run("explain", "p.yaml", "q", *arguments)
    assert session.asked == [("q", passed)] * 2


@pytest.mark.parametrize("pair", [("5", "$a=5"), ("$a=1", "$a=2"), ("2025-02-30",), ("9" * 5000,)])
def test_parameters_that_make_no_sense_are_wrong_usage(session, run, pair):
    result = run("query", "p.yaml", "q", *(part for value in pair for part in ("--param", value)))
    assert result.exit_code == 2 and "--param" in result.stderr
    assert session.opened == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("-5", -5),
        ("0.50", Decimal("0.50")),
        ("-.5", Decimal("-0.5")),
        ("1e-3", 0.001),
        ("01234", "01234"),
        ("TRUE", True),
        ("false", False),
        ("null", None),
        ("2025-03-01", dt.date(2025, 3, 1)),
        ("2025-03-01 12:30", dt.datetime(2025, 3, 1, 12, 30)),
        ("2025-03-01T12:30:05.5", dt.datetime(2025, 3, 1, 12, 30, 5, 500_000)),
        ("'5'", "5"),
        ("'it''s'", "it's"),
        ("'", "'"),
        ("", ""),
        ("EU", "EU"),
        ("nan", "nan"),
        ("٣", "٣"),
    ],
)
def test_a_parameter_is_typed_by_how_it_is_written(text, value):
    read = typed(text)
    assert (type(read), read) == (type(value), value)


def test_explain_prints_the_plan_and_spends_nothing(session, run):
    result = run("explain", "p.yaml", "q")
    assert result.exit_code == 0 and result.stdout == "epsilon 0.5, delta 0\n\nnote: a note\n"
    assert session.asked == [("q", None)]


def test_an_explain_on_a_terminal_is_the_plan_and_not_its_rows(session, run, monkeypatch):
    plan = run("explain", "p.yaml", "q").stdout
    session.script += [ANSWER, ANSWER]
    assert run("query", "p.yaml", "EXPLAIN SELECT 1").stdout == "region,n\nnorth,1234\n"
    monkeypatch.setattr(options, "is_terminal", lambda: True)
    assert run("query", "p.yaml", "\n Explain SELECT ?", "--param", "1").stdout == plan
    assert session.asked[-1] == ("\n Explain SELECT ?", (1,))
    assert "1,234" in run("query", "p.yaml", "SELECT 'EXPLAIN'").stdout


def test_a_plan_as_json_has_numbers_for_costs(session, run):
    read = json.loads(run("explain", "p.yaml", "q", "--format", "json").stdout)
    assert read == {
        "epsilon": 0.5,
        "delta": 0.0,
        "releases": [],
        "columns": [],
        "rest": "SELECT * FROM r0",
        "notes": ["a note"],
        "rho": None,
        "bias": [],
    }
    assert json.loads(plan_as_json(session.explain("q"))) == read


def test_a_budget_is_three_rows(session, run):
    assert run("budget", "p.yaml").stdout == (
        "budget,epsilon,delta\nlimit,10.0,0.0\nspent,0.25,0.0\nremaining,9.75,0.0\n"
    )


def test_a_budget_on_a_terminal_speaks_of_no_charge(session, run, monkeypatch):
    monkeypatch.setattr(options, "is_terminal", lambda: True)
    result = run("budget", "p.yaml")
    assert "9.75" in result.stdout and result.stderr == ""


def test_a_policy_that_does_not_load_is_exit_code_1(run, tmp_path):
    (tmp_path / "p.yaml").write_text("version: 1\n")
    result = run("query", str(tmp_path / "p.yaml"), "SELECT 1")
    assert result.exit_code == 1 and "p.yaml:" in result.stderr


def test_a_missing_policy_is_exit_code_1(run, tmp_path):
    result = run("budget", str(tmp_path / "none.yaml"))
    assert result.exit_code == 1 and "none.yaml" in result.stderr


def test_closing_happens_also_after_an_error(session, run):
    session.script.append(errors.QueryFailed())
    run("query", "p.yaml", "q")
    assert session.closed
