-- policy: shop

-- Each different value counts once.
SELECT COUNT(DISTINCT quantity) AS n, SUM(DISTINCT quantity) AS s FROM orders
-- n BIGINT | s HUGEINT
-- 11 | 55
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- NULL is no value, and over no rows the sum is 0.
SELECT SUM(DISTINCT rating) AS s, COALESCE(SUM(DISTINCT rating), 0) AS c FROM orders WHERE product > 999
-- s HUGEINT | c HUGEINT
-- 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Values of groups, of some rows, and beside a sum of all values.
SELECT region, SUM(DISTINCT rating) AS different, SUM(rating) AS every, SUM(DISTINCT rating) FILTER (WHERE paid) AS paid FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | different HUGEINT | every HUGEINT | paid HUGEINT
-- east | 10 | 14 | 10
-- north | 14 | 29 | 14
-- south | 15 | 18 | 11
-- west | 0 | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- Amounts are different where their cents are.
SELECT SUM(DISTINCT amount) AS s, SUM(DISTINCT amount) / COUNT(DISTINCT amount) > 0 AS positive FROM orders
-- s DOUBLE | positive BOOLEAN
-- 1123.75 | true
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- An average of different values is their sum over their number.
SELECT AVG(DISTINCT quantity) AS a, ROUND(AVG(DISTINCT rating) FILTER (WHERE paid), 2) + 1 AS b FROM orders HAVING AVG(DISTINCT quantity) > 0
-- a DOUBLE | b DOUBLE
-- 5 | 4
-- epsilon 1, delta 0, releases 1, mechanisms 4

-- Over no rows there is none.
SELECT AVG(DISTINCT rating) FROM orders WHERE product > 999
-- avg(DISTINCT rating) DOUBLE
-- NULL
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- A private group's sum is released beside its number of customers.
SELECT product, SUM(DISTINCT rating) AS s FROM orders GROUP BY product ORDER BY product
-- product BIGINT | s HUGEINT
-- 101 | 15
-- 102 | 13
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- It is an input of another question.
SELECT COUNT(*) AS n FROM orders WHERE amount > (SELECT SUM(DISTINCT rating) FROM orders)
-- n BIGINT
-- 21
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- A grid of fewer numbers than the argument has values: what is beyond a constant is that constant.
SELECT SUM(DISTINCT LEAST(quantity / 7 + 100, 50)) AS s FROM orders
-- s DOUBLE
-- 50
-- epsilon 1, delta 0, releases 1, mechanisms 1
