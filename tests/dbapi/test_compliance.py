"""The public-domain PEP 249 suite on a policy with two public tables.

dpsql answers queries and nothing else, so the suite's DDL is sent and refused, and its INSERTs are replaced
by tables that hold the rows already. Cases whose point is an INSERT keep their assertions on the queries.
"""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path

import dbapi20
import pytest

import dpsql

POLICY = """\
version: 1
privacy:
  unit: people.*
tables:
  people:
    source: people.csv
    columns:
      age: {type: integer, lower: 0, upper: 100}
  dbapi20test_booze:
    source: booze.csv
    public: true
    columns:
      name: {type: text}
  dbapi20test_barflys:
    source: barflys.csv
    public: true
    columns:
      name: {type: text}
      drink: {type: text, nullable: true}
budgets:
  dataset: {epsilon: 1}
  default: {epsilon: 1, per_query: 0.1}
accountant: pure
"""
TROUBLE = "thi%s :may ca%(u)se? troub:1e"


class TestCompliance(dbapi20.DatabaseAPI20Test):
    """Every inherited case that needs no DDL; what is overridden below says why."""

    driver = dpsql

    @pytest.fixture(autouse=True)
    def _public_tables(self, tmp_path: Path) -> None:
        self.folder = tmp_path
        (tmp_path / "policy.yaml").write_text(POLICY)
        self._hold("people", ["age"], [30])
        self._hold("booze", ["name"], *([name] for name in self.samples))
        self._hold("barflys", ["name", "drink"])
        self.connect_args = (tmp_path / "policy.yaml",)
        self.connect_kw_args = {"analyst": "stuart"}

    def _hold(self, table: str, *lines: list[object]) -> None:
        with (self.folder / f"{table}.csv").open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)

    def executeDDL1(self, cursor):
        with suppress(dpsql.QueryRefused):
            super().executeDDL1(cursor)

    def executeDDL2(self, cursor):
        with suppress(dpsql.QueryRefused):
            super().executeDDL2(cursor)

    def _populate(self):
        return []

    def _paraminsert(self, cursor):
        """In place of an INSERT: a query with a parameter and a literal full of other styles' marks."""
        self.executeDDL2(cursor)
        for mark, params in (("?", ("Redback",)), ("$name", {"name": "Redback"})):
            cursor.execute(f"select name, '{TROUBLE}' from dbapi20test_booze where name = {mark}", params)
            assert cursor.fetchall() == [("Redback", TROUBLE)]

    def test_ddl_and_dml_are_refused(self):
        with self._connect() as con:
            for sql in (self.ddl1, self.xddl1, "insert into dbapi20test_booze values ('Victoria Bitter')"):
                with pytest.raises(dpsql.QueryRefused):
                    con.execute(sql)

    def test_cursor_isolation(self):
        with self._connect() as con:
            one, other = con.cursor(), con.cursor()
            one.execute("select name from dbapi20test_booze where name = 'Redback'")
            other.execute("select count(*) from dbapi20test_booze")
            assert (one.fetchall(), other.fetchall()) == ([("Redback",)], [(6,)])

    def test_rowcount(self):
        with self._connect() as con:
            cur = con.cursor()
            self.executeDDL1(cur)
            assert cur.rowcount == -1
            cur.execute("select name from dbapi20test_booze")
            assert cur.rowcount == 6
            self.executeDDL2(cur)
            assert cur.rowcount == -1

    def test_executemany(self):
        with self._connect() as con:
            cur = con.cursor()
            with pytest.raises(dpsql.NotSupportedError):
                cur.executemany("select name from dbapi20test_booze where name = ?", [("a",), ("b",)])
            with pytest.raises(dpsql.Error):
                cur.fetchall()

    def test_fetchone(self):
        with self._connect() as con:
            cur = con.cursor()
            self.assertRaises(dpsql.Error, cur.fetchone)
            self.executeDDL1(cur)
            self.assertRaises(dpsql.Error, cur.fetchone)
            cur.execute("select name from dbapi20test_barflys")
            assert (cur.fetchone(), cur.rowcount) == (None, 0)
            cur.execute("select name from dbapi20test_booze where name = 'Victoria Bitter'")
            assert cur.fetchone() == ("Victoria Bitter",)
            assert (cur.fetchone(), cur.rowcount) == (None, 1)

    def test_None(self):
        self._hold("barflys", ["name", "drink"], ["a", None])
        with self._connect() as con:
            assert con.execute("select drink from dbapi20test_barflys").fetchall() == [(None,)]

    def test_nextset(self):
        """Waived: a query has one result, and PEP 249 leaves `nextset` out where there are no others."""
        with self._connect() as con:
            assert not hasattr(con.cursor(), "nextset")

    def test_setoutputsize(self):
        """Waived: no column is ever cut off, so that there is nothing a size could change."""
        with self._connect() as con:
            cur = con.cursor()
            cur.setoutputsize(1, 0)
            cur.execute("select name from dbapi20test_booze where name = 'Redback'")
            assert cur.fetchall() == [("Redback",)]

    def test_non_idempotent_close(self):
        """Waived: closing twice is allowed, so that `with` and `close` can be used together."""
        con = self._connect()
        con.close()
        con.close()
