"""The cases of tests/cases/gate, one by one."""

from __future__ import annotations

import pytest
from gate_cases import Case, DuckDBStatements, read_cases

from dpsql.errors import QueryRefused
from dpsql.sql.parse.gate import gate

CASES = (*read_cases("refused.sql"), *read_cases("admitted.sql"))
REFUSED = tuple(case for case in CASES if case.refused is not None)
ADMITTED = tuple(case for case in CASES if case.refused is None)


@pytest.fixture(scope="module")
def statements() -> DuckDBStatements:
    return DuckDBStatements()


def said(error: QueryRefused) -> str:
    where = f"{error.place}: " if error.place is not None else ""
    return f"{where}{error.reason}" + (f" | {error.hint}" if error.hint else "")


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.sql)
def test_a_refused_statement_is_refused_at_its_place_in_our_words(
    case: Case, statements: DuckDBStatements
) -> None:
    with pytest.raises(QueryRefused) as caught:
        gate(case.sql, statements)
    assert said(caught.value) == case.refused


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.sql)
def test_a_refusal_keeps_no_trace_of_the_error_of_a_library(case: Case, statements: DuckDBStatements) -> None:
    with pytest.raises(QueryRefused) as caught:
        gate(case.sql, statements)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    assert "\033" not in str(caught.value)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", ADMITTED, ids=lambda case: case.sql)
def test_an_admitted_statement_comes_out_as_a_query(case: Case, statements: DuckDBStatements) -> None:
    admitted = gate(case.sql, statements)
    assert admitted.tree.parent is None
    assert admitted.explain == case.sql.upper().startswith("EXPLAIN")
    assert case.sql.endswith(admitted.described)


def test_the_files_hold_hundreds_of_cases() -> None:
    assert len(REFUSED) > 150
    assert len(ADMITTED) > 400
