"""What the public rest of a query can make of a row: texts of a bounded length, and nothing of no column's name.

One scalar call cannot be interrupted, and its texts are not counted by an engine's memory limit: each level of
`replace(replace(x, 'a', 'aaaa'), 'a', 'aaaa')` multiplies them, and each step of a WITH clause can do so again.
DuckDB also takes the name of a source for its whole row, and `rowid` for the place of a row in its storage: neither
is a column that a query can know of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from sqlglot import exp

from dpsql.catalog import Catalog
from dpsql.errors import QueryRefused
from dpsql.sql.dialect import Node
from dpsql.sql.literals import whole
from dpsql.sql.place import place_of
from dpsql.sql.stars import named_by
from dpsql.sql.walk import is_star

MOST_TEXT = 100_000
"""The most characters that an expression may make of a row; an engine holds 2,048 rows at a time."""
COLUMN_TEXT = 1_000
"""What a column's text is taken to be at most: 100 of them may be joined."""
MOST_PADDED = 10_000
"""The most characters that LPAD and RPAD may make of a text."""
MOST_PATTERN = 1_000
# A number, a date or an interval as text.
_VALUE_TEXT = 100
# What one letter of a format of STRFTIME stands for at most, as in %c.
_FORMAT_PIECE = 32
_MOST_MATCHED = 2 * COLUMN_TEXT
# The columns without a name of their own.
_UNNAMED = ""
# What DuckDB calls the place of a row in its table.
_PLACE = "rowid"

# The columns of a query or table by name in lower case, each with its longest text.
Names = Mapping[str, int]


def check_lengths(tree: Node, catalog: Catalog, params: Mapping[str, object] = MappingProxyType({})) -> None:
    """Refuse a query in which a text could grow beyond MOST_TEXT, or be matched with no bound, or a row stands alone.

    The bound does not look at rows: a column of a table is taken to hold COLUMN_TEXT characters, a column of a query
    what its expression can make. Raises QueryRefused at the expression.
    """
    _Lengths(catalog, params).query(tree, {}, _Scope(None, {}, {}))


class _Lengths:
    def __init__(self, catalog: Catalog, params: Mapping[str, object]) -> None:
        self._catalog = catalog
        self._params = params

    def query(self, node: Node, ctes: Mapping[str, Names], outer: _Scope) -> Names:
        """The longest text of each column of a query, by name."""
        known = dict(ctes)
        clause = node.args.get("with_")
        for cte in clause.expressions if clause is not None else ():
            known[cte.alias.lower()] = _renamed(self.query(cte.this, known, outer), cte)
        if isinstance(node, exp.Subquery):
            return _renamed(self.query(node.this, known, outer), node)
        if isinstance(node, exp.SetOperation):
            return self._both(node, known, outer)
        if isinstance(node, exp.Values):
            scope = _Scope(self, known, {}, outer=outer)
            return _renamed({_UNNAMED: scope.longest(node.expressions)}, node)
        return self._select(node, known, outer)

    def _both(self, node: Node, ctes: Mapping[str, Names], outer: _Scope) -> Names:
        left, right = self.query(node.this, ctes, outer), self.query(node.expression, ctes, outer)
        most = max(right.values(), default=0)
        named = {name: max(length, most) for name, length in left.items()}
        _Scope(self, ctes, named, outer=outer).longest(_others(node, "this", "expression", "with_"))
        return named

    def _select(self, node: Node, ctes: Mapping[str, Names], outer: _Scope) -> Names:
        sources: dict[str, int] = {}
        scope = _Scope(self, ctes, {}, outer=outer)
        for item in _sources(node):
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
        scope.longest(_others(node, "expressions", "from_", "with_"))
        return outputs

    def _source(self, item: Node, ctes: Mapping[str, Names], outer: _Scope) -> Names:
        if not isinstance(item, exp.Table):
            return self.query(item, ctes, outer)
        if not item.db and item.name.lower() in ctes:
            return _renamed(ctes[item.name.lower()], item)
        info = self._catalog.table(f"{item.db}.{item.name}") or self._catalog.table(item.name)
        columns = info.columns if info is not None else ()
        return _renamed({c.name.lower(): COLUMN_TEXT for c in columns}, item)

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
            found = max(self._lengths.query(node, self._ctes, self).values(), default=0)
            return max(found, COLUMN_TEXT)
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Literal):
            return len(node.this)
        if isinstance(node, exp.Placeholder):
            return self._lengths.parameter(node.name)
        if isinstance(node, exp.Table):
            return 0
        parts = [self.length(child) for child in _children(node)]
        most = max(parts, default=0)
        made = _made(node, parts)
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
                f'there is no column "{node.name}"', place=place_of(node), hint="Name a column of a table."
            )
        return max(COLUMN_TEXT, self.names.get(_UNNAMED, 0))


def _made(node: Node, parts: list[int]) -> int:
    """How long the text is that a call makes of texts of these lengths."""
    most = max(parts, default=0)
    grow = _GROWING.get(type(node)) or _NAMED.get(
        str(node.this).lower() if isinstance(node, exp.Anonymous) else ""
    )
    if grow is not None:
        return grow(node, parts)
    return max(most, _VALUE_TEXT)


def _joined(node: Node, parts: list[int]) -> int:
    return sum(parts)


def _joined_with(node: Node, parts: list[int]) -> int:
    return sum(parts) + parts[0] * len(parts)


def _replaced(node: Node, parts: list[int]) -> int:
    text, searched, replacement = parts[0], node.expression, parts[-1]
    size = len(searched.this) if isinstance(searched, exp.Literal) else 1
    return text if replacement <= size else text + text // max(size, 1) * replacement


def _padded(node: Node, parts: list[int]) -> int:
    length = whole(node.expression.this) if isinstance(node.expression, exp.Literal) else None
    if length is None or length > MOST_PADDED:
        raise QueryRefused(
            f"LPAD and RPAD take a constant length of at most {MOST_PADDED}", place=place_of(node)
        )
    return max(length, _VALUE_TEXT)


def _formatted(node: Node, parts: list[int]) -> int:
    return max(parts) * _FORMAT_PIECE + _VALUE_TEXT


def _matched(node: Node, parts: list[int]) -> int:
    if parts[1] > MOST_PATTERN or parts[0] > _MOST_MATCHED:
        raise QueryRefused(
            f"a regular expression has at most {MOST_PATTERN} characters and is matched with at most {_MOST_MATCHED}",
            place=place_of(node),
        )
    return _VALUE_TEXT


def _cut_out(node: Node, parts: list[int]) -> int:
    return max(_matched(node, parts), parts[0]) if len(parts) > 1 else max(parts, default=0)


def _rewritten(node: Node, parts: list[int]) -> int:
    """What replaces may stand between any two characters, and have the whole text in it."""
    return _cut_out(node, parts) + (parts[0] + 1) * parts[2] if len(parts) > 2 else max(parts, default=0)


def _gathered(node: Node, parts: list[int]) -> int:
    """The texts of many rows: as long as the engine's memory allows, and nothing may make more of it."""
    return MOST_TEXT


_GROWING: Mapping[type[Node], Callable[[Node, list[int]], int]] = MappingProxyType(
    {
        exp.DPipe: _joined,
        exp.Concat: _joined,
        exp.ConcatWs: _joined_with,
        exp.Replace: _replaced,
        exp.Pad: _padded,
        exp.TimeToStr: _formatted,
        exp.RegexpLike: _matched,
        exp.GroupConcat: _gathered,
        exp.ArrayAgg: _gathered,
    }
)
_NAMED: Mapping[str, Callable[[Node, list[int]], int]] = MappingProxyType(
    {"regexp_extract": _cut_out, "regexp_replace": _rewritten}
)


def _children(node: Node) -> Iterator[Node]:
    for value in node.args.values():
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, Node):
                yield child


def _others(node: Node, *apart: str) -> list[Node]:
    """The clauses of a query besides those named; of joins, the conditions."""
    found: list[Node] = []
    for key, value in node.args.items():
        if key == "joins":
            found += [j.args["on"] for j in value or () if j.args.get("on") is not None]
        elif key not in apart:
            found += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, Node)]
    return found


def _sources(node: Node) -> list[Node]:
    clause = node.args.get("from_")
    return [*([clause.this] if clause is not None else []), *(j.this for j in node.args.get("joins") or [])]


def _renamed(names: Names, item: Node) -> Names:
    alias = item.args.get("alias")
    columns = alias.columns if isinstance(alias, exp.TableAlias) else []
    most = max(names.values(), default=COLUMN_TEXT)
    return {**names, **{column.name.lower(): most for column in columns}}


def _merge(into: dict[str, int], names: Names) -> None:
    for name, length in names.items():
        into[name] = max(length, into.get(name, 0))
