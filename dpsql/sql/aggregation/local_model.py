"""A SELECT of responses row by row, or of estimates from them: its question, and what is left on the released rows.

RANDOMIZED_RESPONSE(x) is one of the values of x, and RAPPOR(x) a text of noisy bits, one for each value in the order of
their list. RR_MEAN(x), RR_COUNT(x, v) and RAPPOR_COUNT(x, v) are unbiased estimates from the same draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.canonical import renumbered
from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Expr, Literal, LiteralValue
from dpsql.algebra.local import MOST_BITS, MOST_COLUMNS, LocalQuestion, Response, Values, values_of
from dpsql.algebra.relations import Relation, Scan
from dpsql.errors import QueryRefused
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.column_names import default_name
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import shallow
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.row_owner import Owner
from dpsql.sql.dialect import Node
from dpsql.sql.public.render import SCHEMA

ROWS: Final = MappingProxyType(
    {"randomized_response": Response.RANDOMIZED_RESPONSE, "rappor": Response.RAPPOR}
)
"""The calls that stand for a value of every row."""
ESTIMATES: Final = MappingProxyType(
    {
        "rr_mean": Response.RANDOMIZED_RESPONSE,
        "rr_count": Response.RANDOMIZED_RESPONSE,
        "rappor_count": Response.RAPPOR,
    }
)
"""The calls that stand for one value estimated from all rows."""
LOCAL_NAMES: Final = frozenset({*ROWS, *ESTIMATES})
_KINDS: Final[Mapping[str, Response]] = MappingProxyType({**ROWS, **ESTIMATES})
_PRESENCE = "whether a row is there would tell of the values that it has"
_OUTSIDE = "Do it in an outer query on the responses."
_CLAUSES: Final = MappingProxyType(
    {
        "joins": ("a join", _PRESENCE, "Select the responses from the one table."),
        "where": ("WHERE", _PRESENCE, "Filter the responses in an outer query."),
        "group": ("GROUP BY", "the rows are released one by one", _OUTSIDE),
        "having": ("HAVING", "the rows are released one by one", _OUTSIDE),
        "qualify": ("QUALIFY", "the rows are released one by one", _OUTSIDE),
        "windows": ("WINDOW", "the rows are released one by one", _OUTSIDE),
        "distinct": ("DISTINCT", "the rows are released one by one", _OUTSIDE),
    }
)


def local_name(node: Node) -> str | None:
    """The name of a call that stands for responses or estimates, in lower case, or None."""
    name = str(node.this).lower() if isinstance(node, exp.Anonymous) else ""
    return name if name in LOCAL_NAMES else None


def is_local(node: exp.Select) -> bool:
    """Whether a SELECT asks for responses or for estimates from them."""
    places = [
        *node.expressions,
        *(node.args.get(c) for c in ("where", "group", "having", "qualify", "order")),
    ]
    return any(local_name(n) is not None for p in places if isinstance(p, Node) for n in shallow(p))


def check_clauses(node: exp.Select) -> None:
    """Refuses the clauses that such a SELECT cannot have."""
    for clause, (name, reason, remedy) in _CLAUSES.items():
        clause_node = node.args.get(clause)
        if clause_node:
            at = clause_node[0] if isinstance(clause_node, list) else clause_node
            raise QueryRefused(
                f"{name} cannot stand beside responses of rows: {reason}",
                place=place_of(at) or place_of(node),
                hint=remedy,
            )


class LocalScope:
    """Takes the responses out of a SELECT over one private table; `public` cuts a query inside an expression."""

    def __init__(
        self,
        node: exp.Select,
        relation: Relation,
        binder: Binder,
        owner: Owner,
        catalog: Catalog,
        public: Callable[[Node], None],
    ) -> None:
        self._node = node
        self._relation = relation
        self._binder = binder
        self._owner = owner
        self._catalog = catalog
        self._public = public
        self._places: dict[tuple[Response, Expr], int] = {}
        self._values: list[Values] = []
        self._table = ""
        self._aliases = {i.alias.lower() for i in node.expressions if isinstance(i, exp.Alias)}

    def question(self) -> LocalQuestion:
        """What is asked of every row; reads the whole SELECT without changing it."""
        if not isinstance(self._relation, Scan):
            raise QueryRefused(
                f"responses of rows need all rows of one table: {_PRESENCE}",
                place=place_of(self._node),
                hint="Select them from the table itself.",
            )
        self._check_kinds()
        for part in self._parts():
            self._visit(part, replace=False)
        exprs, kinds = tuple(e for _, e in self._places), tuple(k for k, _ in self._places)
        return _numbered(LocalQuestion(self._relation, exprs, (), place=place_of(self._node), kinds=kinds))

    def rewrite(self, name: str) -> None:
        """Changes the SELECT in place to read the released rows of that name."""
        self._table = name
        node = self._node
        outputs = [self._output(item) for item in node.expressions]
        if node.args.get("order") is not None:
            self._children(node.args["order"], replace=True)
        node.set("expressions", outputs)
        table = exp.Table(
            this=exp.to_identifier(name, quoted=True),
            db=exp.to_identifier(SCHEMA, quoted=True),
            alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)),
        )
        node.set("from_", exp.From(this=table))

    def _parts(self) -> list[Node]:
        order = self._node.args.get("order")
        return [*self._node.expressions, *([order] if order is not None else [])]

    def _check_kinds(self) -> None:
        """Rows and estimates from all rows are two queries."""
        calls = [(n, name) for p in self._parts() for n in shallow(p) if (name := local_name(n)) is not None]
        rows = any(name in ROWS for _, name in calls)
        other = next((n for n, name in calls if name in ESTIMATES), None)
        if rows and other is not None:
            raise QueryRefused(
                "one SELECT gives either the responses of rows or estimates from them",
                place=place_of(other),
                hint="Send two queries; over the same columns both read the same draws, which are paid once.",
            )

    def _output(self, item: Node) -> Node:
        rewritten = self._visit(item.unalias(), replace=True)
        return exp.alias_(rewritten, exp.to_identifier(item.alias or default_name(item), quoted=True))

    def _visit(self, node: Node, *, replace: bool) -> Node:
        """The node with its calls replaced by released columns, or, without `replace`, only looked at."""
        if isinstance(node, exp.Query):
            if replace:
                self._public(node)
            return node
        name = local_name(node)
        if name is not None:
            return self._call(node, name)
        if isinstance(node, exp.Window | exp.Filter) or is_aggregate(node):
            raise QueryRefused(
                "aggregates and windows cannot stand beside responses of rows",
                place=place_of(node.this if isinstance(node, exp.Window | exp.Filter) else node),
                hint=_OUTSIDE,
            )
        if isinstance(node, exp.Star):
            raise self._bare("*", node)
        if isinstance(node, exp.Column):
            if not node.table and node.name.lower() in self._aliases and node.find_ancestor(exp.Order):
                return node
            raise self._bare(f'"{node.name}"', node)
        self._children(node, replace=replace)
        return node

    def _children(self, node: Node, *, replace: bool) -> None:
        for name, value in list(node.args.items()):
            if isinstance(value, list):
                visited_all = [self._visit(v, replace=replace) if isinstance(v, Node) else v for v in value]
                if replace:
                    node.set(name, visited_all)
            elif isinstance(value, Node):
                visited = self._visit(value, replace=replace)
                if replace:
                    node.set(name, visited)

    def _bare(self, name: str, node: Node) -> QueryRefused:
        return QueryRefused(
            f"the column {name} would be released without noise",
            place=place_of(node),
            hint="Write RANDOMIZED_RESPONSE(column) or RAPPOR(column).",
        )

    def _call(self, node: Node, name: str) -> Node:
        """The columns of the released table that stand for a call."""
        counted = name in ("rr_count", "rappor_count")
        if len(node.expressions) != (2 if counted else 1):
            raise QueryRefused(
                f"{name.upper()} takes {'a column and one of its values' if counted else 'one argument'}",
                place=place_of(node),
            )
        at = self._index(node, _KINDS[name])
        if name in ROWS:
            return self._column("k", at)
        if name == "rr_mean":
            return self._mean(node, at)
        return self._count(node, name, at)

    def _index(self, node: Node, kind: Response) -> int:
        """The place of a response among those of the question."""
        expr = self._binder.bind(node.expressions[0])
        place = self._places.get((kind, expr))
        if place is not None:
            return place
        if self._owner.is_unit(expr):
            raise QueryRefused(
                "the key of the privacy unit is not released", place=place_of(node), hint="Leave it out."
            )
        self._values.append(self._listed(node, expr, kind))
        self._places[kind, expr] = len(self._places)
        if len(self._places) > MOST_COLUMNS:
            raise QueryRefused(
                f"a row has at most {MOST_COLUMNS} responses", place=place_of(node), hint="Ask for fewer."
            )
        return len(self._places) - 1

    def _listed(self, node: Node, expr: Expr, kind: Response) -> Values:
        values = values_of(expr, self._relation, self._catalog)
        if values is None or len(values) < 2:
            raise QueryRefused(
                "a response needs a public list of at least two and at most 1000 values",
                place=place_of(node),
                hint="List the column's values in the policy, or write a condition on it, such as x > 5.",
            )
        if kind is Response.RAPPOR and len(values) > MOST_BITS:
            raise QueryRefused(
                f"RAPPOR takes at most {MOST_BITS} values, and NULL counts as one",
                place=place_of(node),
                hint="Use RANDOMIZED_RESPONSE.",
            )
        return values

    def _mean(self, node: Node, at: int) -> Node:
        if self._values[at] != (False, True) or not isinstance(self._values[at][0], bool):
            raise QueryRefused(
                "RR_MEAN takes a condition that is never NULL",
                place=place_of(node),
                hint="Use RR_COUNT(x, value).",
            )
        return exp.Avg(this=self._weighed(self._shows_place(at, 1), at))

    def _count(self, node: Node, name: str, at: int) -> Node:
        place = self._place(node, self._values[at])
        shows = self._shows_place(at, place) if name == "rr_count" else self._shows_bit(at, place)
        total = exp.Sum(this=self._weighed(shows, at))
        return exp.Coalesce(this=total, expressions=[exp.Literal.number(0)])

    def _place(self, node: Node, values: Values) -> int:
        """Where the value that is counted stands on the list."""
        wanted = self._binder.bind(node.expressions[1])
        if isinstance(wanted, Literal):
            for place, value in enumerate(values):
                if _same(value, wanted.value):
                    return place
        raise QueryRefused(
            "the second argument is none of the values that the first can have",
            place=place_of(node.expressions[1]) or place_of(node),
            hint="Write one of the values that the policy lists, as a constant.",
        )

    def _column(self, name: str, at: int) -> exp.Column:
        return exp.column(f"{name}{at}", table=self._table, quoted=True)

    def _shows_place(self, at: int, place: int) -> Node:
        return exp.EQ(this=self._column("v", at), expression=exp.Literal.number(place))

    def _shows_bit(self, at: int, place: int) -> Node:
        bit = exp.Substring(
            this=self._column("k", at), start=exp.Literal.number(place + 1), length=exp.Literal.number(1)
        )
        return exp.EQ(this=bit, expression=exp.Literal.string("1"))

    def _weighed(self, shows: Node, at: int) -> Node:
        """What a row counts for the value: h where its response shows it, m where it does not."""
        branch = exp.If(this=shows, true=self._column("h", at))
        return exp.Case(ifs=[branch], default=self._column("m", at))


def _numbered(question: LocalQuestion) -> LocalQuestion:
    numbered = renumbered(question)
    assert isinstance(numbered, LocalQuestion)
    return numbered


def _same(value: LiteralValue, other: object) -> bool:
    """Whether a constant is a value of the list; TRUE is not 1."""
    return isinstance(value, bool) is isinstance(other, bool) and value == other
