-- The best group, chosen privately

SELECT doctor FROM visits GROUP BY doctor ORDER BY count(*) DESC LIMIT 1
-- answered: doctor BIGINT | 0 rows | epsilon 1

SELECT ward FROM visits GROUP BY ward ORDER BY sum(cost) LIMIT 1
-- answered: ward VARCHAR | 1 row | epsilon 1

SELECT ward FROM visits GROUP BY ward ORDER BY avg(cost) LIMIT 1
-- answered: ward VARCHAR | 1 row | epsilon 1

SELECT ward FROM visits GROUP BY ward ORDER BY max(cost) LIMIT 1
-- answered: ward VARCHAR | 1 row | epsilon 1

SELECT ward FROM visits GROUP BY ward ORDER BY count(*) LIMIT 1 OFFSET 1
-- refused: line 1, column 72: OFFSET is not supported where the groups are chosen privately, without their values

SELECT ward FROM visits WHERE 1=0 GROUP BY ward ORDER BY count(*) LIMIT 1
-- answered: ward VARCHAR | 0 rows | epsilon 0

SELECT ward FROM visits GROUP BY ward ORDER BY count(*) FILTER (WHERE patient = 777777) DESC LIMIT 1
-- answered: ward VARCHAR | 1 row | epsilon 1

SELECT doctor FROM visits WHERE doctor > 900 AND doctor < 2000 GROUP BY doctor ORDER BY count(*) DESC LIMIT 1
-- answered: doctor BIGINT | 1 row | epsilon 1

SELECT count(*) AS n FROM visits GROUP BY ward ORDER BY n LIMIT 1
-- answered: n BIGINT | 1 row | epsilon 1

SELECT ward FROM visits GROUP BY ward ORDER BY ward, count(*) LIMIT 1
-- answered: ward VARCHAR | 1 row | epsilon 1

SELECT ward AS count FROM visits GROUP BY ward ORDER BY count(*) LIMIT 1
-- answered: count VARCHAR | 1 row | epsilon 1

SELECT DISTINCT ward FROM visits GROUP BY ward ORDER BY count(*) LIMIT 1
-- answered: ward VARCHAR | 1 row | epsilon 1

-- policy: unlisted

SELECT ward FROM visits GROUP BY ward ORDER BY sum(cost) LIMIT 1
-- answered: ward VARCHAR | 0 rows | epsilon 1

SELECT ward FROM visits GROUP BY ward ORDER BY avg(cost) LIMIT 1
-- answered: ward VARCHAR | 0 rows | epsilon 1

SELECT ward FROM visits WHERE 1=0 GROUP BY ward ORDER BY count(*) LIMIT 1
-- answered: ward VARCHAR | 0 rows | epsilon 0

SELECT ward FROM visits GROUP BY ward ORDER BY count(*) FILTER (WHERE patient = 777777) DESC LIMIT 1
-- answered: ward VARCHAR | 0 rows | epsilon 1

SELECT count(*) AS n FROM visits GROUP BY ward ORDER BY n LIMIT 1
-- answered: n BIGINT | 0 rows | epsilon 1

SELECT ward FROM visits GROUP BY ward ORDER BY ward, count(*) LIMIT 1
-- answered: ward VARCHAR | 0 rows | epsilon 1

SELECT ward AS count FROM visits GROUP BY ward ORDER BY count(*) LIMIT 1
-- answered: count VARCHAR | 0 rows | epsilon 1

SELECT DISTINCT ward FROM visits GROUP BY ward ORDER BY count(*) LIMIT 1
-- answered: ward VARCHAR | 0 rows | epsilon 1
