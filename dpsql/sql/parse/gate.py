"""From text to an admitted tree: one SELECT statement, of known syntax only, read the way it is written."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final, Protocol, TypeVar

from sqlglot import exp
from sqlglot.errors import ParseError

from dpsql.errors import Place, QueryRefused
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, every, holds, kinds_of
from dpsql.sql.dialect import Node, Parser, Token, TokenType, TooManyNodes
from dpsql.sql.lex.text import Lines, Text, read_text
from dpsql.sql.lex.tokens import Tokens, read_tokens
from dpsql.sql.normalize.dialect_dates import READ_BY_UNIT
from dpsql.sql.normalize.dialect_functions import FOREIGN, without_foreign
from dpsql.sql.normalize.distinct_on import without_distinct_on
from dpsql.sql.normalize.interval_casts import without_interval_casts
from dpsql.sql.normalize.lateral_marks import without_lateral
from dpsql.sql.normalize.output_names import keep_names
from dpsql.sql.normalize.parenthesised_joins import without_parentheses
from dpsql.sql.normalize.quantified_comparisons import without_quantifiers
from dpsql.sql.normalize.regex_operators import OPERATORS, without_matches
from dpsql.sql.normalize.table_functions import without_series
from dpsql.sql.normalize.time_zones import without_zones
from dpsql.sql.normalize.within_group import KINDS as QUANTILES
from dpsql.sql.normalize.within_group import without_within_group
from dpsql.sql.parse.options import Option, peel_options
from dpsql.sql.parse.system_table_stand_ins import is_qualified, stood_in, stood_in_tree, without_catalog
from dpsql.sql.validate.allow import check_nodes
from dpsql.sql.validate.function_names import is_read_by_name
from dpsql.sql.validate.precedence import check_precedence
from dpsql.sql.validate.query_size import check_size
from dpsql.sql.validate.round_trip import check_reading
from dpsql.sql.validate.star_width import check_stars_list

_FIRST_WORD: Final = re.compile(r"\s*(\w+|\S)")
_BEGINNINGS: Final = frozenset({"SELECT", "WITH", "FROM", "("})
_STATEMENTS: Final = frozenset(
    {
        "ALTER", "ANALYZE", "ATTACH", "BEGIN", "CALL", "CHECKPOINT", "COMMENT", "COMMIT", "COPY",
        "CREATE", "DEALLOCATE", "DELETE", "DESCRIBE", "DESC", "DETACH", "DROP", "EXECUTE", "EXPORT",
        "IMPORT", "INSERT", "INSTALL", "LOAD", "MERGE", "PIVOT", "PRAGMA", "PREPARE", "RESET",
        "ROLLBACK", "SET", "SHOW", "START", "SUMMARIZE", "TABLE", "TRUNCATE", "UNPIVOT", "UPDATE", "USE",
        "VACUUM", "VALUES",
    }
)  # fmt: skip
_NEGATIONS: Final = frozenset({TokenType.NOT, TokenType.NOTNULL})
_LOOSE: Final = (exp.Binary, exp.Between, exp.In, exp.Neg, exp.Cast)
# sqlglot tries several readings of a type, each of them again inside the next: date(date(date(...)))
# takes time that doubles with every level. An ordinary query makes at most 1.8 nodes of a token.
_NODES_PER_TOKEN: Final = 4
_REASONS: Final = (
    ("The number of provided arguments", "the call that ends here has too many arguments"),
    ("Required argument", "something that has to stand here is missing"),
)
_INSTEAD: Final = MappingProxyType(
    {
        "PIVOT": "Write an aggregate for each value, as COUNT(*) FILTER (WHERE region = 'a').",
        "UNPIVOT": "Write UNION ALL of a SELECT for each column, over a name of WITH.",
        "SUMMARIZE": "Ask for COUNT, AVG, MIN and MAX of its columns.",
        "TABLE": "Write SELECT * FROM it.",
        "VALUES": "Write SELECT * FROM (VALUES (1), (2)) AS v(x).",
    }
)
T = TypeVar("T")


class StatementCounter(Protocol):
    """The engine's own parser, asked for a second opinion."""

    def select_statements(self, text: str) -> int:
        """How many SELECT statements the text is; ValueError where it does not parse or is something else."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """One admitted query.

    `tree` is a Select or a set operation (possibly with CTEs) that nobody else holds; every name, literal,
    star, call and placeholder in it has its place, but for what was written for functions of other
    databases and DISTINCT ON. `text` is the statement without EXPLAIN, comments and a trailing
    semicolon kept, or the tree's where it has one of those; `described` is the statement with stand-ins for
    system tables, and DuckDB's functions. `explain` says that EXPLAIN stood in front. `positional` counts
    the `?`; they are Placeholder nodes "1", "2", ... in the order of the text. `named` are the names of
    `$name` placeholders by first use. `options` are those of WITH DIFFERENTIAL_PRIVACY, which is blank in
    `text`; None without it.
    """

    tree: exp.Query
    text: str
    described: str
    explain: bool
    positional: int
    named: tuple[str, ...]
    options: tuple[Option, ...] | None = None


def gate(sql: str, statements: StatementCounter) -> Admitted:
    """Admit one SELECT statement, or say where and why it is refused; see `admitted`.

    The outcome does not depend on the caller's stack.
    """
    return on_own_thread(lambda: admitted(read_text(sql), statements))


def admitted(text: Text, statements: StatementCounter) -> Admitted:
    """The one SELECT statement that a text is, for a caller whose stack is always as deep.

    Guarantees: the tree is made of nodes, arguments and functions on the allow-list alone; it holds every
    literal, name and argument of the text and no other; sqlglot and the engine's parser both take the text
    for exactly one SELECT; and the outcome depends on the text alone. Raises QueryRefused.
    """
    text, options = peel_options(text)
    _check_beginning(text)
    tokens = read_tokens(text.sql, text.code)
    tree = _parse(text.sql, tokens)
    _place_placeholders(tree, tokens)
    check_nodes(tree)
    nodes = every(tree)
    check_size(tree)
    check_stars_list(tree)
    check_reading(nodes, tokens)
    check_precedence(nodes)
    query = _query(tree)
    if options is not None and not isinstance(query, exp.Select):
        raise QueryRefused("WITH DIFFERENTIAL_PRIVACY is not supported in a query made of several SELECTs")
    _check_statements(text.statement, statements)
    kinds = frozenset(map(type, nodes))
    if holds(kinds, *OPERATORS):
        without_matches(query)
    foreign = holds(kinds, exp.Anonymous, exp.Distinct) and without_foreign(query)
    foreign = without_zones(query) or foreign
    if foreign:  # sqlglot renders WITHIN GROUP in another way than it stands
        keep_names(all_of(query, exp.WithinGroup))
        without_within_group(query)
    qualified = any(is_qualified(node) for node in nodes)
    described = stood_in_tree(query) if foreign else stood_in(query, text.sql) if qualified else text.sql
    described = described if foreign else described[len(text.sql) - len(text.statement) :]
    changed = (holds(kinds, exp.Distinct) and without_distinct_on(query)) or foreign
    statement = query.sql(dialect="duckdb", comments=False) if changed else text.statement
    _unify(query, kinds_of(query) if changed else kinds)
    if any(token.token_type in _NEGATIONS for token in tokens.items):
        _parenthesise(query)
    if qualified:
        without_catalog(query)
    return Admitted(query, statement, described, text.explain, tokens.positional, tokens.named, options)


def _unify(query: exp.Query, kinds: frozenset[type[Node]]) -> None:
    """Gives one form to what has several; `kinds` are those of the query's nodes."""
    if holds(kinds, exp.Cast):
        without_interval_casts(query)
    without_series(query)
    if holds(kinds, *QUANTILES):
        without_within_group(query)
    if holds(kinds, exp.Lateral):
        without_lateral(query)
    if holds(kinds, exp.Any, exp.All, exp.Anonymous):  # SOME is one of the last
        without_quantifiers(query)
    without_parentheses(query)


def _check_beginning(text: Text) -> None:
    """Name the kind of a statement that is no query, before sqlglot makes a Command of it and logs it."""
    first = _FIRST_WORD.match(text.code)
    word = first.group(1).upper() if first else ""
    if word in _BEGINNINGS:
        return
    place = Lines.of(text.sql).place(first.start(1)) if first and text.code.strip("; \t\r\n") else None
    if place is None:
        raise QueryRefused("there is nothing to run", hint="Write a SELECT statement.")
    if word in _STATEMENTS:
        raise QueryRefused(
            f"{word} is not supported as a statement",
            place=place,
            hint=_INSTEAD.get(word, "Only SELECT is answered."),
        )
    raise QueryRefused(f"a query does not begin with {word}", place=place, hint="Only SELECT is answered.")


def _in_front(parser: Parser) -> Node:
    node: Node = Parser.UNARY_PARSERS[TokenType.NOT](parser)
    node.meta["prefix"] = True
    return node


class _Parser(Parser):
    """DuckDB's parser, keeping the place of calls, primaries and intervals, the written name of calls, and
    which NOT stands in front.
    """

    UNARY_PARSERS = Parser.UNARY_PARSERS | {TokenType.NOT: _in_front}
    FUNCTIONS: ClassVar = {
        name: build
        for name, build in Parser.FUNCTIONS.items()
        if (name not in FOREIGN or name in READ_BY_UNIT) and not is_read_by_name(name)
    }
    FUNCTION_PARSERS: ClassVar = {
        name: read for name, read in Parser.FUNCTION_PARSERS.items() if not is_read_by_name(name)
    }

    def _parse_function_call(
        self,
        functions: dict[str, Callable[..., Node]] | None = None,
        anonymous: bool = False,
        optional_parens: bool = True,
        any_token: bool = False,
    ) -> Node | None:
        token = self._curr
        result = super()._parse_function_call(functions, anonymous, optional_parens, any_token)
        call = result
        while isinstance(call, (exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)):
            call = call.this
        if call is not None and "written" not in call.meta:
            call.update_positions(token)
            call.meta["written"] = token.text.upper()
        return result

    def _parse_primary(self) -> Node | None:
        return _placed(self._curr, super()._parse_primary())

    def _parse_atom(self) -> Node | None:
        token = self._curr
        node = super()._parse_atom()
        return _placed(token, node) if isinstance(node, (exp.Null, exp.Boolean)) else node

    def _parse_interval(self, *options: bool, **named: bool) -> exp.Add | exp.Interval | None:
        token = self._curr
        result = super()._parse_interval(*options, **named)
        _placed(token, result)
        return result


def _placed(token: Token | None, node: Node | None) -> Node | None:
    if node is not None and "start" not in node.meta:
        node.update_positions(token)
    return node


def _parse(sql: str, tokens: Tokens) -> Node:
    parser = _Parser(_NODES_PER_TOKEN * len(tokens.items) + 500)
    with quiet():
        try:
            trees = parser.parse(list(tokens.items), sql)
        except ParseError as error:
            raise _unreadable(error) from None
        except TooManyNodes:
            raise QueryRefused(
                "the query is nested in a way that takes too long to read",
                hint="Write CAST(x AS DATE) where types stand as functions around each other, as in date(date(x)).",
            ) from None
        except RecursionError:
            raise QueryRefused("the query is nested too deeply") from None
        except Exception:
            # Some malformed texts end in an error inside sqlglot; to the analyst they are unreadable as well.
            raise QueryRefused("the text cannot be read as SQL") from None
    if len(trees) != 1 or trees[0] is None:
        raise QueryRefused("the text cannot be read as one statement", hint="Write one SELECT statement.")
    return trees[0]


def _unreadable(error: ParseError) -> QueryRefused:
    """sqlglot's refusal in our words: its message carries terminal codes and changes between versions."""
    known = error.errors[0] if error.errors else {}
    line, column, word = known.get("line"), known.get("col"), known.get("highlight")
    place = Place(line, column) if isinstance(line, int) and isinstance(column, int) else None
    for beginning, reason in _REASONS:
        if str(known.get("description")).startswith(beginning):
            return QueryRefused(reason, place=place)
    near = f" near {word[:40]}" if isinstance(word, str) and word.strip() else ""
    return QueryRefused(f"the text cannot be read as SQL{near}", place=place)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what sqlglot logs in this thread off the log, and leave the logger as it was."""
    mine = threading.get_ident()

    def is_foreign(record: logging.LogRecord) -> bool:
        return record.thread != mine

    logger = logging.getLogger("sqlglot")
    logger.addFilter(is_foreign)
    try:
        yield
    finally:
        logger.removeFilter(is_foreign)


def on_own_thread(work: Callable[[], T]) -> T:
    """Run `work` on a fresh stack, so that running out of it never depends on how deep the caller is."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="dpsql-gate", daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


def _place_placeholders(tree: Node, tokens: Tokens) -> None:
    """Give the placeholders their places, a repeated name that of its first use; sqlglot keeps none."""
    marks = dict(tokens.marks)
    for node in all_of(tree, exp.Placeholder) if marks else ():
        if node.name in marks:
            node.update_positions(marks[node.name])


def _query(tree: Node) -> exp.Query:
    """The query inside any parentheses around the whole of it."""
    while isinstance(tree, exp.Subquery):
        tree = tree.this
    if not isinstance(tree, (exp.Select, exp.SetOperation)):
        raise refuse_node(tree, "the statement is not a query", "Only SELECT is answered.")
    tree.pop()
    return tree


def _check_statements(text: str, statements: StatementCounter) -> None:
    try:
        count = statements.select_statements(text)
    except ValueError:
        raise QueryRefused("DuckDB's parser does not take this text for a SELECT statement") from None
    if count != 1:
        raise QueryRefused("the text is not exactly one statement", hint="Send one statement at a time.")


def _parenthesise(tree: Node) -> None:
    """Keep a NOT below an operator in parentheses: rendered without, `(NOT a) = b` becomes NOT (a = b)."""
    for node in all_of(tree, exp.Not):
        if isinstance(node.parent, _LOOSE) and not isinstance(node.parent, exp.Connector):
            around = exp.Paren()
            node.replace(around)
            around.set("this", node)
