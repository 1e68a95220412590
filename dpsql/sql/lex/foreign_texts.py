"""What other databases write and DuckDB's parser does not take, put in DuckDB's words before anything is parsed.

Each form is one that DuckDB reads nowhere, so that no text of its own is changed. What stays of a text keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Final

from dpsql.sql.lex.inserted import Change, closing

_WORD: Final = re.compile(r"[A-Z_]\w*")
_UNIT: Final = "YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND|MICROSECOND"
_BEFORE: Final = r"(?<![\w.$])"
# One word in the place of another, as long: each is followed by what makes it unmistakable.
_WORDS: Final = (
    (re.compile(rf"{_BEFORE}SAFE_CAST(?=\s*\()", re.IGNORECASE), "TRY_CAST"),
    (re.compile(rf"{_BEFORE}COUNT_BIG(?=\s*\()", re.IGNORECASE), "COUNT"),
    (re.compile(rf"{_BEFORE}APPROXIMATE(?=\s+COUNT\s*\(\s*DISTINCT\b)", re.IGNORECASE), ""),
    (re.compile(rf"{_BEFORE}WITH\s*\(\s*NOLOCK\s*\)", re.IGNORECASE), ""),
    (re.compile(r"(?<=[\w)\]'])\s+SEPARATOR(?=\s+')", re.IGNORECASE), ","),
)
_LIMIT: Final = re.compile(
    rf"{_BEFORE}LIMIT\s+(?P<skipped>(?P<from>\d{{1,18}})\s*,)\s*\d{{1,18}}\b", re.IGNORECASE
)
# A place in a list of BigQuery's: its OFFSET counts from 0.
_PLACE: Final = re.compile(
    r"\[\s*(?P<place>(?:SAFE_)?(?P<how>OFFSET|ORDINAL)\s*\(\s*(?P<n>\d{1,6})\s*\))\s*\]", re.IGNORECASE
)
_NAMED_STEP: Final = re.compile(
    rf"{_BEFORE}MAKE_INTERVAL(?P<open>\()\s*(?P<unit>YEARS|MONTHS|WEEKS|DAYS|HOURS|MINS|SECS)\s*=>(?=[^,()=]*\))",
    re.IGNORECASE,
)
_NAMED_UNITS: Final = MappingProxyType({"MINS": "MINUTES", "SECS": "SECONDS"})
_LEVEL: Final = re.compile(
    rf"{_BEFORE}QUANTILE(?:EXACT|TDIGEST|TIMING)?(?:IF)?\s*(?P<level>\(\s*(?P<q>0?\.\d+|[01])\s*\))\s*(?=\()",
    re.IGNORECASE,
)
_GATHERED: Final = re.compile(rf"{_BEFORE}(?:LISTAGG|STRING_AGG|GROUP_CONCAT)\s*(?=\()", re.IGNORECASE)
_WITHIN: Final = re.compile(r"\)\s*WITHIN\s+GROUP\s*\((?=\s*ORDER\b)", re.IGNORECASE)
_ANY: Final = re.compile(r"(?:\bSELECT|,)\s*(?P<any>\bANY)(?=\s*\()", re.IGNORECASE)
_IN_LIST: Final = re.compile(
    r"\bIN\s+(?P<unnest>UNNEST)\s*\(\s*(?P<open>\[)[^\[\]()]+(?P<close>\])\s*\)", re.IGNORECASE
)
_DIV_CALL: Final = re.compile(
    r"(?:[(,=<>+*/-]|\b(?:SELECT|DISTINCT|BY|WHEN|THEN|ELSE|AND|OR|WHERE))\s*(?P<div>\bDIV)(?=\s*\()",
    re.IGNORECASE,
)
_ROLLED: Final = re.compile(rf"{_BEFORE}WITH\s+(?P<how>ROLLUP|CUBE)\b", re.IGNORECASE)
_GROUP: Final = re.compile(rf"[()]|(?P<group>{_BEFORE}GROUP\s+BY\b)", re.IGNORECASE)
_MOST_ROLLED: Final = 20
_NUMBERED: Final = re.compile(r"(?:\A|,)\s*\d+\s*(?:,|\Z)")
_PERIOD: Final = re.compile(
    rf"{_BEFORE}(?:UNIX_TIMESTAMP|DATEDIFF|TIMESTAMPDIFF|YEAR|MONTH|DAY|HOUR|MINUTE|SECOND|COUNT)\s*(?=\()",
    re.IGNORECASE,
)
_OF_TWO: Final = re.compile(rf"{_BEFORE}PERCENTILE_(?P<kind>CONT|DISC)\s*(?=\()", re.IGNORECASE)
_OVER: Final = re.compile(r"\s*OVER\b", re.IGNORECASE)
_TAKEN: Final = re.compile(rf"{_BEFORE}ELEMENT_AT(?=\s*\(\s*SPLIT\s*\()", re.IGNORECASE)
_DIV: Final = re.compile(r"\s*(?P<div>\bDIV)(?=\s+\d)", re.IGNORECASE)
_ALIAS: Final = re.compile(
    rf"(?P<before>\)|(?<![\w.])[A-Za-z_][\w.]*)\s+(?P<name>(?:{_UNIT})\b)(?=\s*(?:,|FROM\b))", re.IGNORECASE
)
# Words behind which a name is a column and no alias.
_NO_EXPRESSION: Final = frozenset(
    {
        "SELECT", "DISTINCT", "ALL", "BY", "AND", "OR", "NOT", "WHEN", "THEN", "ELSE", "AS", "IN", "ON", "LIKE", "IS",
        "ILIKE", "CASE", "FROM", "INTERVAL", "USING", "BETWEEN", "WHERE", "HAVING", "JOIN", "ROLLUP", "CUBE", "SETS",
        "OVER", "QUALIFY", "UNION", "VALUES", "LIMIT", "OFFSET", "WITH", "ESCAPE", "EXCEPT", "INTERSECT", "TIME",
    }
)  # fmt: skip
_INTERVAL: Final = re.compile(rf"{_BEFORE}INTERVAL\s+(?P<number>(?:-\s*)?)(?=[A-Za-z_])", re.IGNORECASE)
# A longer number of steps is refused: one may stand within another, and each is looked through.
_LONGEST: Final = 1_000
_FACTOR: Final = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?P<open>\s*\()?")
_REST: Final = re.compile(rf"(?:\s*[-+*]\s*\d+)?(?P<behind>\s+)(?P<unit>{_UNIT})\b", re.IGNORECASE)
_DAY_OF_WEEK: Final = re.compile(
    r"\b(?:DAYOFWEEK\s*|EXTRACT\s*(?=\(\s*DAYOFWEEK\b)|(?P<weekday>WEEKDAY)\s*)(?P<open>\()", re.IGNORECASE
)


def without_foreign_texts(code: str) -> list[Change]:
    """The changes, in the masked code of a text."""
    words = frozenset(_WORD.findall(code.upper()))
    there = [changes for needed, changes in _FORMS if not needed.isdisjoint(words)]
    closed = closing(code) if there else {}
    return [change for changes in there for change in changes(code, closed)]


def _replaced(code: str, _closed: Mapping[int, int]) -> Iterator[Change]:
    for pattern, put in _WORDS:
        yield from (_word(found, put) for found in pattern.finditer(code))


def _limits(code: str, _closed: Mapping[int, int]) -> Iterator[Change]:
    """MySQL's LIMIT 20, 10 as LIMIT 10 OFFSET 20."""
    for limit in _LIMIT.finditer(code):
        yield _blank(*limit.span("skipped"))
        yield limit.end(), limit.end(), f" OFFSET {limit['from']}"


def _places(code: str, _closed: Mapping[int, int]) -> Iterator[Change]:
    """BigQuery's x[OFFSET(0)] as x[1]."""
    for place in _PLACE.finditer(code):
        yield _word(place, str(int(place["n"]) + (place["how"].upper() == "OFFSET")), "place")


def _any_values(code: str, _closed: Mapping[int, int]) -> Iterator[Change]:
    """ClickHouse's any(x) as any_value(x)."""
    for found in _ANY.finditer(code):
        yield found.end("any"), found.end("any"), "_VALUE"


def _whole_parts(code: str, _closed: Mapping[int, int]) -> Iterator[Change]:
    """BigQuery's DIV(x, y) as INTDIV(x, y)."""
    for found in _DIV_CALL.finditer(code):
        yield found.start("div"), found.start("div"), "INT"


def _listed(code: str, _closed: Mapping[int, int]) -> Iterator[Change]:
    """BigQuery's x IN UNNEST([1, 2]) as x IN (1, 2)."""
    for listed in _IN_LIST.finditer(code):
        yield from (_word(listed, "", group) for group in ("unnest", "open", "close"))


def _elements(code: str, _closed: Mapping[int, int]) -> Iterator[Change]:
    """Trino's ELEMENT_AT(SPLIT(x, y), 1) as LIST_EXTRACT(SPLIT(x, y), 1)."""
    for taken in _TAKEN.finditer(code):
        yield _blank(*taken.span())
        yield taken.end(), taken.end(), "LIST_EXTRACT"


def _blank(start: int, end: int) -> Change:
    return start, end, " " * (end - start)


def _word(found: re.Match[str], put: str, group: str | int = 0) -> Change:
    start, end = found.span(group)
    return start, end, put.ljust(end - start)


def _aliases(code: str, closed: Mapping[int, int]) -> Iterator[Change]:
    """AS before a unit that is the name of a column, as in `COUNT(*) month`."""
    named = list(_ALIAS.finditer(code))
    opened = {end - 1: start for start, end in closed.items()}
    units = {rest.start("unit") for _, _, rest in _steps_of_intervals(code, closed)} if named else set()
    for found in named:
        at = found.start("before")
        begin = opened.get(at, 0) if found["before"] == ")" else at
        is_expression = found["before"].upper() not in _NO_EXPRESSION and (
            _word_before(code, begin) not in ("INTERVAL", "AS")
        )
        if is_expression and found.start("name") not in units:
            yield found.start("name"), found.start("name"), "AS "


def _word_before(code: str, at: int) -> str:
    found = re.search(r"\w+\s*\Z", code[max(0, at - 40) : at])
    return found.group().strip().upper() if found else ""


def _intervals(code: str, closed: Mapping[int, int]) -> Iterator[Change]:
    """INTERVAL HOUR(x) - 1 HOUR with its number in parentheses, in which days of the week are counted as in MySQL."""
    for start, end, rest in _steps_of_intervals(code, closed):
        yield start, start, "("
        yield from _days_of_weeks(code, start, end, closed)
        yield rest.start("behind"), rest.start("behind"), ")"


def _steps_of_intervals(code: str, closed: Mapping[int, int]) -> Iterator[tuple[int, int, re.Match[str]]]:
    """Where a name or a call behind INTERVAL begins and ends, and what follows up to the unit."""
    for found in _INTERVAL.finditer(code):
        factor = _FACTOR.match(code, found.end())
        assert factor is not None
        end = closed.get(factor.end() - 1) if factor["open"] else factor.end()
        rest = _REST.match(code, end) if end is not None else None
        if end is not None and rest is not None and end - found.end() <= _LONGEST:
            yield found.start("number"), end, rest


def _days_of_weeks(code: str, start: int, end: int, closed: Mapping[int, int]) -> Iterator[Change]:
    """DAYOFWEEK counted from 1 for Sunday, and WEEKDAY from 0 for Monday."""
    for found in _DAY_OF_WEEK.finditer(code, start, end):
        opened = found.start("open")
        yield found.start(), found.start(), "("
        if found["weekday"]:
            yield _word(found, "ISODOW", "weekday")
        yield closed[opened], closed[opened], " - 1)" if found["weekday"] else " + 1)"


def _levels(code: str, closed: Mapping[int, int]) -> Iterator[Change]:
    """ClickHouse's quantile(0.9)(x) as QUANTILE(x, 0.9)."""
    for found in _LEVEL.finditer(code):
        end = closed.get(found.end())
        if end is not None:
            yield _blank(*found.span("level"))
            yield end - 1, end - 1, f", {found['q']}"


def _periods(code: str, closed: Mapping[int, int]) -> Iterator[Change]:
    """UNIX_TIMESTAMP(x) DIV 300, and other calls that give a whole number: // of doubles leaves no rest."""
    for found in _PERIOD.finditer(code):
        end = closed.get(found.end())
        div = _DIV.match(code, end) if end is not None else None
        if div is not None:
            yield div.start("div"), div.end("div"), "// "


def _steps(code: str, closed: Mapping[int, int]) -> Iterator[Change]:
    """PostgreSQL's make_interval(days => 7) as INTERVAL (7) DAY."""
    for found in _NAMED_STEP.finditer(code):
        end = closed[found.start("open")]
        yield found.start(), found.end(), "INTERVAL (".ljust(found.end() - found.start())
        yield end, end, f" {_NAMED_UNITS.get(found['unit'].upper(), found['unit'])}"


def _gathered(code: str, closed: Mapping[int, int]) -> Iterator[Change]:
    """LISTAGG(x, ', ') WITHIN GROUP (ORDER BY y) as LISTAGG(x, ', ' ORDER BY y)."""
    for found in _GATHERED.finditer(code):
        end = closed.get(found.end())
        within = _WITHIN.match(code, end - 1) if end is not None else None
        if within is not None:
            yield _blank(*within.span())


def _rolled(code: str, _closed: Mapping[int, int]) -> Iterator[Change]:
    """GROUP BY a, b WITH ROLLUP as GROUP BY ROLLUP (a, b)."""
    for found in islice(_ROLLED.finditer(code), _MOST_ROLLED):
        keys = _last_keys(code[: found.start()])
        if keys is not None:
            yield keys, keys, f" {found['how']}("
            yield _word(found, ")")


def _last_keys(code: str) -> int | None:
    """Behind which place the keys begin that a text ends with; None where one is the number of a column."""
    depth = 0
    for found in reversed(list(_GROUP.finditer(code))):
        depth += {")": 1, "(": -1}.get(found.group(), 0)
        if depth < 0:
            return None
        if depth == 0 and found["group"]:
            return None if _NUMBERED.search(code[found.end() :]) else found.end()
    return None


def _of_two(code: str, closed: Mapping[int, int]) -> Iterator[Change]:
    """BigQuery's PERCENTILE_CONT(x, 0.5) OVER () as QUANTILE_CONT(x, 0.5) OVER ()."""
    for found in _OF_TWO.finditer(code):
        end = closed.get(found.end())
        if end is not None and _OVER.match(code, end):
            yield _word(found, f"QUANTILE_{found['kind']}")


# What is looked for where a text has one of these words: most texts have none.
_FORMS: Final = (
    (frozenset({"SAFE_CAST", "COUNT_BIG", "APPROXIMATE", "NOLOCK", "SEPARATOR"}), _replaced),
    (frozenset({"LIMIT"}), _limits),
    (frozenset({"OFFSET", "SAFE_OFFSET", "ORDINAL", "SAFE_ORDINAL"}), _places),
    (frozenset({"ANY"}), _any_values),
    (frozenset({"DIV"}), _whole_parts),
    (frozenset({"UNNEST"}), _listed),
    (frozenset({"ELEMENT_AT"}), _elements),
    (frozenset(_UNIT.split("|")), _aliases),
    (frozenset({"PERCENTILE_CONT", "PERCENTILE_DISC"}), _of_two),
    (frozenset({"ROLLUP", "CUBE"}), _rolled),
    (frozenset({"INTERVAL"}), _intervals),
    (
        frozenset(
            f"QUANTILE{kind}{given}" for kind in ("", "EXACT", "TDIGEST", "TIMING") for given in ("", "IF")
        ),
        _levels,
    ),
    (frozenset({"DIV"}), _periods),
    (frozenset({"MAKE_INTERVAL"}), _steps),
    (frozenset({"WITHIN"}), _gathered),
)
