"""The text that DuckDB describes: the statement's own, or that of its tree where DuckDB cannot read the statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from sqlglot import exp

from dpsql.algebra.system_tables import stand_in, system_name
from dpsql.sql.ast.traversal import children, every, of_kinds
from dpsql.sql.dialect import Node, words_of
from dpsql.sql.lex.field_tokens import WrittenField
from dpsql.sql.normalize.foreign.foreign_types import own_type


def stood_in(nodes: Sequence[Node], sql: str) -> str:
    """The text of these nodes with the schema of every system table, and of columns that it qualifies, exchanged.

    So the engine that describes it finds an empty table in a schema that it has.
    """
    for start, schema in sorted({s.meta["start"]: s for s in _schemas(nodes)}.items(), reverse=True):
        sql = f'{sql[:start]}"{stand_in(schema.name)}"{sql[schema.meta["end"] + 1 :]}'
    return sql


def stood_in_tree(tree: Node, sql: str, as_parsed: Node, fields: Iterable[WrittenField] = ()) -> str:
    """The same of a tree that is no longer what its text says, of which `as_parsed` is what the parser made.

    Whatever is as it was parsed keeps its words: DuckDB names a column by them, and sqlglot has others, 'MONTH' for
    'month'. A type keeps none of its own: DuckDB names types by its own words, and sqlglot looks at them in casts.
    """
    tree = tree.copy()
    for schema in _schemas(every(tree)):
        schema.replace(exp.to_identifier(stand_in(schema.name), quoted=True))
    parsed = {words: node for node in reversed(every(as_parsed)) if (words := words_of(node)) is not None}
    renamed = {field.name for field in fields}
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.DataType):
            continue
        words = words_of(node)
        written = parsed.get(words) if words is not None else None
        if words is not None and written == node and not _is_ours(written, renamed):
            node.replace(exp.Var(this=sql[words[0] : words[1]]))
        else:
            waiting += children(node)
    return tree.sql(dialect="duckdb", comments=False)


def _is_ours(node: Node, fields: Set[str]) -> bool:
    """Whether DuckDB cannot read a node's words: it has a placeholder, a field of JSON or another database's type."""
    return any(
        isinstance(n, exp.Placeholder)
        or (isinstance(n, exp.Column) and n.name in fields)
        or (isinstance(n, exp.DataType) and own_type(n) is not None)
        for n in every(node)
    )


def _schemas(nodes: Sequence[Node]) -> list[exp.Identifier]:
    """The names of the schemas of system tables."""
    schemas = []
    for node in of_kinds(nodes, exp.Table, exp.Column):
        schema = node.args.get("db")
        table = node.table if isinstance(node, exp.Column) else node.name
        if isinstance(schema, exp.Identifier) and system_name(schema.name, table) is not None:
            schemas.append(schema)
    return schemas
