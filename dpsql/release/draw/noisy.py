"""A release after its noise: keys and noisy integers, and how they are stored."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
import numpy.typing as npt

from dpsql.plan.types import Key

# 64-bit integers, or Python integers where those do not fit.
Integers = npt.NDArray[np.int64] | npt.NDArray[np.object_]
_STORED = np.dtype("<i8")


@dataclass(frozen=True, slots=True)
class FoundLimit:
    """A clipping threshold and the noisy counts of the bins that it was read from."""

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
    return Noisy(keys, flat.reshape(len(keys), head["width"]), limits)


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
