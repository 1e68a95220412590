"""The rows of a local release: exact counts of combinations of values become one randomized row for each.

A stored row holds, for each response, the place of the released value on the list, or under RAPPOR an integer whose
bit j is that of the j-th value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from dpsql.engines.base import Exact
from dpsql.errors import TooManyRows
from dpsql.mechanisms.local.k_randomized_response import kept_probability, replace_probability
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.types import Local, LocalColumn, Release
from dpsql.privacy import Mechanism
from dpsql.release.draw.noise import Integers, Noisy

MOST_ROWS = 250_000
"""The most rows that are released one by one."""


def respond(part: Local, exact: Exact, sampler: Sampler) -> Noisy:
    """One row of responses for each private row, in random order. Raises TooManyRows.

    Guarantees: the result depends on the values only through `sampler`, and on the number of rows.
    """
    counts = exact.values[:, 0].astype(np.int64)
    rows = int(counts.sum())
    if rows > MOST_ROWS:
        raise TooManyRows(MOST_ROWS)
    responses = [_drawn(c, _places(c, i, exact, counts), sampler) for i, c in enumerate(part.columns)]
    cells = np.stack(responses, axis=1)
    return Noisy(((),) * rows, cast(Integers, cells[sampler.random_order(rows)]))


def _places(column: LocalColumn, index: int, exact: Exact, counts: np.ndarray) -> np.ndarray:
    """The place of each row's value on the list. Every row has one: what the policy does not list is NULL."""
    place = {value: i for i, value in enumerate(column.values)}
    places = np.array([place[key[index]] for key in exact.keys], dtype=np.int64)
    return np.repeat(places, counts)


def _drawn(column: LocalColumn, places: np.ndarray, sampler: Sampler) -> np.ndarray:
    k, epsilon = len(column.values), column.epsilon
    if column.mechanism is Mechanism.RAPPOR:
        bits = np.asarray(sampler.rappor(places, k=k, epsilon=epsilon), dtype=np.int64)
        return cast(np.ndarray, bits @ (np.int64(1) << np.arange(k, dtype=np.int64)))
    if column.mechanism is Mechanism.RANDOMIZED_RESPONSE:
        return np.asarray(sampler.randomized_response(places, epsilon=epsilon), dtype=np.int64)
    return np.asarray(sampler.k_randomized_response(places, k=k, epsilon=epsilon), dtype=np.int64)


def local_columns(release: Release, part: Local) -> tuple[tuple[str, str], ...]:
    """The columns of the released table: i, then for each response its value k, the place of the value v, and what a
    row counts for a value that it shows, h, or does not, m, in unbiased estimates."""
    columns = [("i", "BIGINT")]
    for i, (kind, column) in enumerate(zip(release.keys.types, part.columns, strict=True)):
        shown = "VARCHAR" if column.mechanism is Mechanism.RAPPOR else kind
        columns += [(f"k{i}", shown), (f"v{i}", "BIGINT"), (f"h{i}", "DOUBLE"), (f"m{i}", "DOUBLE")]
    return tuple(columns)


def local_rows(part: Local, noisy: Noisy) -> list[tuple[object, ...]]:
    """The rows of the released table."""
    columns: list[list[object]] = [list(range(len(noisy.keys)))]
    for i, column in enumerate(part.columns):
        drawn = [int(v) for v in noisy.cells[:, i]]
        show = _shown(column)
        hit, miss = weights(column)
        columns += [[show(v) for v in drawn], list(drawn), [hit] * len(drawn), [miss] * len(drawn)]
    return list(zip(*columns, strict=True))


def _shown(column: LocalColumn) -> Callable[[int], object]:
    """From what is stored of a response to its value in SQL: under RAPPOR the bits as text, the first value's first."""
    k = len(column.values)
    if column.mechanism is Mechanism.RAPPOR:
        return lambda word: format(word, f"0{k}b")[::-1]
    return lambda place: column.values[place]


def weights(column: LocalColumn) -> tuple[float, float]:
    """What a row counts for a value that its response shows, and for one that it does not.

    With P = P(shown | true) and Q = P(shown | another value), (1 - Q) / (P - Q) and -Q / (P - Q): their sum over the
    rows is an unbiased estimate of how many have the value.
    """
    lie, kept = rates(column)
    return (1 - lie) / kept, -lie / kept


def rates(column: LocalColumn) -> tuple[float, float]:
    """Q, the probability that a response shows a value that is not the row's, and P - Q; public, hence floats."""
    if column.mechanism is Mechanism.RAPPOR:
        k, epsilon = 2, column.epsilon / 2
    else:
        k, epsilon = len(column.values), column.epsilon
    return replace_probability(k, epsilon) / k, kept_probability(k, epsilon)


def standard_error(column: LocalColumn) -> float:
    """c where c sqrt(n) is the largest standard error of an estimated count among n rows, whatever the values."""
    lie, kept = rates(column)
    true = lie + kept
    return float(max(lie * (1 - lie), true * (1 - true)) ** 0.5) / kept
