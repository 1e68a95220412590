"""Parts of dates that DuckDB has not, or has under another word: in EXTRACT and DATE_PART."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.foreign.date_units import bare_word
from dpsql.sql.normalize.templates import filled

PARTS: Final = MappingProxyType(
    {
        "ISOWEEK": "EXTRACT(WEEK FROM x)",
        "DAY_OF_WEEK": "EXTRACT(ISODOW FROM x)",
        "DAY_OF_YEAR": "EXTRACT(DOY FROM x)",
        "YEAR_OF_WEEK": "EXTRACT(ISOYEAR FROM x)",
        "YEAR_MONTH": "(EXTRACT(YEAR FROM x) * 100 + EXTRACT(MONTH FROM x))",
        "DATE": "CAST(x AS DATE)",
        **dict.fromkeys(
            ("DAYOFWEEKISO", "DAYOFWEEK_ISO", "DOW_ISO", "WEEKDAY_ISO"), "EXTRACT(ISODOW FROM x)"
        ),
        **dict.fromkeys(("WEEKISO", "WEEK_ISO", "WEEKOFYEARISO"), "EXTRACT(WEEK FROM x)"),
        **dict.fromkeys(("YEAROFWEEKISO", "YEAROFWEEK_ISO"), "EXTRACT(ISOYEAR FROM x)"),
        "EPOCH_SECOND": "CAST(FLOOR(EPOCH(x)) AS BIGINT)",
        "EPOCH_MILLISECOND": "EPOCH_MS(x)",
    }
)
"""What EXTRACT takes in other databases: BigQuery, Trino, MySQL's YEAR_MONTH, and Snowflake."""


def without_foreign_parts(tree: Node) -> bool:
    """Changes the parts of dates that DuckDB has not. Says whether there was one.

    >>> after(without_foreign_parts, "SELECT EXTRACT(ISOWEEK FROM a) AS b, EXTRACT(YEAR_MONTH FROM a) AS c")
    SELECT EXTRACT(WEEK FROM a) AS b, (EXTRACT(YEAR FROM a) * 100 + EXTRACT(MONTH FROM a)) AS c
    """
    found = [node for node in all_of(tree, exp.Extract) if node.name.upper() in PARTS]
    keep_names(found)
    for node in reversed(found):  # the inner ones first: what is around one may copy what it becomes
        made = filled(PARTS[node.name.upper()], {"x": node.expression})
        made.meta.update({k: v for k, v in node.meta.items() if k not in made.meta})
        node.replace(made)
    return bool(found)


def is_foreign_part(node: Node) -> bool:
    """Whether the first argument of DATE_PART, a word or a text, is such a part."""
    return (node.name.upper() if node.is_string else bare_word(node)) in PARTS


def part_of(args: list[Node]) -> Node | None:
    """DATE_PART(weekday_iso, x) and DATE_PART('weekday_iso', x)."""
    if len(args) != 2 or not is_foreign_part(args[0]):
        return None
    return filled(PARTS[args[0].name.upper()], {"x": args[1]})
