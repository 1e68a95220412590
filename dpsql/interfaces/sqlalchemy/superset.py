"""The engine specification for Superset: time grains, date literals, messages, users as analysts, rows left out."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Final

from sqlalchemy import types
from superset.constants import TimeGrain
from superset.db_engine_specs.base import BaseEngineSpec

from dpsql.errors import QueryRefused, sentence

_GRAINS: Final = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")


class DpsqlEngineSpec(BaseEngineSpec):  # type: ignore[misc, unused-ignore]
    """The specification that Superset finds by the entry point `superset.db_engine_specs`."""

    engine = "dpsql"
    engine_name = "dpsql (differential privacy)"
    default_driver = "dpsql"
    drivers: ClassVar[dict[str, str]] = {"dpsql": "dpsql"}
    sqlalchemy_uri_placeholder = "dpsql:////srv/policies/shop.yaml?analyst=superset"
    allows_alias_in_orderby = True
    allows_subqueries = True
    allows_joins = True
    supports_file_upload = False
    _time_grain_expressions: ClassVar[dict[Any, str]] = {
        None: "{col}",
        **{TimeGrain[part.upper()]: f"DATE_TRUNC('{part}', {{col}})" for part in _GRAINS},
    }

    @classmethod
    def convert_dttm(
        cls, target_type: str, dttm: datetime, db_extra: dict[str, Any] | None = None
    ) -> str | None:
        """A date or timestamp as a literal of a column's type."""
        kind = cls.get_sqla_column_type(target_type)
        if isinstance(kind, types.Date):
            return f"DATE '{dttm.date().isoformat()}'"
        if isinstance(kind, types.DateTime):
            return f"TIMESTAMP '{dttm.isoformat(sep=' ', timespec='microseconds')}'"
        return None

    @classmethod
    def adjust_engine_params(
        cls, uri: Any, connect_args: dict[str, Any], catalog: str | None = None, schema: str | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Queries for private rows, sent to learn columns, return none unless the URL says otherwise."""
        if "rows" not in uri.query:
            uri = uri.update_query_dict({"rows": "empty"})
        return uri, connect_args

    @classmethod
    def fetch_data(cls, cursor: Any, limit: int | None = None) -> list[tuple[Any, ...]]:
        """The rows of an answer; the refusal's sentence where a chart would show that there are no results."""
        check_not_withheld(cursor, limit)
        rows: list[tuple[Any, ...]] = super().fetch_data(cursor, limit)
        return rows

    @classmethod
    def get_url_for_impersonation(
        cls, url: Any, impersonate_user: bool, username: str | None, access_token: str | None = None
    ) -> Any:
        """With `impersonate logged in user` each user of Superset is an analyst with a budget of their own."""
        if not impersonate_user or username is None:
            return url
        return url.set(username=None).update_query_dict({"analyst": username})

    @classmethod
    def extract_error_message(cls, ex: Any) -> str:
        """dpsql's own message and nothing around it; SQL Lab passes a text."""
        return cls._extract_error_message(ex)

    @classmethod
    def _extract_error_message(cls, ex: Any) -> str:
        return sentence(ex) if isinstance(ex, BaseException) else str(ex)


ONLY_COLUMNS = 1
"""How many rows Superset fetches of a query that it sends to learn the columns of a dataset (`fetch_data(cursor,
limit=1)` in superset/connectors/sqla/utils.py); a chart fetches all, and SQL Lab one more than it shows."""


def check_not_withheld(cursor: object, limit: int | None) -> None:
    """Raises QueryRefused, with the sentence of the refusal, where rows that are to be shown were left out."""
    sentence = getattr(cursor, "withheld", "")
    if sentence and limit != ONLY_COLUMNS:
        raise QueryRefused(sentence)
