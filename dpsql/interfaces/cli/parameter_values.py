"""Values of `--param`: typed as they would be read in SQL, in order for `?` or by name for `$name`."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal

import click

from dpsql.policy.exact_decimals import MOST_CHARACTERS
from dpsql.stages.arguments.call_arguments import Parameters

_NAMED = re.compile(r"\$(\w+)=(.*)", re.DOTALL)
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d*)", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:0|[1-9]\d*)?\.\d+", re.ASCII)
_FLOAT = re.compile(r"[+-]?\d+(?:\.\d+)?[eE][+-]?\d+", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?", re.ASCII)
_READERS: tuple[tuple[re.Pattern[str], Callable[[str], object]], ...] = (
    (_INTEGER, int),
    (_DECIMAL, Decimal),
    (_FLOAT, float),
    (_DATE, date.fromisoformat),
    (_TIMESTAMP, datetime.fromisoformat),
)
_WORDS = {"null": None, "true": True, "false": False}


def parameters(texts: tuple[str, ...]) -> Parameters | None:
    """The parameters of a query, or None without any; names and places cannot be mixed (a usage error)."""
    if not texts:
        return None
    named = [_NAMED.fullmatch(text) for text in texts]
    if not any(named):
        return tuple(typed(text) for text in texts)
    if not all(named):
        raise click.BadParameter(
            "give either values for ? or $name=value pairs, not both", param_hint="--param"
        )
    pairs = [(found[1], typed(found[2])) for found in named if found]
    if len(dict(pairs)) < len(pairs):
        raise click.BadParameter("a name is given twice", param_hint="--param")
    return dict(pairs)


def typed(text: str) -> object:
    """The value of a text: a number, a date, true, false, null; else, and in single quotes, text."""
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for pattern, reader in _READERS:
        if pattern.fullmatch(text):
            return _read(reader, text)
    return text


def _read(reader: Callable[[str], object], text: str) -> object:
    if len(text) > MOST_CHARACTERS:
        raise click.BadParameter(
            f"a number has at most {MOST_CHARACTERS} characters; 'single quotes' make text",
            param_hint="--param",
        )
    try:
        return reader(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r}: {error}", param_hint="--param") from None
