"""The JSON Schema that editors complete a policy by."""

from __future__ import annotations

import json
from datetime import date
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from dpsql.policy.scalars import Leaf
from dpsql.policy.schema import json_schema
from dpsql.policy.yaml_positions import Items, Mapping, Node, parse

ROOT = Path(__file__).parents[2]


def as_an_editor_reads(node: Node) -> object:
    """JSON values as YAML 1.2 gives them: dates are text, numbers are numbers."""
    if isinstance(node, Mapping):
        return {e.key: as_an_editor_reads(e.value) for e in node.entries}
    if isinstance(node, Items):
        return [as_an_editor_reads(i) for i in node.items]
    assert isinstance(node, Leaf)
    if isinstance(node.value, Fraction):
        return float(node.value)
    return node.text if isinstance(node.value, date) else node.value


def complaints(text: str) -> list[str]:
    tree, _ = parse(text, Path("policy.yaml"))
    validator = jsonschema.Draft202012Validator(json_schema())
    return [e.message for e in validator.iter_errors(as_an_editor_reads(tree))]


def test_the_committed_schema_is_the_exported_one() -> None:
    """Otherwise: write json_schema() to policies/policy.schema.json, indented by two."""
    committed = (ROOT / "policies" / "policy.schema.json").read_text(encoding="utf-8")
    assert committed == json.dumps(json_schema(), indent=2) + "\n"


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


def test_good_policies_satisfy_the_schema(shop: str) -> None:
    assert complaints(shop) == []
    for name in ("fair.yaml", "cdnow.yaml"):
        assert complaints((ROOT / "policies" / name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("upper: 90", "uper: 90"),
        ("version: 1", "version: 2"),
        ("type: date", "type: day"),
        ("epsilon: 50", "epsilon: 0"),
        ("per_query: 0.1", "per_query: {delta: 0}"),
        ("per_query: 0.1", "per_query: null"),
        ("per_query: 0.5", "per_query: 0.5, window: yearly"),
        ("max_rows_per_unit: 20", "max_rows_per_unit: 0"),
        ("accountant: approx", "accountant: renyi"),
        ("    source: orders.parquet\n", ""),
    ],
)
def test_bad_shapes_break_the_schema(shop: str, old: str, new: str) -> None:
    assert old in shop
    assert complaints(shop.replace(old, new, 1))
