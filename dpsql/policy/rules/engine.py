"""The rules of the engine's limits and of the admin's log; paths are relative to the policy's folder."""

from __future__ import annotations

import os
from pathlib import Path

from dpsql.policy import readings
from dpsql.policy.findings import Spot
from dpsql.policy.model import EngineLimits, Isolation
from dpsql.policy.names import name_mistake
from dpsql.policy.rules.shape_check import part
from dpsql.policy.shapes import EngineShape
from dpsql.policy.yaml_positions import Mapping


def read_engine(tree: Mapping, folder: Path, spot: Spot, isolation: Isolation) -> EngineLimits:
    """The engine part, with its defaults where it is missing or its shape is wrong; `isolation` is one of them."""
    entry = tree.get("engine")
    shape = part(EngineShape, entry.value if entry else None)
    if shape is None:
        return EngineLimits(isolation)
    written = {"temp_directory": shape.temp_directory, "prepared": shape.prepared}
    folders = {
        key: _resolved(given, folder, spot.under("engine", key)) if given is not None else None
        for key, given in written.items()
    }
    usual = {} if "isolation" in shape.model_fields_set else {"isolation": isolation}
    return EngineLimits(**{**dict(shape), **folders, **usual})


def read_admin_log(tree: Mapping, folder: Path, spot: Spot) -> Path | None:
    """The path of the admin's log; None where it is not given or no text."""
    entry = tree.get("admin_log")
    try:
        written = readings.log_file(entry.value) if entry else None
    except ValueError:  # reported with the shapes
        return None
    return _resolved(written, folder, spot.under("admin_log")) if written is not None else None


def _resolved(written: str, folder: Path, spot: Spot) -> Path:
    """The absolute path; whether it can be written to is asked when a session opens."""
    if name_mistake(written):
        spot.add("a path must not be empty nor hold control or invisible characters")
    return Path(os.path.abspath(folder / written))
