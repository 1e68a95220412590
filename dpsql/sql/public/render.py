"""The public query: a wider list of functions, and the rendering. Nothing private is within its engine's reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Literal
from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.functions.released import RELEASED_NAMES
from dpsql.algebra.question import Question
from dpsql.errors import QueryRefused, Refusal
from dpsql.sql.ast.literals import constant
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.split_parts import SPLITS, part_of
from dpsql.sql.validate.text_lengths import check_lengths, value_lengths

SCHEMA = "released"
"""The schema of released tables."""
# Functions that are read by name and may run on released and public tables. Those of private rows read nothing else
# either; of what lengthens a text, `check_lengths` must know.
NAMED = frozenset(
    {*RELEASED_NAMES, *(s for f in FUNCTIONS.values() if not f.lengthens for s in f.spellings)}
    | {"era", "mean", "now", "regexp_replace", "timezone"}
)


# DuckDB reads more digits as a type of its own, which does not compare with released numbers.
_MOST_DIGITS = 38


def check_public(
    tree: Node,
    catalog: Catalog,
    params: Mapping[str, object] = MappingProxyType({}),
    also: frozenset[str] = frozenset(),
    questions: Sequence[Question] = (),
) -> None:
    """Refuses functions by name that are not known to be harmless on public tables, and what check_lengths does.

    `also` are names of our own that may stand there; the answers of `questions` are the released tables.
    """
    for node in all_of(tree, exp.Anonymous):
        name = str(node.this).lower()
        # A list of parts stands only where one is taken: the gate sees to it.
        is_part = name.upper() in SPLITS or part_of(node) is not None
        if name not in NAMED and name not in also and not is_part:
            reason = f"the function {name} is not supported"
            raise QueryRefused(reason, place=place_of(node), kind=Refusal.NO_FUNCTION)
    for number in all_of(tree, exp.Literal):
        if not number.is_string and len(number.this.lstrip("0")) > _MOST_DIGITS and "." not in number.this:
            raise QueryRefused(
                f"a whole number has at most {_MOST_DIGITS} digits",
                place=place_of(number),
                hint="Write it as a double, such as 1e40.",
            )
    released = {f"{SCHEMA}.r{i}": _released_lengths(question) for i, question in enumerate(questions)}
    check_lengths(tree, catalog, params, released=released)


def _released_lengths(question: Question) -> Mapping[str, int]:
    keys = {f"k{i}": key.type.value for i, key in enumerate(question.keys)}
    return value_lengths(keys | {f"a{i}": measure.sql_type for i, measure in enumerate(question.measures)})


def fix(tree: Node, params: Mapping[str, object], now: datetime) -> None:
    """Placeholders become constants, and the present moment is one."""
    bind_values(tree, params)
    for present in all_of(tree, exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp):
        moment = now.date() if isinstance(present, exp.CurrentDate) else now
        present.replace(_node(constant(moment)))
    for present in all_of(tree, exp.CurrentTime):
        in_utc = exp.Literal.string(f"{now.time().isoformat()}+00")
        present.replace(exp.cast(in_utc, exp.DataType.build("TIMETZ", dialect="duckdb")))
    for call in all_of(tree, exp.Anonymous):
        name = str(call.this).lower()
        if name in ("now", "today", "current_date"):
            call.replace(_node(constant(now if name == "now" else now.date())))
        elif name == "age" and len(call.expressions) == 1:  # up to the engine's own day
            call.set("expressions", [_node(constant(now.date())), *call.expressions])


def bind_values(tree: Node, params: Mapping[str, object]) -> None:
    """Placeholders become constants. Raises ProgrammingError for a value that SQL has no constant for."""
    for node in all_of(tree, exp.Placeholder):
        node.replace(node_of(params[node.name]))


def node_of(value: object) -> Node:
    """A value as a constant. Raises ProgrammingError for one that SQL has no constant for."""
    return _node(constant(value))


def render(tree: Node, params: Mapping[str, object], now: datetime) -> str:
    """The SQL that the finishing engine runs, of a tree that nobody uses any more; see `fix`."""
    fix(tree, params, now)
    return written(tree)


def written(tree: Node) -> str:
    """The SQL of a fixed tree that nobody uses any more: sqlglot may change it."""
    return tree.sql(dialect="duckdb", comments=False, copy=False)


def _node(literal: Literal) -> Node:
    value = literal.value
    if value is None:
        return exp.null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, datetime):
        return exp.cast(
            exp.Literal.string(value.isoformat(" ")), exp.DataType.build("TIMESTAMP", dialect="duckdb")
        )
    if isinstance(value, date):
        return exp.cast(exp.Literal.string(value.isoformat()), exp.DataType.build("DATE", dialect="duckdb"))
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, int):
        return (
            exp.Literal.number(value) if value >= 0 else exp.paren(exp.Neg(this=exp.Literal.number(-value)))
        )
    assert isinstance(value, float)
    return exp.cast(exp.Literal.string(repr(value)), exp.DataType.build("DOUBLE"))
