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
