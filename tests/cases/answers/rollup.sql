-- policy: shop

-- The levels above the finest are its groups added up: one release, and totals that agree.
SELECT region, paid, COUNT(*) AS n FROM orders GROUP BY ROLLUP (region, paid) ORDER BY region NULLS LAST, paid NULLS LAST
-- region VARCHAR | paid BOOLEAN | n BIGINT
-- east | false | 1
-- east | true | 4
-- east | NULL | 5
-- north | false | 2
-- north | true | 8
-- north | NULL | 10
-- south | false | 3
-- south | true | 6
-- south | NULL | 9
-- west | false | 0
-- west | true | 0
-- west | NULL | 0
-- NULL | NULL | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Totals of many groups would be noisy: the groups and their total are two levels of one release, which are reconciled.
SELECT day, COUNT(*) AS n, SUM(quantity) AS s, AVG(quantity) AS mean FROM orders WHERE day < DATE '2025-01-11' GROUP BY ROLLUP (day) HAVING COUNT(*) > 1 OR GROUPING(day) = 1 ORDER BY day NULLS LAST
-- day DATE | n BIGINT | s HUGEINT | mean DOUBLE
-- NULL | 4 | 8 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Three levels that no other contains, and what they have in common.
SELECT region, rating, paid, COUNT(*) AS n FROM orders GROUP BY GROUPING SETS (region, rating, paid, ()) HAVING COUNT(*) > 5 ORDER BY GROUPING_ID(region, rating, paid), region, rating, paid
-- region VARCHAR | rating BIGINT | paid BOOLEAN | n BIGINT
-- north | NULL | NULL | 10
-- south | NULL | NULL | 9
-- NULL | NULL | false | 6
-- NULL | NULL | true | 18
-- NULL | NULL | NULL | 24
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- Medians, modes and distinct values of several levels are a release each.
SELECT region, paid, MEDIAN(quantity) AS m, COUNT(DISTINCT quantity) AS d FROM orders GROUP BY GROUPING SETS (region, paid, ()) ORDER BY GROUPING_ID(region, paid), region, paid
-- region VARCHAR | paid BOOLEAN | m DOUBLE | d BIGINT
-- east | NULL | 8 | 4
-- north | NULL | 2 | 7
-- south | NULL | 5 | 6
-- west | NULL | NULL | 0
-- NULL | false | 3 | 5
-- NULL | true | 4 | 10
-- NULL | NULL | 4 | 11
-- epsilon 1, delta 0, releases 3, mechanisms 6

-- Private keys are selected at each level anew; the NULL of a nullable key is not that of a level without it.
SELECT product, coupon, COUNT(*) AS n, GROUPING_ID(product, coupon) AS id FROM orders GROUP BY CUBE (product, coupon) ORDER BY id, product, coupon
-- product BIGINT | coupon VARCHAR | n BIGINT | id BIGINT
-- 101 | NULL | 6 | 0
-- 102 | NULL | 4 | 0
-- 101 | NULL | 11 | 1
-- 102 | NULL | 7 | 1
-- NULL | spring | 6 | 2
-- NULL | summer | 3 | 2
-- NULL | NULL | 15 | 2
-- NULL | NULL | 24 | 3
-- epsilon 1, delta 1e-06, releases 3, mechanisms 7

-- Averages and deviations are made of sums, so that they add up too.
SELECT region, SUM(quantity) AS s, AVG(quantity) AS mean, STDDEV_POP(quantity) AS spread FROM orders GROUP BY ROLLUP (region) ORDER BY region NULLS LAST
-- region VARCHAR | s HUGEINT | mean DOUBLE | spread DOUBLE
-- east | 36 | 7.2 | 1.720465053
-- north | 30 | 3 | 2.75680975
-- south | 40 | 4.444444444 | 1.706921277
-- west | 0 | NULL | NULL
-- NULL | 106 | 4.416666667 | 2.706730295
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Distinct customers do not add up: a release for each level.
SELECT region, COUNT(DISTINCT customer) AS n FROM orders GROUP BY ROLLUP (region) ORDER BY region NULLS LAST
-- region VARCHAR | n BIGINT
-- east | 3
-- north | 6
-- south | 5
-- west | 0
-- NULL | 9
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- NULL of a nullable key and NULL of a level without the key are told apart by GROUPING.
SELECT coupon, COUNT(*) AS n, GROUPING(coupon) AS g FROM orders GROUP BY CUBE (coupon) ORDER BY g, coupon NULLS LAST
-- coupon VARCHAR | n BIGINT | g BIGINT
-- spring | 6 | 0
-- summer | 3 | 0
-- NULL | 15 | 0
-- NULL | 24 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A bit for each key, the first one the highest.
SELECT region, paid, COUNT(*) AS n, GROUPING_ID(region, paid) AS id FROM orders GROUP BY CUBE (region, paid) HAVING COUNT(*) > 5 ORDER BY id, region, paid
-- region VARCHAR | paid BOOLEAN | n BIGINT | id BIGINT
-- north | true | 8 | 0
-- south | true | 6 | 0
-- north | NULL | 10 | 1
-- south | NULL | 9 | 1
-- NULL | false | 6 | 2
-- NULL | true | 18 | 2
-- NULL | NULL | 24 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Sets of which none holds another are levels of one release, each with a share of the budget, and agree on the total.
SELECT region, paid, COUNT(*) AS n FROM orders GROUP BY GROUPING SETS ((region), (paid), ()) ORDER BY GROUPING(region), GROUPING(paid), 1, 2
-- region VARCHAR | paid BOOLEAN | n BIGINT
-- east | NULL | 5
-- north | NULL | 10
-- south | NULL | 9
-- west | NULL | 0
-- NULL | false | 6
-- NULL | true | 18
-- NULL | NULL | 24
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Side by side, every set of one is combined with every set of the other.
SELECT EXTRACT(month FROM day) AS m, region, SUM(quantity) AS q FROM orders GROUP BY m, ROLLUP (region) HAVING GROUPING(region) = 1 ORDER BY m
-- m BIGINT | region VARCHAR | q HUGEINT
-- 1 | NULL | 32
-- 2 | NULL | 44
-- 3 | NULL | 30
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Keys in parentheses come and go together; places of the SELECT list name them.
SELECT region, paid, COUNT(*) AS n FROM orders GROUP BY ROLLUP ((1, 2)) HAVING COUNT(*) > 5 ORDER BY n
-- region VARCHAR | paid BOOLEAN | n BIGINT
-- south | true | 6
-- north | true | 8
-- NULL | NULL | 24
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Shares of the total that is in the answer.
SELECT CASE GROUPING(region) WHEN 1 THEN 'all' ELSE region END AS r, COUNT(*) * 100.0 / SUM(COUNT(*)) FILTER (WHERE GROUPING(region) = 1) OVER () AS percent FROM orders GROUP BY ROLLUP (region) ORDER BY GROUPING(region), r
-- r VARCHAR | percent DOUBLE
-- east | 20.83333333
-- north | 41.66666667
-- south | 37.5
-- west | 0
-- all | 100
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Private keys are released level by level.
SELECT product, COUNT(*) AS n FROM orders GROUP BY ROLLUP (product) ORDER BY product NULLS LAST
-- product BIGINT | n BIGINT
-- 101 | 11
-- 102 | 7
-- NULL | 24
-- epsilon 1, delta 1e-06, releases 2, mechanisms 4

-- Keys of a public table, whose rows without orders are listed.
SELECT r.region, COUNT(o.customer) AS n FROM regions r LEFT JOIN orders o ON r.region = o.region GROUP BY ROLLUP (r.region) ORDER BY r.region NULLS LAST
-- region VARCHAR | n BIGINT
-- east | 5
-- north | 10
-- south | 9
-- west | 0
-- NULL | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The list of groups alone is public at every level.
SELECT region, paid FROM orders GROUP BY ROLLUP (region, paid) ORDER BY region NULLS LAST, paid NULLS LAST LIMIT 4
-- region VARCHAR | paid BOOLEAN
-- east | false
-- east | true
-- east | NULL
-- north | false
-- epsilon 0, delta 0, releases 1, mechanisms 0

-- One level: GROUPING is 0.
SELECT region, GROUPING(region) AS g, COUNT(*) AS n FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | g BIGINT | n BIGINT
-- east | 0 | 5
-- north | 0 | 10
-- south | 0 | 9
-- west | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The set of no keys alone.
SELECT COUNT(*) AS n FROM orders GROUP BY ()
-- n BIGINT
-- 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- ROLLUP of results is ordinary SQL.
SELECT zone, SUM(n) AS n FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS x JOIN regions USING (region) GROUP BY ROLLUP (zone) ORDER BY zone NULLS LAST
-- zone BIGINT | n HUGEINT
-- 1 | 10
-- 2 | 14
-- 3 | 0
-- NULL | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So is ROLLUP of public rows.
SELECT zone, COUNT(*) AS n, GROUPING(zone) AS g FROM regions GROUP BY ROLLUP (zone) ORDER BY zone NULLS LAST
-- zone BIGINT | n BIGINT | g BIGINT
-- 1 | 1 | 0
-- 2 | 2 | 0
-- 3 | 1 | 0
-- NULL | 4 | 1
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- A level behind a common table expression, joined with another.
WITH t AS (SELECT region, GROUPING(region) AS g, COUNT(*) AS n FROM orders GROUP BY ROLLUP (region)) SELECT a.region, a.n * 1.0 / b.n AS share FROM t a JOIN t b ON b.g = 1 WHERE a.g = 0 ORDER BY a.region
-- region VARCHAR | share DOUBLE
-- east | 0.2083333333
-- north | 0.4166666667
-- south | 0.375
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1
