"""The text of a policy to fill in: names and types, and the questions that only the admin can answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from dpsql.policy.model import ColumnType
from dpsql.policy.names import column_name_mistake, name_mistake, table_name_mistake
from dpsql.policy.naming.key_names import NamedColumn, NamedTable
from dpsql.policy.naming.proposed_paths import Step, proposed_paths
from dpsql.slotted import dataclass

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_READ_AS_OTHER = frozenset({"yes", "no", "on", "off", "y", "n", "true", "false", "null"})

_HEAD = """\
# A policy for dpsql: who is protected, what may be asked, how much may be spent.
# Fill in what ends in a colon with nothing behind it; `dpsql check` says what is still open.
#
# A policy is public, so nothing in it may come from looking at the data. Take bounds and values from what is
# known without it: a law, a form, a price list, a code book, the time a study ran. A bound that is the data's
# own minimum or maximum gives somebody away. Bounds are instructions: numbers outside are moved to the bound,
# values that are not listed become NULL. Narrow bounds mean less noise and more values moved. Where a limit is not
# known, guess a wide one; `dpsql calibrate` then finds a better one privately, for a part of every budget.
version: 1
privacy:
  # Who is protected? `table.column`, the key that names a person, or `table.*` where every row is a person.
  unit:
  # add_remove: a person is in the data or not. substitute: the number of persons is public.
  neighbours: add_remove
  # How many rows of one person may count in one query? More keeps more of busy persons, at more noise.
  # max_rows_per_unit: 20
  # In how many groups may one person be counted as a person, or help a group of private keys to be shown?
  # max_groups_per_unit: 5
tables:
"""
_PUBLIC_TEXT = "; in a public table it can, as {type: text}"
_FIELDS = "{type: json, fields: {humidity: {type: float, lower: 0, upper: 100}}}"
_JSON_NAMES = frozenset(
    {"json", "jsonb", "payload", "attributes", "properties", "metadata", "props", "attrs", "params"}
)
_TABLE = """\
  {name}:
    source: {source}
{form}{whose}{owner}{rows}    columns:
"""
# Said of the first table alone: a policy of ten tables would be comments otherwise.
_WHOSE = """\
    # Who owns a row? The column with the person's key. Instead of this line, `public: true` where nobody is
    # protected, or nothing at all where every row of this table is a person, and in the table of the unit itself.
    # Where the rows belong to those of another table, which says whose they are:
    # `unit_path: {visit_id: visits.visit_id}`. A key of visits in the place of a person's would protect each visit as
    # if it were a person.
"""
_ROWS = """\
    # one_row_per_unit: true       # if nobody has two rows here; this is verified
    # max_rows_per_unit: 10        # the most rows of one person, chosen before any filter
    # List only what queries need: what is not listed does not exist. Behind a column's type may stand:
    #   lower: 0, upper: 100       for numbers and dates; needed for SUM, AVG and the like
    #   step: 0.01                 the precision of sums of a number
    #   unit_total: 1000           the most that one person's values may add up to
    #   values: [a, b]             the public list of a text, integer, boolean or date
    #   references: shops.id       in its place, where the list is the keys of a public table; they are verified
    #   nullable: true             if there may be NULL; this is verified
    #   hidden: true               for keys that no query may name
    #   partition: true            if a person's rows all have one of `values`; this is verified
    # A column of JSON text lists its fields: {type: json, fields: {humidity: {type: float}, sensor.name: {type: text}}}
"""
_TAIL = """\
budgets:
  # The most that all analysts together may ever learn: around 1 protects strongly, above 10 weakly.
  # delta is the chance that the promise fails: far below one in the number of persons. Noise needs one above 0, and
  # so does grouping by columns without a public list.
  dataset:
    epsilon:
    delta: 1e-6
  # What an analyst may spend in all, and the most for one query (a tenth of it unless given).
  default:
    epsilon:
    delta: 1e-6
    # per_query: 0.1
    # window: monthly              # when it begins anew, here or under dataset: the promise is for each window
  # Who may ask. `alice: {}` has what `default` grants. `bob: {epsilon: 1, delta: 1e-6, per_query: 0.1}` has another
  # budget, `carol: {revoked: true}` none. Who is not named is refused; with `unknown_analysts: default` everybody else
  # has the default as well, also an analyst whose line is deleted here.
  unknown_analysts: refuse
  analysts:
  # roles:                         # groups that have a budget together, beside their members' own
  #   sales: {epsilon: 2, delta: 1e-6, members: [alice, bob]}
# How costs add up. zcdp: many small queries have much less error; it needs a delta. pure, approx: epsilons add up.
accountant: zcdp
# How the engines run. process: each in a child process with hard limits; choose it where analysts are not trusted.
# engine: {isolation: process, memory: 4GB, seconds: 600}
#   temp_directory: /var/tmp       where private rows that do not fit into memory may be written; nowhere without it
#   prepared: tables.prepared      where `dpsql prepare` keeps a copy of the private tables that is quicker to read
#   deadline: 5                    seconds at which answers are given, so that their time says nothing about the data
# admin_log: failures.log          # details of failures, which no analyst may see
"""


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column of a source: its type in a policy, None where there is none, and the source's own as `raw`."""

    name: str
    type: ColumnType | None
    raw: str


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table that a policy could list: its name, its source as the policy would write it, its columns.

    `form` is what is unusual about how a CSV file is written, by the keys of a policy's `format`.
    """

    name: str
    source_text: str
    columns: tuple[SourceColumn, ...]
    form: Mapping[str, str | bool | None] = field(default_factory=dict)


def skeleton(tables: Sequence[SourceTable]) -> str:
    """A policy of these tables' names and types, in which every decision is left open and explained.

    It does not load until the decisions are made: the unit, each private table's key, the budgets. Where a table's
    names say that its rows belong to those of another, its `unit_path` is filled in. Nothing
    but names and types is taken from the sources; of a type only its first word: an ENUM's holds values.
    """
    paths = proposed_paths([_named(t) for t in tables])
    first = next((t for t in tables if _mistake(t) is None), None)
    texts = (_table(t, _owner(paths.get(t.name)), explained=t is first) for t in tables)
    return _HEAD + "".join(texts) + _TAIL


def _named(table: SourceTable) -> NamedTable:
    columns = (
        NamedColumn(table.name, c.name, c.type) for c in table.columns if not column_name_mistake(c.name)
    )
    return NamedTable(table.name, tuple(c for c in columns if c.type is not None))


def _owner(found: Step | None) -> str:
    """The line that says who owns a row: open, or the path that names suggest."""
    if found is None or table_name_mistake(found[1].table):
        return "    unit_key:\n"
    column, key = found
    return f"    unit_path: {{{key_text(column.name)}: {_flow_text(f'{key.table}.{key.name}')}}}   # by their names\n"


def _flow_text(text: str) -> str:
    """A scalar within braces, in quotes where it is not of plain words and dots."""
    return text if all(map(_WORD.fullmatch, text.split("."))) else _quoted(text)


def _mistake(table: SourceTable) -> str | None:
    """Why a table cannot be listed; None where it can."""
    return table_name_mistake(table.name) or name_mistake(table.source_text)


def _table(table: SourceTable, owner: str, *, explained: bool) -> str:
    if mistake := _mistake(table):
        return f"  # {json.dumps(table.name)} cannot be listed: {mistake}\n"
    given = ", ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in table.form.items())
    form = f"    format: {{{given}}}\n" if given else ""
    text = table.source_text
    source = text if _PATH.fullmatch(text) and text.lower() not in _READ_AS_OTHER else _quoted(text)
    whose, rows = (_WHOSE, _ROWS) if explained else ("", "")
    head = _TABLE.format(
        name=key_text(table.name), source=source, form=form, whose=whose, owner=owner, rows=rows
    )
    return head + "".join(map(_column, table.columns))


def _column(column: SourceColumn) -> str:
    if column.type is None:
        word = _WORD.match(column.raw)
        raw = word.group() + "[]" * column.raw.endswith("]") if word else "this"
        return f"      # {json.dumps(column.name)} cannot be listed: a policy has no type for {raw}{_PUBLIC_TEXT}\n"
    if mistake := column_name_mistake(column.name):
        return f"      # {json.dumps(column.name)} cannot be listed: {mistake}\n"
    listed = f"      {key_text(column.name)}: {{type: {column.type}}}"
    return f"{listed}{_json_said(column)}\n"


def _json_said(column: SourceColumn) -> str:
    """How a text is listed that is JSON by its type, or may be by its name: no value is looked at."""
    if column.raw == "JSON":
        return f"   # to read its fields: {_FIELDS}"
    words = set(re.split(r"[^a-z]+", column.name.lower()))
    named = column.type is ColumnType.TEXT and bool(words & _JSON_NAMES)
    return f"   # if it holds JSON: {_FIELDS}" if named else ""


def key_text(name: str) -> str:
    """A name as a key of YAML, in quotes where it is no plain word."""
    plain = _WORD.fullmatch(name) and name.lower() not in _READ_AS_OTHER
    return name if plain else _quoted(name)


def _quoted(text: str) -> str:
    """A double-quoted YAML scalar; non-ASCII characters stand as they are: YAML has no surrogate pairs."""
    return json.dumps(text, ensure_ascii=False)
