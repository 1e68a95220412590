-- Syntax around private rows

SELECT DISTINCT ON (ward) ward, cost FROM visits
-- refused: line 1, column 21: DISTINCT ON needs an ORDER BY that says which row is the first one

SELECT count(visits) FROM visits
-- refused: line 1, column 14: there is no column "visits"

SELECT count(*) FROM visits WHERE ward COLLATE NOCASE = 'NORTH'
-- refused: line 1, column 35: COLLATE takes "C", "POSIX" and "binary" in quotes; compare LOWER(x) where case does not matter

SELECT count(*) FROM visits PIVOT (count(*) FOR ward IN ('north'))
-- refused: line 1, column 36: PIVOT needs GROUP BY, or a query in parentheses that lists the columns to group by

FROM visits PIVOT (count(*) FOR ward IN ('north') GROUP BY patient)
-- refused: line 1, column 1: the query would return rows of a private table

PIVOT visits ON patient IN (777777) USING sum(cost) GROUP BY ward
-- answered: ward VARCHAR, 777777 DOUBLE | 3 rows | epsilon 1

PIVOT visits ON ward USING count(*)
-- refused: line 1, column 7: PIVOT needs GROUP BY, or a query in parentheses that lists the columns to group by

PIVOT visits ON patient USING count(*) GROUP BY ward
-- refused: line 1, column 17: PIVOT needs the values to make columns of, as in region IN ('north', 'south'), or a column of a table of which the policy lists them

SELECT count(*) FROM visits AT (VERSION => 1)
-- refused: line 1, column 41: the symbol => is not supported

SELECT count(*) FROM visits TABLESAMPLE 10%
-- before sqlglot 30.18: refused: line 1, column 43: the text cannot be read as SQL near %
-- refused: line 1, column 22: TABLESAMPLE is not supported

SELECT count(*) FROM (visits)
-- before duckdb 2.0.1: answered: count_star() BIGINT | 1 row | epsilon 1
-- refused: DuckDB's parser does not take this text for a SELECT statement

SELECT count(*) FROM (visits AS v CROSS JOIN (SELECT 1 AS one) AS o)
-- answered: count_star() BIGINT | 1 row | epsilon 1

FROM visits SELECT count(*) GROUP BY ward
-- answered: count_star() BIGINT | 3 rows | epsilon 1

SELECT count(*) FROM visits GROUP BY ROLLUP (ward)
-- answered: count_star() BIGINT | 4 rows | epsilon 1

SELECT count(*) FROM visits GROUP BY GROUPING SETS ((ward), ())
-- answered: count_star() BIGINT | 4 rows | epsilon 1

SELECT ward, grouping(ward), count(*) FROM visits GROUP BY CUBE (ward)
-- answered: ward VARCHAR, GROUPING(ward) BIGINT, count_star() BIGINT | 4 rows | epsilon 1

SELECT count(*) FROM visits WHERE age BETWEEN SYMMETRIC 5 AND 3
-- answered: count_star() BIGINT | 1 row | epsilon 1
