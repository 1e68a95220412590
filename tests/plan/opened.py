"""Sessions and plans over a private table `t` that a test describes in a few words."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import duckdb
from answers.engines import shared_engines
from answers.noiseless import Noiseless

from dpsql.plan.types import Plan, Release
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare
from dpsql.stages.state import open_resources

_ENGINE = {"integer": "BIGINT", "float": "DOUBLE", "text": "VARCHAR", "boolean": "BOOLEAN", "date": "DATE",
           "timestamp": "TIMESTAMP"}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A private table `t` of units `u`: columns as in a policy, rows, caps, and SQL that makes public tables."""

    columns: dict[str, str]
    rows: Sequence[Sequence[object]] = ()
    privacy: str = ""
    table: str = ""
    public: tuple[str, str] = ("", "")
    every_row: bool = False
    epsilon: str = "1"
    delta: str = "1e-6"
    accountant: str = "approx"

    def policy(self) -> str:
        """The policy's text; `public` is the names of the public tables and the SQL that makes them."""
        lines = ["version: 1", f"accountant: {self.accountant}"]
        unit = "'t.*'" if self.every_row else "t.u"
        lines.append(f"privacy: {{unit: {unit}{', ' + self.privacy if self.privacy else ''}}}")
        lines += ["tables:", "  t:", "    source: data.duckdb"]
        lines += [] if self.every_row else ["    unit_key: u"]
        lines += [f"    {self.table}"] if self.table else []
        lines += ["    columns:", "      u: {type: integer}"]
        lines += [f"      {name}: {{type: {spec}}}" for name, spec in self.columns.items()]
        lines += [f"  {name}: {{source: data.duckdb, public: true}}" for name in self.public[0].split()]
        lines += ["budgets:", "  dataset: {epsilon: 1000, delta: 0.001}"]
        lines.append(
            f"  default: {{epsilon: 100, delta: 0.0001, per_query: {{epsilon: {self.epsilon}, delta: {self.delta}}}}}"
        )
        return "\n".join(lines) + "\n"

    def store(self, folder: Path) -> Path:
        """Writes data and policy to a folder; the policy's path."""
        folder.mkdir(parents=True, exist_ok=True)
        kinds = {name: _ENGINE[spec.split(",")[0]] for name, spec in self.columns.items()}
        made = ", ".join(["u BIGINT", *(f"{name} {kind}" for name, kind in kinds.items())])
        (folder / "data.duckdb").write_bytes(
            _database(made, _Rows(repr(self.rows), self.rows), self.public[1])
        )
        path = folder / "policy.yaml"
        path.write_text(self.policy(), encoding="utf-8")
        return path

    def open(self, folder: Path, sampler: object | None = None, *, alone: bool = False) -> Session:
        """A session of alice over the stored table; without a sampler, one without noise.

        Its engines are those of earlier sessions over the same policy and rows, unless it is to be alone.
        """
        return self.open_stored(self.store(folder), sampler, alone=alone)

    def open_stored(self, path: Path, sampler: object | None = None, *, alone: bool = False) -> Session:
        """The same over what is stored already."""
        return build_session(
            *(load_policy(path), "alice", None, (None, None), sampler or Noiseless()),  # type: ignore[arg-type]
            resources=open_resources if alone else shared_engines,
        )


@dataclass(frozen=True)
class _Rows:
    """Rows that are the same where they are written alike: 1, 1.0 and True are not."""

    written: str
    rows: Sequence[Sequence[object]] = field(compare=False)


@lru_cache(maxsize=16)
def _database(columns: str, rows: _Rows, more: str) -> bytes:
    """A file of DuckDB with the rows of `t`, and what else is made; the same rows are written once."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.duckdb"
        with duckdb.connect(str(file)) as connection:
            connection.execute(f"CREATE TABLE t ({columns})")
            if rows.rows:
                every = ", ".join("(" + ", ".join("?" for _ in row) + ")" for row in rows.rows)
                connection.execute(f"INSERT INTO t VALUES {every}", [v for row in rows.rows for v in row])
            if more:
                connection.execute(more)
        return file.read_bytes()


def plan(session: Session, sql: str) -> Plan:
    """The plan of a query."""
    return prepare(sql, None, session._state).plan


def release(session: Session, sql: str) -> Release:
    """The only release of a query."""
    (only,) = plan(session, sql).releases
    return only


def domain(session: Session, sql: str) -> list[object] | None:
    """The groups of a query's only release, single keys bare; None where its keys are private."""
    groups = release(session, sql).keys.domain
    if groups is None:
        return None
    return [g[0] if len(g) == 1 else g for g in groups]
