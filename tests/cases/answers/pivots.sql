-- policy: shop

-- A column for each value, as DuckDB writes it.
PIVOT orders ON region IN ('north', 'south') USING SUM(quantity) GROUP BY paid
-- paid BOOLEAN | north HUGEINT | south HUGEINT
-- false | 4 | 14
-- true | 26 | 26
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Two columns of values, two aggregates with names, and an order around it.
SELECT * FROM (PIVOT orders ON region IN ('north', 'east'), paid IN (true, false) USING COUNT(*) AS n, SUM(quantity) AS s GROUP BY rating) ORDER BY rating
-- rating BIGINT | north_true_n BIGINT | north_true_s HUGEINT | north_false_n BIGINT | north_false_s HUGEINT | east_true_n BIGINT | east_true_s HUGEINT | east_false_n BIGINT | east_false_s HUGEINT
-- 1 | 0 | 0 | 0 | 0 | 1 | 7 | 0 | 0
-- 2 | 1 | 4 | 0 | 0 | 0 | 0 | 0 | 0
-- 3 | 2 | 15 | 1 | 1 | 0 | 0 | 0 | 0
-- 4 | 2 | 3 | 0 | 0 | 1 | 9 | 1 | 4
-- 5 | 2 | 4 | 0 | 0 | 1 | 8 | 0 | 0
-- NULL | 1 | 0 | 1 | 3 | 1 | 8 | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- As the standard has it: grouped by all other columns that the query lists.
SELECT * FROM (SELECT region, quantity, paid FROM orders) PIVOT (SUM(quantity) FOR region IN ('north' AS n, 'south' AS s)) AS p ORDER BY paid
-- paid BOOLEAN | n HUGEINT | s HUGEINT
-- false | 4 | 14
-- true | 26 | 26
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Without any other column it is one row.
FROM (SELECT region FROM orders) PIVOT (COUNT(*) FOR region IN ('north', 'south'))
-- north BIGINT | south BIGINT
-- 10 | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A name of WITH, joined and computed with.
WITH p AS (PIVOT orders ON region IN ('north', 'south') USING COUNT(*) GROUP BY rating) SELECT rating, north + south AS both FROM p ORDER BY rating
-- rating BIGINT | both BIGINT
-- 1 | 2
-- 2 | 3
-- 3 | 4
-- 4 | 3
-- 5 | 3
-- NULL | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1
