"""A SELECT that aggregates the rows of each unit by itself: its result is private rows, one for each unit and group."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.of_unit import PerUnitMeasure
from dpsql.algebra.ownership import unit_column, unit_type
from dpsql.algebra.relations import Filter, PerUnit, Relation, conjuncts
from dpsql.algebra.shape import shape
from dpsql.errors import QueryRefused
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.column_names import default_name
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import in_having, in_window, shallow
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.per_unit_aggregates import UnitMeasures, any_value
from dpsql.sql.bind.row_owner import Owner
from dpsql.sql.bind.scope import Output, Scope
from dpsql.sql.dialect import Node

# Makes the binder of expressions over what has been aggregated.
MakeBinder = Callable[[Scope, Callable[[Node], Expr | None]], Binder]


class PerUnitScope:
    """Turns one such SELECT into a relation and its outputs."""

    def __init__(
        self,
        node: exp.Select,
        relation: Relation,
        keys: tuple[Expr, ...],
        owner: Owner,
        binder: Binder,
        catalog: Catalog,
        index: int,
    ) -> None:
        self._node = node
        self._relation = relation
        self._keys = tuple(k for k in keys if not owner.is_unit(k))
        self._owner = owner
        self._binder = binder
        self._bound = UnitMeasures(binder, lambda: shape(relation, catalog).facts())
        self._catalog = catalog
        self._index = index
        self._outside: Binder | None = None
        self._measures: list[PerUnitMeasure] = []
        self._aliases = {i.alias.lower(): i.this for i in node.expressions if isinstance(i, exp.Alias)}

    def build(self, make: MakeBinder) -> tuple[Relation, tuple[Output, ...]]:
        """The private relation of the SELECT and its columns. Raises QueryRefused."""
        for clause in ("qualify", "windows"):
            if self._node.args.get(clause):
                raise QueryRefused(
                    f"{clause.upper()} beside GROUP BY over the rows of one unit is not supported",
                    place=place_of(self._node),
                    hint="Group in a derived table, and number its rows around it.",
                )
        if self._node.args.get("distinct") is not None and self._node.args.get("group") is not None:
            raise QueryRefused(
                "DISTINCT over groups of private rows depends on the rows of others",
                place=place_of(self._node),
                hint="Leave DISTINCT out, or GROUP BY out.",
            )
        outside = self._outside = make(Scope(()), self._stands_for)
        outputs = tuple(
            Output(i.alias or default_name(i), outside.bind(i.unalias())) for i in self._node.expressions
        )
        having = self._node.args.get("having")
        kept = conjuncts(outside.predicate(having.this)) if having is not None else ()
        node = PerUnit(self._relation, self._index, self._keys, tuple(self._measures))
        return (Filter(node, kept) if kept else node), outputs

    def column(self, key: Expr) -> Column:
        """The column of the relation that holds a key, or the unit."""
        if self._owner.is_unit(key):
            return unit_column(self._index, unit_type(self._owner.source, self._catalog))
        return Column(self._index, f"k{self._keys.index(key)}", key.type)

    def _stands_for(self, node: Node) -> Expr | None:
        """The column of the per-unit relation that a key, the unit or an aggregate has become."""
        if self._is_aggregate(node):
            return self._measure_column(node)
        if isinstance(node, exp.Literal | exp.Null | exp.Boolean) or self._has_aggregate(node):
            return None
        key = self._key_column(node)
        if key is None and isinstance(node, exp.Column):
            return self._alias(node)
        return key

    def _key_column(self, node: Node) -> Column | None:
        if isinstance(node, exp.Column) and self._binder.scope.find(node) is None:
            return None
        if self._binder.marks is not None and not self._binder.marks.knows(node):
            return None
        try:
            bound = self._binder.bind(node)
        except QueryRefused:
            return None
        return self.column(bound) if self._owner.is_unit(bound) or bound in self._keys else None

    def _alias(self, node: exp.Column) -> Expr | None:
        """A name of the SELECT list stands for its expression; any other column is neither key nor aggregate."""
        name = node.name.lower()
        is_name = not node.table and name in self._aliases and in_having(node)
        if not is_name and self._binder.scope.find(node) is not None:
            raise QueryRefused(
                f'the column "{node.name}" is neither grouped nor aggregated',
                place=place_of(node),
                hint="Add it to GROUP BY, or aggregate it.",
            )
        written = self._aliases.pop(name, None) if not node.table else None
        if written is None:
            raise self._binder.scope.unknown(node)
        assert self._outside is not None
        try:
            return self._outside.bind(written)
        finally:
            self._aliases[name] = written

    def _is_aggregate(self, node: Node) -> bool:
        call = node.this if isinstance(node, exp.Filter) else node
        return (is_aggregate(call) or any_value(call) is not None) and not in_window(node)

    def _has_aggregate(self, node: Node) -> bool:
        return any(is_aggregate(n) for n in shallow(node))

    def _measure_column(self, node: Node) -> Column:
        measure = self._bound.measure(node)
        if measure not in self._measures:
            self._measures.append(measure)
        return Column(self._index, f"a{self._measures.index(measure)}", measure.type)
