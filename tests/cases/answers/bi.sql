-- policy: shop

-- Superset: a table chart.
SELECT region AS region, COUNT(*) AS orders, AVG(amount) AS "mean amount" FROM main.orders GROUP BY region ORDER BY orders DESC LIMIT 100
-- region VARCHAR | orders BIGINT | mean amount DOUBLE
-- north | 10 | 32.075
-- south | 9 | 47.66666667
-- east | 5 | 74.8
-- west | 0 | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Superset: a time series with a month grain.
SELECT DATE_TRUNC('MONTH', day) AS day, COUNT(*) AS orders FROM main.orders GROUP BY DATE_TRUNC('MONTH', day) ORDER BY orders DESC LIMIT 1000
-- day TIMESTAMP | orders BIGINT
-- 2025-01-01 00:00:00 | 9
-- 2025-02-01 00:00:00 | 8
-- 2025-03-01 00:00:00 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Superset: the top series by a metric join the rows with what was released from them.
SELECT DATE_TRUNC('MONTH', day) AS day, region AS region, SUM(amount) AS revenue FROM main.orders JOIN (SELECT region AS region__, SUM(amount) AS mme_inner__ FROM main.orders GROUP BY region ORDER BY SUM(amount) DESC LIMIT 2) AS series_limit ON region = region__ GROUP BY DATE_TRUNC('MONTH', day), region ORDER BY revenue DESC LIMIT 1000
-- day TIMESTAMP | region VARCHAR | revenue DOUBLE
-- 2025-03-01 00:00:00 | east | 194
-- 2025-02-01 00:00:00 | south | 175.5
-- 2025-01-01 00:00:00 | south | 142.75
-- 2025-03-01 00:00:00 | south | 110.75
-- 2025-02-01 00:00:00 | east | 95
-- 2025-01-01 00:00:00 | east | 85
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- Superset: a big number with a filter in parentheses.
SELECT AVG(amount) AS "mean amount" FROM main.orders WHERE ((paid)) LIMIT 50000
-- mean amount DOUBLE
-- 49.25
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Superset: a chart on a virtual dataset.
SELECT region AS region, SUM(revenue) AS "revenue of large orders" FROM (SELECT region, product, paid, amount * quantity AS revenue, day FROM orders WHERE amount > 20) AS virtual_table GROUP BY region ORDER BY "revenue of large orders" DESC LIMIT 100
-- region VARCHAR | revenue of large orders DOUBLE
-- east | 2841
-- south | 2167.75
-- north | 1643.75
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Superset: the values of a filter box.
SELECT region AS region FROM main.orders GROUP BY region ORDER BY region ASC LIMIT 1000
-- region VARCHAR
-- east
-- north
-- south
-- west
-- epsilon 0, delta 0, releases 1, mechanisms 0

-- Superset: how many rows a chart has.
SELECT COUNT(*) AS rowcount FROM (SELECT region AS region, sum(amount) AS "SUM(amount)" FROM orders GROUP BY region) AS rowcount_qry
-- rowcount BIGINT
-- 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Superset: a time range as literals of the column's type.
SELECT region AS region, COUNT(*) AS "COUNT(*)" FROM main.orders WHERE day >= DATE '2025-02-01' AND day < DATE '2025-03-01' AND region IN ('north', 'south') GROUP BY region ORDER BY "COUNT(*)" DESC LIMIT 10000
-- region VARCHAR | COUNT(*) BIGINT
-- south | 4
-- north | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Superset: a moment in time by the hour.
SELECT DATE_TRUNC('DAY', placed) AS placed, COUNT(*) AS n FROM main.orders WHERE placed >= TIMESTAMP '2025-03-30 00:00:00.000000' AND placed < TIMESTAMP '2025-04-01 00:00:00.000000' GROUP BY DATE_TRUNC('DAY', placed) ORDER BY n DESC LIMIT 1000
-- placed TIMESTAMP | n BIGINT
-- 2025-03-31 00:00:00 | 1
-- 2025-03-30 00:00:00 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Tableau: quoted names with the table before each, the same group twice.
SELECT "orders"."region" AS "region",   SUM("orders"."quantity") AS "sum:quantity:ok" FROM "orders" GROUP BY "orders"."region",   "orders"."region" ORDER BY "region" ASC
-- region VARCHAR | sum:quantity:ok HUGEINT
-- east | 36
-- north | 30
-- south | 40
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Tableau: a calculated group by the alias of its CASE.
SELECT (CASE WHEN ("orders"."coupon" IS NULL) THEN null WHEN ("orders"."coupon" = ' ') THEN null ELSE "orders"."coupon" END) AS "Coupon (group)", COUNT(DISTINCT "orders"."customer") AS "ctd:customer:ok" FROM "orders" GROUP BY "Coupon (group)" ORDER BY "Coupon (group)"
-- Coupon (group) VARCHAR | ctd:customer:ok BIGINT
-- spring | 5
-- summer | 3
-- NULL | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Power BI: subqueries around subqueries, and a condition on what was aggregated.
select "_"."r", "_"."a0" from (select "rows"."r" as "r", sum("rows"."quantity") as "a0" from (select "_"."quantity" as "quantity", lower("_"."region") as "r" from (select "_"."quantity", "_"."region", "_"."day" from (select "day", "region", "quantity", "amount" from "main"."orders" "$Table") "_" where ("_"."day" < date '2025-03-01' and "_"."day" >= date '2025-01-01') and ("_"."region" in ('north', 'south'))) "_") "rows" group by "r") "_" where not "_"."a0" is null order by "r" limit 1000001
-- r VARCHAR | a0 HUGEINT
-- north | 29
-- south | 30
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Looker: FETCH NEXT.
SELECT orders."region" AS "orders.region", COUNT(DISTINCT ( orders."customer" )) AS "orders.distinct_count" FROM "orders" AS orders GROUP BY 1 ORDER BY 1 FETCH NEXT 50 ROWS ONLY
-- orders.region VARCHAR | orders.distinct_count BIGINT
-- east | 3
-- north | 6
-- south | 5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Metabase: names in full.
SELECT DATE_TRUNC('month', "main"."orders"."day") AS "day", count(*) AS "count" FROM "main"."orders" GROUP BY DATE_TRUNC('month', "main"."orders"."day") ORDER BY DATE_TRUNC('month', "main"."orders"."day") ASC
-- day TIMESTAMP | count BIGINT
-- 2025-01-01 00:00:00 | 9
-- 2025-02-01 00:00:00 | 8
-- 2025-03-01 00:00:00 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- dbplyr: a star in a subquery, and the most frequent first.
SELECT "region", COUNT(*) AS "n" FROM ( SELECT "orders".* FROM "orders" WHERE ("day" >= '2025-01-01' AND "day" < '2025-02-01') ) AS "q01" GROUP BY "region" ORDER BY "n" DESC LIMIT 3
-- region VARCHAR | n BIGINT
-- north | 5
-- south | 3
-- east | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- JupySQL: a saved query is a common table expression.
WITH small AS (SELECT region, count(*) AS n FROM orders GROUP BY region) SELECT max(n) AS m FROM small
-- m BIGINT
-- 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Tableau: the month of a date that is cast to a date.
SELECT CAST(DATE_TRUNC('MONTH', CAST("orders"."day" AS DATE)) AS DATE) AS "tmn:day:ok", SUM("orders"."quantity") AS "sum:quantity:ok" FROM "main"."orders" "orders" GROUP BY 1
-- tmn:day:ok DATE | sum:quantity:ok HUGEINT
-- 2025-01-01 | 32
-- 2025-02-01 | 44
-- 2025-03-01 | 30
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Redash: the format of strftime first, as SQLite has it; ODBC writes 1 for TRUE.
SELECT strftime('%Y-%m', placed) AS ym, COUNT(*) AS n FROM "dpsql"."main"."orders" WHERE paid = 1 GROUP BY 1
-- ym VARCHAR | n BIGINT
-- 2025-01 | 7
-- 2025-02 | 6
-- 2025-03 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Power BI: a column of several, a number of them among texts, and a date back from another by an interval of two units.
SELECT COUNT(DISTINCT "t"."customer" || '-' || "t"."product") AS n FROM "main"."orders" "t" WHERE "t"."day" >= DATE '2025-03-05' - INTERVAL '1 month 4 days'
-- n BIGINT
-- 13
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Metabase: the averages of what each customer ordered, clipped to what rows up to the dataset's cap can add up to.
SELECT AVG("source"."count") AS "avg", AVG("source"."sum") AS "avg_2" FROM (SELECT "main"."orders"."customer" AS "customer", COUNT(*) AS "count", SUM("main"."orders"."amount") AS "sum" FROM "main"."orders" GROUP BY "main"."orders"."customer") AS "source"
-- avg DOUBLE | avg_2 DOUBLE
-- 2.666666667 | 124.8611111
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Mode: the largest running total of each customer, added up.
SELECT SUM(s) AS total FROM (SELECT customer, MAX(s) AS s FROM (SELECT customer, SUM(quantity) OVER (PARTITION BY customer ORDER BY placed) AS s FROM orders) AS o GROUP BY customer) AS c
-- total HUGEINT
-- 106
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Looker: what is computed from constants alone may use any function that public tables may.
SELECT region, COUNT(*) AS n FROM orders WHERE day BETWEEN make_date(2025, 1, 1) AND make_date(2025, 2, 1) - 1 AND region IN (concat_ws('', 'nor', 'th'), rpad('east', 4, ' ')) GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT
-- east | 1
-- north | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Power BI counts NULL as one more value: of a column that is never NULL that is known, and free.
SELECT paid, COUNT(DISTINCT customer) + MAX(CASE WHEN customer IS NULL THEN 1 ELSE 0 END) AS n FROM orders GROUP BY paid ORDER BY paid
-- paid BOOLEAN | n BIGINT
-- false | 5
-- true | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same with the branches turned, alone.
SELECT MIN(CASE WHEN NOT product IS NULL THEN 3 ELSE 0 END) AS n FROM orders
-- n INTEGER
-- 3
-- epsilon 0, delta 0, releases 1, mechanisms 0

-- A column that may be NULL is asked for.
SELECT COUNT(DISTINCT coupon) + MAX(CASE WHEN coupon IS NULL THEN 1 ELSE 0 END) AS n FROM orders
-- n BIGINT
-- 3
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Tableau: ATTR of a calculation is MIN and MAX of it; the keys tell both, and nothing is drawn for them.
SELECT "orders"."region" AS "region", MIN(UPPER("orders"."region")) AS "TEMP(attr:region:nk)(1)(0)", MAX(UPPER("orders"."region")) AS "TEMP(attr:region:nk)(2)(0)", SUM(1) AS "n" FROM "orders" GROUP BY 1 ORDER BY 1
-- region VARCHAR | TEMP(attr:region:nk)(1)(0) VARCHAR | TEMP(attr:region:nk)(2)(0) VARCHAR | n HUGEINT
-- east | EAST | EAST | 5
-- north | NORTH | NORTH | 10
-- south | SOUTH | SOUTH | 9
-- west | WEST | WEST | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Tableau: ATTR of a month that is grouped by is no draw between the moments of the month.
SELECT DATE_TRUNC('MONTH', CAST("orders"."day" AS TIMESTAMP)) AS "tmn:day:ok", MIN(DATE_TRUNC('MONTH', CAST("orders"."day" AS TIMESTAMP))) AS "TEMP(attr:day:ok)(1)(0)", MAX(CAST(DATE_TRUNC('MONTH', CAST("orders"."day" AS TIMESTAMP)) AS DATE)) AS "TEMP(attr:day:ok)(2)(0)", SUM(1) AS "n" FROM "orders" GROUP BY 1 ORDER BY 1
-- tmn:day:ok TIMESTAMP | TEMP(attr:day:ok)(1)(0) TIMESTAMP | TEMP(attr:day:ok)(2)(0) DATE | n HUGEINT
-- 2025-01-01 00:00:00 | 2025-01-01 00:00:00 | 2025-01-01 | 9
-- 2025-02-01 00:00:00 | 2025-02-01 00:00:00 | 2025-02-01 | 8
-- 2025-03-01 00:00:00 | 2025-03-01 00:00:00 | 2025-03-01 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Tableau: ATTR of what a filter fixes.
SELECT "orders"."region" AS "region", MIN("orders"."coupon") AS "TEMP(attr:coupon:nk)(1)(0)", MAX("orders"."coupon" || '!') AS "TEMP(attr:coupon:nk)(2)(0)", SUM(1) AS "n" FROM "orders" WHERE (("orders"."coupon" = 'spring') AND ("orders"."region" <> 'west')) GROUP BY 1 HAVING (MIN("orders"."coupon") = MAX("orders"."coupon")) ORDER BY 1
-- region VARCHAR | TEMP(attr:coupon:nk)(1)(0) VARCHAR | TEMP(attr:coupon:nk)(2)(0) VARCHAR | n HUGEINT
-- east | spring | spring! | 1
-- north | spring | spring! | 2
-- south | spring | spring! | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A product that is asked for is no bound of MIN, and neither needs a list.
SELECT region, MIN(product) AS p, MAX(-product) AS q, COUNT(*) AS n FROM orders WHERE product = 101 GROUP BY region ORDER BY region
-- region VARCHAR | p BIGINT | q BIGINT | n BIGINT
-- east | 101 | -101 | 2
-- north | 101 | -101 | 6
-- south | 101 | -101 | 3
-- west | 101 | -101 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Tableau: whether a column has a NULL, which the policy says: there may be one.
SELECT "orders"."coupon" AS "coupon" FROM "orders" WHERE (("orders"."day" >= (DATE '2025-02-01')) AND ("orders"."coupon" IS NULL)) LIMIT 1
-- coupon VARCHAR
-- NULL
-- epsilon 0, delta 0, releases 1, mechanisms 0

-- Tableau: there is none.
SELECT CAST(EXTRACT(YEAR FROM "orders"."day") AS BIGINT) AS "yr:day:ok" FROM "orders" WHERE (CAST(EXTRACT(YEAR FROM "orders"."day") AS BIGINT) IS NULL) LIMIT 1
-- yr:day:ok BIGINT
-- epsilon 0, delta 0, releases 1, mechanisms 0

-- Tableau: a calculation that compares in the order of bytes, as DuckDB does.
SELECT (CASE WHEN ("orders"."region" = 'north' COLLATE "binary") THEN 'N' ELSE 'Others' END) AS "Calculation_1", SUM(1) AS "n" FROM "orders" WHERE ("orders"."region" <> '' COLLATE "C") GROUP BY 1 ORDER BY "Calculation_1" COLLATE "POSIX" ASC
-- Calculation_1 VARCHAR | n HUGEINT
-- N | 10
-- Others | 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Tableau: a FIXED total joined on what may be NULL, beside the groups of the same column.
SELECT "orders"."coupon" AS "coupon", SUM("orders"."amount") AS "sum:amount:ok", MIN("t0"."__measure__0") AS "TEMP(attr)(1)(0)" FROM "main"."orders" "orders" INNER JOIN (SELECT "orders"."coupon" AS "coupon", SUM("orders"."amount") AS "__measure__0" FROM "main"."orders" "orders" GROUP BY 1) "t0" ON ("orders"."coupon" IS NOT DISTINCT FROM "t0"."coupon") GROUP BY 1 ORDER BY 1
-- coupon VARCHAR | sum:amount:ok DOUBLE | TEMP(attr)(1)(0) DOUBLE
-- spring | 280.75 | 280.75
-- summer | 137.25 | 137.25
-- NULL | 705.75 | 705.75
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- The same by an outer join to totals of which the NULL has none.
SELECT orders.coupon, MIN(t.m) AS m, COUNT(*) AS n FROM orders LEFT JOIN (SELECT coupon, SUM(amount) AS m FROM orders WHERE coupon IS NOT NULL GROUP BY 1) t ON orders.coupon IS NOT DISTINCT FROM t.coupon GROUP BY 1 ORDER BY 1
-- coupon VARCHAR | m DOUBLE | n BIGINT
-- spring | 280.75 | 6
-- summer | 137.25 | 3
-- NULL | NULL | 15
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- The same by an equality, of which a NULL has no part.
SELECT orders.coupon, MIN(t.m) AS m, COUNT(*) AS n FROM orders LEFT JOIN (SELECT coupon, SUM(amount) AS m FROM orders GROUP BY 1) t ON orders.coupon = t.coupon GROUP BY 1 ORDER BY 1
-- coupon VARCHAR | m DOUBLE | n BIGINT
-- spring | 280.75 | 6
-- summer | 137.25 | 3
-- NULL | NULL | 15
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- The time between two moments is averaged in microseconds, and shown as an interval.
SELECT paid, AVG(placed - day) AS a, EXTRACT(EPOCH FROM AVG(placed - day)) / 3600 AS hours FROM orders GROUP BY paid HAVING AVG(placed - day) > INTERVAL '1 hour' ORDER BY a
-- paid BOOLEAN | a INTERVAL | hours DOUBLE
-- true | 12:08:19.944444 | 12.13887346
-- false | 13:07:30 | 13.125
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- It may have a name, and be chosen among others; as a count it is one.
SELECT AVG(late) AS a, COUNT(late) AS n, COUNT(DISTINCT late) AS d, AVG(CASE WHEN paid THEN late END) AS p, AVG(GREATEST(late, INTERVAL '12 hours')) AS g FROM (SELECT paid, placed - day AS late FROM orders) o WHERE late IS NOT NULL AND late BETWEEN INTERVAL '0 days' AND INTERVAL '23 hours'
-- a INTERVAL | n BIGINT | d BIGINT | p INTERVAL | g INTERVAL
-- 11:52:49.565217 | 23 | 13 | 11:26:28.235294 | 13:51:31.304348
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Of what a person's rows say, too.
SELECT AVG(span) AS a, COUNT(*) FILTER (WHERE span > INTERVAL '30 days') AS n FROM (SELECT MAX(placed) - MIN(placed) AS span FROM orders GROUP BY customer) c
-- a INTERVAL | n BIGINT
-- 39 days, 9:46:39.888889 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What is computed of the public row that belongs to a row, and of the row itself; NULL where there is none.
SELECT SUM((SELECT zone * 10 + o.quantity FROM regions r WHERE r.region = o.region)) AS s, COUNT((SELECT COALESCE(label, 'none') FROM products p WHERE p.product = o.quantity + 100)) AS n, COUNT((SELECT o.quantity FROM products p WHERE p.product = o.quantity + 100)) AS m FROM orders o
-- s HUGEINT | n BIGINT | m BIGINT
-- 486 | 17 | 17
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- An aggregate of public rows for each row, by what is compared; a count of none is 0.
SELECT region, SUM((SELECT COUNT(*) FROM tags t WHERE t.region = o.region AND tag <> 'sea')) AS tags, SUM(o.quantity * (SELECT MAX(zone) FROM regions r WHERE r.region = o.region)) AS zones, SUM((SELECT COALESCE(MIN(product), 99) FROM products p WHERE p.product - 100 = o.quantity)) AS s FROM orders o GROUP BY region ORDER BY region
-- region VARCHAR | tags HUGEINT | zones HUGEINT | s HUGEINT
-- east | 0 | 72 | 500
-- north | 10 | 30 | 1018
-- south | 9 | 80 | 932
-- west | 0 | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Such a value is a group.
SELECT (SELECT MAX(country) FROM regions r WHERE r.region = o.region) AS country, COUNT(*) AS n FROM orders o GROUP BY 1 ORDER BY 1
-- country VARCHAR | n BIGINT
-- Nordland | 15
-- Sudland | 9
-- Westland | 0
-- NULL | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Columns as rows: each row is there once for each of them that is not NULL.
SELECT what, COUNT(*) AS n, SUM(v) AS s FROM orders UNPIVOT (v FOR what IN (quantity, rating AS 'stars')) AS u WHERE region = 'north' GROUP BY what ORDER BY what
-- what VARCHAR | n BIGINT | s HUGEINT
-- quantity | 10 | 30
-- stars | 8 | 29
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same with the NULLs, of a query.
SELECT u.what, COUNT(*) AS n, COUNT(u.v) AS m FROM (SELECT region, quantity, rating FROM orders) UNPIVOT INCLUDE NULLS (v FOR what IN (quantity, rating)) AS u WHERE region = 'north' GROUP BY 1 ORDER BY 1
-- what VARCHAR | n BIGINT | m BIGINT
-- quantity | 10 | 10
-- rating | 10 | 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Of released results.
SELECT * FROM (SELECT region, COUNT(*) AS n, COUNT(rating) AS s FROM orders GROUP BY region) UNPIVOT (v FOR what IN (n, s)) ORDER BY region, what
-- region VARCHAR | what VARCHAR | v BIGINT
-- east | n | 5
-- east | s | 4
-- north | n | 10
-- north | s | 8
-- south | n | 9
-- south | s | 7
-- west | n | 0
-- west | s | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same as PostgreSQL's clients write it.
SELECT v.what, COUNT(v.x) AS n, SUM(v.x) AS s FROM orders o CROSS JOIN LATERAL (VALUES ('quantity', o.quantity), ('stars', o.rating)) AS v(what, x) WHERE o.region = 'north' GROUP BY 1 ORDER BY 1
-- what VARCHAR | n BIGINT | s HUGEINT
-- quantity | 10 | 30
-- stars | 8 | 29
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- And as UNION ALL of what is computed.
SELECT v.what, SUM(v.x) AS s FROM orders o, LATERAL (SELECT 'quantity' AS what, o.quantity AS x UNION ALL SELECT 'double', o.quantity * 2) AS v GROUP BY 1 ORDER BY 1
-- what VARCHAR | s HUGEINT
-- double | 212
-- quantity | 106
-- epsilon 1, delta 0, releases 1, mechanisms 1
