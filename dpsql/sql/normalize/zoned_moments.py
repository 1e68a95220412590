"""Moments with a time zone: there are none on private rows, where a moment is a TIMESTAMP that counts as one in UTC.

A cast to TIMESTAMPTZ is one to TIMESTAMP, AT TIME ZONE 'UTC' changes nothing, and two other zones behind one another
move a moment from the clocks of the first to those of the second, as in DuckDB with its TimeZone 'UTC'. A moment that
is left in another zone is refused: of a TIMESTAMP that is meant to be in UTC, most often the opposite is wanted.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, outside_parentheses
from dpsql.sql.dialect import DType, Node

_HERE: Final = "UTC"
_UTC: Final = frozenset({"utc", "gmt", "etc/utc", "etc/gmt", "z", "zulu", "etc/zulu", "utc+0", "+00:00"})
_PRESENT: Final = frozenset({"now", "current_timestamp", "get_current_timestamp"})
_TEXT: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?) ?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?"
)
_INFINITE: Final = re.compile(r"-?inf(?:inity)?", re.IGNORECASE)
_NAME: Final = "AT TIME ZONE takes a constant name such as 'Europe/Berlin'"
# What is known of the nodes that are written: a moment that has a zone in DuckDB, and one that two zones move.
_MOMENT: Final = "moment"
_CAST: Final = "zoned"
_PAIR: Final = "zones"
_LOCAL: Final = (
    "Write x AT TIME ZONE 'UTC' AT TIME ZONE '{zone}' for the clocks there, of moments in UTC, and "
    "x AT TIME ZONE '{zone}' AT TIME ZONE 'UTC' for moments in UTC, of those clocks."
)


def complaint_of_zone(node: Node) -> str | None:
    """What is wrong with an AT TIME ZONE, or None."""
    zone = node.args.get("zone")
    return None if zone is not None and zone.is_string else _NAME


def without_zones(tree: Node) -> bool:
    """Changes moments with a time zone into such without one. Says whether there was one. Raises QueryRefused.

    >>> after(without_zones, "SELECT x AT TIME ZONE 'UTC' AS a, NOW() AT TIME ZONE 'Asia/Tokyo' AS b")
    SELECT CAST(x AS TIMESTAMP) AS a, TIMEZONE('Asia/Tokyo', TIMEZONE('UTC', CAST(NOW() AS TIMESTAMP))) AS b
    """
    for zoned in all_of(tree, exp.AtTimeZone):
        zoned.replace(_zoned(zoned.args["zone"], zoned.this))
    calls = [n for n in all_of(tree, exp.Cast, exp.Anonymous) if has_zone(n)]
    keep_names(calls)
    for node in reversed(calls):  # the inner ones first
        _replace(node)
    return bool(calls)


def zones_of(call: Node) -> tuple[Node, str, str] | None:
    """The moment, and the zones from and to which it is moved, of what `without_zones` leaves; None for any other."""
    if not call.meta.get(_PAIR):
        return None
    there, inner = call.expressions
    here, moment = inner.expressions
    return moment, here.name, there.name


def has_zone(node: Node) -> bool:
    """Whether a node gives a moment with a zone, or the clocks of one."""
    if isinstance(node, exp.Cast):
        return bool(node.args["to"].this is DType.TIMESTAMPTZ)
    return isinstance(node, exp.AtTimeZone) or _is_zoned(node)


def _is_zoned(node: Node) -> bool:
    is_call = isinstance(node, exp.Anonymous) and str(node.this).lower() == "timezone"
    return is_call and len(node.expressions) == 2


def _replace(node: Node) -> None:
    zoneless = _without(node) if isinstance(node, exp.Cast) else _moved(node)
    if zoneless is not node:
        zoneless.meta.update({k: v for k, v in node.meta.items() if k not in zoneless.meta})
        node.replace(zoneless)


def _without(cast: exp.Cast) -> Node:
    """A cast to TIMESTAMPTZ as one to TIMESTAMP."""
    this = in_utc(cast) if cast.this.is_string else cast.this
    made = type(cast)(this=this, to=exp.DataType.build("TIMESTAMP", dialect="duckdb"))
    made.meta[_MOMENT] = made.meta[_CAST] = True
    return made


def is_zoned_cast(cast: exp.Cast) -> bool:
    """Whether a cast was written as one to TIMESTAMPTZ."""
    return bool(cast.meta.get(_CAST))


def in_utc(cast: exp.Cast) -> Node:
    """The text in a cast as the moment that the clocks in UTC show. Raises QueryRefused where it is no moment."""
    written: Node = cast.this
    text = str(written.name)
    if _INFINITE.fullmatch(text.strip()):
        return written  # in every zone
    moment = _shown_in_utc(text)
    if moment is None:
        hint = "Write it as in TIMESTAMPTZ '2025-01-31 13:00:00+02:00'."
        raise refuse_node(cast, "this moment cannot be read", hint)
    return _like(written, exp.Literal.string(moment))


def _shown_in_utc(text: str) -> str | None:
    parts = _TEXT.fullmatch(text.strip())
    if parts is None:
        return None
    day, time, offset = parts.groups()
    try:
        zone = "Z" if offset in (None, _HERE) else offset
        moment = datetime.fromisoformat(f"{day} {time or '00:00'}{zone}")
        return str(moment.astimezone(UTC).replace(tzinfo=None))
    except (ValueError, OverflowError):
        return None


def _moved(call: Node) -> Node:
    """AT TIME ZONE of a moment with a zone, which shows the clocks there, or of one without, which are those."""
    name, moment = call.expressions
    if not name.is_string:
        raise refuse_node(call, _NAME)
    if isinstance(moment, exp.Literal):
        raise refuse_node(call, "AT TIME ZONE of a text is not supported", "Write TIMESTAMP '2025-01-31'.")
    inner: Node = moment.unnest()
    if is_utc(name.name):
        name = _like(name, exp.Literal.string(_HERE))
    if _is_zoned(inner) and not inner.meta.get(_PAIR):
        # A moment of the clocks in a zone: this AT TIME ZONE says which other clocks show it.
        return _pair(name, inner)
    if name.name == _HERE:
        return _stamp(inner, has_zone=not is_moment(inner))
    if is_moment(inner):
        return _pair(name, _zoned(_like(name, exp.Literal.string(_HERE)), _stamp(inner)))
    _, around = outside_parentheses(call)
    if around is not None and _is_zoned(around):
        return _zoned(name, _stamp(inner))
    raise refuse_node(
        call,
        "a moment of another time zone than UTC is not supported",
        _LOCAL.format(zone=name.name[:40] if name.name[:40].isprintable() else "Europe/Berlin"),
    )


def _pair(name: Node, inner: Node) -> Node:
    made = _zoned(name, inner)
    made.meta[_PAIR] = True
    return made


def _zoned(name: Node, moment: Node) -> Node:
    made = exp.Anonymous(this="timezone", expressions=[name, moment])
    made.meta["written"] = "AT TIME ZONE"
    return made


def _stamp(moment: Node, has_zone: bool = False) -> Node:
    """A date, or a moment, as a TIMESTAMP."""
    made = exp.Cast(this=moment.copy(), to=exp.DataType.build("TIMESTAMP", dialect="duckdb"))
    made.meta[_MOMENT] = has_zone
    return made


def is_utc(zone: str) -> bool:
    """Whether a zone is that of all moments here."""
    return zone.lower() in _UTC


def is_moment(node: Node) -> bool:
    """Whether DuckDB has a zone for a value that is in UTC here."""
    node = node.unnest()
    if isinstance(node, exp.CurrentTimestamp) or node.meta.get(_MOMENT):
        return True
    if isinstance(node, exp.Add | exp.Sub):
        return isinstance(node.expression, exp.Interval) and is_moment(node.this)
    if isinstance(node, exp.TimestampTrunc):
        return is_moment(node.this)
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in _PRESENT


def _like(node: Node, made: Node) -> Node:
    made.meta.update(node.meta)
    return made
