"""Local queries: responses of every row, and estimates from them."""

from __future__ import annotations

from dataclasses import replace

from dpsql.algebra.local import MOST_BITS, MOST_VALUES
from dpsql.audit.queries.query import Query
from dpsql.audit.queries.schema_view import ColumnView, computed
from dpsql.audit.queries.selects import asked, listed
from dpsql.audit.queries.writer import Bound, Production, Writer, constant

# NULL counts as a value too.
_MOST_BITS_LISTED = MOST_BITS - 1


def _responses(w: Writer, bound: Bound) -> Query:
    """Rows released one by one, counted now and then; DuckDB is asked for the true values."""
    e = _over_rows(w)
    calls = [_response(e) for _ in range(w.one(1, 1, 2, 3))]
    template = w.one(*["SELECT {items} FROM {table}"] * 2, _COUNTED)
    w.tag(*(["counted responses"] if template == _COUNTED else []))
    noisy, true = (
        w.fill(template, items=listed(w, part, [])[0], **bound) for part in zip(*calls, strict=True)
    )
    return asked(e, noisy, Query(plain=true))


_COUNTED = "SELECT {k0}, COUNT(*) AS {n0} FROM (SELECT {items} FROM {table}) AS {v0} GROUP BY 1"


def _over_rows(w: Writer) -> Writer:
    assert w.view.local is not None
    return replace(w, scope=w.view.local.columns, binding=False)  # what is written twice is compared


def _response(w: Writer) -> tuple[str, str]:
    """A response, and the true value."""
    columns = [r for r in w.scope if _values(r)]
    ref = w.one(*columns) if columns and w.chance(0.6) else computed(w.of("p"), "bool")
    rappor = not w.exact and _values(ref) <= _MOST_BITS_LISTED and w.chance(0.4)
    w.tag("rappor" if rappor else "randomized response")
    return f"{'RAPPOR' if rappor else 'RANDOMIZED_RESPONSE'}({ref.sql})", ref.sql


def _values(ref: ColumnView) -> int:
    """How many values a column can have, 0 where they are too many or not listed."""
    if ref.kind == "bool" or ref.values:
        return 3 if ref.kind == "bool" else len(ref.values) + 1
    return ref.width + 2 if ref.kind == "int" and ref.interval is not None and ref.width < MOST_VALUES else 0


def _estimates(w: Writer, bound: Bound) -> Query:
    """Estimates from all rows."""
    e = _over_rows(w)
    items = ", ".join(f"{_estimate(e)} AS {w.name(f'm{i}')}" for i in range(w.one(1, 2)))
    return asked(e, f"SELECT {items} FROM {bound['table']}")


def _estimate(w: Writer) -> str:
    columns = [r for r in w.scope if r.values]
    if not columns or w.chance(0.3):
        return w.fill("RR_COUNT({p}, TRUE)")
    ref = w.one(*columns)
    calls = ("RR_COUNT", "RAPPOR_COUNT") if len(ref.values) <= _MOST_BITS_LISTED else ("RR_COUNT",)
    return f"{w.one(*calls)}({ref.sql}, {constant(w.one(*ref.values))})"


LOCAL = (
    Production("local", 8, _responses, "local"),
    Production("estimates of responses", 3, _estimates, "loose + local"),
)
