-- Private rows in set operations and VALUES

WITH a AS (SELECT count(*) c FROM visits) SELECT c FROM a UNION ALL SELECT 1
-- answered: c BIGINT | 2 rows | epsilon 1

WITH a AS (SELECT * FROM visits) SELECT count(*) FROM a UNION ALL SELECT 1
-- answered: count_star() BIGINT | 2 rows | epsilon 1

SELECT count(*) FROM (SELECT ward FROM visits UNION ALL SELECT ward FROM visits) x
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM (SELECT ward FROM visits UNION SELECT ward FROM wards) x
-- refused: line 1, column 30: UNION of private rows is not supported

SELECT ward FROM visits INTERSECT SELECT ward FROM wards
-- refused: line 1, column 8: INTERSECT of private rows is not supported

SELECT ward FROM wards EXCEPT SELECT ward FROM visits
-- refused: line 1, column 38: EXCEPT of private rows is not supported

SELECT ward FROM visits GROUP BY ward EXCEPT SELECT ward FROM wards
-- answered: ward VARCHAR | 0 rows | epsilon 0

SELECT count(*) FROM visits UNION ALL SELECT patient FROM visits
-- refused: line 1, column 46: UNION of private rows is not supported

(SELECT count(*) FROM visits) UNION ALL (SELECT max(patient) FROM visits)
-- refused: line 1, column 49: MAX needs a bounded argument, and the column "patient" has no bounds

VALUES ((SELECT max(patient) FROM visits))
-- refused: line 1, column 17: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT * FROM (VALUES ((SELECT max(patient) FROM visits))) v(x)
-- refused: line 1, column 32: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT * FROM (VALUES ((SELECT count(*) FROM visits))) v(x)
-- answered: x BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits, (VALUES (1),(2)) v(x)
-- answered: count_star() BIGINT | 1 row | epsilon 1

WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x) SELECT count(*) FROM x
-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps

WITH a AS (SELECT * FROM visits) SELECT ward FROM a UNION ALL SELECT ward FROM wards
-- refused: line 1, column 41: UNION of private rows is not supported

WITH a AS (SELECT count(*) c FROM visits) (SELECT c FROM a) UNION ALL (SELECT c FROM a) ORDER BY c LIMIT (SELECT 1)
-- refused: DuckDB does not accept the query...

WITH a AS (SELECT count(*) c FROM visits) SELECT c FROM a UNION ALL SELECT c FROM a LIMIT (SELECT max(patient) FROM visits)
-- refused: line 1, column 99: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT * FROM (VALUES (1, (SELECT count(*) FROM visits))) v(a, b)
-- answered: a INTEGER, b BIGINT | 1 row | epsilon 1

SELECT * FROM (VALUES (1, (SELECT patient FROM visits))) v(a, b)
-- refused: line 1, column 27: a subquery would return rows of a private table
