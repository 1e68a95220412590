-- policy: shop

-- Percent of the total.
SELECT region, COUNT(*) AS n, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS pct FROM orders GROUP BY region ORDER BY n DESC, region
-- region VARCHAR | n BIGINT | pct DOUBLE
-- north | 10 | 41.7
-- south | 9 | 37.5
-- east | 5 | 20.8
-- west | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Ranks by totals.
SELECT region, SUM(amount) AS s, RANK() OVER (ORDER BY SUM(amount) DESC) AS r FROM orders GROUP BY region ORDER BY r
-- region VARCHAR | s DOUBLE | r BIGINT
-- south | 429 | 1
-- east | 374 | 2
-- north | 320.75 | 3
-- west | 0 | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A running total over months.
SELECT date_trunc('month', day) AS m, SUM(amount) AS s, SUM(SUM(amount)) OVER (ORDER BY date_trunc('month', day) ROWS UNBOUNDED PRECEDING) AS run FROM orders GROUP BY 1 ORDER BY 1
-- m TIMESTAMP | s DOUBLE | run DOUBLE
-- 2025-01-01 00:00:00 | 348.5 | 348.5
-- 2025-02-01 00:00:00 | 458.5 | 807
-- 2025-03-01 00:00:00 | 316.75 | 1123.75
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The month before and the change against it.
SELECT m, n, LAG(n) OVER (ORDER BY m) AS before, n - LAG(n, 1, 0) OVER (ORDER BY m) AS d FROM (SELECT date_trunc('month', day) AS m, COUNT(*) AS n FROM orders GROUP BY 1) ORDER BY m
-- m TIMESTAMP | n BIGINT | before BIGINT | d BIGINT
-- 2025-01-01 00:00:00 | 9 | NULL | 9
-- 2025-02-01 00:00:00 | 8 | 9 | -1
-- 2025-03-01 00:00:00 | 7 | 8 | -1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Growth against the month before.
SELECT date_trunc('month', day) AS m, 1.0 * COUNT(*) / LAG(COUNT(*)) OVER (ORDER BY date_trunc('month', day)) - 1 AS growth FROM orders GROUP BY 1 ORDER BY 1
-- m TIMESTAMP | growth DOUBLE
-- 2025-01-01 00:00:00 | NULL
-- 2025-02-01 00:00:00 | -0.1111111111
-- 2025-03-01 00:00:00 | -0.125
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Classes of totals.
SELECT CASE WHEN SUM(amount) > 300 THEN 'big' WHEN SUM(amount) > 100 THEN 'mid' ELSE 'small' END AS size, region FROM orders GROUP BY region ORDER BY region
-- size VARCHAR | region VARCHAR
-- big | east
-- big | north
-- big | south
-- small | west
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Two aggregates joined by their key.
WITH a AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region), b AS (SELECT region, SUM(amount) AS s FROM orders WHERE paid GROUP BY region) SELECT a.region, n, s, s / NULLIF(n, 0) AS per FROM a JOIN b USING (region) ORDER BY 1
-- region VARCHAR | n BIGINT | s DOUBLE | per DOUBLE
-- east | 5 | 330 | 66
-- north | 10 | 278.75 | 27.875
-- south | 9 | 277.75 | 30.86111111
-- west | 0 | 0 | NULL
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- A left join of two aggregates, filtered.
WITH a AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region), b AS (SELECT region, SUM(amount) AS s FROM orders WHERE paid GROUP BY region) SELECT a.region, b.s FROM a LEFT JOIN b ON a.region = b.region WHERE a.n > 4 ORDER BY 1
-- region VARCHAR | s DOUBLE
-- east | 330
-- north | 278.75
-- south | 277.75
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- An average over groups of counts.
SELECT AVG(n) AS mean_per_region, MAX(n) AS most, MIN(n) AS least FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region)
-- mean_per_region DOUBLE | most BIGINT | least BIGINT
-- 6 | 10 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- How many groups of each class.
SELECT size, COUNT(*) AS regions FROM (SELECT region, CASE WHEN COUNT(*) > 5 THEN 'many' ELSE 'few' END AS size FROM orders GROUP BY region) GROUP BY size ORDER BY size
-- size VARCHAR | regions BIGINT
-- few | 2
-- many | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The best class in each region.
SELECT region, product_class, n, ROW_NUMBER() OVER (PARTITION BY region ORDER BY n DESC) AS rn FROM (SELECT region, quantity // 5 AS product_class, COUNT(*) AS n FROM orders GROUP BY 1, 2) QUALIFY rn = 1 ORDER BY region
-- region VARCHAR | product_class BIGINT | n BIGINT | rn BIGINT
-- east | 1 | 4 | 1
-- north | 0 | 8 | 1
-- south | 1 | 5 | 1
-- west | 0 | 0 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Paid and unpaid side by side.
SELECT region, COUNT(*) FILTER (WHERE paid) AS paid, COUNT(*) FILTER (WHERE NOT paid) AS unpaid, ROUND(100.0 * COUNT(*) FILTER (WHERE paid) / NULLIF(COUNT(*), 0), 2) AS pct FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | paid BIGINT | unpaid BIGINT | pct DOUBLE
-- east | 4 | 1 | 80
-- north | 8 | 2 | 80
-- south | 6 | 3 | 66.67
-- west | 0 | 0 | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A row of regions by CASE, without PIVOT.
SELECT SUM(CASE WHEN region = 'north' THEN amount ELSE 0 END) AS north, SUM(CASE WHEN region = 'south' THEN amount ELSE 0 END) AS south, SUM(CASE WHEN region = 'east' THEN amount END) AS east FROM orders
-- north DOUBLE | south DOUBLE | east DOUBLE
-- 320.75 | 429 | 374
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A table of months by regions, without PIVOT.
SELECT EXTRACT(month FROM day) AS m, SUM(CASE WHEN region = 'north' THEN 1 ELSE 0 END) AS north, SUM(CASE WHEN region = 'south' THEN 1 ELSE 0 END) AS south FROM orders GROUP BY 1 ORDER BY 1
-- m BIGINT | north HUGEINT | south HUGEINT
-- 1 | 5 | 3
-- 2 | 3 | 4
-- 3 | 2 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Months as text.
SELECT strftime(date_trunc('month', day), '%Y-%m') AS m, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1
-- m VARCHAR | count_star() BIGINT
-- 2025-01 | 9
-- 2025-02 | 8
-- 2025-03 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Labels made afterwards.
SELECT strftime(m, '%b %Y') AS label, n FROM (SELECT date_trunc('month', day) AS m, COUNT(*) AS n FROM orders GROUP BY 1) ORDER BY m
-- label VARCHAR | n BIGINT
-- Jan 2025 | 9
-- Feb 2025 | 8
-- Mar 2025 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The three largest by an expression of the key.
SELECT UPPER(region) AS r, COUNT(*) AS n FROM orders GROUP BY region ORDER BY n DESC, r LIMIT 3
-- r VARCHAR | n BIGINT
-- NORTH | 10
-- SOUTH | 9
-- EAST | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same, grouped by the expression.
SELECT UPPER(region) AS r, COUNT(*) AS n FROM orders GROUP BY UPPER(region) ORDER BY 2 DESC, 1 LIMIT 3
-- r VARCHAR | n BIGINT
-- NORTH | 10
-- SOUTH | 9
-- EAST | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A label with its number.
SELECT region || ' (' || CAST(COUNT(*) AS VARCHAR) || ')' AS label FROM orders GROUP BY region ORDER BY region
-- label VARCHAR
-- east (5)
-- north (10)
-- south (9)
-- west (0)
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Joined with a separator.
SELECT concat_ws(': ', region, COUNT(*)) AS label FROM orders GROUP BY region ORDER BY region
-- label VARCHAR
-- east: 5
-- north: 10
-- south: 9
-- west: 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- HAVING by a name.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region HAVING n > 3 ORDER BY n DESC
-- region VARCHAR | n BIGINT
-- north | 10
-- south | 9
-- east | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The difference from the mean of means.
SELECT region, AVG(amount) AS a, AVG(amount) - AVG(AVG(amount)) OVER () AS diff FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | a DOUBLE | diff DOUBLE
-- east | 74.8 | 23.28611111
-- north | 32.075 | -19.43888889
-- south | 47.66666667 | -3.847222222
-- west | NULL | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Halves by size.
SELECT region, COUNT(*) AS n, NTILE(2) OVER (ORDER BY COUNT(*)) AS half FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT | half BIGINT
-- east | 5 | 1
-- north | 10 | 2
-- south | 9 | 2
-- west | 0 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The largest, in every row.
SELECT region, FIRST_VALUE(region) OVER (ORDER BY COUNT(*) DESC, region) AS best FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | best VARCHAR
-- east | north
-- north | north
-- south | north
-- west | north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A moving average over days.
SELECT day, COUNT(*) AS n, AVG(COUNT(*)) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS week FROM orders GROUP BY day ORDER BY day LIMIT 5
-- day DATE | n BIGINT | week DOUBLE
-- 2025-01-01 | 0 | 0
-- 2025-01-02 | 0 | 0
-- 2025-01-03 | 0 | 0
-- 2025-01-04 | 0 | 0
-- 2025-01-05 | 1 | 0.2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Days of the week.
SELECT dayname(day) AS d, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2
-- d VARCHAR | n BIGINT
-- Friday | 5
-- Monday | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Days of the week as numbers.
SELECT EXTRACT(dow FROM day) AS d, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 1
-- d BIGINT | n BIGINT
-- 0 | 4
-- 1 | 5
-- 2 | 3
-- 3 | 1
-- 4 | 2
-- 5 | 5
-- 6 | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Quarters by regions.
SELECT quarter(day) AS q, region, COUNT(*) FROM orders GROUP BY ALL ORDER BY ALL
-- q BIGINT | region VARCHAR | count_star() BIGINT
-- 1 | east | 5
-- 1 | north | 10
-- 1 | south | 9
-- 1 | west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- By a column of a public table.
SELECT country, COUNT(*) AS n FROM orders JOIN regions USING (region) GROUP BY country ORDER BY n DESC, country
-- country VARCHAR | n BIGINT
-- Nordland | 15
-- Sudland | 9
-- Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same after the release.
WITH t AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) SELECT r.country, SUM(t.n) AS n FROM t JOIN regions r ON r.region = t.region GROUP BY r.country ORDER BY 1
-- country VARCHAR | n HUGEINT
-- Nordland | 15
-- Sudland | 9
-- Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Those above the mean.
WITH t AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) SELECT region, n FROM t WHERE n > (SELECT AVG(n) FROM t) ORDER BY region
-- region VARCHAR | n BIGINT
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Differences from one group.
WITH t AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) SELECT a.region, a.n - b.n AS d FROM t a CROSS JOIN t b WHERE b.region = 'north' ORDER BY 1
-- region VARCHAR | d BIGINT
-- east | -5
-- north | 0
-- south | -1
-- west | -10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A total as one more row.
WITH t AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) SELECT region, n FROM t UNION ALL SELECT 'total', SUM(n) FROM t ORDER BY 2, 1
-- region VARCHAR | n HUGEINT
-- west | 0
-- east | 5
-- south | 9
-- north | 10
-- total | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows per person.
SELECT COUNT(*) AS n, COUNT(DISTINCT customer) AS people, COUNT(*) * 1.0 / COUNT(DISTINCT customer) AS per_person FROM orders
-- n BIGINT | people BIGINT | per_person DOUBLE
-- 24 | 9 | 2.666666667
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Clamped at zero.
SELECT region, GREATEST(COUNT(*), 0) AS n, COALESCE(AVG(amount), 0) AS a FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT | a DOUBLE
-- east | 5 | 74.8
-- north | 10 | 32.075
-- south | 9 | 47.66666667
-- west | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Median and quantile of groups.
SELECT median(n), quantile_cont(n, 0.9) FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region)
-- median(n) DOUBLE | quantile_cont(n, 0.9) DOUBLE
-- 7 | 9.7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The name of the largest.
SELECT arg_max(region, n) AS best FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region)
-- best VARCHAR
-- north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Cumulated within, and shares across.
SELECT m, region, n, SUM(n) OVER (PARTITION BY region ORDER BY m) AS cum, n * 1.0 / SUM(n) OVER (PARTITION BY m) AS share FROM (SELECT EXTRACT(month FROM day) AS m, region, COUNT(*) AS n FROM orders GROUP BY 1, 2) ORDER BY 1, 2 LIMIT 4
-- m BIGINT | region VARCHAR | n BIGINT | cum HUGEINT | share DOUBLE
-- 1 | east | 1 | 1 | 0.1111111111
-- 1 | north | 5 | 5 | 0.5555555556
-- 1 | south | 3 | 3 | 0.3333333333
-- 1 | west | 0 | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Every month of a list, with or without rows.
SELECT m.m, COALESCE(t.n, 0) AS n FROM (VALUES (1), (2), (3), (4)) AS m(m) LEFT JOIN (SELECT EXTRACT(month FROM day) AS m, COUNT(*) AS n FROM orders GROUP BY 1) t ON t.m = m.m ORDER BY 1
-- m INTEGER | n BIGINT
-- 1 | 9
-- 2 | 8
-- 3 | 7
-- 4 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A page of a sorted list.
SELECT region, COUNT(*) AS n FROM orders WHERE day BETWEEN '2025-01-01' AND '2025-01-31' GROUP BY region ORDER BY n DESC NULLS LAST, region ASC LIMIT 10 OFFSET 1
-- region VARCHAR | n BIGINT
-- south | 3
-- east | 1
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A tool's first query.
SELECT region, COUNT(*) FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 10
-- region VARCHAR | count_star() BIGINT
-- north | 10
-- south | 9
-- east | 5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What Superset sends.
SELECT "region" AS "region", COUNT(*) AS "count" FROM (SELECT * FROM orders) AS virtual_table GROUP BY "region" ORDER BY "count" DESC LIMIT 100
-- region VARCHAR | count BIGINT
-- north | 10
-- south | 9
-- east | 5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A ratio of sums.
SELECT region, SUM(amount) / SUM(quantity) AS per_piece FROM orders GROUP BY region HAVING SUM(quantity) > 0 ORDER BY per_piece DESC
-- region VARCHAR | per_piece DOUBLE
-- south | 10.725
-- north | 10.69166667
-- east | 10.38888889
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Other ranks, with a named window.
SELECT region, PERCENT_RANK() OVER (ORDER BY COUNT(*)) AS pr, CUME_DIST() OVER (ORDER BY COUNT(*)) AS cd, DENSE_RANK() OVER w AS dr FROM orders GROUP BY region WINDOW w AS (ORDER BY COUNT(*)) ORDER BY region
-- region VARCHAR | pr DOUBLE | cd DOUBLE | dr BIGINT
-- east | 0.3333333333 | 0.5 | 2
-- north | 1 | 1 | 4
-- south | 0.6666666667 | 0.75 | 3
-- west | 0 | 0.25 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- How groups correlate with their month.
SELECT corr(m, n) AS c, regr_slope(n, m) AS slope FROM (SELECT EXTRACT(month FROM day) AS m, COUNT(*) AS n FROM orders GROUP BY 1)
-- c DOUBLE | slope DOUBLE
-- -1 | -1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Coefficients of variation.
SELECT region, STDDEV(amount) / AVG(amount) AS cv FROM orders GROUP BY region HAVING COUNT(*) > 3 ORDER BY region
-- region VARCHAR | cv DOUBLE
-- east | 0.2598195909
-- north | 0.9080869694
-- south | 0.3822649494
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The last day that has rows.
SELECT date_diff('day', DATE '2025-01-01', MAX(d)) AS x FROM (SELECT day AS d, COUNT(*) AS n FROM orders GROUP BY day) WHERE n >= 1
-- x BIGINT
-- 89
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Dates made of months.
SELECT make_date(2025, CAST(m AS INTEGER), 1) AS first, n FROM (SELECT EXTRACT(month FROM day) AS m, COUNT(*) AS n FROM orders GROUP BY 1) ORDER BY 1
-- first DATE | n BIGINT
-- 2025-01-01 | 9
-- 2025-02-01 | 8
-- 2025-03-01 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Without one group.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region EXCEPT SELECT 'west', 0 ORDER BY region
-- region VARCHAR | n BIGINT
-- east | 5
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A name used beside its sum.
SELECT region, count(*) n, sum(n) over (order by n) FROM orders GROUP BY region ORDER BY n
-- region VARCHAR | n BIGINT | sum(n) OVER (ORDER BY n) HUGEINT
-- west | 0 | 0
-- east | 5 | 5
-- south | 9 | 14
-- north | 10 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Shares of a total of its own.
SELECT region, (SELECT COUNT(*) FROM orders) AS total, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM orders) AS share FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | total BIGINT | share DOUBLE
-- east | 24 | 0.2083333333
-- north | 24 | 0.4166666667
-- south | 24 | 0.375
-- west | 24 | 0
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- Months as dates.
SELECT CAST(date_trunc('month', day) AS DATE) AS m, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 1
-- m DATE | n BIGINT
-- 2025-01-01 | 9
-- 2025-02-01 | 8
-- 2025-03-01 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The busiest weeks.
SELECT date_trunc('week', day) AS w, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY n DESC, w LIMIT 3
-- w TIMESTAMP | n BIGINT
-- 2025-01-06 00:00:00 | 4
-- 2025-03-10 00:00:00 | 3
-- 2025-01-13 00:00:00 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Years and months.
SELECT year(day) AS y, month(day) AS m, COUNT(*) AS n FROM orders GROUP BY y, m ORDER BY y, m
-- y BIGINT | m BIGINT | n BIGINT
-- 2025 | 1 | 9
-- 2025 | 2 | 8
-- 2025 | 3 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Names of months.
SELECT monthname(m) AS name, n FROM (SELECT date_trunc('month', day) AS m, COUNT(*) AS n FROM orders GROUP BY 1) ORDER BY m
-- name VARCHAR | n BIGINT
-- January | 9
-- February | 8
-- March | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- An order of its own.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region ORDER BY CASE region WHEN 'west' THEN 0 ELSE 1 END, region
-- region VARCHAR | n BIGINT
-- west | 0
-- east | 5
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Ends of months.
SELECT last_day(m) AS e, n FROM (SELECT date_trunc('month', day) AS m, COUNT(*) AS n FROM orders GROUP BY 1) ORDER BY m
-- e DATE | n BIGINT
-- 2025-01-31 | 9
-- 2025-02-28 | 8
-- 2025-03-31 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The next month.
SELECT m + INTERVAL 1 MONTH AS next, n FROM (SELECT date_trunc('month', day) AS m, COUNT(*) AS n FROM orders GROUP BY 1) ORDER BY m
-- next TIMESTAMP | n BIGINT
-- 2025-02-01 00:00:00 | 9
-- 2025-03-01 00:00:00 | 8
-- 2025-04-01 00:00:00 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Text replaced afterwards.
SELECT replace(region, 'o', '0') AS r, COUNT(*) AS n FROM orders GROUP BY region ORDER BY region
-- r VARCHAR | n BIGINT
-- east | 5
-- n0rth | 10
-- s0uth | 9
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- By the first letter.
SELECT left(region, 1) AS initial, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 1
-- initial VARCHAR | n BIGINT
-- e | 5
-- n | 10
-- s | 9
-- w | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Padded numbers.
SELECT lpad(CAST(quantity AS VARCHAR), 2, '0') AS q, COUNT(*) AS n FROM orders GROUP BY quantity ORDER BY 1 LIMIT 2
-- q VARCHAR | n BIGINT
-- 00 | 1
-- 01 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Months as text, from private dates.
SELECT strftime(date_trunc('month', day), '%Y-%m') AS m, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 1
-- m VARCHAR | n BIGINT
-- 2025-01 | 9
-- 2025-02 | 8
-- 2025-03 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Names of days, from private dates.
SELECT dayname(day) AS d, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2
-- d VARCHAR | n BIGINT
-- Friday | 5
-- Monday | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A month by its name.
SELECT COUNT(*) AS n FROM orders WHERE monthname(placed) = 'February'
-- n BIGINT
-- 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The names of the largest and the smallest.
SELECT arg_max(region, n) AS most, arg_min(region, n) AS least FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region)
-- most VARCHAR | least VARCHAR
-- north | west
-- epsilon 1, delta 0, releases 1, mechanisms 1
