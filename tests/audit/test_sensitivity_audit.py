"""`dpsql audit` takes any policy, finds nothing where nothing is wrong, and says all about what is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import dpsql.audit.full_audit as whole
import dpsql.engines.sqlgen.single as single_owner
import dpsql.stages.planning as planning
from audit.odd_policies import POLICIES, audited, written
from dpsql.audit import sensitivity
from dpsql.audit.databases import prepared_copies
from dpsql.audit.databases import random_database as databases
from dpsql.audit.queries.random_query import random_query
from dpsql.audit.report import Tried
from dpsql.audit.sensitivity import Subject, fuzz
from dpsql.audit.statistical.statistical_audit import Evidence
from dpsql.engines.base import EngineFailed
from dpsql.engines.sqlgen.relation import Rows
from dpsql.interfaces.cli import main
from dpsql.plan.contribution import Contribution
from dpsql.policy.model import Isolation

MOST = 24  # all that one database is asked
KEPT = Evidence("laplace", Fraction(1), Fraction(0), 100, "a cell is at most 5", 0.5, 0.999)
BROKEN = Evidence("flip", Fraction(1), Fraction(0), 100, "the first is chosen", 1.5, 0.999)


def run(subject: Subject, folder: Path, count: int, seed: int = 1) -> Tried:
    folder.mkdir()
    return fuzz([subject], folder, seed, lambda tried: tried.executions >= count)


def audit_command(monkeypatch: pytest.MonkeyPatch, *arguments: object, found: Evidence = KEPT) -> Result:
    """The command with a statistical half of one trial."""
    monkeypatch.setattr(whole, "runs_within", lambda seconds: 100)
    monkeypatch.setattr(whole, "statistical_audit", lambda folder, sampler, runs, progress: iter((found,)))
    return CliRunner().invoke(main, ["audit", "--inline", *map(str, arguments)])


@pytest.fixture
def one_row_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planner that takes a unit for a row, in both places where it looks."""
    monkeypatch.setattr(planning, "check_cost", lambda plan, asked, context: None)
    monkeypatch.setattr(Contribution, "limit", lambda self, question: 1)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", POLICIES)
def test_any_policy_is_fuzzed_without_its_private_sources(name: str, tmp_path: Path) -> None:
    subject = audited(name, tmp_path)
    assert not any(t.source.path.exists() for t in subject.policy.tables if not t.public)
    tried = run(subject, tmp_path / "fuzz", MOST)
    assert not "\n".join(map(str, tried.violations))
    assert tried.executions == MOST
    assert tried.refusals <= MOST / 2, tried.refused
    assert any(m.by for m in tried.nearest.values())


@pytest.mark.slow
def test_a_seed_gives_the_same_run_for_good(tmp_path: Path) -> None:
    subject = audited("odd_names", tmp_path)
    first, again, other = (run(subject, tmp_path / str(i), 5, seed) for i, seed in enumerate((7, 7, 8)))
    assert first == again != other


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", POLICIES)
def test_a_seed_gives_the_same_query_and_no_name_of_it_is_a_column_of_the_policy(
    name: str, tmp_path: Path
) -> None:
    view = audited(name, tmp_path).view
    columns = {c.name.lower() for t in (*view.privates, *view.publics) for c in t.columns}
    for seed in range(50):
        query = random_query(seed, view)
        assert query == random_query(seed, view)
        # What `* REPLACE (... AS name)` computes anew keeps its name.
        assert not {made.lower() for made in re.findall(r" AS (\w+)\b(?!\))", query.sql)} & columns
        assert not re.search(r"[\x00-\x08]", query.sql)


@pytest.mark.slow
def test_a_claim_for_a_row_instead_of_a_unit_is_found_and_shown_in_full(
    one_row_counted: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    policy = written("cdnow", tmp_path)
    done = audit_command(monkeypatch, policy, "--minutes", 0.5, "--seed", 1, "--json")
    assert done.exit_code == 1, done.output
    report = json.loads(done.stdout)
    violation = report["sensitivity"]["violations"][0]
    assert report["violated"]
    assert re.match(r"[\w ]+ moved by \d+, claimed at most \d+$", violation["what"])
    assert "SELECT" in violation["query"]
    (table,) = violation["database"]
    assert table["columns"] == ["customer_id", "day", "quantity", "amount"]
    assert len(table["rows"]) > len(violation["neighbours"][0][0]["rows"])


@pytest.mark.slow
def test_a_violation_is_seen_again_from_the_seed_it_names(one_row_counted: None, tmp_path: Path) -> None:
    subject = audited("cdnow", tmp_path)
    (violation,) = run(subject, tmp_path / "first", 400).violations
    again = run(subject, tmp_path / "again", 400, violation.seed)
    assert again.violations == [violation] and again.databases == 1


def test_a_database_that_cannot_be_opened_is_a_violation_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    subject = audited("rows", tmp_path)
    monkeypatch.setattr(databases, "_value", lambda column, values, draw, edge: None)
    (violation,) = run(subject, tmp_path / "fuzz", 24).violations
    assert violation.what.startswith("PolicyError: ") and not violation.sql


def over_prepared(name: str, folder: Path) -> Subject:
    """A policy whose databases are read from prepared tables."""
    subject = audited(name, folder)
    engine = replace(subject.policy.engine, prepared=folder / "prepared", isolation=Isolation.INLINE)
    return replace(subject, policy=replace(subject.policy, engine=engine))


@pytest.mark.one_in(18)
@pytest.mark.parametrize("name", ["cdnow", "odd_names"])
def test_a_policy_with_prepared_tables_is_audited_over_such(name: str, tmp_path: Path) -> None:
    tried = run(over_prepared(name, tmp_path), tmp_path / "fuzz", MOST)
    assert not "\n".join(map(str, tried.violations))
    assert tried.executions == MOST and tried.repeats and any(m.by for m in tried.nearest.values())


def test_a_cap_that_prepared_tables_do_not_keep_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(single_owner, "first_places", lambda rows, units, most: Rows(rows))
    (violation,) = run(over_prepared("odd_names", tmp_path), tmp_path / "fuzz", 400).violations
    assert re.match(r"[\w ]+ moved by \d+, claimed at most \d+$", violation.what)


def test_prepared_tables_that_are_not_read_are_a_violation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(prepared_copies, "prepare_tables", lambda policy, folder: None)
    (violation,) = run(over_prepared("cdnow", tmp_path), tmp_path / "fuzz", 4).violations
    assert "the prepared tables are not read" in violation.what


@pytest.mark.slow
def test_a_report_for_people_names_the_violation_and_the_seed(
    one_row_counted: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done = audit_command(monkeypatch, written("cdnow", tmp_path), "--minutes", 0.5, "--seed", 1)
    assert done.exit_code == 1
    assert "violation: " in done.stdout and "policy cdnow.yaml, seed 1" in done.stdout
    assert "purchases (customer_id, day, quantity, amount):" in done.stdout


@pytest.mark.one_in(18)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_sound_policy_passes_with_a_report(
    form: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done = audit_command(monkeypatch, written("rows", tmp_path), "--minutes", 0.05, "--seed", 4, *form)
    assert done.exit_code == 0, done.output
    if form:
        report = json.loads(done.stdout)
        assert not report["violated"] and report["seed"] == 4
        assert report["sensitivity"]["executions"] > 0
        assert report["statistical"]["mechanisms"][0]["lower_bound"] == 0.5
    else:
        assert "seed 4: " in done.stdout and "0 violations" in done.stdout and "laplace" in done.stdout


def test_a_mechanism_that_tells_more_than_it_claims_fails_the_audit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done = audit_command(monkeypatch, written("rows", tmp_path), "--minutes", 0.02, "--seed", 1, found=BROKEN)
    assert done.exit_code == 1
    assert "1.500 VIOLATED" in done.stdout and "1 violation\n" in done.stdout


@pytest.mark.slow
def test_the_engines_run_in_children_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    policies = []
    opened = sensitivity.opened
    monkeypatch.setattr(
        sensitivity, "opened", lambda policy, *how: policies.append(policy) or opened(policy, *how)
    )
    monkeypatch.setattr(whole, "runs_within", lambda seconds: 100)
    monkeypatch.setattr(whole, "statistical_audit", lambda folder, sampler, runs, told: iter(()))
    done = CliRunner().invoke(
        main, ["audit", str(written("rows", tmp_path)), "--minutes", "0.01", "--seed", "1"]
    )
    assert done.exit_code == 0, done.output
    assert {p.engine.isolation for p in policies} == {Isolation.PROCESS}


def test_a_policy_with_mistakes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("version: 1\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["audit", str(path)])
    assert done.exit_code == 1 and "privacy" in done.stderr


def test_nothing_is_written_beside_the_policy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = written("one_text", tmp_path)
    before = sorted(tmp_path.iterdir())
    assert audit_command(monkeypatch, path, "--minutes", 0.02, "--seed", 1).exit_code == 0
    assert sorted(tmp_path.iterdir()) == before


def test_the_help_says_that_private_sources_are_not_opened() -> None:
    text = " ".join(CliRunner().invoke(main, ["audit", "--help"]).output.split())
    assert "The private sources are never opened" in text


@pytest.mark.slow
def test_the_worst_of_an_audit_is_kept_for_each_kind(tmp_path: Path) -> None:
    tried = run(audited("one_text", tmp_path), tmp_path / "fuzz", 96)
    assert tried.nearest["rows"].ratio == 1.0
    assert {"filter", "top", "grouped"} <= set(tried.constructs)


@pytest.mark.slow
def test_a_bug_of_duckdb_under_settings_that_are_not_ours_is_no_violation_and_any_other_failure_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def failing(why: str) -> Tried:
        def fail(*given: object) -> None:
            raise EngineFailed(why)

        monkeypatch.setattr(sensitivity, "check_again", fail)
        return run(audited("one_text", tmp_path), tmp_path / why.partition(" ")[0], 24)

    assert not failing("INTERNAL Error: a vector of another type").violations
    (violation,) = failing("Conversion Error: not a number").violations
    assert violation.what.startswith("EngineFailed: Conversion")
