"""A URL of SQLAlchemy as the arguments of a connection: `dpsql:///policies/shop.yaml?analyst=alice&rows=empty`.

Three slashes are a path relative to the working directory, four an absolute one. The analyst may also stand where other
databases have the user: `dpsql://alice@/policies/shop.yaml`.
"""

from __future__ import annotations

import difflib
from typing import Final

from sqlalchemy.engine.url import URL
from sqlalchemy.exc import ArgumentError

_KNOWN: Final = (
    "analyst", "ledger", "epsilon", "delta", "rows", "accuracy", "clipping", "empty_conditions", "combine",
)  # fmt: skip
_EXAMPLE: Final = "dpsql:///policies/shop.yaml?analyst=alice"


def arguments(url: URL) -> dict[str, str]:
    """The arguments of `connect` in a URL. Raises ArgumentError for anything else in it."""
    if url.host or url.port or url.password:
        raise ArgumentError(f"a dpsql URL has no host, port or password: {_EXAMPLE}")
    if not url.database:
        raise ArgumentError(f"a dpsql URL names a policy file: {_EXAMPLE}")
    given = {name: _single(name, value) for name, value in url.query.items()}
    for name in given:
        if name not in _KNOWN:
            raise ArgumentError(
                f"a dpsql URL has no `{name}`{_instead(name)}; it may have {', '.join(_KNOWN)}"
            )
    if url.username and given.setdefault("analyst", url.username) != url.username:
        raise ArgumentError("a dpsql URL names one analyst: as user, or as ?analyst=, not two")
    if "analyst" not in given:
        raise ArgumentError(f"a dpsql URL names an analyst: {_EXAMPLE}")
    return {"policy": url.database, **given}


def _single(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"a dpsql URL has `{name}` once")
    return value


def _instead(name: str) -> str:
    close = difflib.get_close_matches(name.lower(), _KNOWN, n=1)
    return f"; did you mean `{close[0]}`?" if close else ""
