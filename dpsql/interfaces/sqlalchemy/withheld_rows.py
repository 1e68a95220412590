"""What a tool that shows rows is told in the place of those that a connection with `rows=empty` leaves out."""

from __future__ import annotations

from dpsql.errors import QueryRefused

ONLY_COLUMNS = 1
"""How many rows Superset fetches of a query that it sends to learn the columns of a dataset (`fetch_data(cursor,
limit=1)` in superset/connectors/sqla/utils.py); a chart fetches all, and SQL Lab one more than it shows."""


def check_not_withheld(cursor: object, limit: int | None) -> None:
    """Raises QueryRefused, with the sentence of the refusal, where rows that are to be shown were left out."""
    sentence = getattr(cursor, "withheld", "")
    if sentence and limit != ONLY_COLUMNS:
        raise QueryRefused(sentence)
