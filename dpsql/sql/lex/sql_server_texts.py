"""Names in brackets, strings behind an N, and CONVERT, as SQL Server has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from dpsql.sql.lex.inserted import Change, closing

# A list or a subscript of DuckDB's holds none of these: where there is one, all brackets are around names.
_SURE: Final = re.compile(r"(?:(?<![\w.])(?:FROM|JOIN|AS)\s*|\.\s*)\[\s*[A-Za-z_]", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<![\w)\]'])\[(?P<name>[A-Za-z_][^\[\]'\"\n,]*)\]")
# Strings of SQL Server, and those of BigQuery in which a backslash is one, as in all here.
_NATIONAL: Final = re.compile(r"(?<![\w$'])[NR](?=')", re.IGNORECASE)
_TYPE: Final = (
    r"DATE|DATETIME2?|SMALLDATETIME|TIME|INT|BIGINT|SMALLINT|TINYINT|FLOAT|REAL|BIT|"
    r"(?:DECIMAL|NUMERIC)(?:\s*\(\s*\d+\s*(?:,\s*\d+\s*)?\))?|(?P<text>N?(?:VAR)?CHAR)(?:\s*\(\s*(?P<size>\d+|MAX)\s*\))?"
)
_CONVERT: Final = re.compile(
    rf"(?<![\w.$])(?P<name>(?:TRY_)?CONVERT)\s*(?P<open>\()(?P<type>\s*(?P<kind>{_TYPE})\s*,)", re.IGNORECASE
)
_STYLE: Final = re.compile(r",\s*(?P<style>\d{1,3})\s*\Z")
_STYLE_WITHIN: Final = 20
_OWN_TYPES: Final = MappingProxyType(
    {"DATETIME": "TIMESTAMP", "SMALLDATETIME": "TIMESTAMP", "BIT": "BOOLEAN"}
)
# What a style makes of a moment, piece by piece: each has as many letters as its number says.
_STYLES: Final = MappingProxyType(
    {
        **dict.fromkeys(("20", "120"), "%Y4 -1 %m2 -1 %d2 _1 %H2 :1 %M2 :1 %S2"),
        "23": "%Y4 -1 %m2 -1 %d2",
        "112": "%Y4 %m2 %d2",
        "101": "%m2 /1 %d2 /1 %Y4",
        "103": "%d2 /1 %m2 /1 %Y4",
        "104": "%d2 .1 %m2 .1 %Y4",
        "105": "%d2 -1 %m2 -1 %Y4",
        "108": "%H2 :1 %M2 :1 %S2",
        "110": "%m2 -1 %d2 -1 %Y4",
        "111": "%Y4 /1 %m2 /1 %d2",
    }
)
_ISO_STYLES: Final = frozenset({"20", "21", "23", "120", "121", "126"})


def with_quotes(sql: str, code: str) -> str:
    """The text with names in double quotes, and strings without N and R; its length stays. `code` is masked."""
    characters = list(sql)
    for found in _NATIONAL.finditer(code):
        if sql[found.end()] == "'":
            characters[found.start()] = " "
    for found in _NAME.finditer(code) if _SURE.search(code) else ():
        characters[found.start()] = characters[found.end() - 1] = '"'
    return "".join(characters)


def casts_of_converts(code: str) -> list[Change]:
    """CONVERT(type, x) as CAST, and with a style as STRFTIME, in the masked code of a text."""
    calls = list(_CONVERT.finditer(code))
    closed = closing(code) if calls else {}
    return [change for call in calls for change in _converted(code, call, closed)]


def _converted(code: str, call: re.Match[str], closed: Mapping[int, int]) -> Iterator[Change]:
    end = closed.get(call.start("open"), 0) - 1
    style = _STYLE.search(code, max(call.end(), end - _STYLE_WITHIN), max(end, call.end()))
    written = style["style"] if style else ""
    name, rest = _call(call, written)
    if end < 0 or not name:
        return
    for start, behind in (call.span("name"), call.span("type"), *([style.span()] if style else [])):
        yield start, behind, " " * (behind - start)
    yield call.start("open"), call.start("open"), name
    yield end, end, rest


def _call(call: re.Match[str], style: str) -> tuple[str, str]:
    """The name of the call instead, and what stands behind its first argument; no name for a style that is unknown."""
    cast = "TRY_CAST" if call["name"].upper().startswith("TRY") else "CAST"
    if call["text"]:  # without a style moments are written with the names of months
        pattern = _pattern(style, call["size"])
        return ("STRFTIME", f", '{pattern}'") if pattern else ("", "")
    kind = call["kind"].upper()
    return ("", "") if style and style not in _ISO_STYLES else (cast, f" AS {_OWN_TYPES.get(kind, kind)}")


def _pattern(style: str, size: str | None) -> str:
    """The format of so many letters of a style; nothing where they end within a piece."""
    left, pattern = int(size) if size is not None and size.isdigit() else 100, ""
    for piece in _STYLES.get(style, "").split():
        if left == 0:
            break
        left -= int(piece[-1])
        pattern += piece[:-1].replace("_", " ")
    return pattern if left >= 0 else ""
