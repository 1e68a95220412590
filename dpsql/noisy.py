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


@dataclass(frozen=True, slots=True, eq=False)
class Noisy:
    """What a release made public: its groups and, for each, one noisy integer a cell (groups x cells)."""

    keys: tuple[Key, ...]
    cells: Integers

    def encoded(self) -> bytes:
        """The release as bytes that `decoded` reads back."""
        keys = [[_written(v) for v in key] for key in self.keys]
        text = {"keys": keys, "cells": self.cells.tolist(), "width": self.cells.shape[1]}
        return json.dumps(text, separators=(",", ":")).encode()


def decoded(payload: bytes) -> Noisy:
    """A stored release."""
    text = json.loads(payload)
    keys = tuple(tuple(_read(v) for v in key) for key in text["keys"])
    return Noisy(keys, integers(text["cells"], text["width"]))


def integers(rows: list[list[int]], width: int) -> Integers:
    """Rows of Python integers as an array: 64-bit where they all fit, else of Python integers."""
    array = np.array(rows, dtype=object).reshape(len(rows), width)
    if all(abs(int(v)) < 2**62 for v in array.flat):
        small: Integers = array.astype(np.int64)
        return small
    return array


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
