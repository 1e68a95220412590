"""The types that placeholders have where no value is known: those of what they are compared with, or added to.

A driver asks for them before it sends a value. They decide how that is written, and nothing about the query: it is
planned anew with the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.system_tables import Columns
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.zoned_moments import is_zoned_cast
from dpsql.sql.parse.argument_types import argument_type
from dpsql.sql.parse.gate import quiet

Beside = dict[tuple[int, bool], str | None]
"""The type of what stands beside the placeholders of a node, found once: a list may have thousands of them."""
SystemColumns = Callable[[str, str], Columns]
TEXT: Final = "VARCHAR"
OID: Final = "OID"
"""PostgreSQL's type of an object's number, which drivers know by name before they have looked up others."""
OF_CATALOGS: Final = MappingProxyType({"oid": OID, "name": "NAME", "char": '"char"', "int2": "SMALLINT"})
"""Types that columns of PostgreSQL's catalogs have and no other column has, by PostgreSQL's names."""
ZONED: Final = "TIMESTAMP WITH TIME ZONE"
"""A moment with a zone: drivers send that, and it is read as the moment in UTC."""
LIST: Final = "[]"
"""What stands behind the type of a list's values."""
_HELD: Final = MappingProxyType({OID: "BIGINT", "NAME": TEXT, '"char"': TEXT, "SMALLINT": "INTEGER"})
_T = exp.DataType.Type
_NAMES: Final = MappingProxyType(
    {
        _T.BOOLEAN: "BOOLEAN",
        _T.TINYINT: "INTEGER",
        _T.SMALLINT: "INTEGER",
        _T.INT: "INTEGER",
        _T.BIGINT: "BIGINT",
        _T.INT128: "HUGEINT",
        _T.FLOAT: "DOUBLE",
        _T.DOUBLE: "DOUBLE",
        _T.DECIMAL: "DECIMAL",
        _T.VARCHAR: TEXT,
        _T.TEXT: TEXT,
        _T.CHAR: TEXT,
        _T.NAME: OF_CATALOGS["name"],
        _T.DATE: "DATE",
        _T.TIME: "TIME",
        _T.TIMESTAMP: "TIMESTAMP",
        _T.TIMESTAMPNTZ: "TIMESTAMP",
        _T.DATETIME: "TIMESTAMP",
        _T.TIMESTAMPTZ: ZONED,
        _T.INTERVAL: "INTERVAL",
        _T.UUID: "UUID",
        _T.BLOB: "BLOB",
        _T.VARBINARY: "BLOB",
    }
)
_LIKE_EACH_OTHER: Final = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In,
    exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least, exp.Case, exp.If, exp.Mul, exp.Div, exp.Mod, exp.IntDiv,
)  # fmt: skip
_THROUGH: Final = (exp.Paren, exp.Neg)
_COMPARISONS: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_OF_ARGUMENT: Final = (
    exp.Sum, exp.Min, exp.Max, exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Median, *_THROUGH,
)  # fmt: skip
_NUMBERS: Final = frozenset({"INTEGER", "BIGINT", "HUGEINT", "DOUBLE", "DECIMAL"})
_PLACES: Final = MappingProxyType[tuple[type[Node], str], str](
    {
        (exp.Limit, "expression"): "BIGINT",
        (exp.Offset, "expression"): "BIGINT",
        (exp.Where, "this"): "BOOLEAN",
        (exp.Having, "this"): "BOOLEAN",
        (exp.And, "this"): "BOOLEAN",
        (exp.And, "expression"): "BOOLEAN",
        (exp.Or, "this"): "BOOLEAN",
        (exp.Or, "expression"): "BOOLEAN",
        (exp.Not, "this"): "BOOLEAN",
        (exp.Bracket, "expressions"): "INTEGER",
        (exp.Round, "decimals"): "INTEGER",
        (exp.Substring, "start"): "BIGINT",
        (exp.Substring, "length"): "BIGINT",
        (exp.Left, "expression"): "BIGINT",
        (exp.Right, "expression"): "BIGINT",
        (exp.Abs, "this"): "DOUBLE",
        (exp.Sum, "this"): "DOUBLE",
        (exp.Avg, "this"): "DOUBLE",
        (exp.Quantile, "quantile"): "DOUBLE",
        (exp.ApproxQuantile, "quantile"): "DOUBLE",
        (exp.PercentileCont, "this"): "DOUBLE",
        (exp.PercentileDisc, "this"): "DOUBLE",
        (exp.PercentileCont, "expression"): "DOUBLE",
        (exp.PercentileDisc, "expression"): "DOUBLE",
    }
)


def placeholder_types(tree: exp.Query, catalog: Catalog, system: SystemColumns) -> Mapping[str, str]:
    """DuckDB's name of a type for each placeholder of a query by name; text where nothing says more.

    `system` gives the columns of a system table by schema and name, and none for any other.
    """
    typed, columns = _typed(tree, catalog, system)
    kinds: dict[str, str] = {}
    beside: Beside = {}
    for mark in all_of(typed, exp.Placeholder):
        kinds[mark.name] = kinds.get(mark.name) or _kind_of_place(mark, columns, beside) or ""
    return {name: kind or TEXT for name, kind in kinds.items()}


def _typed(tree: exp.Query, catalog: Catalog, system: SystemColumns) -> tuple[Node, Mapping[str, str]]:
    """A copy with types as far as they are known, and the types of columns by their names alone."""
    copy = tree.copy()
    schema, columns = _stand_in(copy, catalog, system)
    try:
        with quiet():
            qualified = qualify(
                copy,
                schema=schema,
                dialect="duckdb",
                expand_alias_refs=False,
                expand_stars=False,
                validate_qualify_columns=False,
                quote_identifiers=False,
                identify=False,
                isolate_tables=False,
            )
            return annotate_types(qualified, schema=schema, dialect="duckdb"), columns
    except Exception:
        # sqlglot fails on some queries that are read here: then what stands at a place says all.
        return tree.copy(), columns


def _stand_in(
    tree: Node, catalog: Catalog, system: SystemColumns
) -> tuple[dict[str, object], dict[str, str]]:
    """Gives every table a plain name, and returns their columns with types by it, and by their own names alone."""
    own = {cte.alias.lower() for cte in all_of(tree, exp.CTE)}
    schema: dict[str, object] = {}
    by_name: dict[str, str] = {}
    for number, table in enumerate(list(all_of(tree, exp.Table))):
        columns = _columns(table, catalog, system)
        if not columns or (not table.db and table.name.lower() in own):
            continue
        alias = table.alias or table.name
        schema[f"t{number}"] = {name: _HELD.get(kind, kind) for name, kind in columns.items()}
        by_name |= columns
        table.set("db", None)
        table.set("catalog", None)
        table.set("this", exp.to_identifier(f"t{number}"))
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return schema, by_name


def _columns(table: exp.Table, catalog: Catalog, system: SystemColumns) -> dict[str, str]:
    info = catalog.named(table.db, table.name)
    if info is not None:
        return {c.name.lower(): str(c.type) for c in info.columns}
    return {name.lower(): kind for name, kind in system(table.db, table.name)}


def _kind_of_place(mark: Node, columns: Mapping[str, str], beside: Beside) -> str | None:
    """The type of what stands where a placeholder does."""
    node = mark
    while isinstance(node.parent, _THROUGH):
        node = node.parent
    around = node.parent
    if around is None:
        return None
    if isinstance(around, exp.Cast | exp.TryCast) and node is around.this:
        return _cast(around)
    if (compared := _compared_with_list(around)) is not None:
        return (_kind(compared, columns) or TEXT) + LIST
    if isinstance(around, exp.Add | exp.Sub):
        return _beside_sum(node, around, columns)
    if isinstance(around, exp.Anonymous):
        return argument_type(around, node)
    if (place := _PLACES.get((type(around), str(node.arg_key)))) is not None:
        return place
    if isinstance(around, exp.If) and isinstance(around.parent, exp.Case):
        if node is around.this and around.parent.this is None:  # CASE WHEN $1
            return "BOOLEAN"
        around = around.parent
    if not isinstance(around, _LIKE_EACH_OTHER):
        return None
    key = (id(around), node.arg_key == "this" and node.parent is not around)
    if key not in beside:
        beside[key] = next((k for other in _others(node, around) if (k := _kind(other, columns))), None)
    if isinstance(around, exp.Mul) and beside[key] == "INTERVAL":
        return "INTEGER"  # how often it is taken
    return beside[key]


def _cast(cast: exp.Cast) -> str | None:
    """The type that a placeholder is cast to."""
    if str(cast.to.args.get("kind")).endswith("_list"):  # oid[] and the like, as they are read here
        return OID + LIST
    if isinstance(cast.to, exp.ObjectIdentifier):  # of a name, as in regclass, the text is looked up
        return OID if str(cast.to.this).upper() == OID else TEXT
    if is_zoned_cast(cast):
        return ZONED
    if cast.to.this is _T.SMALLINT:
        return OF_CATALOGS["int2"]
    if cast.to.this is not _T.ARRAY:
        return _NAMES.get(cast.to.this)
    items = [_NAMES.get(item.this) for item in cast.to.expressions]
    return (items[0] or TEXT) + LIST if items else TEXT + LIST


def _compared_with_list(quantifier: Node) -> Node | None:
    """What is compared with ANY (...) or ALL (...); None for anything else."""
    is_call = isinstance(quantifier, exp.Anonymous) and str(quantifier.this).upper() in ("ALL", "SOME")
    compared = quantifier.parent
    if (is_call or isinstance(quantifier, exp.Any | exp.All)) and isinstance(compared, _COMPARISONS):
        return compared.this if compared.expression is quantifier else None
    return None


def _beside_sum(node: Node, around: exp.Binary, columns: Mapping[str, str]) -> str | None:
    other = around.right if around.left is node else around.left
    kind = _kind(other, columns)
    steps = {"DATE": "INTEGER", "TIMESTAMP": "INTERVAL", ZONED: "INTERVAL"}
    return steps.get(kind, kind) if kind is not None else None


def _others(node: Node, around: Node) -> list[Node]:
    """What stands beside a node, as values that are like it; of a CASE its results, or what it compares."""
    if isinstance(around, exp.Case):
        return _results(node, around)
    if isinstance(around, exp.In) and isinstance(query := around.args.get("query"), exp.Subquery):
        return [around.this, *query.selects[:1]]
    beside = [v for value in around.args.values() for v in (value if isinstance(value, list) else [value])]
    return [v for v in beside if isinstance(v, Node) and v is not node]


def _results(node: Node, case: exp.Case) -> list[Node]:
    branches = case.args.get("ifs") or []
    if node.arg_key == "this" and node.parent is not case:  # WHEN $1
        return [case.this] if case.this is not None else []
    results = [b.args.get("true") for b in branches] + [case.args.get("default")]
    return [r for r in results if isinstance(r, Node) and r is not node]


def _kind(node: Node, columns: Mapping[str, str]) -> str | None:
    """The type of an expression, or None."""
    if isinstance(node, exp.Placeholder):
        return None
    if isinstance(node, exp.Alias):
        return _kind(node.this, columns)
    annotated = _NAMES.get(node.type.this) if node.type is not None else None
    declared = columns.get(node.name.lower(), "") if isinstance(node, exp.Column) else ""
    if declared in _HELD and annotated == _HELD[declared]:
        return declared
    if annotated is not None:
        return annotated
    if isinstance(node, exp.Column):
        return columns.get(node.name.lower())
    if isinstance(node, exp.Literal):
        return TEXT if node.is_string else "INTEGER" if node.is_int else "DOUBLE"
    if isinstance(node, _OF_ARGUMENT):
        return _kind(node.this, columns)
    kinds = (
        [_kind(child, columns) for child in (node.this, node.expression)]
        if isinstance(node, exp.Binary)
        else []
    )
    return next((k for k in kinds if k in _NUMBERS), None)
