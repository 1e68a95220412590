"""Passwords made comparable before they are hashed: SASLprep (RFC 4013), applied as PostgreSQL applies it."""

from __future__ import annotations

import stringprep
import unicodedata
from collections.abc import Callable

_PROHIBITED: tuple[Callable[[str], bool], ...] = (
    stringprep.in_table_c12,
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
    stringprep.in_table_a1,
)


def prepared(password: str) -> bytes:
    """The bytes that a password is hashed as.

    A password that SASLprep does not allow is taken as it is, which is what PostgreSQL's server and clients do: both
    sides then agree all the same.
    """
    mapped = "".join(" " if stringprep.in_table_c12(c) else c for c in password if not _is_dropped(c))
    normal = unicodedata.normalize("NFKC", mapped)
    allowed = bool(normal) and not any(_is_prohibited(c) for c in normal) and _directions_agree(normal)
    return (normal if allowed else password).encode("utf-8", "surrogateescape")


def _is_dropped(character: str) -> bool:
    return stringprep.in_table_b1(character) and not stringprep.in_table_c12(character)


def _is_prohibited(character: str) -> bool:
    return any(table(character) for table in _PROHIBITED)


def _directions_agree(text: str) -> bool:
    """RFC 3454, section 6: text with a right-to-left character begins and ends with one, and has no left-to-right."""
    if not any(map(stringprep.in_table_d1, text)):
        return True
    ends = stringprep.in_table_d1(text[0]) and stringprep.in_table_d1(text[-1])
    return ends and not any(map(stringprep.in_table_d2, text))
