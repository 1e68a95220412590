-- Group keys, ordinals, aliases, and groups of one person

SELECT r0.ward, count(*) FROM visits r0 GROUP BY r0.ward ORDER BY r0.ward
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT ward FROM visits GROUP BY ward HAVING max(cost) > 3
-- answered: ward VARCHAR | 0 rows | epsilon 1

SELECT DISTINCT ward, count(*) FROM visits GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT DISTINCT cost FROM visits
-- refused: line 1, column 17: grouping by a continuous value makes a group of every row

SELECT DISTINCT patient FROM visits
-- refused: line 1, column 17: the query would return a row for each unit

SELECT DISTINCT patient + 0 FROM visits
-- answered: (patient + 0) BIGINT | 0 rows | epsilon 1

SELECT DISTINCT note FROM visits
-- answered: note VARCHAR | 0 rows | epsilon 1

SELECT DISTINCT 1 FROM visits
-- answered: 1 INTEGER | 1 row | epsilon 0

SELECT DISTINCT NULL FROM visits
-- answered: NULL "NULL" | 1 row | epsilon 0

SELECT DISTINCT ward FROM visits ORDER BY age
-- refused: line 1, column 43: the column "age" is neither grouped nor aggregated

SELECT DISTINCT ward FROM visits ORDER BY count(*)
-- refused: DuckDB does not accept the query...

SELECT patient, count(*) FROM visits GROUP BY patient
-- refused: line 1, column 8: the query would return a row for each unit

SELECT patient + 0 AS u, count(*) FROM visits GROUP BY u
-- answered: u BIGINT, count_star() BIGINT | 0 rows | epsilon 1

SELECT CAST(patient AS VARCHAR) AS u, count(*) FROM visits GROUP BY u
-- answered: u VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT patient // 1000 AS u, count(*) FROM visits GROUP BY u
-- answered: u BIGINT, count_star() BIGINT | 0 rows | epsilon 1

SELECT cost, count(*) FROM visits GROUP BY ALL
-- refused: line 1, column 8: grouping by a continuous value makes a group of every row

SELECT floor(total / 50) * 50 AS k, count(*) FROM (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) GROUP BY k
-- answered: k DOUBLE, count_star() BIGINT | 0 rows | epsilon 1

SELECT floor(total / 50) + total AS k, count(*) FROM (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) GROUP BY k
-- refused: line 1, column 8: grouping by a continuous value makes a group of every row

SELECT *, count(*) FROM visits GROUP BY ALL
-- refused: line 1, column 8: a star cannot stand in an aggregating SELECT over private rows

SELECT count(*) FROM visits GROUP BY ALL
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT 1, count(*) FROM visits GROUP BY ALL
-- answered: 1 INTEGER, count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) + age FROM visits GROUP BY ALL
-- refused: line 1, column 19: the column "age" is neither grouped nor aggregated

SELECT ward || count(*) FROM visits GROUP BY ALL
-- refused: line 1, column 8: the column "ward" is neither grouped nor aggregated

SELECT ward, count(*) FROM visits GROUP BY 1, 1, ward
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY 3
-- refused: line 1, column 44: GROUP BY 3 is not a position of the SELECT list

SELECT ward, count(*) FROM visits GROUP BY 0
-- refused: line 1, column 44: GROUP BY 0 is not a position of the SELECT list

SELECT ward, count(*) FROM visits GROUP BY 2
-- refused: line 1, column 44: GROUP BY cannot name an aggregate

SELECT ward, count(*) FROM visits GROUP BY (1)
-- refused: line 1, column 8: the column "ward" is neither grouped nor aggregated

SELECT ward, count(*) FROM visits GROUP BY 1.0
-- refused: line 1, column 8: the column "ward" is neither grouped nor aggregated

SELECT ward, count(*) FROM visits GROUP BY 'ward'
-- refused: line 1, column 8: the column "ward" is neither grouped nor aggregated

SELECT ward, count(*) FROM visits GROUP BY ward ORDER BY 3
-- refused: line 1, column 58: ORDER BY 3 is...

SELECT ward, count(*) FROM visits GROUP BY ward ORDER BY 2 DESC, 1
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY ward ORDER BY cost
-- refused: line 1, column 58: the column "cost" is neither grouped nor aggregated

SELECT ward, count(*) FROM visits GROUP BY ward ORDER BY ALL
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT count(*) FROM visits GROUP BY ()
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits GROUP BY NULL
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT NULL, count(*) FROM visits GROUP BY 1
-- answered: NULL "NULL", count_star() BIGINT | 1 row | epsilon 1

SELECT ward AS age, count(*) FROM visits GROUP BY age
-- refused: line 1, column 8: the column "ward" is neither grouped nor aggregated

SELECT age AS ward, count(*) FROM visits GROUP BY ward
-- refused: line 1, column 8: the column "age" is neither grouped nor aggregated

SELECT patient AS cost, sum(cost) FROM visits GROUP BY 1
-- refused: line 1, column 8: the query would return a row for each unit

SELECT count(DISTINCT patient) FROM visits x(ward, patient)
-- answered: count(DISTINCT patient) BIGINT | 1 row | epsilon 1

SELECT ward FROM visits WHERE patient = 777777 GROUP BY ward
-- answered: ward VARCHAR | 3 rows | epsilon 0

SELECT ward, count(*) FROM visits WHERE patient = 777777 GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT doctor, count(*) FROM visits WHERE patient = 777777 GROUP BY doctor
-- answered: doctor BIGINT, count_star() BIGINT | 0 rows | epsilon 1

SELECT patient, count(*) FROM visits WHERE patient = 777777 GROUP BY patient
-- refused: line 1, column 8: the query would return a row for each unit

SELECT patient, count(*) FROM visits WHERE patient IN (1, 777777) GROUP BY patient
-- refused: line 1, column 8: the query would return a row for each unit

SELECT "ward" , count(*) AS "a""b" FROM "visits" GROUP BY "WARD" ORDER BY "a""b"
-- answered: ward VARCHAR, a"b BIGINT | 3 rows | epsilon 1

SELECT ward, ward, count(*) FROM visits GROUP BY ward
-- answered: ward VARCHAR, ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT count(*) AS ward, ward AS c FROM visits GROUP BY ward ORDER BY ward
-- answered: ward BIGINT, c VARCHAR | 3 rows | epsilon 1

SELECT count(*) AS ward FROM visits GROUP BY ward HAVING ward > 5
-- refused: DuckDB does not accept the query...

SELECT ward AS r, count(*) FROM visits GROUP BY r HAVING r = 'north'
-- answered: r VARCHAR, count_star() BIGINT | 1 row | epsilon 1

SELECT 'a' FROM visits GROUP BY ward
-- answered: 'a' VARCHAR | 3 rows | epsilon 0

SELECT ward FROM visits GROUP BY ward ORDER BY first(cost)
-- refused: line 1, column 48: FIRST is not supported

SELECT count(DISTINCT note) FROM visits
-- answered: count(DISTINCT note) BIGINT | 1 row | epsilon 1

SELECT count(DISTINCT cost) FROM visits
-- answered: count(DISTINCT "cost") BIGINT | 1 row | epsilon 1

SELECT CASE WHEN patient = 777777 THEN 'secret' ELSE ward END AS x, count(*) FROM visits GROUP BY 1
-- answered: x VARCHAR, count_star() BIGINT | 4 rows | epsilon 1

SELECT patient = 777777 AS x, count(*) FROM visits GROUP BY 1
-- answered: x BOOLEAN, count_star() BIGINT | 2 rows | epsilon 1

SELECT age > 41 AS x, day, count(*) FROM visits GROUP BY ALL
-- answered: x BOOLEAN, day DATE, count_star() BIGINT | 730 rows | epsilon 1

SELECT date_trunc('hour', day), count(*) FROM visits GROUP BY ALL
-- answered: date_trunc('hour', "day") TIMESTAMP, count_star() BIGINT | 365 rows | epsilon 1

SELECT cost > 5, count(*) FROM visits GROUP BY 1
-- answered: ("cost" > 5) BOOLEAN, count_star() BIGINT | 2 rows | epsilon 1

SELECT ward, CAST(count(*) AS TINYINT) FROM visits GROUP BY ward
-- answered: ward VARCHAR, CAST(count_star() AS TINYINT) TINYINT | 3 rows | epsilon 1

SELECT strftime(day, '%Y'), count(*) FROM visits GROUP BY 1
-- answered: strftime("day", '%Y') VARCHAR, count_star() BIGINT | 1 row | epsilon 1

SELECT substr(note, 1, 1), count(*) FROM visits GROUP BY 1
-- answered: substr(note, 1, 1) VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (empty_conditions = true) ward, count(*) FROM visits WHERE ward = 'isolation' GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT ward, count(*) FROM visits WHERE ward = 'isolation' GROUP BY ward
-- refused: line 1, column 48: 'isolation' is not in the list of ward

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (empty_conditions = true) ward, count(*) FROM visits WHERE ward IN ('north', 'isolation') GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 1 row | epsilon 1

SELECT ward, count(*) FROM visits WHERE ward IN ('north', 'isolation') GROUP BY ward
-- refused: line 1, column 59: 'isolation' is not in the list of ward

SELECT doctor, count(*) FROM visits WHERE doctor IN (1000, 1001) GROUP BY doctor
-- answered: doctor BIGINT, count_star() BIGINT | 2 rows | epsilon 1

SELECT doctor, count(*) FROM visits WHERE doctor BETWEEN 990 AND 1100 GROUP BY doctor
-- answered: doctor BIGINT, count_star() BIGINT | 111 rows | epsilon 1

SELECT note, count(*) FROM visits WHERE note IN ('xx1', 'xx2') GROUP BY note
-- answered: note VARCHAR, count_star() BIGINT | 2 rows | epsilon 1

SELECT age, count(*) FROM visits WHERE age IN (41, NULL) GROUP BY age
-- answered: age BIGINT, count_star() BIGINT | 1 row | epsilon 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(empty_conditions = true) age, count(*) FROM visits WHERE age = NULL GROUP BY age
-- answered: age BIGINT, count_star() BIGINT | 0 rows | epsilon 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(empty_conditions = true) ward, count(*) FROM visits WHERE ward = NULL GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT ward, count(*) FROM visits WHERE ward IS NULL GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT coalesce(ward, note) AS x, count(*) FROM visits GROUP BY x
-- answered: x VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT day, count(*) FROM visits WHERE day = DATE '2025-02-30' GROUP BY day
-- refused: line 1, column 51: the text '2025-02-30' does not read as date...

SELECT age, count(*) FROM visits WHERE age > 200 GROUP BY age
-- answered: age BIGINT, count_star() BIGINT | 0 rows | epsilon 1

SELECT age % 0 AS x, count(*) FROM visits GROUP BY x
-- answered: x BIGINT, count_star() BIGINT | 1 row | epsilon 1

SELECT doctor % 3 AS x, count(*) FROM visits GROUP BY x
-- answered: x BIGINT, count_star() BIGINT | 5 rows | epsilon 1

SELECT patient % 3 AS x, count(*) FROM visits GROUP BY x
-- answered: x BIGINT, count_star() BIGINT | 5 rows | epsilon 1

SELECT patient % 777777 AS x, count(*) FROM visits GROUP BY x
-- answered: x BIGINT, count_star() BIGINT | 0 rows | epsilon 1

SELECT least(patient, 5) AS x, count(*) FROM visits GROUP BY x
-- answered: x BIGINT, count_star() BIGINT | 0 rows | epsilon 1

SELECT greatest(least(doctor, 5), 0) AS x, count(*) FROM visits GROUP BY x
-- answered: x BIGINT, count_star() BIGINT | 6 rows | epsilon 1

-- policy: unlisted

SELECT r0.ward, count(*) FROM visits r0 GROUP BY r0.ward ORDER BY r0.ward
-- answered: ward VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT DISTINCT ward, count(*) FROM visits GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY 1, 1, ward
-- answered: ward VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY ward ORDER BY 2 DESC, 1
-- answered: ward VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY ward ORDER BY ALL
-- answered: ward VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT ward FROM visits WHERE patient = 777777 GROUP BY ward
-- answered: ward VARCHAR | 0 rows | epsilon 1

SELECT ward, count(*) FROM visits WHERE patient = 777777 GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT "ward" , count(*) AS "a""b" FROM "visits" GROUP BY "WARD" ORDER BY "a""b"
-- answered: ward VARCHAR, a"b BIGINT | 0 rows | epsilon 1

SELECT ward, ward, count(*) FROM visits GROUP BY ward
-- answered: ward VARCHAR, ward VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT count(*) AS ward, ward AS c FROM visits GROUP BY ward ORDER BY ward
-- answered: ward BIGINT, c VARCHAR | 0 rows | epsilon 1

SELECT ward AS r, count(*) FROM visits GROUP BY r HAVING r = 'north'
-- answered: r VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT 'a' FROM visits GROUP BY ward
-- answered: 'a' VARCHAR | 0 rows | epsilon 1

SELECT CASE WHEN patient = 777777 THEN 'secret' ELSE ward END AS x, count(*) FROM visits GROUP BY 1
-- answered: x VARCHAR, count_star() BIGINT | 0 rows | epsilon 1

SELECT ward, CAST(count(*) AS TINYINT) FROM visits GROUP BY ward
-- answered: ward VARCHAR, CAST(count_star() AS TINYINT) TINYINT | 0 rows | epsilon 1

SELECT ward, count(*) FROM visits WHERE ward IN ('north', 'isolation') GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 2 rows | epsilon 1

SELECT age % 0 AS x, count(*) FROM visits GROUP BY x
-- answered: x BIGINT, count_star() BIGINT | 2 rows | epsilon 1

-- policy: listed

SELECT DISTINCT age > 40 AS old FROM visits
-- answered: old BOOLEAN | 2 rows | epsilon 0

SELECT DISTINCT ward, nights FROM visits
-- answered: ward VARCHAR, nights BIGINT | 33 rows | epsilon 0

SELECT count(*) FROM visits WHERE age = SOME (SELECT 40 UNION SELECT 41 UNION SELECT 42)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age IN (SELECT 42 UNION SELECT 40 UNION SELECT 41)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT ward || 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' AS k, count(*) FROM visits GROUP BY k
-- refused: line 1, column 8: the query adds more than 1000 bytes to a text that it groups by

SELECT k, count(*) FROM (SELECT DISTINCT patient, concat(ward, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy') AS k FROM visits) x GROUP BY k
-- refused: line 1, column 8: the query adds more than 1000 bytes to a text that it groups by

SELECT k, count(*) FROM (SELECT patient, CASE WHEN age > 40 THEN ward ELSE ward || 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' END AS k FROM visits UNION ALL SELECT patient, ward FROM visits) x GROUP BY k
-- refused: line 1, column 8: the query adds more than 1000 bytes to a text that it groups by

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (empty_conditions = true) CASE WHEN ward = 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' THEN 'a' ELSE 'b' END AS k, count(*) FROM visits GROUP BY k
-- answered: k VARCHAR, count_star() BIGINT | 1 row | epsilon 1

SELECT CASE WHEN ward = 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' THEN 'a' ELSE 'b' END AS k, count(*) FROM visits GROUP BY k
-- refused: line 1, column 25: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' is not in the list of ward

SELECT INTERVAL '1 year' AS k, count(*) FROM visits GROUP BY k
-- refused: line 1, column 8: rows cannot be grouped by an INTERVAL

SELECT DISTINCT INTERVAL 1 DAY FROM visits
-- refused: line 1, column 17: rows cannot be grouped by an INTERVAL
