"""The comparison with DuckDB's own reading, over queries of the grammar, the corpus of the front and its mutants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
from duckdb_reading import DuckDBReading, spelled_out
from front.front import Front, opened
from front.texts import Texts
from gate_cases import DuckDBStatements, told

from dpsql.errors import QueryRefused
from dpsql.sql.parse.gate import gate

COUNT = 90
# Tables of constants, for which VALUES stand in the tree, lists of quantiles, for which each one does, MODE()
# WITHIN GROUP, which is MODE(x), the separator that is a comma where none is written, the name of the catalogue,
# which is left out, and DISTINCT ON, which is a window.
WRITTEN_OUT = re.compile(
    r"\b(UNNEST|GENERATE_SERIES|RANGE)\b|(QUANTILE|PERCENTILE).*\[|\bMODE\s*\(\s*\)|\bdpsql\b\"?\s*\."
    r"|\b(STRING_AGG|LISTAGG|GROUP_CONCAT)\s*\([^,()]*\)|\bDISTINCT\s+ON\b|\bWITH\s+RECURSIVE\b",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with opened(tmp_path_factory.mktemp("front")) as found:
        yield found


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["made", "mutant", "sentence"])
def test_what_the_front_admits_is_what_duckdb_reads(
    kind: str, front: Front, executions: int, fuzz_seed: int
) -> None:
    texts, statements, reading = Texts(front.view), DuckDBStatements(), DuckDBReading()
    compared = 0
    for i in range(executions or COUNT):
        sql = getattr(texts, kind)(Random(f"{kind} {fuzz_seed} {i}")).sql
        try:
            admitted = gate(sql, statements)
        except QueryRefused:
            continue
        if WRITTEN_OUT.search(sql):
            continue
        compared += 1
        for rendered in (admitted.tree.sql(dialect="duckdb"), spelled_out(admitted.tree)):
            assert reading.of(rendered) == reading.of(told(admitted)), rendered
    assert compared > {"made": 0.25, "mutant": 0.1, "sentence": 0.01}[kind] * (executions or COUNT)
