"""Contribution bounding: how many rows of a unit a part may see, and what must be enforced for that."""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.algebra.question import Question
from dpsql.algebra.relations import Scan
from dpsql.algebra.shape import Shape
from dpsql.errors import QueryRefused
from dpsql.plan.types import Bounding
from dpsql.policy.model import Policy


@dataclass(frozen=True, slots=True)
class Contribution:
    """At most `rows` rows of one unit are aggregated once `bounding` is enforced; None where nothing limits them.

    `groups` is the policy's max_groups_per_unit where it is below that: what counts units may heed it instead.
    `scaled`: the limits are those of one row, since a unit's rows together are scaled to a threshold later.
    """

    rows: int | None
    bounding: Bounding
    groups: int | None = None
    scaled: bool = False

    @property
    def touched(self) -> int | None:
        """g, the most groups that a unit is counted in once `counted_bounding` is enforced."""
        return self.rows if self.groups is None else self.groups

    @property
    def counted_bounding(self) -> Bounding:
        """Which rows are read where units are counted: all of the groups that are kept, rather than some rows."""
        if self.groups is None:
            return self.bounding
        return Bounding(table_cap=self.bounding.table_cap, groups=self.groups)

    def most_groups(self, question: Question) -> int:
        """g. Refuses a question where nothing limits it."""
        return self.limit(question) if self.groups is None else self.groups

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
                "without it, units are counted (by groups: under max_groups_per_unit) "
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
