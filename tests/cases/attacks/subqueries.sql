-- Subqueries and common table expressions, and the names they hide

WITH r0 AS (SELECT ward, count(*) c FROM visits GROUP BY ward) SELECT * FROM r0
-- answered: ward VARCHAR, c BIGINT | 3 rows | epsilon 1

WITH r0 AS (SELECT 1 AS k0, 2 AS a0) SELECT ward, count(*), (SELECT max(k0) FROM r0) FROM visits GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT, (SELECT max(k0) FROM r0) INTEGER | 3 rows | epsilon 1

WITH released AS (SELECT 1 x) SELECT count(*), (SELECT x FROM released) FROM visits
-- answered: count_star() BIGINT, (SELECT x FROM released) INTEGER | 1 row | epsilon 1

SELECT ward, (SELECT a0) FROM visits GROUP BY ward
-- refused: line 1, column 22: there is no column "a0"

SELECT ward, count(*), (SELECT max(wing) FROM wards WHERE wards.ward = visits.ward) FROM visits GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT, (SELECT max(wing) FROM wards WHERE (wards.ward = visits.ward)) VARCHAR | 3 rows | epsilon 1

SELECT ward, count(*), (SELECT max(k0) FROM wards) FROM visits GROUP BY ward
-- refused: line 1, column 36: there is no column "k0"

WITH visits AS (SELECT ward, count(*) c FROM visits GROUP BY ward) SELECT sum(c) FROM visits
-- answered: sum(c) HUGEINT | 1 row | epsilon 1

WITH wards AS (SELECT * FROM visits) SELECT count(*) FROM wards
-- answered: count_star() BIGINT | 1 row | epsilon 1

WITH wards AS (SELECT * FROM visits) SELECT * FROM wards
-- refused: line 1, column 45: the query would return rows of a private table

WITH visits AS (SELECT 1 AS patient) SELECT patient FROM visits
-- answered: patient INTEGER | 1 row | epsilon 0

WITH visits AS (SELECT 1 AS patient) SELECT patient FROM main.visits
-- refused: line 1, column 6: the query would return rows of a private table

WITH a AS (SELECT * FROM visits), a AS (SELECT 1 AS x) SELECT * FROM a
-- refused: DuckDB's parser does not take this text for a SELECT statement

WITH a AS (SELECT * FROM visits) SELECT 1
-- answered: 1 INTEGER | 1 row | epsilon 0

WITH a AS (SELECT count(*) FROM visits) SELECT 1
-- answered: 1 INTEGER | 1 row | epsilon 1

SELECT count(*) FROM (SELECT ward FROM visits ORDER BY age) x
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM (SELECT ward FROM visits ORDER BY age LIMIT 5) x
-- refused: line 1, column 30: LIMIT on private rows depends on their order

SELECT count(*) FROM (SELECT ward FROM visits FETCH FIRST 5 ROWS ONLY) x
-- refused: line 1, column 30: LIMIT on private rows depends on their order

SELECT count(*) FROM (SELECT ward FROM visits OFFSET 5) x
-- refused: line 1, column 30: LIMIT on private rows depends on their order

SELECT ward, count(*) FROM visits GROUP BY ward LIMIT (SELECT max(patient) FROM visits)
-- refused: line 1, column 63: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT ward, count(*) FROM visits GROUP BY ward LIMIT (SELECT count(*) FROM visits)
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY ward LIMIT (SELECT count(*) FROM wards)
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY ward ORDER BY (SELECT max(patient) FROM visits)
-- refused: line 1, column 66: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT ward FROM visits GROUP BY ward HAVING count(*) > (SELECT avg(c) FROM (SELECT count(*) c FROM visits GROUP BY ward) z)
-- answered: ward VARCHAR | 1 row | epsilon 1

SELECT ward FROM visits GROUP BY ward HAVING count(*) > (SELECT max(cost) FROM visits)
-- answered: ward VARCHAR | 0 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY ward HAVING EXISTS (SELECT 1 FROM visits WHERE patient = 777777)
-- refused: line 1, column 71: a subquery would return rows of a private table

SELECT ward, count(*) FROM visits WHERE EXISTS (SELECT 1 FROM visits x WHERE x.patient = 777777) GROUP BY ward
-- refused: line 1, column 63: the query would put rows of different units side by side

SELECT ward, count(*) FROM visits WHERE patient IN (SELECT patient FROM visits WHERE age > 80) GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT r.ward FROM wards r WHERE EXISTS (SELECT 1 FROM visits WHERE visits.ward = r.ward)
-- refused: line 1, column 83: the query cannot name the row of "r" around it

SELECT r.ward FROM wards r WHERE r.ward IN (SELECT ward FROM visits)
-- refused: line 1, column 52: a subquery would return rows of a private table

SELECT r.ward FROM wards r WHERE r.ward IN (SELECT ward FROM visits GROUP BY ward HAVING count(*) > 10)
-- answered: ward VARCHAR | 3 rows | epsilon 1

SELECT r.ward, (SELECT count(*) FROM visits WHERE visits.ward = r.ward) FROM wards r
-- answered: ward VARCHAR, (SELECT count_star() FROM visits WHERE (visits.ward = r.ward)) BIGINT | 3 rows | epsilon 1

SELECT r.ward, (SELECT count(*) FROM visits WHERE ward = wing) FROM wards r
-- answered: ward VARCHAR, (SELECT count_star() FROM visits WHERE (ward = wing)) BIGINT | 3 rows | epsilon 1

SELECT (SELECT count(*) FROM visits) - (SELECT count(*) FROM visits)
-- answered: ((SELECT count_star() FROM visits) - (SELECT count_star() FROM visits)) BIGINT | 1 row | epsilon 1

SELECT a.c, b.c FROM (SELECT count(*) c FROM visits) a, (SELECT count(*) c FROM visits) b
-- answered: c BIGINT, c BIGINT | 1 row | epsilon 1

SELECT x.u, count(*) FROM (SELECT patient AS u FROM visits) x GROUP BY x.u
-- refused: line 1, column 8: the query would return a row for each unit

SELECT count(DISTINCT u) FROM (SELECT patient AS u FROM visits) x
-- answered: count(DISTINCT u) BIGINT | 1 row | epsilon 1

SELECT count(DISTINCT u) FROM (SELECT patient + 0 AS u FROM visits) x
-- answered: count(DISTINCT u) BIGINT | 1 row | epsilon 1

SELECT (SELECT 1), count(*) FROM visits GROUP BY ALL
-- answered: (SELECT 1) INTEGER, count_star() BIGINT | 1 row | epsilon 1

SELECT (SELECT max(patient) FROM visits), count(*) FROM visits GROUP BY ALL
-- refused: line 1, column 16: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT sum(cost) FROM (SELECT patient AS cost FROM visits) x
-- refused: line 1, column 8: SUM needs a bounded argument, and the column "patient" has no bounds

SELECT sum(cost) FROM (SELECT age AS cost FROM visits) x
-- answered: sum("cost") HUGEINT | 1 row | epsilon 1

SELECT sum(a) FROM (SELECT patient, cost FROM visits) x(a)
-- refused: line 1, column 8: SUM needs a bounded argument, and the column "patient" has no bounds

SELECT sum(a) FROM (SELECT patient, cost FROM visits) x(b, a)
-- answered: sum(a) DOUBLE | 1 row | epsilon 1

SELECT a, b FROM (SELECT count(*) AS b, sum(nights) AS a FROM visits) x(a, b)
-- answered: a BIGINT, b HUGEINT | 1 row | epsilon 1

SELECT x FROM (SELECT count(*) AS x, 'abc' AS "#i" FROM visits) y
-- answered: x BIGINT | 1 row | epsilon 1

SELECT "#i" FROM (SELECT count(*) AS "#i" FROM visits) y
-- answered: #i BIGINT | 1 row | epsilon 1

SELECT * FROM (SELECT count(*) AS "#i", 5 AS "#I" FROM visits) y
-- answered: #i BIGINT, #I_1 INTEGER | 1 row | epsilon 1

SELECT * FROM (SELECT count(*) AS i, 5 AS i FROM visits) y
-- answered: i BIGINT, i_1 INTEGER | 1 row | epsilon 1

SELECT i FROM (SELECT ward, count(*) c FROM visits GROUP BY ward) y
-- refused: line 1, column 8: there is no column "i"

SELECT k0, a0 FROM (SELECT ward, count(*) c FROM visits GROUP BY ward) y
-- refused: line 1, column 8: there is no column "k0"

SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM visits WHERE patient = 777777)) FROM visits
-- refused: line 1, column 53: the query would put rows of different units side by side

SELECT "a""b" FROM (SELECT count(*) AS "a""b" FROM visits) "q""q"
-- answered: a"b BIGINT | 1 row | epsilon 1

SELECT * FROM (SELECT count(*) c, sum(age) c FROM visits) x
-- answered: c BIGINT, c_1 HUGEINT | 1 row | epsilon 1

SELECT c FROM (SELECT count(*) c, sum(age) c FROM visits) x
-- answered: c BIGINT | 1 row | epsilon 1

SELECT string_agg(w.ward, ',') FROM wards w
-- refused: line 1, column 8: STRING_AGG is not supported but over the rows of one released table

SELECT string_agg(ward, ',') FROM (SELECT ward FROM visits GROUP BY ward) x
-- answered: string_agg(ward, ',') VARCHAR | 1 row | epsilon 0

SELECT string_agg(CAST(c AS VARCHAR), ',') FROM (SELECT ward, count(*) c FROM visits GROUP BY ward) x
-- answered: string_agg(CAST(c AS VARCHAR), ',') VARCHAR | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE (SELECT true)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age = (SELECT 41)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age IN (SELECT 41)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age = ANY (SELECT 41)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT x.c FROM wards r, (SELECT count(*) c FROM visits WHERE visits.ward = r.ward) x
-- refused: line 1, column 77: the query cannot name the row of "r" around it

SELECT count(*) FROM ((SELECT * FROM visits)) x
-- answered: count_star() BIGINT | 1 row | epsilon 1

WITH x AS MATERIALIZED (SELECT * FROM visits) SELECT count(*) FROM x
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT c, c_1 FROM (SELECT count(*) c, sum(age) c FROM visits) x
-- answered: c BIGINT, c_1 HUGEINT | 1 row | epsilon 1

SELECT "#released row" FROM (SELECT count(*) AS "#RELEASED row" FROM visits) y
-- answered: #RELEASED row BIGINT | 1 row | epsilon 1

SELECT main.x.age FROM (SELECT count(*) AS age FROM visits) x
-- refused: DuckDB does not accept the query...

SELECT ward FROM wards LIMIT (SELECT max(patient) FROM visits)
-- refused: line 1, column 38: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT ward FROM wards LIMIT (SELECT count(*) FROM visits)
-- answered: ward VARCHAR | 3 rows | epsilon 1

SELECT ward FROM wards OFFSET (SELECT count(*) FROM visits)
-- answered: ward VARCHAR | 0 rows | epsilon 1

SELECT CASE WHEN (SELECT count(*) FROM visits) > 5 THEN (SELECT patient FROM visits) END
-- refused: line 1, column 57: a subquery would return rows of a private table

SELECT ward FROM wards WHERE ward = (SELECT ward FROM visits)
-- refused: line 1, column 37: a subquery would return rows of a private table

SELECT count(*) FROM visits HAVING (SELECT count(*) FROM visits WHERE patient = 777777) > 0
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT (SELECT count(*) FROM visits WHERE age > x.c) FROM (SELECT count(*) c FROM visits) x
-- refused: line 1, column 49: the query cannot name the row of "x" around it

SELECT (SELECT count(*) FROM visits HAVING count(*) > x.c) FROM (SELECT 5 AS c) x
-- refused: line 1, column 55: the query cannot name the row of "x" around it

SELECT (SELECT ward FROM visits GROUP BY ward ORDER BY count(*) DESC LIMIT 1)
-- answered: (SELECT ward FROM visits GROUP BY ward ORDER BY count_star() DESC LIMIT 1) VARCHAR | 1 row | epsilon 1

SELECT count(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits x WHERE x.patient = v.patient AND x.age > 80)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits x WHERE x.age = v.age)
-- refused: line 1, column 59: the query would put rows of different units side by side

SELECT count(*) FROM visits v WHERE age IN (SELECT age FROM visits)
-- refused: line 1, column 61: the query would put rows of different units side by side

SELECT count(*) FROM visits v WHERE age NOT IN (SELECT age FROM visits x WHERE x.patient = v.patient AND x.nights > 2)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits v WHERE patient NOT IN (SELECT patient FROM visits WHERE age > 80)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age > (SELECT avg(age) FROM visits)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age > (SELECT avg(age) FROM visits WHERE patient = 777777)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age > (SELECT age FROM visits WHERE patient = 777777)
-- refused: line 1, column 49: a subquery with a value of private rows is not supported here

SELECT count(*) FROM visits WHERE age > (SELECT max(age) FROM visits)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE ward IN (SELECT ward FROM wards WHERE wing > 'a')
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT avg(n) FROM (SELECT patient, least(count(*), 5) AS n FROM visits GROUP BY patient) x
-- answered: avg(n) DOUBLE | 1 row | epsilon 1

SELECT avg(n) FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) x
-- answered: avg(n) DOUBLE | 1 row | epsilon 1

SELECT avg(n * doctor) FROM (SELECT patient, doctor, count(*) AS n FROM visits GROUP BY patient, doctor) x
-- refused: line 1, column 8: AVG needs a bounded argument, and the expression has no finite range

SELECT n, count(*) FROM (SELECT patient, least(count(*), 3) AS n FROM visits GROUP BY patient HAVING count(*) > 1) x GROUP BY n
-- answered: n BIGINT, count_star() BIGINT | 2 rows | epsilon 1

SELECT count(*) FROM (SELECT patient, sum(nights) AS s FROM visits GROUP BY patient) x WHERE s > 3
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT p, n FROM (SELECT patient AS p, count(*) AS n FROM visits GROUP BY patient) x
-- refused: line 1, column 8: the query would return rows of a private table

SELECT n FROM (SELECT patient AS p, count(*) AS n FROM visits GROUP BY patient) x LIMIT 1
-- refused: line 1, column 8: LIMIT on private rows depends on their order
