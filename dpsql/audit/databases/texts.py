"""Conditions and keys of text beside text: of private rows and of public ones, spelled alike, or nearly."""

from __future__ import annotations

import random
import unicodedata

from dpsql.audit.queries.expressions import Expressions, Ref, constant

_BESIDE = (
    "{x} = {c}", "{c} = {x}", "{x} <> {c}", "{x} < {c}", "{c} >= {x}", "{c} IS NOT DISTINCT FROM {x}",
    "{c} IN ({x}, {v})", "{x} IN ({c}, {v})", "{x} NOT IN ({c}, {v})", "{c} BETWEEN {x} AND {v}",
    "{x} BETWEEN {v} AND {c}", "COALESCE({x}, {c}) = {v}", "COALESCE({c}, {x}) < {w}", "NULLIF({x}, {c}) IS NULL",
    "{c} LIKE '%b%' OR {x} = {c}", "{c} = {v}", "{c} IN ({v}, {w})", "{c} > {v}", "GREATEST({x}, {c}) = {w}",
    "{c} || '' = {x}", "({c}, {v}) = ({x}, {w})",
)  # fmt: skip
_COMPUTED = (
    "{x}", "{x}", "CASE WHEN {p} THEN {v} ELSE {x} END", "CASE WHEN {p} THEN {x} ELSE {w} END",
    "CASE WHEN {p} THEN 'none' ELSE {v} END", "COALESCE({x}, {w})",
)  # fmt: skip
_KEYS = (
    "{c}", "{c}", "COALESCE({x}, {c})", "COALESCE({c}, {x})", "CASE WHEN {x} = {c} THEN {c} ELSE {v} END",
    "LEAST({x}, {c})",
)  # fmt: skip


def spelled(value: str) -> tuple[str, ...]:
    """A text, and others that a collation takes for it or nearly."""
    bare = "".join(c for c in unicodedata.normalize("NFD", value) if not unicodedata.combining(c))
    forms = (value, value.lower(), value.upper(), value.swapcase(), value.title(), bare, f"{value} ")
    return tuple(dict.fromkeys((*forms, unicodedata.normalize("NFD", value))))


def beside(e: Expressions, draw: random.Random) -> str | None:
    """A comparison of private and public text in scope, or None where there is not both."""
    return _filled(draw.choice(_BESIDE), e, draw)


def key(e: Expressions, draw: random.Random) -> str | None:
    """A grouping key of public text, alone or with private text, or None where there is not both."""
    return _filled(draw.choice(_KEYS), e, draw)


def spellings(e: Expressions, draw: random.Random) -> list[str]:
    """Conditions of which no row satisfies two: one text, spelled in several ways. None where no text is in scope."""
    found = [r for r in e.scope if r.kind == "text"]
    public = [r for r in found if _is_public(r)]
    if not found:
        return []
    x = draw.choice(public or found)
    forms = [constant(v) for v in spelled(_value(x, e, draw))]
    chosen = draw.sample(forms, min(len(forms), draw.choice((2, 3, 5))))
    return [*(f"{x.sql} = {v}" for v in chosen), f"{x.sql} NOT IN ({', '.join(chosen)})"]


def _filled(form: str, e: Expressions, draw: random.Random) -> str | None:
    texts = [r for r in e.scope if r.kind == "text" and r.column is not None]
    public, own = [r for r in texts if _is_public(r)], [r for r in texts if not _is_public(r)]
    if not public or not own:
        return None
    c, x = draw.choice(public), draw.choice(own)
    v, w = (constant(draw.choice(spelled(_value(c, e, draw)))) for _ in range(2))
    computed = draw.choice(_COMPUTED).format(x=x.sql, v=v, w=w, p=e.condition(0))
    return form.format(x=computed, c=c.sql, v=v, w=w)


def _value(ref: Ref, e: Expressions, draw: random.Random) -> str:
    values = ref.column.values if ref.column is not None else ()
    usable = [v for v in values if isinstance(v, str) and v.isprintable()]
    return draw.choice(usable or [v for v in e.known.get("text", ()) if isinstance(v, str)] or ["abc"])


def _is_public(ref: Ref) -> bool:
    return ref.column is not None and ref.column.public
