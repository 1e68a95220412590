"""Random queries over the whole supported surface; a seed gives the same query for good."""

from __future__ import annotations

import operator
import random
from functools import reduce

from dpsql.audit.queries import (
    conditions,
    local_queries,
    random_aggregates,
    random_expressions,
    random_sources,
    rows,
    whole_queries,
)
from dpsql.audit.queries.generated_query import Query
from dpsql.audit.queries.keys import KEYS
from dpsql.audit.queries.needs import possible
from dpsql.audit.queries.schema_view import View
from dpsql.audit.queries.writer import Grammar, Writer

_PARTS = (
    random_aggregates, conditions, random_expressions, local_queries, rows, whole_queries, random_sources
)  # fmt: skip

GRAMMAR = Grammar(
    queries=(*whole_queries.SHAPES, *local_queries.LOCAL),
    sources=random_sources.SOURCES,
    rows=rows.ROWS,
    keys=KEYS,
    measures=random_aggregates.MEASURES,
    conditions=conditions.CONDITIONS,
    texts=reduce(operator.or_, (dict(part.TEXTS) for part in _PARTS)),
    possible=possible,
)  # fmt: skip
"""Every production with its weight and what it needs."""


def random_query(seed: int, view: View, *, exact: bool = False) -> Query:
    """The query of a seed under a policy; `exact` ones can be compared with DuckDB's own answers."""
    draw = random.Random(f"query {seed}")
    return Writer(draw, view, GRAMMAR, exact, binding=draw.random() < 0.25).write(GRAMMAR.queries)
