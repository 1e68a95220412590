"""Noisy releases: how they are stored, and the one place where a family's mechanism is turned into a draw."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from typing import cast

import numpy as np
import numpy.typing as npt

from dpsql.errors import InternalError
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.rollup.grouping_set_sums import variances_of
from dpsql.plan.types import Blended, Family, Key
from dpsql.privacy import Mechanism
from dpsql.slotted import dataclass

_FEW = 32
# 64-bit integers, or Python integers where those do not fit.
Integers = npt.NDArray[np.int64] | npt.NDArray[np.object_]
_STORED = np.dtype("<i8")
_SAFE = 2**62


@dataclass(frozen=True, slots=True)
class FoundLimit:
    """A clipping threshold and the noisy counts of the bins that it was read from: the last ones of its histogram."""

    threshold: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Noisy:
    """What a release made public: its groups and, for each, one noisy integer a cell (groups x cells).

    Rows of a local release have empty keys. `limits` are the thresholds that were found for it.
    """

    keys: tuple[Key, ...]
    cells: Integers
    limits: tuple[FoundLimit, ...] = ()

    def encoded(self, domain: tuple[Key, ...] | None) -> bytes:
        """The release as bytes that `decoded` reads back; keys that are a public domain are not written."""
        keys = None if self.keys is domain else self._written_keys()
        small = self.cells.dtype != object
        head: dict[str, object] = {"keys": keys, "width": self.cells.shape[1], "small": small}
        if self.limits:
            head["limits"] = [[f.threshold, *f.counts] for f in self.limits]
        body = self.cells.astype(_STORED).tobytes() if small else json.dumps(self.cells.tolist()).encode()
        return json.dumps(head, separators=(",", ":")).encode() + b"\n" + body

    def _written_keys(self) -> int | list[list[object]]:
        """The keys, or how many there are where all are empty."""
        if not any(self.keys):
            return len(self.keys)
        return [[_written(v) for v in key] for key in self.keys]


def decoded(payload: bytes, domain: tuple[Key, ...] | None) -> Noisy:
    """A stored release, over the public domain where its keys were not written."""
    first, _, body = payload.partition(b"\n")
    head = json.loads(first)
    flat: Integers = (
        np.frombuffer(body, dtype=_STORED) if head["small"] else np.array(json.loads(body), dtype=object)
    )
    if head["keys"] is None:
        assert domain is not None, "a release without written keys has a public domain"
        keys = domain
    elif isinstance(head["keys"], int):
        keys = ((),) * head["keys"]
    else:
        keys = tuple(tuple(_read(v) for v in key) for key in head["keys"])
    limits = tuple(FoundLimit(tau, tuple(counts)) for tau, *counts in head.get("limits", ()))
    return Noisy(keys, by_size(flat).reshape(len(keys), head["width"]), limits)


def by_size(cells: Integers) -> Integers:
    """The same integers, as 64 bits where all are below 2^62 in size, otherwise as Python integers.

    Exact sums come in either form, and what noise is added to keeps it: a form that told of the sums, not of what was
    drawn, could show where arithmetic of 64 bits ends.
    """
    largest = max(int(cells.max()), -int(cells.min())) if cells.size else 0
    return cells.astype(np.int64 if largest < _SAFE else object, copy=False)


def _written(value: object) -> object:
    if isinstance(value, datetime):
        return {"timestamp": value.isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    return value


def _read(value: object) -> bool | int | float | str | date | datetime | None:
    if isinstance(value, dict):
        if "timestamp" in value:
            return datetime.fromisoformat(value["timestamp"])
        return date.fromisoformat(value["date"])
    assert value is None or isinstance(value, bool | int | float | str)
    return value


def noised(family: Family, cells: Integers, sampler: Sampler) -> Integers:
    """The cells of every group (groups x cells) with the noise of the family, stored by their own size alone.

    Fails closed for any other mechanism.
    """
    return by_size(_drawn(family, cells, sampler))


def _drawn(family: Family, cells: Integers, sampler: Sampler) -> Integers:
    if family.mechanism is Mechanism.CUBE:
        return sampler.cube(
            cells, sensitivity=family.sensitivity, epsilon=family.epsilon, widths=family.widths
        )
    if len(set(family.widths)) > 1:
        return _by_width(family, cells, sampler)
    flat, width = cells.reshape(-1), family.width(0)
    if family.mechanism is Mechanism.DISCRETE_LAPLACE:
        noisy = sampler.discrete_laplace(flat, sensitivity=family.sensitivity * width, epsilon=family.epsilon)
    elif family.mechanism is Mechanism.DISCRETE_GAUSSIAN and family.variance is not None:
        rho = family.sensitivity**2 / (2 * family.variance)
        noisy = sampler.discrete_gaussian(
            flat, squared_sensitivity=(family.sensitivity * width) ** 2, rho=rho
        )
    else:
        raise InternalError("a family of sums has no such noise; this is a bug in dpsql")
    return cast(Integers, np.asarray(noisy).reshape(cells.shape))


def blended_noise(family: Blended, draws: int, sampler: Sampler) -> Integers:
    """Draws of the noise of cells that are computed from noisy ones (draws x cells), for telling how sure they are.

    A sum of many independent noises is taken for normal.
    """
    total = np.zeros((draws, len(family.cells)))
    for factor, times, noise in family.noises:
        total += factor * _summed(noise, times, draws, sampler)
    whole = np.rint(total)
    if np.abs(whole).max(initial=0) < _SAFE:
        return whole.astype(np.int64)
    return np.array([[int(x) for x in row] for row in whole], dtype=object)


def _summed(family: Family, times: int, draws: int, sampler: Sampler) -> npt.NDArray[np.float64]:
    width = len(family.cells)
    if times <= _FEW:
        each = noised(family, np.zeros((draws * times, width), dtype=np.int64), sampler)
        by_draw = each.astype(np.float64).reshape(draws, times, width)
        return cast(npt.NDArray[np.float64], by_draw.sum(axis=1))
    columns = [
        np.asarray(
            sampler.discrete_gaussian(
                np.zeros(draws, dtype=np.int64), squared_sensitivity=1, rho=1 / (2 * Fraction(v * times))
            )
        )
        for v in variances_of(family)
    ]
    return np.stack(columns, axis=1).astype(np.float64)


def _by_width(family: Family, cells: Integers, sampler: Sampler) -> Integers:
    """The cells of each width with their noise, at their places."""
    columns: list[Integers] = [cells[:, i : i + 1] for i in range(cells.shape[1])]
    for width in dict.fromkeys(family.widths):
        at = [i for i, w in enumerate(family.widths) if w == width]
        alike = replace(family, widths=(width,) * len(at))
        noisy = noised(alike, cells[:, at], sampler)
        for column, i in enumerate(at):
            columns[i] = noisy[:, column : column + 1]
    return cast(Integers, np.hstack(columns))


def nearest(numerator: int, denominator: int) -> int:
    """The nearest whole number, of two the even one.

    *Because*: noise is as often above 0 as below. Halves upwards would move every group of a table up by as much as a
    quarter on average, and their total by all of that.
    """
    whole, rest = divmod(numerator, denominator)
    return whole + (2 * rest + whole % 2 > denominator)


def summed_as(cells: Integers) -> np.dtype:
    """64 bits where no sum of the cells can leave them, Python integers otherwise."""
    most = max((abs(int(cells.max())), abs(int(cells.min())))) if cells.size else 0
    small = cells.dtype != object and most * max(len(cells), 1) < _SAFE
    return np.dtype(np.int64 if small else object)
