-- policy: dataset_cap

-- Three orders of a customer count: customer 1 has eight, the others three at most.
SELECT COUNT(*) AS n FROM orders
-- n BIGINT
-- 19
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The cap is on what passes the filter: here customer 1 has four orders, of which three count.
SELECT COUNT(*) AS n FROM orders WHERE quantity >= 5
-- n BIGINT
-- 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Nothing is lost where the filter leaves no customer more than three.
SELECT COUNT(*) AS n, SUM(amount) AS total FROM orders WHERE region = 'north'
-- n BIGINT | total DOUBLE
-- 10 | 320.75
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A join that multiplies rows multiplies what the cap takes.
SELECT COUNT(*) AS n FROM orders JOIN tags USING (region)
-- n BIGINT
-- 23
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Customers are counted in full: a customer counts once anyway.
SELECT COUNT(DISTINCT customer) AS customers FROM orders
-- customers BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Under a table's cap the rows are gone before the filter.
-- policy: table_cap
SELECT COUNT(*) AS n FROM orders
-- n BIGINT
-- 19
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Whatever the filters, they are the same three rows of customer 1: here their number by region.
-- policy: table_cap
SELECT region, COUNT(*) AS n FROM orders WHERE customer = 1 GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT
-- east | 1
-- north | 1
-- south | 1
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Groups add up to the whole.
-- policy: table_cap
SELECT SUM(n) AS n FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS x
-- n HUGEINT
-- 19
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Every row a unit of its own: nothing is bounded.
-- policy: rows
SELECT COUNT(*) AS n, SUM(amount) AS total FROM orders
-- n BIGINT | total DOUBLE
-- 24 | 1123.75
-- epsilon 1, delta 0, releases 1, mechanisms 1
