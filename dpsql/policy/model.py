"""The policy as frozen, validated values, without any YAML."""

from __future__ import annotations

import enum
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

from dpsql.policy.json_paths import Steps
from dpsql.policy.table_sources import Source
from dpsql.privacy import Cost, Mechanism, Neighbours
from dpsql.slotted import dataclass

MAX_TEXT = 4_096
"""The longest text of a column without max_length, in characters."""

Scalar = int | Fraction | str | bool | date | datetime


class ColumnType(enum.StrEnum):
    """The types a policy may give a column."""

    INTEGER = "integer"
    FLOAT = "float"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"


class JsonType(enum.StrEnum):
    """The type of a source's column whose values are JSON: only fields of it are columns."""

    JSON = "json"


class ViewKind(enum.StrEnum):
    """The views that may be sources: ROW_WISE is a projection and a filter of one base table."""

    ROW_WISE = "row_wise"


class AccountantName(enum.StrEnum):
    """How the costs of many releases add up."""

    PURE = "pure"
    APPROX = "approx"
    ZCDP = "zcdp"
    RDP = "rdp"

    @property
    def is_filter(self) -> bool:
        """Whether losses add up as zCDP or RDP and are converted at the budget's delta."""
        return self in (AccountantName.ZCDP, AccountantName.RDP)

    @property
    def keys_share(self) -> Fraction:
        """The part of a budget's delta that private keys may use up; the rest is for converting the total."""
        if self.is_filter:
            return Fraction(1, 4)
        return Fraction(1 if self is AccountantName.APPROX else 0)


class Window(enum.StrEnum):
    """When a budget begins anew, in UTC; a week begins on Monday."""

    NEVER = "never"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


class UnknownAnalysts(enum.StrEnum):
    """What becomes of an analyst whom the policy names neither under `analysts` nor in a role."""

    DEFAULT = "default"
    REFUSE = "refuse"


class ClippingMode(enum.StrEnum):
    """How the limits of what one unit adds to a sum are found: the policy's own, or privately for each query."""

    AUTO = "auto"
    FIXED = "fixed"
    PRIVATE = "private"


class Isolation(enum.StrEnum):
    """Where the engines run: in the caller's process, or each in a child process of its own."""

    INLINE = "inline"
    PROCESS = "process"


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """How the engines run and what they may take.

    `memory` is in bytes, for each of the two engines; None leaves the engines' own limits, as it does for
    `threads`. `seconds` limits a statement. `temp_directory` is where an engine may put what does not fit
    into memory; None keeps everything in memory. `deadline`: the seconds after its charge at which a query
    that reads private rows is answered, neither before nor after. `prepared` is the folder of prepared
    tables, which are read in the place of the sources where they fit; None for none.
    """

    isolation: Isolation = Isolation.INLINE
    memory: int | None = None
    threads: int | None = None
    seconds: int = 600
    temp_directory: Path | None = None
    deadline: Fraction | None = None
    prepared: Path | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A column of a public table, whose values are the keys that a private column may hold."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass(frozen=True, slots=True)
class JsonField:
    """Where a column's values are in the source: under these names in the JSON text of another column."""

    column: str
    steps: Steps


@dataclass(frozen=True, slots=True)
class Column:
    """A listed column: its type, and the instructions and facts the admin gives about it.

    `lower`, `upper`: exact bounds (int or Fraction for numbers, date or datetime for dates), both or neither;
    values outside are clamped. `values`: the public list of values; others become NULL. `references`: the public
    column whose values are that list. `max_length`: the most characters of a text, MAX_TEXT unless the policy says
    so; what is longer is cut off. `step`: the grid that
    sums are taken on. `unit_total`: the most that one unit's |values| may add up to. `nullable`: a declared
    fact. `hidden`: may be a key, never in a query. `partition`: a declared fact, that all rows of a unit have one
    value of it, in every table of the unit that says so; NULL and what is not listed are together one value more.
    `field`: the values stand in the JSON text of another column of the source; the name is what a query writes for it.
    """

    name: str
    type: ColumnType
    lower: Scalar | None = None
    upper: Scalar | None = None
    values: tuple[Scalar, ...] | None = None
    step: Fraction | None = None
    unit_total: Fraction | None = None
    nullable: bool = False
    hidden: bool = False
    partition: bool = False
    max_length: int | None = None
    references: Reference | None = None
    field: JsonField | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The policy's keys that lead to it, under its table's `columns`."""
        if self.field is None or not self.field.steps:
            return (self.name,)
        return self.field.column, "fields", ".".join(self.field.steps)

    @property
    def path(self) -> str:
        """The same as one text."""
        return ".".join(self.keys)

    @property
    def is_listed(self) -> bool:
        """Whether its values are listed, in the policy or in a public table: what is not among them is NULL."""
        return self.values is not None or self.references is not None

    @property
    def longest(self) -> int:
        """The longest private text of this column after truncation, in characters."""
        return self.max_length if self.max_length is not None else MAX_TEXT


@dataclass(frozen=True, slots=True)
class UnitPath:
    """A foreign key that leads to the owner: `column` holds the `key`, a unique column, of the private `table`."""

    column: str
    table: str
    key: str


@dataclass(frozen=True, slots=True)
class Table:
    """A listed table.

    Private tables have `unit_key` (the column that names the owner of a row), `unit_path` (whose last step leads to a
    table with a `unit_key`) or `row_is_unit`. Public tables have none; their `columns` may be empty, and are then read
    from the source. `view` says that the source may be a view, and of what kind; None that it is none.
    """

    name: str
    source: Source
    public: bool = False
    unit_key: str | None = None
    row_is_unit: bool = False
    one_row_per_unit: bool = False
    max_rows_per_unit: int | None = None
    columns: tuple[Column, ...] = ()
    unit_path: UnitPath | None = None
    view: ViewKind | None = None

    @property
    def source_columns(self) -> tuple[Column, ...]:
        """The columns as the source has them: JSON text, a field of no steps, in the place of what is within it."""
        read = {c.field.column if c.field else c.name: c for c in self.columns}
        return tuple(
            c if c.field is None else Column(name, ColumnType.TEXT, nullable=True, field=JsonField(name, ()))
            for name, c in read.items()
        )

    def column(self, name: str) -> Column | None:
        """The column of that name in any case, as DuckDB compares names, or None."""
        wanted = name.lower()
        return next((c for c in self.columns if c.name.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Unit:
    """The privacy unit: `column` of `table`, or, where `column` is None, each row of `table`."""

    table: str
    column: str | None

    def __str__(self) -> str:
        return f"{self.table}.{self.column or '*'}"


@dataclass(frozen=True, slots=True)
class Privacy:
    """Who is protected, against which neighbours, and the dataset's caps on the aggregated relation.

    `max_groups_per_unit` caps the groups in which a unit is counted as a unit, or helps a group to be shown; sums and
    counts of rows do not heed it. `mechanisms`, sorted, are the only ones that may be used; None leaves the choice to
    the planner. `clipping` is what a query gets that does not say itself how limits are found.
    """

    unit: str
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    max_rows_per_unit: int | None = None
    mechanisms: tuple[Mechanism, ...] | None = None
    max_groups_per_unit: int | None = None
    clipping: ClippingMode = ClippingMode.FIXED


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit on what may be spent in a window, and, for an analyst, the default and the most for one query."""

    limit: Cost
    per_query: Cost
    window: Window = Window.NEVER


@dataclass(frozen=True, slots=True)
class Role:
    """A group of analysts with an account of its own, which pays beside theirs; `members` are folded names."""

    name: str
    budget: Budget
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """The account of the data, over all analysts together; `name` is the ledger's for it."""

    limit: Cost
    window: Window = Window.NEVER
    name: str = "main"


@dataclass(frozen=True, slots=True)
class CalibratedDraw:
    """A draw of histograms whose numbers stand in a policy: `name` is the ledger's for it, `epsilon` the sum over all.

    Each of the `histograms` had an equal share of epsilon. Whoever may read the policy has received the draw.
    """

    name: str
    epsilon: Fraction
    histograms: int


@dataclass(frozen=True, slots=True)
class Policy:
    """A whole policy.

    `path` is the file it came from; `digest` identifies its privacy-relevant content. `admin_log` is where
    details of failures are written for the admin alone. `calibrated` are the draws that limits in it were taken from.
    `revoked` are the folded names of those who may ask nothing, whatever else is granted. `unknown_analysts` is None
    where the policy does not say what becomes of analysts whom it does not name: they have the default.
    """

    path: Path
    digest: str
    privacy: Privacy
    tables: tuple[Table, ...]
    dataset: Dataset
    default: Budget | None
    analysts: tuple[tuple[str, Budget], ...]
    accountant: AccountantName
    engine: EngineLimits = EngineLimits()
    admin_log: Path | None = None
    roles: tuple[Role, ...] = ()
    calibrated: tuple[CalibratedDraw, ...] = ()
    revoked: tuple[str, ...] = ()
    unknown_analysts: UnknownAnalysts | None = None

    def table(self, name: str) -> Table | None:
        """The table of that name in any case, or None."""
        wanted = name.lower()
        return next((t for t in self.tables if t.name.lower() == wanted), None)

    def budget(self, analyst: str) -> Budget | None:
        """The analyst's own budget, or that of the role, or the default, or None where the policy grants nothing."""
        if analyst in self.revoked:
            return None
        role = self.role(analyst)
        shared = role.budget if role is not None else self.default_of_unknown
        return next((b for name, b in self.analysts if name == analyst), shared)

    @property
    def default_of_unknown(self) -> Budget | None:
        """The budget of an analyst whom the policy does not name; None where such an analyst may ask nothing."""
        return None if self.unknown_analysts is UnknownAnalysts.REFUSE else self.default

    @property
    def somebody(self) -> str:
        """An analyst who has a budget: one whom the policy does not name, if such a one has."""
        members = (name for role in self.roles for name in role.members)
        named = (*(name for name, _ in self.analysts), *members)
        granted = (name for name in named if self.budget(name) is not None)
        return "somebody" if self.default_of_unknown is not None else next(granted, "somebody")

    def role(self, analyst: str) -> Role | None:
        """The role that the analyst is a member of, or None."""
        return next((r for r in self.roles if analyst in r.members), None)
