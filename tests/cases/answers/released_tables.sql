-- policy: shop

-- Groups that were released are a list that later rows are tested against.
SELECT COUNT(*) AS n FROM orders WHERE region IN (SELECT region FROM orders GROUP BY region HAVING COUNT(*) > 8)
-- n BIGINT
-- 19
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- The two products ordered most, whatever they are.
SELECT COUNT(*) AS n, SUM(amount) AS s FROM orders WHERE product IN (SELECT product FROM orders GROUP BY product ORDER BY COUNT(*) DESC LIMIT 2)
-- n BIGINT | s DOUBLE
-- 18 | 775.5
-- epsilon 1, delta 1e-06, releases 2, mechanisms 4

-- Rows beside the released average of their group: on its full key, so that nothing multiplies.
SELECT COUNT(*) AS n FROM orders JOIN (SELECT region, AVG(amount) AS a FROM orders GROUP BY region) x USING (region) WHERE amount > a
-- n BIGINT
-- 12
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- A released average has the range of what was averaged, and can be summed again.
SELECT AVG(CASE WHEN amount < a THEN a - amount ELSE 0 END) > 5 AS far FROM orders JOIN (SELECT region, AVG(amount) AS a FROM orders GROUP BY region) x USING (region)
-- far BOOLEAN
-- true
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- A name of WITH that is one released row.
WITH m AS (SELECT AVG(amount) AS a FROM orders) SELECT COUNT(*) AS n FROM orders, m WHERE amount > m.a
-- n BIGINT
-- 11
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- The average of the group of the row around it is one keyed release.
SELECT COUNT(*) AS n FROM orders o WHERE amount > (SELECT AVG(amount) FROM orders i WHERE i.region = o.region)
-- n BIGINT
-- 12
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- The same, looked up in a released table.
SELECT COUNT(*) AS n FROM orders o WHERE amount > (SELECT a FROM (SELECT region, AVG(amount) AS a FROM orders GROUP BY region) x WHERE x.region = o.region)
-- n BIGINT
-- 12
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- Keys without public values are selected, and groups that are not released have no value.
SELECT COUNT(*) AS n FROM orders o WHERE amount > (SELECT AVG(amount) FROM orders i WHERE i.product = o.product)
-- n BIGINT
-- 8
-- epsilon 1, delta 1e-06, releases 2, mechanisms 4

-- A count over no rows is 0, also where the group is of a public table.
SELECT COUNT(*) AS n FROM orders o JOIN products p ON o.product = p.product WHERE quantity > (SELECT COUNT(*) FROM orders i WHERE i.product = p.product AND i.amount > 90)
-- n BIGINT
-- 20
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- A released table that is aggregated again, as one value.
SELECT COUNT(*) AS n FROM orders WHERE amount > (SELECT MAX(a) FROM (SELECT region, AVG(amount) AS a FROM orders GROUP BY region) x)
-- n BIGINT
-- 5
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- EXISTS over a released table, tied to the row around it.
SELECT COUNT(*) AS n FROM orders o WHERE EXISTS (SELECT 1 FROM (SELECT region, COUNT(*) AS c FROM orders GROUP BY region) x WHERE x.region = o.region AND c > 8)
-- n BIGINT
-- 19
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- One value of a public table for each row.
SELECT COUNT(*) AS n FROM orders o WHERE quantity > (SELECT zone FROM regions r WHERE r.region = o.region)
-- n BIGINT
-- 18
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A name of WITH over public tables in a subquery.
WITH w AS (SELECT region FROM regions WHERE zone = 2) SELECT COUNT(*) AS n FROM orders WHERE region IN (SELECT region FROM w)
-- n BIGINT
-- 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A public query as a source: its rows are counted, and its columns list groups.
SELECT country, COUNT(*) AS n FROM orders JOIN (SELECT region, country FROM regions WHERE zone < 3) v USING (region) GROUP BY country ORDER BY country
-- country VARCHAR | n BIGINT
-- Nordland | 15
-- Sudland | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A list of values as a source.
SELECT w, COUNT(*) AS n FROM orders JOIN (VALUES ('north', 1), ('south', 2)) v(region, w) USING (region) WHERE quantity > w GROUP BY w ORDER BY w
-- w INTEGER | n BIGINT
-- 1 | 6
-- 2 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A count for each public row is one keyed release.
SELECT region, (SELECT COUNT(*) FROM orders o WHERE o.region = r.region) AS n FROM regions r ORDER BY region
-- region VARCHAR | n BIGINT
-- east | 5
-- north | 10
-- south | 9
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Public rows tested against the private rows that belong to them.
SELECT region FROM regions r WHERE zone < (SELECT 0.5 * SUM(quantity) - 8 FROM orders o WHERE o.region = r.region AND quantity > 2) ORDER BY region
-- region VARCHAR
-- east
-- north
-- south
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A name of WITH that stands twice is released once.
WITH a AS (SELECT region, COUNT(*) AS c FROM orders GROUP BY region HAVING COUNT(*) > 0) SELECT x.region, x.c - y.c AS d FROM a x JOIN a y USING (region) ORDER BY region
-- region VARCHAR | d BIGINT
-- east | 0
-- north | 0
-- south | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A list released first, then the groups on it.
WITH big AS (SELECT region FROM orders GROUP BY region HAVING COUNT(*) > 8) SELECT region, COUNT(*) AS n FROM orders WHERE region IN (SELECT region FROM big) GROUP BY region HAVING COUNT(*) > 0 ORDER BY region
-- region VARCHAR | n BIGINT
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- A released day as a later bound: orders from the middle one on.
SELECT region, COUNT(*) AS n FROM orders WHERE day >= (SELECT QUANTILE_DISC(day, 0.5) FROM orders) GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT
-- east | 4
-- north | 5
-- south | 4
-- west | 0
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- A released moment, moved, against other moments; a released day for each row's own group.
SELECT COUNT_IF(placed < (SELECT MEDIAN(placed) FROM orders) - INTERVAL 7 DAY) AS a, COUNT_IF(day > (SELECT QUANTILE_DISC(day, 0.5) FROM orders i WHERE i.region = o.region)) AS b FROM orders o
-- a HUGEINT | b HUGEINT
-- 10 | 11
-- epsilon 1, delta 0, releases 3, mechanisms 3

-- The ends of an interval of a subquery's column.
SELECT region, n, DP_INTERVAL_LOW(n) AS lo, DP_INTERVAL_HIGH(n + 1) AS hi FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) t WHERE n > 5 ORDER BY region
-- region VARCHAR | n BIGINT | lo DOUBLE | hi DOUBLE
-- north | 10 | -290 | 311
-- south | 9 | -291 | 310
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Of columns that WITH passes on under other names.
WITH t(a, b) AS (SELECT region, COUNT(*) FROM orders GROUP BY region), u AS (SELECT a, b * 2 AS c FROM t) SELECT a, DP_INTERVAL_LOW(c) AS lo, DP_INTERVAL_HIGH(c) AS hi FROM u ORDER BY a
-- a VARCHAR | lo DOUBLE | hi DOUBLE
-- east | -590 | 610
-- north | -580 | 620
-- south | -582 | 618
-- west | -600 | 600
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Of the rows of a ROLLUP, beside WITH.
WITH small AS (SELECT 1 AS x) SELECT r, n, DP_INTERVAL_LOW(n) AS lo FROM (SELECT region AS r, COUNT(*) AS n FROM orders GROUP BY ROLLUP (region)) ORDER BY r NULLS LAST
-- r VARCHAR | n BIGINT | lo DOUBLE
-- east | 5 | -295
-- north | 10 | -290
-- south | 9 | -291
-- west | 0 | -300
-- NULL | 24 | -545.2571297
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The best groups of a subquery: the others are none of the answer's.
SELECT region, SUM(amount) AS s FROM orders WHERE region IN (SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 2) GROUP BY region ORDER BY region
-- region VARCHAR | s DOUBLE
-- north | 320.75
-- south | 429
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- One aggregate for each day of a calendar, whose rows are no table of the policy.
SELECT d, (SELECT COUNT(*) FROM orders WHERE day = d) AS n, COALESCE((SELECT SUM(quantity) FROM orders AS o WHERE CAST(o.placed AS DATE) = CAST(d AS DATE)), 0) AS q FROM generate_series(DATE '2025-01-05', DATE '2025-01-08', INTERVAL 1 DAY) AS t(d) ORDER BY d
-- d TIMESTAMP | n BIGINT | q HUGEINT
-- 2025-01-05 00:00:00 | 1 | 1
-- 2025-01-06 00:00:00 | 1 | 2
-- 2025-01-07 00:00:00 | 1 | 1
-- 2025-01-08 00:00:00 | 0 | 0
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- The same of a name of WITH, and of released rows.
WITH busy AS (SELECT region AS r, COUNT(*) AS n FROM orders GROUP BY region HAVING COUNT(*) > 6) SELECT r, n, (SELECT COUNT(*) FROM orders AS o WHERE o.region = busy.r AND paid) AS p FROM busy ORDER BY r
-- r VARCHAR | n BIGINT | p BIGINT
-- north | 10 | 8
-- south | 9 | 6
-- epsilon 1, delta 0, releases 2, mechanisms 2
