-- What tools may write, bent: probes, the name of the database, constants, totals of each unit

SELECT * FROM visits LIMIT 0 OFFSET 0
-- answered: patient BIGINT, ward VARCHAR, doctor BIGINT, age BIGINT, nights BIGINT, cost DOUBLE, day DATE, note VARCHAR | 0 rows | epsilon 0

SELECT * FROM visits LIMIT 0.4
-- refused: line 1, column 8: LIMIT on private rows depends on their order

SELECT * FROM visits LIMIT '0'
-- refused: line 1, column 8: LIMIT on private rows depends on their order

(SELECT ward FROM visits LIMIT 0) UNION ALL SELECT ward FROM visits
-- refused: line 1, column 9: LIMIT on private rows depends on their order

SELECT a.ward FROM (SELECT * FROM visits LIMIT 0) AS a RIGHT JOIN visits AS b ON TRUE
-- refused: line 1, column 28: LIMIT on private rows depends on their order

SELECT * FROM visits WHERE (1 = 0) = FALSE
-- refused: line 1, column 8: the query would return rows of a private table

SELECT * FROM visits WHERE NULL IS NULL
-- refused: line 1, column 8: the query would return rows of a private table

SELECT * FROM visits WHERE '1' = '01'
-- answered: patient BIGINT, ward VARCHAR, doctor BIGINT, age BIGINT, nights BIGINT, cost DOUBLE, day DATE, note VARCHAR | 0 rows | epsilon 0

SELECT * FROM visits WHERE 0 = -0
-- refused: line 1, column 8: the query would return rows of a private table

SELECT ward, count(*) FROM visits GROUP BY ward HAVING 1 = 0 OR count(*) > 5
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT count(*) FROM visits WHERE 1 = 0 GROUP BY ()
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT max(patient) FROM visits WHERE 1 = 0
-- refused: line 1, column 8: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT max(patient) FROM visits HAVING 1 = 0
-- answered: max(patient) BIGINT | 0 rows | epsilon 0

SELECT * FROM (SELECT patient FROM visits WHERE 1 > 2) AS x WHERE patient = 777777
-- answered: patient BIGINT | 0 rows | epsilon 0

SELECT getenv('HOME') FROM visits WHERE 1 = 0
-- refused: line 1, column 8: the function getenv is not supported

SELECT * FROM visits, read_text('/etc/passwd') WHERE FALSE
-- refused: line 1, column 23: a table function is not supported; tables, queries, UNNEST and GENERATE_SERIES stand behind FROM

SELECT * FROM memory.main.visits LIMIT 0
-- refused: line 1, column 15: a table function or another database cannot be read

SELECT * FROM dpsql.main.visits WHERE patient = 777777
-- refused: line 1, column 8: the query would return rows of a private table

SELECT count(*) FROM dpsql.main.visits WHERE email = 'x'
-- refused: line 1, column 46: the column "email" may not be used in a query

SELECT dpsql.main.visits.email FROM dpsql.main.visits LIMIT 0
-- refused: DuckDB does not accept the query as it is written

SELECT count(*) FROM dpsql.released.r0
-- refused: line 1, column 28: there is no table "released.r0"

SELECT count(*) FROM dpsql.pg_catalog.pg_class
-- answered: count BIGINT | 1 row | epsilon 0

SELECT count(*) FROM dpsql_own.history
-- refused: line 1, column 22: there is no table "dpsql_own.history"

SELECT count(*) FROM visits WHERE day > make_date(patient, 1, 1)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE day > make_date(2025, 1, (SELECT max(patient) FROM visits))
-- refused: line 1, column 68: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT count(*) FROM visits WHERE ward = rpad('n', 1000000000, 'x')
-- refused: line 1, column 42: LPAD and RPAD take a constant length of at most 100 here, and a constant that fills

SELECT count(*) FROM visits WHERE day = make_date(2025, 2, 30)
-- refused: line 1, column 41: MAKE_DATE takes a year from 1 to 9999, a month of it, and a day of that month

SELECT count(*) FROM visits WHERE nights = mod(7, 0)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE ward || patient = 'north777777'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(DISTINCT patient || note) FROM visits
-- answered: count(DISTINCT (patient || note)) BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE (patient = 777777) = 1
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE day - INTERVAL '1 month 999999 days' > day
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE day - INTERVAL '1 month ago' > day
-- refused: line 1, column 41: an interval cannot be read the way it is written

SELECT strftime('%Y', note), count(*) FROM visits GROUP BY 1
-- refused: line 1, column 8: a date or timestamp is needed here, not text; write CAST(... AS DATE)

SELECT strftime(ward, day), count(*) FROM visits GROUP BY 1
-- refused: line 1, column 8: the format of STRFTIME must be a plain string literal

SELECT avg(n) FROM (SELECT patient, count(*) AS n FROM visits WHERE patient = 777777 GROUP BY patient) AS x
-- answered: avg(n) DOUBLE | 1 row | epsilon 1

SELECT max(n), median(s) FROM (SELECT patient, count(*) AS n, sum(cost) AS s FROM visits GROUP BY patient) AS x
-- answered: max(n) BIGINT, median(s) DOUBLE | 1 row | epsilon 1

SELECT sum(s) FROM (SELECT sum(cost) OVER (PARTITION BY patient ORDER BY day) AS s FROM visits) AS x
-- answered: sum(s) DOUBLE | 1 row | epsilon 1

SELECT n, count(*) FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) AS x GROUP BY n
-- answered: n BIGINT, count_star() BIGINT | 0 rows | epsilon 1

SELECT trunc(cost / patient), count(*) FROM visits GROUP BY 1
-- answered: trunc(("cost" / patient)) DOUBLE, count_star() BIGINT | 1002 rows | epsilon 1

SELECT trunc(cost / 100) AS k, count(*) FROM visits GROUP BY 1
-- answered: k DOUBLE, count_star() BIGINT | 6 rows | epsilon 1
