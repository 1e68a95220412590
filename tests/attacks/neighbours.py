"""Three databases under one policy, and a sampler that is blind to them.

Patient 777777 is in one of them and not in the next; the third has no private row at all. The sampler draws fixed
integers and never looks at what it is given, so that nothing an analyst sees may differ between the three: not a row,
a column, a message, a charge or an interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path

import duckdb
import numpy as np
from samplers import StandIn

from dpsql import errors
from dpsql.engines.base import Engine, EngineQuery, Exact
from dpsql.policy.load import load_policy
from dpsql.privacy import Cost
from dpsql.session import Session, build_session

DATABASES = ("with", "without", "nobody")

_VISITS = """
SELECT (range * 7919) % 150 AS patient, ['east', 'north', 'south'][1 + range % 3] AS ward, range % 20 AS doctor,
    18 + range % 70 AS age, 1 + range % 5 AS nights, CASE WHEN range % 97 = 0 THEN 'nan'::DOUBLE
    WHEN range % 89 = 0 THEN '-inf'::DOUBLE ELSE range % 500 + 0.25 END AS cost,
    DATE '2025-01-01' + (range % 365)::INTEGER AS day, CASE WHEN range % 7 > 0 THEN 'note ' || range END AS note,
    'p' || range || '@example.org' AS email
FROM range(900)"""
_TARGET = """
SELECT 777777, CASE WHEN range % 2 = 0 THEN 'isolation' ELSE 'north' END, 1000 + range, 41, 5,
    [499.75, 'nan'::DOUBLE, 'inf'::DOUBLE, '-inf'::DOUBLE, -0.0, 1e300, 0.5, 7.0][1 + range % 8], DATE '9999-12-31',
    CASE WHEN range % 2 = 0 THEN 'inf' ELSE '12' END, 'x'
FROM range(30)"""
_WARDS = "SELECT * FROM (VALUES ('north', 'old'), ('south', 'new'), ('east', 'old')) AS v(ward, wing)"

_POLICY = """
version: 1
privacy: {{unit: visits.patient{dataset_cap}}}
tables:
  visits:
    source: hospital.duckdb
    unit_key: patient{table_cap}
    columns:
      patient: {{type: integer}}
      ward: {{type: text{wards}}}
      doctor: {{type: integer}}
      age: {{type: integer{age}}}
      nights: {{type: integer, lower: 0, upper: 10}}
      cost: {{type: float, lower: 0, upper: 500, step: 0.01}}
      day: {{type: date, lower: 2025-01-01, upper: 2025-12-31}}
      note: {{type: text, nullable: true}}
      email: {{type: text, hidden: true}}
  wards: {{source: hospital.duckdb, public: true}}
  codes: {{source: hospital.duckdb, public: true}}
budgets:
  dataset: {{epsilon: 1000, delta: 1e-2}}
  default: {{epsilon: 900, delta: 9e-3, per_query: {{epsilon: 1, delta: 1e-6}}}}
"""
_USUAL = {
    "dataset_cap": ", max_rows_per_unit: 8",
    "table_cap": "",
    "wards": ", values: [north, south, east]",
    "age": ", lower: 18, upper: 90",
}
POLICIES = {
    "listed": _USUAL,
    "unlisted": _USUAL | {"wards": "", "age": ""},
    "table_cap": _USUAL | {"dataset_cap": "", "table_cap": "\n    max_rows_per_unit: 8"},
}


class Blind(StandIn):
    """Its draws say nothing about what it is given; no group of private keys is kept."""

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
        return (np.arange(np.size(values), dtype=np.int64) % 97 + 40).reshape(np.shape(values))

    def kept(self, groups: np.ndarray) -> np.ndarray:
        return np.zeros(len(groups), dtype=bool)

    def best(self, scores: np.ndarray) -> int:
        return 0

    def randomized_response(self, bits: np.ndarray, *, epsilon: object) -> np.ndarray:
        return np.arange(np.size(bits)) % 2

    def k_randomized_response(self, values: np.ndarray, *, k: int, epsilon: object) -> np.ndarray:
        return np.arange(np.size(values)) % k

    def rappor(self, values: np.ndarray, *, k: int, epsilon: object) -> np.ndarray:
        return np.arange(np.size(values) * k).reshape(-1, k) % 3 % 2

    def random_order(self, size: int) -> np.ndarray:
        return np.arange(size)[::-1]


class Watched:
    """An engine that counts its queries, and fails at each of them where it is told with what."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.queries = 0
        self.failure: BaseException | None = None

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        self.queries += 1
        if self.failure is not None:
            raise self.failure
        return self.engine.run(query, seconds)

    def close(self) -> None:
        self.engine.close()


@dataclass(frozen=True)
class Outcome:
    """All that an analyst sees of a query; rows are sorted, since DISTINCT gives them in the order of its threads."""

    kind: str
    message: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    intervals: str = ""
    reason: str = ""
    charged: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))


class Database:
    """One of the databases, opened by an analyst."""

    def __init__(self, folder: Path, kind: str, policy: str, analyst: str = "mallory") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "hospital.duckdb").exists():
            _write(folder / "hospital.duckdb", kind)
        (folder / f"{policy}.yaml").write_text(_POLICY.format(**POLICIES[policy]), encoding="utf-8")
        self.session = open_as(folder / f"{policy}.yaml", analyst)
        self.engine = Watched(self.session._state.engine)
        self.session._state.engine = self.engine

    def ask(self, sql: str, params: object = None) -> Outcome:
        """What the analyst sees, and that a refusal touches and costs nothing."""
        before, asked = self._spent(), self.engine.queries
        try:
            answer = self.session.answer(sql, params)  # type: ignore[arg-type]
            columns = tuple(f"{c.name} {c.type}" for c in answer.columns)
            # Without ORDER BY rows may come in any order.
            pairs = zip_longest(answer.rows, answer.released.intervals)
            intervals = repr(sorted(map(repr, pairs)))
            found = ("answered", "", columns, tuple(sorted(map(repr, answer.rows))), intervals, "")
        except errors.Error as error:
            found = (type(error).__name__, str(error), (), (), "", _reason(error))
        spent = self._spent()
        charged = (spent.epsilon - before.epsilon, spent.delta - before.delta)
        ran = self.engine.queries > asked
        assert not ran or charged[0] > 0, "private rows were read without a charge"
        assert found[0] in ("answered", "QueryFailed") or charged == (0, 0), "a refusal was charged"
        return Outcome(*found, charged=charged)

    def _spent(self) -> Cost:
        state = self.session._state
        return state.ledger.standing(state.request).spent


def _reason(error: errors.Error) -> str:
    """Where and why, without the hint."""
    place, reason = getattr(error, "place", None), getattr(error, "reason", str(error))
    return f"{place}: {reason}" if place is not None else str(reason)


def open_as(policy: Path, analyst: str) -> Session:
    """A session of an analyst with the blind sampler."""
    return build_session(load_policy(policy), analyst, None, (None, None), Blind())


def _write(path: Path, kind: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE visits AS {_VISITS}{' LIMIT 0' if kind == 'nobody' else ''}")
        if kind == "with":
            connection.execute(f"INSERT INTO visits {_TARGET}")
        connection.execute(f"CREATE TABLE wards AS {_WARDS}")
        connection.execute("CREATE TABLE codes AS SELECT range AS code, range % 10 AS kind FROM range(2000)")
