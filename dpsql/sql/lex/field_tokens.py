"""Fields of JSON in a query as names of columns: `pl->>'humidity'` is read as the one name of that column.

A policy makes a column of each field that it declares, under the name that is written here. What is no constant path of
names leads to none and is refused, and so is what DuckDB binds otherwise than it looks: its arrows bind as tightly as
||, and `pl->'a'->>'b'`, which every other database reads from left to right, would be `pl->('a'->>'b')`.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from dpsql.errors import Place, QueryRefused
from dpsql.policy.json_paths import Steps, arrow_text, steps_of_path
from dpsql.slotted import dataclass
from dpsql.sql.dialect import Token, TokenType

_ARROWS: Final = frozenset({"->", "->>"})
_TIGHT: Final = frozenset({"||", "+", "-", "*", "/", "//", "%", "::"})
_TIGHT_BEHIND: Final = (_TIGHT - {"||"}) | {"["}
_CALLS: Final = MappingProxyType(
    {
        **dict.fromkeys(("JSON_EXTRACT_STRING", "JSON_EXTRACT_SCALAR", "JSON_VALUE", "GET_JSON_OBJECT"), 1),
        **dict.fromkeys(("JSON_EXTRACT_PATH_TEXT", "JSONB_EXTRACT_PATH_TEXT"), 20),
    }
)
_OF_JSON: Final = MappingProxyType(
    {"JSON_EXTRACT": 1, "JSON_QUERY": 1, "JSON_EXTRACT_PATH": 20, "JSONB_EXTRACT_PATH": 20}
)
# Without one of these a text names no field.
_LEADING: Final = _ARROWS.union(_CALLS, _OF_JSON)
# JSON that is cast to one of these is the value of a field; as text it would have its quotes.
_VALUE_TYPES: Final = frozenset(
    {
        *("TINYINT", "SMALLINT", "INTEGER", "INT", "BIGINT", "HUGEINT", "INT1", "INT2", "INT4", "INT8"),
        *("DOUBLE", "FLOAT", "REAL", "FLOAT4", "FLOAT8", "DECIMAL", "NUMERIC", "BOOLEAN", "BOOL"),
    }
)
_BEFORE_VALUES: Final = frozenset(
    {
        *("SELECT", "DISTINCT", "WHERE", "AND", "OR", "NOT", "BY", "CASE", "WHEN", "THEN", "ELSE", "ON"),
        *("HAVING", "BETWEEN"),
    }
)
_NAMES_ALONE: Final = "the path of a field is made of names alone, without elements of lists and patterns"
_WRITE: Final = "Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name')."


@dataclass(frozen=True, slots=True)
class WrittenField:
    """A field that a query names: `name` is that of its column, `column` the JSON text it is looked up in."""

    column: str
    name: str
    place: Place


def with_field_names(items: Sequence[Token]) -> tuple[tuple[Token, ...], tuple[WrittenField, ...]]:
    """The tokens with one name for each field of JSON, and these fields in the order of the text.

    Raises QueryRefused for arrows and calls that no declared field can be meant by.
    """
    if _LEADING.isdisjoint(token.text.upper() for token in items):
        return tuple(items), ()
    reader = _Reader(tuple(items))
    while reader.at < len(reader.items):
        reader.step()
    return tuple(reader.out), tuple(reader.fields)


class _Reader:
    """Goes over the tokens once; `out` is what has been read."""

    def __init__(self, items: tuple[Token, ...]) -> None:
        self.items = items
        self.at = 0
        self.out: list[Token] = []
        self.fields: list[WrittenField] = []

    def step(self) -> None:
        """Read one token, or a whole field."""
        token, word = self.items[self.at], self._text(0).upper()
        called = _is_name(token) and token.token_type is not TokenType.IDENTIFIER and self._text(1) == "("
        if word in _ARROWS:
            self._arrows()
        elif called and (word in _CALLS or word in _OF_JSON):
            self._call(word)
        else:
            self.out.append(token)
            self.at += 1

    def _text(self, ahead: int) -> str:
        """A word or symbol as written; nothing for what is quoted, and at the end."""
        at = self.at + ahead
        token = self.items[at] if at < len(self.items) else None
        return (
            ""
            if token is None or token.token_type in (TokenType.STRING, TokenType.IDENTIFIER)
            else token.text
        )

    def _arrows(self) -> None:
        """A name with arrows behind it; parentheses may stand around all but the last of them."""
        if not self.out or not _is_name(self.out[-1]):
            raise _refused(
                self.items[self.at], "an arrow stands directly behind the name of a column", _WRITE
            )
        begin = _begin(self.out)
        steps: list[str] = []
        while (arrow := self._text(0)) in _ARROWS:
            steps += self._key(self.items[self.at + 1 : self.at + 2])
            self.at += 2
            opened = begin > 0 and _is_symbol(self.out[begin - 1], "(")
            if arrow == "->" and opened and self._text(0) == ")" and self._text(1) in _ARROWS:
                del self.out[begin - 1]
                begin -= 1
                self.at += 1
        last = self.items[self.at - 1]
        if arrow_before(self.items, self.at) == "->" and not self._is_cast(self.out[:begin]):
            written = arrow_text(self.out[-1].text, tuple(steps))
            raise _refused(last, "-> gives JSON, which no answer holds", f"Write {written}.")
        self._check_operators(begin, last)
        self._named(self.out.pop(), tuple(steps), last)

    def _check_operators(self, begin: int, last: Token) -> None:
        before = self.out[begin - 1] if begin else None
        tight = before is not None and any(_is_symbol(before, s) for s in _TIGHT)
        if tight or self._text(0) in _TIGHT_BEHIND:
            raise _refused(
                last,
                "operators stand here in an order that can be read in two ways",
                "Put parentheses around the field, as in (pl->>'humidity')::DOUBLE.",
            )

    def _key(self, behind: Sequence[Token]) -> Steps:
        """The names that the text behind an arrow stands for."""
        token = behind[0] if behind else self.items[-1]
        if behind and token.token_type is TokenType.STRING:
            return _steps(token)
        if token.token_type is TokenType.NUMBER:
            raise _refused(token, _NAMES_ALONE, _WRITE)
        if token.token_type in (TokenType.PLACEHOLDER, TokenType.PARAMETER):
            raise _refused(token, "the name of a field is a constant text, and no parameter", _WRITE)
        raise _refused(
            token, "lambdas are not supported; behind an arrow stands the name of a field in quotes"
        )

    def _is_cast(self, before: Sequence[Token]) -> bool:
        """Whether the JSON that was just read, with these tokens before it, is cast to a number or a truth value."""
        opened = bool(before) and _is_symbol(before[-1], "(")
        ahead = [self._text(i).upper() for i in range(3)]
        called = before[-2].text.upper() if opened and len(before) > 1 else ""
        if opened and ahead[0] == "AS":
            return called in ("CAST", "TRY_CAST") and ahead[1] in _VALUE_TYPES
        grouped = (
            len(before) == 1 or called in _BEFORE_VALUES or not _is_name(before[-2]) if opened else False
        )
        return grouped and ahead[:2] == [")", "::"] and ahead[2] in _VALUE_TYPES

    def _is_cast_behind(self) -> bool:
        return self._text(0) == "::" and self._text(1).upper() in _VALUE_TYPES

    def _call(self, name: str) -> None:
        """A function that takes a column and the path, or the names, of a field."""
        word, most = self.items[self.at], _CALLS.get(name) or _OF_JSON[name]
        end = next((i for i in range(self.at, len(self.items)) if _is_symbol(self.items[i], ")")), self.at)
        column, keys = _arguments(self.items[self.at + 2 : end])
        if not column or not 1 <= len(keys) <= most:
            reason = f"{name} takes the name of a column and the constant path of a field"
            raise _refused(word, reason, _WRITE)
        self.at = end + 1
        steps = tuple(step for key in keys for step in _steps(key))
        if name in _OF_JSON and not self._is_cast(self.out) and not self._is_cast_behind():
            written = arrow_text(column[-1].text, steps)
            raise _refused(word, f"{name} gives JSON, which no answer holds", f"Write {written}.")
        self.out += column[:-1]
        self._named(column[-1], steps, keys[-1])

    def _named(self, column: Token, steps: Steps, last: Token) -> None:
        name = arrow_text(column.text, steps)
        made = Token(TokenType.IDENTIFIER, name, column.line, column.col, column.start, last.end)
        self.out.append(made)
        self.fields.append(WrittenField(column.text, name, Place(column.line, column.col)))


def arrow_before(items: Sequence[Token], at: int) -> str:
    """The last arrow before a place."""
    return next(
        t.text for t in reversed(items[:at]) if t.text in _ARROWS and t.token_type is not TokenType.STRING
    )


def _arguments(items: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """The tokens of a column's name, and the texts behind it; two empty lists where it is anything else."""
    parts: list[list[Token]] = [[]]
    for token in items:
        if _is_symbol(token, ","):
            parts.append([])
        else:
            parts[-1].append(token)
    column, texts = parts[0], [p[0] for p in parts[1:] if len(p) == 1]
    named = bool(column) and _begin(column) == 0 and _is_name(column[-1])
    fits = named and len(texts) == len(parts) - 1 and all(t.token_type is TokenType.STRING for t in texts)
    return (column, texts) if fits else ([], [])


def _begin(items: Sequence[Token]) -> int:
    """Where the name begins that ends with the last token: behind a table and a dot, perhaps."""
    at = len(items) - 1
    while at >= 2 and _is_symbol(items[at - 1], ".") and _is_name(items[at - 2]):
        at -= 2
    return at


def _steps(token: Token) -> Steps:
    """The names that one text stands for: a path behind $, a pointer behind /, else the name itself."""
    text = token.text
    if text.startswith("$"):
        steps = steps_of_path(text)
    elif text.startswith("/"):
        steps = tuple(s.replace("~1", "/").replace("~0", "~") for s in text[1:].split("/"))
    else:
        steps = (text,)
    if not steps or not all(steps):
        raise _refused(token, _NAMES_ALONE, _WRITE)
    return steps


def _is_name(token: Token) -> bool:
    plain = token.token_type is not TokenType.STRING and (token.text[:1].isalpha() or token.text[:1] == "_")
    return token.token_type is TokenType.IDENTIFIER or plain


def _is_symbol(token: Token, text: str) -> bool:
    return token.text == text and token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)


def _refused(token: Token, reason: str, hint: str | None = None) -> QueryRefused:
    return QueryRefused(reason, place=Place(token.line, token.col), hint=hint)
