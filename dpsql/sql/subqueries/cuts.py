"""What a query inside another one needs of the cutter of the query around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from sqlglot import exp

from dpsql.algebra.catalog import Catalog, TableInfo
from dpsql.algebra.question import Question
from dpsql.algebra.relations import Relation
from dpsql.sql.bind.from_state import Joined
from dpsql.sql.bind.policy_tables import SystemTable
from dpsql.sql.bind.row_owner import Owner
from dpsql.sql.bind.scope import Scope
from dpsql.sql.bind.selects import Ctes, OwnedRows, Private
from dpsql.sql.dialect import Node
from dpsql.sql.subqueries.released_source import Text

# Runs SQL on public values.
Evaluate = Callable[[str], Sequence[Sequence[object]]]
# What the sources of a FROM clause are: private rows, tables of the policy, or None for public queries.
Resolved = list[Private | TableInfo | SystemTable | None]


class Cuts(Protocol):
    """What a query inside an expression needs of the cutter of the query around it."""

    catalog: Catalog
    params: Mapping[str, object]
    now: datetime
    evaluate: Evaluate

    def query(self, node: Node, ctes: Ctes, top: bool = False) -> Private | None:
        """The private rows that a query stands for, or None once it is public."""

    def owned(self, node: exp.Select, ctes: Ctes, outer: Scope | None = None) -> OwnedRows | None:
        """The private rows behind a SELECT after its WHERE, or None for one that is public."""

    def resolved(self, items: list[Node], ctes: Ctes) -> Resolved:
        """What the sources of a FROM clause are."""

    def joined(
        self,
        items: list[Node],
        joins: list[exp.Join],
        tables: Resolved,
        ctes: Ctes,
        outer: Scope | None = None,
    ) -> Joined:
        """The FROM clause of these sources."""

    def released_input(self, node: Node, ctes: Ctes) -> Private:
        """The rows of a public query that has been cut, as an input of later releases."""

    def text(self, node: Node, ctes: Ctes) -> Text:
        """A public query that has been cut, as SQL."""

    def index(self, question: Question) -> int:
        """Which release answers a question."""

    def next(self, node: Node) -> int:
        """The index of one more source."""

    def owner(self, relation: Relation) -> Owner:
        """The owner of a relation's rows."""
