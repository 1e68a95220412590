"""A policy held against its shape: each mistake as a sentence at its place, and parts read one by one."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from dpsql.policy.findings import Spot
from dpsql.policy.model import ColumnType, JsonType
from dpsql.policy.names import did_you_mean
from dpsql.policy.shapes import (
    AnalystShape,
    BudgetsShape,
    CalibratedShape,
    ColumnShape,
    CostShape,
    DatasetShape,
    EngineShape,
    FieldShape,
    FormatShape,
    GrantShape,
    PolicyShape,
    PrivacyShape,
    RoleShape,
    Shape,
    TableShape,
)
from dpsql.policy.yaml_positions import Items, KeyPath, Mapping, Node

_WHAT_TO_WRITE = {
    "version": "write `version: 1`",
    "privacy": "write `privacy: {unit: table.column}`",
    "unit": "write `unit: table.column`, or `unit: table.*` where every row is a person",
    "tables": "list the tables that queries may read",
    "source": "write the path of a DuckDB, Parquet, CSV or JSON file, or `frame`",
    "type": f"write one of {', '.join((*ColumnType, *JsonType))}",
    "budgets": "write `budgets: {dataset: {epsilon: ...}, default: {epsilon: ...}}`",
    "dataset": "write the cap over all analysts, as `dataset: {epsilon: 10, delta: 1e-6}`",
    "epsilon": "write a number above 0",
    "members": "list the analysts, as `members: [alice, bob]`",
    "histograms": "write how many histograms the draw had, as `dpsql calibrate` printed it",
}

_EXAMPLES: MappingOf[type[Shape], str] = {
    PolicyShape: "{version: 1, privacy: ..., tables: ..., budgets: ...}",
    PrivacyShape: "{unit: table.column}",
    TableShape: "{source: orders.parquet, unit_key: customer_id, columns: ...}",
    ColumnShape: "{type: integer}",
    FieldShape: "{type: float, lower: 0, upper: 100}",
    FormatShape: "{delimiter: ';', null: NA}",
    BudgetsShape: "{dataset: {epsilon: 10, delta: 1e-6}, default: {epsilon: 1}}",
    GrantShape: "{epsilon: 1, delta: 1e-7, per_query: 0.1}",
    AnalystShape: "{epsilon: 1, delta: 1e-7, per_query: 0.1}",
    CostShape: "{epsilon: 1, delta: 1e-7}",
    DatasetShape: "{epsilon: 10, delta: 1e-6}",
    RoleShape: "{epsilon: 5, delta: 1e-7, members: [alice, bob]}",
    EngineShape: "{isolation: process, memory: 4GB}",
    CalibratedShape: "{epsilon: 0.2, histograms: 3}",
}
_NAMED_EXAMPLES: MappingOf[KeyPath, str] = {
    ("budgets", "analysts"): "{alice: {}}, where `{}` is the default's budget",
}
_Checked = TypeVar("_Checked", bound=Shape)


def check_shape(tree: Mapping, spot: Spot) -> None:
    """Report every mistake of shape in the whole policy."""
    try:
        PolicyShape.model_validate(_data(tree))
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=False):
            _report(detail, spot)


def part(model: type[_Checked], node: Node | None, without: frozenset[str] = frozenset()) -> _Checked | None:
    """One part of the policy read on its own, without some of its keys; None where its shape is wrong."""
    if not isinstance(node, Mapping):
        return None
    try:
        return model.model_validate({e.key: _data(e.value) for e in node.entries if e.key not in without})
    except ValidationError:
        return None


def _data(node: Node) -> object:
    """Dicts and lists for pydantic; scalars stay leaves, so that readings see them as written."""
    if isinstance(node, Mapping):
        return {e.key: _data(e.value) for e in node.entries}
    return [_data(item) for item in node.items] if isinstance(node, Items) else node


def _report(detail: ErrorDetails, spot: Spot) -> None:
    path = tuple(str(step) for step in detail["loc"] if step not in ("(number)", "(cost)"))
    match detail["type"]:
        case "missing":
            spot.under(*path[:-1]).add(f"`{path[-1]}` is missing: {_WHAT_TO_WRITE[path[-1]]}")
        case "extra_forbidden":
            spot.under(*path).add_at_key(_unknown(path[-1], _model_at(path[:-1])))
        case "value_error":
            spot.under(*path).add(str(detail["ctx"]["error"]))
        case _:
            model = _model_at(path)
            example = _EXAMPLES[model] if model else _NAMED_EXAMPLES.get(path, "{name: {...}}")
            spot.under(*path).add(f"must be a mapping, as {example}")


def _unknown(key: str, model: type[Shape] | None) -> str:
    fields = model.model_fields if model else {}
    return "unknown key" + (did_you_mean(key, fields) or f"; the keys here are {', '.join(fields)}")


def _model_at(path: KeyPath) -> type[Shape] | None:
    """The model of the part at this path, or None where the part is a mapping of free names."""
    match path:
        case ():
            return PolicyShape
        case ("privacy",):
            return PrivacyShape
        case ("tables", _):
            return TableShape
        case ("tables", _, "columns", _):
            return ColumnShape
        case ("tables", _, "columns", _, "fields", _):
            return FieldShape
        case ("tables", _, "format"):
            return FormatShape
        case ("engine",):
            return EngineShape
        case ("calibrated", _):
            return CalibratedShape
        case ("budgets",):
            return BudgetsShape
        case ("budgets", "default"):
            return GrantShape
        case ("budgets", "analysts", _):
            return AnalystShape
        case ("budgets", "roles", _):
            return RoleShape
        case ("budgets", "dataset"):
            return DatasetShape
        case ("budgets", *_, "per_query"):
            return CostShape
    return None
