-- policy: found_limits

-- Counts that no limit in the policy bounds.
SELECT COUNT(*) AS n, COUNT(coupon) AS c FROM orders
-- n BIGINT | c BIGINT
-- 24 | 9
-- epsilon 100, delta 0, releases 1, mechanisms 4

-- Sums and averages under a filter.
SELECT AVG(amount) AS a, SUM(quantity) AS q FROM orders WHERE paid
-- a DOUBLE | q HUGEINT
-- 49.03571429 | 64
-- epsilon 100, delta 0, releases 1, mechanisms 6

-- One factor for all groups of a person; how many people a group has.
SELECT region, COUNT(*) AS n, COUNT(DISTINCT customer) AS u FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT | u BIGINT
-- east | 5 | 3
-- north | 10 | 6
-- south | 9 | 5
-- west | 0 | 0
-- epsilon 100, delta 0, releases 1, mechanisms 4

-- Conditions that exclude each other share one limit, whatever their sums are worth.
SELECT COUNT(*) FILTER (WHERE paid) AS p, SUM(CASE WHEN NOT paid THEN quantity END) AS q FROM orders
-- p BIGINT | q HUGEINT
-- 18 | 22
-- epsilon 100, delta 0, releases 1, mechanisms 4

-- Spreads and two columns.
SELECT STDDEV_POP(quantity) AS d, CORR(quantity, amount) AS c FROM orders WHERE region <> 'west'
-- d DOUBLE | c DOUBLE
-- 2.706730295 | 0.9959458756
-- epsilon 100, delta 0, releases 1, mechanisms 2

-- Rows that a join has multiplied.
SELECT t.tag, COUNT(*) AS n, SUM(o.quantity) AS q FROM orders o JOIN tags t ON t.region = o.region GROUP BY t.tag ORDER BY t.tag
-- tag VARCHAR | n BIGINT | q HUGEINT
-- cold | 10 | 30
-- sea | 15 | 66
-- warm | 9 | 40
-- epsilon 100, delta 0, releases 1, mechanisms 4

-- Rows of a relation with a row for each person are bounded by themselves.
SELECT COUNT(*) AS people, AVG(LEAST(n, 10)) AS a FROM (SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer) AS c
-- people BIGINT | a DOUBLE
-- 9 | 2.666666667
-- epsilon 100, delta 0, releases 1, mechanisms 1

-- People who are counted once have no limit to be found.
SELECT COUNT(DISTINCT customer) AS u FROM orders WHERE paid
-- u BIGINT
-- 9
-- epsilon 100, delta 0, releases 1, mechanisms 1

-- Filtered and sorted afterwards.
SELECT region, SUM(amount) AS s FROM orders GROUP BY region HAVING COUNT(*) > 5 ORDER BY s DESC LIMIT 2
-- region VARCHAR | s DOUBLE
-- south | 429
-- north | 320.75
-- epsilon 100, delta 0, releases 1, mechanisms 4
