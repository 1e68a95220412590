"""A query with the values of its placeholders: each value of a list that is bound has a placeholder of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpsql.errors import QueryRefused
from dpsql.sql.lex.text import Text
from dpsql.sql.normalize.bound_lists import Source, refuse_unlisted
from dpsql.sql.normalize.pivot import ListedValues
from dpsql.sql.parse.gate import Admitted, StatementCounter, admitted
from dpsql.stages.arguments.query_options import Params, bound


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """An admitted query, the value of each of its placeholders by name, and the values as its engine gets them."""

    statement: Admitted
    values: Mapping[str, object]
    params: Params


def admitted_with(
    text: Text, params: Params, statements: StatementCounter, listed: ListedValues
) -> BoundQuery:
    """The query of a text with values for its placeholders. Raises QueryRefused and ProgrammingError."""
    statement = admitted(text, statements, _lengths(params), listed)
    values = bound(params, statement.positional, statement.named)
    if statement.sources is not None:
        values = {str(i): _value(values, source) for i, source in enumerate(statement.sources, 1)}
        params = tuple(values.values())
    refuse_unlisted(statement.tree)
    return BoundQuery(statement, values, params)


def _lengths(params: Params) -> Mapping[str, int]:
    """How many values each list has, by the name of its placeholder."""
    if params is None:
        return {}
    named = params.items() if isinstance(params, Mapping) else enumerate(params, 1)
    return {str(name): len(value) for name, value in named if isinstance(value, list | tuple)}


def _value(values: Mapping[str, object], source: Source) -> object:
    name, at = source
    value = values[name]
    if at is None:
        return value
    assert isinstance(value, list | tuple)
    if value[at] is None:
        raise QueryRefused(
            "a list that is bound holds NULL", hint="Leave it out; x IS NULL finds what has no value."
        )
    return value[at]
