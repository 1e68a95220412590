"""Bound parameters: the values of a call against the placeholders of its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpsql.errors import ProgrammingError


def bound(
    params: Sequence[object] | Mapping[str, object] | None, positional: int, named: tuple[str, ...]
) -> dict[str, object]:
    """The value of each placeholder by name; `?` are named "1", "2", ... Raises ProgrammingError on a mismatch."""
    if isinstance(params, Mapping):
        return _by_name(params, positional, named)
    values = tuple(params) if params is not None else ()
    if named:
        raise ProgrammingError(
            f"the query has the parameters {_listed(named)}: pass a mapping of their values"
        )
    if len(values) != positional:
        raise ProgrammingError(
            f"the query has {positional} parameter{'s' if positional != 1 else ''}, but {len(values)} values were given"
        )
    return {str(i): value for i, value in enumerate(values, 1)}


def _by_name(params: Mapping[str, object], positional: int, named: tuple[str, ...]) -> dict[str, object]:
    if positional:
        raise ProgrammingError("the query has ? parameters: pass a sequence of their values")
    missing = [n for n in named if n not in params]
    unknown = [n for n in params if n not in named]
    if missing or unknown:
        what = (
            f"no value for {_listed(tuple(missing))}"
            if missing
            else f"no parameter {_listed(tuple(unknown))}"
        )
        raise ProgrammingError(f"the query's parameters do not fit: {what}")
    return dict(params)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"${n}" for n in names)
