-- Names: quoted, repeated, renamed, of other tables

SELECT count(*) FROM visits AS r0
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits AS released
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits x(ward, patient)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits x(a,b,c,d,e,f,kind,h,i)
-- refused: line 1, column 22: more column aliases than columns

SELECT count(*) FROM visits x(a,b,c,d,e,f,kind,h)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE day + INTERVAL 1000000 YEAR > DATE '2020-01-01'
-- refused: line 1, column 35: the interval is longer than 10000 years

SELECT count(*) FROM visits WHERE day - INTERVAL 5000 YEAR > DATE '2020-01-01'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE day + patient > DATE '2020-01-01'
-- refused: line 1, column 35: a date is mov...

SELECT count(*) FROM visits WHERE date_trunc('millennium', day) > DATE '2020-01-01'
-- refused: line 1, column 35: the unit must be a constant, one of year, quarter, month, week, day, hour, minute, second

SELECT count(*) FROM visits WHERE extract(epoch FROM day) > 3
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE day = 'infinity'
-- refused: line 1, column 35: a date of private rows lies in the years 1 to 9999; write DATE '9999-12-31' for after all of them, DATE '0001-01-01' for before

SELECT stddev(cost) FROM visits WHERE patient = 777777
-- answered: stddev("cost") DOUBLE | 1 row | epsilon 1

SELECT count(*) AS "a'b", count(*) AS "x;y", count(*) AS "--" FROM visits
-- answered: a'b BIGINT, x;y BIGINT, -- BIGINT | 1 row | epsilon 1

SELECT count(*) FROM "visits""; DROP TABLE x; --"
-- refused: line 1, column 22: there is no table "visits"; DROP TABLE x; --"

SELECT count(*) FROM visits "x""y" WHERE "x""y"."age" > 3
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) AS c FROM visits HAVING c > 3
-- answered: c BIGINT | 1 row | epsilon 1

SELECT count(*) AS c FROM visits WHERE c > 3
-- refused: line 1, column 8: an aggregate in WHERE, GROUP BY or another aggregate is not supported on private rows

SELECT 1 FROM visits
-- refused: line 1, column 8: the query would return rows of a private table

SELECT 1 FROM visits HAVING true
-- answered: 1 INTEGER | 1 row | epsilon 0

SELECT 1 FROM visits HAVING count(*) > 3
-- answered: 1 INTEGER | 1 row | epsilon 1

SELECT count(*) FROM visits HAVING patient = 777777
-- refused: line 1, column 36: the column "patient" is neither grouped nor aggregated

SELECT wards FROM wards
-- refused: line 1, column 8: there is no column "wards"

SELECT max(wards) FROM wards
-- refused: line 1, column 12: there is no column "wards"

SELECT visits.visits FROM visits
-- refused: line 1, column 8: there is no column "visits" in "visits"

SELECT main.visits.age FROM visits
-- refused: line 1, column 8: the query would return rows of a private table

SELECT count(main.visits.age) FROM visits
-- answered: count(main.visits.age) BIGINT | 1 row | epsilon 1

SELECT count(memory.main.visits.age) FROM visits
-- refused: line 1, column 14: a column may be qualified by its table, and by the schema that the table has in FROM, only

SELECT count(*) FROM visits WHERE (age, 1) IN ((41, 1))
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM wards
-- answered: count_star() BIGINT | 1 row | epsilon 0

SELECT count(*) FROM (FROM visits) x
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) AS "" FROM visits
-- refused: line 1, column 20: a quoted name is empty

SELECT if(count(*) > 3, 1, 0) FROM visits
-- answered: "if"((count_star() > 3), 1, 0) INTEGER | 1 row | epsilon 1

SELECT CASE count(*) WHEN 3 THEN 'a' ELSE 'b' END FROM visits
-- answered: CASE  WHEN ((count_star() = 3)) THEN ('a') ELSE 'b' END VARCHAR | 1 row | epsilon 1

SELECT make_date(count(*), 1, 1) FROM visits
-- answered: make_date(count_star(), 1, 1) DATE | 1 row | epsilon 1

SELECT main.wards.wing FROM main.wards
-- answered: wing VARCHAR | 3 rows | epsilon 0

SELECT main.r.wing FROM main.wards r
-- refused: DuckDB does not accept the query...

SELECT other.visits.age FROM visits
-- refused: line 1, column 8: a column may be qualified by its table, and by the schema that the table has in FROM, only

SELECT count(*) FROM visits WHERE other.visits.age > 3
-- refused: line 1, column 35: a column may be qualified by its table, and by the schema that the table has in FROM, only

SELECT count(*) FROM visits WHERE -(-9223372036854775808) = patient
-- answered: count_star() BIGINT | 1 row | epsilon 1
