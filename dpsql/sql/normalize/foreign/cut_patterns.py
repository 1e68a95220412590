"""What a regular expression finds in a text, as other databases cut it out.

PostgreSQL writes SUBSTRING(x FROM 'p') and (REGEXP_MATCH(x, 'p'))[1], Snowflake REGEXP_SUBSTR(x, 'p', 1, 1, 'e', 2).
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of, every, is_number
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import Room, filled

NAME: Final = "REGEXP_MATCH"
# Behind what is escaped and what stands in brackets, a group that is counted.
_GROUP: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<group>\((?!\?))", re.DOTALL)


def with_cut_patterns(tree: Node) -> bool:
    """Changes such calls into REGEXP_EXTRACT, and NULL where nothing is found. Says whether there was one.

    >>> after(with_cut_patterns, "SELECT SUBSTRING(a FROM '[0-9]+') AS b")
    SELECT CASE WHEN REGEXP_MATCHES(a, '[0-9]+') THEN REGEXP_EXTRACT(a, '[0-9]+', 0) END AS b
    """
    found = [node for node in all_of(tree, exp.Substring, exp.Bracket) if _cut(node) is not None]
    keep_names(found)
    room = Room()
    for node in reversed(found):
        cut = _cut(node)
        assert cut is not None
        text, pattern, group = cut
        room.take(2 * len(every(text)), node, "SUBSTRING" if isinstance(node, exp.Substring) else NAME)
        values = {"x": text, "p": pattern, "n": exp.Literal.number(group)}
        node.replace(filled("CASE WHEN REGEXP_MATCHES(x, p) THEN REGEXP_EXTRACT(x, p, n) END", values))
    return bool(found)


def _cut(node: Node) -> tuple[Node, Node, int] | None:
    """The text, the pattern and the number of its group; None for any other node."""
    if isinstance(node, exp.Substring):
        pattern = node.args.get("start")
        is_pattern = pattern is not None and pattern.is_string and not _is_whole(pattern.name)
        if pattern is None or not is_pattern or node.args.get("length") is not None:
            return None
        return node.this, pattern, min(groups(pattern.name), 1)
    call, places = node.this.unnest(), node.expressions
    is_call = (
        isinstance(call, exp.Anonymous) and str(call.this).upper() == NAME and len(call.expressions) == 2
    )
    if not is_call or len(places) != 1 or not is_number(places[0]) or not call.expressions[1].is_string:
        return None
    text, pattern = call.expressions
    most, place = groups(pattern.name), places[0].name
    return (
        (text, pattern, min(most, int(place)))
        if place.isdigit() and 1 <= int(place) <= max(most, 1)
        else None
    )


def _is_whole(text: str) -> bool:
    """Whether DuckDB takes a text for a place in another."""
    return text.strip().lstrip("+-").isdigit()


def groups(pattern: str) -> int:
    """How many groups a pattern counts."""
    return sum(match["group"] is not None for match in _GROUP.finditer(pattern))


def cut_by_place(args: list[Node]) -> Node | None:
    """REGEXP_SUBSTR(x, 'p', 1, 1, 'e', n): what the first match, or its n-th group, is; NULL for nothing."""
    pattern, numbers, options = args[1] if args[1:] else None, args[2:4], [a.name for a in args[4:5]]
    if pattern is None or not pattern.is_string or len(args) > 6 or options not in ([], [""], ["c"], ["e"]):
        return None
    if not all(is_number(n) and n.name == "1" for n in numbers) or not all(a.is_string for a in args[4:5]):
        return None
    group = args[5] if args[5:] else exp.Literal.number(int(options == ["e"]))
    if not is_number(group) or not group.name.isdigit() or int(group.name) > groups(pattern.name):
        return None
    if group.name == "0":
        return filled("NULLIF(REGEXP_EXTRACT(x, p), '')", {"x": args[0], "p": pattern})
    return filled("NULLIF(REGEXP_EXTRACT(x, p, n), '')", {"x": args[0], "p": pattern, "n": group})
