"""What the public query can make of a row: texts of a bounded length, and nothing of no column's name.

One scalar call cannot be interrupted, and its texts are not counted by an engine's memory limit: each level of
`replace(replace(x, 'a', 'aaaa'), 'a', 'aaaa')` multiplies them, and each step of a WITH clause can do so again.
DuckDB also takes the name of a source for its whole row, and `rowid` for the place of a row in its storage: neither
is a column that a query can know of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.errors import QueryRefused, Refusal
from dpsql.sql.ast.literals import whole
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.star_expansion import named_by
from dpsql.sql.ast.traversal import all_of, children, from_items_within, is_star, named_queries
from dpsql.sql.dialect import Node

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
# What DuckDB refuses to draw beyond.
_LONGEST_BAR = 1_000
# A number of four digits, or one that is given as a value, could make a place as wide as memory is.
_WIDE_PLACE = re.compile(r"[0-9]{4}|\*|\{[^}]*\{")
# 999 digits before or behind the point of a double, which has up to 309 others, and as many commas.
_WIDEST = 2_000
_OF_NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Predicate)
# The texts of many rows in one: as long as an engine's memory allows, and nothing may make more of it.
_GATHERING = (exp.GroupConcat, exp.ArrayAgg)
# Calls that put values into a list, and lists behind one another, as `+` does.
_LISTING = ("array_append", "array_prepend", "list_append", "list_pack", "list_prepend", "list_value")
_JOINING = ("add", "array_cat", "array_concat", "list_concat")
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
) -> None:
    """Refuse a query in which a text could grow beyond MOST_TEXT, or be matched with no bound, or a row stands alone.

    The bound does not look at rows: a column of a table is taken to hold COLUMN_TEXT characters, a column of a query
    what its expression can make, and the texts of many rows are `gathered` characters. A text that WITH RECURSIVE makes
    may grow by what is added in a step, and not by a factor. Raises QueryRefused at the expression.
    """
    adds_lists = any(map(_makes_list, all_of(tree, exp.Array, exp.ArrayAgg, exp.Anonymous)))
    _Lengths(catalog, params, gathered, adds_lists).query(tree, {}, _Scope(None, {}, {}))


class _Lengths:
    def __init__(
        self, catalog: Catalog, params: Mapping[str, object], gathered: int, adds_lists: bool = False
    ) -> None:
        self._catalog = catalog
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
        info = self._catalog.named(item.db, item.name)
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
        made = _made(node, parts)
        if isinstance(node, exp.Add) and self._lengths.adds_lists:
            made = _joined(node, parts)
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
    return not isinstance(node, exp.Anonymous) or node.name.lower() in (*_LISTING, *_JOINING)


def _made(node: Node, parts: list[int]) -> int:
    """How long the text is that a call makes of texts of these lengths."""
    most = max(parts, default=0)
    name = str(node.this).lower() if isinstance(node, exp.Anonymous) else ""
    grow = _GROWING.get(type(node), _GROWING_CALLS.get(name))
    if grow is not None:
        return grow(node, parts)
    return _VALUE_TEXT if isinstance(node, _OF_NUMBERS) else max(most, _VALUE_TEXT)


def _joined(node: Node, parts: list[int]) -> int:
    return sum(parts)


def _listed(node: Node, parts: list[int]) -> int:
    """A value takes room in a list even if it is empty, and as text it stands in quotes, with a sign before some."""
    return sum(2 * part + 6 for part in parts)


def _joined_with(node: Node, parts: list[int]) -> int:
    return sum(parts) + parts[0] * len(parts)


def _replaced(node: Node, parts: list[int]) -> int:
    text, searched, replacement = parts[0], node.expression, parts[-1]
    size = len(searched.this) if isinstance(searched, exp.Literal) else 1
    return text if replacement <= size else text + text // max(size, 1) * replacement


def _spelled(node: Node, parts: list[int]) -> int:
    """A text that is put at each place of another, or between any two letters of it."""
    return max(parts[0], 1) * (1 + max(parts[1:], default=0))


def _padded(node: Node, parts: list[int]) -> int:
    length = whole(node.expression.this) if isinstance(node.expression, exp.Literal) else None
    if length is None or length > MOST_PADDED:
        raise QueryRefused(
            f"LPAD and RPAD take a constant length of at most {MOST_PADDED}", place=place_of(node)
        )
    return max(length, _VALUE_TEXT)


def _repeated(node: Node, parts: list[int]) -> int:
    times = node.expressions[1] if len(node.expressions) == 2 else None
    number = whole(times.this) if isinstance(times, exp.Literal) else None
    if number is None or number > MOST_PADDED:
        raise QueryRefused(f"REPEAT takes a constant number of at most {MOST_PADDED}", place=place_of(node))
    return max(parts[0] * number, _VALUE_TEXT)


def _printed(node: Node, parts: list[int]) -> int:
    """The texts, and for each place of one the digits of the longest number and the widest place."""
    form = node.expressions[0] if node.expressions else None
    if not isinstance(form, exp.Literal) or not form.is_string or _WIDE_PLACE.search(form.this):
        raise QueryRefused(
            "FORMAT and PRINTF take a constant text first, with at most three digits side by side",
            place=place_of(node),
            hint="Write FORMAT('{:,} of {}', n, region).",
        )
    text: str = form.this
    places = text.count("{") + text.count("%")
    return len(text) + places * (max(parts[1:], default=0) + _WIDEST)


def _has_braces(node: Node) -> bool:
    """Whether FORMAT is DuckDB's, and not PostgreSQL's or a format that is given as a value."""
    return bool(node.expressions) and node.expressions[0].is_string and "{" in node.expressions[0].name


def _coded(node: Node, parts: list[int]) -> int:
    """A character has up to four bytes, and a byte up to eight digits."""
    return 32 * max(parts[0], 1) + _VALUE_TEXT


def _escaped(node: Node, parts: list[int]) -> int:
    """A character may become six, as a line feed of a terminal does; values stand between quotes and commas."""
    return 6 * sum(parts) + 4 * len(parts) + _VALUE_TEXT


def _formatted(node: Node, parts: list[int]) -> int:
    return max(parts) * _FORMAT_PIECE + _VALUE_TEXT


def _matched(node: Node, parts: list[int]) -> int:
    if parts[1] > MOST_PATTERN or parts[0] > _MOST_MATCHED:
        raise QueryRefused(
            f"a regular expression has at most {MOST_PATTERN} characters and is matched with at most {_MOST_MATCHED}",
            place=place_of(node),
            hint="Match a part of the text, as SUBSTR(x, 1, 100) is, with a shorter pattern.",
        )
    return _VALUE_TEXT


def _cut_out(node: Node, parts: list[int]) -> int:
    return max(_matched(node, parts), parts[0]) if len(parts) > 1 else max(parts, default=0)


def _rewritten(node: Node, parts: list[int]) -> int:
    """What replaces may stand between any two characters, and have the whole text in it."""
    return _cut_out(node, parts) + (parts[0] + 1) * parts[2] if len(parts) > 2 else max(parts, default=0)


_GROWING: Mapping[type[Node], Callable[[Node, list[int]], int]] = MappingProxyType(
    {
        exp.DPipe: _joined,
        exp.Concat: _joined,
        exp.ConcatWs: _joined_with,
        **dict.fromkeys((exp.Array, exp.ArrayAgg), _listed),
        exp.Replace: _replaced,
        exp.Pad: _padded,
        exp.TimeToStr: _formatted,
        **dict.fromkeys((exp.RegexpLike, exp.RegexpFullMatch), _matched),
    }
)

_GROWING_CALLS: Mapping[str, Callable[[Node, list[int]], int]] = MappingProxyType(
    {
        **dict.fromkeys(_LISTING, _listed),
        **dict.fromkeys(_JOINING, _joined),
        "array_to_string": _spelled,
        "bar": lambda node, parts: _LONGEST_BAR,
        "format": lambda node, parts: (_printed if _has_braces(node) else _spelled)(node, parts),
        "printf": _printed,
        **dict.fromkeys(("bin", "hex", "to_binary", "to_hex", "url_encode"), _coded),
        **dict.fromkeys(("json_array", "json_object", "to_json"), _escaped),
        "repeat": _repeated,
        "regexp_extract": _cut_out,
        "regexp_replace": _rewritten,
    }
)


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
