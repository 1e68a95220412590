-- policy: shop

-- A join on a unique key of a public table keeps every row once, and groups are those of the public table.
SELECT r.country, COUNT(*) AS n FROM orders AS o JOIN regions AS r ON o.region = r.region GROUP BY r.country ORDER BY 1
-- country VARCHAR | n BIGINT
-- Nordland | 15
-- Sudland | 9
-- Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- USING makes one column of two.
SELECT region, country, COUNT(*) AS n FROM orders JOIN regions USING (region) GROUP BY region, country ORDER BY ALL
-- region VARCHAR | country VARCHAR | n BIGINT
-- east | Nordland | 5
-- north | Nordland | 10
-- south | Sudland | 9
-- west | Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The public table may stand first.
SELECT r.zone, SUM(o.quantity) AS q FROM regions AS r JOIN orders AS o ON r.region = o.region GROUP BY r.zone ORDER BY r.zone
-- zone BIGINT | q HUGEINT
-- 1 | 30
-- 2 | 76
-- 3 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A filter on the public table filters the rows that are joined with it.
SELECT COUNT(*) AS n FROM orders JOIN regions USING (region) WHERE zone >= 2
-- n BIGINT
-- 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A join in WHERE is a join.
SELECT COUNT(*) AS n FROM orders AS o, regions AS r WHERE o.region = r.region AND r.country = 'Nordland'
-- n BIGINT
-- 15
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A join that multiplies rows counts each of them.
SELECT tag, COUNT(*) AS n, SUM(amount) AS total FROM orders JOIN tags USING (region) GROUP BY tag ORDER BY tag
-- tag VARCHAR | n BIGINT | total DOUBLE
-- cold | 10 | 320.75
-- sea | 15 | 694.75
-- warm | 9 | 429
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A cross join with a small public table.
SELECT COUNT(*) AS n FROM orders CROSS JOIN regions
-- n BIGINT
-- 96
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A LEFT JOIN keeps rows without a match, and has a group of NULL for them.
SELECT p.label, COUNT(*) AS n FROM orders AS o LEFT JOIN products AS p ON o.product = p.product AND p.product < 103 GROUP BY p.label ORDER BY p.label
-- label VARCHAR | n BIGINT
-- bag | 0
-- cap | 0
-- ink | 7
-- map | 0
-- pad | 0
-- pen | 11
-- NULL | 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- COUNT of a column of the outer side counts matches.
SELECT COUNT(t.tag) AS matched, COUNT(*) AS n FROM orders AS o LEFT JOIN tags AS t ON o.region = t.region AND t.tag = 'sea'
-- matched BIGINT | n BIGINT
-- 15 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What WHERE names is the least of every group.
SELECT r.region, COUNT(o.day) AS n, MIN(o.product) AS p FROM regions AS r LEFT JOIN orders AS o USING (region) WHERE o.product = 102 AND r.region IN ('north', 'south') GROUP BY r.region ORDER BY r.region
-- region VARCHAR | n BIGINT | p BIGINT
-- north | 2 | 102
-- south | 4 | 102
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What ON names is not: a region has a row of its own where no order matches it.
SELECT r.region, COUNT(o.day) AS n, MIN(o.product) AS p FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region AND o.product = 104 GROUP BY r.region ORDER BY r.region
-- region VARCHAR | n BIGINT | p BIGINT
-- east | 2 | 104
-- north | 0 | NULL
-- south | 0 | NULL
-- west | 0 | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- WHERE leaves each region its own row of another public table.
SELECT r.region, MIN(s.country) AS country, COUNT(o.day) AS n FROM regions AS r CROSS JOIN regions AS s LEFT JOIN orders AS o ON o.region = r.region WHERE s.region = r.region GROUP BY r.region ORDER BY r.region
-- region VARCHAR | country VARCHAR | n BIGINT
-- east | Nordland | 5
-- north | Nordland | 10
-- south | Sudland | 9
-- west | Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- From the public side, a LEFT JOIN lists every public group, and counts the private rows.
SELECT r.region, COUNT(o.product) AS n FROM regions AS r LEFT JOIN orders AS o USING (region) GROUP BY r.region ORDER BY r.region
-- region VARCHAR | n BIGINT
-- east | 5
-- north | 10
-- south | 9
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same as a RIGHT JOIN, with a sum.
SELECT p.label, SUM(o.quantity) AS q FROM orders AS o RIGHT JOIN products AS p USING (product) GROUP BY p.label ORDER BY p.label
-- label VARCHAR | q HUGEINT
-- bag | 15
-- cap | 3
-- ink | 30
-- map | 0
-- pad | 16
-- pen | 42
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- An unbounded column gets its values from the public table that it is joined with.
SELECT p.label, COUNT(*) AS n FROM orders AS o JOIN products AS p USING (product) GROUP BY p.label ORDER BY p.label
-- label VARCHAR | n BIGINT
-- bag | 2
-- cap | 1
-- ink | 7
-- map | 0
-- pad | 3
-- pen | 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Two public tables, one after the other.
SELECT r.country, p.label, COUNT(*) AS n FROM orders AS o JOIN regions AS r USING (region) JOIN products AS p USING (product) WHERE p.product <= 102 GROUP BY 1, 2 ORDER BY ALL
-- country VARCHAR | label VARCHAR | n BIGINT
-- Nordland | ink | 3
-- Nordland | pen | 8
-- Sudland | ink | 4
-- Sudland | pen | 3
-- Westland | ink | 0
-- Westland | pen | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Customers are counted once over a join that multiplies rows.
SELECT COUNT(DISTINCT customer) AS customers FROM orders JOIN tags USING (region)
-- customers BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Released results are joined with a public table after the release.
SELECT r.country, SUM(x.n) AS n FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS x JOIN regions AS r USING (region) GROUP BY r.country ORDER BY 1
-- country VARCHAR | n HUGEINT
-- Nordland | 15
-- Sudland | 9
-- Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Public tables alone are free and exact.
SELECT country, COUNT(*) AS n, MAX(zone) AS z FROM regions GROUP BY country ORDER BY country
-- country VARCHAR | n BIGINT | z BIGINT
-- Nordland | 2 | 2
-- Sudland | 1 | 2
-- Westland | 1 | 3
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- A join of public tables is free too.
SELECT tag, MAX(country) AS c FROM regions JOIN tags USING (region) GROUP BY tag ORDER BY tag
-- tag VARCHAR | c VARCHAR
-- cold | Nordland
-- sea | Nordland
-- warm | Sudland
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- Every month of a series, with the orders of each.
SELECT d.month, COUNT(o.day) AS n FROM generate_series(DATE '2025-01-01', DATE '2025-05-01', INTERVAL 1 MONTH) AS d(month) LEFT JOIN orders o ON date_trunc('month', o.day) = d.month GROUP BY d.month ORDER BY d.month
-- month TIMESTAMP | n BIGINT
-- 2025-01-01 00:00:00 | 9
-- 2025-02-01 00:00:00 | 8
-- 2025-03-01 00:00:00 | 7
-- 2025-04-01 00:00:00 | 0
-- 2025-05-01 00:00:00 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A series beside released days.
WITH days AS (SELECT CAST(unnest(range(DATE '2025-01-09', DATE '2025-01-12', INTERVAL '1 day')) AS DATE) AS d), sold AS (SELECT day, COUNT(*) AS n FROM orders GROUP BY day) SELECT d, COALESCE(n, 0) AS n FROM days LEFT JOIN sold ON d = day ORDER BY d
-- d DATE | n BIGINT
-- 2025-01-09 | 1
-- 2025-01-10 | 0
-- 2025-01-11 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A row meets each value of a series that it fits, and a value that is listed twice as often.
SELECT g AS least, COUNT(*) AS n FROM orders, generate_series(3, 1, -1) AS g WHERE quantity >= g GROUP BY g ORDER BY g
-- least BIGINT | n BIGINT
-- 1 | 23
-- 2 | 20
-- 3 | 17
-- epsilon 1, delta 0, releases 1, mechanisms 1

SELECT COUNT(*) AS n FROM orders JOIN unnest(['north', 'north', 'west']) AS u(r) ON region = r
-- n BIGINT
-- 20
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Units and conditions of a public table's groups, with and without private rows.
SELECT r.country, COUNT(DISTINCT o.customer) AS customers, COUNT(DISTINCT CASE WHEN o.paid THEN o.customer END) AS paying, SUM(CASE WHEN o.paid THEN o.amount END) AS paid FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.country ORDER BY r.country
-- country VARCHAR | customers BIGINT | paying BIGINT | paid DOUBLE
-- Nordland | 8 | 7 | 608.75
-- Sudland | 5 | 5 | 277.75
-- Westland | 0 | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- What a public table says of a group's key is no aggregate of people: it is there without noise, for groups without rows too.
SELECT r.region, MAX(r.zone) AS zone, MIN(r.country) AS country, COUNT(*) AS n
FROM orders AS o JOIN regions AS r ON o.region = r.region GROUP BY r.region ORDER BY 1
-- region VARCHAR | zone BIGINT | country VARCHAR | n BIGINT
-- east | 2 | Nordland | 5
-- north | 1 | Nordland | 10
-- south | 2 | Sudland | 9
-- west | 3 | Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Beside nothing else it is free. A key that is equal to the table's own tells as much.
SELECT o.region, ANY_VALUE(r.country) AS country FROM orders AS o JOIN regions AS r ON o.region = r.region
GROUP BY o.region HAVING MAX(r.zone) > 1 ORDER BY MAX(r.zone) DESC, 1
-- region VARCHAR | country VARCHAR
-- west | Westland
-- east | Nordland
-- south | Sudland
-- epsilon 0, delta 0, releases 1, mechanisms 0

-- Groups of an outer join by the table's own key: NULL is the group of the rows that it does not match.
SELECT r.region, MAX(r.zone) AS zone, COUNT(*) AS n
FROM orders AS o LEFT JOIN regions AS r ON o.region = r.region AND o.quantity > 5 GROUP BY r.region ORDER BY 1
-- region VARCHAR | zone BIGINT | n BIGINT
-- east | 2 | 4
-- north | 1 | 1
-- south | 2 | 3
-- west | 3 | 0
-- NULL | NULL | 16
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- By the other side's key it hangs on private rows whether any of them is matched: the value is chosen privately.
SELECT o.region, MAX(r.zone) AS zone
FROM orders AS o LEFT JOIN regions AS r ON o.region = r.region AND o.quantity > 5 GROUP BY o.region ORDER BY 1
-- region VARCHAR | zone BIGINT
-- east | 2
-- north | 1
-- south | 2
-- west | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Several rows of the table are one group: which of them private rows match is private.
SELECT r.country, MAX(r.zone) AS zone FROM orders AS o JOIN regions AS r ON o.region = r.region GROUP BY r.country ORDER BY 1
-- country VARCHAR | zone BIGINT
-- Nordland | 1
-- Sudland | 2
-- Westland | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- FILTER chooses among private rows, so that whether there is a value is private, too.
SELECT r.region, MAX(r.zone) FILTER (o.quantity > 3) AS zone
FROM orders AS o JOIN regions AS r ON o.region = r.region GROUP BY r.region ORDER BY 1
-- region VARCHAR | zone BIGINT
-- east | 2
-- north | 1
-- south | 2
-- west | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows of the public table without a match add nothing to a sum that is 0 then, nor to what is counted under a condition on the private table.
SELECT r.region, SUM(CASE WHEN o.paid AND o.quantity > 1 THEN o.quantity ELSE 0 END) AS q, COUNT(*) FILTER (WHERE o.paid AND r.country <> 'x') AS p, COUNT(*) FILTER (WHERE o.coupon IS NOT NULL) AS c, SUM(COALESCE(o.quantity, 0)) AS s FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region ORDER BY r.region
-- region VARCHAR | q HUGEINT | p BIGINT | c BIGINT | s HUGEINT
-- east | 32 | 4 | 2 | 36
-- north | 24 | 8 | 3 | 30
-- south | 26 | 6 | 4 | 40
-- west | 0 | 0 | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What is asked of a row without a match is worked out, whatever the condition is made of.
SELECT r.region, SUM(CASE WHEN o.customer IS NULL THEN 0 ELSE 1 END) AS n, COUNT(*) FILTER (WHERE o.rating NOT IN (1, 2) OR o.paid IS FALSE) AS a, SUM(CASE WHEN COALESCE(o.paid, FALSE) THEN GREATEST(o.quantity, 0) ELSE 0 END) AS q, COUNT(NULLIF(o.coupon, 'spring')) AS c FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region ORDER BY r.region
-- region VARCHAR | n HUGEINT | a BIGINT | q HUGEINT | c BIGINT
-- east | 5 | 3 | 32 | 1
-- north | 10 | 8 | 26 | 1
-- south | 9 | 5 | 26 | 1
-- west | 0 | 0 | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1
