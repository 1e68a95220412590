"""A query with the values of its placeholders: each value of a list that is bound has a placeholder of its own."""

from __future__ import annotations

from collections.abc import Mapping

from dpsql.errors import QueryRefused
from dpsql.slotted import dataclass
from dpsql.sql.lex.array_texts import NotAnArray, array_items
from dpsql.sql.lex.text import Text
from dpsql.sql.normalize.bound_lists import Source, unlisted
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
    text: Text, params: Params, statements: StatementCounter, listed: ListedValues, database: str | None
) -> BoundQuery:
    """The query of a text with values for its placeholders. Raises QueryRefused and ProgrammingError.

    A text in braces is a list where one has to stand, as PostgreSQL's clients send it.
    """
    statement = admitted(text, statements, _lengths(params), listed, database)
    values = bound(params, statement.positional, statement.named)
    if values and (marks := unlisted(statement.tree)):
        params = _with_lists(params, statement, marks, values)
        statement = admitted(text, statements, _lengths(params), listed, database)
        values = bound(params, statement.positional, statement.named)
    if statement.sources is not None:
        values = {str(i): _value(values, source) for i, source in enumerate(statement.sources, 1)}
        params = tuple(values.values())
    return BoundQuery(statement, values, params)


def _with_lists(
    params: Params,
    statement: Admitted,
    marks: Mapping[str, QueryRefused],
    values: Mapping[str, object],
) -> Params:
    """The values with a list for each text in braces that is bound to one of these placeholders."""
    lists: dict[str, object] = {}
    for mark, refusal in marks.items():
        name = mark if statement.sources is None else statement.sources[int(mark) - 1][0]
        items = _items(values[name])
        if items is None:
            raise refusal
        lists[name] = items
    if isinstance(params, Mapping):
        return {**params, **lists}
    return tuple(lists.get(str(at), value) for at, value in enumerate(params or (), 1))


def _items(value: object) -> list[str | None] | None:
    try:
        return array_items(value) if isinstance(value, str) else None
    except NotAnArray:
        return None


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
