"""Other spellings of the same: every change that is made of a query's tree before it is cut, in order.

`after` in the examples is that of tests/sql/test_rules.py: it reads the SQL, makes the change and writes what is left.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from functools import lru_cache
from typing import Final

from sqlglot import exp

from dpsql.slotted import dataclass
from dpsql.sql.ast.traversal import every, holds, of_kinds
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.dialect_functions import count_rows, without_foreign
from dpsql.sql.normalize.distinct import one_of_alike, windows_first, without_distinct_on
from dpsql.sql.normalize.foreign.ages import without_ages
from dpsql.sql.normalize.foreign.constant_moments import digits_of_day, with_dashes
from dpsql.sql.normalize.foreign.cut_patterns import with_cut_patterns
from dpsql.sql.normalize.foreign.date_parts import without_foreign_parts
from dpsql.sql.normalize.foreign.decided_conditions import COMPARED, choose_units, is_decided, without_decided
from dpsql.sql.normalize.foreign.foreign_forms import (
    LOOSE,
    takes_other_type,
    with_arrays_as_series,
    with_casts,
    with_joined_texts,
    with_series_unnested,
    with_typed_series,
    without_shares,
)
from dpsql.sql.normalize.foreign.foreign_types import (
    own_type,
    plain_type,
    without_foreign_types,
    without_sizes,
)
from dpsql.sql.normalize.foreign.quantile_lists import without_quantile_lists
from dpsql.sql.normalize.foreign.several_patterns import LIKES, without_patterns
from dpsql.sql.normalize.foreign.text_dates import without_quarter_steps
from dpsql.sql.normalize.group_filters import keep_groups_late, without_all
from dpsql.sql.normalize.join_syntax import is_joined, without_parentheses
from dpsql.sql.normalize.lateral_tables import is_lateral, join_groups, without_lateral
from dpsql.sql.normalize.pivot import without_pivots
from dpsql.sql.normalize.quantified_comparisons import without_braces, without_quantifiers
from dpsql.sql.normalize.recursive_series import without_recursion
from dpsql.sql.normalize.spellings import (
    OPERATORS,
    counts_nothing,
    counts_table,
    has_loose_sign,
    is_decimal_cast,
    is_interval_cast,
    names_database,
    with_close_signs,
    with_long_units,
    with_parentheses,
    with_stars,
    without_catalog,
    without_collations,
    without_exact_casts,
    without_interval_casts,
    without_matches,
    without_row_counts,
    without_symmetric,
)
from dpsql.sql.normalize.split_parts import without_subscripts
from dpsql.sql.normalize.table_functions import listed_in, without_series
from dpsql.sql.normalize.unpivot import without_lateral_rows, without_unpivots
from dpsql.sql.normalize.within_group import KINDS as QUANTILES
from dpsql.sql.normalize.within_group import (
    without_groups_in_windows,
    without_within_group,
    without_written_groups,
)
from dpsql.sql.normalize.written_lists import without_values
from dpsql.sql.normalize.zoned_moments import has_zone, without_zones

# Trees of so many kinds have their rules looked up once.
_REMEMBERED: Final = 256


class Stage(Enum):
    """When a change is made."""

    DIALECT = auto()
    """What DuckDB cannot read: where a rule says that there was such a thing, DuckDB gets the tree for the text."""
    WRITTEN = auto()
    """Only then: what sqlglot would write otherwise than it stands."""
    FORM = auto()
    """One form for what has several, which DuckDB reads alike."""
    CUT = auto()
    """Directly before the cut: queries that are known better in another form."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One change of a tree, in place; made only where the tree holds a node of these kinds, and one that is `meant`.

    `change` says whether DuckDB has to get the tree from now on; it may raise QueryRefused. Without `meant` all nodes
    of these kinds are.
    """

    stage: Stage
    change: Callable[[exp.Query], bool | None]
    kinds: tuple[type[Node], ...]
    meant: Callable[[Node], object] = bool


RULES: Final = (
    # First, because sqlglot would write `~` as SIMILAR TO: the next rules name columns by what is written.
    Rule(Stage.DIALECT, without_matches, OPERATORS),
    Rule(Stage.DIALECT, with_long_units, (exp.Interval,)),
    Rule(Stage.DIALECT, with_close_signs, (exp.Interval, exp.Cast), has_loose_sign),
    # Before functions, whose units may be such texts.
    Rule(Stage.DIALECT, choose_units, (exp.Case,)),
    Rule(Stage.DIALECT, without_row_counts, (exp.Count,), counts_table),
    # Before subscripts, of which the others are parts of a text.
    Rule(Stage.DIALECT, with_cut_patterns, (exp.Substring, exp.Bracket)),
    Rule(Stage.DIALECT, without_quantile_lists, (exp.Bracket,)),
    Rule(Stage.DIALECT, without_subscripts, (exp.Bracket,)),
    Rule(Stage.DIALECT, without_symmetric, (exp.Between,)),
    Rule(Stage.DIALECT, without_patterns, LIKES),
    Rule(Stage.DIALECT, without_braces, (exp.Any, exp.All, exp.Anonymous)),
    Rule(Stage.DIALECT, without_values, (exp.Values,)),
    Rule(Stage.DIALECT, without_foreign_types, (exp.DataType,), own_type),
    Rule(Stage.DIALECT, without_all, (exp.Qualify,)),
    # Before PIVOT, which all others are then.
    Rule(Stage.DIALECT, without_unpivots, (exp.Pivot,)),
    # Before all that is done to aggregates, of which this makes copies.
    Rule(Stage.DIALECT, without_pivots, (exp.Pivot,)),
    # Before functions, so that the copies of calls in it are counted.
    Rule(Stage.DIALECT, count_rows, (exp.Distinct,)),
    Rule(Stage.DIALECT, without_groups_in_windows, (exp.WithinGroup,)),
    Rule(Stage.DIALECT, without_shares, (exp.Window,)),
    Rule(Stage.DIALECT, without_foreign, (exp.Anonymous,)),
    # After functions, which may be such casts.
    Rule(Stage.DIALECT, with_dashes, (exp.Cast,), digits_of_day),
    Rule(Stage.DIALECT, without_quarter_steps, (exp.Sub,)),
    Rule(Stage.DIALECT, without_foreign_parts, (exp.Extract,)),
    Rule(Stage.DIALECT, with_joined_texts, (exp.Add,)),
    Rule(Stage.DIALECT, with_casts, LOOSE, takes_other_type),
    Rule(Stage.DIALECT, with_series_unnested, (exp.GenerateSeries,)),
    Rule(Stage.DIALECT, with_arrays_as_series, (exp.Unnest,)),
    Rule(Stage.DIALECT, with_typed_series, (exp.GenerateSeries,)),
    # After functions: CONVERT_TIMEZONE becomes AT TIME ZONE.
    Rule(Stage.DIALECT, without_zones, (exp.AtTimeZone, exp.Anonymous, exp.Cast), has_zone),
    Rule(Stage.WRITTEN, without_written_groups, (exp.WithinGroup,)),
    Rule(Stage.FORM, without_decided, COMPARED, is_decided),
    Rule(Stage.FORM, without_sizes, (exp.DataType,), plain_type),
    Rule(Stage.FORM, without_collations, (exp.Collate,)),
    Rule(Stage.FORM, without_ages, (exp.Anonymous,)),
    Rule(Stage.FORM, with_stars, (exp.Count,), counts_nothing),
    Rule(Stage.FORM, without_recursion, (exp.With,)),
    Rule(Stage.FORM, without_distinct_on, (exp.Distinct,)),
    # Before series, whose steps may be intervals.
    Rule(Stage.FORM, without_interval_casts, (exp.Cast,), is_interval_cast),
    Rule(Stage.FORM, without_exact_casts, (exp.Cast,), is_decimal_cast),
    Rule(Stage.FORM, without_series, (exp.Table, exp.Unnest, exp.Explode), listed_in),
    Rule(Stage.FORM, without_within_group, QUANTILES),
    Rule(Stage.FORM, without_lateral_rows, (exp.Lateral,)),
    # Before joins in parentheses, which it may stand in.
    Rule(Stage.FORM, without_lateral, (exp.Lateral,)),
    Rule(Stage.FORM, without_quantifiers, (exp.Any, exp.All, exp.Anonymous)),  # SOME is one of the last
    Rule(Stage.FORM, without_parentheses, (exp.Table, exp.Subquery), is_joined),
    Rule(Stage.FORM, with_parentheses, (exp.Not,)),
    Rule(Stage.FORM, without_catalog, (exp.Table, exp.Column), names_database),
    Rule(Stage.CUT, one_of_alike, (exp.Limit,)),
    Rule(Stage.CUT, windows_first, (exp.Distinct,)),
    Rule(Stage.CUT, keep_groups_late, (exp.Subquery,)),
    # After joins that only keep groups: what becomes of a LATERAL query is none of them.
    Rule(Stage.CUT, join_groups, (exp.Subquery,), is_lateral),
)
"""In this order within a stage; the stages have the order of `Stage`."""


def apply_rules(tree: exp.Query, stage: Stage) -> bool:
    """Makes the changes of one stage. Says whether DuckDB has to get the tree for the text."""
    nodes, begun, changed = every(tree), False, False
    for rule in _rules_for(frozenset(map(type, nodes)), stage):
        # What a change before it has left is known to the rule alone.
        if begun or any(map(rule.meant, of_kinds(nodes, *rule.kinds))):
            begun, changed = True, bool(rule.change(tree)) or changed
    return changed


@lru_cache(maxsize=_REMEMBERED)
def _rules_for(kinds: frozenset[type[Node]], stage: Stage) -> tuple[Rule, ...]:
    """The rules of a stage that change something in a tree with nodes of these classes."""
    return tuple(rule for rule in RULES if rule.stage is stage and holds(kinds, *rule.kinds))
