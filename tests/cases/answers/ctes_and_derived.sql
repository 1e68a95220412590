-- policy: shop

-- A derived table of private rows is still private, and is aggregated outside.
SELECT COUNT(*) AS n FROM (SELECT region, amount FROM orders WHERE paid) AS x WHERE amount > 30
-- n BIGINT
-- 13
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So is a common table expression.
WITH paid AS (SELECT region, amount FROM orders WHERE paid) SELECT region, SUM(amount) AS total FROM paid GROUP BY region ORDER BY region
-- region VARCHAR | total DOUBLE
-- east | 330
-- north | 278.75
-- south | 277.75
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Expressions of a derived table keep their ranges.
SELECT SUM(worth) AS s, AVG(twice) AS a FROM (SELECT amount * quantity AS worth, quantity * 2 AS twice FROM orders) AS x
-- s DOUBLE | a DOUBLE
-- 6730 | 8.833333333
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Filters of every level hold.
SELECT COUNT(*) AS n FROM (SELECT * FROM (SELECT * FROM orders WHERE quantity > 2) AS a WHERE quantity < 8) AS b WHERE region <> 'east'
-- n BIGINT
-- 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A common table expression may be released twice over, and is then two releases.
WITH o AS (SELECT region, amount FROM orders) SELECT (SELECT COUNT(*) FROM o) AS n, (SELECT SUM(amount) FROM o WHERE region = 'east') AS east
-- n BIGINT | east DOUBLE
-- 24 | 374
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- One common table expression reads another.
WITH a AS (SELECT * FROM orders WHERE paid), b AS (SELECT * FROM a WHERE quantity >= 5) SELECT COUNT(*) AS n FROM b
-- n BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Columns are renamed by the alias of a common table expression.
WITH o (who, place) AS (SELECT customer, region FROM orders) SELECT place, COUNT(DISTINCT who) AS n FROM o GROUP BY place ORDER BY place
-- place VARCHAR | n BIGINT
-- east | 3
-- north | 6
-- south | 5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A released table in a common table expression is public from there on.
WITH per_region AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) SELECT MAX(n) AS most, MIN(n) AS least, COUNT(*) AS regions FROM per_region
-- most BIGINT | least BIGINT | regions BIGINT
-- 10 | 0 | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A tool's SELECT * around the analyst's query changes nothing.
SELECT * FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS virtual_table ORDER BY n DESC LIMIT 1000
-- region VARCHAR | n BIGINT
-- north | 10
-- south | 9
-- east | 5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A tool's aggregation of the analyst's query is free.
SELECT region AS region, SUM(n) AS "SUM(n)" FROM (SELECT region, paid, COUNT(*) AS n FROM orders GROUP BY region, paid) AS virtual_table GROUP BY region ORDER BY "SUM(n)" DESC LIMIT 2
-- region VARCHAR | SUM(n) HUGEINT
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A common table expression that is not read costs nothing.
WITH unread AS (SELECT amount FROM orders) SELECT COUNT(*) AS n FROM orders WHERE paid
-- n BIGINT
-- 18
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A derived table of a join.
SELECT country, COUNT(*) AS n FROM (SELECT r.country, o.amount FROM orders AS o JOIN regions AS r USING (region)) AS x WHERE amount > 20 GROUP BY country ORDER BY country
-- country VARCHAR | n BIGINT
-- Nordland | 10
-- Sudland | 9
-- Westland | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A name of WITH hides a table of the same name.
WITH regions AS (SELECT 'x' AS region) SELECT region FROM regions
-- region VARCHAR
-- x
-- epsilon 0, delta 0, releases 0, mechanisms 0
