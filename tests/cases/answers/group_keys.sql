-- policy: shop

-- Every listed value is a group, those without rows too.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT
-- east | 5
-- north | 10
-- south | 9
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A nullable column has a group of NULL.
SELECT coupon, COUNT(*) AS n FROM orders GROUP BY coupon ORDER BY coupon
-- coupon VARCHAR | n BIGINT
-- spring | 6
-- summer | 3
-- NULL | 15
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NULL alone is one group, as any constant is.
SELECT NULL AS nothing, region, COUNT(*) AS n FROM orders WHERE region IN ('north', 'west') GROUP BY ALL ORDER BY region
-- nothing "NULL" | region VARCHAR | n BIGINT
-- NULL | north | 10
-- NULL | west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- It is one where a query inside names it, too.
SELECT k, COUNT(*) AS n FROM (SELECT NULL AS k, region FROM orders) AS o GROUP BY k
-- k INTEGER | n BIGINT
-- NULL | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A filter on the key leaves only the groups that can pass it.
SELECT region, COUNT(*) AS n FROM orders WHERE region IN ('north', 'west') GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT
-- north | 10
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A filter that excludes NULL takes the group of NULL away.
SELECT coupon, COUNT(*) AS n FROM orders WHERE coupon IS NOT NULL GROUP BY coupon ORDER BY coupon
-- coupon VARCHAR | n BIGINT
-- spring | 6
-- summer | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A bounded integer has every value between its bounds.
SELECT quantity, COUNT(*) AS n FROM orders WHERE quantity < 3 GROUP BY quantity ORDER BY quantity
-- quantity BIGINT | n BIGINT
-- 0 | 1
-- 1 | 3
-- 2 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A boolean has two groups.
SELECT paid, COUNT(*) AS n FROM orders GROUP BY paid ORDER BY paid
-- paid BOOLEAN | n BIGINT
-- false | 6
-- true | 18
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A comparison has two groups.
SELECT amount >= 50 AS large, COUNT(*) AS n FROM orders GROUP BY large ORDER BY large
-- large BOOLEAN | n BIGINT
-- false | 13
-- true | 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A comparison with a nullable column has a third.
SELECT rating >= 3 AS good, COUNT(*) AS n FROM orders GROUP BY good ORDER BY good
-- good BOOLEAN | n BIGINT
-- false | 6
-- true | 13
-- NULL | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- CASE has its branches.
SELECT CASE WHEN amount < 20 THEN 'small' WHEN amount < 60 THEN 'middle' ELSE 'large' END AS size, COUNT(*) AS n FROM orders GROUP BY size ORDER BY size
-- size VARCHAR | n BIGINT
-- large | 8
-- middle | 12
-- small | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- CASE without ELSE has NULL as well.
SELECT CASE WHEN product = 101 THEN 'pen' END AS what, COUNT(*) AS n FROM orders GROUP BY what ORDER BY what
-- what VARCHAR | n BIGINT
-- pen | 11
-- NULL | 13
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- date_trunc of a bounded date has its months, as timestamps.
SELECT date_trunc('month', day) AS month, COUNT(*) AS n FROM orders GROUP BY month ORDER BY month
-- month TIMESTAMP | n BIGINT
-- 2025-01-01 00:00:00 | 9
-- 2025-02-01 00:00:00 | 8
-- 2025-03-01 00:00:00 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- date_trunc of a timestamp, narrowed by a filter on it.
SELECT date_trunc('day', placed) AS d, COUNT(*) AS n FROM orders WHERE placed >= TIMESTAMP '2025-03-29 00:00:00' GROUP BY d ORDER BY d
-- d TIMESTAMP | n BIGINT
-- 2025-03-29 00:00:00 | 0
-- 2025-03-30 00:00:00 | 0
-- 2025-03-31 00:00:00 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A day narrowed by a filter.
SELECT day, COUNT(*) AS n FROM orders WHERE day BETWEEN '2025-01-05' AND '2025-01-07' GROUP BY day ORDER BY day
-- day DATE | n BIGINT
-- 2025-01-05 | 1
-- 2025-01-06 | 1
-- 2025-01-07 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- EXTRACT has as many groups as its range under the bounds.
SELECT EXTRACT(month FROM day) AS m, COUNT(*) AS n FROM orders GROUP BY m ORDER BY m
-- m BIGINT | n BIGINT
-- 1 | 9
-- 2 | 8
-- 3 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Whole division makes classes.
SELECT quantity // 5 AS class, COUNT(*) AS n FROM orders GROUP BY class ORDER BY class
-- class BIGINT | n BIGINT
-- 0 | 13
-- 1 | 10
-- 2 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Classes keep their lower end by multiplication.
SELECT quantity // 5 * 5 AS least, COUNT(*) AS n FROM orders GROUP BY least ORDER BY least
-- least BIGINT | n BIGINT
-- 0 | 13
-- 5 | 10
-- 10 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The remainder has its values.
SELECT quantity % 3 AS r, COUNT(*) AS n FROM orders GROUP BY r ORDER BY r
-- r BIGINT | n BIGINT
-- 0 | 7
-- 1 | 9
-- 2 | 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- COALESCE replaces the group of NULL.
SELECT COALESCE(coupon, 'none') AS c, COUNT(*) AS n FROM orders GROUP BY c ORDER BY c
-- c VARCHAR | n BIGINT
-- none | 15
-- spring | 6
-- summer | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Functions of a listed column have finitely many values.
SELECT upper(substring(region, 1, 1)) AS letter, COUNT(*) AS n FROM orders GROUP BY letter ORDER BY letter
-- letter VARCHAR | n BIGINT
-- E | 5
-- N | 10
-- S | 9
-- W | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Two keys have every pair.
SELECT region, paid, COUNT(*) AS n FROM orders WHERE region <> 'west' GROUP BY region, paid ORDER BY ALL
-- region VARCHAR | paid BOOLEAN | n BIGINT
-- east | false | 1
-- east | true | 4
-- north | false | 2
-- north | true | 8
-- south | false | 3
-- south | true | 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Two keys over one column have only the pairs that one value can make.
SELECT region, region = 'north' AS is_north, COUNT(*) AS n FROM orders GROUP BY ALL ORDER BY ALL
-- region VARCHAR | is_north BOOLEAN | n BIGINT
-- east | false | 5
-- north | true | 10
-- south | false | 9
-- west | false | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A key may be named by its position.
SELECT region, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 2 DESC, 1
-- region VARCHAR | n BIGINT
-- north | 10
-- south | 9
-- east | 5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- GROUP BY ALL groups by what is not aggregated.
SELECT COUNT(*) AS n, paid FROM orders GROUP BY ALL ORDER BY paid
-- n BIGINT | paid BOOLEAN
-- 6 | false
-- 18 | true
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A key need not be selected.
SELECT COUNT(*) AS n FROM orders GROUP BY region ORDER BY n
-- n BIGINT
-- 0
-- 5
-- 9
-- 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- An alias that is also a column's name means the column, as in DuckDB.
SELECT quantity > 5 AS paid, COUNT(*) AS n FROM orders GROUP BY paid, quantity > 5 ORDER BY ALL
-- paid BOOLEAN | n BIGINT
-- false | 4
-- false | 12
-- true | 2
-- true | 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- SELECT DISTINCT of listed values is public and costs nothing.
SELECT DISTINCT region FROM orders ORDER BY region
-- region VARCHAR
-- east
-- north
-- south
-- west
-- epsilon 0, delta 0, releases 1, mechanisms 0

-- So is GROUP BY without an aggregate.
SELECT region, 1 AS one FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | one INTEGER
-- east | 1
-- north | 1
-- south | 1
-- west | 1
-- epsilon 0, delta 0, releases 1, mechanisms 0

-- A constant key has one group.
SELECT 1 AS one, COUNT(*) AS n FROM orders GROUP BY one
-- one INTEGER | n BIGINT
-- 1 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A condition on what is grouped by leaves out the groups that it excludes, whatever they are computed of.
SELECT DATE(placed) AS d, COUNT(*) AS n FROM orders WHERE DATE(placed) BETWEEN '2025-01-05' AND '2025-01-08' GROUP BY d ORDER BY d
-- d DATE | n BIGINT
-- 2025-01-05 | 1
-- 2025-01-06 | 1
-- 2025-01-07 | 1
-- 2025-01-08 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same of a piece of a number, and of a month beside a condition on another part of the same moment.
SELECT CAST(amount AS BIGINT) // 25 AS piece, COUNT(*) AS n FROM orders WHERE CAST(amount AS BIGINT) // 25 > 1 AND amount < 90 GROUP BY piece ORDER BY piece
-- piece BIGINT | n BIGINT
-- 2 | 6
-- 3 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A cast to a narrower type of whole numbers is any of them: what might be too large for it has the type of all.
SELECT CAST(quantity * 1000000000 AS INTEGER) AS k, CAST(quantity AS SMALLINT) AS q, COUNT(*) AS n FROM orders WHERE quantity IN (2, 3, 10) GROUP BY ALL HAVING n > 0 ORDER BY k
-- k BIGINT | q BIGINT | n BIGINT
-- 2000000000 | 2 | 3
-- 3000000000 | 3 | 3
-- 10000000000 | 10 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- It is kept where every group fits.
SELECT CAST(quantity * 1000000000 AS INTEGER) AS k, CAST(quantity AS SMALLINT) AS q, COUNT(*) AS n FROM orders WHERE quantity IN (2, 3) GROUP BY ALL
-- k BIGINT | q SMALLINT | n BIGINT
-- 2000000000 | 2 | 3
-- 3000000000 | 3 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1
