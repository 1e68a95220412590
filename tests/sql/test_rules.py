"""Every rule of `sql.normalize` says by an example what it changes: SQL in, SQL out."""

from __future__ import annotations

import doctest
from collections.abc import Callable

import pytest

from dpsql.sql.lex.text import read_text
from dpsql.sql.lex.tokens import read_tokens
from dpsql.sql.normalize import RULES, Rule, Stage
from dpsql.sql.parse.gate import _parse


def after(change: Callable[..., object], sql: str, *before: Callable[..., object]) -> None:
    """Prints what becomes of a query by a change, which may need others before it."""
    text = read_text(sql)
    tree = _parse(text.sql, read_tokens(text.sql, text.code))
    for each in (*before, change):
        each(tree)
    print(tree.sql(dialect="duckdb"))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.change.__name__)
def test_the_example_of_a_rule_is_so(rule: Rule) -> None:
    around = {**rule.change.__globals__, "after": after}
    (example,) = doctest.DocTestFinder(recurse=False).find(rule.change, globs=around)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(example)
    assert runner.tries > runner.failures == 0


def test_rules_stand_in_the_order_of_their_stages_and_each_once() -> None:
    order = list(Stage)
    assert [rule.stage for rule in RULES] == sorted((rule.stage for rule in RULES), key=order.index)
    assert len({rule.change for rule in RULES}) == len(RULES)
