"""Text beside text: of private rows and of public ones, spelled alike, or nearly."""

from __future__ import annotations

import unicodedata

from dpsql.audit.queries.schema_view import ColumnView
from dpsql.audit.queries.writer import Bound, Item, Writer, constant

_BESIDE = (
    "{x} = {c}", "{c} = {x}", "{x} <> {c}", "{x} < {c}", "{c} >= {x}", "{c} IS NOT DISTINCT FROM {x}",
    "{c} IN ({x}, {v})", "{x} IN ({c}, {v})", "{x} NOT IN ({c}, {v})", "{c} BETWEEN {x} AND {v}",
    "{x} BETWEEN {v} AND {c}", "COALESCE({x}, {c}) = {v}", "COALESCE({c}, {x}) < {w}", "NULLIF({x}, {c}) IS NULL",
    "{c} LIKE '%b%' OR {x} = {c}", "{c} = {v}", "{c} IN ({v}, {w})", "{c} > {v}", "GREATEST({x}, {c}) = {w}",
    "{c} || '' = {x}", "({c}, {v}) = ({x}, {w})",
)  # fmt: skip
_COMPUTED = (
    "{x}", "{x}", "CASE WHEN {p:0} THEN {v} ELSE {x} END", "CASE WHEN {p:0} THEN {x} ELSE {w} END",
    "CASE WHEN {p:0} THEN 'none' ELSE {v} END", "COALESCE({x}, {w})",
)  # fmt: skip
_KEYS = (
    "{c}", "{c}", "COALESCE({x}, {c})", "COALESCE({c}, {x})", "CASE WHEN {x} = {c} THEN {c} ELSE {v} END",
    "LEAST({x}, {c})",
)  # fmt: skip


def beside_text(w: Writer, _: Bound) -> str:
    """A comparison of private and public text."""
    return _of_both(w, w.one(*_BESIDE))


def text_key(w: Writer, _: Bound) -> Item:
    """A grouping key of public text, alone or with private text."""
    return Item(_of_both(w, w.one(*_KEYS)), "key", "text")


def spellings(w: Writer) -> list[str]:
    """Conditions of which no row satisfies two: one text, spelled in several ways. None where no text is in scope."""
    texts = [r for r in w.scope if r.kind == "text"]
    if not texts:
        return []
    x = w.one(*([r for r in texts if r.public] or texts))
    forms = [constant(v) for v in _spelled(_value(w, x))]
    chosen = w.draw.sample(forms, min(len(forms), w.one(2, 3, 5)))
    return [*(f"{x.sql} = {v}" for v in chosen), f"{x.sql} NOT IN ({', '.join(chosen)})"]


def _of_both(w: Writer, template: str) -> str:
    texts = [c for c in w.scope if c.kind == "text"]
    public = w.one(*(c for c in texts if c.public))
    given = {name: constant(w.one(*_spelled(_value(w, public)))) for name in "vw"}
    given |= {"x": w.one(*(c.sql for c in texts if c.private)), "c": public.sql}
    return w.fill(template, **{**given, "x": w.fill(w.one(*_COMPUTED), **given)})


def _spelled(value: str) -> tuple[str, ...]:
    """A text, and others that a collation takes for it or nearly."""
    bare = "".join(c for c in unicodedata.normalize("NFD", value) if not unicodedata.combining(c))
    forms = (value, value.lower(), value.upper(), value.swapcase(), value.title(), bare, f"{value} ")
    return tuple(dict.fromkeys((*forms, unicodedata.normalize("NFD", value))))


def _value(w: Writer, ref: ColumnView) -> str:
    usable = [v for v in ref.values if isinstance(v, str) and v.isprintable()]
    return w.one(*(usable or [v for v in w.known("text") if isinstance(v, str)] or ["abc"]))
