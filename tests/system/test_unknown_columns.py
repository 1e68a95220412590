"""A column that is not there is refused with the one that is meant, as it has to be written."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.opened import Table

from dpsql.errors import QueryRefused

TABLE = Table(
    {'"Bill Month"': "text", "Amount": "integer, lower: 0, upper: 9"}, privacy="max_rows_per_unit: 1"
)


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("SELECT SUM(amuont) FROM t", 'Did you mean "Amount"?'),
        ("SELECT COUNT(bill_month) FROM t", 'Did you mean "Bill Month"? Its quotes are needed.'),
    ],
)
def test_the_column_that_is_meant_is_named_as_the_policy_writes_it(
    tmp_path: Path, query: str, hint: str
) -> None:
    session = TABLE.open(tmp_path)
    with pytest.raises(QueryRefused) as refused:
        session.answer(query)
    assert refused.value.hint == hint
    session.answer(query.replace("amuont", "Amount").replace("bill_month", '"Bill Month"'))


PUBLIC = ("places", "CREATE TABLE places AS SELECT 1 AS place, 'north' AS region")
BESIDE = Table({"amount": "integer, lower: 0, upper: 9"}, privacy="max_rows_per_unit: 1", public=PUBLIC)


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("SELECT COUNT(*) FROM t WHERE region = 'north'",
         "There is: u, amount. Tables with such a column: places."),
        ("SELECT COUNT(*) FROM t AS s WHERE s.region = 'north'",
         "There is: u, amount. Tables with such a column: places."),
        ("SELECT COUNT(*) FROM t WHERE xyz > 1", "There is: u, amount."),
        ("SELECT rgion FROM places", 'Did you mean "region"?'),
        ("SELECT amount FROM places", "There is: place, region. Tables with such a column: t."),
        ("SELECT * FROM (SELECT u % 2 AS side, COUNT(*) AS persons FROM t GROUP BY 1) WHERE person > 3",
         'Did you mean "persons"?'),
    ],
)  # fmt: skip
def test_a_column_of_another_table_is_found_there(tmp_path: Path, query: str, hint: str) -> None:
    session = BESIDE.open(tmp_path)
    with pytest.raises(QueryRefused) as refused:
        session.answer(query)
    assert refused.value.hint is not None
    assert refused.value.hint.removeprefix("If a text is meant, write 'region'. ") == hint
