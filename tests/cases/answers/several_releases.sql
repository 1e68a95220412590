-- policy: shop

-- Two scalar subqueries are two releases that share the epsilon.
SELECT (SELECT COUNT(*) FROM orders WHERE paid) AS paid, (SELECT COUNT(*) FROM orders) AS n
-- paid BIGINT | n BIGINT
-- 18 | 24
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- Two derived tables, joined after their release.
SELECT a.region, a.n, b.n AS paid FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS a JOIN (SELECT region, COUNT(*) AS n FROM orders WHERE paid GROUP BY region) AS b USING (region) ORDER BY a.region
-- region VARCHAR | n BIGINT | paid BIGINT
-- east | 5 | 4
-- north | 10 | 8
-- south | 9 | 6
-- west | 0 | 0
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- A public list of groups beside a release is free.
SELECT r.region, c.n FROM (SELECT DISTINCT region FROM orders) AS r CROSS JOIN (SELECT COUNT(*) AS n FROM orders) AS c ORDER BY r.region
-- region VARCHAR | n BIGINT
-- east | 24
-- north | 24
-- south | 24
-- west | 24
-- epsilon 1, delta 0, releases 2, mechanisms 1

-- A released value is compared with others in HAVING.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region HAVING COUNT(*) > (SELECT COUNT(*) / 4 FROM orders) ORDER BY region
-- region VARCHAR | n BIGINT
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- A subquery about a public table in a SELECT over private rows is free.
SELECT COUNT(*) AS n, (SELECT COUNT(*) FROM regions) AS regions FROM orders
-- n BIGINT | regions BIGINT
-- 24 | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- UNION of three years' months is three releases.
SELECT 1 AS m, COUNT(*) AS n FROM orders WHERE EXTRACT(month FROM day) = 1 UNION ALL SELECT 2, COUNT(*) FROM orders WHERE EXTRACT(month FROM day) = 2 UNION ALL SELECT 3, COUNT(*) FROM orders WHERE EXTRACT(month FROM day) = 3 ORDER BY m
-- m INTEGER | n BIGINT
-- 1 | 9
-- 2 | 8
-- 3 | 7
-- epsilon 1, delta 0, releases 3, mechanisms 3

-- EXISTS over a release is true: there is always one row.
SELECT EXISTS (SELECT COUNT(*) FROM orders WHERE false) AS there
-- there BOOLEAN
-- true
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A subquery stands for one value where an equality finds one of the released groups.
-- policy: linked
WITH x AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) SELECT region, n - (SELECT n FROM x AS y WHERE y.region = 'north') AS less FROM x ORDER BY region
-- region VARCHAR | less BIGINT
-- east | -5
-- north | 0
-- south | -1
-- west | -10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Where the row around it does, in released groups and in a public table.
-- policy: linked
WITH x AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) SELECT r.region, (SELECT n FROM x WHERE x.region = r.region) AS n FROM regions r ORDER BY r.region
-- region VARCHAR | n BIGINT
-- east | 5
-- north | 10
-- south | 9
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Where there is one group, one row of a public table, or LIMIT 1.
-- policy: linked
WITH t AS (SELECT COUNT(*) AS n FROM orders) SELECT (SELECT n FROM t) AS a, (SELECT region FROM regions ORDER BY region LIMIT 1) AS b, (SELECT region FROM regions WHERE region = 'west') AS c, (SELECT 1) AS d
-- a BIGINT | b VARCHAR | c VARCHAR | d INTEGER
-- 24 | east | west | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A public table is looked up by the group that a row of the answer stands for.
SELECT o.region, COUNT(*) AS n, (SELECT MAX(r.region) FROM regions r WHERE r.region = o.region LIMIT 1) AS same FROM orders o GROUP BY o.region HAVING EXISTS (SELECT 1 FROM regions r WHERE r.region = o.region AND r.region > 'n') ORDER BY (SELECT COUNT(*) FROM regions r WHERE r.region > o.region)
-- region VARCHAR | n BIGINT | same VARCHAR
-- west | 0 | west
-- south | 9 | south
-- north | 10 | north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- LIMIT of one or more changes nothing where there is one row, or where rows are only tested for.
SELECT COUNT(*) AS n FROM orders o WHERE quantity > (SELECT AVG(quantity) FROM orders p WHERE p.region = o.region LIMIT 1) AND EXISTS (SELECT 1 FROM orders q WHERE q.customer = o.customer ORDER BY q.quantity LIMIT 1) AND o.region = (SELECT r.region FROM regions r WHERE r.region = o.region LIMIT 1)
-- n BIGINT
-- 11
-- epsilon 1, delta 0, releases 2, mechanisms 2
