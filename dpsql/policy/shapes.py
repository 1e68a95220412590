"""The shape of a policy: which keys each part has and what kind of value each takes; no rules across keys.

The same models check a policy and export the JSON Schema that editors complete it by.
"""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from fractions import Fraction
from typing import Annotated, Literal, TypeVar

from pydantic import (
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import ErrorDetails

from dpsql.policy import readings
from dpsql.policy.findings import Spot
from dpsql.policy.format_shape import FormatShape, Shape, Truth
from dpsql.policy.model import AccountantName, ColumnType, Isolation, ViewKind, Window
from dpsql.policy.names import did_you_mean
from dpsql.policy.positions import Items, KeyPath, Mapping, Node
from dpsql.policy.scalars import Leaf
from dpsql.privacy import Mechanism, Neighbours

_CAP = {"type": "integer", "minimum": 1, "maximum": readings.MAX_CAP}
_EPSILON = {"type": "number", "exclusiveMinimum": 0, "maximum": readings.MAX_EPSILON}
_DELTA = {"type": "number", "minimum": 0, "exclusiveMaximum": 1}
_POSITIVE = {"type": "number", "exclusiveMinimum": 0}
_BOUND = {"type": ["number", "string"]}
_VALUE = {"type": ["string", "number", "boolean"]}
_VALUES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": _VALUE}
_TEXT = {"type": "string"}
_MECHANISMS = {
    "type": "array",
    "minItems": 1,
    "uniqueItems": True,
    "items": {"enum": [m.value for m in Mechanism]},
}
_MEMORY = {"type": ["integer", "string"], "minimum": readings.MIN_MEMORY, "pattern": "^[0-9]+ ?[KMGT]i?B$"}
_THREADS = {"type": "integer", "minimum": 1, "maximum": readings.MAX_THREADS}
_SECONDS = {"type": "integer", "minimum": 1, "maximum": readings.MAX_SECONDS}
_DEADLINE = {"type": "number", "exclusiveMinimum": 0, "maximum": readings.MAX_SECONDS}

Unit = Annotated[str, PlainValidator(readings.unit), WithJsonSchema(_TEXT)]
Source = Annotated[str, PlainValidator(readings.source), WithJsonSchema(_TEXT)]
ColumnName = Annotated[str | None, PlainValidator(readings.column_name), WithJsonSchema(_TEXT)]
OwnerPath = Annotated[
    tuple[str, str] | None,
    PlainValidator(readings.unit_path),
    WithJsonSchema({"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": _TEXT}),
]
Cap = Annotated[int | None, PlainValidator(readings.cap), WithJsonSchema(_CAP)]
Epsilon = Annotated[Fraction, PlainValidator(readings.epsilon), WithJsonSchema(_EPSILON)]
Delta = Annotated[Fraction | None, PlainValidator(readings.delta), WithJsonSchema(_DELTA)]
Positive = Annotated[Fraction | None, PlainValidator(readings.positive), WithJsonSchema(_POSITIVE)]
Bound = Annotated[Leaf | None, PlainValidator(readings.endpoint), WithJsonSchema(_BOUND)]
Memory = Annotated[int | None, PlainValidator(readings.memory), WithJsonSchema(_MEMORY)]
Threads = Annotated[int | None, PlainValidator(readings.threads), WithJsonSchema(_THREADS)]
Seconds = Annotated[int, PlainValidator(readings.seconds), WithJsonSchema(_SECONDS)]
Deadline = Annotated[Fraction | None, PlainValidator(readings.deadline), WithJsonSchema(_DEADLINE)]
Directory = Annotated[str | None, PlainValidator(readings.directory), WithJsonSchema(_TEXT)]
LogFile = Annotated[str | None, PlainValidator(readings.log_file), WithJsonSchema(_TEXT)]
Values = Annotated[tuple[Leaf, ...] | None, PlainValidator(readings.members), WithJsonSchema(_VALUES)]


class PrivacyShape(Shape):
    """Who is protected, and against which neighbouring databases."""

    unit: Unit = Field(
        description="The person: `table.column`, a key, or `table.*`, where every row is a person.",
    )
    neighbours: Annotated[
        Neighbours,
        PlainValidator(readings.neighbours),
        WithJsonSchema({"enum": [n.value for n in Neighbours]}),
    ] = Field(
        Neighbours.ADD_REMOVE,
        description="add_remove: a unit is there or not. substitute: the number of units is public.",
    )
    max_rows_per_unit: Cap = Field(
        None,
        description="The most rows of one unit in the relation that is aggregated, after filters and joins.",
    )
    max_groups_per_unit: Cap = Field(
        None,
        description="The most groups of one query in which one unit is counted as a unit, or makes a group show.",
    )
    mechanisms: Annotated[
        tuple[Mechanism, ...] | None, PlainValidator(readings.mechanisms), WithJsonSchema(_MECHANISMS)
    ] = Field(None, description="The only mechanisms that may be used; left out, the planner chooses.")


class ColumnShape(Shape):
    """A column that queries may use; what is not listed does not exist."""

    type: Annotated[
        ColumnType,
        PlainValidator(readings.column_type),
        WithJsonSchema({"enum": [t.value for t in ColumnType]}),
    ] = Field(description="The column's type.")
    lower: Bound = Field(
        None,
        description="The lower bound; values below are set to it. Known without looking at the data.",
    )
    upper: Bound = Field(
        None,
        description="The upper bound; values above are set to it. Known without looking at the data.",
    )
    values: Values = Field(None, description="The public list of values; other values become NULL.")
    step: Positive = Field(
        None,
        description="The grid that sums of this column are taken on, such as 0.01 for cents.",
    )
    unit_total: Positive = Field(None, description="The most that one unit's absolute values may add up to.")
    nullable: Truth = Field(False, description="Whether the column may hold NULL: a fact that is verified.")
    hidden: Truth = Field(False, description="A hidden column may be a key, but no query may name it.")
    partition: Truth = Field(
        False,
        description="Whether all rows of a person have one value: a fact that is verified. Charges for different "
        "values do not add up.",
    )
    max_length: Cap = Field(
        None,
        description="The most characters of a private text that are read, 4096 unless given; the rest is cut off.",
    )


class TableShape(Shape):
    """A table that queries may read."""

    source: Source = Field(
        description="A DuckDB file (its table of this name), Parquet or CSV file, relative to the policy.",
    )
    format: FormatShape | None = Field(None, description="How a CSV file is read.")
    public: Truth = Field(False, description="A public table protects nobody and is read exactly.")
    unit_key: ColumnName = Field(None, description="The column that names the owner of a row.")
    unit_path: OwnerPath = Field(
        None,
        description="The foreign key to the table that owns a row, as `{order_key: orders.order_key}`.",
    )
    view: Annotated[
        ViewKind | None,
        PlainValidator(readings.view_kind),
        WithJsonSchema({"enum": [v.value for v in ViewKind]}),
    ] = Field(
        None,
        description="row_wise: the source may be a view, a projection and a filter of one table, which is verified.",
    )
    one_row_per_unit: Truth = Field(
        False,
        description="Whether no unit has more than one row: a fact that is verified.",
    )
    max_rows_per_unit: Cap = Field(
        None,
        description="The most rows of one unit in this table, chosen before any filter.",
    )
    columns: dict[str, ColumnShape] = Field(
        default_factory=dict,
        description="The columns by name; a public table may leave them out.",
    )


class CostShape(Shape):
    """An amount of privacy loss."""

    epsilon: Epsilon = Field(description="The epsilon, above 0.")
    delta: Delta = Field(None, description="The delta, at least 0 and below 1.")


def _form(given: object) -> Literal["(number)", "(cost)"]:
    return "(cost)" if isinstance(given, dict | CostShape) else "(number)"


PerQuery = Annotated[
    Annotated[Epsilon, Tag("(number)")] | Annotated[CostShape, Tag("(cost)")], Discriminator(_form)
]


Renewal = Annotated[
    Window, PlainValidator(readings.window), WithJsonSchema({"enum": [w.value for w in Window]})
]


class DatasetShape(CostShape):
    """The account of the data, over all analysts together."""

    window: Renewal = Field(Window.NEVER, description="When the budget begins anew, in UTC.")
    name: Annotated[
        str, PlainValidator(readings.dataset_name), WithJsonSchema({"type": "string", "minLength": 1})
    ] = Field("main", description="The dataset's name in a ledger that is shared with other data.")


class GrantShape(CostShape):
    """A budget in all, and the default and the most for one query."""

    window: Renewal = Field(Window.NEVER, description="When the budget begins anew, in UTC.")

    per_query: PerQuery | None = Field(
        None,
        description="Default and most for one query: an epsilon or {epsilon, delta}; a tenth if left out.",
    )


class RoleShape(GrantShape):
    """A budget that a group of analysts has together, beside their own."""

    members: Annotated[
        tuple[str, ...],
        PlainValidator(readings.analysts),
        WithJsonSchema({"type": "array", "items": {"type": "string"}, "minItems": 1}),
    ] = Field(description="The names of the analysts.")


class BudgetsShape(Shape):
    """What may be spent."""

    dataset: DatasetShape = Field(description="The cap over all analysts together.")
    default: GrantShape | None = Field(
        None,
        description="The budget of every analyst who is not named below.",
    )
    analysts: dict[str, GrantShape] = Field(
        default_factory=dict,
        description="The budgets of named analysts.",
    )
    roles: dict[str, RoleShape] = Field(
        default_factory=dict,
        description="Budgets of groups of analysts, who pay from it as well as from their own.",
    )


class EngineShape(Shape):
    """How the engines run and what they may take; none of it changes an answer."""

    isolation: Annotated[
        Isolation,
        PlainValidator(readings.isolation),
        WithJsonSchema({"enum": [i.value for i in Isolation]}),
    ] = Field(
        Isolation.INLINE,
        description="inline: in this process. process: each engine in a child process with hard limits.",
    )
    memory: Memory = Field(None, description="The memory of each of the two engines, such as 4GB.")
    threads: Threads = Field(None, description="The threads of each of the two engines.")
    seconds: Seconds = Field(600, description="How long a statement may run.")
    temp_directory: Directory = Field(
        None,
        description="Where an engine may write what does not fit into memory; nowhere if left out.",
    )
    deadline: Deadline = Field(
        None,
        description="Seconds after its charge at which a query that reads private rows is answered.",
    )


class PolicyShape(Shape):
    """A dpsql policy: who is protected, what may be asked, and how much may be spent."""

    version: Annotated[int, PlainValidator(readings.version), WithJsonSchema({"const": 1})] = Field(
        description="The version of this language: 1.",
    )
    privacy: PrivacyShape = Field(description="Who is protected.")
    tables: dict[str, TableShape] = Field(
        description="The tables by name; what is not listed does not exist.",
    )
    budgets: BudgetsShape = Field(description="What may be spent.")
    accountant: Annotated[
        AccountantName,
        PlainValidator(readings.accountant),
        WithJsonSchema({"enum": [a.value for a in AccountantName]}),
    ] = Field(
        AccountantName.APPROX,
        description="How costs add up. pure: epsilon alone. approx: epsilon and delta. zcdp, rdp: concentrated "
        "and Renyi losses, for many small queries; a quarter of delta is for private keys.",
    )
    engine: EngineShape | None = Field(
        None,
        description="How the engines run and what they may take.",
    )
    admin_log: LogFile = Field(
        None,
        description="A file, relative to the policy, for details of failures that only the admin may read.",
    )


_WHAT_TO_WRITE = {
    "version": "write `version: 1`",
    "privacy": "write `privacy: {unit: table.column}`",
    "unit": "write `unit: table.column`, or `unit: table.*` where every row is a person",
    "tables": "list the tables that queries may read",
    "source": "write the path of a DuckDB, Parquet or CSV file",
    "type": f"write one of {', '.join(t.value for t in ColumnType)}",
    "budgets": "write `budgets: {dataset: {epsilon: ...}, default: {epsilon: ...}}`",
    "dataset": "write the cap over all analysts, as `dataset: {epsilon: 10, delta: 1e-6}`",
    "epsilon": "write a number above 0",
    "members": "list the analysts, as `members: [alice, bob]`",
}

_EXAMPLES: MappingOf[type[Shape], str] = {
    PolicyShape: "{version: 1, privacy: ..., tables: ..., budgets: ...}",
    PrivacyShape: "{unit: table.column}",
    TableShape: "{source: orders.parquet, unit_key: customer_id, columns: ...}",
    ColumnShape: "{type: integer}",
    FormatShape: "{delimiter: ';', null: NA}",
    BudgetsShape: "{dataset: {epsilon: 10, delta: 1e-6}, default: {epsilon: 1}}",
    GrantShape: "{epsilon: 1, delta: 1e-7, per_query: 0.1}",
    CostShape: "{epsilon: 1, delta: 1e-7}",
    DatasetShape: "{epsilon: 10, delta: 1e-6}",
    RoleShape: "{epsilon: 5, delta: 1e-7, members: [alice, bob]}",
    EngineShape: "{isolation: process, memory: 4GB}",
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
    """The dicts and lists that pydantic walks; scalars stay leaves, so that readings see them as written."""
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
            spot.under(*path).add(f"must be a mapping, as {_EXAMPLES[model] if model else '{name: {...}}'}")


def _unknown(key: str, model: type[Shape] | None) -> str:
    known = model.model_fields if model else {}
    return "unknown key" + (did_you_mean(key, known) or f"; the keys here are {', '.join(known)}")


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
        case ("tables", _, "format"):
            return FormatShape
        case ("engine",):
            return EngineShape
        case ("budgets",):
            return BudgetsShape
        case ("budgets", "default") | ("budgets", "analysts", _):
            return GrantShape
        case ("budgets", "roles", _):
            return RoleShape
        case ("budgets", "dataset"):
            return DatasetShape
        case ("budgets", *_, "per_query"):
            return CostShape
    return None
