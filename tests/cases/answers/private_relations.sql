-- policy: linked

-- Two tables with the unit's key, joined on it; the one-row table does not multiply.
SELECT plan, COUNT(*) AS n, SUM(amount) AS s FROM people JOIN orders ON person = customer WHERE plan IS NOT NULL GROUP BY plan ORDER BY plan
-- plan VARCHAR | n BIGINT | s DOUBLE
-- A | 14 | 739.5
-- B | 8 | 372.25
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same as a comma join with its condition in WHERE.
SELECT plan, COUNT(*) AS n FROM people, orders WHERE person = customer AND plan IN ('A', 'B') GROUP BY plan ORDER BY plan
-- plan VARCHAR | n BIGINT
-- A | 14
-- B | 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A table that is owned along a foreign key stands alone: rows whose key leads nowhere have no owner.
SELECT kind, COUNT(*) AS n, SUM(weight) AS w FROM parcels JOIN trips ON of_trip = trip GROUP BY kind ORDER BY kind
-- kind VARCHAR | n BIGINT | w HUGEINT
-- bag | 2 | 12
-- box | 5 | 16
-- tube | 2 | 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Three tables, the path and the unit's key together.
SELECT plan, SUM(weight) AS w FROM people p JOIN trips t ON p.person = t.person JOIN parcels ON of_trip = trip WHERE plan IS NOT NULL GROUP BY plan ORDER BY plan
-- plan VARCHAR | w HUGEINT
-- A | 32
-- B | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Two tables that are both many to one person: each pair of rows counts.
SELECT COUNT(*) AS n FROM orders JOIN trips ON customer = person
-- n BIGINT
-- 27
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A table with itself, on the unit's key.
SELECT COUNT(*) AS n FROM trips a JOIN trips b ON a.person = b.person AND a.trip < b.trip
-- n BIGINT
-- 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- LEFT JOIN keeps people without rows, inside the unit.
SELECT COUNT(*) AS n, COUNT(trip) AS t FROM people p LEFT JOIN trips t ON p.person = t.person
-- n BIGINT | t BIGINT
-- 14 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- RIGHT JOIN is the other way round.
SELECT COUNT(*) AS n, COUNT(trip) AS t FROM trips t RIGHT JOIN people p ON p.person = t.person
-- n BIGINT | t BIGINT
-- 14 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A condition of the joined side alone decides what matches.
SELECT COUNT(*) AS n, COUNT(customer) AS c FROM people LEFT JOIN (SELECT * FROM orders WHERE amount > 60) o ON person = customer
-- n BIGINT | c BIGINT
-- 14 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- EXISTS and NOT EXISTS, correlated on the unit's key.
SELECT COUNT(*) AS n FROM people WHERE EXISTS (SELECT 1 FROM orders WHERE customer = person AND region = 'east')
-- n BIGINT
-- 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- People without an order.
SELECT COUNT(*) AS n FROM people WHERE NOT EXISTS (SELECT * FROM orders WHERE customer = person)
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- IN and NOT IN over the unit's key.
SELECT COUNT(*) AS n FROM people WHERE person IN (SELECT customer FROM orders WHERE quantity >= 8)
-- n BIGINT
-- 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NOT IN: no key is NULL, so that it means what it says.
SELECT COUNT(*) AS n FROM people WHERE person NOT IN (SELECT customer FROM orders)
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- IN along the foreign key.
SELECT COUNT(*) AS n FROM trips WHERE trip IN (SELECT of_trip FROM parcels WHERE kind = 'box')
-- n BIGINT
-- 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- IN over a public query is IN over its values; so is EXISTS.
SELECT COUNT(*) AS n FROM orders WHERE region IN (SELECT region FROM regions WHERE country = 'Nordland') AND EXISTS (SELECT 1 FROM regions)
-- n BIGINT
-- 15
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A correlated test of a public table.
SELECT COUNT(*) AS n FROM orders o WHERE EXISTS (SELECT 1 FROM regions r WHERE r.region = o.region AND zone = 2)
-- n BIGINT
-- 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A public value in a comparison.
SELECT COUNT(*) AS n FROM orders WHERE quantity > (SELECT MAX(zone) FROM regions)
-- n BIGINT
-- 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A test as a group and inside FILTER.
SELECT EXISTS (SELECT 1 FROM trips t WHERE t.person = p.person) AS travels, COUNT(*) AS n FROM people p GROUP BY travels ORDER BY travels
-- travels BOOLEAN | n BIGINT
-- false | 7
-- true | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A test of the unit's other rows inside FILTER.
SELECT COUNT(*) FILTER (WHERE person IN (SELECT customer FROM orders WHERE region = 'south')) AS n FROM people
-- n BIGINT
-- 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows of one unit aggregated, then people: the average of per-person totals.
SELECT AVG(s) AS mean, COUNT(*) AS n FROM (SELECT customer, SUM(amount) AS s FROM orders GROUP BY customer) x
-- mean DOUBLE | n BIGINT
-- 124.8611111 | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- How many people have how many orders, people without one included: the counts are a public domain.
SELECT n, COUNT(*) AS people FROM (SELECT person, LEAST(COUNT(customer), 3) AS n FROM people LEFT JOIN orders ON person = customer GROUP BY person) x GROUP BY n ORDER BY n
-- n BIGINT | people BIGINT
-- 0 | 2
-- 1 | 1
-- 2 | 6
-- 3 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Per person and region; the region is still a public domain outside.
SELECT region, AVG(m) AS m FROM (SELECT customer, region, MAX(amount) AS m FROM orders GROUP BY customer, region) x GROUP BY region HAVING COUNT(*) > 0 ORDER BY region
-- region VARCHAR | m DOUBLE
-- east | 73
-- north | 40.91666667
-- south | 49.55
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- HAVING inside is a filter on people.
SELECT COUNT(*) AS n FROM (SELECT customer FROM orders GROUP BY customer HAVING COUNT(*) >= 2 AND MIN(amount) < 20) x
-- n BIGINT
-- 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Distinct pairs of a person and a product.
SELECT COUNT(*) AS n FROM (SELECT DISTINCT customer, product FROM orders) x
-- n BIGINT
-- 19
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Grouping by a foreign key is within one unit as well.
SELECT COUNT(*) AS n, AVG(w) AS w FROM (SELECT of_trip, LEAST(SUM(weight), 50) AS w FROM parcels JOIN trips ON of_trip = trip GROUP BY of_trip) x
-- n BIGINT | w DOUBLE
-- 7 | 5.142857143
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- People joined with their own aggregate.
SELECT plan, AVG(s) AS s FROM people JOIN (SELECT customer, SUM(quantity) AS s FROM orders GROUP BY customer) x ON person = customer WHERE plan = 'A' GROUP BY plan HAVING COUNT(*) > 1
-- plan VARCHAR | s DOUBLE
-- A | 17.75
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- UNION ALL of rows that belong to the same unit.
SELECT COUNT(*) AS n FROM (SELECT customer FROM orders WHERE region = 'north' UNION ALL SELECT person FROM trips WHERE person < 12) x
-- n BIGINT
-- 17
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- One query of WITH, used twice.
WITH o AS (SELECT customer, amount FROM orders) SELECT COUNT(*) AS n FROM o AS a JOIN o AS b ON a.customer = b.customer AND a.amount < b.amount
-- n BIGINT
-- 37
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A released average in a condition of a later release.
SELECT COUNT(*) AS n FROM orders WHERE amount > (SELECT AVG(amount) FROM orders)
-- n BIGINT
-- 11
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- Arithmetic on the released value, and a join around it.
SELECT COUNT(*) AS n FROM people JOIN orders ON person = customer WHERE amount > (SELECT 2 * AVG(amount) - 10 FROM orders WHERE region = 'east')
-- n BIGINT
-- 0
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- Distinct people are the distinct values of any column that is tied to the unit's key.
SELECT COUNT(DISTINCT customer) AS n FROM orders JOIN people ON customer = person WHERE age < 50
-- n BIGINT
-- 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A group by a column of the side that may be missing has a NULL group, although the column itself has no NULL.
SELECT region, COUNT(*) AS n FROM people LEFT JOIN orders ON person = customer AND amount > 90 GROUP BY region ORDER BY region NULLS LAST
-- region VARCHAR | n BIGINT
-- east | 1
-- north | 1
-- south | 0
-- west | 0
-- NULL | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A key that an outer join leaves empty is NULL for many people, who are one group.
SELECT COUNT(*) AS n FROM people p LEFT JOIN trips t ON p.person = t.person GROUP BY t.trip IS NULL, t.person IS NULL HAVING COUNT(*) > 0 ORDER BY n
-- n BIGINT
-- 7
-- 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- People without a trip have no key beside them to count.
SELECT COUNT(DISTINCT t.person) AS n FROM people p LEFT JOIN trips t ON p.person = t.person
-- n BIGINT
-- 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Where the key is there, it leads to a person again.
SELECT COUNT(*) AS n FROM (SELECT t.person, COUNT(*) AS c FROM people p LEFT JOIN trips t ON p.person = t.person WHERE t.person IS NOT NULL GROUP BY t.person) x
-- n BIGINT
-- 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What the other side of an outer join computes is NULL where nothing matched: constants, expressions, tests.
SELECT COUNT(one) AS n, COUNT(CASE WHEN NOT travels THEN 1 END) AS stay FROM people p LEFT JOIN (SELECT customer, 1 AS one, EXISTS (SELECT 1 FROM trips t WHERE t.person = customer) AS travels FROM orders) x ON p.person = x.customer
-- n BIGINT | stay BIGINT
-- 24 | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same from the left, beside a name of USING.
SELECT COUNT(one) AS n, COUNT(person) AS all_people FROM (SELECT person, COALESCE(trip, 0) AS one FROM trips) t RIGHT JOIN people p USING (person)
-- n BIGINT | all_people BIGINT
-- 7 | 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A name of the inner SELECT list comes before the columns of the query around it.
SELECT COUNT(*) AS n FROM people p WHERE EXISTS (SELECT amount AS age FROM orders b WHERE b.customer = p.person AND age > 50)
-- n BIGINT
-- 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A public test inside a public test may name the private row around both.
SELECT COUNT(*) AS n FROM orders p WHERE EXISTS (SELECT 1 FROM regions r WHERE EXISTS (SELECT 1 FROM regions g WHERE g.region = p.region AND g.zone = r.zone + 1))
-- n BIGINT
-- 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So may the one value of an IN.
SELECT COUNT(*) AS n FROM orders p WHERE p.quantity IN (SELECT r.zone + p.quantity - 1 FROM regions r)
-- n BIGINT
-- 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A constant may be the value of an IN: it is there where a row is.
SELECT COUNT(*) AS n FROM people WHERE age NOT IN (SELECT 34 FROM orders WHERE customer = person)
-- n BIGINT
-- 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What a filter has made small is a BIGINT, also where it was none before: LEFT takes no HUGEINT.
SELECT COUNT(*) AS n FROM (SELECT customer, MIN(product * product) AS least, MAX(region) AS region FROM orders WHERE product < 102 AND product > 100 GROUP BY customer) WHERE LEFT(region, least - 10200) = LEFT(region, 1)
-- n BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So is what a window finds.
SELECT COUNT(*) AS n FROM (SELECT customer, region, LAG(product * product) OVER (PARTITION BY customer ORDER BY day) AS before FROM orders WHERE product < 102 AND product > 100) WHERE LEFT(region, before - 10200) = LEFT(region, 1)
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1
