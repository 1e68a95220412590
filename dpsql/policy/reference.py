"""The reference of a policy's keys, of the schema and of what each key does: `python -m dpsql.policy.reference`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from dpsql.policy import shapes
from dpsql.policy.key_effects import EFFECTS, Effect
from dpsql.policy.schema import json_schema
from dpsql.policy.shapes import Shape

_HEAD = """\
<!-- Made by `python -m dpsql.policy.reference > docs/policy.md`. -->

# The policy

One YAML file says who is protected, what may be asked, and how much may be spent. `dpsql init` writes one to fill
in, `dpsql check` names every mistake in it at once, `dpsql check --explain` says how far off counts, sums and
averages of each column will be, and `policies/policy.schema.json` lets editors complete it:

```yaml
# yaml-language-server: $schema=./policy.schema.json
version: 1
privacy: {unit: patients.patient_id, max_rows_per_unit: 20}
tables:
  patients:
    source: clinic.duckdb
    one_row_per_unit: true
    columns:
      patient_id: {type: integer}
      birth_year: {type: integer, lower: 1920, upper: 2025}
  visits:
    source: clinic.duckdb
    unit_key: patient_id
    columns:
      visit_id: {type: integer, hidden: true}
      patient_id: {type: integer}
      ward: {type: text, values: [surgery, medicine, children]}
      cost: {type: float, lower: 0, upper: 5000, step: 0.01}
  diagnoses:
    source: clinic.duckdb
    unit_path: {visit_id: visits.visit_id}
    columns:
      visit_id: {type: integer, hidden: true}
      code: {type: text}
budgets:
  dataset: {epsilon: 10, delta: 1e-6}
  default: {epsilon: 1, delta: 1e-7, per_query: 0.1}
  unknown_analysts: refuse
  analysts: {alice: {}}
accountant: zcdp
```

A policy is public: nothing in it may come from looking at the data. [limits.md](limits.md) says how to choose
limits, [listed-values.md](listed-values.md) which values are public, [budget.md](budget.md) how costs add up,
[csv-files.md](csv-files.md) how text files are read, and [cookbook.md](cookbook.md) has six policies. For each key
stands what it is, what it takes, and what it does: to the promise (*privacy*), to how far answers are off by chance
(*noise*), and to how far they are off whatever the chance (*bias*). What is not said of a key, it does not do.
"""
_OWNERS = """
## Who owns a row

`privacy.unit` names the key of a person, `patients.patient_id`. Every other private table says whose its rows are:

- `unit_key: patient_id`: the person with that key, whether or not `patients` has a row of that key. Every row
  counts whose key is not NULL.
- `unit_path: {visit_id: visits.visit_id}`: whoever owns the row of `visits` with this `visit_id`, which is unique
  there. Every row counts for which there is one that has an owner.

**A row without an owner is left out** of every answer: where the key is NULL, and where a path leads to no row, or
to one without an owner. `dpsql check --exact` counts them, on the admin's terminal alone.

**The wrong unit.** `unit_key: visit_id` in a table of diagnoses is no mistake that any data would show: keys of
visits are integers as those of patients are. But then each *visit* is protected as if it were a person, and a
patient of forty visits forty times less than the policy seems to say. So `dpsql check`, `connect` and `dpsql serve`
warn where a `unit_key` is named like the key of another private table, like that of the table's own rows, or
otherwise not like the unit, and propose the `unit_path`. They look at names and types alone, which are a hint and
no proof: where both columns hold the same keys, nothing is wrong, and `warnings.simplefilter("ignore", dpsql.Warning)`
ends it in Python ([why](decisions/what-an-admin-is-told.md)).
"""
_SECTIONS: tuple[tuple[str, type[Shape]], ...] = (
    ("The file", shapes.PolicyShape),
    ("`privacy`", shapes.PrivacyShape),
    ("`tables.NAME`", shapes.TableShape),
    ("`tables.NAME.columns.NAME`", shapes.ColumnShape),
    ("`tables.NAME.columns.NAME.fields.NAME`", shapes.FieldShape),
    ("`tables.NAME.format`", shapes.FormatShape),
    ("`budgets`", shapes.BudgetsShape),
    ("`budgets.dataset`", shapes.DatasetShape),
    ("`budgets.default`", shapes.GrantShape),
    ("`budgets.analysts.NAME`", shapes.AnalystShape),
    ("`budgets.roles.NAME`", shapes.RoleShape),
    ("`per_query`, as a mapping", shapes.CostShape),
    ("`engine`", shapes.EngineShape),
    ("`calibrated.NAME`", shapes.CalibratedShape),
)
Schema = Mapping[str, object]


def reference() -> str:
    """The text of docs/policy.md: an example, who owns a row, and every key of every part."""
    schema = json_schema()
    parts = schema["$defs"]
    assert isinstance(parts, dict)
    parts_of_schema = (
        (title, shape, schema if shape is shapes.PolicyShape else parts[shape.__name__])
        for title, shape in _SECTIONS
    )
    return _HEAD + _OWNERS + "".join(_section(*section) for section in parts_of_schema)


def _section(title: str, shape: type[Shape], part: Schema) -> str:
    properties, needed = part["properties"], part.get("required", [])
    assert isinstance(properties, dict) and isinstance(needed, list)
    keys = (
        _key(key, field.description or "", properties[key], key in needed, EFFECTS[shape][key])
        for key, field in shape.model_fields.items()
    )
    return f"\n## {title}\n\n{part['description']}\n" + "".join(keys)


def _key(key: str, meaning: str, schema: Schema, needed: bool, effect: Effect) -> str:
    told = [f"*Takes* {_takes(schema)}; {_default(schema, needed)}. For example `{effect.example}`"]
    does = (("Privacy", effect.privacy), ("Noise", effect.noise), ("Bias", effect.bias))
    told += [f"*{name}*: {text}" for name, text in does if text]
    return f"\n### `{key}`\n\n{meaning}\n\n" + "".join(f"- {line}\n" for line in told)


def _default(schema: Schema, needed: bool) -> str:
    if needed:
        return "must be given"
    given = schema.get("default")
    return "may be left out" if given is None else f"{_word(given)} if left out"


def _takes(schema: Schema) -> str:
    """What values a key takes, in words."""
    if "enum" in schema:
        words = schema["enum"]
        assert isinstance(words, list)
        return "one of " + ", ".join(f"`{word}`" for word in words)
    if "const" in schema:
        return f"`{schema['const']}`"
    several = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(several, list):
        return " or ".join(_takes(one) for one in several)
    if "$ref" in schema:
        return "a mapping of the keys below"
    kinds = schema.get("type")
    named = [_KINDS[str(kind)] for kind in (kinds if isinstance(kinds, list) else [kinds])]
    return " or ".join(named) + _range(schema)


_KINDS = {
    "array": "a list",
    "boolean": "`true` or `false`",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping of names",
    "string": "a text",
}


def _range(schema: Schema) -> str:
    return "".join(_ends(schema))


def _ends(schema: Schema) -> Iterator[str]:
    words = (
        ("exclusiveMinimum", " above"),
        ("minimum", " from"),
        ("exclusiveMaximum", " below"),
        ("maximum", " to"),
    )
    yield from (f"{word} {schema[key]:,}" for key, word in words if key in schema)


def _word(given: object) -> str:
    return f"`{str(given).lower()}`" if isinstance(given, bool) else f"`{given}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
