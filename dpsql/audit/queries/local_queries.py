"""Local queries: responses of every row, and estimates from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dpsql.audit.queries.aggregating_selects import asked
from dpsql.audit.queries.generated_query import Query
from dpsql.audit.queries.two_dialects import either
from dpsql.audit.queries.writer import Bound, Production, Writer, texts

_RESPONSE, _RAPPOR = either("RANDOMIZED_RESPONSE({c})", "{c}"), either("RAPPOR({c})", "{c}")


def _local(name: str, weight: int, needs: str, *templates: str) -> Production[Query]:
    """A query over the rows of {table}, for which DuckDB is asked for the true values."""

    def write(w: Writer, bound: Bound) -> Query:
        w.tag("local")
        e, given = replace(w, binding=False).at(bound)  # what is written twice is compared
        return asked(e, e.filled(w.one(*templates), given))

    return Production(name, weight, write, needs)


def _of_predicate(w: Writer, _: Bound) -> str:
    return w.fill(_RESPONSE, c=w.of("p"))


_RESPONSES = "SELECT {response} AS {k0}, {response} AS {k1}, {response} AS {k2} FROM {table}"
_COUNTED = "SELECT {k0}, COUNT(*) AS {n0} FROM (SELECT {response} AS {k0} FROM {table}) AS {v0} GROUP BY 1"
_ESTIMATES = "SELECT {estimate} AS {m0}, {estimate} AS {m1} FROM {table}"

LOCAL = (
    _local("responses", 6, "local", "SELECT {response} AS {k0} FROM {table}", _RESPONSES),
    _local("counted responses", 2, "local", _COUNTED),
    _local(
        "estimates of responses", 3, "loose + local", "SELECT {estimate} AS {m0} FROM {table}", _ESTIMATES
    ),
)

TEXTS: Mapping[str, tuple[Production[str], ...]] = {
    "response": (
        Production("response of a predicate", 4, _of_predicate),
        *texts(4, _RESPONSE, needs="few responses"),
        *texts(2, _RAPPOR, needs="loose + few bits"),
    ),
    "estimate": (
        *texts(2, "RR_COUNT({p}, TRUE)"),
        *texts(2, "RR_COUNT({c}, {value})", needs="with values"),
        *texts(2, "RAPPOR_COUNT({c}, {value})", needs="few bits + with values"),
    ),
}
