"""The shape of a policy: which keys each part has and what kind of value each takes; no rules across keys.

The same models check a policy and export the JSON Schema that editors complete it by.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from dpsql.policy import readings
from dpsql.policy.model import (
    AccountantName,
    ClippingMode,
    ColumnType,
    Isolation,
    JsonType,
    UnknownAnalysts,
    ViewKind,
    Window,
)
from dpsql.policy.scalars import Leaf
from dpsql.privacy import Mechanism, Neighbours

Truth = Annotated[bool, readings.truth]
Cap = Annotated[int | None, readings.cap]
Bound = Annotated[Leaf | None, readings.endpoint]
Positive = Annotated[Fraction | None, readings.positive]
Text = Annotated[str | None, readings.any_text]
Histograms = Annotated[int, readings.histograms]
Memory = Annotated[int | None, readings.memory]
Listed = Annotated[tuple[Leaf, ...] | None, readings.values]
Written = Annotated[str | None, readings.written]
Epsilon = Annotated[Fraction, readings.epsilon]
Renewal = Annotated[Window, readings.window]


def _key(description: str, default: object = None) -> Any:
    """A key that may be left out, with the editor's help on it."""
    return Field(default, description=description)


def _by_name(description: str) -> Any:
    return Field(default_factory=dict, description=description)


def _needed(description: str) -> Any:
    return Field(description=description)


class Shape(BaseModel):
    """Unknown keys are mistakes; the descriptions are the editor's help. Built when first used."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class PrivacyShape(Shape):
    """Who is protected, and against which neighbouring databases."""

    unit: Annotated[str, readings.unit] = _needed(
        "The person: `table.column`, a key, or `table.*`, where every row is a person."
    )
    neighbours: Annotated[Neighbours, readings.neighbours] = _key(
        "add_remove: a unit is there or not. substitute: the number of units is public.",
        Neighbours.ADD_REMOVE,
    )
    max_rows_per_unit: Cap = _key(
        "The most rows of one unit in the relation that is aggregated, after filters and joins."
    )
    max_groups_per_unit: Cap = _key(
        "The most groups of one query in which one unit is counted as a unit, or makes a group show."
    )
    mechanisms: Annotated[tuple[Mechanism, ...] | None, readings.mechanisms] = _key(
        "The only mechanisms that may be used; left out, the planner chooses."
    )
    clipping: Annotated[ClippingMode, readings.clipping] = _key(
        "fixed: noise for the policy's limits. private: limits found for each query, at a fifth of its epsilon. "
        "auto: whichever fits the query.",
        ClippingMode.FIXED,
    )


class ValueShape(Shape):
    """What queries may use, a column or a field, and what is known of its values."""

    type: Annotated[ColumnType | JsonType, readings.column_type] = _needed("The column's type.")
    lower: Bound = _key("The lower bound; values below are set to it. Known without looking at the data.")
    upper: Bound = _key("The upper bound; values above are set to it. Known without looking at the data.")
    values: Listed = _key("The public list of values; other values become NULL.")
    references: Annotated[str | None, readings.reference] = _key(
        "The public list as the keys of a public table, as `table.column`: unique and not NULL, which is verified."
    )
    step: Positive = _key("The grid that sums of this column are taken on, such as 0.01 for cents.")
    unit_total: Positive = _key("The most that one unit's absolute values may add up to.")
    max_length: Cap = _key(
        "The most characters of a private text that are read, 4096 unless given; the rest is cut off."
    )


class FieldShape(ValueShape):
    """A field of JSON text: what is not of its type, or not there, is NULL."""

    type: Annotated[ColumnType, readings.field_type] = _needed("The field's type.")


class ColumnShape(ValueShape):
    """A column that queries may use; what is not listed does not exist."""

    nullable: Truth = _key("Whether the column may hold NULL: a fact that is verified.", False)
    hidden: Truth = _key("A hidden column may be a key, but no query may name it.", False)
    partition: Truth = _key(
        "Whether all rows of a person have one value: a fact that is verified. Charges for different "
        "values do not add up.",
        False,
    )
    fields: dict[str, FieldShape] = _by_name(
        "The fields of JSON text that queries may read, by their names in it, as `sensor.name`; for type json alone."
    )


class FormatShape(Shape):
    """How the lines of a CSV file are read; nothing is guessed from what they hold."""

    delimiter: Written = _key("The character between fields; a comma, or a tab for .tsv, if left out.")
    quote: Written = _key(
        "The character around fields that hold the delimiter; empty where no field is quoted."
    )
    escape: Written = _key("The character before a quote inside of quotes; the quote itself if left out.")
    header: Truth = _key(
        "Whether the first line names the columns; else they are the policy's, in its order.", True
    )
    null: Written = _key("The unquoted text that means NULL; the empty text if left out.")
    date: Text = _key("How dates are written, as %d.%m.%Y; ISO 8601 if left out.")
    timestamp: Text = _key("How timestamps are written, as %d.%m.%Y %H:%M:%S; ISO 8601 if left out.")


class TableShape(Shape):
    """A table that queries may read."""

    source: Annotated[str, readings.source] = _needed(
        "A DuckDB file (its table of this name), Parquet, CSV or JSON file, relative to the policy; several files by a "
        "pattern such as orders/year=*/*.parquet; a table of PostgreSQL, as postgresql://host/database#schema.table, "
        "or of SQLite, as sqlite:///shop.db#table, which `dpsql prepare` copies; or `frame`, a pyarrow, pandas or "
        "polars table handed over in Python."
    )
    format: FormatShape | None = _key("How a CSV file is read.")
    public: Truth = _key("A public table protects nobody and is read exactly.", False)
    unit_key: Annotated[str | None, readings.column_name] = _key("The column that names the owner of a row.")
    unit_path: Annotated[tuple[str, str] | None, readings.unit_path] = _key(
        "The foreign key to the table that owns a row, as `{order_key: orders.order_key}`."
    )
    view: Annotated[ViewKind | None, readings.view_kind] = _key(
        "row_wise: the source may be a view, a projection and a filter of one table, which is verified."
    )
    one_row_per_unit: Truth = _key("Whether no unit has more than one row: a fact that is verified.", False)
    max_rows_per_unit: Cap = _key("The most rows of one unit in this table, chosen before any filter.")
    columns: dict[str, ColumnShape] = _by_name(
        "The columns by name, which does not begin with #; a public table may leave them out."
    )


class CostShape(Shape):
    """An amount of privacy loss."""

    epsilon: Epsilon = _needed("The epsilon, above 0.")
    delta: Annotated[Fraction | None, readings.delta] = _key("The delta, at least 0 and below 1.")


def _form(given: object) -> Literal["(number)", "(cost)"]:
    return "(cost)" if isinstance(given, dict | CostShape) else "(number)"


PerQuery = Annotated[
    Annotated[Epsilon, Tag("(number)")] | Annotated[CostShape, Tag("(cost)")], Discriminator(_form)
]


class DatasetShape(CostShape):
    """The account of the data, over all analysts together."""

    window: Renewal = _key("When the budget begins anew, in UTC.", Window.NEVER)
    name: Annotated[str, readings.dataset_name] = _key(
        "The dataset's name in a ledger that is shared with other data.", "main"
    )


class GrantShape(CostShape):
    """A budget in all, and the default and the most for one query."""

    window: Renewal = _key("When the budget begins anew, in UTC.", Window.NEVER)
    per_query: PerQuery | None = _key(
        "Default and most for one query: an epsilon or {epsilon, delta}; a tenth if left out."
    )


class AnalystShape(Shape):
    """The budget of one analyst: the default's where none is given."""

    epsilon: Annotated[Fraction | None, readings.granted_epsilon] = _key(
        "The epsilon; 0 is no budget, as `revoked: true` is. Left out, the analyst has what `default` grants."
    )
    delta: Annotated[Fraction | None, readings.delta] = _key("The delta, at least 0 and below 1.")
    window: Renewal = _key("When the budget begins anew, in UTC.", Window.NEVER)
    per_query: PerQuery | None = _key(
        "Default and most for one query: an epsilon or {epsilon, delta}; a tenth if left out."
    )
    revoked: Truth = _key(
        "true: the analyst may ask nothing, whatever a role or `default` grants. What was spent stays spent.",
        False,
    )


class RoleShape(GrantShape):
    """A budget that a group of analysts has together, beside their own."""

    members: Annotated[tuple[str, ...], readings.analysts] = _needed("The names of the analysts.")


class BudgetsShape(Shape):
    """What may be spent."""

    dataset: DatasetShape = _needed("The cap over all analysts together.")
    default: GrantShape | None = _key("The budget of every analyst who is given none below.")
    unknown_analysts: Annotated[UnknownAnalysts | None, readings.unknown_analysts] = _key(
        "refuse: who is named neither under `analysts` nor in a role may ask nothing. default, or left out: everybody "
        "else has the default's budget, also an analyst whose line was deleted."
    )
    analysts: dict[str, AnalystShape] = _by_name(
        "The budgets of named analysts; `{}` for the default's, `{revoked: true}` for none."
    )
    roles: dict[str, RoleShape] = _by_name(
        "Budgets of groups of analysts, who pay from it as well as from their own."
    )


class EngineShape(Shape):
    """How the engines run and what they may take; none of it changes an answer."""

    isolation: Annotated[Isolation, readings.isolation] = _key(
        "inline: in this process. process: each engine in a child process with hard limits.",
        Isolation.INLINE,
    )
    memory: Memory = _key("The memory of each of the two engines, such as 4GB.")
    threads: Annotated[int | None, readings.threads] = _key("The threads of each of the two engines.")
    seconds: Annotated[int, readings.seconds] = _key("How long a statement may run.", 600)
    temp_directory: Annotated[str | None, readings.directory] = _key(
        "Where an engine may write what does not fit into memory; nowhere if left out."
    )
    deadline: Annotated[Fraction | None, readings.deadline] = _key(
        "Seconds after its charge at which a query that reads private rows is answered."
    )
    prepared: Annotated[str | None, readings.directory] = _key(
        "The folder that `dpsql prepare` writes to, relative to the policy; read where it fits the sources."
    )


class CalibratedShape(Shape):
    """A draw of `dpsql calibrate` that limits in the policy were taken from."""

    epsilon: Epsilon = _needed("What the draw cost, over all its histograms.")
    histograms: Histograms = _needed("How many histograms shared the epsilon equally.")
    day: Annotated[date | None, readings.day] = _key("When it was drawn, for people.")


class PolicyShape(Shape):
    """A dpsql policy: who is protected, what may be asked, and how much may be spent."""

    version: Annotated[int, readings.version] = _needed("The version of this language: 1.")
    privacy: PrivacyShape = _needed("Who is protected.")
    tables: dict[str, TableShape] = _needed("The tables by name; what is not listed does not exist.")
    budgets: BudgetsShape = _needed("What may be spent.")
    accountant: Annotated[AccountantName, readings.accountant] = _key(
        "How costs add up. pure: epsilon alone. approx: epsilon and delta. zcdp, rdp: concentrated and Renyi losses, "
        "for many small queries; a quarter of delta is for private keys.",
        AccountantName.APPROX,
    )
    engine: EngineShape | None = _key("How the engines run and what they may take.")
    admin_log: Annotated[str | None, readings.log_file] = _key(
        "A file, relative to the policy, for details of failures that only the admin may read."
    )
    calibrated: dict[str, CalibratedShape] = _by_name(
        "The draws of `dpsql calibrate` whose numbers stand in the policy; every account begins with their cost."
    )
