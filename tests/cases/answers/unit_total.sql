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

-- A multiple of the column inherits the total as often: each row counts with what the clipping left of it.
SELECT SUM(amount * 2) AS twice, SUM(-amount / 4) AS quarter FROM orders
-- twice DOUBLE | quarter DOUBLE
-- 1484.5 | -185.5625
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- The factor may be any value of the row that has bounds; what is clipped is the column, before it is multiplied.
SELECT SUM(amount * (1 - quantity / 20.0)) <= SUM(amount) AS less, SUM(amount * quantity) <= 10 * 100 * 9 AS bounded FROM orders
-- less BOOLEAN | bounded BOOLEAN
-- true | true
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- A product and what is left of it add up to the clipped whole.
SELECT SUM(amount * 0.25) + SUM(amount * (1 - 0.25)) AS total FROM orders
-- total DOUBLE
-- 742.25
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Branches of a condition may be different multiples.
SELECT SUM(CASE WHEN paid THEN amount * 0.5 ELSE amount END) + 0.5 * SUM(amount) FILTER (WHERE paid) AS total FROM orders
-- total DOUBLE
-- 742.25
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Groups are chosen by multiples under the total, too.
SELECT region FROM orders GROUP BY region ORDER BY SUM(amount * quantity) DESC LIMIT 1
-- region VARCHAR
-- north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The number of customers needs no cap on rows.
SELECT COUNT(DISTINCT customer) AS customers FROM orders
-- customers BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A filter may leave a value that can only be 0, of which a multiple is too.
SELECT SUM(amount * 0.3) AS nothing FROM orders WHERE amount = 0
-- nothing DOUBLE
-- 0
-- epsilon 1, delta 0, releases 1, mechanisms 1
