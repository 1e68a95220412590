"""Which columns of private and public tables a generated join may equate."""

from __future__ import annotations

from dpsql.audit.queries.expressions import Ref, Scope


def joinable(private: Scope, public: Scope) -> list[tuple[Ref, Ref]]:
    """Pairs of a private and a public column that a join may equate: of one name, or else with values in common.

    Rows are generated with values of public text where private text has no list.
    """
    pairs = [
        (mine, theirs)
        for mine in private
        for theirs in public
        if mine.kind == theirs.kind and mine.column is not None and theirs.column is not None
    ]
    named = [p for p in pairs if _same_name(*p)]
    return named or [p for p in pairs if _meet(*p)]


def _same_name(mine: Ref, theirs: Ref) -> bool:
    return (
        mine.column is not None
        and theirs.column is not None
        and mine.column.name.lower() == theirs.column.name.lower()
    )


def _meet(mine: Ref, theirs: Ref) -> bool:
    """Whether a listed value of the private column, or any of a text without a list, stands in the public one."""
    assert mine.column is not None and theirs.column is not None
    if mine.kind == "text" and not mine.column.values:
        return not mine.column.public and bool(theirs.column.values)
    return bool(set(mine.column.values) & set(theirs.column.values)) and mine.kind in ("int", "text")
