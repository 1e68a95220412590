"""Maps between names and OIDs, written into an expression as constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

import sqlglot
from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.slotted import dataclass
from dpsql.sql.ast.traversal import all_of, every
from dpsql.sql.dialect import Node
from dpsql.sql.system_tables.object_names import COLUMN_STEP, Names
from dpsql.sql.system_tables.pg_settings import SETTINGS

MAX_NODES = 100_000
"""Far more than the statements of clients need."""
GENERATED = "generated"
"""The mark, in `meta`, of a call that the analyst did not write."""
KINDS = ("regclass", "regtype", "regproc", "regnamespace", "regrole")


def _text(value: str) -> Node:
    return exp.Literal.string(value)


def _number(value: int) -> Node:
    return exp.Literal.number(value)


@dataclass(slots=True)
class NodeLimit:
    """How many nodes a statement may still grow by: templates repeat their arguments, so nested calls multiply."""

    left: int = MAX_NODES

    def take(self, made: Node) -> Node:
        """The node, counted. Raises QueryRefused at the limit."""
        size = sum(1 for _ in every(made))
        self.check(size)
        self.left -= size
        return made

    def check(self, size: int) -> None:
        """Raises QueryRefused where this many more nodes are above the limit."""
        if size > self.left:
            raise QueryRefused(
                "the statement about the system is too large",
                hint="Ask for less at once: each function and each cast of it is looked up among all names.",
            )


@dataclass(frozen=True, slots=True)
class Lookups:
    """Builds expressions that look names up, up to a limit of nodes."""

    names: Names
    version: str
    limit: NodeLimit = field(default_factory=NodeLimit)

    def filled(self, template: str, arguments: list[Node]) -> Node:
        """The expression of a template, with its arguments and lookups."""
        tree = sqlglot.parse_one(template.replace("@", "dpsql_lookup_"), dialect="duckdb")
        holder = exp.Paren(this=tree)
        sizes = [sum(1 for _ in every(argument)) for argument in arguments]
        places = [c.name for c in all_of(holder, exp.Column)]
        self.limit.check(sum(size * places.count(f"_{i}") for i, size in enumerate(sizes, 1)))
        for call in all_of(holder, exp.Anonymous):
            call.meta[GENERATED] = True
        for node in reversed(all_of(holder, exp.Column, exp.Anonymous)):
            if isinstance(node, exp.Anonymous):
                self._looked_up(node)
            elif node.name == "dpsql_lookup_analyst":
                node.replace(_text(self.names.analyst))
            elif node.name == "dpsql_lookup_database":
                node.replace(_text(self.names.client.database))
            elif node.name == "dpsql_lookup_process":
                node.replace(_number(self.names.client.process_id))
            elif node.name == "dpsql_lookup_version":
                node.replace(_text(self.version))
            elif node.name[:1] == "_" and node.name[1:].isdigit():
                node.replace(arguments[int(node.name[1:]) - 1].copy())
        return self.limit.take(holder)

    def name(self, kind: str, number: Node) -> Node:
        """The name of an OID; the OID itself where it has none."""
        names = self.names.named[kind]
        items = {0: "-"} | dict(names)
        name = (
            self._of_function(items, number) if kind == "regproc" else self._by_number(items.items(), number)
        )
        spelled = exp.cast(number.copy(), "varchar", dialect="duckdb")
        return self.limit.take(exp.func("coalesce", name, spelled, dialect="duckdb"))

    def number(self, kind: str, name: Node) -> Node:
        """The OID of a name; a number stays as it is."""
        numbers = self.names.numbers[kind]
        spelled = exp.cast(name, "varchar", dialect="duckdb")
        plain = self.filled("regexp_replace(lower(replace(_1, '\"', '')), '^pg_catalog\\.', '')", [spelled])
        as_number = exp.TryCast(this=spelled.copy(), to=exp.DataType.build("bigint", dialect="duckdb"))
        number = _mapped("VARCHAR", ((_text(n), _number(v)) for n, v in numbers.items()), plain, "BIGINT")
        return self.limit.take(exp.func("coalesce", as_number, number, dialect="duckdb"))

    def _looked_up(self, call: exp.Anonymous) -> None:
        what = str(call.this).lower().removeprefix("dpsql_lookup_")
        if what == str(call.this).lower():
            return
        argument = call.expressions[0]
        call.replace(self._found(what, argument))

    def _found(self, what: str, argument: Node) -> Node:
        if what == "comments":
            items = ((o * COLUMN_STEP + n, text) for (o, n), text in self.names.comments.items())
            return self._by_number(items, argument)
        if what == "setting":
            settings = ((_text(name.lower()), _text(value)) for name, value in SETTINGS.items())
            return _mapped("VARCHAR", settings, exp.Lower(this=argument))
        if what == "visible":
            return exp.In(this=argument, expressions=[_number(n) for n in (*self.names.visible, -1)])
        if what == "unseen_type":
            return exp.In(this=argument, expressions=[_number(n) for n in self.names.unseen_types])
        if what.startswith("oid_"):
            return self.number(what.removeprefix("oid_"), argument)
        if what in KINDS:
            return self._by_number(self.names.named[what].items(), argument)
        return self._by_number(self.names.texts[what].items(), argument)

    def _of_function(self, names: Mapping[int, str], number: Node) -> Node:
        """The name of a function, found in one text: there are many, and many columns of them in a statement."""
        text = "".join(f";{oid}={name}" for oid, name in names.items())
        template = "nullif(regexp_extract(_1, ';' || CAST(_2 AS BIGINT) || '=([^;]*)', 1), '')"
        return self.filled(template, [_text(text), number.copy()])

    def _by_number(self, items: Iterable[tuple[int, str]], number: Node) -> Node:
        as_number = exp.TryCast(this=number.copy(), to=exp.DataType.build("bigint", dialect="duckdb"))
        return _mapped("BIGINT", ((_number(n), _text(t)) for n, t in items), as_number)


def _mapped(kind: str, items: Iterable[tuple[Node, Node]], key: Node, of: str = "VARCHAR") -> Node:
    """The value behind a key in a constant map, or NULL."""
    pairs = list(items)
    keys = exp.cast(exp.Array(expressions=[k for k, _ in pairs]), f"{kind}[]", dialect="duckdb")
    values = exp.cast(exp.Array(expressions=[v for _, v in pairs]), f"{of}[]", dialect="duckdb")
    return duckdb_call("map_extract_value", duckdb_call("map", keys, values), key)


def duckdb_call(name: str, *arguments: Node) -> exp.Anonymous:
    """A call of a DuckDB function that the analyst did not write."""
    call = exp.Anonymous(this=name, expressions=list(arguments))
    call.meta[GENERATED] = True
    return call
