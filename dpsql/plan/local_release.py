"""Row by row: the release of a local question, and what has to hold so that only the values are private.

Requires: neighbours substitute a unit, every row of the relation is a row of the unit's own table, unfiltered, no unit
has two, and none has rows elsewhere without one here. Then neighbours have the same number of rows, and differ in the
values of one.

Because: each response is epsilon-private for its row's value, so that the rows of neighbours differ in one row's
responses, whose epsilons add up; their random order is drawn without the data.
"""

from __future__ import annotations

from fractions import Fraction

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.local import LocalQuestion, Response, values_of
from dpsql.algebra.relations import Scan
from dpsql.algebra.shape import shape, table_of
from dpsql.errors import QueryRefused
from dpsql.plan.contribution import contribution
from dpsql.plan.keys.domains import declared
from dpsql.plan.types import Keys, Local, LocalColumn, Release
from dpsql.policy.model import Policy, Table
from dpsql.privacy import Mechanism, Neighbours


def check_local(question: LocalQuestion, policy: Policy, catalog: Catalog) -> None:
    """Refuses a question where the presence or the number of rows would tell something."""
    if policy.privacy.neighbours is not Neighbours.SUBSTITUTE:
        raise QueryRefused(
            "a response of every row tells how many rows there are, which neighbours: add_remove protects",
            place=question.place,
            hint="Aggregate the rows; the policy needs neighbours: substitute for local release.",
        )
    table = owned(question, policy, catalog)
    if table is None:
        raise QueryRefused(
            f"rows are released one by one only from the table of the privacy unit, {policy.privacy.unit}",
            place=question.place,
            hint="In another table, whether a unit has a row is private. Aggregate its rows.",
        )
    if not (table.one_row_per_unit or table.row_is_unit):
        raise QueryRefused(
            "a unit may have several rows, and how many it has would be seen",
            place=question.place,
            hint="The policy needs one_row_per_unit for the table, if that is so. Aggregate the rows.",
        )
    others = [t.name for t in policy.tables if t.unit_key is not None and t.name != table.name]
    if others:
        raise QueryRefused(
            f"a unit may have rows in {others[0]} alone, and whether it has one in {table.name} would be seen",
            place=question.place,
            hint=f"The policy needs unit_path for {others[0]}: its rows belong to those of {table.name} then. "
            "Aggregate the rows.",
        )


def owned(question: LocalQuestion, policy: Policy, catalog: Catalog) -> Table | None:
    """The table of the privacy unit where the question reads all of its rows and nothing else, or None."""
    relation = question.relation
    if not isinstance(relation, Scan):
        return None
    name = table_of(relation, catalog).name
    unit, _, _ = policy.privacy.unit.rpartition(".")
    table = policy.table(name)
    return table if table is not None and unit.lower() == name.lower() else None


def local_release(
    question: LocalQuestion, shares: list[Fraction], policy: Policy, catalog: Catalog
) -> Release:
    """The release of a checked question, each response with its share of epsilon. Raises QueryRefused."""
    if min(shares) <= 0:
        raise QueryRefused(
            "the query's epsilon is too small to be shared by its responses",
            place=question.place,
            hint="Ask for fewer of them, or with a larger epsilon.",
        )
    shaped = shape(question.relation, catalog)
    facts = shaped.base_facts()
    columns = []
    for kind, expr, epsilon in zip(question.kinds, question.keys, shares, strict=True):
        values = values_of(expr, question.relation, catalog)
        assert values is not None, "the cut asks for a public list of values"
        columns.append(LocalColumn(mechanism_of(kind, len(values)), values, epsilon))
    keys = Keys(question.keys, tuple(declared(k, facts.of(k)) for k in question.keys), ())
    part = Local(contribution(shaped, policy).bounding, tuple(columns))
    return Release(question, keys, (part,), ())


def mechanism_of(kind: Response, values: int) -> Mechanism:
    """The mechanism of a response to one of so many values."""
    if kind is Response.RAPPOR:
        return Mechanism.RAPPOR
    return Mechanism.RANDOMIZED_RESPONSE if values == 2 else Mechanism.K_RANDOMIZED_RESPONSE
