"""Who owns the rows of a relation: every private source in it must belong to one and the same unit.

Equalities tie sources together. Two sources have one owner where their unit keys are equal, or where both hold the
same value of a column that leads to one owner: a unique key of a private table, or a foreign key to it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import field
from typing import assert_never

from dpsql.algebra.catalog import Catalog, TableInfo
from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Mark,
    PerUnit,
    Relation,
    Released,
    Scan,
    Source,
    Union,
    Windows,
    equalities,
    sources,
)
from dpsql.algebra.types import SqlType
from dpsql.slotted import dataclass

UNIT = "#unit"
# A column that leads to one owner, as the table and the unique column that it identifies.
Reference = tuple[str, str]


class NotOneUnit(Exception):
    """Rows of the relation would belong to two units; `index` is the source that is not tied to the others."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


@dataclass(slots=True)
class Ties:
    """Which columns are equal, and which sources have one owner: classes of columns and of units."""

    catalog: Catalog
    _parents: dict[Hashable, Hashable] = field(default_factory=dict)
    _tied: list[Source] = field(default_factory=list)

    def root(self, node: Hashable) -> Hashable:
        """The representative of a node's class."""
        while (parent := self._parents.get(node, node)) != node:
            node = parent
        return node

    def unite(self, a: Hashable, b: Hashable) -> None:
        """Makes one class of two."""
        self._parents[self.root(a)] = self.root(b)

    def copy(self) -> Ties:
        """The same classes, to be extended apart."""
        return Ties(self.catalog, dict(self._parents), list(self._tied))

    def add(self, source: Source) -> None:
        """Takes in a source, with what its own columns say of its owner."""
        self._tied.append(source)
        for column in unit_columns(source, self.catalog):
            self.unite(column, _owner(source))

    def equal(self, predicates: tuple[Expr, ...]) -> None:
        """Takes in equalities of columns, and what follows from them for owners."""
        for a, b in equalities(predicates):
            if isinstance(a, Column) and isinstance(b, Column):
                self.unite(a, b)
        if len(self._tied) > 1:
            self._follow()

    def _follow(self) -> None:
        """Sources that hold one value of one reference have one owner; until nothing new follows."""
        changed = True
        while changed:
            changed = False
            known: dict[Hashable, Source] = {}
            for source in self._tied:
                for column, reference in references(source, self.catalog):
                    token = (reference, self.root(column))
                    first = known.setdefault(token, source)
                    if self.root(_owner(first)) != self.root(_owner(source)):
                        self.unite(_owner(first), _owner(source))
                        changed = True

    def one_owner(self, a: Source, b: Source) -> bool:
        """Whether rows of both sources that stand side by side have one owner for certain."""
        return self.root(_owner(a)) == self.root(_owner(b))

    def own(self, a: Source, column: Column) -> bool:
        """Whether a column holds the key of the source's owner."""
        return self.root(_owner(a)) == self.root(column)


def _owner(source: Source) -> Hashable:
    return ("owner", source.index)


def is_private(source: Source, catalog: Catalog) -> bool:
    """Whether the rows of a source have an owner."""
    if isinstance(source, Released):
        return False
    if isinstance(source, PerUnit | Windows | Union):
        return True
    info = catalog.table(source.table)
    return info is None or not info.public


def private_sources(relation: Relation, catalog: Catalog) -> list[Source]:
    """The private sources of a relation, from left to right."""
    return [s for s in sources(relation) if is_private(s, catalog)]


def unit_column(index: int, kind: SqlType) -> Column:
    """The column of a source that holds its owner."""
    return Column(index, UNIT, kind)


def unit_columns(source: Source, catalog: Catalog) -> Iterator[Column]:
    """The columns of a source that hold the key of its owner."""
    if isinstance(source, Scan):
        info = _info(source, catalog)
        key = info.column(info.unit_key) if info.unit_key is not None else None
        if key is not None:
            yield Column(source.index, key.name, key.type)
    elif isinstance(source, PerUnit | Windows | Union):
        yield unit_column(source.index, unit_type(source, catalog))
    elif not isinstance(source, Released):
        assert_never(source)


def never_null(relation: Relation, catalog: Catalog) -> Column | None:
    """A column of a relation of private rows that is NULL in none of them; None for rows that are units themselves."""
    first = private_sources(relation, catalog)[0]  # an outer join keeps what stands left of it
    own_key = next(unit_columns(first, catalog), None)
    if own_key is None and isinstance(first, Scan) and (path := _info(first, catalog).path) is not None:
        own = _info(first, catalog).column(path.column)
        assert own is not None
        return Column(first.index, own.name, own.type)
    return own_key


def unmatched(relation: Relation) -> Iterator[int]:
    """The indexes of the sources that an outer join can leave without a match."""
    if isinstance(relation, Filter | Mark):
        yield from unmatched(relation.source)
    elif isinstance(relation, Join):
        yield from unmatched(relation.left)
        yield from unmatched(relation.right)
        if relation.kind is JoinKind.LEFT:
            yield from (s.index for s in sources(relation.right))
    elif not isinstance(relation, Source):
        assert_never(relation)


def unit_type(source: Source, catalog: Catalog) -> SqlType:
    """The type of the unit's key."""
    while isinstance(source, PerUnit | Windows | Union):
        inner = source.branches[0].relation if isinstance(source, Union) else source.source
        source = private_sources(inner, catalog)[0]
    assert isinstance(source, Scan), "a released table has no unit"
    info = _info(source, catalog)
    while info.path is not None:
        parent = catalog.table(info.path.table)
        assert parent is not None
        info = parent
    key = info.column(info.unit_key) if info.unit_key is not None else None
    return key.type if key is not None else SqlType.INTEGER


def references(source: Source, catalog: Catalog) -> Iterator[tuple[Column, Reference]]:
    """The columns of a source that lead to one owner, and what they identify."""
    if isinstance(source, Scan):
        info = _info(source, catalog)
        if info.public:
            return
        if info.path is not None:
            own = info.column(info.path.column)
            assert own is not None
            yield Column(source.index, own.name, own.type), (info.path.table.lower(), info.path.key.lower())
        for name in info.unique:
            column = info.column(name)
            assert column is not None
            yield Column(source.index, name, column.type), (info.name.lower(), name.lower())
    elif isinstance(source, PerUnit):
        inner = _references(source.source, catalog)
        for i, key in enumerate(source.keys):
            if isinstance(key, Column) and key in inner:
                yield source.key(i), inner[key]
    elif isinstance(source, Windows):
        inner = _references(source.source, catalog)
        for i, output in enumerate(source.outputs):
            if isinstance(output, Column) and output in inner:
                yield source.column(i), inner[output]
    elif isinstance(source, Union):
        by_branch = [_references(b.relation, catalog) for b in source.branches]  # once: unions nest
        for i, outputs in enumerate(zip(*(b.outputs for b in source.branches), strict=True)):
            shared = {
                of.get(e) if isinstance(e, Column) else None for of, e in zip(by_branch, outputs, strict=True)
            }
            only = shared.pop()
            if not shared and only is not None:
                yield source.column(i), only
    elif not isinstance(source, Released):
        assert_never(source)


def _references(relation: Relation, catalog: Catalog) -> dict[Column, Reference]:
    return {c: r for s in sources(relation) for c, r in references(s, catalog)}


def _info(scan: Scan, catalog: Catalog) -> TableInfo:
    info = catalog.table(scan.table)
    assert info is not None, "a scan names a table of the policy"
    return info


def ties(relation: Relation, catalog: Catalog, above: tuple[Expr, ...] = ()) -> Ties:
    """What is tied to what in every row of a relation that passes the conjuncts `above`.

    A source that an outer join leaves without a match is NULL there and belongs to nobody. Raises NotOneUnit.
    """
    found = _ties(relation, catalog, above)
    _check(found, private_sources(relation, catalog))
    return found


def _ties(relation: Relation, catalog: Catalog, above: tuple[Expr, ...]) -> Ties:
    match relation:
        case Filter():
            return _with(_ties(relation.source, catalog, above + relation.conjuncts), relation.conjuncts)
        case Mark():
            found = _ties(relation.source, catalog, above)
            _check_mark(relation, found)
            return found
        case Join():
            return _join(relation, catalog, above)
        case Scan() | PerUnit() | Windows() | Union() | Released():
            _check_inside(relation, catalog)
            found = Ties(catalog)
            found.add(relation)
            return _with(found, above)
        case _:
            assert_never(relation)


def _check_inside(source: Source, catalog: Catalog) -> None:
    """The rows behind each row of a source must have one owner as well."""
    if isinstance(source, PerUnit | Windows):
        ties(source.source, catalog)
    elif isinstance(source, Union):
        for branch in source.branches:
            ties(branch.relation, catalog)
            if any(_row_is_unit(s, catalog) for s in sources(branch.relation)):
                raise NotOneUnit(source.index)  # nothing says of two rows that they are one
    elif not isinstance(source, Scan | Released):
        assert_never(source)


def _with(found: Ties, predicates: tuple[Expr, ...]) -> Ties:
    found.equal(predicates)
    return found


def _join(join: Join, catalog: Catalog, above: tuple[Expr, ...]) -> Ties:
    if join.kind is JoinKind.INNER:
        conditions = above + join.on
        return _both(
            _ties(join.left, catalog, conditions), _ties(join.right, catalog, conditions), conditions
        )
    left = _ties(join.left, catalog, above)
    matched = _both(left.copy(), _ties(join.right, catalog, join.on), join.on)
    outer, inner = private_sources(join.left, catalog), private_sources(join.right, catalog)
    _check(matched, [*outer, *inner])
    if inner and not outer:
        raise NotOneUnit(inner[0].index)  # rows without a match would belong to nobody
    for source in sources(join.right):
        left.add(source)
    for source in inner:
        if outer:
            left.unite(_owner(outer[0]), _owner(source))
    return left


def _both(a: Ties, b: Ties, predicates: tuple[Expr, ...]) -> Ties:
    for source in b._tied:
        a._tied.append(source)
    for node in list(b._parents):
        a.unite(node, b.root(node))
    a.equal(predicates)
    return a


def _check_mark(mark: Mark, found: Ties) -> None:
    """The rows that a mark looks at must be public, or belong to the unit of the row that is marked.

    Public rows belong to nobody: a mark on them that looks at private rows would tell of every unit's.
    """
    inside = _ties(mark.inner, found.catalog, mark.on)
    inner = private_sources(mark.inner, found.catalog)
    if not inner:
        return
    around = [s for s in found._tied if is_private(s, found.catalog)]
    if not around:
        raise NotOneUnit(inner[0].index)
    _check(_both(found.copy(), inside, mark.on), [*around, *inner])


def _check(found: Ties, private: list[Source]) -> None:
    for source in private[1:]:
        if not found.one_owner(private[0], source):
            raise NotOneUnit(source.index)
    if len(private) > 1 and any(_row_is_unit(s, found.catalog) for s in private):
        raise NotOneUnit(private[-1].index)


def _row_is_unit(source: Source, catalog: Catalog) -> bool:
    return isinstance(source, Scan) and _info(source, catalog).row_is_unit
