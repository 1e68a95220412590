"""What the public query can make of a row: texts of a bounded length, and nothing of no column's name.

One scalar call cannot be interrupted, and its texts are not counted by an engine's memory limit: each level of
`replace(replace(x, 'a', 'aaaa'), 'a', 'aaaa')` multiplies them, and each step of a WITH clause can do so again.
DuckDB also takes the name of a source for its whole row, and `rowid` for the place of a row in its storage: neither
is a column that a query can know of.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.errors import QueryRefused, Refusal
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.star_expansion import named_by
from dpsql.sql.ast.traversal import all_of, children, from_items_within, is_star, named_queries
from dpsql.sql.dialect import Node
from dpsql.sql.validate.made_texts import COLUMN_TEXT, JOINING, LISTING, VALUE_TEXT, joined_text, made_text

MOST_TEXT = 100_000
"""The most characters that an expression may make of a row; an engine holds 2,048 rows at a time."""
# The texts of many rows in one: as long as an engine's memory allows, and nothing may make more of it.
_GATHERING = (exp.GroupConcat, exp.ArrayAgg)
_OF_VALUES = frozenset({"BIGINT", "BOOLEAN", "DATE", "DOUBLE", "HUGEINT", "TIMESTAMP"})
# The columns without a name of their own.
_UNNAMED = ""
# What DuckDB calls the place of a row in its table.
_PLACE = "rowid"

# The columns of a query or table by name in lower case, each with its longest text.
Names = Mapping[str, int]


def check_lengths(
    tree: Node,
    catalog: Catalog,
    params: Mapping[str, object] = MappingProxyType({}),
    gathered: int = MOST_TEXT,
    released: Mapping[str, Names] = MappingProxyType({}),
) -> None:
    """Refuse a query in which a text could grow beyond MOST_TEXT, or be matched with no bound, or a row stands alone.

    The bound does not look at rows: a column of texts is taken to hold COLUMN_TEXT characters, a column of a query what
    its expression can make, and the texts of many rows are `gathered` characters; the columns of `released` tables are
    as long as they say. A text that WITH RECURSIVE makes may grow by what is added in a step, and not by a factor.
    Raises QueryRefused at the expression.
    """
    adds_lists = any(map(_makes_list, all_of(tree, exp.Array, exp.ArrayAgg, exp.Anonymous)))
    _Lengths(catalog, params, gathered, adds_lists, released).query(tree, {}, _Scope(None, {}, {}))


def value_lengths(types: Mapping[str, str]) -> Names:
    """The longest text of each column, by the names of columns and of DuckDB's types."""
    return {n: VALUE_TEXT if kind in _OF_VALUES else COLUMN_TEXT for n, kind in types.items()}


class _Lengths:
    def __init__(
        self,
        catalog: Catalog,
        params: Mapping[str, object],
        gathered: int,
        adds_lists: bool = False,
        released: Mapping[str, Names] = MappingProxyType({}),
    ) -> None:
        self._catalog = catalog
        self._released = released
        self._params = params
        self.gathered = gathered
        self.adds_lists = adds_lists  # else only numbers and moments are added

    def query(self, node: Node, ctes: Mapping[str, Names], outer: _Scope) -> Names:
        """The longest text of each column of a query, by name."""
        names = dict(ctes)
        for cte in named_queries(node):
            names[cte.alias.lower()] = self._step(cte, names, outer)
        if isinstance(node, exp.Subquery):
            return _renamed(self.query(node.this, names, outer), node)
        if isinstance(node, exp.SetOperation):
            return self._both(node, names, outer)
        if isinstance(node, exp.Values):
            scope = _Scope(self, names, {}, outer=outer)
            return _renamed({_UNNAMED: scope.longest(node.expressions)}, node)
        return self._select(node, names, outer)

    def _step(self, cte: Node, names: Mapping[str, Names], outer: _Scope) -> Names:
        """The columns of one name of WITH. Refuses one that makes more than a sum of the texts of its own rows."""
        first, name = _renamed(self.query(cte.this, names, outer), cte), cte.alias.lower()
        clause = cte.parent
        if clause is None or not clause.args.get("recursive") or not _reads(cte.this, name):
            return first
        one = _renamed(self.query(cte.this, {**names, name: first}, outer), cte)
        two = _renamed(self.query(cte.this, {**names, name: one}, outer), cte)
        if any(two[column] - one[column] > one[column] - first[column] for column in first):
            raise QueryRefused(
                "a text of WITH RECURSIVE could be multiplied with every step",
                place=place_of(cte),
                hint="Join its own text once to what a step adds.",
            )
        return first

    def _both(self, node: Node, ctes: Mapping[str, Names], outer: _Scope) -> Names:
        left, right = self.query(node.this, ctes, outer), self.query(node.expression, ctes, outer)
        if _is_plain(node.this, left) and _is_plain(node.expression, right) and len(left) == len(right):
            named = {n: max(pair) for n, *pair in zip(left, left.values(), right.values(), strict=True)}
        else:
            most = max(right.values(), default=0)
            named = {name: max(length, most) for name, length in left.items()}
        _Scope(self, ctes, named, outer=outer).longest(_others(node, "this", "expression", "with_"))
        return named

    def _select(self, node: Node, ctes: Mapping[str, Names], outer: _Scope) -> Names:
        sources: dict[str, int] = {}
        scope = _Scope(self, ctes, {}, outer=outer)
        for item in from_items_within(node):
            _merge(sources, self._source(item, ctes, scope))
            _merge(scope.names, sources)
            scope.rows.update(filter(None, (item.alias_or_name.lower(),)))
        outputs: dict[str, int] = {}
        for item in node.expressions:
            inner = item.unalias()
            if is_star(inner):
                _merge(outputs, sources)
                for named in named_by(inner):
                    _merge(outputs, {named.alias.lower(): scope.length(named.this)})
                continue
            name = (item.alias or (inner.name if isinstance(inner, exp.Column) else _UNNAMED)).lower()
            _merge(outputs, {name: scope.length(inner)})
            _merge(scope.names, {name: outputs[name]})
        scope.longest(_others(node, "expressions", "from_", "with_", "laterals"))
        return outputs

    def _source(self, item: Node, ctes: Mapping[str, Names], outer: _Scope) -> Names:
        if isinstance(item, exp.Unnest):
            return _renamed({_UNNAMED: outer.longest(item.expressions)}, item)
        if isinstance(item, exp.Lateral):
            inner = item.this
            is_query = isinstance(inner, exp.Query)
            return _renamed(
                self.query(inner, ctes, outer) if is_query else {_UNNAMED: outer.length(inner)}, item
            )
        if not isinstance(item, exp.Table):
            return self.query(item, ctes, outer)
        if not item.db and item.name.lower() in ctes:
            return _renamed(ctes[item.name.lower()], item)
        if (of_release := self._released.get(f"{item.db}.{item.name}")) is not None:
            return _renamed(of_release, item)
        info = self._catalog.named(item.db, item.name)
        columns = info.columns if info is not None else ()
        return _renamed(value_lengths({c.name.lower(): c.type.value for c in columns}), item)

    def parameter(self, name: str) -> int:
        """The length of a parameter's text."""
        value = self._params.get(name)
        return len(value) if isinstance(value, str) else COLUMN_TEXT


class _Scope:
    """The names that an expression can refer to: columns, each with its longest text, and `rows`, whole sources."""

    def __init__(
        self,
        lengths: _Lengths | None,
        ctes: Mapping[str, Names],
        names: Names,
        *,
        outer: _Scope | None = None,
    ) -> None:
        self._lengths = lengths
        self._ctes = ctes
        self.names: dict[str, int] = {**(outer.names if outer is not None else {}), **names}
        self.rows: set[str] = set(outer.rows) if outer is not None else set()

    def longest(self, nodes: list[Node]) -> int:
        """The longest text of several expressions."""
        return max((self.length(node) for node in nodes), default=0)

    def length(self, node: Node) -> int:
        """The most characters that the expression can be as text. Raises QueryRefused beyond MOST_TEXT."""
        assert self._lengths is not None, "there is no expression around a query"
        if isinstance(node, exp.Query):
            longest = max(self._lengths.query(node, self._ctes, self).values(), default=0)
            return max(longest, COLUMN_TEXT)
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Literal):
            return len(node.this)
        if isinstance(node, exp.Placeholder):
            return self._lengths.parameter(node.name)
        if isinstance(node, exp.Table):
            return 0
        parts = [self.length(child) for child in children(node)]
        most = max(parts, default=0)
        made = made_text(node, parts)
        if isinstance(node, exp.Add) and self._lengths.adds_lists:
            made = joined_text(node, parts)
        if isinstance(node, _GATHERING):
            made = max(made, self._lengths.gathered)
        if made > max(most, MOST_TEXT):
            raise QueryRefused(
                f"the text could become longer than {MOST_TEXT} characters",
                place=place_of(node),
                hint="Join fewer parts, or replace by shorter ones.",
            )
        return made

    def _column(self, node: exp.Column) -> int:
        name = node.name.lower()
        if name in self.names:
            return self.names[name]
        if name == _PLACE or (name in self.rows and node.table.lower() not in self.rows):
            raise QueryRefused(
                f'there is no column "{node.name}"',
                place=place_of(node),
                hint="Name a column of a table.",
                kind=Refusal.NO_COLUMN,
            )
        return max(COLUMN_TEXT, self.names.get(_UNNAMED, 0))


def _makes_list(node: Node) -> bool:
    return not isinstance(node, exp.Anonymous) or node.name.lower() in (*LISTING, *JOINING)


def _others(node: Node, *apart: str) -> list[Node]:
    """The clauses of a query besides those named; of joins, the conditions."""
    clauses: list[Node] = []
    for key, value in node.args.items():
        if key == "joins":
            clauses += [j.args["on"] for j in value or () if j.args.get("on") is not None]
        elif key not in apart:
            clauses += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, Node)]
    return clauses


def _is_plain(query: Node, names: Names) -> bool:
    """Whether the names of a query are those of its SELECT list one by one."""
    if not isinstance(query, exp.Select) or any(is_star(e.unalias()) for e in query.expressions):
        return False
    return len(query.expressions) == len(names)


def _reads(query: Node, name: str) -> bool:
    """Whether a query reads the table of a name."""
    return any(t.name.lower() == name and not t.db for t in all_of(query, exp.Table))


def _renamed(names: Names, item: Node) -> Names:
    alias = item.args.get("alias")
    columns = alias.columns if isinstance(alias, exp.TableAlias) else []
    most = max(names.values(), default=COLUMN_TEXT)
    return {**names, **{column.name.lower(): most for column in columns}}


def _merge(into: dict[str, int], names: Names) -> None:
    for name, length in names.items():
        into[name] = max(length, into.get(name, 0))
