"""The names and types of the columns of a catalog query as PostgreSQL describes them.

They are read from the statement as it is written, before it becomes DuckDB's SQL: that a column is a name, an oid or a
"char" is known there alone. What is not known stays None, and is described by DuckDB's type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Final

from sqlglot import exp

from dpsql.slotted import dataclass
from dpsql.sql.ast.pg_column_names import cast_type, column_name, folded, function_name
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.catalog_queries.call_types import SAME_AS_FIRST, TYPE_OF_CALL
from dpsql.sql.catalog_queries.pg_type_rules import (
    UNKNOWN,
    arithmetic_type,
    array_type,
    average_type,
    common_type,
    element_type,
    extreme_type,
    sum_type,
)
from dpsql.sql.catalog_queries.source_columns import PgColumn, Sources, renamed, shared_columns, united
from dpsql.sql.dialect import Node
from dpsql.sql.system_tables.declarations import columns_of_system_table, pg_types_of_system_table

_ACL_FIELDS: Final = {"grantor": "oid", "grantee": "oid", "privilege_type": "text", "is_grantable": "bool"}
_HIDDEN: Final = {
    "xmin": "xid",
    "xmax": "xid",
    "cmin": "cid",
    "cmax": "cid",
    "ctid": "tid",
    "tableoid": "oid",
}
_LARGEST_INT4: Final = 2**31 - 1
_LARGEST_INT8: Final = 2**63 - 1


def is_large(value: object) -> bool:
    """Whether a value is a whole number that is no int4."""
    return isinstance(value, int) and not -_LARGEST_INT4 <= value <= _LARGEST_INT4


_TRUTH: Final = (
    exp.Predicate,
    exp.Connector,
    exp.Not,
    exp.Boolean,
    exp.RegexpLike,
    exp.RegexpILike,
    exp.SimilarTo,
)
_ARITHMETIC: Final = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.BitwiseAnd, exp.BitwiseOr)
_AROUND: Final = (exp.Window, exp.Filter, exp.Distinct, exp.Order, exp.Ordered, exp.WithinGroup)


_OF_ROWS: Final = frozenset({"json_agg", "jsonb_agg", "row_to_json", "to_json", "to_jsonb"})


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean at a place of a statement: the sources of its FROM clause, and those of the query around it."""

    sources: Sources = ()
    outer: Scope | None = None

    def type_of(self, table: str, column: str) -> str | None:
        """The type of a column by the name of its source, or by that of any where it is empty."""
        for name, columns in self.sources:
            if table in ("", name):
                own = next((c for c in columns if c.name == column), None)
                if own is not None:
                    return own.type
                if table and column in _HIDDEN:
                    return _HIDDEN[column]
        if self.outer is not None and (kind := self.outer.type_of(table, column)) is not None:
            return kind
        return _HIDDEN.get(column)


@dataclass(frozen=True, slots=True)
class ResultTypes:
    """The types in one statement, of which `sql` is the text and `tables` the system table of each node that reads one.

    `lists` become the literals that stand for an array beside one, as '{}' in `coalesce(names, '{}')`, and its type;
    `stars` each `*` with the columns in it that hold functions, `typeofs` each call of pg_typeof with what it gives,
    `rows` each name of a source that stands for its row, as in `row_to_json(t)`, with its columns, `joined` each `*`
    over joins that share columns, with the names that it has. `large` are the placeholders whose value is no int4.
    """

    sql: str
    tables: Mapping[int, str]
    large: frozenset[str] = frozenset()
    withs: dict[str, tuple[PgColumn, ...]] = field(default_factory=dict)
    lists: dict[int, str] = field(default_factory=dict)
    stars: dict[int, tuple[str, ...]] = field(default_factory=dict)
    typeofs: dict[int, str] = field(default_factory=dict)
    rows: dict[int, tuple[str, ...]] = field(default_factory=dict)
    joined: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def of_query(self, query: Node, outer: Scope | None = None) -> tuple[PgColumn, ...]:
        """The columns of a query. `SELECT *` is expanded."""
        self._read_withs(query, outer)
        match query:
            case exp.Subquery():
                return self.of_query(query.this, outer)
            case exp.SetOperation():
                left, right = self.of_query(query.left, outer), self.of_query(query.right, outer)
                return united(left, right)
            case exp.Values():
                rows = [self._of_row(row, outer or Scope()) for row in query.expressions]
                types = [common_type(kinds) for kinds in zip(*rows, strict=False)]
                return tuple(PgColumn(f"column{at}", kind) for at, kind in enumerate(types, 1))
            case exp.Select():
                scope = Scope(tuple(self._sources(query, outer)), outer)
                return tuple(c for item in query.expressions for c in self._item(item, scope))
        return ()

    def _of_row(self, row: Node, scope: Scope) -> list[str | None]:
        return [self.of(value, scope) for value in (row.expressions if isinstance(row, exp.Tuple) else [row])]

    def _read_withs(self, query: Node, outer: Scope | None) -> None:
        clause = query.args.get("with_")
        ctes, recursive = (
            (clause.expressions, clause.args.get("recursive")) if clause is not None else ((), False)
        )
        for cte in ctes:
            inner = cte.this
            if recursive and isinstance(inner, exp.SetOperation):
                first = self.of_query(inner.left, outer)
                self.withs[cte.alias.lower()] = renamed(cte, first)
                columns = united(first, self.of_query(inner.right, outer))
            else:
                columns = self.of_query(inner, outer)
            self.withs[cte.alias.lower()] = renamed(cte, columns)

    def _sources(self, select: Node, outer: Scope | None) -> Iterator[tuple[str, tuple[PgColumn, ...]]]:
        """The sources of a FROM clause, each of which may refer to those before it."""
        clause = select.args.get("from_")
        sources: list[tuple[str, tuple[PgColumn, ...]]] = []
        items = [clause.this] if isinstance(clause, exp.From) else []
        for item in (*items, *(select.args.get("joins") or ()), *(select.args.get("laterals") or ())):
            sources += self._source(
                item.this if isinstance(item, exp.Join) else item, Scope(tuple(sources), outer)
            )
        yield from sources

    def _source(self, node: Node, scope: Scope) -> Iterator[tuple[str, tuple[PgColumn, ...]]]:
        if (
            isinstance(node, exp.Subquery)
            and isinstance(node.this, exp.Table | exp.Subquery)
            and not node.alias
        ):
            yield from self._source(node.this, scope)  # a join in parentheses
        else:
            columns = renamed(node, self._columns(node, scope))
            yield self._alias(node), columns
        for item in (*(node.args.get("joins") or ()), *(node.args.get("laterals") or ())):
            yield from self._source(item.this if isinstance(item, exp.Join) else item, scope)

    def _alias(self, node: Node) -> str:
        alias = node.args.get("alias")
        if isinstance(alias, exp.TableAlias) and alias.this is not None:
            return folded(alias.this)
        if isinstance(node, exp.Unnest):
            return "unnest"
        return (
            folded(node.this) if isinstance(node.this, exp.Identifier) else function_name(node.this, self.sql)
        )

    def _columns(self, node: Node, scope: Scope) -> tuple[PgColumn, ...]:
        if isinstance(node, exp.Unnest):
            return self._unnested(node, scope)
        inner = node.this
        name = self.tables.get(id(node), "")
        if name:
            columns = zip(columns_of_system_table(name), pg_types_of_system_table(name), strict=True)
            return tuple(PgColumn(column, kind) for (column, _), kind in columns)
        if isinstance(node, exp.Table) and isinstance(inner, exp.Identifier):
            return self.withs.get(inner.name.lower(), ())
        if isinstance(inner, exp.Query) or isinstance(node, exp.Values):
            return self.of_query(inner if isinstance(inner, exp.Query) else node, scope)
        if isinstance(inner, exp.Subquery):
            return self.of_query(inner, scope)
        if isinstance(inner, exp.Unnest):
            numbered = self._numbered(inner) or self._numbered(node)
            return (*self._of_lists(inner, self._alias(node) or "unnest", scope), *numbered)
        return self._of_call(node, inner, scope)

    def _unnested(self, node: exp.Unnest, scope: Scope) -> tuple[PgColumn, ...]:
        return (*self._of_lists(node, self._alias(node), scope), *self._numbered(node))

    def _of_lists(self, node: exp.Unnest, alias: str, scope: Scope) -> Iterator[PgColumn]:
        """The columns of UNNEST: that of one array has the name of its alias."""
        for listed in node.expressions:
            name = alias if len(node.expressions) == 1 else "unnest"
            yield PgColumn(name, element_type(self.of(listed, scope)))

    def _numbered(self, node: Node) -> tuple[PgColumn, ...]:
        """The column of WITH ORDINALITY."""
        if isinstance(node, exp.Unnest):
            named = node.args.get("offset")
            return (PgColumn(folded(named), "int8"),) if isinstance(named, exp.Identifier) else ()
        return (PgColumn("ordinality", "int8"),) if node.args.get("ordinality") else ()

    def _of_call(self, node: Node, call: Node, scope: Scope) -> tuple[PgColumn, ...]:
        """The columns of a function behind FROM: one takes the name of its alias."""
        name = function_name(call, self.sql)
        if name == "_pg_expandarray":
            return (PgColumn("x", self._element(call, scope)), PgColumn("n", "int4"))
        return (PgColumn(self._alias(node) or name, self.of(call, scope)), *self._numbered(node))

    def _item(self, item: Node, scope: Scope) -> Iterator[PgColumn]:
        inner = item.this if isinstance(item, exp.Column) else item
        if isinstance(inner, exp.Star):
            table = folded(item.args.get("table")) if isinstance(item, exp.Column) else ""
            columns_of_star = [c for name, columns in scope.sources if table in ("", name) for c in columns]
            shared = () if table else shared_columns(item, scope.sources)
            if shared:
                columns_of_star = self._merged(inner, columns_of_star, shared)
            self.stars[id(inner)] = tuple(c.name for c in columns_of_star if c.type == "regproc")
            yield from columns_of_star
            return
        value = item.this if isinstance(item, exp.Alias) else item
        yield PgColumn(column_name(item, self.sql), self.of(value, scope))

    def _merged(self, star: Node, columns: list[PgColumn], shared: tuple[str, ...]) -> list[PgColumn]:
        """The columns of `*` over joins with USING or NATURAL: the shared ones first, each once."""
        first = [next(c for c in columns if c.name == name) for name in shared]
        merged = [*first, *(c for c in columns if c.name not in shared)]
        self.joined[id(star)] = tuple(c.name for c in merged)
        return merged

    def of(self, node: Node | None, scope: Scope) -> str | None:
        """The name of the type of an expression; None where it is not known."""
        match node:
            case exp.Placeholder():
                return "int8" if node.name in self.large else UNKNOWN
            case None | exp.Null():
                return UNKNOWN
            case exp.Literal():
                return _literal_type(node)
            case exp.Column():
                return self._column(node, scope)
            case exp.Cast():
                self.of(node.this, scope)  # for the rows and lists in it
                return cast_type(node.args["to"])
            case exp.Paren() | exp.Neg() | exp.Collate() | exp.BitwiseLeftShift() | exp.BitwiseRightShift():
                return self.of(node.this, scope)
            case exp.Case():
                default = [node.args["default"]] if node.args.get("default") is not None else []
                return self._of_items(
                    [*default, *(branch.args["true"] for branch in node.args["ifs"])], scope
                )
            case exp.Bracket():
                return self._subscript(node, scope)
            case exp.Dot():
                return self._field(node, scope)
            case exp.Array():
                return array_type(self._of_items(node.expressions, scope))
            case exp.Subquery() | exp.Query():
                columns = self.of_query(node, scope)
                return columns[0].type if columns else None
            case exp.DPipe():
                sides = (self.of(node.this, scope), self.of(node.expression, scope))
                return next((s for s in sides if s is not None and s.startswith("_")), "text")
            case exp.Interval():
                return "interval"
        if isinstance(node, _ARITHMETIC):
            return arithmetic_type(self.of(node.this, scope), self.of(node.args.get("expression"), scope))
        if isinstance(node, _AROUND):
            return self.of(node.this if node.this is not None else node.expressions[0], scope)
        return "bool" if isinstance(node, _TRUTH) else self._call(node, scope)

    def _column(self, node: exp.Column, scope: Scope) -> str | None:
        table, name = folded(node.args.get("table")), folded(node.this)
        kind = scope.type_of(table, name)
        is_word = not table and not node.this.args.get("quoted") and name in ("user", "current_role")
        return "name" if kind is None and is_word else kind

    def _of_items(self, items: list[Node], scope: Scope) -> str | None:
        kind = common_type(self.of(item, scope) for item in items)
        if kind is not None and kind.startswith("_"):
            self.lists.update({id(i): kind for i in items if isinstance(i, exp.Literal) and i.is_string})
        return kind

    def _subscript(self, node: exp.Bracket, scope: Scope) -> str | None:
        """The type of an element of an array, or of a part of one."""
        kind = self.of(node.this, scope)
        if any(isinstance(index, exp.Slice) for index in node.expressions):
            return kind if kind is None or kind.startswith("_") else array_type(element_type(kind))
        return element_type(kind)

    def _field(self, node: exp.Dot, scope: Scope) -> str | None:
        """The type of `(information_schema._pg_expandarray(keys)).x` or `.n`."""
        call, name = node.this, folded(node.expression)
        while isinstance(call, exp.Paren):
            call = call.this
        if function_name(call, self.sql) == "aclexplode":
            return _ACL_FIELDS.get(name)
        if function_name(call, self.sql) != "_pg_expandarray":
            return "int4" if name == "n" else None
        return "int4" if name == "n" else self._element(call, scope)

    def _element(self, call: Node, scope: Scope) -> str | None:
        return element_type(self.of(call.expressions[0], scope)) if call.expressions else None

    def _call(self, node: Node, scope: Scope) -> str | None:
        name = function_name(node, self.sql)
        if name in _OF_ROWS and isinstance(node, exp.Anonymous):
            self._read_rows(node.expressions, scope)
        if name in TYPE_OF_CALL and name != "pg_typeof":
            for argument in node.expressions:  # for the rows in it
                self.of(argument, scope)
            return TYPE_OF_CALL[name]
        first = next(iter(node.expressions), None) if isinstance(node, exp.Anonymous) else node.this
        kind = self.of(first, scope) if isinstance(first, Node) else None
        if name == "pg_typeof":
            self.typeofs.update({id(node): kind} if kind is not None else {})
            return TYPE_OF_CALL[name]
        if name in SAME_AS_FIRST:
            return kind
        match name:
            case "sum":
                return sum_type(kind)
            case "avg":
                return average_type(kind)
            case "min" | "max":
                return extreme_type(kind)
            case "array_agg":
                return array_type(kind)
            case "unnest":
                return element_type(kind)
            case "nullif":
                return kind
            case "mod":
                return arithmetic_type(kind, self.of(node.expressions[-1], scope))
            case "round" | "floor" | "ceil" | "ceiling":
                return kind if kind in ("numeric", "float8") else None
            case "coalesce" | "greatest" | "least" | "generate_series":
                items = (
                    node.expressions if isinstance(node, exp.Anonymous) else [node.this, *node.expressions]
                )
                return self._of_items(items, scope)
        return None

    def _read_rows(self, values: list[Node], scope: Scope) -> None:
        """Notes which names in the values are those of sources and of no columns."""
        sources = dict(reversed(scope.sources))
        for value in [column for each in values for column in all_of(each, exp.Column)]:
            is_star = isinstance(value.this, exp.Star)  # t.*, which is t
            name = folded(value.args.get("table") if is_star else value.this)
            is_row = is_star or (not value.table and scope.type_of("", name) is None)
            if is_row and name in sources:
                self.rows[id(value)] = tuple(c.name for c in sources[name])


def _literal_type(node: exp.Literal) -> str:
    if node.is_string:
        return UNKNOWN
    if not node.name.isdigit() or int(node.name) > _LARGEST_INT8:
        return "numeric"
    return "int4" if int(node.name) <= _LARGEST_INT4 else "int8"
