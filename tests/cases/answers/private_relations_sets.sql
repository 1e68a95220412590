-- policy: linked

-- UNION of rows of one unit: equal rows of a person are one row.
SELECT COUNT(*) AS n FROM (SELECT customer, region FROM orders WHERE quantity > 2 UNION SELECT customer, region FROM orders WHERE amount < 40) x
-- n BIGINT
-- 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- People who ordered and travelled.
SELECT COUNT(*) AS n FROM (SELECT customer FROM orders INTERSECT SELECT person FROM trips) x
-- n BIGINT
-- 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- People who never ordered.
SELECT COUNT(*) AS n FROM (SELECT person FROM people EXCEPT SELECT customer FROM orders) x
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NULL is equal to NULL where rows are compared.
SELECT COUNT(*) AS n FROM (SELECT person, plan FROM people INTERSECT SELECT person, plan FROM people WHERE age > 30) x
-- n BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- INTERSECT ALL counts: of each person's rows as many as both sides have.
SELECT COUNT(*) AS n FROM (SELECT customer FROM orders INTERSECT ALL SELECT person FROM trips) x
-- n BIGINT
-- 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- EXCEPT ALL takes one row away for each on the right.
SELECT region, COUNT(*) AS n FROM (SELECT customer, region FROM orders EXCEPT ALL SELECT customer, region FROM orders WHERE quantity > 3) x GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT
-- east | 0
-- north | 7
-- south | 3
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NULL is equal to NULL there too.
SELECT COUNT(*) AS n FROM (SELECT customer, CASE WHEN quantity > 3 THEN region END AS r FROM orders INTERSECT ALL SELECT customer, CASE WHEN quantity < 7 THEN NULL ELSE region END FROM orders) x
-- n BIGINT
-- 16
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The key of the unit is still one behind UNION ALL.
SELECT COUNT(DISTINCT customer) AS people FROM (SELECT customer, region FROM orders UNION ALL SELECT person, 'away' FROM trips) u
-- people BIGINT
-- 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So that groups by it are groups of one unit, also of more than two branches.
SELECT COUNT(*) AS n FROM (SELECT customer, COUNT(*) AS c FROM (SELECT quantity, customer FROM orders UNION ALL SELECT 1, person FROM trips UNION ALL SELECT age, person FROM people) u GROUP BY customer) v WHERE c > 3
-- n BIGINT
-- 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A column that is the key of the unit in one branch alone is none.
SELECT COUNT(DISTINCT who) AS n FROM (SELECT customer AS who, region FROM orders UNION ALL SELECT trip, 'away' FROM trips) u
-- n BIGINT
-- 17
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Beside a FULL JOIN, the key of one side is not the unit's where that side is missing.
SELECT COUNT(DISTINCT o.customer) AS orders, COUNT(DISTINCT t.person) AS trips FROM orders o FULL JOIN trips t ON o.customer = t.person AND t.trip > 506
-- orders BIGINT | trips BIGINT
-- 9 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 2
