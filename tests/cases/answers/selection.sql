-- policy: shop

-- The best group alone is one private selection.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1
-- region VARCHAR
-- north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Ascending, groups without rows are the first.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) LIMIT 1
-- region VARCHAR
-- west
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- By a sum.
SELECT region FROM orders GROUP BY region ORDER BY SUM(amount) DESC LIMIT 1
-- region VARCHAR
-- south
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- By the number of customers.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(DISTINCT customer) DESC LIMIT 1
-- region VARCHAR
-- north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- By a count of some rows.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) FILTER (WHERE quantity >= 7) DESC LIMIT 1
-- region VARCHAR
-- east
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- By the number of products.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(DISTINCT product) DESC LIMIT 1
-- region VARCHAR
-- north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Over a derived domain, with two keys.
SELECT region, quantity // 5 AS class FROM orders GROUP BY 1, 2 ORDER BY COUNT(*) DESC LIMIT 1
-- region VARCHAR | class BIGINT
-- north | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A selection in a subquery is one value of the outer query.
SELECT 'best: ' || (SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1) AS best
-- best VARCHAR
-- best: north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- With the value beside the key it is a histogram, sorted afterwards.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region ORDER BY n DESC LIMIT 1
-- region VARCHAR | n BIGINT
-- north | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Several choices by a count would each have a part of the budget, and a histogram is as good: it is sorted.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 2
-- region VARCHAR
-- north
-- south
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- An average is released, then sorted.
SELECT region FROM orders GROUP BY region HAVING COUNT(*) > 1 ORDER BY AVG(amount) DESC LIMIT 1
-- region VARCHAR
-- east
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The tie-breakers that tools add are keys, and settle nothing that the choice has left open.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC, region LIMIT 1
-- region VARCHAR
-- north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The score may be named by its place or name, and rise or fall with the aggregate.
SELECT UPPER(region) AS r FROM orders GROUP BY region ORDER BY -ROUND(SUM(amount) / 100, 1), r LIMIT 1
-- r VARCHAR
-- SOUTH
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Numbers of customers: a customer moves each region by one, so that two choices are better than a histogram.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(DISTINCT customer) DESC LIMIT 2
-- region VARCHAR
-- north
-- south
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- With the value: half of the budget chooses, half releases the values of what is chosen.
SELECT region, COUNT(DISTINCT customer) AS n FROM orders GROUP BY region ORDER BY n DESC LIMIT 2
-- region VARCHAR | n BIGINT
-- north | 6
-- south | 5
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- By its place, ascending: the region without customers is first.
SELECT region, COUNT(DISTINCT customer) AS n FROM orders GROUP BY region ORDER BY 2, 1 LIMIT 2
-- region VARCHAR | n BIGINT
-- west | 0
-- east | 3
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- More groups than there are.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(DISTINCT customer) LIMIT 9
-- region VARCHAR
-- west
-- east
-- south
-- north
-- epsilon 1, delta 0, releases 1, mechanisms 4

-- Another group than the first is found by sorting, where values are asked for.
SELECT region, COUNT(DISTINCT customer) AS n FROM orders GROUP BY region ORDER BY n DESC LIMIT 1 OFFSET 1
-- region VARCHAR | n BIGINT
-- south | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Nothing is skipped by an OFFSET of 0.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1 OFFSET 0
-- region VARCHAR
-- north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- HAVING looks at the values of all groups.
SELECT region FROM orders GROUP BY region HAVING COUNT(*) < 10 ORDER BY COUNT(*) DESC LIMIT 1
-- region VARCHAR
-- south
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So do window functions.
SELECT region, ROW_NUMBER() OVER (ORDER BY region) AS place FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1
-- region VARCHAR | place BIGINT
-- north | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A quotient of aggregates is released, then sorted.
SELECT region FROM orders GROUP BY region ORDER BY SUM(amount) / GREATEST(COUNT(*), 1) DESC LIMIT 1
-- region VARCHAR
-- east
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The largest of a subquery's groups.
SELECT n FROM (SELECT region, COUNT(DISTINCT customer) AS n FROM orders GROUP BY region ORDER BY n DESC LIMIT 1)
-- n BIGINT
-- 6
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Private keys: first which exist, then the best of them.
SELECT product FROM orders GROUP BY product ORDER BY COUNT(DISTINCT customer) DESC LIMIT 2
-- product BIGINT
-- 101
-- 102
-- epsilon 1, delta 1e-06, releases 1, mechanisms 4

-- With their values.
SELECT product, COUNT(DISTINCT customer) AS n FROM orders GROUP BY product ORDER BY n DESC LIMIT 2
-- product BIGINT | n BIGINT
-- 101 | 9
-- 102 | 6
-- epsilon 1, delta 1e-06, releases 1, mechanisms 5

-- Without a limit on rows, units can be chosen by.
-- policy: unit_total
SELECT region FROM orders GROUP BY region ORDER BY COUNT(DISTINCT customer) DESC LIMIT 3
-- region VARCHAR
-- north
-- south
-- east
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- And by a sum under its total.
-- policy: unit_total
SELECT region FROM orders GROUP BY region ORDER BY SUM(amount) DESC LIMIT 1
-- region VARCHAR
-- south
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Of a constant factor 0 nothing is left to choose by.
SELECT COUNT(*) AS n FROM orders GROUP BY region ORDER BY COUNT(*) * 0, 1 LIMIT 1
-- n BIGINT
-- 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The best of one group is that group: nothing is chosen, and nothing is charged.
-- policy: shop
SELECT region FROM orders WHERE region = 'north' GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1
-- region VARCHAR
-- north
-- epsilon 0, delta 0, releases 1, mechanisms 0

-- The best of two is chosen.
-- policy: shop
SELECT region FROM orders WHERE region IN ('north', 'west') GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1
-- region VARCHAR
-- north
-- epsilon 1, delta 0, releases 1, mechanisms 1
