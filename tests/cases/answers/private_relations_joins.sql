-- policy: linked

-- FULL JOIN inside the unit: orders without a trip, trips without an order, and pairs.
SELECT COUNT(*) AS n, COUNT(o.amount) AS orders, COUNT(t.trip) AS trips, SUM(amount) AS s FROM orders o FULL JOIN trips t ON o.customer = t.person
-- n BIGINT | orders BIGINT | trips BIGINT | s DOUBLE
-- 37 | 36 | 28 | 1684.75
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A key that USING makes of two is the person's in every row.
SELECT COUNT(DISTINCT person) AS people, COUNT(age) AS known, COUNT(trip) AS trips FROM people FULL JOIN trips USING (person)
-- people BIGINT | known BIGINT | trips BIGINT
-- 12 | 14 | 8
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- So that groups by it are groups of one unit.
SELECT COUNT(*) AS n FROM (SELECT person, COUNT(age) AS a, COUNT(trip) AS t FROM people FULL OUTER JOIN trips USING (person) GROUP BY person) x WHERE a = 0 OR t > 2
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The one of two compared keys that is there is the person's, too, under whatever names.
SELECT COUNT(DISTINCT COALESCE(p.person, t.person)) AS people, COUNT(age) AS known, COUNT(trip) AS trips FROM people p FULL JOIN trips t ON p.person = t.person
-- people BIGINT | known BIGINT | trips BIGINT
-- 12 | 14 | 8
-- epsilon 1, delta 0, releases 1, mechanisms 2

SELECT COUNT(*) AS n FROM (SELECT IFNULL(t.person, p.person) AS u, COUNT(age) AS a, COUNT(trip) AS t FROM people p FULL OUTER JOIN trips t ON t.person = p.person GROUP BY 1) x WHERE a = 0 OR t > 2
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What a side computes is NULL where it is missing, on both sides.
SELECT COUNT(*) AS n, COUNT(one) AS ones, COUNT(two) AS twos FROM (SELECT person, 1 AS one FROM people WHERE age > 40) p FULL JOIN (SELECT customer, 2 AS two FROM orders) o ON p.person = o.customer
-- n BIGINT | ones BIGINT | twos BIGINT
-- 26 | 11 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Groups by a column of either side, with NULL for the other's rows.
SELECT plan, COUNT(*) AS n FROM people p FULL JOIN trips t ON p.person = t.person AND p.age > 30 GROUP BY plan ORDER BY plan NULLS LAST
-- plan VARCHAR | n BIGINT
-- A | 6
-- B | 4
-- NULL | 6
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- FULL JOIN with a public table keeps its groups, and private rows without a match.
SELECT r.zone, COUNT(amount) AS n FROM (SELECT * FROM orders WHERE quantity > 4) o FULL JOIN regions r ON r.region = o.region AND r.zone < 2 GROUP BY r.zone ORDER BY r.zone NULLS LAST
-- zone BIGINT | n BIGINT
-- 1 | 2
-- 2 | 0
-- 3 | 0
-- NULL | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NATURAL JOIN compares all columns that both sides have, between private tables and with public ones.
SELECT COUNT(*) AS n, SUM(zone) AS z FROM orders NATURAL JOIN regions WHERE zone > 1
-- n BIGINT | z HUGEINT
-- 14 | 28
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- The unit's key is one of them.
SELECT plan, COUNT(trip) AS n FROM people NATURAL LEFT JOIN trips WHERE plan IS NOT NULL GROUP BY plan ORDER BY plan
-- plan VARCHAR | n BIGINT
-- A | 6
-- B | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- SEMI JOIN and ANTI JOIN, as EXISTS and NOT EXISTS.
SELECT COUNT(*) AS n FROM people p SEMI JOIN orders o ON p.person = o.customer AND o.quantity > 7
-- n BIGINT
-- 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- People who never travelled.
SELECT COUNT(*) AS n FROM people ANTI JOIN trips USING (person)
-- n BIGINT
-- 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- With a public table.
SELECT COUNT(*) AS n FROM orders ANTI JOIN (SELECT * FROM regions WHERE zone = 2) r USING (region)
-- n BIGINT
-- 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A test of other rows in a join's condition, of one side or of both.
SELECT COUNT(*) AS n FROM people p JOIN orders o ON p.person = o.customer AND EXISTS (SELECT 1 FROM trips t WHERE t.person = p.person AND t.trip > o.quantity * 100)
-- n BIGINT
-- 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- In the condition of an outer join it decides what matches.
SELECT COUNT(*) AS n, COUNT(amount) AS m FROM people p LEFT JOIN orders o ON p.person = o.customer AND NOT EXISTS (SELECT 1 FROM trips t WHERE t.person = p.person)
-- n BIGINT | m BIGINT
-- 15 | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So does one of the side that may be missing, of IN over public values, and of an aggregate of the unit's own rows.
SELECT COUNT(*) AS n, COUNT(amount) AS m FROM people p LEFT JOIN orders o ON p.person = o.customer AND o.region IN (SELECT region FROM regions WHERE zone = 2) AND o.amount > (SELECT AVG(amount) FROM orders i WHERE i.customer = o.customer)
-- n BIGINT | m BIGINT
-- 14 | 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A released value in a join's condition.
SELECT COUNT(*) AS n, COUNT(amount) AS m FROM people p LEFT JOIN orders o ON p.person = o.customer AND o.amount > (SELECT AVG(amount) FROM orders)
-- n BIGINT | m BIGINT
-- 16 | 11
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- Behind an outer join that lists public rows, a join by a key of the private ones leaves those without a match out.
SELECT plan, COUNT(*) AS n FROM regions r LEFT JOIN orders o ON r.region = o.region JOIN people ON person = customer GROUP BY plan ORDER BY plan NULLS LAST
-- plan VARCHAR | n BIGINT
-- A | 14
-- B | 8
-- NULL | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- An outer one keeps them, and adds nothing to them.
SELECT r.zone, COUNT(amount) AS n, COUNT(age) AS old FROM regions r LEFT JOIN orders o ON r.region = o.region LEFT JOIN people ON person = customer AND age > 40 GROUP BY r.zone ORDER BY r.zone
-- zone BIGINT | n BIGINT | old BIGINT
-- 1 | 10 | 1
-- 2 | 14 | 8
-- 3 | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A key that is compared with the person's, and is not it, is no person where it stands alone.
SELECT COUNT(*) AS n FROM (SELECT COALESCE(p.person, t.trip) AS u, COUNT(*) AS rows FROM people p FULL JOIN trips t ON p.person = t.person AND p.person = t.trip GROUP BY 1) x WHERE rows > 1
-- n BIGINT
-- 0
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3
