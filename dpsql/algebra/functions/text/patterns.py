"""LIKE and ILIKE written so that their time is linear in the text.

DuckDB matches a pattern with `_` and several `%` by backtracking, whose time grows with a power of the text's
length. Such a pattern becomes a regular expression, which RE2 matches in linear time (R. Cox, "Regular
Expression Matching in the Wild", 2010); every other pattern is matched in one pass by the engine itself.
"""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Literal
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions import spell


def emit_like(call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    """The match of a text with a constant pattern; ILIKE compares in lower case, as the engine does."""
    pattern = call.args[1]
    assert isinstance(pattern, Literal) and isinstance(pattern.value, str)
    folded = call.op == "ilike"
    subject = f"lower({args[0]})" if folded else args[0]
    if "_" in pattern.value and "%" in pattern.value:
        return f"regexp_full_match({subject}, {spell.text(_expression(pattern.value, folded))})"
    return f"({subject} LIKE {f'lower({args[1]})' if folded else args[1]})"


def _expression(pattern: str, folded: bool) -> str:
    return "(?s)" + "".join(_piece(c, folded) for c in pattern)


def _piece(char: str, folded: bool) -> str:
    if char in "%_":
        return ".*" if char == "%" else "."
    # The engine folds characters one by one, so that a longer lower case begins with the one it takes.
    plain = char.lower()[0] if folded else char
    return plain if plain.isascii() and plain.isalnum() else f"\\x{{{ord(plain):X}}}"
