"""Order statistics, modes and conditions over all rows, for random queries."""

from __future__ import annotations

import random

from dpsql.audit.queries.expressions import Expressions
from dpsql.audit.queries.two_dialects import CONT, OPEN, OR_FALSE, OR_TRUE

# Columns of at most so many integers have a cell for each, in any number of groups.
_CELLS = 63
_LEVELS = ("0.5", "0.25", "0.9", "0.1", "0.75", "0.333")


def ordered_call(e: Expressions, draw: random.Random, exact: bool) -> tuple[str, str, str] | None:
    """A call with its kind and role; `exact` ones have DuckDB's own answer, up to the width of a cell.

    None where no column can be its argument.
    """
    if draw.random() < 0.25:
        condition = e.condition(1)
        word, instead = draw.choice((("BOOL_OR", OR_FALSE), ("BOOL_AND", OR_TRUE)))
        return f"{OPEN}{word}({condition}){{only}}{instead}", "bool", "bool"
    return _exact(e, draw) if exact else _any(e, draw)


def _exact(e: Expressions, draw: random.Random) -> tuple[str, str, str] | None:
    found = []
    for ref in e.scope:
        interval = ref.column.interval if ref.column is not None and not ref.column.public else None
        if interval is None or ref.kind not in ("int", "float"):
            continue
        if ref.kind == "float":
            found.append((f"QUANTILE_{CONT}({ref.sql}, {draw.choice(_LEVELS)}){{only}}", "float"))
        elif interval.width > _CELLS:
            continue
        found.append(
            (
                f"{draw.choice(('QUANTILE', 'QUANTILE_DISC'))}({ref.sql}, {draw.choice(_LEVELS)}){{only}}",
                ref.kind,
            )
        )
    if not found:
        return None
    sql, kind = draw.choice(found)
    return sql, kind, "null"


def _any(e: Expressions, draw: random.Random) -> tuple[str, str, str]:
    kind = draw.choice(("int", "float", "date", "ts"))
    columns = [
        r.sql for r in e.scope if r.kind == kind and r.column is not None and r.column.interval is not None
    ]
    value = draw.choice(columns) if columns and draw.random() < 0.8 else e.of(kind, 1)
    if kind in ("int", "float") and not columns:
        value = f"LEAST(GREATEST({value}, -20), 50)"
    level = draw.choice((*_LEVELS, "0", "1", "-0.25", "0.05"))
    order = draw.choice(("", " DESC"))
    call, kind = draw.choice(
        (
            (f"MEDIAN({value})", "float" if kind in ("int", "float") else "ts"),
            (f"QUANTILE_CONT({value}, {level})", "float" if kind in ("int", "float") else "ts"),
            (f"QUANTILE_DISC({value}, {level})", kind),
            (f"APPROX_QUANTILE({value}, 0.5)", kind),
            (f"PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY {value}{order})", kind),
            (f"MIN({value})", kind),
            (f"MAX({value})", kind),
            (f"{draw.choice(('MIN', 'MAX'))}({e.leaf('text')})", "text"),
            (f"MODE({e.of(draw.choice(('text', 'bool', 'int')), 1)})", "text"),
        )
    )
    return f"{call}{{only}}", kind, "null"
