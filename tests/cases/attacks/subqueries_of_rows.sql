-- Private rows in the places of a public query

SELECT count(*) FROM wards WHERE ward IN (SELECT ward FROM visits)
-- refused: line 1, column 50: a subquery would return rows of a private table

SELECT count(*) FROM wards WHERE EXISTS (SELECT 1 FROM visits WHERE visits.ward = wards.ward)
-- refused: line 1, column 83: the query cannot name the row of "wards" around it

SELECT ward FROM wards WHERE (SELECT count(*) FROM visits WHERE visits.ward = wards.ward) > 5
-- answered: ward VARCHAR | 3 rows | epsilon 1

SELECT ward, (SELECT count(*) FROM visits v WHERE v.ward = w.ward) FROM wards w
-- answered: ward VARCHAR, (SELECT count_star() FROM visits AS v WHERE (v.ward = w.ward)) BIGINT | 3 rows | epsilon 1

SELECT count(*) FROM wards w, LATERAL (SELECT * FROM visits v WHERE v.ward = w.ward) x
-- refused: line 1, column 78: the query cannot name the row of "w" around it

SELECT count(*) FROM wards w, (SELECT count(*) c FROM visits v WHERE v.ward = w.ward) x
-- refused: line 1, column 79: the query cannot name the row of "w" around it

SELECT ward FROM wards ORDER BY (SELECT max(cost) FROM visits)
-- answered: ward VARCHAR | 3 rows | epsilon 1

SELECT EXISTS (SELECT 1 FROM visits WHERE patient = 777777)
-- refused: line 1, column 23: a subquery would return rows of a private table

SELECT EXISTS (SELECT doctor FROM visits WHERE patient = 777777 GROUP BY doctor)
-- answered: EXISTS(SELECT doctor FROM visits WHERE (patient = 777777) GROUP BY doctor) BOOLEAN | 1 row | epsilon 1

SELECT 777777 IN (SELECT patient FROM visits)
-- refused: line 1, column 26: a subquery would return rows of a private table

SELECT count(*) IN (SELECT patient FROM visits) FROM wards
-- refused: line 1, column 28: a subquery would return rows of a private table

SELECT sum(n) OVER (PARTITION BY (SELECT max(patient) FROM visits)) FROM (SELECT 1 n)
-- refused: line 1, column 42: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT ward, count(*) FILTER (WHERE ward IN (SELECT ward FROM visits)) FROM wards GROUP BY ward
-- refused: line 1, column 53: a subquery would return rows of a private table

SELECT (SELECT max(patient) FROM (SELECT * FROM visits) x) FROM wards
-- refused: line 1, column 16: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT w.ward, v.patient FROM wards w LEFT JOIN visits v ON false
-- refused: line 1, column 8: rows of a public table without a match have no owner

SELECT * FROM (VALUES ((SELECT patient FROM visits LIMIT 1))) v(x)
-- refused: line 1, column 32: LIMIT on private rows depends on their order

SELECT ward FROM wards INTERSECT SELECT ward FROM visits
-- refused: line 1, column 41: INTERSECT of private rows is not supported

SELECT count(*) FROM (SELECT ward FROM visits UNION ALL SELECT ward FROM wards)
-- refused: line 1, column 30: UNION of private rows is not supported

SELECT count(*) + (SELECT age FROM visits LIMIT 1) FROM visits
-- refused: line 1, column 27: LIMIT on private rows depends on their order

SELECT count(*) FROM visits LIMIT 0 OFFSET (SELECT max(patient) FROM visits)
-- answered: count_star() BIGINT | 0 rows | epsilon 0

SELECT ward, sum(1) OVER (ROWS BETWEEN (SELECT count(*) FROM visits) PRECEDING AND CURRENT ROW) FROM wards
-- answered: ward VARCHAR, sum(1) OVER (ROWS BETWEEN (SELECT count_star() FROM visits) PRECEDING AND CURRENT ROW) HUGEINT | 3 rows | epsilon 1

SELECT count(*) FROM visits v, LATERAL (SELECT * FROM visits b WHERE b.ward = v.ward ORDER BY age LIMIT 1) x
-- refused: line 1, column 48: a LATERAL query with LIMIT finds rows of the unit that owns the row around it, by equalities alone

SELECT count(*) FROM visits v, LATERAL (SELECT max(age) m FROM visits b WHERE b.ward = v.ward) x
-- refused: line 1, column 48: a LATERAL query beside private rows aggregates rows of the unit that owns the row around it

SELECT count(*) FROM visits v, LATERAL (SELECT * FROM visits b WHERE b.ward = v.ward) x
-- refused: line 1, column 55: the query would put rows of different units side by side
