"""Other spellings in DuckDB's own SQL: operators, casts and names with the same meaning as another form."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.system_tables import CATALOG
from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of, every, from_items, is_star, outside_parentheses
from dpsql.sql.dialect import DType, Node, Search, SearchAnyCase
from dpsql.sql.normalize.templates import Room, filled

OPERATORS: Final[tuple[type[exp.Binary], ...]] = (Search, SearchAnyCase, exp.SimilarTo)
"""The nodes of x ~ 'p' and x ~* 'p', which search a text, and of x SIMILAR TO 'p', which is about all of it."""
_LOOSE: Final = (exp.Binary, exp.Between, exp.In, exp.Neg, exp.Cast)


def complaint_of_match(node: Node) -> str | None:
    """What is wrong with the pattern of such an operator, or None.

    PostgreSQL reads % and _ of SIMILAR TO as any letters, which stand for themselves in DuckDB.
    """
    pattern = node.expression
    if isinstance(node, Search | SearchAnyCase):
        is_constant = isinstance(pattern, exp.Literal | exp.Placeholder)
        return None if is_constant else "~ and ~* take a constant pattern; put it in quotes"
    if not isinstance(pattern, exp.Literal):
        return "SIMILAR TO takes a constant pattern; put it in quotes"
    if any(c in pattern.name for c in "%_"):
        return (
            "% and _ stand for themselves in DuckDB's SIMILAR TO; write LIKE, or REGEXP_FULL_MATCH(x, 'pattern') with "
            ".* for any letters and . for one"
        )
    return None


def without_matches(tree: Node) -> None:
    """Changes the operators of regular expressions into the calls that they are.

    >>> after(without_matches, "SELECT a ~ 'x', b SIMILAR TO 'y', c ~* 'z'")
    SELECT REGEXP_MATCHES(a, 'x'), REGEXP_FULL_MATCH(b, 'y'), REGEXP_MATCHES(c, 'z', 'i')
    """
    for node in reversed(all_of(tree, *OPERATORS)):
        node.replace(filled(_CALLS[type(node)], {"x": node.this, "pattern": node.expression}))


_CALLS: Final = MappingProxyType[type[Node], str](
    {
        Search: "REGEXP_MATCHES(x, pattern)",
        SearchAnyCase: "REGEXP_MATCHES(x, pattern, 'i')",
        exp.SimilarTo: "REGEXP_FULL_MATCH(x, pattern)",
    }
)


def is_interval(node: Node) -> bool:
    """Whether a type is the INTERVAL to which a text with a unit is cast."""
    cast = node.parent
    plain = node.args.get("this") is DType.INTERVAL and not node.args.get("expressions")
    if not plain or type(cast) is not exp.Cast:
        return False
    text = _constant_text(cast.this)
    return text is not None and any(map(str.isalpha, text))


def _constant_text(node: Node) -> str | None:
    """The text of a constant, or of some that are joined, as in -29 || ' day'; None for anything else."""
    if isinstance(node, exp.Paren):
        return _constant_text(node.this)
    if isinstance(node, exp.DPipe):
        parts = _constant_text(node.left), _constant_number(node.left), _constant_text(node.right)
        first, last = parts[0] if parts[0] is not None else parts[1], parts[2]
        return f"{first}{last}" if first is not None and last is not None else None
    return node.name if node.is_string else None


def _constant_number(node: Node) -> str | None:
    """A whole number as a text, with its sign."""
    sign, number = ("-", node.this) if isinstance(node, exp.Neg) else ("", node)
    if isinstance(node, exp.Paren):
        return _constant_number(node.this)
    return f"{sign}{number.name}" if isinstance(number, exp.Literal) and number.name.isdecimal() else None


def without_interval_casts(tree: Node) -> None:
    """Changes a text that is cast to INTERVAL, as PostgreSQL's clients write it, into an INTERVAL.

    >>> after(without_interval_casts, "SELECT '90 days'::INTERVAL, (-29 || ' day')::INTERVAL")
    SELECT INTERVAL '90 days', INTERVAL '-29 day'
    """
    for cast in all_of(tree, exp.Cast):
        if is_interval_cast(cast):
            text = _constant_text(cast.this)
            assert text is not None, "the gate lets no other pass"
            cast.replace(exp.Interval(this=exp.Literal.string(text)))


def is_interval_cast(cast: Node) -> bool:
    """Whether a cast is one to INTERVAL."""
    return cast.args["to"].this is DType.INTERVAL


def without_exact_casts(tree: Node) -> None:
    """Changes a constant that is compared and cast to a decimal type, which holds it as it is, into the number.

    >>> after(without_exact_casts, "SELECT a > '-2.50'::NUMERIC, b = (3::DECIMAL(5, 1)), c < 0.1234::NUMERIC")
    SELECT a > -2.50, b = (3), c < CAST(0.1234 AS DECIMAL(18, 3))
    """
    for cast in all_of(tree, exp.Cast):
        around = cast.parent
        while isinstance(around, exp.Paren):
            around = around.parent
        if is_decimal_cast(cast) and isinstance(around, _COMPARED):
            number = _decimal(cast.this, [int(size.name) for size in cast.args["to"].expressions])
            if number is not None:
                cast.replace(number)


def is_decimal_cast(cast: Node) -> bool:
    """Whether a cast is one to a decimal type."""
    return cast.args["to"].this is DType.DECIMAL


def _decimal(constant: Node, sizes: list[int]) -> Node | None:
    """A constant as the number that it is, where a decimal type of these sizes holds all of its digits."""
    written = _DECIMAL.fullmatch(constant.name) if isinstance(constant, exp.Literal) else None
    if written is None or not sizes:
        return None
    digits, scale = sizes[0], sizes[1] if len(sizes) > 1 else 0
    if len(written["whole"]) > digits - scale or len(written["rest"] or "") > scale:
        return None
    number: Node = exp.Literal.number(constant.name.lstrip("-"))
    number.meta.update(constant.meta)
    return exp.Neg(this=number) if written["sign"] else number


_DECIMAL: Final = re.compile(r"(?P<sign>-?)(?P<whole>\d+)(?:\.(?P<rest>\d+))?")
_COMPARED: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In)


def without_symmetric(tree: Node) -> bool:
    """Changes BETWEEN SYMMETRIC into BETWEEN in either order of its bounds. Says whether there was one.

    >>> after(without_symmetric, "SELECT a NOT BETWEEN SYMMETRIC 7 AND b AS c, d BETWEEN ASYMMETRIC 1 AND 2 AS e")
    SELECT NOT (a BETWEEN 7 AND b OR a BETWEEN b AND 7) AS c, d BETWEEN 1 AND 2 AS e
    """
    found = [node for node in all_of(tree, exp.Between) if node.args.get("symmetric") is not None]
    keep_names(found)
    room = Room()
    for node in reversed(found):
        room.take(len(every(node)), node, "BETWEEN SYMMETRIC")
        is_symmetric = node.args["symmetric"]
        node.set("symmetric", None)
        if is_symmetric:
            turned = exp.Between(
                this=node.this.copy(), low=node.args["high"].copy(), high=node.args["low"].copy()
            )
            around = exp.Paren()
            node.replace(around)
            around.set("this", exp.Or(this=node, expression=turned))
    return bool(found)


_LONG_UNITS: Final = MappingProxyType(
    {
        "YR": "YEAR", "MON": "MONTH", "HR": "HOUR", "MIN": "MINUTE", "SEC": "SECOND", "MSEC": "MILLISECOND",
        "USEC": "MICROSECOND",
    }
)  # fmt: skip


def long_unit(word: str) -> str | None:
    """The unit of INTERVAL that a short one is, as in '15 mins'; None for any other word."""
    return _LONG_UNITS.get(word.upper().removesuffix("S"))


def with_long_units(tree: Node) -> None:
    """Changes short units, which DuckDB takes in a text alone, into those that may stand behind one.

    >>> after(with_long_units, "SELECT INTERVAL '15 min', INTERVAL '2 hrs'")
    SELECT INTERVAL '15' MINUTE, INTERVAL '2' HOUR
    """
    for interval in all_of(tree, exp.Interval):
        unit = interval.args.get("unit")
        long = long_unit(unit.name) if isinstance(unit, exp.Var) else None
        if long is not None:
            interval.set("unit", exp.Var(this=long))


_LOOSE_SIGN: Final = re.compile(r"([+-])\s+(?=[0-9])")


def with_close_signs(tree: Node) -> bool:
    """Puts signs within the texts of INTERVALs beside their numbers, as DuckDB reads them. Says whether there was one.

    >>> after(with_close_signs, "SELECT INTERVAL '1 month - 1 day' AS a, '2 days + 3 hours'::INTERVAL AS b")
    SELECT INTERVAL '1 month -1 day' AS a, CAST('2 days +3 hours' AS INTERVAL) AS b
    """
    loose = [node.this for node in all_of(tree, exp.Interval, exp.Cast) if has_loose_sign(node)]
    keep_names(loose)
    for text in loose:
        text.set("this", _LOOSE_SIGN.sub(r"\1", text.name))
    return bool(loose)


def has_loose_sign(node: Node) -> bool:
    """Whether the text of an INTERVAL has a sign apart from its number."""
    is_text = (
        node.args.get("unit") is None if isinstance(node, exp.Interval) else is_interval(node.args["to"])
    )
    text = node.this if is_text else None
    return text is not None and text.is_string and bool(_LOOSE_SIGN.search(text.name))


def with_stars(tree: Node) -> None:
    """Changes COUNT(), which is COUNT(*) in DuckDB.

    >>> after(with_stars, "SELECT COUNT()")
    SELECT COUNT(*)
    """
    for call in all_of(tree, exp.Count):
        if counts_nothing(call):
            call.set("this", exp.Star())


def counts_nothing(call: Node) -> bool:
    """Whether a call is COUNT()."""
    return call.args.get("this") is None


def without_row_counts(tree: Node) -> bool:
    """Changes COUNT(t.*), which counts the rows of a table t, into COUNT(*). Says whether there was one.

    >>> after(without_row_counts, "SELECT COUNT(t.*) AS n FROM t")
    SELECT COUNT(*) AS n FROM t
    """
    counted = [call for call in all_of(tree, exp.Count) if counts_table(call)]
    keep_names(counted)
    for call in counted:
        call.set("this", exp.Star())
    return bool(counted)


def counts_table(call: Node) -> bool:
    """Whether a call is COUNT(t.*)."""
    return isinstance(call.this, exp.Column) and is_star(call.this)


def complaint_of_row_count(star: Node) -> str | None:
    """What is wrong with t.* in COUNT(t.*), or None: rows of t are those of FROM unless an outer join adds others."""
    select = star.find_ancestor(exp.Select)
    joins = select.args.get("joins") or [] if select is not None else []
    if select is None or isinstance(star.parent, exp.Distinct):
        return "* stands only in COUNT(*) and as a column of SELECT"
    names = [item.alias_or_name.lower() for item in from_items(select)]
    if star.text("table").lower() not in names:
        return "COUNT(t.*) counts the rows of a table t that stands in FROM beside it"
    at = names.index(star.text("table").lower())
    sides = [(join.side or "").upper() for join in joins]
    is_added = at > 0 and sides[at - 1] in ("LEFT", "FULL")
    if is_added or any(side in ("RIGHT", "FULL") for side in sides[at:]):
        return "an outer join may add rows to those that COUNT(t.*) counts; COUNT a column of t that is never NULL"
    return None


def with_parentheses(tree: Node) -> None:
    """Keeps a NOT below an operator in parentheses: written without them, (NOT a) = b is NOT (a = b).

    >>> after(with_parentheses, "SELECT a = NOT b")
    SELECT a = (NOT b)
    """
    for node in all_of(tree, exp.Not):
        if isinstance(node.parent, _LOOSE) and not isinstance(node.parent, exp.Connector):
            around = exp.Paren()
            node.replace(around)
            around.set("this", node)


def with_own_catalog(tree: Node, database: str) -> bool:
    """Changes the name by which a client knows the database, before a schema, into ours. Says whether there was one."""
    if database == CATALOG:
        return False
    named = [n for n in all_of(tree, exp.Table, exp.Column) if n.text("catalog").lower() == database.lower()]
    keep_names(n for n in named if isinstance(n, exp.Column) and not isinstance(n.parent, exp.Select))
    for node in named:
        node.set("catalog", exp.to_identifier(CATALOG))
    return bool(named)


def without_catalog(tree: Node) -> None:
    """Leaves out the name of the database before a schema: there is one database.

    >>> after(without_catalog, "SELECT dpsql.main.orders.a FROM dpsql.main.orders")
    SELECT main.orders.a FROM main.orders
    """
    for node in all_of(tree, exp.Table, exp.Column):
        if names_database(node):
            node.set("catalog", None)


def names_database(node: Node) -> bool:
    """Whether the name of a table or column begins with that of the database."""
    catalog = node.args.get("catalog")
    return isinstance(catalog, exp.Identifier) and catalog.name.lower() == CATALOG


_BYTES: Final = frozenset({"binary", "c", "posix"})


def complaint_of_collation(node: Node) -> str | None:
    """What is wrong with a COLLATE, or None: texts are compared byte by byte."""
    word = node.expression
    by_bytes = isinstance(word, exp.Identifier) and word.name.lower() in _BYTES
    return (
        None
        if by_bytes
        else 'COLLATE takes "C", "POSIX" and "binary" in quotes; compare LOWER(x) where case does not matter'
    )


def without_collations(tree: Node) -> None:
    """Leaves out the collations by which DuckDB compares anyway.

    >>> after(without_collations, 'SELECT a FROM t WHERE b = COALESCE(c, d) COLLATE "C" ORDER BY a COLLATE "binary"')
    SELECT a FROM t WHERE b = COALESCE(c, d) ORDER BY a
    """
    found = all_of(tree, exp.Collate)
    for node in found:
        node.expression.set("quoted", node.expression.name.lower() == "binary")  # as DuckDB names it
    keep_names(found)
    for node in reversed(found):
        node.replace(node.this)


def is_no_test(test: exp.Is) -> bool:
    """Whether x IS NULL of a sum only keeps a value that is there, as a private sum does, which is 0 over no rows.

    That is NOT (x IS NULL), and CASE WHEN x IS NULL THEN 0 ELSE x END.
    """
    node, around = outside_parentheses(test)
    if not isinstance(around, exp.If):
        return isinstance(around, exp.Not)
    return around.this is node and is_nothing(around.args["true"])


def is_nothing(node: Node) -> bool:
    """Whether a value is 0 or NULL, of whatever type."""
    value = node.unnest()
    if isinstance(value, exp.Cast):
        return is_nothing(value.this)
    is_zero = isinstance(value, exp.Literal) and value.is_number and float(value.this) == 0
    return is_zero or isinstance(value, exp.Null)
