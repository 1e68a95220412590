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

-- With another LIMIT it is a histogram too.
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
