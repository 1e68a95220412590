"""A question that the analyst's budget does not cover any more is refused with an epsilon at which it would be."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest
from plan.opened import Table

import dpsql
from dpsql.errors import BudgetExhausted

ROWS = tuple((n, "ab"[n % 2]) for n in range(40))
QUESTION = "SELECT COUNT(*) FROM t WHERE u > {}"


def made(folder: Path, accountant: str, epsilon: str = "1") -> Path:
    table = Table(
        {"word": "text, values: [a, b]"}, ROWS, privacy="max_rows_per_unit: 1", accountant=accountant
    )
    policy = table.store(folder)
    text = re.sub(
        r"default: \{.*\}",
        f"default: {{epsilon: {epsilon}, delta: 1e-6, per_query: 0.4}}",
        policy.read_text(),
    )
    if accountant == "pure":
        text = re.sub(r"delta: [\d.e-]+", "delta: 0", text)
    policy.write_text(text)
    return policy


def used_up(connection: dpsql.Connection) -> tuple[str, BudgetExhausted]:
    """Asks until the budget does not cover a question; the question, and how it was refused."""
    for n in range(40):
        sql = QUESTION.format(n)
        before = connection.budget().spent
        try:
            connection.execute(sql)
        except BudgetExhausted as refusal:
            assert connection.budget().spent == before
            return sql, refusal
    raise AssertionError("the budget covers everything")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("accountant", ["pure", "approx", "zcdp", "rdp"])
def test_what_is_said_to_fit_does(accountant: str, tmp_path: Path) -> None:
    policy = made(tmp_path, accountant)
    with closing(dpsql.connect(policy, analyst="alice")) as connection:
        sql, refusal = used_up(connection)
    fits = refusal.fitting_epsilon
    assert fits is not None and 0 < fits < 0.4
    assert str(refusal).endswith(f" Nothing was charged. At epsilon {float(fits):g} it would.")
    with closing(dpsql.connect(policy, analyst="alice", epsilon=fits)) as cheaper:
        assert cheaper.execute(sql).release.epsilon > 0


def test_what_was_left_is_offered_whole_where_epsilons_add_up(tmp_path: Path) -> None:
    with closing(dpsql.connect(made(tmp_path, "pure"), analyst="alice")) as connection:
        _, refusal = used_up(connection)
    assert float(refusal.fitting_epsilon or 0) == float(refusal.left_epsilon or 1) == 0.2


def test_nothing_is_offered_where_nothing_is_left_or_an_accuracy_decides(tmp_path: Path) -> None:
    policy = made(tmp_path, "pure", "0.8")
    with closing(dpsql.connect(policy, analyst="alice")) as connection:
        assert used_up(connection)[1].fitting_epsilon is None
    with closing(dpsql.connect(policy, analyst="bob", accuracy="9")) as connection:
        assert used_up(connection)[1].fitting_epsilon is None


def test_nothing_is_offered_for_a_query_that_says_its_own_epsilon(tmp_path: Path) -> None:
    sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.4) COUNT(*) FROM t WHERE word = 'a'"
    with closing(dpsql.connect(made(tmp_path, "pure"), analyst="alice")) as connection:
        used_up(connection)
        with pytest.raises(BudgetExhausted) as refused:
            connection.execute(sql)
    assert refused.value.fitting_epsilon is None and str(refused.value).endswith("Nothing was charged.")
