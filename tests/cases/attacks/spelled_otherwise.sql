-- What is read as something else: functions of other databases, DISTINCT ON, series, and values of one person's rows

SELECT DISTINCT ON (ward) * FROM visits ORDER BY ward, cost DESC
-- refused: line 1, column 21: a window over private rows must stay inside one unit

SELECT DISTINCT ON (patient) patient, note FROM visits ORDER BY patient, day
-- refused: line 1, column 21: the query would return rows of a private table

SELECT ward, count(*) FROM (SELECT DISTINCT ON (patient) * FROM visits ORDER BY patient, cost DESC, note) GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT count(*) FROM (SELECT DISTINCT ON (doctor) * FROM visits ORDER BY doctor, cost)
-- refused: line 1, column 43: a window over private rows must stay inside one unit

SELECT count(sd), avg(sd), avg(m), avg(v) FROM (SELECT patient, stddev(cost) AS sd, median(cost) AS m, var_pop(cost * nights) AS v FROM visits GROUP BY patient)
-- answered: count(sd) BIGINT, avg(sd) DOUBLE, avg(m) DOUBLE, avg(v) DOUBLE | 1 row | epsilon 1

SELECT count(*) FROM (SELECT patient, quantile_cont(cost, 0.5) - avg(cost) AS d, stddev_pop(1 / (nights - 5)) AS s FROM visits GROUP BY patient) WHERE d > 0 OR s > 1
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT avg(q) FROM (SELECT patient, quantile_disc(doctor, 1) AS q FROM visits GROUP BY patient)
-- refused: line 1, column 8: AVG needs a bounded argument, and the expression has no finite range

SELECT ward, median(m) FROM (SELECT ward, patient, median(age) AS m FROM visits GROUP BY ALL) GROUP BY ward
-- answered: ward VARCHAR, median(m) DOUBLE | 3 rows | epsilon 1

SELECT count(*) FROM visits WHERE DATEADD(year, 9000, day) > day
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE DATE_ADD(day, INTERVAL 9999 YEAR) - TIMESTAMP '0001-01-01 00:00:00' > INTERVAL 9000 YEAR
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT sum(EXTRACT(epoch FROM (TIMESTAMP '2025-01-01 00:00:00' - day))) FROM visits
-- answered: sum(date_part('epoch', (CAST('2025-01-01 00:00:00' AS TIMESTAMP) - "day"))) DOUBLE | 1 row | epsilon 1

SELECT TIMESTAMPDIFF(DAY, '2025-01-01', day) AS d, count(*) FROM visits GROUP BY d
-- answered: d BIGINT, count_star() BIGINT | 365 rows | epsilon 1

SELECT sum(SAFE_DIVIDE(cost, nights - 5)), sum(DIV0(cost, nights - 5)) FROM visits
-- answered: sum(safe_divide(cost, nights - 5)) DOUBLE, sum(div0(cost, nights - 5)) DOUBLE | 1 row | epsilon 1

SELECT sum(DECODE(note, 'inf', 1, NULL, 2, 3)) FROM visits
-- answered: sum(decode(note, 'inf', 1, NULL, 2, 3)) HUGEINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE DIV0(cost, DIV0(nights, 2)) > NVL2(note, DIV0NULL(1, NVL(nights, 0)), 2)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE DECODE(DECODE(note, 'a', 1, 2), 1, 'x', ISNULL(note, 'y')) = 'x'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT WIDTH_BUCKET(WIDTH_BUCKET(nights, 0, 10, 5), 0, 5, 5) AS b, count(*) FROM visits GROUP BY b
-- answered: b BIGINT, count_star() BIGINT | 5 rows | epsilon 1

SELECT WIDTH_BUCKET(cost, 0, 500, 2) AS b, count(*) FROM visits GROUP BY b
-- answered: b BIGINT, count_star() BIGINT | 4 rows | epsilon 1

SELECT WIDTH_BUCKET(cost, nights, 500, 2) AS b, count(*) FROM visits GROUP BY b
-- refused: line 1, column 8: this form of WIDTH_BUCKET is not supported

SELECT count(DISTINCT note, cost) FROM visits
-- answered: count(DISTINCT (note, cost)) BIGINT | 1 row | epsilon 1

SELECT TO_CHAR(day, 'YYYY-MM') AS m, count(*) FROM visits GROUP BY m
-- answered: m VARCHAR, count_star() BIGINT | 12 rows | epsilon 1

SELECT NVL(note, 'none'), count(*) FROM visits GROUP BY 1
-- answered: nvl(note, 'none') VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT count(*) FROM range(3) AS t(n) JOIN visits ON nights = n
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT n, count(*) FROM generate_series(0, 4) AS t(n) LEFT JOIN visits ON nights = n GROUP BY n
-- refused: line 1, column 8: an outer join that keeps rows of the public table has rows without an owner

SELECT * FROM range((SELECT count(*) FROM visits))
-- refused: line 1, column 15: GENERATE_SERIES and RANGE take whole numbers, or dates and timestamps with an INTERVAL

SELECT `email` FROM `visits`
-- refused: line 1, column 8: the column "email" may not be used in a query

SELECT x.cost FROM wards w, LATERAL (SELECT cost FROM visits v WHERE v.ward = w.ward ORDER BY cost DESC LIMIT 1 OFFSET 1) x
-- refused: line 1, column 79: the query cannot name the row of "w" around it

SELECT avg(x.cost) FROM visits p, LATERAL (SELECT cost FROM visits v WHERE v.patient = p.patient ORDER BY cost DESC LIMIT 1 OFFSET 2) x
-- answered: avg(x."cost") DOUBLE | 1 row | epsilon 1
