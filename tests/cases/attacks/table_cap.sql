-- The same under a cap on the table itself
-- policy: table_cap

SELECT count(*) FROM visits
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT sum(cost), avg(cost), count(*) FROM visits WHERE patient = 777777
-- answered: sum("cost") DOUBLE, avg("cost") DOUBLE, count_star() BIGINT | 1 row | epsilon 1

SELECT ward, count(DISTINCT patient), count(DISTINCT doctor) FROM visits GROUP BY ward
-- answered: ward VARCHAR, count(DISTINCT patient) BIGINT, count(DISTINCT doctor) BIGINT | 3 rows | epsilon 1

SELECT wing, sum(nights) FROM visits JOIN wards USING (ward) GROUP BY wing
-- answered: wing VARCHAR, sum(nights) HUGEINT | 2 rows | epsilon 1

SELECT stddev(cost) FROM visits WHERE patient = 777777
-- answered: stddev("cost") DOUBLE | 1 row | epsilon 1

SELECT kind, count(*) FROM visits JOIN codes ON visits.doctor = codes.kind GROUP BY kind
-- answered: kind BIGINT, count_star() BIGINT | 10 rows | epsilon 1

SELECT doctor, count(*) FROM visits GROUP BY doctor
-- answered: doctor BIGINT, count_star() BIGINT | 0 rows | epsilon 1

SELECT count(*) FROM visits WHERE 1 / (patient - 777777) > 0
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits a JOIN visits b USING (patient) JOIN visits c USING (patient) JOIN visits d USING (patient)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT sum(least(n, 9)) FROM (SELECT a.patient, count(*) AS n FROM visits a JOIN visits b USING (patient) JOIN visits c USING (patient) JOIN visits d USING (patient) JOIN visits e USING (patient) JOIN visits f USING (patient) JOIN visits g USING (patient) GROUP BY a.patient)
-- refused: line 1, column 8: the joins can match one private row with 262144 rows, more than 100000
