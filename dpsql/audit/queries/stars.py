"""`*` with EXCLUDE, REPLACE and RENAME in queries that are drawn."""

from __future__ import annotations

from dpsql.audit.queries.expressions import Expressions, Ref, Scope


def star(e: Expressions, name: str) -> tuple[str, Scope]:
    """`*`, now and then without a column, with one computed anew, or with one called by another name."""
    form, ref = e.draw.choice(("*", "*", "EXCLUDE", "REPLACE", "RENAME")), e.draw.choice(e.scope)
    others = tuple(r for r in e.scope if r is not ref)
    if form == "*" or ref.kind in ("unit", "key") or not others:
        return "*", e.scope
    if form == "EXCLUDE":
        return f"* EXCLUDE ({ref.sql})", others
    if form == "REPLACE":
        return f"* REPLACE ({e.of(ref.kind, 1)} AS {ref.sql})", (*others, Ref(ref.sql, ref.kind))
    return f"* RENAME ({ref.sql} AS {name})", (*others, Ref(name, ref.kind, ref.column))
