"""Every sentence with which a query can be refused is held by a case: where, why, and what would work."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import pytest

from answers.behind import BEHIND
from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.algebra.catalog import Catalog
from dpsql.algebra.functions import Mistyped
from dpsql.engines.base import FinishFailed, FinishStopped
from dpsql.errors import BudgetExhausted, ProgrammingError, QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.stages import prepare

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
REFUSALS = frozenset({"QueryRefused", "Mistyped"})


def many(text: str, count: int, between: str = ", ") -> str:
    return between.join(text.replace("{i}", str(i)).replace("{j}", str(i + 1)) for i in range(count))


# Refusals of texts that are too long to stand in a file of cases.
LONG = {
    "line 1, column 35: a LIKE pattern has at most 1000 bytes": (
        f"SELECT COUNT(*) FROM orders WHERE region LIKE '{'a' * 1001}'"
    ),
    "line 1, column 5106: a query has at most 100 releases and 300 aggregates of private rows. "
    "Send several queries; GROUP BY answers for many groups at once.": (
        f"SELECT {many('(SELECT COUNT(*) FROM orders WHERE quantity > {i})', 101)}"
    ),
    "line 1, column 116: the stars of the query list more than 5000 columns. "
    "Write * once in each SELECT, or name the columns.": functools.reduce(
        lambda sql, i: f"SELECT *, * FROM ({sql}) AS s{i}", range(14), "SELECT * FROM regions"
    ),
    "line 1, column 8: the query needs more than 200000 choices of a quantile, MIN, MAX or MODE over all its groups. "
    "Group by fewer columns, or ask for fewer of them at once.": (
        f"SELECT region, day, quantity, {many('MEDIAN(amount) FILTER (quantity = {i})', 60)} FROM orders "
        "GROUP BY region, day, quantity"
    ),
    "with every name of WITH put in its place the query has more than 60 joins. "
    "Join fewer tables, or aggregate in steps of their own.": (
        "WITH c0 AS (SELECT r.* FROM regions r JOIN tags USING (region)), "
        f"{many('c{j} AS (SELECT a.* FROM c{i} a JOIN c{i} b USING (region))', 6)} SELECT * FROM c6"
    ),
    "a column is computed of more than 2000 others, each mention in a step counted again in the next. "
    "Compute it in fewer steps, or mention the column of the step before less often.": (
        "WITH c0 AS (SELECT customer, quantity AS q FROM orders), "
        + many(
            "c{j} AS (SELECT customer, CASE WHEN q > 3 THEN q ELSE 1 END AS q FROM c{i} GROUP BY ALL)",
            12,
        )
        + " SELECT COUNT(*) FROM c12"
    ),
    "with every name of WITH put in its place the query has more than 100 windows. Send several queries.": (
        f"SELECT {many('SUM(zone) OVER (ORDER BY zone - {i})', 101)} FROM tags"
    ),
    "more than 30 subqueries may refer to the query around them. "
    "Write columns with the names of their tables, or join instead.": (
        f"SELECT {many('(SELECT COUNT(*) FROM tags WHERE tags.region = r.region AND zone = {i})', 32)} FROM regions r"
    ),
    "line 1, column 35: the expression is nested too deeply. Compute a part of it in a subquery first.": (
        f"SELECT COUNT(*) FROM orders WHERE quantity > {many('quantity', 160, '+')}"
    ),
    "line 1, column 35: the expression is too large. Compute a part of it in a subquery first.": (
        f"SELECT COUNT(*) FROM orders WHERE CASE {many('quantity', 99, '+')} "
        f"{many('WHEN {i} THEN 1', 200, ' ')} END = 1"
    ),
    "line 1, column 8: the statement is nested too deeply. Write x IN (...) for many comparisons of x.": (
        f"SELECT {many('1', 200, '+')} FROM pg_class"
    ),
    "line 1, column 35: DECODE makes the query too large when it is written out. "
    "Compute its argument in a subquery first.": (
        f"SELECT COUNT(*) FROM orders WHERE DECODE({many('quantity', 60, '+')}, {many('{i}, {j}', 300)}) = 1"
    ),
    "line 1, column 115: DIV0 makes the query too large when it is written out. "
    "Compute its argument in a subquery first.": (
        f"SELECT COUNT(*) FROM orders WHERE {'DIV0(1, ' * 20}quantity{')' * 20} = 1"
    ),
    "the query computes private rows in more than 50 steps, one after another. "
    "Use fewer names of WITH that aggregate, number or merge the rows of the one before.": (
        "WITH c0 AS (SELECT customer, SUM(quantity) AS n FROM orders GROUP BY customer), "
        + many("c{j} AS (SELECT customer, SUM(n) AS n FROM c{i} GROUP BY customer)", 60)
        + " SELECT COUNT(*) FROM c60"
    ),
    "the query has 301 SELECTs; 250 are the most. Send several queries.": (
        f"SELECT {many('(SELECT COUNT(*) FROM orders WHERE quantity > {i})', 300)}"
    ),
    "with every name of the SELECT list put in its place the query has more than 10000 words. "
    "Compute in steps: SELECT ... FROM (SELECT ...) AS v.": (
        f"SELECT x0, {many('x{i} || x{i} AS x{j}', 22)} FROM (SELECT region AS x0 FROM regions)"
    ),
    "with every name of WITH put in its place the query has more than 1000 SELECTs. Refer to each name less often.": (
        f"WITH c0 AS (SELECT * FROM regions), {many('c{j} AS (SELECT * FROM c{i} UNION ALL SELECT * FROM c{i})', 14)}"
        " SELECT * FROM c14"
    ),
    "the query has 300007 characters; 100000 are the most that are read. "
    "Put long lists of values into a public table and join with it.": f"SELECT {'x' * 300_000}",
    "the query has more than 20000 words and symbols": (
        f"SELECT {many('COUNT(*) FILTER (WHERE quantity = {i})', 2000)} FROM orders"
    ),
    "line 1, column 8: a chain of operators or joins is too long here. Write x IN (...) for many comparisons of x.": (
        f"SELECT {many('1', 5000, '+')}"
    ),
    "line 1, column 28: the character U+200B (zero width space) is not allowed outside string literals. "
    "Use plain spaces and line feeds.": "SELECT COUNT(*) FROM orders\u200b",
    "line 1, column 10: a NUL character cannot stand in a string literal": "SELECT 'a\0b'",
    "the statement about the system is too large. "
    "Ask for less at once: each function and each cast of it is looked up among all names.": (
        f"SELECT {'to_regclass(' * 12}'orders'{')' * 12} FROM pg_class"
    ),
}
# Refusals under other policies than those of the cases: which one, what is written otherwise in it, and the query.
SHOP, SURVEY = "max_rows_per_unit: 100", "one_row_per_unit: true"
UNDER = {
    "line 1, column 8: the policy allows no mechanism that adds noise to these counts and sums. "
    "privacy.mechanisms in the policy says which are allowed; discrete_laplace fits every count and sum.": (
        "shop", SHOP, f"{SHOP}, mechanisms: [permute_and_flip]", "SELECT COUNT(*) FROM orders",
    ),
    "line 1, column 42: the policy counts a unit in at most 5 groups, and a query may name fewer but not more. "
    "Leave max_groups_contributed out.": (
        "shop", SHOP, f"{SHOP}, max_groups_per_unit: 5",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 6) COUNT(*) FROM orders",
    ),
    "line 1, column 8: the query needs the mechanism truncated_geometric, which the policy does not allow. "
    "privacy.mechanisms in the policy says which are allowed.": (
        "shop", SHOP, f"{SHOP}, mechanisms: [discrete_laplace]",
        "SELECT product, COUNT(*) FROM orders GROUP BY product",
    ),
    "line 1, column 8: a unit may have several rows, and how many it has would be seen. "
    "The policy needs one_row_per_unit for the table, if that is so. Aggregate the rows.": (
        "survey", SURVEY, "one_row_per_unit: false", "SELECT RANDOMIZED_RESPONSE(smoker) FROM survey",
    ),
    "line 1, column 248: a row has at most 8 responses. Ask for fewer.": (
        "survey", SURVEY, SURVEY, f"SELECT {many('RANDOMIZED_RESPONSE(age > {i})', 9)} FROM survey",
    ),
    "line 1, column 65: the query's epsilon is too small to be shared by its responses. "
    "Ask for fewer of them, or with a larger epsilon.": (
        "survey", SURVEY, SURVEY,
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.000000001) "
        f"{many('RANDOMIZED_RESPONSE(age > {i})', 3)} FROM survey",
    ),
    "line 1, column 65: the query's epsilon is too small to be shared by all that it asks for. "
    "Ask for less, or with a larger epsilon.": (
        "shop", SHOP, SHOP,
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.000000001) product, day, COUNT(*) "
        "FROM orders GROUP BY CUBE(product, day)",
    ),
    "line 1, column 72: the query's delta is too small to be shared by all that it asks for. "
    "Ask for less, or with a larger delta.": (
        "shop", SHOP, SHOP,
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 0.000000000000000001) product, day, COUNT(*) "
        "FROM orders GROUP BY CUBE(product, day)",
    ),
}  # fmt: skip
# Refusals of a connection that shows made-up rows.
MOCK = {
    "made-up rows cannot stand beside tables about the system. Ask for each in a query of its own.": (
        "SELECT o.region, b.epsilon_spent FROM orders o, dpsql.budget b"
    ),
    "the query fails on made-up rows. Check its casts, and constants that are written as text.": (
        "SELECT CAST(region AS INTEGER) FROM orders"
    ),
}
# Refusals of what is passed for the parameters of a query.
VALUES = {
    "line 1, column 35: the text holds half of a surrogate pair, which is no character": "\ud800",
    "the text of a parameter holds a NUL character": "a\0b",
    "the whole number of a parameter is too large; pass it as a float": 10**38,
    "a parameter must be a finite number": float("nan"),
    "the moment of a parameter has a time zone; pass it without one, as moments stand in the data": (
        datetime(2025, 1, 1, tzinfo=UTC)
    ),
    "a parameter of type bytes is not supported. Pass it as a text.": b"x",
}
# What no list can be that is bound, with the condition that it is bound in.
LISTS: dict[str, tuple[str, object]] = {
    "line 1, column 44: a list is bound here. "
    "A list stands only behind a comparison, as in x = ANY ($1) and x <> ALL ($1).": (
        "region = ?",
        ["north"],
    ),
    "line 1, column 49: ANY and ALL take a list here, and another value is bound. "
    "Bind a list, or a text such as '{a,b}'.": (
        "region = ANY (?)",
        "north",
    ),
    "a list that is bound holds NULL. Leave it out; x IS NULL finds what has no value.": (
        "region <> ALL (?)",
        ["north", None],
    ),
    "the lists of a query have more than 10000 values together. Send several queries.": (
        "product = ANY (?)",
        list(range(10_001)),
    ),
}
# What is said where a budget ends: what is written otherwise in the policy, after a query of epsilon 1 was answered.
LEFT = "asked epsilon 1, delta 0; left epsilon 0.5, delta 0.001. Nothing was charged."
ENDED = {
    f"the budget of alice does not cover this query: {LEFT} At epsilon 0.5 it would.": "default: {epsilon: 1.5, ",
    "the data's budget does not allow this query. Nothing was charged.": "dataset: {epsilon: 1.5, ",
}
# What is said where planning gives up.
GIVEN_UP: dict[str, type[Exception]] = {
    "the query is nested too deeply": RecursionError,
    "planning the query takes too much time or memory. Ask for less.": FinishStopped,
    "the groups of the query cannot be listed. Group by fewer columns.": FinishFailed,
    "the query takes too much memory to plan": MemoryError,
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = make_shop(tmp_path_factory.mktemp("refusals"))
    opened = build_session(load_policy(folder / "shop.yaml"), "alice", None, (None, None), Noiseless())
    yield opened
    opened.close()


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("sentence", "sql"), LONG.items(), ids=lambda text: text[:60])
def test_a_text_that_is_too_long_is_refused_in_exactly_these_words(
    session: Session, sentence: str, sql: str
) -> None:
    with pytest.raises(QueryRefused) as refused:
        session.answer(sql)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(("sentence", "asked"), UNDER.items(), ids=lambda text: str(text)[:60])
def test_a_refusal_under_another_policy_is_in_exactly_these_words(
    sentence: str, asked: tuple[str, str, str, str], tmp_path: Path
) -> None:
    policy, before, after, sql = asked
    changed = make_shop(tmp_path) / f"{policy}.yaml"
    changed.write_text(changed.read_text(encoding="utf-8").replace(before, after, 1), encoding="utf-8")
    opened = build_session(load_policy(changed), "alice", None, (None, None), Noiseless())
    with closing(opened), pytest.raises(QueryRefused) as refused:
        opened.answer(sql)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(("sentence", "sql"), MOCK.items(), ids=lambda text: text[:60])
def test_a_refusal_of_made_up_rows_is_in_exactly_these_words(sentence: str, sql: str, tmp_path: Path) -> None:
    policy = load_policy(make_shop(tmp_path) / "shop.yaml")
    opened = build_session(policy, "alice", None, (None, None), Noiseless(), "mock")
    with closing(opened), pytest.raises(QueryRefused) as refused:
        opened.answer(sql)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(("sentence", "value"), VALUES.items(), ids=lambda text: repr(text)[:60])
def test_what_no_parameter_can_be_is_refused_in_exactly_these_words(
    session: Session, sentence: str, value: object
) -> None:
    with pytest.raises(ProgrammingError) as refused:
        session.answer("SELECT COUNT(*) FROM orders WHERE region = ?", [value])
    assert str(refused.value) == sentence


@pytest.mark.parametrize(("sentence", "bound"), LISTS.items(), ids=lambda text: str(text)[:60])
def test_what_no_bound_list_can_be_is_refused_in_exactly_these_words(
    session: Session, sentence: str, bound: tuple[str, object]
) -> None:
    with pytest.raises(QueryRefused) as refused:
        session.answer(f"SELECT COUNT(*) FROM orders WHERE {bound[0]}", [bound[1]])
    assert str(refused.value) == sentence


@pytest.mark.parametrize(("sentence", "budget"), ENDED.items(), ids=lambda text: str(text)[:60])
def test_a_budget_that_ends_is_told_in_exactly_these_words(
    sentence: str, budget: str, tmp_path: Path
) -> None:
    changed = make_shop(tmp_path) / "shop.yaml"
    before = re.escape(budget.partition(":")[0]) + r": \{epsilon: [\d.]+, "
    changed.write_text(re.sub(before, budget, changed.read_text(encoding="utf-8")), encoding="utf-8")
    opened = build_session(load_policy(changed), "alice", None, (None, None), Noiseless())
    with closing(opened), pytest.raises(BudgetExhausted) as ended:
        for quantity in range(2):
            opened.answer(f"SELECT COUNT(*) FROM orders WHERE quantity > {quantity}")
    assert str(ended.value) == sentence


@pytest.mark.parametrize(("sentence", "given_up"), GIVEN_UP.items(), ids=str)
def test_what_is_too_much_to_plan_is_refused_in_exactly_these_words(
    session: Session, sentence: str, given_up: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def planned(*_: object) -> NoReturn:
        raise given_up("the details")

    monkeypatch.setattr(prepare, "_planned", planned)
    with pytest.raises(QueryRefused) as refused:
        session.answer(f"SELECT COUNT(*) FROM orders /* {sentence} */")
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("sentence", "called_alone"), BEHIND.items(), ids=lambda v: v[:60] if isinstance(v, str) else ""
)
def test_what_nothing_is_known_to_reach_refuses_in_exactly_these_words(
    session: Session, sentence: str, called_alone: Callable[[Catalog], object]
) -> None:
    with pytest.raises((QueryRefused, Mistyped)) as refused:
        called_alone(session._state.context.catalog)
    assert str(refused.value) == sentence


def test_every_refusal_has_a_case_that_holds_its_sentence() -> None:
    held = {*LONG, *UNDER, *MOCK, *VALUES, *LISTS, *GIVEN_UP, *BEHIND, *written()}
    whole = "\n".join(held)  # a sentence is one line, and no pattern goes beyond one
    unheld = {t for t in raised() if not pattern(t).search(whole)}
    assert unheld == set(), "a new refusal needs a case in tests/cases/answers/refused.sql"


def test_every_sentence_begins_with_a_small_letter_and_ends_without_a_stop() -> None:
    names = ("DuckDB", "NaN", "SQL")
    for sentence in raised():
        capital = sentence[:1].isupper() and sentence[1:2].islower()
        assert not capital or sentence.startswith(names), sentence
        assert not sentence.endswith(".") and "  " not in sentence, sentence


def written() -> set[str]:
    """The sentences in the files of cases: the comments of refused.sql, and those of the attacks and of the gate."""
    files = [
        CASES / "answers" / "refused.sql",
        CASES / "gate" / "refused.sql",
        *(CASES / "attacks").glob("*.sql"),
    ]
    lines = (line for f in files for line in f.read_text(encoding="utf-8").splitlines())
    return {line.removeprefix("--").strip() for line in lines if line.startswith("--")}


@functools.cache
def raised() -> frozenset[str]:
    """The reasons that refusals are raised with, {} for what is put in, also those that a helper is given to raise."""
    files = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "dpsql").rglob("*.py"))]
    found = set[str]()
    raising = {(-1, name): 0 for name in REFUSALS}  # by name, and by module where it is private
    while True:
        known = dict(raising)
        for module, text in enumerate(files):
            if not any(name in text for _, name in known):
                continue
            names, called_there = read(text)
            for function, call in called_there:
                at = raising.get(key(called(call), module))
                if at is None:
                    continue
                reason = next((k.value for k in call.keywords if k.arg == "reason"), None)
                reason = reason if reason is not None or len(call.args) <= at else call.args[at]
                if reason is None:
                    continue
                found.update(texts(reason, names | (constants(function) if function is not None else {})))
                if isinstance(function, ast.FunctionDef) and isinstance(reason, ast.Name):
                    parameters = [a.arg for a in function.args.args if a.arg != "self"]
                    if reason.id in parameters:
                        raising[key(function.name, module)] = parameters.index(reason.id)
        if raising == known:
            return frozenset(found)


@functools.cache
def read(text: str) -> tuple[dict[str, list[str]], tuple[tuple[ast.FunctionDef | None, ast.Call], ...]]:
    """The texts that names are assigned in a module, and its calls."""
    tree = ast.parse(text)
    return constants(tree), tuple(calls(tree))


def calls(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef | None, ast.Call]]:
    """Every call, with the innermost function around it."""
    stack: list[tuple[ast.FunctionDef | None, ast.AST]] = [(None, tree)]
    while stack:
        function, node = stack.pop()
        if isinstance(node, ast.Call):
            yield function, node
        inside = node if isinstance(node, ast.FunctionDef) else function
        stack += [(inside, child) for child in ast.iter_child_nodes(node)]


def key(name: str, module: int) -> tuple[int, str]:
    return (module if name.startswith("_") else -1), name


def called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


@functools.cache
def constants(scope: ast.AST) -> dict[str, list[str]]:
    """The texts that names are assigned in a module or a function."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(scope):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).extend(texts(node.value, {}))
    return found


def texts(node: ast.expr, names: dict[str, list[str]]) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.Name):
        return names.get(node.id, [])
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)]
    if isinstance(node, ast.IfExp):
        return [*texts(node.body, names), *texts(node.orelse, names)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [a + b for a in texts(node.left, names) for b in texts(node.right, names)]
    return []


def pattern(text: str) -> re.Pattern[str]:
    return re.compile(".+".join(re.escape(part) for part in text.split("{}")))
