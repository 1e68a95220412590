"""docs/policy.md is made of the schema: up to date, with an example of every key that is right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from pages import fenced, text_of
from pydantic import ValidationError

from dpsql.policy import shapes
from dpsql.policy.key_effects import EFFECTS
from dpsql.policy.load import load_policy
from dpsql.policy.naming.suspected_units import suspected_units
from dpsql.policy.reference import reference
from dpsql.policy.scalars import Leaf
from dpsql.policy.schema import json_schema
from dpsql.policy.shapes import Shape
from dpsql.policy.yaml_positions import Items, Mapping, Node, parse

TEXT = text_of("policy.md")
KEYS = [(shape, key) for shape in EFFECTS for key in EFFECTS[shape]]


def every_shape(of: type[Shape] = Shape) -> Iterator[type[Shape]]:
    for shape in of.__subclasses__():
        yield shape
        yield from every_shape(shape)


def as_data(node: Node) -> object:
    if isinstance(node, Mapping):
        return {e.key: as_data(e.value) for e in node.entries}
    return [as_data(i) for i in node.items] if isinstance(node, Items) else node


def as_json(node: Node) -> object:
    if isinstance(node, Mapping):
        return {e.key: as_json(e.value) for e in node.entries}
    if isinstance(node, Items):
        return [as_json(i) for i in node.items]
    assert isinstance(node, Leaf)
    number = isinstance(node.value, int) or node.text.replace(".", "").replace("e-", "").isdigit()
    return node.value if isinstance(node.value, bool) else float(node.text) if number else node.text


def test_the_page_is_what_the_schema_says() -> None:
    assert reference() == TEXT, "python -m dpsql.policy.reference > docs/policy.md"


def test_no_key_of_the_schema_is_missing() -> None:
    assert set(every_shape()) - {shapes.ValueShape} == set(EFFECTS)  # what columns and fields share
    for shape, effects in EFFECTS.items():
        assert list(effects) == list(shape.model_fields), shape.__name__
    assert TEXT.count("\n### `") == len(KEYS) > 60
    documented = set(json_schema()["$defs"])  # type: ignore[attr-defined]
    assert documented == {shape.__name__ for shape in EFFECTS} - {"PolicyShape"}


@pytest.mark.parametrize(("shape", "key"), KEYS, ids=lambda v: v if isinstance(v, str) else v.__name__)
def test_every_example_is_right(shape: type[Shape], key: str) -> None:
    example = EFFECTS[shape][key].example
    assert example.startswith(f"{key}: ") and f"`{example}`" in TEXT
    tree, problems = parse(example, Path("policy.yaml"))
    assert not problems
    try:
        shape.model_validate(as_data(tree))
    except ValidationError as error:
        assert not [e for e in error.errors() if e["loc"][0] == key]
    schema = json_schema()
    part = schema if shape is shapes.PolicyShape else schema["$defs"][shape.__name__]  # type: ignore[index]
    whole = {"$defs": schema["$defs"], **part["properties"][key]}  # type: ignore[index, call-overload]
    jsonschema.Draft202012Validator(whole).validate(as_json(tree)[key])  # type: ignore[index]


def test_the_policy_of_the_page_loads_and_protects_whom_it_says(tmp_path: Path) -> None:
    (policy,) = fenced(TEXT, "yaml")
    (tmp_path / "policy.yaml").write_text(policy)
    assert suspected_units(load_policy(tmp_path / "policy.yaml")) == ()
