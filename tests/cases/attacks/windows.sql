-- Windows work on released results and never on private rows

SELECT count(*) FROM (SELECT ward, age FROM visits QUALIFY row_number() OVER (PARTITION BY ward ORDER BY age) = 1) x
-- refused: line 1, column 60: a window over private rows must stay inside one unit

SELECT count(*) FROM (SELECT ward, age FROM visits WINDOW w AS (PARTITION BY ward)) x
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) OVER () FROM visits
-- refused: line 1, column 8: a window over private rows must stay inside one unit

SELECT sum(count(*)) OVER () FROM visits
-- answered: sum(count_star()) OVER () HUGEINT | 1 row | epsilon 1

SELECT ward, sum(count(*)) OVER (ORDER BY ward ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM visits GROUP BY ward
-- answered: ward VARCHAR, sum(count_star()) OVER (ORDER BY ward ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) HUGEINT | 3 rows | epsilon 1

SELECT ward, sum(cost) OVER (PARTITION BY ward) FROM visits GROUP BY ward
-- refused: line 1, column 18: the column "cost" is neither grouped nor aggregated

SELECT ward, count(*) OVER (PARTITION BY ward) FROM visits GROUP BY ward
-- answered: ward VARCHAR, count() OVER (PARTITION BY ward) BIGINT | 3 rows | epsilon 0

SELECT ward, rank() OVER (ORDER BY max(cost)) FROM visits GROUP BY ward
-- answered: ward VARCHAR, rank() OVER (ORDER BY max("cost")) BIGINT | 3 rows | epsilon 1

SELECT ward, rank() OVER w FROM visits GROUP BY ward WINDOW w AS (ORDER BY sum(cost))
-- answered: ward VARCHAR, rank() OVER (ORDER BY sum("cost")) BIGINT | 3 rows | epsilon 1

SELECT ward, rank() OVER w FROM visits GROUP BY ward WINDOW w AS (ORDER BY cost)
-- refused: line 1, column 76: the column "cost" is neither grouped nor aggregated

SELECT ward, count(*) c FROM visits GROUP BY ward QUALIFY rank() OVER (ORDER BY c DESC) = 1
-- answered: ward VARCHAR, c BIGINT | 1 row | epsilon 1

SELECT ward, count(*) c FROM visits GROUP BY ward QUALIFY rank() OVER (ORDER BY cost DESC) = 1
-- refused: line 1, column 81: the column "cost" is neither grouped nor aggregated

SELECT ward, lag(count(*)) OVER (ORDER BY ward) FROM visits GROUP BY ward
-- answered: ward VARCHAR, lag(count_star()) OVER (ORDER BY ward) BIGINT | 3 rows | epsilon 1

SELECT ward, sum(c) OVER (ORDER BY (SELECT count(*) FROM visits)) FROM (SELECT ward, count(*) c FROM visits GROUP BY ward) x
-- answered: ward VARCHAR, sum(c) OVER (ORDER BY (SELECT count_star() FROM visits)) HUGEINT | 3 rows | epsilon 1

SELECT ward FROM wards QUALIFY row_number() OVER (ORDER BY (SELECT count(*) FROM visits)) = 1
-- answered: ward VARCHAR | 1 row | epsilon 1
