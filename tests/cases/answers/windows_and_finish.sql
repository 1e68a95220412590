-- policy: shop

-- HAVING keeps groups by their released values.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region HAVING COUNT(*) > 5 ORDER BY region
-- region VARCHAR | n BIGINT
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- HAVING may ask for an aggregate that is not selected.
SELECT region FROM orders GROUP BY region HAVING AVG(quantity) > 4 ORDER BY region
-- region VARCHAR
-- east
-- south
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- HAVING without GROUP BY may drop the row.
SELECT COUNT(*) AS n FROM orders HAVING COUNT(*) > 100
-- n BIGINT
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- ORDER BY an aggregate, LIMIT and OFFSET work on released rows.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 2 OFFSET 1
-- region VARCHAR | n BIGINT
-- south | 9
-- east | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- ORDER BY takes a name of the SELECT list before a column of the same name.
SELECT region, COUNT(*) AS quantity FROM orders GROUP BY region ORDER BY quantity DESC
-- region VARCHAR | quantity BIGINT
-- north | 10
-- south | 9
-- east | 5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Arithmetic over aggregates is free.
SELECT SUM(amount) / COUNT(*) AS mean, 100.0 * COUNT_IF(paid) / COUNT(*) AS percent FROM orders
-- mean DOUBLE | percent DOUBLE
-- 46.82291667 | 75
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- ROUND, COALESCE and CASE over aggregates are free.
SELECT region, ROUND(COALESCE(AVG(amount), 0), 1) AS mean, CASE WHEN COUNT(*) > 5 THEN 'many' ELSE 'few' END AS size FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | mean DOUBLE | size VARCHAR
-- east | 74.8 | few
-- north | 32.1 | many
-- south | 47.7 | many
-- west | 0 | few
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Shares of the whole by a window over released values.
SELECT region, COUNT(*) AS n, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS percent FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT | percent DOUBLE
-- east | 5 | 20.83333333
-- north | 10 | 41.66666667
-- south | 9 | 37.5
-- west | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Ranks.
SELECT region, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM orders GROUP BY region ORDER BY place
-- region VARCHAR | place BIGINT
-- north | 1
-- south | 2
-- east | 3
-- west | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Running totals over months.
SELECT date_trunc('month', day) AS m, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY date_trunc('month', day)) AS so_far FROM orders GROUP BY m ORDER BY m
-- m TIMESTAMP | n BIGINT | so_far HUGEINT
-- 2025-01-01 00:00:00 | 9 | 9
-- 2025-02-01 00:00:00 | 8 | 17
-- 2025-03-01 00:00:00 | 7 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- QUALIFY filters by a window.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) <= 2 ORDER BY n DESC
-- region VARCHAR | n BIGINT
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A change against the month before.
SELECT EXTRACT(month FROM day) AS m, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY EXTRACT(month FROM day)) AS change FROM orders GROUP BY m ORDER BY m
-- m BIGINT | change BIGINT
-- 1 | NULL
-- 2 | -1
-- 3 | -1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Constants need no data.
SELECT 1 AS one, 'text' AS two, DATE '2025-01-01' + 31 AS three
-- one INTEGER | two VARCHAR | three DATE
-- 1 | text | 2025-02-01
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- VALUES is public.
SELECT SUM(x) AS s FROM (VALUES (1), (2), (3)) AS v(x)
-- s HUGEINT
-- 6
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- UNION ALL of released results.
SELECT 'paid' AS what, COUNT(*) AS n FROM orders WHERE paid UNION ALL SELECT 'not', COUNT(*) FROM orders WHERE NOT paid ORDER BY n
-- what VARCHAR | n BIGINT
-- not | 6
-- paid | 18
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- SELECT DISTINCT of aggregates drops equal rows afterwards.
SELECT DISTINCT COUNT(*) > 5 AS many FROM orders GROUP BY region ORDER BY many
-- many BOOLEAN
-- false
-- true
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Names and types are DuckDB's.
SELECT COUNT(*), SUM(quantity), AVG(amount), COUNT(*) > 3, CAST(COUNT(*) AS VARCHAR) FROM orders
-- count_star() BIGINT | sum(quantity) HUGEINT | avg(amount) DOUBLE | (count_star() > 3) BOOLEAN | CAST(count_star() AS VARCHAR) VARCHAR
-- 24 | 106 | 46.82291667 | true | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Texts of released groups, joined in an order.
SELECT zone, STRING_AGG(region, ', ' ORDER BY n DESC) AS regions FROM (SELECT region, zone, COUNT(*) AS n FROM orders JOIN regions USING (region) GROUP BY region, zone) x GROUP BY zone ORDER BY zone
-- zone BIGINT | regions VARCHAR
-- 1 | north
-- 2 | south, east
-- 3 | west
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NATURAL, SEMI and ANTI JOIN of results and public tables.
SELECT region, country, n FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) x NATURAL JOIN regions ANTI JOIN (SELECT * FROM regions WHERE zone = 2) z USING (region) ORDER BY region
-- region VARCHAR | country VARCHAR | n BIGINT
-- north | Nordland | 10
-- west | Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Lists, and any of the values.
SELECT LIST(region ORDER BY n DESC) AS l, ARRAY_AGG(n ORDER BY n) AS m, ANY_VALUE(region) FILTER (WHERE n > 9) AS most FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) x
-- l VARCHAR[] | m BIGINT[] | most VARCHAR
-- ['north', 'south', 'east', 'west'] | [0, 5, 9, 10] | north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Functions of released results are DuckDB's own.
SELECT region, FORMAT('{:,} of {}', SUM(quantity), region) AS f, COUNT(*) & 3 AS low, 2 ^ COUNT(*) AS p, [COUNT(*), 2] AS l, TO_JSON(region) AS j
FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | f VARCHAR | low BIGINT | p DOUBLE | l BIGINT[] | j JSON
-- east | 36 of east | 1 | 32 | [5, 2] | "east"
-- north | 30 of north | 2 | 1024 | [10, 2] | "north"
-- south | 40 of south | 1 | 512 | [9, 2] | "south"
-- west | 0 of west | 0 | 1 | [0, 2] | "west"
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Aggregates of released results.
SELECT FIRST(region ORDER BY n DESC) AS f, ROUND(SKEWNESS(n), 6) AS s, BIT_OR(n) AS b FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) ORDER BY ALL
-- f VARCHAR | s DOUBLE | b BIGINT
-- north | -0.894074 | 15
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The operator ^ is POWER on private rows as well.
SELECT SUM(quantity ^ 2) AS s, SUM(POWER(quantity, 2)) AS p, COUNT(*) FILTER (WHERE -quantity ** 2 > 80) AS n FROM orders
-- s DOUBLE | p DOUBLE | n BIGINT
-- 644 | 644 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1
