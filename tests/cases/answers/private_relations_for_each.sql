-- policy: linked

-- Orders above their customer's own average: an aggregate of the same person's rows is private like them.
SELECT COUNT(*) AS n FROM orders o WHERE amount > (SELECT AVG(amount) FROM orders i WHERE i.customer = o.customer)
-- n BIGINT
-- 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A count of no rows is 0.
SELECT COUNT(*) AS n FROM people p WHERE (SELECT COUNT(*) FROM orders i WHERE i.customer = p.person) = 0
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Several aggregates in one, over some of the rows.
SELECT COUNT(*) AS n FROM people p WHERE (SELECT COUNT(*) + COALESCE(SUM(quantity), 0) FROM orders i WHERE i.customer = p.person AND region = 'north') < 3
-- n BIGINT
-- 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Tied along the foreign key.
SELECT COUNT(*) AS n FROM trips t WHERE (SELECT SUM(weight) FROM parcels WHERE of_trip = t.trip) > 5
-- n BIGINT
-- 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Tied by the person and by one column more.
SELECT COUNT(*) AS n FROM orders o WHERE quantity > (SELECT MIN(quantity) FROM orders i WHERE i.customer = o.customer AND i.region = o.region)
-- n BIGINT
-- 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- In the SELECT list, to be averaged over people.
SELECT AVG(LEAST((SELECT COUNT(*) FROM orders i WHERE i.customer = p.person), 20)) AS m FROM people p
-- m DOUBLE
-- 2.181818182
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The one row that the unit has in another table.
SELECT (SELECT plan FROM people p WHERE p.person = o.customer) AS plan, COUNT(*) AS n, SUM((SELECT age FROM people p WHERE p.person = o.customer AND plan = 'A')) AS ages FROM orders o GROUP BY 1 ORDER BY 1
-- plan VARCHAR | n BIGINT | ages HUGEINT
-- A | 14 | 592
-- B | 8 | 0
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3
