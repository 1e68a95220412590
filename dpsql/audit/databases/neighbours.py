"""Neighbours of a database: one unit's rows removed, or, under substitute, replaced."""

from __future__ import annotations

import random
from dataclasses import replace

from dpsql.audit.databases.random_database import Database, Filled


def neighbour(database: Database, draw: random.Random) -> Database:
    """The database without one unit, mostly the one with the most rows, or with other rows in that unit's place."""
    units = database.units
    if not units:
        return database
    sizes = {u: sum(v == u for f in database.tables for v, _ in f.rows) for u in units}
    unit = max(units, key=lambda u: sizes[u]) if draw.random() < 0.6 else draw.choice(units)
    edge = draw.choice((0.0, 0.5, 1.0))
    links = replace(database.links, owned=dict(database.links.owned), homes=dict(database.links.homes))
    links.without(unit)
    database = replace(database, links=links)
    return replace(database, tables=tuple(_without(f, unit, database, draw, edge) for f in database.tables))


def _without(filled: Filled, unit: str, database: Database, draw: random.Random, edge: float) -> Filled:
    rows = tuple((u, row) for u, row in filled.rows if u != unit)
    if database.substitute and (len(database.tables) == 1 or draw.random() < 0.8):
        rows += tuple((unit, row) for row in filled.plan.unit(draw, edge, database.links, unit))
    return replace(filled, rows=rows)
