-- policy: shop

-- A star without some columns, with others computed anew or called otherwise.
SELECT * EXCLUDE (n, s) REPLACE (region || '!' AS region) RENAME (m AS most) FROM (SELECT region, COUNT(*) AS n, SUM(amount) AS s, COUNT(rating) AS m FROM orders GROUP BY region) ORDER BY 1
-- region VARCHAR | most BIGINT
-- east! | 4
-- north! | 8
-- south! | 7
-- west! | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same of private rows: what is left out cannot be named, what is computed anew can.
SELECT area, SUM(amount) AS s FROM (SELECT * EXCLUDE (paid) REPLACE (amount / 2 AS amount) RENAME (region AS area) FROM orders) GROUP BY area ORDER BY area
-- area VARCHAR | s DOUBLE
-- east | 187
-- north | 160.375
-- south | 214.5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A star of one source of two.
SELECT country, SUM(quantity) AS q FROM (SELECT o.* EXCLUDE (customer), r.* EXCLUDE (region) FROM orders AS o JOIN regions AS r ON o.region = r.region) GROUP BY country ORDER BY country
-- country VARCHAR | q HUGEINT
-- Nordland | 66
-- Sudland | 40
-- Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A star that leaves one column for IN.
SELECT COUNT(*) AS n FROM orders WHERE region IN (SELECT * EXCLUDE (n) FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) WHERE n > 5)
-- n BIGINT
-- 19
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- Rows of several values: NULL is equal to NULL, as in DuckDB.
SELECT COUNT(*) FILTER (WHERE (region, quantity) IN (('north', 1), ('south', 2))) AS a, COUNT(*) FILTER (WHERE (region, rating) = ('north', NULL)) AS b, COUNT(*) FILTER (WHERE (region, rating) NOT IN (('north', 4), ('south', NULL))) AS c, COUNT(*) FILTER (WHERE (region, quantity) <> ('north', 1)) AS d FROM orders
-- a BIGINT | b BIGINT | c BIGINT | d BIGINT
-- 5 | 2 | 20 | 21
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows of several values among those of a public query; NULL is not known to be there or not.
SELECT COUNT(*) FILTER (WHERE (region, quantity) IN (SELECT region, zone FROM regions)) AS a, COUNT(*) FILTER (WHERE (region, rating) NOT IN (SELECT region, zone FROM regions)) AS b FROM orders
-- a BIGINT | b BIGINT
-- 5 | 17
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows of several values among the unit's own.
SELECT COUNT(*) AS n FROM orders AS o WHERE (o.customer, o.day) IN (SELECT customer, MAX(day) FROM orders GROUP BY customer)
-- n BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- One of the values compared may be NULL.
SELECT COUNT(*) AS n FROM orders AS o WHERE (o.customer, o.rating) NOT IN (SELECT customer, rating FROM orders WHERE rating > 3)
-- n BIGINT
-- 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows of several values on results.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region HAVING (region, COUNT(*)) IN (('north', 10), ('south', 3))
-- region VARCHAR | n BIGINT
-- north | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- ANY, SOME and ALL over lists are IN and NOT IN.
SELECT COUNT(*) FILTER (WHERE region = SOME(['north', 'south'])) AS a, COUNT(*) FILTER (WHERE rating <> ALL(ARRAY[1, 2])) AS b, COUNT(*) FILTER (WHERE rating <> ALL([1, NULL])) AS c FROM orders
-- a BIGINT | b BIGINT | c BIGINT
-- 19 | 13 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Quarters and texts in the formats of TO_CHAR.
SELECT TO_CHAR(day, '"in Q"Q YYYY, "month" MM') AS q, COUNT(*) AS n, TO_CHAR(DATE '2025-12-31', 'Q') AS last FROM orders GROUP BY q ORDER BY q
-- q VARCHAR | n BIGINT | last VARCHAR
-- in Q1 2025, month 01 | 9 | 4
-- in Q1 2025, month 02 | 8 | 4
-- in Q1 2025, month 03 | 7 | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- DISTINCT of windows over whole partitions is GROUP BY.
SELECT DISTINCT region, SUM(quantity) OVER (PARTITION BY region) AS q, COUNT(*) OVER () AS n FROM orders ORDER BY region
-- region VARCHAR | q HUGEINT | n BIGINT
-- east | 36 | 24
-- north | 30 | 24
-- south | 40 | 24
-- west | 0 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- ANY, SOME and ALL over arrays as PostgreSQL writes them.
SELECT COUNT(*) FILTER (WHERE region = ANY('{north, "south"}')) AS a, COUNT(*) FILTER (WHERE rating <> ALL('{1,2}'::int[])) AS b, COUNT(*) FILTER (WHERE region = SOME(ARRAY['north']::text[])) AS c, COUNT(*) FILTER (WHERE (product = 1) = ANY('{}')) AS d, COUNT(*) FILTER (WHERE rating <> ALL(ARRAY[]::int[])) AS e FROM orders
-- a BIGINT | b BIGINT | c BIGINT | d BIGINT | e BIGINT
-- 19 | 13 | 10 | 0 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- A column that compares with such an array is called as it is written.
SELECT region = ANY('{north}'), COUNT(*) FROM orders GROUP BY ALL HAVING COUNT(*) <> ALL('{0}'::bigint[])
-- region = ANY('{north}') BOOLEAN | count_star() BIGINT
-- false | 14
-- true | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- ANY, SOME and ALL over queries.
SELECT COUNT(*) FILTER (WHERE region = ANY (SELECT region FROM regions WHERE zone = 2)) AS a, COUNT(*) FILTER (WHERE quantity + 1 <> ALL (SELECT zone FROM regions)) AS b FROM orders WHERE customer = SOME (SELECT customer FROM orders WHERE NOT paid)
-- a BIGINT | b BIGINT
-- 11 | 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- ANY in HAVING.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region HAVING region = ANY (SELECT region FROM regions WHERE zone > 1) AND COUNT(*) <> ALL([0, 5])
-- region VARCHAR | n BIGINT
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Joins in parentheses.
SELECT r.country, COUNT(*) AS n FROM ((orders AS o JOIN regions AS r ON o.region = r.region) JOIN products AS p ON p.product = o.product) GROUP BY r.country ORDER BY r.country
-- country VARCHAR | n BIGINT
-- Nordland | 15
-- Sudland | 9
-- Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A join in parentheses behind JOIN changes places with what it is joined with.
SELECT COUNT(*) AS n, COUNT(t.tag) AS tagged FROM orders AS o LEFT JOIN (regions AS r JOIN tags AS t ON r.region = t.region AND r.zone = 1) ON o.region = r.region
-- n BIGINT | tagged BIGINT
-- 34 | 20
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A join in parentheses behind a comma.
SELECT COUNT(*) AS n FROM products AS p, (orders AS o JOIN regions AS r ON o.region = r.region) WHERE p.product = o.product AND r.zone = 2
-- n BIGINT
-- 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- FROM first, with a join.
-- sqlglot: 30
FROM orders AS o JOIN regions AS r USING (region) SELECT r.country, COUNT(*) AS n GROUP BY r.country ORDER BY r.country
-- country VARCHAR | n BIGINT
-- Nordland | 15
-- Sudland | 9
-- Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A released table joined in parentheses.
SELECT x.region, x.n, r.zone FROM ((SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS x JOIN regions AS r ON x.region = r.region) ORDER BY x.region
-- region VARCHAR | n BIGINT | zone BIGINT
-- east | 5 | 2
-- north | 10 | 1
-- south | 9 | 2
-- west | 0 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Both types of the start of a month are one key.
SELECT date_trunc('month', placed) AS a, CAST(date_trunc('month', placed) AS DATE) AS b, COUNT(*) AS n FROM orders GROUP BY 1, 2 ORDER BY 1
-- a TIMESTAMP | b DATE | n BIGINT
-- 2025-01-01 00:00:00 | 2025-01-01 | 9
-- 2025-02-01 00:00:00 | 2025-02-01 | 8
-- 2025-03-01 00:00:00 | 2025-03-01 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The first day of a month as a key.
SELECT CAST(date_trunc('month', placed) AS DATE) AS m, strftime(CAST(date_trunc('month', placed) AS DATE), '%b') AS name, COUNT(*) AS n FROM orders GROUP BY CAST(date_trunc('month', placed) AS DATE) ORDER BY m
-- m DATE | name VARCHAR | n BIGINT
-- 2025-01-01 | Jan | 9
-- 2025-02-01 | Feb | 8
-- 2025-03-01 | Mar | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Years and months of a moment are listed together, from its days.
SELECT year(placed) AS y, month(placed) AS m, monthname(placed) AS name, COUNT(*) AS n FROM orders GROUP BY ALL ORDER BY m
-- y BIGINT | m BIGINT | name VARCHAR | n BIGINT
-- 2025 | 1 | January | 9
-- 2025 | 2 | February | 8
-- 2025 | 3 | March | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Pieces of time of a constant width.
SELECT time_bucket(INTERVAL '30 days', day) AS b, COUNT(*) AS n FROM orders GROUP BY b ORDER BY b
-- b DATE | n BIGINT
-- 2024-12-22 | 8
-- 2025-01-21 | 7
-- 2025-02-20 | 8
-- 2025-03-22 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Pieces of months, and of hours.
SELECT time_bucket(INTERVAL '2 months', placed) AS b, COUNT(DISTINCT time_bucket(INTERVAL '12 hours', placed)) AS n FROM orders GROUP BY b ORDER BY b
-- b TIMESTAMP | n BIGINT
-- 2025-01-01 00:00:00 | 17
-- 2025-03-01 00:00:00 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Weeks of years.
SELECT yearweek(day) AS w, COUNT(*) AS n FROM orders WHERE day < DATE '2025-01-27' GROUP BY w ORDER BY w
-- w BIGINT | n BIGINT
-- 202501 | 1
-- 202502 | 4
-- 202503 | 2
-- 202504 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Decades, centuries and parts of seconds.
SELECT decade(day) AS d, century(placed) AS c, EXTRACT(millisecond FROM placed) // 30000 AS s, COUNT(*) AS n FROM orders GROUP BY ALL ORDER BY s
-- d BIGINT | c BIGINT | s BIGINT | n BIGINT
-- 202 | 21 | 0 | 23
-- 202 | 21 | 1 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Moments as numbers.
SELECT COUNT(*) FILTER (WHERE epoch_ms(placed) >= 1738368000000) AS a, COUNT(*) FILTER (WHERE epoch_us(day) < 1738368000000000) AS b FROM orders
-- a BIGINT | b BIGINT
-- 15 | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A number rounded to tens.
SELECT ROUND(amount, -1) AS a, COUNT(*) AS n FROM orders GROUP BY a ORDER BY a
-- a DOUBLE | n BIGINT
-- 0 | 1
-- 10 | 2
-- 20 | 3
-- 30 | 3
-- 40 | 3
-- 50 | 2
-- 60 | 3
-- 70 | 2
-- 80 | 2
-- 90 | 1
-- 100 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Whole pieces of a number, scaled back.
SELECT CAST(FLOOR(amount / 25) AS INTEGER) * 25 AS least, COUNT(*) AS n FROM orders GROUP BY least ORDER BY least
-- least INTEGER | n BIGINT
-- 0 | 6
-- 25 | 7
-- 50 | 6
-- 75 | 5
-- 100 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Whether any, and whether all of a person's orders are of a kind.
SELECT COUNT(*) FILTER (WHERE any_unpaid) AS a, COUNT(*) FILTER (WHERE all_large) AS b FROM (SELECT customer, BOOL_OR(NOT paid) AS any_unpaid, BOOL_AND(quantity > 1) FILTER (WHERE paid) AS all_large FROM orders GROUP BY customer)
-- a BIGINT | b BIGINT
-- 5 | 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same beside each order.
SELECT COUNT(*) AS n FROM (SELECT BOOL_AND(paid) OVER (PARTITION BY customer) AS paid FROM orders) WHERE paid
-- n BIGINT
-- 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows of several values are counted as one: NULL is a value there, and -0.0 is 0.0.
SELECT COUNT(DISTINCT (region, rating)) AS a, COUNT(DISTINCT (customer, paid)) FILTER (WHERE quantity > 2) AS b, COUNT(DISTINCT (rating, -amount, placed, NULL)) AS c FROM orders
-- a BIGINT | b BIGINT | c BIGINT
-- 15 | 11 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- Inside of one person as well.
SELECT SUM(n) AS n FROM (SELECT customer, COUNT(DISTINCT (rating, paid)) AS n FROM orders GROUP BY customer)
-- n HUGEINT
-- 23
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Where one value of a row ends is not forgotten.
SELECT COUNT(DISTINCT (CASE WHEN paid THEN 'ab' ELSE 'a' END, CASE WHEN paid THEN 'c' ELSE 'bc' END, -0.0 * quantity, 0)) AS n FROM orders WHERE paid IS NOT NULL
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A DECIMAL without a size, more than once.
SELECT  24::numeric AS was, COUNT(*)::numeric AS n, ROUND(AVG(quantity)::numeric, 2) AS a FROM orders
-- was DECIMAL(18,3) | n DECIMAL(18,3) | a DECIMAL(18,2)
-- 24.000 | 24.000 | 4.42
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The unit first and bare, as Snowflake has it, and a number of days that is computed.
SELECT DATE_TRUNC(month, placed) AS m, COUNT(*) AS n FROM orders WHERE DATEADD('day', -DAYOFWEEK(placed), DATE_TRUNC(DAY, placed)) < '2025-02-01' GROUP BY 1 ORDER BY 1
-- m TIMESTAMP | n BIGINT
-- 2025-01-01 00:00:00 | 9
-- 2025-02-01 00:00:00 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A text that is cast to an interval.
SELECT COUNT(*) AS n FROM orders WHERE day >= '2025-04-01'::date - '1 month'::interval
-- n BIGINT
-- 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The clocks of another zone, and moments that are written with one.
SELECT DATE_TRUNC('day', placed AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo') AS d, COUNT(*) AS n FROM orders WHERE placed BETWEEN TIMESTAMPTZ '2025-01-03 01:00:00+01:00' AND CAST('2025-01-06T00:00:00Z' AS TIMESTAMPTZ) GROUP BY d ORDER BY d
-- d TIMESTAMP | n BIGINT
-- 2025-01-03 00:00:00 | 0
-- 2025-01-04 00:00:00 | 0
-- 2025-01-05 00:00:00 | 1
-- 2025-01-06 00:00:00 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- TOP in a subquery is the LIMIT of that subquery.
SELECT region, n FROM (SELECT TOP 2 region, COUNT(*) AS n FROM orders GROUP BY region ORDER BY n DESC) AS t ORDER BY n
-- region VARCHAR | n BIGINT
-- south | 9
-- north | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A part of a text that has none is NULL, which is a group of its own.
SELECT STRING_SPLIT(region, 'o')[2] AS part, COUNT(*) AS n FROM orders GROUP BY part ORDER BY part
-- part VARCHAR | n BIGINT
-- rth | 10
-- uth | 9
-- NULL | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The bounds of BETWEEN SYMMETRIC stand in either order.
SELECT COUNT(*) FILTER (WHERE quantity BETWEEN SYMMETRIC 5 AND 2) AS a, COUNT(*) FILTER (WHERE quantity BETWEEN SYMMETRIC 2 AND 5) AS b, COUNT(*) FILTER (WHERE quantity NOT BETWEEN SYMMETRIC 5 AND 2) AS c, COUNT(*) FILTER (WHERE quantity BETWEEN ASYMMETRIC 5 AND 2) AS d FROM orders
-- a BIGINT | b BIGINT | c BIGINT | d BIGINT
-- 12 | 12 | 12 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Each value of a list is compared, whatever the comparison.
SELECT COUNT(*) FILTER (WHERE quantity > ALL (ARRAY[2, 4])) AS a, COUNT(*) FILTER (WHERE quantity > ANY ('{2,4}'::INT[])) AS b, COUNT(*) FILTER (WHERE region <> ANY (ARRAY['north', 'south'])) AS c, COUNT(*) FILTER (WHERE quantity >= ALL ('{}')) AS d FROM orders
-- a BIGINT | b BIGINT | c BIGINT | d BIGINT
-- 11 | 17 | 24 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A number behind a minus in an INTERVAL, as MySQL and BigQuery have it.
SELECT COUNT(*) FILTER (WHERE day >= DATE_ADD(DATE '2025-02-06', INTERVAL -1 MONTH)) AS a, COUNT(*) FILTER (WHERE day >= DATE '2025-02-06' + INTERVAL (-1) MONTH) AS b FROM orders
-- a BIGINT | b BIGINT
-- 23 | 23
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Names that PostgreSQL fills up with blanks.
SELECT COUNT(*) FILTER (WHERE TO_CHAR(day, 'Month') = 'March    ') AS a, COUNT(*) FILTER (WHERE TRIM(TO_CHAR(day, 'Month')) = MONTHNAME(DATE '2025-03-01')) AS b, COUNT(*) FILTER (WHERE TO_CHAR(day, 'Day') = 'Wednesday') = COUNT(*) FILTER (WHERE ISODOW(day) = 3) AS c FROM orders
-- a BIGINT | b BIGINT | c BOOLEAN
-- 7 | 7 | true
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- VALUES behind IN are the values of a list.
SELECT region, COUNT(*) AS n FROM orders WHERE region IN (VALUES ('north'), ('south')) AND day NOT IN (VALUES ('2025-01-05'), ('2025-01-06')) GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT
-- north | 8
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows of VALUES behind IN are a query: a row with NULL in it is neither in it nor not in it.
SELECT COUNT(*) FILTER (WHERE (region, coupon) IN (VALUES ('north', 'spring'))) AS a, COUNT(*) FILTER (WHERE (region, coupon) NOT IN (VALUES ('north', 'spring'))) AS b FROM orders
-- a BIGINT | b BIGINT
-- 2 | 15
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Types of Snowflake, BigQuery, Oracle and SQL Server.
SELECT CAST(quantity AS NUMBER) AS q, SUM(CAST(amount AS FLOAT64))::NUMBER(10, 1) AS s, COUNT(*) FILTER (WHERE placed::TIMESTAMP_NTZ(9) >= CAST('2025-02-01' AS DATETIME2)) AS later FROM orders WHERE CAST(region AS VARCHAR2(10)) = 'north' AND quantity > 2 GROUP BY 1 ORDER BY 1
-- q DECIMAL(38,0) | s DECIMAL(10,1) | later BIGINT
-- 3 | 63.0 | 1
-- 4 | 45.3 | 0
-- 5 | 55.3 | 1
-- 6 | 0.0 | 0
-- 7 | 0.0 | 0
-- 8 | 0.0 | 0
-- 9 | 0.0 | 0
-- 10 | 99.8 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Sizes that DuckDB reads over.
SELECT CAST(region AS CHARACTER VARYING(20)) AS r, CAST(region AS NVARCHAR(1)), COUNT(*) AS n FROM orders WHERE CAST(placed AS TIMESTAMP(6)) < '2025-02-01' GROUP BY 1, 2 ORDER BY 1
-- r VARCHAR | CAST(region AS NVARCHAR(1)) VARCHAR | n BIGINT
-- east | east | 1
-- north | north | 5
-- south | south | 3
-- west | west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Pieces of five minutes, as Superset asks Snowflake and SQL Server for them.
SELECT DATEADD(MINUTE, FLOOR(DATE_PART(MINUTE, placed) / 5) * 5, DATE_TRUNC('HOUR', placed)) AS k, DATEADD(MINUTE, DATEDIFF(MINUTE, 0, placed) / 5 * 5, 0) AS l, COUNT(*) AS n FROM orders WHERE placed >= TIMESTAMP('2025-02-14 12:00:00') AND placed < TIMESTAMP('2025-02-14 12:20:00') GROUP BY 1, 2 HAVING COUNT(*) > 0
-- k TIMESTAMP | l TIMESTAMP | n BIGINT
-- 2025-02-14 12:15:00 | 2025-02-14 12:15:00 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Months from the beginning of 1900, with their names.
SELECT DATEADD(month, DATEDIFF(month, 0, day), 0) AS m, DATENAME(month, day) AS name, FORMAT(day, 'yyyy-MM') AS f, COUNT(*) AS n FROM orders GROUP BY 1, 2, 3 HAVING COUNT(*) > 0 ORDER BY 1
-- m TIMESTAMP | name VARCHAR | f VARCHAR | n BIGINT
-- 2025-01-01 00:00:00 | January | 2025-01 | 9
-- 2025-02-01 00:00:00 | February | 2025-02 | 8
-- 2025-03-01 00:00:00 | March | 2025-03 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Whole years and months between moments, as Metabase counts them.
SELECT EXTRACT(YEAR FROM AGE('2026-02-14', day)) AS y, DATE_PART('month', AGE(placed, TIMESTAMP '2025-02-28 13:00:00')) AS m, COUNT(*) AS n FROM orders GROUP BY 1, 2 HAVING COUNT(*) > 0 ORDER BY 1, 2
-- y BIGINT | m BIGINT | n BIGINT
-- 0 | 0 | 9
-- 0 | 1 | 1
-- 1 | -1 | 9
-- 1 | 0 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- GROUP BY ALL beside QUALIFY, as Snowflake has it.
SELECT region, paid, COUNT(*) AS n FROM orders GROUP BY ALL QUALIFY ROW_NUMBER() OVER (PARTITION BY region ORDER BY n DESC, paid) = 1 ORDER BY region
-- region VARCHAR | paid BOOLEAN | n BIGINT
-- east | true | 4
-- north | true | 8
-- south | true | 6
-- west | false | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Where a part of a query is read as another spelling, DuckDB names the other columns by the words they have.
SELECT DATE_TRUNC('month', day), ceiling(SUM(amount)), CAST(COUNT(*) AS VARCHAR), nvl(SUM(quantity), 0) FROM orders
WHERE NVL(rating, 5) > 2 AND day BETWEEN '2025-01-01' AND '2025-02-28' GROUP BY DATE_TRUNC('month', day) ORDER BY 1
-- date_trunc('month', "day") TIMESTAMP | ceiling(sum(amount)) DOUBLE | CAST(count_star() AS VARCHAR) VARCHAR | nvl(sum(quantity), 0) HUGEINT
-- 2025-01-01 00:00:00 | 161 | 5 | 15
-- 2025-02-01 00:00:00 | 399 | 7 | 38
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A key within a call that is read as another one is still the key.
SELECT coalesce(date_trunc('month', day), NULL), NVL(date_trunc('month', day), NULL) || '' AS m, COUNT(*) FROM orders
WHERE day BETWEEN '2025-01-01' AND '2025-02-28' GROUP BY date_trunc('month', day) ORDER BY 1
-- COALESCE(date_trunc('month', "day"), NULL) TIMESTAMP | m VARCHAR | count_star() BIGINT
-- 2025-01-01 00:00:00 | 2025-01-01 00:00:00 | 9
-- 2025-02-01 00:00:00 | 2025-02-01 00:00:00 | 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What other databases write: weeks from Sunday, months by way of a text, an alias without AS, a quantile of a list.
SELECT DATE_TRUNC(day, WEEK(SUNDAY)) AS w, STR_TO_DATE(CONCAT(DATE_FORMAT(placed, '%Y-%m'), '-01'), '%Y-%m-%d') month, COUNT(*) AS n FROM orders WHERE day < '2025-01-12' GROUP BY w, month HAVING COUNT(*) > 0 ORDER BY w
-- w TIMESTAMP | month DATE | n BIGINT
-- 2025-01-05 00:00:00 | 2025-01-01 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Days of the week behind INTERVAL without parentheses are MySQL's: from 1 for Sunday.
SELECT DATE(DATE_SUB(placed, INTERVAL DAYOFWEEK(placed) - 1 DAY)) AS sunday, COUNT(*) AS n FROM orders GROUP BY sunday HAVING COUNT(*) > 4 ORDER BY sunday
-- sunday DATE | n BIGINT
-- 2025-01-05 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- ClickHouse's names, in any case.
SELECT toStartOfMonth(placed) AS m, countIf(paid) AS p, sumIf(quantity, paid) AS q, uniqExact(region) AS r FROM orders GROUP BY m ORDER BY m LIMIT 2
-- m DATE | p HUGEINT | q HUGEINT | r BIGINT
-- 2025-01-01 | 7 | 23 | 3
-- 2025-02-01 | 6 | 36 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Shares, and a condition that is averaged.
SELECT [region], RATIO_TO_REPORT(COUNT_BIG(*)) OVER () AS share, AVG(quantity > 2) AS much FROM [orders] WITH (NOLOCK) WHERE region <> N'west' GROUP BY [region] WITH ROLLUP ORDER BY region
-- region VARCHAR | share DOUBLE | much DOUBLE
-- east | 0.1041666667 | 1
-- north | 0.2083333333 | 0.5
-- south | 0.1875 | 0.7777777778
-- NULL | 0.5 | 0.7083333333
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same moment in words of other databases.
SELECT COUNT(*) AS n FROM orders WHERE placed < CURRENT_TIMESTAMP() AND placed < NOW(6) AND day < CURRENT_DATE('Asia/Tokyo') AND placed >= CONVERT_TIMEZONE('UTC', 'Asia/Tokyo', GETDATE()) - INTERVAL 9000 DAY
-- n BIGINT
-- 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Conditions on constant texts, which templates of dashboards leave, decide before any value of a column is looked at.
SELECT COUNT(*) AS n FROM orders WHERE ('All' = 'All' OR region = 'All') AND ('' IN ('') OR coupon = '') AND ('x' = ANY(ARRAY['', 'x']) OR product = 'x')
-- n BIGINT
-- 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So is what clients cast to text.
SELECT COUNT(*) AS n FROM orders WHERE ('All'::text = ('All') OR region = 'All') AND (CAST('x' AS VARCHAR) IN ('y') OR paid)
-- n BIGINT
-- 18
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So do other constants, in a CASE as well; a CASE without any, and NULL, are values as good.
SELECT COUNT(*) AS n FROM orders WHERE (TRUE OR region = 'All') AND (1 = 1 OR region = 'All') AND (NULL IS NULL OR region = 'All') AND CASE 'All' WHEN 'All' THEN TRUE ELSE region = 'All' END AND COALESCE(NULLIF('', ''), region) = region
-- n BIGINT
-- 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A branch that is never reached has values of no column.
SELECT CASE 'region' WHEN 'region' THEN region WHEN 'plan' THEN COALESCE(coupon, 'none') END AS k, COUNT(*) AS n, SUM(CASE WHEN 1 = 0 THEN amount END) AS s FROM orders GROUP BY k ORDER BY k
-- k VARCHAR | n BIGINT | s DOUBLE
-- east | 5 | 0
-- north | 10 | 0
-- south | 9 | 0
-- west | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What stands beside a decided condition keeps its parentheses, its type and its name.
SELECT 'a' = 'b' OR zone, COUNT(*) AS n FROM regions WHERE 'a' = 'a' AND (zone = 1 OR zone = 2) AND country = 'Nordland' GROUP BY 1
-- (('a' = 'b') OR "zone") BOOLEAN | n BIGINT
-- true | 2
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- Rows may be ordered by a CASE of texts that is the same in all of them.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region ORDER BY (CASE WHEN 'asc' = 'desc' THEN 'x' ELSE 'y' END) DESC, region
-- region VARCHAR | n BIGINT
-- east | 5
-- north | 10
-- south | 9
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A unit that constant texts choose.
SELECT DATE_TRUNC(CASE WHEN 'week' = 'day' THEN 'day' WHEN 'week' = 'week' THEN 'week' ELSE 'month' END, placed) AS w, COUNT(*) AS n FROM orders GROUP BY w HAVING COUNT(*) > 3 ORDER BY w
-- w TIMESTAMP | n BIGINT
-- 2025-01-06 00:00:00 | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A unit that is chosen by the value of a text, also in a call of another database.
SELECT DATEADD(CASE 'w' WHEN 'd' THEN 'day' WHEN 'w' THEN 'week' END, 1, DATE_TRUNC(CASE WHEN NOT ('m' = 'd' OR FALSE) THEN 'month' END, day)) AS d, COUNT(*) AS n FROM orders GROUP BY d ORDER BY d
-- d TIMESTAMP | n BIGINT
-- 2025-01-08 00:00:00 | 9
-- 2025-02-08 00:00:00 | 8
-- 2025-03-08 00:00:00 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Units as other databases write them, and fractions of weeks and less in one text, as DuckDB cuts them.
SELECT DATE_TRUNC('isoweek', placed) AS w, DATE_TRUNC('MON', day) AS m, COUNT(*) AS n, SUM(DATE_DIFF('isoweek', TIMESTAMP '2025-01-01', placed)) AS weeks FROM orders WHERE placed > TIMESTAMP '2025-01-05' + INTERVAL '1.5 days' AND placed + INTERVAL '0.5 weeks 1.25 hours' <= TIMESTAMP '2025-01-12 21:15:00' GROUP BY w, m HAVING COUNT(*) > 0
-- w TIMESTAMP | m TIMESTAMP | n BIGINT | weeks HUGEINT
-- 2025-01-06 00:00:00 | 2025-01-01 00:00:00 | 1 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The first day of a month as MySQL's clients write it, days of the week as SQL Server counts them, and the day of a week as MySQL does.
SELECT DATE_ADD(DATE(placed), INTERVAL -DAYOFMONTH(DATE(placed))+1 DAY) AS m, COUNT(*) AS n, COUNT(CASE WHEN DATEPART(weekday, placed) = 1 THEN 1 END) AS sundays FROM orders GROUP BY m HAVING COUNT(*) > 0 ORDER BY m
-- m DATE | n BIGINT | sundays BIGINT
-- 2025-01-01 | 9 | 1
-- 2025-02-01 | 8 | 2
-- 2025-03-01 | 7 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A negative number of days behind INTERVAL.
SELECT DATE(placed + INTERVAL -WEEKDAY(placed) DAY) AS monday, COUNT(*) AS n FROM orders GROUP BY monday HAVING COUNT(*) > 3 ORDER BY monday
-- monday DATE | n BIGINT
-- 2025-01-06 | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Numbers and days as TO_CHAR of PostgreSQL writes them.
SELECT TO_CHAR(SUM(amount) * 1000, 'FM999,999,990.00') AS s, TO_CHAR(COUNT(*), 'FM999') AS n, TO_CHAR(SUM(amount), 'FM90.0') AS wide, TO_CHAR(DATE_TRUNC('month', TIMESTAMP '2025-02-03 04:05:06'), 'Mon FMDD, YYYY') AS d FROM orders
-- s VARCHAR | n VARCHAR | wide VARCHAR | d VARCHAR
-- 1,123,750.00 | 24 | ##.# | Feb 1, 2025
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- ClickHouse's quantile of some rows.
SELECT quantileIf(0.5)(quantity, region = 'north') AS q FROM orders
-- q BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- COUNT(t.*) counts the rows of t.
SELECT o.region, COUNT(o.*) AS n FROM orders AS o LEFT JOIN regions AS r ON r.region = o.region GROUP BY o.region HAVING COUNT(*) > 0 ORDER BY 1
-- region VARCHAR | n BIGINT
-- east | 5
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A series in a call, as PostgreSQL's clients write calendars.
SELECT m.m, COUNT(o.quantity) AS n FROM (SELECT DATE_TRUNC('month', GENERATE_SERIES(DATE '2025-02-01', DATE '2025-04-30', '1 month')) AS m, 'x' AS y) AS m LEFT JOIN orders AS o ON DATE_TRUNC('month', o.placed) = m.m GROUP BY m.m ORDER BY m.m
-- m TIMESTAMP | n BIGINT
-- 2025-02-01 00:00:00 | 8
-- 2025-03-01 00:00:00 | 7
-- 2025-04-01 00:00:00 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A calendar as BigQuery's clients write it.
SELECT d, COUNT(o.quantity) AS n FROM UNNEST(GENERATE_DATE_ARRAY('2025-01-05', DATE_ADD(DATE '2025-01-05', INTERVAL 2 DAY))) AS d LEFT JOIN orders AS o ON o.day = d GROUP BY d ORDER BY d
-- d DATE | n BIGINT
-- 2025-01-05 | 1
-- 2025-01-06 | 1
-- 2025-01-07 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Numbers counted as BigQuery does.
SELECT n FROM UNNEST(GENERATE_ARRAY(1, 2 * 4, 3)) AS n ORDER BY n
-- n BIGINT
-- 1
-- 4
-- 7
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- VALUES behind ALL, ANY and SOME are a list.
SELECT COUNT(*) FILTER (WHERE quantity > ALL (VALUES (1), (2))) AS a, COUNT(*) FILTER (WHERE quantity > ANY (VALUES (1), (2))) AS b, COUNT(*) FILTER (WHERE region <> ALL (VALUES ('north'), ('east'))) AS c, COUNT(*) FILTER (WHERE quantity > SOME (VALUES (2), (4))) AS d FROM orders
-- a BIGINT | b BIGINT | c BIGINT | d BIGINT
-- 17 | 20 | 9 | 17
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same counted in days.
SELECT DATE_ADD(DATE '2025-01-05', INTERVAL n DAY) AS d, (SELECT COUNT(*) FROM orders AS o WHERE o.quantity = n) AS c FROM UNNEST(GENERATE_ARRAY(1, DATE_DIFF(DATE '2025-01-07', DATE '2025-01-05', DAY))) AS n ORDER BY d
-- d TIMESTAMP | c BIGINT
-- 2025-01-06 00:00:00 | 3
-- 2025-01-07 00:00:00 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Strings behind an E, as clients of PostgreSQL write those with a backslash: the escapes are read before anything else.
SELECT region || E'\\' AS r, REPLACE(TRIM(LOWER(region), E' \t\n\x0b\f\r'), E'\'', E'\054') AS t, COUNT(*) AS n FROM orders WHERE region <> e'\x6eorth' GROUP BY 1, 2 ORDER BY 1
-- r VARCHAR | t VARCHAR | n BIGINT
-- east\ | east | 5
-- south\ | south | 9
-- west\ | west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Sigma: moments with nine digits and an offset, their formats beside them.
SELECT DATE_TRUNC(month, placed::timestamp_ltz) AS m, COUNT(*) AS n FROM orders WHERE placed >= TO_TIMESTAMP_NTZ('2025-03-01 00:00:00.000000000', 'YYYY-MM-DD HH24:MI:SS.FF9') AND placed <= TO_TIMESTAMP_LTZ('2025-04-01T01:59:59.999000000+02:00', 'YYYY-MM-DDTHH24:MI:SS.FF9TZH:TZM') GROUP BY 1 ORDER BY 1
-- m TIMESTAMP | n BIGINT
-- 2025-03-01 00:00:00 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Parts of dates in Snowflake's and MetricFlow's words.
SELECT EXTRACT(dayofweekiso FROM day) AS w, DATE_PART(weekday_iso, day) AS v, DATE_PART('dayofweek_iso', day) AS u, COUNT(*) AS n FROM orders WHERE EXTRACT(yearofweekiso FROM day) = 2025 AND DATE_PART(epoch_second, placed) > 0 GROUP BY 1, 2, 3 ORDER BY 1
-- w BIGINT | v BIGINT | u BIGINT | n BIGINT
-- 1 | 1 | 1 | 5
-- 2 | 2 | 2 | 3
-- 3 | 3 | 3 | 1
-- 4 | 4 | 4 | 2
-- 5 | 5 | 5 | 5
-- 6 | 6 | 6 | 4
-- 7 | 7 | 7 | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Short units of DATE_TRUNC.
SELECT DATE_TRUNC('qtr', day) AS q, DATE_TRUNC('mon', day) AS m, DATE_TRUNC('yyyy', day) AS y, COUNT(*) FROM orders GROUP BY 1, 2, 3 ORDER BY 2
-- q TIMESTAMP | m TIMESTAMP | y TIMESTAMP | count_star() BIGINT
-- 2025-01-01 00:00:00 | 2025-01-01 00:00:00 | 2025-01-01 00:00:00 | 9
-- 2025-01-01 00:00:00 | 2025-02-01 00:00:00 | 2025-01-01 00:00:00 | 8
-- 2025-01-01 00:00:00 | 2025-03-01 00:00:00 | 2025-01-01 00:00:00 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Weeks from Monday to Monday, as BigQuery counts ISO weeks: the boundaries that are passed.
SELECT DATETIME_DIFF(DATE '2025-03-31', day, ISOWEEK) AS w, COUNT(*) AS n FROM orders WHERE day >= '2025-03-10' GROUP BY 1 ORDER BY 1
-- w BIGINT | n BIGINT
-- 0 | 1
-- 1 | 0
-- 2 | 1
-- 3 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- LIKE ANY and ILIKE ANY, as clients of Snowflake and PostgreSQL write several patterns.
SELECT region LIKE ANY ('n%', 's%') AS a, COUNT(*) AS n FROM orders WHERE region ILIKE ANY (ARRAY['N%', 'S%', 'E%']::text[]) AND NOT (region LIKE ANY ('{x%,y%}')) AND region LIKE ALL ('%t%', '%th') GROUP BY 1
-- a BOOLEAN | n BIGINT
-- true | 19
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same of what is released, and of an expression.
SELECT r, n FROM (SELECT region || '!' AS r, COUNT(*) AS n FROM orders GROUP BY 1) AS x WHERE LOWER(r) || '?' LIKE ANY ('n%', 's%') ORDER BY r
-- r VARCHAR | n BIGINT
-- north! | 10
-- south! | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A list of constants that holds a value, as Trino, ClickHouse and DuckDB ask for it.
SELECT CONTAINS(ARRAY['north', 'west'], region) AS a, SUM(CASE WHEN has([1, 2], quantity) THEN 1 ELSE 0 END) AS n FROM orders WHERE NOT list_contains([-5.5, 20], amount) GROUP BY 1
-- a BOOLEAN | n HUGEINT
-- false | 2
-- true | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A row without the value is in neither of the two.
SELECT COUNT(*) FILTER (WHERE array_contains(['summer'], coupon)) AS a, COUNT(*) FILTER (WHERE NOT array_contains(['summer'], coupon)) AS b, COUNT(*) FILTER (WHERE CONTAINS(coupon, 's')) AS c FROM orders
-- a BIGINT | b BIGINT | c BIGINT
-- 3 | 6 | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A calendar as Trino makes it: days without orders have a row.
SELECT c.d, COUNT(o.order_id) AS n FROM (SELECT d FROM UNNEST(SEQUENCE(DATE '2025-03-01', CAST('2025-03-05' AS DATE), INTERVAL '2' DAY)) AS t(d)) AS c LEFT JOIN (SELECT customer AS order_id, day FROM orders) AS o ON o.day = c.d GROUP BY 1 ORDER BY 1
-- d DATE | n BIGINT
-- 2025-03-01 | 1
-- 2025-03-03 | 0
-- 2025-03-05 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Months before a month, and numbers.
SELECT t.m, COUNT(o.customer) AS n, (SELECT COUNT(*) FROM UNNEST(SEQUENCE(1, 5)) AS s(x)) AS k FROM UNNEST(SEQUENCE(DATE '2025-04-01' - INTERVAL '3' MONTH, DATE '2025-03-31', INTERVAL '1' MONTH)) AS t(m) LEFT JOIN orders AS o ON DATE_TRUNC('month', o.day) = t.m GROUP BY 1 ORDER BY 1
-- m DATE | n BIGINT | k BIGINT
-- 2025-01-01 | 9 | 5
-- 2025-02-01 | 8 | 5
-- 2025-03-01 | 7 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Moments.
SELECT t.h, COUNT(o.customer) AS n FROM UNNEST(SEQUENCE(TIMESTAMP '2025-03-01 00:00:00', TIMESTAMP '2025-03-02 00:00:00', INTERVAL '12' HOUR)) AS t(h) LEFT JOIN orders AS o ON o.placed >= t.h AND o.placed < t.h + INTERVAL '12' HOUR GROUP BY 1
-- h TIMESTAMP | n BIGINT
-- 2025-03-01 00:00:00 | 0
-- 2025-03-01 12:00:00 | 1
-- 2025-03-02 00:00:00 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The last day of a month, as PostgreSQL's clients write it.
SELECT (DATE_TRUNC('month', day) + INTERVAL '1 month - 1 day')::date AS last, COUNT(*) AS n FROM orders WHERE day < DATE '2025-03-30' + '2 days - 24 hours'::interval GROUP BY 1 ORDER BY 1
-- last DATE | n BIGINT
-- 2025-01-31 | 9
-- 2025-02-28 | 8
-- 2025-03-31 | 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Last days of a month, a quarter and a year, as Snowflake and BigQuery ask for them.
SELECT LAST_DAY(day, 'month') AS m, LAST_DAY(day, QUARTER) AS q, LAST_DAY(placed, 'year') AS y, COUNT(*) AS n FROM orders GROUP BY 1, 2, 3 ORDER BY 1
-- m DATE | q DATE | y DATE | n BIGINT
-- 2025-01-31 | 2025-03-31 | 2025-12-31 | 9
-- 2025-02-28 | 2025-03-31 | 2025-12-31 | 8
-- 2025-03-31 | 2025-03-31 | 2025-12-31 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Days of the week as texts of PostgreSQL, from Sunday and from Monday on.
SELECT TO_CHAR(day, 'D') AS d, TO_CHAR(day, 'ID') AS i, COUNT(*) AS n FROM orders WHERE day < '2025-01-22' GROUP BY 1, 2 ORDER BY 2 LIMIT 3
-- d VARCHAR | i VARCHAR | n BIGINT
-- 2 | 1 | 3
-- 3 | 2 | 2
-- 4 | 3 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Weeks of a time zone, as BigQuery cuts moments.
SELECT TIMESTAMP_TRUNC(placed, WEEK(MONDAY), 'UTC') AS m, TIMESTAMP_TRUNC(placed, WEEK, 'Asia/Tokyo') AS s, COUNT(*) AS n FROM orders WHERE placed BETWEEN '2025-01-09' AND '2025-01-14' GROUP BY 1, 2 ORDER BY 1, 2
-- m TIMESTAMP | s TIMESTAMP | n BIGINT
-- 2025-01-06 00:00:00 | 2025-01-04 15:00:00 | 1
-- 2025-01-06 00:00:00 | 2025-01-11 15:00:00 | 1
-- 2025-01-13 00:00:00 | 2025-01-04 15:00:00 | 0
-- 2025-01-13 00:00:00 | 2025-01-11 15:00:00 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Types with and without a time zone, in PostgreSQL's words.
SELECT CAST(placed AS TIMESTAMP WITHOUT TIME ZONE) >= TIMESTAMP WITHOUT TIME ZONE '2025-03-01' AS late, MAX(day)::timestamp(6) without time zone < '2026-01-01' AS old, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 1
-- late BOOLEAN | old BOOLEAN | n BIGINT
-- false | true | 17
-- true | true | 7
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Decimals are rounded half away from zero: PostgreSQL has ROUND(x, n) of them alone.
SELECT ROUND((amount / 3)::numeric, 1) AS r, ROUND(amount::numeric, -1)::int AS tens, COUNT(*) AS n FROM orders WHERE amount < 26 GROUP BY 1, 2 HAVING COUNT(*) > 0 ORDER BY 1
-- r DECIMAL(18,1) | tens BIGINT | n BIGINT
-- 0.0 | 0 | 1
-- 3.3 | 10 | 1
-- 4.0 | 10 | 1
-- 5.2 | 20 | 1
-- 6.7 | 20 | 1
-- 7.3 | 20 | 1
-- 8.5 | 30 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rounded, cut and cast again, decimals may be summed and compared.
SELECT SUM(ROUND(amount::numeric, 1)) AS s, AVG(TRUNC(CAST(amount AS DECIMAL(10, 2)))) AS t, SUM(CAST(CAST(amount AS DECIMAL(10, 2)) AS DECIMAL(10, 1))) AS d, COUNT_IF(ROUND(amount::numeric, 1) > 45.2) AS n FROM orders
-- s DECIMAL(38,1) | t DOUBLE | d DECIMAL(38,1) | n HUGEINT
-- 1124.0 | 46.66666667 | 1124.0 | 12
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Opening hours: times of day are compared with constants and with one another.
SELECT CAST(placed AS TIME) < TIME '12:00' AS early, COUNT(*) AS n, COUNT_IF(placed::time BETWEEN '08:00' AND '09:30:00') AS b, COUNT_IF(placed::time IN ('00:00', '18:00:00.000')) AS i FROM orders GROUP BY 1 ORDER BY 1
-- early BOOLEAN | n BIGINT | b HUGEINT | i HUGEINT
-- false | 14 | 0 | 2
-- true | 10 | 5 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Hours and minutes of the time between two moments, beside whole days.
SELECT SUM(DATE_PART('day', placed - TIMESTAMP '2025-01-01 10:30:00') * 24 + DATE_PART('hour', placed - TIMESTAMP '2025-01-01 10:30:00')) AS h, SUM(EXTRACT(MINUTE FROM TIMESTAMP '2025-01-31' - placed)) AS m, SUM(EXTRACT(SECONDS FROM placed - day)) AS s FROM orders
-- h HUGEINT | m HUGEINT | s HUGEINT
-- 23026 | -74 | 59
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Parts of texts by patterns, as PostgreSQL and Snowflake cut them out: NULL where there is none.
SELECT SUBSTRING(region FROM 'o[ru]?') AS s, (regexp_match(region, '^(.)(o|a)'))[2] AS m, REGEXP_SUBSTR(region, '(.)t(.*)$', 1, 1, 'e', 1) AS e, COUNT(*) AS n FROM orders GROUP BY 1, 2, 3 ORDER BY 2, 1
-- s VARCHAR | m VARCHAR | e VARCHAR | n BIGINT
-- NULL | a | s | 5
-- or | o | r | 10
-- ou | o | u | 9
-- NULL | NULL | s | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Characters that are replaced one by one, or left out.
SELECT TRANSLATE(region, 'nost', 'NO') AS r, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 1
-- r VARCHAR | n BIGINT
-- NOrh | 10
-- Ouh | 9
-- ea | 5
-- we | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Months between days with a fraction, and the next day of a name, as Oracle, Snowflake and Spark have them.
SELECT FLOOR(MONTHS_BETWEEN('2025-06-15', day)) AS m, MIN(NEXT_DAY(day, 'Mon')) > '2025-01-01' AS late, COUNT(*) AS n, AVG(MONTHS_BETWEEN(placed, '2025-01-01')) AS a FROM orders GROUP BY 1 HAVING COUNT(*) > 0 ORDER BY 1
-- m DOUBLE | late BOOLEAN | n BIGINT | a DOUBLE
-- 2 | true | 3 | 2.701501211
-- 3 | true | 7 | 2.021313259
-- 4 | true | 8 | 1.018480778
-- 5 | true | 6 | 0.2575047811
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Days of digits alone, TRY, and pieces of unequal width.
SELECT WIDTH_BUCKET(amount, ARRAY[0, 10, 50]) AS b, SUM(TRY(amount / quantity)) AS t, COUNT(*) AS n FROM orders WHERE day >= DATE '20250131' AND placed < '20250301'::timestamp GROUP BY 1 ORDER BY 1
-- b INTEGER | t DOUBLE | n BIGINT
-- 0 | 0 | 0
-- 1 | 0 | 0
-- 2 | 33.75 | 3
-- 3 | 51.58056641 | 5
-- NULL | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Decimals are cut as they are rounded.
SELECT SUM(TRUNC((amount / 3)::numeric, 1)) AS t, COUNT_IF(TRUNC(amount::numeric, 1) = 15.5) AS n FROM orders
-- t DECIMAL(38,1) | n HUGEINT
-- 373.7 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Texts that are added, as SQL Server's users write months.
SELECT CAST(YEAR(day) AS VARCHAR(4)) + '-' + RIGHT('0' + CAST(MONTH(day) AS VARCHAR(2)), 2) AS m, UPPER(region) + '!' AS r, SUM(quantity + 1) AS q FROM orders WHERE region = 'north' GROUP BY 1, 2 HAVING COUNT(*) > 0 ORDER BY 1
-- m VARCHAR | r VARCHAR | q HUGEINT
-- 2025-01 | NORTH! | 16
-- 2025-02 | NORTH! | 21
-- 2025-03 | NORTH! | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1
