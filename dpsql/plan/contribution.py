"""Contribution bounding: how many rows of a unit a part may see, and what must be enforced for that."""

from __future__ import annotations

from dataclasses import replace

from dpsql.algebra.alike_rows import is_alike
from dpsql.algebra.catalog import Catalog
from dpsql.algebra.question import Question
from dpsql.algebra.relations import Scan, Source, sources
from dpsql.algebra.shape import Shape
from dpsql.errors import QueryRefused
from dpsql.plan.types import Bounding
from dpsql.policy.model import Policy
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Contribution:
    """At most `rows` rows of one unit are aggregated once `bounding` is enforced; None where nothing limits them.

    `groups` is the policy's max_groups_per_unit where it is below that: what counts units may heed it instead. `cells`
    are all the groups that are shown, None where nobody knows how many; `together` says that all rows of a unit are in
    one group, whichever it is. `scaled`: the limits are those of one row, since a unit's rows together are scaled to a
    threshold later.
    """

    rows: int | None
    bounding: Bounding
    groups: int | None = None
    cells: int | None = None
    together: bool = False
    scaled: bool = False

    @property
    def in_any_case(self) -> int | None:
        """The most groups of a unit as far as the groups themselves say, however many rows it has."""
        return 1 if self.together else self.cells

    @property
    def over_all_rows(self) -> bool:
        """Whether a unit is in fewer groups than any cap would leave: its groups are counted over all of its rows."""
        caps = [n for n in (self.rows, self.groups) if n is not None]
        return self.in_any_case is not None and all(self.in_any_case < n for n in caps)

    @property
    def touched(self) -> int | None:
        """g, the most groups that a unit is counted in once `counted_bounding` is enforced."""
        if self.over_all_rows:
            return self.in_any_case
        return self.rows if self.groups is None else self.groups

    @property
    def counted_bounding(self) -> Bounding:
        """Which rows are read where units are counted: all of the groups that are kept, rather than some rows."""
        if self.groups is None and not self.over_all_rows:
            return self.bounding
        kept = None if self.over_all_rows else self.groups
        return Bounding(table_cap=self.bounding.table_cap, groups=kept)

    @property
    def by_rows(self) -> Contribution:
        """The same with nothing known of groups: all that is counted is limited by rows."""
        return replace(self, groups=None, cells=None, together=False)

    def most_groups(self, question: Question) -> int:
        """g. Refuses a question where nothing limits it."""
        found = self.touched
        return self.limit(question) if found is None else found

    def limit(self, question: Question) -> int:
        """m, the most rows of a unit. Refuses a question about a table on which nothing limits them."""
        if self.rows is None and self.bounding.table_cap:
            raise QueryRefused(
                "the policy does not limit how many rows one unit may own once a join has multiplied them",
                place=question.place,
                hint="The policy needs max_rows_per_unit under privacy; that of the table is heeded before the join.",
            )
        if self.rows is None:
            raise QueryRefused(
                "the policy does not limit how many rows of the table one unit may own",
                place=question.place,
                hint="The policy needs max_rows_per_unit, for the table or under privacy; "
                "without it, units are counted (by groups: under max_groups_per_unit, or in public groups) "
                "and columns with a unit_total are summed.",
            )
        return self.rows


def contribution(shape: Shape, policy: Policy) -> Contribution:
    """What one unit can contribute to a relation, with the dataset's cap injected only where it is needed.

    Rows that are units of their own have no key to count by, so that only their proven multiplicity applies.
    """
    owner = shape.owner
    assert owner is not None
    table = policy.table(owner.table) if isinstance(owner, Scan) else None
    capped = table is not None and table.max_rows_per_unit is not None and not table.one_row_per_unit
    proven, cap = shape.rows_per_unit, policy.privacy.max_rows_per_unit
    alone = table is not None and table.row_is_unit
    inject = cap is not None and not alone and (proven is None or proven > cap)
    rows, groups = cap if inject else proven, policy.privacy.max_groups_per_unit
    every_row = any(t.row_is_unit for t in policy.tables)
    if every_row or (rows is not None and groups is not None and groups >= rows):
        groups = None
    return Contribution(rows, Bounding(table_cap=capped, rows=cap if inject else None), groups)


def to_groups(limits: Contribution, question: Question, cells: int | None, catalog: Catalog) -> Contribution:
    """The limits with what is known of the question's groups, of which `cells` are shown.

    Rows that are units themselves are counted as rows, so that nothing is said of them.
    """
    if any(_is_own_unit(s, catalog) for s in sources(question.relation)):
        return limits
    together = not question.keys or is_alike(question.keys, question.relation, catalog)
    return replace(limits, cells=None if cells is None else max(cells, 1), together=together)


def _is_own_unit(source: Source, catalog: Catalog) -> bool:
    info = catalog.table(source.table) if isinstance(source, Scan) else None
    return info is not None and info.row_is_unit
