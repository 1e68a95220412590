"""Readings: from one YAML value to what a key wants, or ValueError with what would be right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from datetime import date, datetime
from enum import StrEnum
from fractions import Fraction
from typing import Generic, NoReturn, TypeVar

from pydantic_core import CoreSchema, core_schema

from dpsql.policy.model import (
    AccountantName,
    ClippingMode,
    ColumnType,
    Isolation,
    JsonType,
    UnknownAnalysts,
    ViewKind,
    Window,
)
from dpsql.policy.names import did_you_mean
from dpsql.policy.scalars import Leaf, Plain, Unreadable, plain_value, shown
from dpsql.privacy import Mechanism, Neighbours
from dpsql.slotted import dataclass

MAX_EPSILON = 1000
MAX_CAP = 10**9
MIN_MEMORY = 64 * 2**20
MAX_MEMORY = 2**50
MAX_THREADS = 1024
MAX_SECONDS = 7 * 24 * 3600
MAX_HISTOGRAMS = 10_000
EPSILON_UNIT = Fraction(1, 10**9)
DELTA_UNIT = Fraction(1, 10**18)

_OTHER_TYPE_NAMES = {
    "int": "integer", "bigint": "integer", "smallint": "integer", "long": "integer",
    "double": "float", "real": "float", "decimal": "float", "number": "float", "numeric": "float",
    "string": "text", "varchar": "text", "str": "text", "char": "text",
    "bool": "boolean", "datetime": "timestamp",
}  # fmt: skip
_SIZE = re.compile(r"([0-9]{1,16}) ?([KMGT])(i?)B")
_DATASET = re.compile(r"[A-Za-z0-9._-]{1,100}")
_POWERS = {"K": 1, "M": 2, "G": 3, "T": 4}
_Word = TypeVar("_Word", bound=StrEnum)
_Read = TypeVar("_Read", covariant=True)


@dataclass(frozen=True, slots=True)
class Reading(Generic[_Read]):
    """How pydantic reads a value, as written, and what the JSON Schema says of it."""

    read: Callable[[object], _Read]
    schema: Mapping[str, object] = field(hash=False)

    def __call__(self, given: object) -> _Read:
        """The value. Raises ValueError with what would be right."""
        return self.read(given)

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> CoreSchema:
        """The check that pydantic makes."""
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: object) -> dict[str, object]:
        """What editors complete and check by."""
        return dict(self.schema)


def _reading(**schema: object) -> Callable[[Callable[[object], _Read]], Reading[_Read]]:
    return lambda read: Reading(read, schema)


def scalar(given: object, wanted: str) -> tuple[Leaf, Plain]:
    """The leaf and its value; ValueError for a list, a mapping, nothing, or what nobody can read."""
    if not isinstance(given, Leaf):
        raise ValueError(f"must be {wanted}, not a {'mapping' if isinstance(given, dict) else 'list'}")
    if isinstance(given.value, Unreadable):
        raise ValueError(given.value.reason)
    if given.value is None:
        raise ValueError(f"has no value; write {wanted}")
    return given, given.value


def text(given: object, wanted: str = "a text") -> str:
    """A text; what is plainly a number, a date or a boolean must be quoted to be one."""
    if isinstance(given, Leaf) and isinstance(given.value, Unreadable):
        raise ValueError(f"{given.value.reason}; quote it if it is a text: {shown(given.text)}")
    leaf, value = scalar(given, wanted)
    if not isinstance(value, str):
        raise ValueError(f"`{leaf.text}` is {kind_of(value)} in YAML; quote it: {shown(leaf.text)}")
    if any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
        raise ValueError("a text must not hold NUL or half a surrogate pair")
    return value


def _texts(wanted: str) -> Reading[str]:
    return Reading(lambda given: text(given, wanted), {"type": "string"})


any_text = _texts("a text")
unit = _texts("`table.column`, or `table.*` where every row is a person")
source = _texts("the path of a DuckDB, Parquet, CSV or JSON file, or `frame`")
column_name = _texts("the name of the column that owns a row, or `public: true` instead")
reference = _texts("the key of a public table, as `table.column`")
directory = _texts("the path of a directory")
log_file = _texts("the path of a file")


@_reading(type="string")
def written(given: object) -> str:
    """A text of one line, which may be empty."""
    value = text(given)
    if any(c in "\r\n\ufeff" for c in value):
        raise ValueError("must not hold a line break or a byte order mark")
    return value


@_reading(type="object", minProperties=1, maxProperties=1, additionalProperties={"type": "string"})
def unit_path(given: object) -> tuple[str, str]:
    """The one step of a table's unit_path: its own column, and `table.column` of the table that it leads to."""
    if not isinstance(given, dict) or len(given) != 1:
        raise ValueError("must be one step, as {order_key: orders.order_key}")
    ((column, target),) = given.items()
    return column, text(target, "the unique column it leads to, as `table.column`")


def _refuse(leaf: Leaf, value: Plain, wanted: str) -> NoReturn:
    """Raises ValueError with what was given; a quoted number is the commonest mistake."""
    quoted = isinstance(value, str) and isinstance(plain_value(leaf.text), int | Fraction | date)
    fix = "; remove the quotes" if quoted and leaf.text else ""
    raise ValueError(f"must be {wanted}, not {kind_of(value)} ({shown(leaf.text)}){fix}")


def kind_of(value: Plain) -> str:
    """What a scalar is, in words: a number, a date, ..."""
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | Fraction):
        return "a number"
    if isinstance(value, date):
        return "a timestamp" if isinstance(value, datetime) else "a date"
    return "a text" if isinstance(value, str) else "nothing"


@_reading(type="boolean")
def truth(given: object) -> bool:
    """true or false (YAML 1.1's yes, no, on and off included)."""
    leaf, value = scalar(given, "true or false")
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {shown(leaf.text)}")
    return value


def _number(given: object, wanted: str = "a number") -> Fraction:
    """The exact number as written; booleans, texts, NaN and infinity are none."""
    leaf, value = scalar(given, wanted)
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        _refuse(leaf, value, wanted)
    return Fraction(value)


@_reading(type="number", exclusiveMinimum=0)
def positive(given: object) -> Fraction:
    """A number above 0."""
    value = _number(given, "a number above 0")
    if value <= 0:
        raise ValueError("must be above 0")
    return value


def _whole(most: int) -> Reading[int]:
    wanted = f"a whole number from 1 to {most}"

    def read(given: object) -> int:
        value = _number(given, wanted)
        if value.denominator != 1 or not 1 <= value <= most:
            raise ValueError(f"must be {wanted}")
        return int(value)

    return Reading(read, {"type": "integer", "minimum": 1, "maximum": most})


cap = _whole(MAX_CAP)
threads = _whole(MAX_THREADS)
seconds = _whole(MAX_SECONDS)
histograms = _whole(MAX_HISTOGRAMS)


@_reading(type="string", format="date")
def day(given: object) -> date:
    """A day of the calendar."""
    leaf, value = scalar(given, "a day, as 2026-01-31")
    if not isinstance(value, date) or isinstance(value, datetime):
        raise ValueError(f"must be a day, as 2026-01-31, not {shown(leaf.text)}")
    return value


@_reading(type=["integer", "string"], minimum=MIN_MEMORY, pattern="^[0-9]+ ?[KMGT]i?B$")
def memory(given: object) -> int:
    """A number of bytes, from MIN_MEMORY to MAX_MEMORY: a whole number, or one with a unit, such as 4GB or 512MiB."""
    wanted = "an amount of memory from 64MiB on, such as 4GB or 512MiB"
    leaf, value = scalar(given, wanted)
    sized = _SIZE.fullmatch(leaf.text) if isinstance(value, str) else None
    if sized:
        count, power, binary = sized.groups()
        value = int(count) * (1024 if binary else 1000) ** _POWERS[power]
    if isinstance(value, bool) or not isinstance(value, int) or not MIN_MEMORY <= value <= MAX_MEMORY:
        raise ValueError(f"must be {wanted}, not {shown(leaf.text)}")
    return value


@_reading(type="number", exclusiveMinimum=0, maximum=MAX_SECONDS)
def deadline(given: object) -> Fraction:
    """A number of seconds above 0, at most MAX_SECONDS."""
    value = _number(given, "a number of seconds above 0")
    if not 0 < value <= MAX_SECONDS:
        raise ValueError(f"must be above 0 and at most {MAX_SECONDS} seconds")
    return value


@_reading(type="number", exclusiveMinimum=0, maximum=MAX_EPSILON)
def epsilon(given: object) -> Fraction:
    """An epsilon: above 0, at most MAX_EPSILON, a whole number of the ledger's units."""
    value = _number(given)
    if not 0 < value <= MAX_EPSILON:
        raise ValueError(f"epsilon must be above 0 and at most {MAX_EPSILON}")
    if value % EPSILON_UNIT:
        raise ValueError("epsilon is counted in units of 1e-9; write it with at most nine decimals")
    return value


@_reading(type="number", minimum=0, maximum=MAX_EPSILON)
def granted_epsilon(given: object) -> Fraction:
    """The epsilon of an analyst: as `epsilon`, or 0 for an analyst who may ask nothing."""
    return Fraction(0) if _number(given) == 0 else epsilon(given)


@_reading(type="number", minimum=0, exclusiveMaximum=1)
def delta(given: object) -> Fraction:
    """A delta: at least 0, below 1, a whole number of the ledger's units."""
    value = _number(given)
    if not 0 <= value < 1:
        raise ValueError("delta must be at least 0 and below 1")
    if value % DELTA_UNIT:
        raise ValueError("delta is counted in units of 1e-18; write it with at most eighteen decimals")
    return value


@_reading(const=1)
def version(given: object) -> int:
    """1, the only version of the policy's language."""
    leaf, value = scalar(given, "1")
    if isinstance(value, bool) or not isinstance(value, int) or value != 1:
        raise ValueError(f"this dpsql reads version 1, not {shown(leaf.text)}")
    return value


@_reading(type=["number", "string"])
def endpoint(given: object) -> Leaf:
    """A leaf that may bound a column: a number, a date or a timestamp; which one, the column's type says."""
    wanted = "a number, a date or a timestamp"
    leaf, value = scalar(given, wanted)
    if isinstance(value, bool | str):
        _refuse(leaf, value, wanted)
    return leaf


@_reading(type="array", minItems=1, uniqueItems=True, items={"type": ["string", "number", "boolean"]})
def values(given: object) -> tuple[Leaf, ...]:
    """A list of scalars that is not empty; their type is the column's."""
    if not isinstance(given, list):
        raise ValueError("must be a list, as in [a, b]")
    if not given:
        raise ValueError("must not be empty; leave it out where the values are not public")
    if not all(isinstance(item, Leaf) for item in given):
        raise ValueError("must be a list of single values, not of lists or mappings")
    return tuple(given)


@_reading(type="string", minLength=1)
def dataset_name(given: object) -> str:
    """The ledger's name for a dataset: letters, digits, dots, dashes and underscores."""
    name = text(given, "a name such as sales")
    if not _DATASET.fullmatch(name):
        raise ValueError("must be made of letters, digits, dots, dashes and underscores")
    return name


@_reading(type="array", items={"type": "string"}, minItems=1)
def analysts(given: object) -> tuple[str, ...]:
    """The names of a role's members."""
    return tuple(text(leaf, "an analyst's name") for leaf in values(given))


def _one_of(words: Iterable[_Word], others: dict[str, str]) -> Reading[_Word]:
    """A reading of one word of an enumeration; `others` are other systems' words for the same."""
    meanings = {w.value: w for w in words}
    spelled = list(meanings)
    listed = ", ".join(spelled)

    def read(given: object) -> _Word:
        leaf, value = scalar(given, f"one of {listed}")
        if leaf.text in spelled and isinstance(value, str):
            return meanings[leaf.text]
        lowered = leaf.text.lower()
        hint = f"; did you mean `{others[lowered]}`?" if lowered in others else did_you_mean(lowered, spelled)
        raise ValueError(f"must be one of {listed}, not {shown(leaf.text)}{hint}")

    return Reading(read, {"enum": spelled})


field_type = _one_of(ColumnType, _OTHER_TYPE_NAMES)
column_type: Reading[ColumnType | JsonType] = _one_of(
    (*ColumnType, *JsonType), {**_OTHER_TYPE_NAMES, "jsonb": "json", "variant": "json"}
)
clipping = _one_of(ClippingMode, {})
neighbours = _one_of(Neighbours, {"add-remove": "add_remove", "replace": "substitute"})
isolation = _one_of(Isolation, {"none": "inline", "child": "process", "subprocess": "process"})
window = _one_of(
    Window, {"day": "daily", "week": "weekly", "month": "monthly", "none": "never", "always": "never"}
)
accountant = _one_of(
    AccountantName, {"basic": "approx", "cdp": "zcdp", "concentrated": "zcdp", "renyi": "rdp"}
)
unknown_analysts = _one_of(UnknownAnalysts, {"refused": "refuse", "none": "refuse", "allow": "default"})
view_kind = _one_of(ViewKind, {"row-wise": "row_wise", "rowwise": "row_wise"})
_mechanism = _one_of(Mechanism, {"laplace": "discrete_laplace", "gaussian": "discrete_gaussian"})


@_reading(type="array", minItems=1, uniqueItems=True, items=_mechanism.schema)
def mechanisms(given: object) -> tuple[Mechanism, ...]:
    """The names of the mechanisms that may be used, sorted; at least one, each once."""
    if not isinstance(given, list) or not given:
        raise ValueError("must be a list of mechanisms, as in [discrete_laplace, cube]")
    named = [_mechanism(item) for item in given]
    twice = next((m for m in named if named.count(m) > 1), None)
    if twice is not None:
        raise ValueError(f"names {twice.value} twice")
    return tuple(sorted(named))
