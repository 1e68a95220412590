"""From text to an admitted tree: one SELECT statement, of known syntax only, read the way it is written."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import ClassVar, Final, Protocol

from sqlglot import exp
from sqlglot.errors import ParseError

from dpsql.algebra.system_tables import CATALOG
from dpsql.errors import Place, QueryRefused, Refusal
from dpsql.slotted import dataclass
from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.descriptions import INSTEAD_OF_UNPIVOT
from dpsql.sql.ast.pg_column_names import shown_names
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, every, of_kinds
from dpsql.sql.dialect import Node, Parser, Token, TokenType, TooManyNodes
from dpsql.sql.lex.field_tokens import WrittenField
from dpsql.sql.lex.text import Explain, Text, read_text, refuse_text
from dpsql.sql.lex.tokens import Tokens, read_tokens, word_of
from dpsql.sql.normalize import Stage, apply_rules
from dpsql.sql.normalize.bound_lists import Source, spread_lists
from dpsql.sql.normalize.dialect_functions import FOREIGN
from dpsql.sql.normalize.foreign.dialect_dates import READ_BY_ARGUMENTS, TYPE_CALLS
from dpsql.sql.normalize.foreign.foreign_forms import ARRAYS
from dpsql.sql.normalize.pivot import ListedValues, without_expected_columns, write_lists
from dpsql.sql.normalize.spellings import with_own_catalog
from dpsql.sql.own_stack import OwnStack
from dpsql.sql.parse.described_text import stood_in, stood_in_tree
from dpsql.sql.parse.privacy_options import Option, peel_options
from dpsql.sql.parse.syntax_hints import syntax_hint
from dpsql.sql.validate.allow import check_nodes
from dpsql.sql.validate.function_names import is_read_by_name
from dpsql.sql.validate.order_positions import check_positions
from dpsql.sql.validate.precedence import check_precedence
from dpsql.sql.validate.query_size import check_size, check_stars_list
from dpsql.sql.validate.round_trip import check_reading, is_symmetric

_FIRST_WORD: Final = re.compile(r"\s*(\w+|\S)")
_BEGINNINGS: Final = frozenset({"SELECT", "WITH", "FROM", "PIVOT", "("})
_STATEMENTS: Final = frozenset(
    {
        "ALTER", "ANALYZE", "ATTACH", "BEGIN", "CALL", "CHECKPOINT", "CLUSTER", "COMMENT", "COMMIT", "COPY",
        "CREATE", "DEALLOCATE", "DELETE", "DESCRIBE", "DESC", "DETACH", "DO", "DROP", "EXECUTE", "EXPORT", "GRANT",
        "IMPORT", "INSERT", "INSTALL", "LISTEN", "LOAD", "LOCK", "MERGE", "NOTIFY", "PRAGMA", "PREPARE", "REASSIGN",
        "REFRESH", "REINDEX", "RESET", "REVOKE", "ROLLBACK", "SECURITY", "SET", "SHOW", "START", "SUMMARIZE", "TABLE",
        "TRUNCATE", "UNPIVOT", "UPDATE", "USE", "VACUUM", "VALUES",
    }
)  # fmt: skip
# sqlglot tries several readings of a type, each of them again inside the next: date(date(date(...)))
# takes time that doubles with every level. An ordinary query makes at most 1.8 nodes of a token.
_NODES_PER_TOKEN: Final = 4
_REASONS: Final = (
    ("The number of provided arguments", "the call that ends here has too many arguments"),
    ("Required", "an argument is missing before this parenthesis"),
)
_INSTEAD: Final = MappingProxyType(
    {
        "UNPIVOT": INSTEAD_OF_UNPIVOT,
        "SUMMARIZE": "Ask for COUNT, AVG, MIN and MAX of its columns.",
        "TABLE": "Write SELECT * FROM it.",
        "VALUES": "Write SELECT * FROM (VALUES (1), (2)) AS v(x).",
    }
)


class StatementCounter(Protocol):
    """The engine's own parser, asked for a second opinion."""

    def select_statements(self, text: str) -> int:
        """How many SELECT statements the text is; ValueError where it does not parse or is something else."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """One admitted query.

    `tree` is a Select or a set operation (possibly with CTEs) that nobody else holds, after the rules of
    `sql.normalize`; every name, literal, star, call and placeholder of the text in it has its place. `described` is the
    statement, comments and a trailing semicolon kept, or the tree's where it has functions of other databases, with
    stand-ins for system tables. `explain` says which EXPLAIN stood in front. `positional` counts the `?`; they are
    Placeholder nodes "1", "2", ... in the order of the text. `named` are the names of `$name` placeholders by first
    use. `options` are those of WITH DIFFERENTIAL_PRIVACY; None without it. Where lists were bound, `sources` says of
    which parameter the placeholder "1", "2", ... of the tree has its value; `positional` and `named` are of the text.
    `fields` are those of JSON, each a column of this name in the tree. `names_shown` are the names of its first and its
    last columns as PostgreSQL has them, where one of its clients asks, and `places` those of all in their tables, which
    a caller that knows the tables puts there.
    """

    tree: exp.Query
    described: str
    explain: Explain
    positional: int
    named: tuple[str, ...]
    options: tuple[Option, ...] | None = None
    sources: tuple[Source, ...] | None = None
    fields: tuple[WrittenField, ...] = ()
    names_shown: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    places: tuple[tuple[int, int], ...] = ()


def gate(sql: str, statements: StatementCounter) -> Admitted:
    """Admit one SELECT statement, or say where and why it is refused; see `admitted`.

    The outcome does not depend on the caller's stack.
    """
    return OwnStack().run(lambda: admitted(read_text(sql), statements))


def admitted(
    text: Text,
    statements: StatementCounter,
    lists: Mapping[str, int] = MappingProxyType({}),
    values: ListedValues = lambda _schema, _table, _column: None,
    database: str | None = None,
) -> Admitted:
    """The one SELECT statement that a text is, for a caller whose stack is always as deep.

    Guarantees: the tree is made of nodes, arguments and functions on the allow-list alone; it holds every
    literal, name and argument of the text and no other; sqlglot and the engine's parser both take the text
    for exactly one SELECT; and the outcome depends on the text alone, and on `lists`: the length of each list that is
    bound to a placeholder, by its name; on the `values` that the policy lists; and on the name of the `database`, which
    may stand before a schema: with None it is ours, and columns have DuckDB's names. Raises QueryRefused.
    """
    text, options = peel_options(text)
    _check_beginning(text)
    tokens = read_tokens(text.sql, text.code, text.inserted)
    tree = _parse(text.sql, tokens)
    nodes = every(tree)
    if without_expected_columns(nodes):
        nodes = every(tree)
    _place_placeholders(nodes, tokens)
    check_nodes(tree)
    check_size(tree, nodes)
    check_stars_list(tree, nodes)
    check_reading(nodes, tokens)
    check_precedence(nodes)
    check_positions(nodes)
    query = _query(tree)
    if options is not None and not isinstance(query, exp.Select):
        raise QueryRefused("WITH DIFFERENTIAL_PRIVACY is not supported in a query made of several SELECTs")
    names_shown = shown_names(query, text.sql) if database is not None else ((), ())
    plain = _without_unknown(text, tokens)
    _check_statements(_with_lists(plain, text, write_lists(nodes, values)), statements, tokens)
    names = tuple(str(i) for i in range(1, tokens.positional + 1)) or tokens.named
    sources = spread_lists(query, names, lists)
    keep_names(_with_fields(query, tokens))
    renamed = with_own_catalog(query, database or CATALOG)
    rewritten = apply_rules(query, Stage.DIALECT) or sources is not None or bool(tokens.fields) or renamed
    if rewritten:
        apply_rules(query, Stage.WRITTEN)
        described = stood_in_tree(query, text.sql, _parse(text.sql, tokens), tokens.fields)
    else:
        described = stood_in(nodes, text.sql)[len(text.sql) - len(text.statement) :]
    apply_rules(query, Stage.FORM)
    return Admitted(
        *(query, described, text.explain, tokens.positional, tokens.named, options, sources, tokens.fields),
        names_shown,
    )


def _without_unknown(text: Text, tokens: Tokens) -> str:
    """The statement with blanks for words that DuckDB does not know there.

    They are SYMMETRIC, ANY and ALL behind LIKE, and TIMESTAMP as a function.
    """
    statement, before = text.statement, len(text.sql) - len(text.statement)
    if _UNKNOWN.isdisjoint(map(word_of, tokens.items)):
        return statement
    for earlier, token, behind in zip((None, *tokens.items), tokens.items, tokens.items[1:], strict=False):
        is_between = token.token_type is TokenType.BETWEEN and is_symmetric(behind)
        is_like = token.token_type in (TokenType.LIKE, TokenType.ILIKE) and word_of(behind) in ("ANY", "ALL")
        if is_between or is_like or _is_call_of_type(earlier, token, behind):
            word = behind if is_between or is_like else token
            at, end = word.start - before, word.end + 1 - before
            statement = f"{statement[:at]}{' ' * (end - at)}{statement[end:]}"
    return statement


_UNKNOWN: Final = frozenset({"SYMMETRIC", "ANY", "ALL", *TYPE_CALLS})


def _is_call_of_type(before: Token | None, token: Token, behind: Token) -> bool:
    """Whether a type stands there as a function, as in TIMESTAMP('2025-01-31'), and not behind AS or ::."""
    is_type = before is not None and before.token_type in (TokenType.ALIAS, TokenType.DCOLON)
    return word_of(token) in TYPE_CALLS and word_of(behind) == "(" and not is_type


def _with_lists(statement: str, text: Text, lists: list[tuple[int, str]]) -> str:
    """The statement with what is put at these offsets of the whole text."""
    before = len(text.sql) - len(text.statement)
    for at, put in sorted(lists, reverse=True):
        statement = statement[: at - before] + put + statement[at - before :]
    return statement


def _with_fields(query: exp.Query, tokens: Tokens) -> list[exp.Column]:
    """The fields of JSON within larger expressions; by itself one has its name."""
    names = {field.name for field in tokens.fields}
    columns = all_of(query, exp.Column) if names else []
    return [c for c in columns if c.name in names and not isinstance(c.parent, exp.Select)]


def _check_beginning(text: Text) -> None:
    """Name the kind of a statement that is no query, before sqlglot makes a Command of it and logs it."""
    first = _FIRST_WORD.match(text.code)
    word = first.group(1).upper() if first else ""
    if word in _BEGINNINGS:
        return
    if first is None or not text.code.strip("; \t\r\n"):
        raise QueryRefused("there is nothing to run", hint="Write a SELECT statement.")
    is_known = word in _STATEMENTS
    reason = f"{word} is not supported as a statement" if is_known else f"a query does not begin with {word}"
    kind = Refusal.UNSUPPORTED if is_known else Refusal.SYNTAX
    raise refuse_text(text.sql, first.start(1), reason, _INSTEAD.get(word, "Only SELECT is answered."), kind)


class _Parser(Parser):
    """The parser for which functions of other databases are plain calls: sqlglot would take some for DuckDB's."""

    FUNCTIONS: ClassVar = {
        name: build
        for name, build in Parser.FUNCTIONS.items()
        if (name not in FOREIGN or name in READ_BY_ARGUMENTS)
        and name not in ARRAYS
        and not is_read_by_name(name)
    }
    FUNCTION_PARSERS: ClassVar = {
        name: read for name, read in Parser.FUNCTION_PARSERS.items() if not is_read_by_name(name)
    }


def _parse(sql: str, tokens: Tokens) -> Node:
    parser = _Parser(_NODES_PER_TOKEN * len(tokens.items) + 500)
    with quiet():
        try:
            trees = parser.parse(list(tokens.items), sql)
        except ParseError as error:
            raise _unreadable(error, tokens) from None
        except TooManyNodes:
            raise QueryRefused(
                "the query is nested in a way that takes too long to read",
                hint="Write CAST(x AS DATE) where types stand as functions around each other, as in date(date(x)).",
            ) from None
        except RecursionError:
            raise QueryRefused("the query is nested too deeply") from None
        except Exception:
            # Some malformed texts end in an error inside sqlglot; to the analyst they are unreadable as well.
            raise QueryRefused(
                "the text cannot be read as SQL", hint=syntax_hint(tokens.items, None), kind=Refusal.SYNTAX
            ) from None
    if len(trees) != 1 or trees[0] is None:
        raise QueryRefused(
            "the text cannot be read as one statement",
            hint="Write one SELECT statement.",
            kind=Refusal.SYNTAX,
        )
    return trees[0]


def _unreadable(error: ParseError, tokens: Tokens) -> QueryRefused:
    """sqlglot's refusal in our words: its message carries terminal codes and changes between versions."""
    details = error.errors[0] if error.errors else {}
    line, column, word = details.get("line"), details.get("col"), details.get("highlight")
    place = Place(line, column) if isinstance(line, int) and isinstance(column, int) else None
    for beginning, reason in _REASONS if word == ")" else ():
        if str(details.get("description")).startswith(beginning):
            return QueryRefused(reason, place=place, kind=Refusal.SYNTAX)
    near = f" near {word[:40]}" if isinstance(word, str) and word.strip() else ""
    return QueryRefused(
        f"the text cannot be read as SQL{near}",
        place=place,
        hint=syntax_hint(tokens.items, place),
        kind=Refusal.SYNTAX,
    )


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


def _place_placeholders(nodes: Sequence[Node], tokens: Tokens) -> None:
    """Give the placeholders their places, a repeated name that of its first use; sqlglot keeps none."""
    marks = dict(tokens.marks)
    for node in of_kinds(nodes, exp.Placeholder) if marks else ():
        if node.name in marks:
            node.update_positions(marks[node.name])


def _query(tree: Node) -> exp.Query:
    """The query inside any parentheses around the whole of it."""
    while isinstance(tree, exp.Subquery):
        tree = tree.this
    if isinstance(tree, exp.Pivot):
        return exp.Select(expressions=[exp.Star()], from_=exp.From(this=exp.Subquery(this=tree)))
    if not isinstance(tree, (exp.Select, exp.SetOperation)):
        raise refuse_node(tree, "the statement is not a query", "Only SELECT is answered.")
    tree.pop()
    return tree


def _check_statements(text: str, statements: StatementCounter, tokens: Tokens) -> None:
    try:
        count = statements.select_statements(text)
    except ValueError:
        raise QueryRefused(
            "DuckDB's parser does not take this text for a SELECT statement",
            hint=syntax_hint(tokens.items, None),
            kind=Refusal.SYNTAX,
        ) from None
    if count != 1:
        raise QueryRefused("the text is not exactly one statement", hint="Send one statement at a time.")
