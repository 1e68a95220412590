"""A plan says how wide a difference or a quotient is, and is silent where LEAST and GREATEST narrow it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import duckdb
import pytest

from answers.noiseless import Noiseless
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

POLICY = """\
version: 1
privacy: {unit: stays.person}
tables:
  stays:
    source: stays.parquet
    unit_key: person
    max_rows_per_unit: 3
    columns:
      person: {type: integer}
      born: {type: date, lower: 1920-01-01, upper: 1920-01-11}
      paid: {type: float, lower: 0, upper: 100, step: 0.01}
      days: {type: integer, lower: 1, upper: 20}
      came: {type: date}
      went: {type: date}
budgets:
  dataset: {epsilon: 10}
  default: {epsilon: 10}
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("stays")
    day = "DATE '2024-01-01'"
    duckdb.sql(
        f"SELECT 1 AS person, {day} AS born, 1.0 AS paid, 1 AS days, {day} AS came, {day} AS went"
    ).write_parquet(str(folder / "stays.parquet"))
    (folder / "p.yaml").write_text(POLICY, encoding="utf-8")
    policy = load_policy(folder / "p.yaml")
    with closing(build_session(policy, "eve", None, (None, None), Noiseless())) as opened:
        yield opened


def _notes(session: Session, measure: str) -> list[str]:
    return [n for n in session.explain(f"SELECT {measure} FROM stays").notes if "difference of dates" in n]


@pytest.mark.parametrize(
    ("measure", "ends"),
    [
        ("AVG(went - came)", "(-3,652,058 to 3,652,058)"),
        ("SUM(DATEDIFF('day', came, went))", "(-3,652,058 to 3,652,058)"),
        ("SUM(LEAST(went - came, 30))", "(-3,652,058 to 30)"),
        ("SUM(LEAST(GREATEST(went - came, came - went), 30))", "to 30)"),
        ("AVG(DATEDIFF('year', born, came))", "(-1919 to 8079)"),
        ("MAX(ABS(went - came))", "(0 to 3,652,058)"),
    ],
)
def test_the_range_of_a_difference_is_told(session: Session, measure: str, ends: str) -> None:
    (note,) = _notes(session, measure)
    assert ends in note.replace("-1,919", "-1919").replace("8,079", "8079")
    assert "LEAST(GREATEST(" in note


@pytest.mark.parametrize(
    "measure",
    [
        "AVG(LEAST(GREATEST(went - came, 0), 30))",
        "SUM(GREATEST(0, LEAST(30, DATEDIFF('day', came, went))))",
        "COUNT(went - came)",
        "SUM(CASE WHEN went - came > 7 THEN 1 ELSE 0 END)",
        "MAX(came + 3)",
    ],
)
def test_nothing_is_said_where_it_is_narrow_or_not_added_up(session: Session, measure: str) -> None:
    assert _notes(session, measure) == []


@pytest.mark.parametrize(
    ("measure", "ends"),
    [
        ("AVG(paid / days)", "(0 to 100)"),
        ("AVG(1 - paid / (days * 2))", "(-49 to 1)"),
        ("SUM(LEAST(paid / days, 10))", "(0 to 10)"),
        ("AVG(LEAST(GREATEST(paid / days, 0), 30))", ""),
        ("AVG(paid / 7)", ""),
        ("AVG(CASE WHEN paid / days > 3 THEN 1 ELSE 0 END)", ""),
        ("AVG(paid * days)", ""),
    ],
)
def test_the_range_of_a_quotient_is_told(session: Session, measure: str, ends: str) -> None:
    plan = session.explain(f"SELECT {measure} FROM stays")
    notes = [n for n in plan.notes if "a quotient may be" in n]
    assert len(notes) == bool(ends) and all(ends in note for note in notes), notes


def test_what_the_note_proposes_works(session: Session) -> None:
    def error(measure: str) -> float:
        (of,) = session.explain(f"SELECT {measure} FROM stays").releases
        return of.expected_error or 0

    assert error("SUM(LEAST(GREATEST(went - came, 0), 365))") * 5_000 < error("SUM(went - came)")
