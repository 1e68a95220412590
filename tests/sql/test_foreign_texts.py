"""What DuckDB's parser does not take of other databases, in its words: no text of DuckDB's own is changed."""

from __future__ import annotations

import duckdb
import pytest
from gate_cases import DuckDBStatements

from dpsql.errors import QueryRefused
from dpsql.sql.lex.text import read_text
from dpsql.sql.parse.gate import gate

CHANGED = [
    ("SAFE_CAST(a AS INT)", "TRY_CAST (a AS INT)"),
    ("COUNT_BIG(*)", "COUNT    (*)"),
    ("APPROXIMATE COUNT(DISTINCT a)", "            COUNT(DISTINCT a)"),
    ("GROUP_CONCAT(a SEPARATOR ', ')", "GROUP_CONCAT(a,          ', ')"),
    (
        "LISTAGG(DISTINCT a, ',') WITHIN GROUP (ORDER BY a)",
        "LISTAGG(DISTINCT a, ','                ORDER BY a)",
    ),
    ("a[OFFSET(0)], b[SAFE_OFFSET(1)], c[ORDINAL(1)]", "a[1        ], b[2             ], c[1         ]"),
    ("quantile(0.9)(f(a))", "quantile     (f(a), 0.9)"),
    ("quantileExact (.5) (a)", "quantileExact      (a, .5)"),
    ("UNIX_TIMESTAMP(f(a)) DIV 300 * 300", "UNIX_TIMESTAMP(f(a)) //  300 * 300"),
    ("d - make_interval(days => 7)", "d - INTERVAL (            7) days"),
    ("make_interval(mins => $n)", "INTERVAL (            $n) MINUTES"),
    ("d - INTERVAL DAYOFMONTH(d) - 1 DAY", "d - INTERVAL (DAYOFMONTH(d) - 1) DAY"),
    ("d - INTERVAL a DAY", "d - INTERVAL (a) DAY"),
    ("INTERVAL DAYOFWEEK(d) - 1 DAY", "INTERVAL ((DAYOFWEEK(d) + 1) - 1) DAY"),
    ("INTERVAL EXTRACT(DAYOFWEEK FROM d) DAY", "INTERVAL ((EXTRACT(DAYOFWEEK FROM d) + 1)) DAY"),
    ("INTERVAL WEEKDAY(d) DAY", "INTERVAL ((ISODOW (d) - 1)) DAY"),
    ("INTERVAL -WEEKDAY(d) + 1 DAY", "INTERVAL (-(ISODOW (d) - 1) + 1) DAY"),
    ("d + INTERVAL - DAYOFMONTH(d)+1 DAY", "d + INTERVAL (- DAYOFMONTH(d)+1) DAY"),
    ("quantileIf(0.9)(a, b = 1)", "quantileIf     (a, b = 1, 0.9)"),
    ("f(a) month, b year", "f(a) AS month, b AS year"),
    ("any(a), b", "any_VALUE(a), b"),
    ("a IN UNNEST(['x', 'y'])", "a IN       ( 'x', 'y' )"),
    ("f(DIV(a, 300) * 300)", "f(INTDIV(a, 300) * 300)"),
    ("DATEDIFF(a, b) DIV 30", "DATEDIFF(a, b) //  30"),
    ("PERCENTILE_CONT(b, 0.5) OVER ()", "QUANTILE_CONT  (b, 0.5) OVER ()"),
    ("element_at(split(a, '/'), 3)", "          LIST_EXTRACT(split(a, '/'), 3)"),
    ("CONVERT(DATE, a)", "       CAST(      a AS DATE)"),
    ("TRY_CONVERT(datetime, f(a, b))", "           TRY_CAST(          f(a, b) AS TIMESTAMP)"),
    ("CONVERT(VARCHAR(7), a, 120)", "       STRFTIME(            a     , '%Y-%m')"),
    ("CONVERT(nvarchar(max), a, 103)", "       STRFTIME(               a     , '%d/%m/%Y')"),
]
KEPT = [
    "INTERVAL (a) DAY day2",
    "INTERVAL '1' day, month",
    "INTERVAL 7 DAY, INTERVAL (7) DAY",
    "d - INTERVAL a / 2 DAY",
    "EXTRACT(MONTH FROM d), day, month",
    "CASE WHEN a THEN day END, DISTINCT month",
    "a DIV 3",
    "a = ANY (ARRAY[1])",
    "CONVERT(a, CHAR)",
    "CONVERT(VARCHAR(7), a)",
    "CONVERT(VARCHAR(6), a, 120)",
    "CONVERT(DATE, a, 103)",
    "[a], [b, c]",
    "'SAFE_CAST(a month, N''x'') WITH (NOLOCK)'",
    'quantile(a, 0.9), "COUNT_BIG(*) day,"',
]


@pytest.mark.parametrize(("written", "read"), CHANGED)
def test_a_form_of_another_database_is_read_as(written: str, read: str) -> None:
    text = read_text(f"SELECT {written} FROM t")
    assert text.sql == f"SELECT {read} FROM t" and len(text.code) == len(text.sql)
    with pytest.raises(duckdb.Error):  # so that nothing of DuckDB's own is changed
        duckdb.sql(
            "CREATE OR REPLACE TEMP TABLE t AS SELECT [1] AS a, [1] AS b, [1] AS c, DATE '2025-01-01' AS d"
        )
        duckdb.sql(f"SELECT {written} FROM t")


@pytest.mark.parametrize("written", KEPT)
def test_what_duckdb_reads_stays(written: str) -> None:
    assert read_text(f"SELECT {written} FROM t").sql == f"SELECT {written} FROM t"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("SELECT a FROM t WHERE b = N'x'", "SELECT a FROM t WHERE b =  'x'"),
        (r"SELECT a FROM t WHERE b LIKE r'\d'", r"SELECT a FROM t WHERE b LIKE  '\d'"),
        ("SELECT a FROM t LIMIT 20, 10", "SELECT a FROM t LIMIT     10 OFFSET 20"),
        ("SELECT a FROM t WITH (NOLOCK) WHERE b", "SELECT a FROM t               WHERE b"),
        ("SELECT [a], [b c] FROM [t] AS [x]", 'SELECT "a", "b c" FROM "t" AS "x"'),
        ("SELECT a, f(b), (SELECT 1 GROUP BY c) FROM t GROUP BY a, f(b) WITH ROLLUP ORDER BY 1",
         "SELECT a, f(b), (SELECT 1 GROUP BY c) FROM t GROUP BY ROLLUP( a, f(b) )           ORDER BY 1"),
        ("SELECT a FROM t GROUP BY 1 WITH CUBE", "SELECT a FROM t GROUP BY 1 WITH CUBE"),
    ],
)  # fmt: skip
def test_a_clause_of_another_database_is_read_as(written: str, read: str) -> None:
    assert read_text(written).sql == read


def test_places_are_those_of_the_text_as_it_was_written() -> None:
    sql = "SELECT f(a) month, quantile(0.5)(b), d + INTERVAL HOUR(d) HOUR, a ! 1 FROM t"
    with pytest.raises(QueryRefused, match=f"column {sql.index('!') + 1}: the symbol"):
        gate(sql, DuckDBStatements())
