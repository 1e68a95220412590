"""Moments with a time zone: there are none on private rows, where a moment is a TIMESTAMP that counts as one in UTC.

A cast to TIMESTAMPTZ is one to TIMESTAMP, AT TIME ZONE 'UTC' changes nothing, and two other zones behind one another
move a moment from the clocks of the first to those of the second, as in DuckDB with its TimeZone 'UTC'. A moment that
is left in another zone is refused: of a TIMESTAMP that is meant to be in UTC, most often the opposite is wanted.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.builders import named
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.dialect import DType, Node
from dpsql.sql.normalize.output_names import keep_names

UTC: Final = "UTC"
_UTC: Final = frozenset({"utc", "gmt", "etc/utc", "etc/gmt", "z", "zulu", "etc/zulu", "utc+0", "+00:00"})
_PRESENT: Final = frozenset({"now", "current_timestamp", "get_current_timestamp"})
_TEXT: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?) ?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?"
)
# What is known of the nodes that are written: a moment that has a zone in DuckDB, and one that two zones move.
_MOMENT: Final = "moment"
_PAIR: Final = "zones"
_LOCAL: Final = (
    "Write x AT TIME ZONE 'UTC' AT TIME ZONE '{zone}' for the clocks there, of moments in UTC, and "
    "x AT TIME ZONE '{zone}' AT TIME ZONE 'UTC' for moments in UTC, of those clocks."
)


def complaint_of_zone(node: Node) -> str | None:
    """What is wrong with an AT TIME ZONE, or None."""
    zone = node.args.get("zone")
    known = isinstance(zone, exp.Literal) and zone.is_string
    return None if known else "AT TIME ZONE takes a constant name such as 'Europe/Berlin'"


def without_zones(tree: Node) -> bool:
    """Changes moments with a time zone into such without one. Says whether there was one. Raises QueryRefused."""
    for zoned in tuple(tree.find_all(exp.AtTimeZone)):
        zoned.replace(_zoned(zoned.args["zone"], zoned.this))
    calls = [n for n in tree.find_all(exp.Cast, exp.Anonymous) if _has_zone(n)]
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


def _has_zone(node: Node) -> bool:
    if isinstance(node, exp.Cast):
        return bool(node.args["to"].this is DType.TIMESTAMPTZ)
    return _is_zoned(node)


def _is_zoned(node: Node) -> bool:
    is_call = isinstance(node, exp.Anonymous) and str(node.this).lower() == "timezone"
    return is_call and len(node.expressions) == 2


def _replace(node: Node) -> None:
    found = _without(node) if isinstance(node, exp.Cast) else _moved(node)
    if found is not node:
        found.meta.update({k: v for k, v in node.meta.items() if k not in found.meta})
        node.replace(found)


def _without(cast: exp.Cast) -> Node:
    """A cast to TIMESTAMPTZ as one to TIMESTAMP."""
    this = cast.this
    if isinstance(this, exp.Literal) and this.is_string:
        moment = _in_utc(this.name)
        if moment is None:
            raise refuse_node(
                cast, "this moment cannot be read", "Write it as in TIMESTAMPTZ '2025-01-31 13:00:00+02:00'."
            )
        this = _like(this, exp.Literal.string(moment))
    made = type(cast)(this=this, to=exp.DataType.build("TIMESTAMP", dialect="duckdb"))
    made.meta[_MOMENT] = True
    return made


def _in_utc(text: str) -> str | None:
    """What the clocks in UTC show at a moment; None where the text is not known to be one."""
    parts = _TEXT.fullmatch(text.strip())
    if parts is None:
        return None
    day, time, offset = parts.groups()
    try:
        moment = datetime.fromisoformat(f"{day} {time or '00:00'}")
        return str(moment - _ahead(offset or "Z"))
    except (ValueError, OverflowError):
        return None


def _ahead(offset: str) -> timedelta:
    if offset in ("Z", UTC):
        return timedelta()
    digits = offset[1:].replace(":", "").ljust(4, "0")
    ahead = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -ahead if offset[0] == "-" else ahead


def _moved(call: Node) -> Node:
    """AT TIME ZONE of a moment with a zone, which shows the clocks there, or of one without, which are those."""
    name, moment = call.expressions
    if not isinstance(name, exp.Literal) or not name.is_string:
        raise refuse_node(call, "AT TIME ZONE takes a constant name such as 'Europe/Berlin'")
    if isinstance(moment, exp.Literal):
        raise refuse_node(call, "AT TIME ZONE of a text is not supported", "Write TIMESTAMP '2025-01-31'.")
    inner = _bare(moment)
    if name.name.lower() in _UTC:
        name = _like(name, exp.Literal.string(UTC))
    if _is_half(inner):
        return _pair(name, inner)
    if name.name == UTC:
        return _stamp(inner, has_zone=not _is_moment(inner))
    if _is_moment(inner):
        return _pair(name, _zoned(_like(name, exp.Literal.string(UTC)), _stamp(inner)))
    if _stands_in_zone(call):
        return _zoned(name, _stamp(inner))
    raise refuse_node(
        call,
        "a moment of another time zone than UTC is not supported",
        _LOCAL.format(zone=name.name[:40] if name.name[:40].isprintable() else "Europe/Berlin"),
    )


def _is_half(node: Node) -> bool:
    """Whether a moment is that of the clocks in a zone, and the next AT TIME ZONE says whose clocks show it."""
    return _is_zoned(node) and not node.meta.get(_PAIR)


def _pair(name: Node, inner: Node) -> Node:
    made = _zoned(name, inner)
    made.meta[_PAIR] = True
    return made


def _stands_in_zone(call: Node) -> bool:
    around = call.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return around is not None and _is_zoned(around)


def _zoned(name: Node, moment: Node) -> Node:
    return named(exp.Anonymous(this="timezone", expressions=[name, moment]), "AT TIME ZONE")


def _stamp(moment: Node, has_zone: bool = False) -> Node:
    """A date, or a moment, as a TIMESTAMP."""
    made = exp.Cast(this=moment.copy(), to=exp.DataType.build("TIMESTAMP", dialect="duckdb"))
    made.meta[_MOMENT] = has_zone
    return made


def _is_moment(node: Node) -> bool:
    """Whether DuckDB has a zone for a value that is in UTC here."""
    node = _bare(node)
    if isinstance(node, exp.CurrentTimestamp) or node.meta.get(_MOMENT):
        return True
    if isinstance(node, exp.Add | exp.Sub):
        return isinstance(node.expression, exp.Interval) and _is_moment(node.this)
    if isinstance(node, exp.TimestampTrunc):
        return _is_moment(node.this)
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in _PRESENT


def _bare(node: Node) -> Node:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _like(node: Node, made: Node) -> Node:
    made.meta.update(node.meta)
    return made
