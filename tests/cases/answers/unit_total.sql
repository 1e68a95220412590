-- policy: unit_total

-- A customer's amounts count up to 100: 100 each of customers 1, 3, 4, 5, 76.5 of 2, 12 of 6, 55 of 7, 99 of 8, 99.75 of 9.
SELECT SUM(amount) AS total FROM orders
-- total DOUBLE
-- 742.25
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Groups add up to the same total, since the clipping is done before them.
SELECT ROUND(SUM(total), 2) AS total FROM (SELECT region, SUM(amount) AS total FROM orders GROUP BY region) AS x
-- total DOUBLE
-- 742.25
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A filter comes after the clipping, and can only take away.
SELECT SUM(amount) <= 100 AS at_most FROM orders WHERE customer = 1 AND quantity > 2
-- at_most BOOLEAN
-- true
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- CASE with 0 elsewhere inherits the total.
SELECT SUM(CASE WHEN customer = 4 THEN amount ELSE 0 END) AS four FROM orders
-- four DOUBLE
-- 100
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Both branches of a condition add up to the clipped whole.
SELECT SUM(CASE WHEN paid THEN amount END) + SUM(CASE WHEN NOT paid THEN amount END) AS total FROM orders
-- total DOUBLE
-- 742.25
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The number of customers needs no cap on rows.
SELECT COUNT(DISTINCT customer) AS customers FROM orders
-- customers BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1
