-- EXPLAIN shows the plan, spends nothing and takes no option but VERBOSE, which adds the SQL

EXPLAIN SELECT count(*) FROM visits
-- answered: output VARCHAR, mechanism VARCHAR, sensitivity DOUBLE, scale DOUBLE, epsilon DOUBLE, delta DOUBLE, expected_error DOUBLE, note VARCHAR | 2 rows | epsilon 0

EXPLAIN EXPLAIN SELECT count(*) FROM visits
-- refused: line 1, column 9: a query does not begin with EXPLAIN

EXPLAIN (FORMAT json) SELECT count(*) FROM visits
-- refused: line 1, column 1: options of EXPLAIN are not supported

EXPLAIN(SELECT count(*) FROM visits)
-- answered: output VARCHAR, mechanism VARCHAR, sensitivity DOUBLE, scale DOUBLE, epsilon DOUBLE, delta DOUBLE, expected_error DOUBLE, note VARCHAR | 2 rows | epsilon 0

EXPLAIN SELECT * FROM visits
-- refused: line 1, column 16: the query would return rows of a private table

EXPLAIN SELECT * FROM visits LIMIT 0
-- answered: output VARCHAR, mechanism VARCHAR, sensitivity DOUBLE, scale DOUBLE, epsilon DOUBLE, delta DOUBLE, expected_error DOUBLE, note VARCHAR | 0 rows | epsilon 0

EXPLAIN SELECT email FROM visits
-- refused: line 1, column 16: the column "email" may not be used in a query

explain/**/select count(*) from visits
-- answered: output VARCHAR, mechanism VARCHAR, sensitivity DOUBLE, scale DOUBLE, epsilon DOUBLE, delta DOUBLE, expected_error DOUBLE, note VARCHAR | 2 rows | epsilon 0

EXPLAIN VERBOSE SELECT count(*) FROM visits
-- answered: output VARCHAR, mechanism VARCHAR, sensitivity DOUBLE, scale DOUBLE, epsilon DOUBLE, delta DOUBLE, expected_error DOUBLE, note VARCHAR, sql VARCHAR | 2 rows | epsilon 0

explain ( verbose ) SELECT count(*) FROM visits
-- answered: output VARCHAR, mechanism VARCHAR, sensitivity DOUBLE, scale DOUBLE, epsilon DOUBLE, delta DOUBLE, expected_error DOUBLE, note VARCHAR, sql VARCHAR | 2 rows | epsilon 0

EXPLAIN VERBOSE ANALYZE SELECT count(*) FROM visits
-- refused: line 1, column 1: EXPLAIN ANALYZE is not supported

EXPLAIN (VERBOSE, ANALYZE) SELECT count(*) FROM visits
-- refused: line 1, column 1: options of EXPLAIN are not supported

EXPLAIN VERBOSE EXPLAIN SELECT count(*) FROM visits
-- refused: line 1, column 17: a query does not begin with EXPLAIN

EXPLAIN VERBOSE SELECT * FROM visits
-- refused: line 1, column 24: the query would return rows of a private table
