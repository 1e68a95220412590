"""The public query for results that could have been, where columns are more than arithmetic on one released row.

Totals of released rows, shares of them, differences from the month before: how far noise carries these is found
by replaying the public query on other results, all in one statement. Its rows are matched by the columns that no noise
enters.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import Final

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.local import LocalQuestion
from dpsql.algebra.question import DISTINCT_VALUES, ORDERED, Aggregate, Question
from dpsql.slotted import dataclass
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.traversal import every, tables
from dpsql.sql.dialect import Node
from dpsql.sql.public.noise_dependence import Depends, Rows, UnknownError, depends
from dpsql.sql.public.render import SCHEMA, written
from dpsql.sql.public.rollup_levels import Level
from dpsql.sql.public.row_provenance import Trace

DRAWS: Final = "#draws"
DRAW: Final = "#draw"
_ALL: Final = "#all"
_REPLAYED: Final = "#replayed"
_RELEASE: Final = re.compile(r"r(\d+)")
_LINEAR: Final = frozenset(
    {Aggregate.COUNT_ROWS, Aggregate.COUNT, Aggregate.COUNT_UNITS, Aggregate.SUM, *DISTINCT_VALUES}
)


@dataclass(frozen=True, slots=True)
class ReplayQuery:
    """The public query for each of the numbers in released."#draws", and how its columns depend on noise.

    The released tables that it reads have the rows of all draws, with the column DRAW. The number comes first
    in every row, then the columns of the answer, and there is every row that the answer may have. `public` are the
    public tables that are read.
    """

    sql: str
    columns: tuple[Depends, ...]
    public: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[int, ...]:
        """The places of the columns by which rows are matched."""
        return tuple(i for i, d in enumerate(self.columns) if d is Depends.EXACT)


def replay_query(
    tree: Node, questions: Sequence[Question], levels: Iterable[Level], catalog: Catalog, trace: Trace | None
) -> ReplayQuery | None:
    """How a finished public query is replayed; None where formulas say all, or where nothing says how noise enters."""
    if trace is not None and None not in trace.formulas:
        return None
    if not questions or any(isinstance(q, LocalQuestion) for q in questions):
        return None
    public: dict[str, None] = {}
    of_level = {level.name: level.release for level in levels}

    def find(table: exp.Table) -> Rows:
        if not table.db and table.name in catalog.tables:
            public[table.name] = None
            return Rows((), open=True)
        match = _RELEASE.fullmatch(table.name) if table.db == SCHEMA else None
        at = int(match.group(1)) if match else of_level.get(table.name)
        if at is None:
            raise UnknownError
        return _released(questions[at], linear=not of_level)

    try:
        rows = depends(tree, find)
    except UnknownError:
        return None
    columns = tuple(d for _, d in rows.columns)
    return (
        ReplayQuery(_of_all_draws(_with_all_rows(tree), public), columns, tuple(public))
        if any(columns)
        else None
    )


def _released(question: Question, *, linear: bool) -> Rows:
    """The columns of a released table; with `linear` its counts and sums have noise that no other table shares."""
    keys = [(f"k{i}", Depends.EXACT) for i, _ in enumerate(question.keys)]
    measures = [(f"a{i}", _of(m.aggregate, linear=linear)) for i, m in enumerate(question.measures)]
    return Rows((("i", Depends.EXACT), *keys, *measures))


def _of(aggregate: Aggregate, *, linear: bool) -> Depends:
    if aggregate in ORDERED:
        return Depends.UNTOLD
    return Depends.LINEAR if linear and aggregate in _LINEAR else Depends.NOISY


def _with_all_rows(tree: Node) -> Node:
    """The query without what only chooses and sorts the rows of its answer."""
    copy = tree.copy()
    if isinstance(copy, exp.Select) and copy.args.get("distinct") is None:
        for clause in ("having", "qualify", "order", "limit", "offset"):
            copy.set(clause, None)
        if (
            not copy.args.get("joins")
            and not copy.args.get("group")
            and not any(is_aggregate(n) or isinstance(n, exp.Window) for n in every(copy))
        ):
            copy.set("where", None)
    return copy


def _of_all_draws(tree: Node, public: Container[str]) -> str:
    """The query beside a table of draws; where it reads a result it reads that of the draw.

    Public tables are read from where results are.
    """
    for table in list(tables(tree)):
        if table.db == SCHEMA:
            table.replace(_of_one_draw(table))
        elif table.name in public and not table.db:
            table.set("db", _name(SCHEMA))
    replayed = exp.Lateral(this=exp.Subquery(this=tree), alias=exp.TableAlias(this=_name(_REPLAYED)))
    star = exp.Column(this=exp.Star(), table=_name(_REPLAYED))
    draws = exp.Table(this=_name(DRAWS), db=_name(SCHEMA), alias=exp.TableAlias(this=_name(DRAWS)))
    replayed_rows = exp.Select(expressions=[exp.column(_name(DRAW), table=_name(DRAWS)), star])
    replayed_rows.set("from_", exp.From(this=draws))
    replayed_rows.set("joins", [exp.Join(this=replayed)])
    return written(replayed_rows)


def _of_one_draw(table: exp.Table) -> exp.Subquery:
    left_out = exp.Star(except_=[exp.column(_name(DRAW))])
    here = exp.Table(this=table.this.copy(), db=_name(SCHEMA), alias=exp.TableAlias(this=_name(_ALL)))
    mine = exp.EQ(
        this=exp.column(_name(DRAW), table=_name(_ALL)),
        expression=exp.column(_name(DRAW), table=_name(DRAWS)),
    )
    select = exp.Select(expressions=[left_out])
    select.set("from_", exp.From(this=here))
    select.set("where", exp.Where(this=mine))
    alias = table.args.get("alias") or exp.TableAlias(this=_name(table.name))
    return exp.Subquery(this=select, alias=alias.copy())


def _name(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)
