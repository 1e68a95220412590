-- Joins: fan-out, keys without a match, rows without an owner

SELECT count(*) FROM visits NATURAL JOIN wards
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits a JOIN visits b USING (patient)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits a, visits b WHERE a.patient = b.patient
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits a CROSS JOIN visits b LEFT JOIN visits c ON a.patient = b.patient AND c.patient = a.patient
-- refused: line 1, column 42: the query would put rows of different units side by side

SELECT count(*) FROM visits a SEMI JOIN visits b USING (patient)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM wards SEMI JOIN visits USING (ward)
-- refused: line 1, column 38: the query would put rows of different units side by side

SELECT count(*) FROM wards ANTI JOIN visits USING (ward)
-- refused: line 1, column 38: the query would put rows of different units side by side

SELECT count(*) FROM visits a ANTI JOIN visits b ON a.ward = b.ward AND a.age < b.age
-- refused: line 1, column 41: the query would put rows of different units side by side

SELECT count(*) FROM visits a FULL JOIN visits b ON a.ward = b.ward
-- refused: line 1, column 41: the query would put rows of different units side by side

SELECT count(*) FROM visits a JOIN wards w ON a.ward = w.ward AND EXISTS (SELECT 1 FROM visits b WHERE b.ward = w.ward)
-- refused: line 1, column 89: the query would put rows of different units side by side

SELECT count(*) FROM visits a LEFT JOIN wards w ON a.ward = w.ward AND NOT EXISTS (SELECT 1 FROM visits b WHERE b.age > a.age)
-- refused: line 1, column 98: the query would put rows of different units side by side

SELECT count(*) FROM visits POSITIONAL JOIN wards
-- refused: line 1, column 45: POSITIONAL JOIN is not supported

SELECT count(*) FROM visits LEFT JOIN wards USING (ward)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits RIGHT JOIN wards USING (ward)
-- refused: line 1, column 8: an outer join that keeps rows of the public table has rows without an owner

SELECT count(*) FROM visits FULL JOIN wards USING (ward)
-- refused: line 1, column 8: an outer join that keeps rows of the public table has rows without an owner

SELECT r.wing, count(*) FROM visits LEFT JOIN wards r ON visits.ward = r.ward GROUP BY 1
-- answered: wing VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT r.wing, count(*) FROM visits LEFT JOIN wards r ON visits.note = r.ward GROUP BY 1
-- answered: wing VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT r.wing, count(*) FROM wards r LEFT JOIN visits ON visits.ward = r.ward GROUP BY 1
-- refused: line 1, column 8: an outer join that keeps rows of the public table has rows without an owner

SELECT r.wing, count(visits.age) FROM wards r LEFT JOIN visits ON visits.ward = r.ward GROUP BY 1
-- answered: wing VARCHAR, count(visits.age) BIGINT | 2 rows | epsilon 1

SELECT r.wing, count(visits.age) FROM wards r LEFT JOIN visits ON visits.ward = r.ward WHERE visits.ward IS NULL GROUP BY 1
-- answered: wing VARCHAR, count(visits.age) BIGINT | 2 rows | epsilon 1

SELECT r.wing, count(coalesce(visits.age, 1)) FROM wards r LEFT JOIN visits ON visits.ward = r.ward GROUP BY 1
-- refused: line 1, column 8: an outer join that keeps rows of the public table has rows without an owner

SELECT r.wing, sum(visits.age) FILTER (WHERE visits.age IS NULL) FROM wards r LEFT JOIN visits ON visits.ward = r.ward GROUP BY 1
-- answered: wing VARCHAR, sum(visits.age) FILTER (WHERE (visits.age IS NULL)) HUGEINT | 2 rows | epsilon 1

SELECT visits.ward, count(visits.age) FROM wards r LEFT JOIN visits ON visits.ward = r.ward GROUP BY 1
-- refused: line 1, column 8: an outer join that keeps rows of the public table has rows without an owner

SELECT visits.doctor, count(visits.age) FROM wards r LEFT JOIN visits ON visits.ward = r.ward GROUP BY 1
-- refused: line 1, column 8: an outer join that keeps rows of the public table has rows without an owner

SELECT r.wing FROM wards r LEFT JOIN visits ON visits.ward = r.ward GROUP BY 1 HAVING count(visits.age) = 0
-- answered: wing VARCHAR | 0 rows | epsilon 1

SELECT r.wing FROM wards r JOIN visits ON visits.ward = r.ward GROUP BY 1
-- answered: wing VARCHAR | 2 rows | epsilon 0

SELECT r.ward FROM wards r LEFT JOIN visits USING (ward) WHERE visits.patient IS NULL
-- refused: line 1, column 8: rows of a public table without a match have no owner

SELECT count(*) FROM visits JOIN wards r ON visits.ward = r.ward AND r.wing = visits.note
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits JOIN wards r ON visits.age = r.ward
-- refused: line 1, column 45: cannot compare integer with text; write CAST(... AS ...) or quote the value

SELECT count(*) FROM visits JOIN wards r ON true
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits, wards a, wards b, wards c, wards d
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT ward FROM (SELECT ward, wing AS ward FROM visits JOIN wards USING (ward)) x GROUP BY ward
-- answered: ward VARCHAR | 3 rows | epsilon 0

SELECT * FROM wards r LEFT JOIN (SELECT ward, count(*) c FROM visits GROUP BY ward) x USING (ward)
-- answered: ward VARCHAR, wing VARCHAR, c BIGINT | 3 rows | epsilon 1

SELECT * FROM wards r, LATERAL (SELECT count(*) c FROM visits WHERE visits.ward = r.ward) x
-- refused: line 1, column 83: the query cannot name the row of "r" around it

SELECT * FROM visits, LATERAL (SELECT visits.age) x
-- refused: line 1, column 8: the query would return rows of a private table

SELECT count(*) FROM (visits JOIN wards USING (ward))
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT code, count(*) FROM visits JOIN codes ON visits.doctor = codes.code GROUP BY code
-- answered: code BIGINT, count_star() BIGINT | 2000 rows | epsilon 1

SELECT kind, count(*) FROM visits JOIN codes ON visits.doctor = codes.code GROUP BY kind
-- answered: kind BIGINT, count_star() BIGINT | 10 rows | epsilon 1

SELECT kind, count(*) FROM visits JOIN codes ON visits.doctor = codes.kind GROUP BY kind
-- answered: kind BIGINT, count_star() BIGINT | 10 rows | epsilon 1

SELECT count(*) FROM visits JOIN codes ON visits.doctor > codes.code
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits a JOIN visits b ON a.ward = b.ward
-- refused: line 1, column 36: the query would put rows of different units side by side

SELECT count(*) FROM visits a JOIN visits b ON a.patient = b.patient OR a.ward = b.ward
-- refused: line 1, column 36: the query would put rows of different units side by side

SELECT count(*) FROM visits a JOIN visits b ON a.patient = b.patient + 0
-- refused: line 1, column 36: the query would put rows of different units side by side

SELECT count(*) FROM visits a LEFT JOIN visits b ON a.ward = b.ward WHERE a.patient = b.patient
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits a LEFT JOIN visits b ON a.ward = b.ward WHERE a.patient = b.patient OR b.patient IS NULL
-- refused: line 1, column 41: the query would put rows of different units side by side

SELECT count(*) FROM visits a, visits b, visits c WHERE a.patient = b.patient AND b.patient = c.patient
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits a, visits b, visits c WHERE a.patient = b.patient AND b.age = c.age
-- refused: line 1, column 42: the query would put rows of different units side by side

-- An equality of two NULLs says who owns a row only where one side is never NULL.

SELECT count(*) FROM visits a JOIN visits b ON a.patient IS NOT DISTINCT FROM b.patient
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits a JOIN visits b ON a.patient = b.patient OR (a.patient IS NULL AND b.patient IS NULL)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits a JOIN visits b ON a.patient = b.patient OR (a.patient IS NULL AND b.age IS NULL)
-- refused: line 1, column 36: the query would put rows of different units side by side

SELECT count(*) FROM visits a LEFT JOIN visits b ON a.patient = b.patient AND b.age > 200 JOIN (SELECT y.patient AS p FROM visits x LEFT JOIN visits y ON x.patient = y.patient AND y.age > 200) c ON b.patient IS NOT DISTINCT FROM c.p
-- refused: line 1, column 124: the query would put rows of different units side by side

SELECT sum(b.nights) FROM visits a JOIN visits b USING (patient) WHERE a.age > 40
-- answered: sum(b.nights) HUGEINT | 1 row | epsilon 1

-- policy: listed

SELECT count(*) FROM codes a, codes b, codes c
-- refused: line 1, column 8: the tables of the query make more than 1000000000 rows side by side

SELECT a.kind, count(*) FROM codes a, codes b, codes c WHERE a.code = b.code AND b.code = c.code GROUP BY a.kind
-- answered: kind BIGINT, count_star() BIGINT | 10 rows | epsilon 0

-- Rows of one unit that meet each other: one with many rows would decide whether the engine finishes

SELECT count(*) FROM visits a JOIN visits b USING (patient) JOIN visits c USING (patient)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits a JOIN visits b USING (patient) JOIN visits c USING (patient) JOIN visits d USING (patient) WHERE a.patient = 777777
-- refused: line 1, column 8: the joins can match one private row with any number of rows of its unit, several times over

SELECT sum(n) FROM (SELECT a.patient, count(*) AS n FROM visits a JOIN visits b USING (patient) JOIN visits c USING (patient) JOIN visits d USING (patient) GROUP BY a.patient)
-- refused: line 1, column 8: the joins can match one private row with any number of rows of its unit, several times over

SELECT count(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits a JOIN visits b USING (patient) JOIN visits c USING (patient) JOIN visits d USING (patient) WHERE a.patient = v.patient AND d.age < 0)
-- refused: line 1, column 8: the joins can match one private row with any number of rows of its unit, several times over

SELECT count(*) FROM (SELECT a.patient FROM visits a JOIN visits b USING (patient) JOIN visits c USING (patient) JOIN visits d USING (patient) UNION ALL SELECT patient FROM visits)
-- refused: line 1, column 8: the joins can match one private row with any number of rows of its unit, several times over

SELECT count(*) FROM visits p, LATERAL (SELECT o.doctor, count(*) AS n FROM visits o WHERE o.patient = p.patient GROUP BY o.doctor) x, LATERAL (SELECT o.doctor, count(*) AS n FROM visits o WHERE o.patient = p.patient GROUP BY o.doctor) y, LATERAL (SELECT o.doctor, count(*) AS n FROM visits o WHERE o.patient = p.patient GROUP BY o.doctor) z
-- refused: line 1, column 8: the joins can match one private row with 6277101735386680764856636523970481806547819498980467802113 rows, more than 100000

SELECT sum(n) FROM (SELECT patient, count(*) AS n FROM visits, codes a, codes b GROUP BY patient)
-- refused: line 1, column 8: the joins can match one private row with 4000000 rows, more than 100000
