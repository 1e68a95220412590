"""A budget by parts, from the policy to the answer: who pays for what, what the data must satisfy, what is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from dpsql.errors import BudgetExhausted, PolicyError
from dpsql.interfaces.cli.ask import budget_sheet
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session, check_data, refresh_sources

POLICY = """\
version: 1
privacy: {unit: people.id}
tables:
  people:
    source: people.duckdb
    max_rows_per_unit: 2
    columns:
      id: {type: integer}
      country: {type: text, values: [DE, FR, IT], nullable: true, partition: true}
      age: {type: integer, lower: 0, upper: 100}
  visits:
    source: people.duckdb
    unit_key: person
    max_rows_per_unit: 3
    columns:
      number: {type: integer}
      person: {type: integer}
      land: {type: text, values: [DE, FR, IT], nullable: true, partition: true}
  notes:
    source: people.duckdb
    unit_path: {visit: visits.number}
    max_rows_per_unit: 3
    columns:
      visit: {type: integer}
      site: {type: text, values: [DE, FR, IT], nullable: true, partition: true}
budgets:
  dataset: {epsilon: 4, delta: 1e-6}
  default: {epsilon: 3, delta: 1e-6, per_query: 1}
"""
PEOPLE = "(1, 'DE', 30), (1, 'DE', 31), (2, 'FR', 20), (3, NULL, 50), (4, 'XX', 60), (4, 'YY', 61), (NULL, 'IT', 5)"
VISITS = "(1, 1, 'DE'), (2, 1, 'DE'), (3, 2, 'FR'), (4, 3, 'ZZ'), (5, 9, 'IT'), (6, NULL, 'DE')"
NOTES = "(1, 'DE'), (3, 'FR'), (4, 'unlisted'), (77, 'FR')"


def made(folder: Path, people: str = PEOPLE, visits: str = VISITS, notes: str = NOTES) -> Path:
    with duckdb.connect(str(folder / "people.duckdb")) as db:
        db.execute(f"CREATE TABLE people AS SELECT * FROM (VALUES {people}) AS t(id, country, age)")
        db.execute(f"CREATE TABLE visits AS SELECT * FROM (VALUES {visits}) AS t(number, person, land)")
        db.execute(f"CREATE TABLE notes AS SELECT * FROM (VALUES {notes}) AS t(visit, site)")
    path = folder / "people.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return path


@contextmanager
def session_of(path: Path, analyst: str = "alice") -> Iterator[Session]:
    with closing(build_session(load_policy(path), analyst, None, (None, None), ExactSampler())) as session:
        yield session


def count(where: str = "", table: str = "people") -> str:
    return f"SELECT COUNT(*) FROM {table} {where}"


def test_questions_about_different_values_cost_the_dearest_of_them(tmp_path: Path) -> None:
    with session_of(made(tmp_path)) as alice:
        for country in ("DE", "FR", "IT"):
            assert alice.answer(count(f"WHERE country = '{country}'")).released.epsilon == 1
        assert alice.budget().spent.epsilon == 1
        alice.answer(count("WHERE land = 'FR'", "visits"))
        assert alice.budget().spent.epsilon == 2
        alice.answer(count())
        assert alice.budget().spent.epsilon == 3
        with pytest.raises(BudgetExhausted, match="left epsilon 0,"):
            alice.answer(count("WHERE country = 'FR' AND age > 3"))
        alice.answer(count("WHERE country = 'DE' AND age > 3"))
        assert alice.budget().spent.epsilon == 3


def test_an_answer_that_was_received_is_free_and_another_analyst_pays_for_its_part(tmp_path: Path) -> None:
    asked, path = count("WHERE country = 'DE'"), made(tmp_path)
    with session_of(path) as alice, session_of(path, "bob") as bob:
        first = alice.answer(asked)
        assert alice.answer(asked).released.epsilon == 0
        assert bob.answer(asked).rows == first.rows
        bob.answer(count("WHERE country = 'FR'"))
        assert bob.budget().spent.epsilon == 1
        remaining = bob.answer("SELECT epsilon_spent, epsilon_remaining FROM dpsql.budget").rows
        assert remaining == ((1.0, 2.0),)


def test_groups_by_the_partition_imply_later_answers_about_its_values_for_nothing(tmp_path: Path) -> None:
    with session_of(made(tmp_path)) as alice:
        groups = dict(alice.answer("SELECT country, COUNT(*) FROM people GROUP BY country").rows)
        later = alice.answer(count("WHERE country = 'FR'"))
        assert later.released.epsilon == 0 and later.rows == ((groups["FR"],),)


def test_explain_says_which_parts_a_query_is_charged_to(tmp_path: Path) -> None:
    with session_of(made(tmp_path)) as alice:
        plan = str(alice.explain(count("WHERE country IN ('IT', 'DE')")))
        assert "COUNT(*) in all is charged to a part of the partition alone: country DE, IT" in plan
        plan = str(alice.explain(count("WHERE country IS NULL OR country = 'DE'")))
        assert "country DE, NULL or not listed" in plan
        assert "COUNT(*) in all is charged to every part of the partition" in str(alice.explain(count()))
        rows = alice.answer("EXPLAIN " + count("WHERE country = 'FR'")).rows
        assert "charged to a part of the partition alone: country FR" in str(rows[0])
        alice.answer(count())
        assert "part of the partition" in str(alice.explain(count()))


def test_a_new_data_version_and_an_edited_policy_carry_over_what_the_dearest_part_lost(
    tmp_path: Path,
) -> None:
    path = made(tmp_path)
    with session_of(path) as alice:
        alice.answer(count("WHERE country = 'DE'"))
        alice.answer(count("WHERE country = 'FR'"))
    refresh_sources(path, None, "admin")
    with session_of(path) as alice:
        alice.answer(count("WHERE country = 'IT'"))
        assert alice.budget().spent.epsilon == 2
    path.write_text(POLICY.replace("[DE, FR, IT]", "[DE, FR, ES]"), encoding="utf-8")
    with session_of(path) as alice:
        assert alice.budget().spent.epsilon == 2
        alice.answer(count("WHERE country = 'ES'"))
        with pytest.raises(BudgetExhausted):
            alice.answer(count("WHERE country = 'ES' AND age > 3"))
    path.write_text(POLICY.replace(", partition: true", ""), encoding="utf-8")
    with session_of(path) as alice:
        assert alice.budget().remaining.epsilon == 0
        with pytest.raises(BudgetExhausted):
            alice.answer(count("WHERE country = 'DE'"))


def test_a_budget_that_was_spent_before_the_declaration_counts_for_every_part(tmp_path: Path) -> None:
    path = made(tmp_path)
    path.write_text(POLICY.replace(", partition: true", ""), encoding="utf-8")
    with session_of(path) as alice:
        alice.answer(count("WHERE country = 'DE'"))
        assert "partition" not in str(alice.explain(count()))
    path.write_text(POLICY, encoding="utf-8")
    with session_of(path) as alice:
        alice.answer(count("WHERE country = 'FR'"))
        assert alice.budget().spent.epsilon == 2


def test_data_in_which_every_unit_has_one_value_satisfies_the_policy(tmp_path: Path) -> None:
    """Two values that are not listed are one, what nobody owns does not count, and a table may lack the unit."""
    assert check_data(load_policy(made(tmp_path))) == ()


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "change",
    [
        {"people": PEOPLE + ", (2, 'IT', 4)"},
        {"people": PEOPLE + ", (2, NULL, 4)"},
        {"people": PEOPLE + ", (2, 'fr', 4)"},
        {"people": PEOPLE + ", (2, 'FR ', 4)"},
        {"visits": VISITS + ", (8, 3, 'DE')"},
        {"visits": VISITS + ", (8, 9, 'FR')"},
        {"visits": VISITS + ", (8, 2, NULL)"},
        {"notes": NOTES + ", (5, 'DE')"},
        {"notes": NOTES + ", (1, NULL)"},
    ],
)
def test_a_unit_with_two_values_anywhere_is_a_mistake_for_the_admin_alone(
    tmp_path: Path, change: dict[str, str]
) -> None:
    policy = load_policy(made(tmp_path, **change))
    (problem,) = check_data(policy)
    assert problem.path == "tables.people.columns.country.partition"
    assert problem.message == (
        "a unit has more than one value of it, over all rows of people.country and visits.land and notes.site"
    )
    with pytest.raises(
        PolicyError, match=r"the data does not satisfy the policy; see `dpsql check`"
    ) as refused:
        build_session(policy, "alice", None, (None, None), ExactSampler())
    assert "country" not in str(refused.value)


@pytest.mark.parametrize("accountant", ["pure", "zcdp", "rdp"])
def test_every_accountant_keeps_a_filter_for_each_part(tmp_path: Path, accountant: str) -> None:
    path = made(tmp_path)
    text = POLICY + f"accountant: {accountant}\n"
    path.write_text(text.replace(", delta: 1e-6", "") if accountant == "pure" else text, encoding="utf-8")
    with session_of(path) as alice:
        alice.answer(count("WHERE country = 'DE'"))
        once = alice.budget().spent
        alice.answer(count("WHERE country = 'FR'"))
        assert alice.budget().spent == once and 0 < once.epsilon <= Fraction(1)
        alice.answer(count("WHERE country = 'FR' AND age > 5"))
        assert alice.budget().spent.epsilon > once.epsilon


def test_what_is_left_is_told_part_by_part(tmp_path: Path) -> None:
    path = made(tmp_path)
    with session_of(path) as alice, session_of(path, "bob") as bob:
        alice.answer(count("WHERE country = 'DE'"))
        alice.answer(count("WHERE country IS NULL"))
        for age in range(3):
            bob.answer(count(f"WHERE country = 'FR' AND age > {age}"))
        asked = "SELECT part, epsilon_spent, epsilon_remaining, delta_spent FROM dpsql.parts"
        assert alice.answer(asked).rows == (
            ("DE", 1.0, 2.0, 0.0),
            ("FR", 0.0, 3.0, 0.0),  # of the dataset's 4, bob has spent 3: that is not alice's to see
            ("IT", 0.0, 3.0, 0.0),
            (None, 1.0, 2.0, 0.0),
        )
        report = alice.budget()
        assert [p.part for p in report.parts] == ["DE", "FR", "IT", None]
        assert (report.spent.epsilon, report.remaining.epsilon, report.queries_left) == (1, 2, 2)
        sheet = budget_sheet(report)
        assert sheet.rows[3:] == (
            *(
                ("remaining for DE", 2.0, 1e-6),
                ("remaining for FR", 3.0, 1e-6),
                ("remaining for IT", 3.0, 1e-6),
            ),
            ("remaining for NULL or not listed", 2.0, 1e-6),
        )


def test_without_a_partition_there_are_no_parts(tmp_path: Path) -> None:
    path = made(tmp_path)
    path.write_text(POLICY.replace(", partition: true", ""), encoding="utf-8")
    with session_of(path) as alice:
        assert alice.answer("SELECT * FROM dpsql.parts").rows == () == alice.budget().parts
