"""Hostile texts: soups of words, queries of a corpus cut up and put together otherwise, and queries of the grammar.

Everything is drawn from one `Random`, so that hypothesis, a seed, or the bytes of a coverage-guided fuzzer steer it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from uuid import UUID

from dpsql.audit.queries.random_query import random_query
from dpsql.audit.queries.schema_view import View

CASES = Path(__file__).parents[1] / "cases"
_TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|\w+|\s+|[^\w\s]")
_NUMBER = re.compile(r"\d+")
# Characters that are not what they look like, or cannot be seen, or end lines in other languages.
_ODD = (
    "\0", "\1", "\b", "\t", "\n", "\v", "\f", "\r", "\x1a", "\x7f", "\x85", "\xa0", "\xad", "\u00b2", "\u0131",
    "\u017f", "\u0301", "\u0430", "\u0435", "\u0660", "\u1680", "\u180e", "\u200b", "\u200d", "\u200e",
    "\u2028", "\u2029", "\u202e", "\u2044", "\u2060", "\u212a", "\u2212", "\u2215", "\u2217", "\u2018",
    "\u2019", "\u201c", "\u3000", "\uff07", "\uff08", "\uff11", "\uff54", "\ufeff", "\ufffd", "\ud800",
    "\U0001f600", "\U000e0041",
)  # fmt: skip
_ALIKE = str.maketrans(
    "aceiopstxkAT1()'",
    "\u0430\u0441\u0435\u0131\u043e\u0440\u017f\uff54\u0445\u212a\u0391\u0422\uff11\uff08\uff09\u2019",
)
_VALUES: tuple[object, ...] = (
    None, True, False, 0, 1, -1, 30, 2**63, -(2**127), 10**5000, 0.0, -0.0, 1.5, 5e-324, 1.7e308, float("nan"),
    float("inf"), Decimal("0.1"), Decimal("NaN"), Decimal("1e9999"), Fraction(1, 3), "", "a", "north", "it's", "\0",
    "\ud800", "x" * 5000, "2025-01-01", b"x", date(2025, 1, 1), date.max, datetime(2025, 1, 1), datetime.max,
    datetime(2025, 1, 1, tzinfo=UTC), time(1), timedelta(1), UUID(int=1), object(), [1], {"a": 1}, 1j, {1}, int,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sent:
    """What is sent: a text and its parameters."""

    sql: str
    params: object = None


class Texts:
    """Draws texts; the corpus and the words are read once."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._words = (CASES / "front" / "words.txt").read_text(encoding="utf-8").split()
        files = [CASES / "front" / "corpus.sql", *sorted((CASES / "attacks").glob("*.sql"))]
        files += sorted((CASES / "gate").glob("*.sql"))
        self._corpus = tuple(query for file in files for query in _queries(file))

    def sent(self, draw: Random) -> Sent:
        """One text of any kind, with parameters that fit it or do not."""
        make: Callable[[Random], Sent] = draw.choice(
            (self.soup, self.sentence, self.mutant, self.made, self.made)
        )
        sent = make(draw)
        fits = sent.params is not None and draw.random() < 0.8
        return sent if fits else Sent(sent.sql, self._params(draw, sent.sql))

    def soup(self, draw: Random) -> Sent:
        """Words in any order, most of them with spaces between."""
        words = [self._word(draw) for _ in range(draw.randrange(30))]
        space = draw.choice((" ", " ", " ", "", "\n", "/**/"))
        return Sent(
            draw.choice(("SELECT ", "SELECT ", "WITH x AS (SELECT ", "FROM t ", "")) + space.join(words)
        )

    def sentence(self, draw: Random) -> Sent:
        """The clauses of a SELECT in their order, with soup in each."""

        def few(most: int) -> str:
            return " ".join(self._word(draw) for _ in range(1 + draw.randrange(most)))

        sql = f"SELECT {few(6)} FROM {draw.choice(('t', 't', 'regions', few(2)))}"
        for clause in ("WHERE", "GROUP BY", "HAVING", "QUALIFY", "ORDER BY", "LIMIT"):
            if draw.random() < 0.35:
                sql += f" {clause} {few(5)}"
        return Sent(sql)

    def mutant(self, draw: Random) -> Sent:
        """A query of the corpus after a few changes."""
        return Sent(self._changed(draw, draw.choice(self._corpus), draw.choice((0, 1, 1, 1, 2, 3, 5))))

    def made(self, draw: Random) -> Sent:
        """A query of the grammar, as it is or after a few changes."""
        query = random_query(draw.randrange(2**31), self._view)
        return Sent(self._changed(draw, query.sql, draw.choice((0, 1, 1, 2))), query.params)

    def _changed(self, draw: Random, sql: str, times: int) -> str:
        changes = (
            self._drop, self._double, self._swap, self._insert, self._insert, self._replace, self._replace,
            self._splice, self._graft, self._wrap, self._case, self._odd, self._alike, self._grow,
        )  # fmt: skip
        for _ in range(times):
            change: Callable[[Random, str], str] = draw.choice(changes)
            sql = change(draw, sql) or "SELECT"
        return sql[:120_000]

    def _word(self, draw: Random) -> str:
        return draw.choice(_ODD) if draw.random() < 0.03 else draw.choice(self._words)

    def _drop(self, draw: Random, sql: str) -> str:
        tokens = _TOKEN.findall(sql)
        at = draw.randrange(len(tokens) + 1)
        return "".join(tokens[:at] + tokens[at + 1 + draw.randrange(4) :])

    def _double(self, draw: Random, sql: str) -> str:
        tokens = _TOKEN.findall(sql)
        at, length = draw.randrange(len(tokens) + 1), 1 + draw.randrange(8)
        return "".join(tokens[: at + length]) + " " + "".join(tokens[at:])

    def _swap(self, draw: Random, sql: str) -> str:
        tokens = _TOKEN.findall(sql) or [sql]
        a, b = draw.randrange(len(tokens)), draw.randrange(len(tokens))
        tokens[a], tokens[b] = tokens[b], tokens[a]
        return "".join(tokens)

    def _insert(self, draw: Random, sql: str) -> str:
        tokens = _TOKEN.findall(sql)
        at = draw.randrange(len(tokens) + 1)
        return "".join(tokens[:at]) + f" {self._word(draw)} " + "".join(tokens[at:])

    def _replace(self, draw: Random, sql: str) -> str:
        tokens = _TOKEN.findall(sql) or [sql]
        at = draw.randrange(len(tokens))
        tokens[at] = self._word(draw)
        return "".join(tokens)

    def _splice(self, draw: Random, sql: str) -> str:
        """The beginning of one query and the end of another."""
        first, second = _TOKEN.findall(sql), _TOKEN.findall(draw.choice(self._corpus))
        return "".join(first[: draw.randrange(len(first) + 1)] + second[draw.randrange(len(second) + 1) :])

    def _graft(self, draw: Random, sql: str) -> str:
        """Another query, or a part of one, in the place of a word or a number."""
        tokens = _TOKEN.findall(sql) or [sql]
        other = draw.choice(self._corpus)
        part = re.search(r"\b\w+\([^()]*\)", other)
        tokens[draw.randrange(len(tokens))] = part.group() if part and draw.random() < 0.5 else f"({other})"
        return "".join(tokens)

    def _wrap(self, draw: Random, sql: str) -> str:
        forms = (
            "SELECT * FROM ({}) AS w", "({})", "WITH w AS ({}) SELECT * FROM w", "EXPLAIN {}", "SELECT ({})",
            "SELECT count(*) FROM ({}) w", "SELECT region FROM regions WHERE weight > ({})", "{} UNION ALL {}",
            "SELECT region, count(*) FROM t WHERE age > ({}) GROUP BY 1", "SELECT * FROM ({}) a, ({}) b", "{} LIMIT 0",
            "SELECT * FROM ({}) w LIMIT 1", "{} ORDER BY 1", "EXPLAIN ANALYZE {}", "{};", "/* x */ {} -- y",
        )  # fmt: skip
        form: str = draw.choice(forms)
        return form.replace("{}", sql)

    def _case(self, draw: Random, sql: str) -> str:
        change: Callable[[str], str] = draw.choice((str.upper, str.lower, str.swapcase, str.title))
        return change(sql)

    def _odd(self, draw: Random, sql: str) -> str:
        at = draw.randrange(len(sql) + 1)
        return sql[:at] + draw.choice(_ODD) + sql[at:]

    def _alike(self, draw: Random, sql: str) -> str:
        at = draw.randrange(len(sql) + 1)
        return sql[:at] + sql[at : at + 3].translate(_ALIKE) + sql[at + 3 :]

    def _grow(self, draw: Random, sql: str) -> str:
        """A number of another size, or a part many times."""
        numbers = list(_NUMBER.finditer(sql))
        if numbers and draw.random() < 0.5:
            found = draw.choice(numbers)
            return sql[: found.start()] + "9" * draw.choice((3, 10, 20, 40, 400, 5000)) + sql[found.end() :]
        tokens = _TOKEN.findall(sql)
        at, length = draw.randrange(len(tokens) + 1), 1 + draw.randrange(6)
        return "".join(
            tokens[:at] + tokens[at : at + length] * draw.choice((5, 40, 200)) + tokens[at + length :]
        )

    def _params(self, draw: Random, sql: str) -> object:
        count = sql.count("?") if draw.random() < 0.9 else draw.randrange(3)
        if "$" in sql and draw.random() < 0.9:
            return {name: draw.choice(_VALUES) for name in re.findall(r"\$(\w+)", sql)}
        return [draw.choice(_VALUES) for _ in range(count)] if count or draw.random() < 0.05 else None


def _queries(file: Path) -> list[str]:
    """The statements of a file of cases, without their comments."""
    blocks = file.read_text(encoding="utf-8").strip().split("\n\n")
    texts = ("\n".join(line for line in b.split("\n") if not line.startswith("-- ")) for b in blocks)
    return [text for text in texts if text.strip()]
