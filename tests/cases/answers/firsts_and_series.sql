-- policy: shop

-- DISTINCT ON: the first order of each customer.
SELECT region, COUNT(*) AS n, SUM(amount) AS s FROM (SELECT DISTINCT ON (customer) * FROM orders ORDER BY customer, placed) o GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT | s DOUBLE
-- east | 1 | 85
-- north | 5 | 182.5
-- south | 3 | 142.75
-- west | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The largest order of each customer and region, by positions of the SELECT list.
SELECT COUNT(*) AS n, SUM(a) AS s FROM (SELECT DISTINCT ON (1, 2) customer, region, amount AS a FROM orders ORDER BY 1, 2, a DESC) o
-- n BIGINT | s DOUBLE
-- 14 | 712.25
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- DISTINCT ON over results: each country's first region.
SELECT DISTINCT ON (country) country, region, COUNT(*) AS n FROM orders JOIN regions USING (region) GROUP BY country, region ORDER BY country, n DESC
-- country VARCHAR | region VARCHAR | n BIGINT
-- Nordland | north | 10
-- Sudland | south | 9
-- Westland | west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- DISTINCT ON of a public table.
SELECT DISTINCT ON (c) country AS c, region FROM regions ORDER BY c DESC, region
-- c VARCHAR | region VARCHAR
-- Westland | west
-- Sudland | south
-- Nordland | east
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- Days without orders beside days with them.
SELECT d, COALESCE(n, 0) AS n FROM (SELECT CAST(generate_series AS DATE) AS d FROM generate_series(DATE '2025-03-09', DATE '2025-03-11', INTERVAL 1 DAY)) LEFT JOIN (SELECT day, COUNT(*) AS n FROM orders GROUP BY day) ON day = d ORDER BY d
-- d DATE | n BIGINT
-- 2025-03-09 | 0
-- 2025-03-10 | 0
-- 2025-03-11 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Numbers that a table function lists beside private rows.
SELECT n, COUNT(amount) AS c FROM range(5, -1, -2) AS t(n) JOIN orders ON quantity = n GROUP BY n ORDER BY n
-- n BIGINT | c BIGINT
-- 1 | 3
-- 3 | 3
-- 5 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The time between two moments: as seconds, as whole days, and against an interval.
SELECT SUM(EXTRACT(EPOCH FROM (placed - TIMESTAMP '2025-01-01 00:00:00'))) AS s, SUM(DATE_PART('day', placed - TIMESTAMP '2025-02-01 12:00:00')) AS d, COUNT_IF(placed - TIMESTAMP '2025-02-01 12:00:00' < INTERVAL '1 month 2 days') AS n FROM orders
-- s DOUBLE | d HUGEINT | n HUGEINT
-- 83841312 | 213 | 18
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Orders within a week of the customer's order before.
SELECT COUNT(*) AS n FROM (SELECT placed, LAG(placed) OVER (PARTITION BY customer ORDER BY placed) AS before FROM orders) o WHERE placed - before <= INTERVAL '7 days'
-- n BIGINT
-- 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The day of a moment; conditions that are added up; names in backticks.
SELECT DATE(`placed`) AS `d`, SUM(`paid`) AS `paid` FROM `orders` WHERE `placed` < '2025-01-07' GROUP BY `d` ORDER BY `d`
-- d DATE | paid HUGEINT
-- 2025-01-01 | 0
-- 2025-01-02 | 0
-- 2025-01-03 | 0
-- 2025-01-04 | 0
-- 2025-01-05 | 1
-- 2025-01-06 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Each text once, in an order.
SELECT STRING_AGG(DISTINCT region, ', ' ORDER BY region DESC) AS r FROM (SELECT region, paid, COUNT(*) AS n FROM orders GROUP BY region, paid)
-- r VARCHAR
-- west, south, north, east
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- An order of more than one term inside STRING_AGG.
SELECT STRING_AGG(region, ', ' ORDER BY n DESC, region) AS r FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region)
-- r VARCHAR
-- north, south, east, west
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A calendar that counts itself is the list of its days, those without orders among them.
WITH RECURSIVE cal AS (SELECT DATE '2025-01-03' AS day UNION ALL SELECT day + INTERVAL 1 DAY FROM cal WHERE day < DATE '2025-01-05')
SELECT c.day, COUNT(o.customer) AS n FROM cal AS c LEFT JOIN orders AS o ON o.day = c.day GROUP BY c.day ORDER BY 1
-- day DATE | n BIGINT
-- 2025-01-03 | 0
-- 2025-01-04 | 0
-- 2025-01-05 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- It counts as DuckDB does: months from the one before, a step beyond the bound where the last value is below it.
WITH RECURSIVE m AS (SELECT TIMESTAMP '2025-01-31' AS t UNION ALL SELECT t + INTERVAL '1 month' FROM m WHERE t < DATE '2025-03-30'),
  d(n) AS (SELECT 5 UNION SELECT n - 2 FROM d WHERE n > 0 AND 9 > n)
SELECT t, n FROM m, d WHERE n < 3 ORDER BY ALL
-- t TIMESTAMP | n BIGINT
-- 2025-01-31 00:00:00 | -1
-- 2025-01-31 00:00:00 | 1
-- 2025-02-28 00:00:00 | -1
-- 2025-02-28 00:00:00 | 1
-- 2025-03-28 00:00:00 | -1
-- 2025-03-28 00:00:00 | 1
-- 2025-04-28 00:00:00 | -1
-- 2025-04-28 00:00:00 | 1
-- epsilon 0, delta 0, releases 0, mechanisms 0
