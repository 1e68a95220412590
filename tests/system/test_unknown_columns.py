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
