-- policy: linked

-- Aggregates of each person's own rows, whether or not there are any.
SELECT COUNT(*) AS n, SUM(c) AS c, COUNT(m) AS m FROM people p, LATERAL (SELECT LEAST(COUNT(*), 5) AS c, MAX(amount) AS m FROM orders o WHERE o.customer = p.person) x
-- n BIGINT | c HUGEINT | m BIGINT
-- 11 | 21 | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows that a row around them finds; a LEFT JOIN keeps it where there are none.
SELECT COUNT(*) AS n, COUNT(a) AS a, COUNT(one) AS ones, SUM(d) AS d FROM people p LEFT JOIN LATERAL (SELECT p.age AS a, 1 AS one, quantity + p.age AS d FROM orders o WHERE o.customer = p.person AND o.quantity * 10 > p.age) x ON true
-- n BIGINT | a BIGINT | ones BIGINT | d HUGEINT
-- 18 | 13 | 13 | 577
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The latest row of each person.
SELECT region, COUNT(*) AS n, SUM(amount) AS s FROM people p JOIN LATERAL (SELECT region, amount FROM orders o WHERE o.customer = p.person ORDER BY day DESC, amount DESC LIMIT 1) x ON true GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT | s DOUBLE
-- east | 3 | 219
-- north | 4 | 188
-- south | 2 | 110.75
-- west | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The first two, of those with some value of the row around them.
SELECT COUNT(*) AS n, SUM(q) AS q FROM orders p LEFT JOIN LATERAL (SELECT quantity AS q FROM orders o WHERE o.customer = p.customer AND o.region = p.region ORDER BY quantity LIMIT 2) x ON true
-- n BIGINT | q HUGEINT
-- 42 | 181
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Names for expressions, of which later ones are made.
SELECT w, COUNT(*) AS n FROM orders o, LATERAL (SELECT quantity / 2 AS half) x, LATERAL (SELECT CAST(floor(half) AS BIGINT) AS w) y WHERE half >= 4 GROUP BY w ORDER BY w
-- w BIGINT | n BIGINT
-- 4 | 3
-- 5 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Public rows found by a private one.
SELECT zone, COUNT(*) AS n FROM orders o LEFT JOIN LATERAL (SELECT zone FROM regions r WHERE r.region = o.region AND r.zone < o.quantity) x ON true GROUP BY zone ORDER BY zone NULLS LAST
-- zone BIGINT | n BIGINT
-- 1 | 6
-- 2 | 12
-- 3 | 0
-- NULL | 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- On released results it is DuckDB's own.
SELECT x.region, y.c FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) x LEFT JOIN LATERAL (SELECT COUNT(*) AS c FROM regions r WHERE r.zone < x.n) y ON true ORDER BY x.region
-- region VARCHAR | c BIGINT
-- east | 4
-- north | 4
-- south | 4
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Groups of each person's own rows, beside the person.
SELECT x.region, COUNT(*) AS n, SUM(x.q) AS q FROM people p, LATERAL (SELECT region, LEAST(SUM(quantity), 20) AS q FROM orders o WHERE o.customer = p.person AND o.amount > 15 GROUP BY region) x GROUP BY x.region ORDER BY x.region
-- region VARCHAR | n BIGINT | q HUGEINT
-- east | 3 | 36
-- north | 5 | 28
-- south | 5 | 40
-- west | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A person without a group stays behind LEFT JOIN.
SELECT p.plan, COUNT(*) AS n, COUNT(x.c) AS groups FROM people p LEFT JOIN LATERAL (SELECT o.region, COUNT(*) AS c FROM orders o WHERE p.person = o.customer GROUP BY 1 HAVING COUNT(*) > 1) x ON TRUE GROUP BY p.plan ORDER BY p.plan
-- plan VARCHAR | n BIGINT | groups BIGINT
-- A | 7 | 5
-- B | 4 | 2
-- NULL | 2 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1
