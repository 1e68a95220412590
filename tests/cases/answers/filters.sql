-- policy: shop

-- A filter is applied before anything is counted.
SELECT COUNT(*) AS n FROM orders WHERE amount >= 50
-- n BIGINT
-- 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A constant that is cast to a decimal type is that number, as clients of PostgreSQL write it.
SELECT COUNT(*) AS n FROM orders WHERE amount >= ('50.00'::numeric) AND quantity > CAST(-1.5 AS DECIMAL(4, 1))
-- n BIGINT
-- 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Conditions combine with AND, OR and NOT, under three-valued logic.
SELECT COUNT(*) AS n FROM orders WHERE NOT (rating > 3 OR paid) AND quantity > 0
-- n BIGINT
-- 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A NULL is neither equal to a value nor different from it.
SELECT COUNT_IF(rating = 4) AS four, COUNT_IF(rating <> 4) AS other, COUNT(*) AS n FROM orders
-- four HUGEINT | other HUGEINT | n BIGINT
-- 5 | 14 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- IS NULL finds NULLs.
SELECT COUNT(*) AS n FROM orders WHERE rating IS NULL
-- n BIGINT
-- 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- IS DISTINCT FROM compares NULL like a value.
SELECT COUNT(*) AS n FROM orders WHERE coupon IS DISTINCT FROM 'spring'
-- n BIGINT
-- 18
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- IN and NOT IN take lists of values.
SELECT COUNT(*) FILTER (WHERE product IN (101, 102)) AS some, COUNT(*) FILTER (WHERE product NOT IN (101, 102)) AS rest FROM orders
-- some BIGINT | rest BIGINT
-- 18 | 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- BETWEEN holds both ends.
SELECT COUNT(*) AS n FROM orders WHERE quantity BETWEEN 3 AND 5
-- n BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A text is compared with a date as a date.
SELECT COUNT(*) AS n FROM orders WHERE day >= '2025-02-01' AND day < DATE '2025-02-01' + INTERVAL 1 MONTH
-- n BIGINT
-- 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- LIKE and ILIKE match patterns.
SELECT COUNT_IF(region LIKE '%th') AS th, COUNT_IF(region ILIKE 'N%') AS n, COUNT_IF(region NOT LIKE '_o%') AS other FROM orders
-- th HUGEINT | n HUGEINT | other HUGEINT
-- 19 | 10 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A condition on hours of a timestamp.
SELECT COUNT(*) AS evening FROM orders WHERE EXTRACT(hour FROM placed) >= 17
-- evening BIGINT
-- 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A filter on a text function of a column.
SELECT COUNT(*) AS n FROM orders WHERE upper(substring(region, 1, 2)) = 'SO'
-- n BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A filter that nothing passes leaves a count of 0, a sum of 0 and no average.
SELECT COUNT(*) AS n, SUM(quantity) AS total, AVG(quantity) AS mean FROM orders WHERE product = 999
-- n BIGINT | total HUGEINT | mean DOUBLE
-- 0 | 0 | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A filter that is false for every row is no error.
SELECT COUNT(*) AS n FROM orders WHERE false
-- n BIGINT
-- 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- An expression that could divide by zero is NULL there.
SELECT COUNT(*) AS n FROM orders WHERE amount / quantity > 10
-- n BIGINT
-- 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- FILTER limits one aggregate and leaves the others alone.
SELECT SUM(amount) FILTER (WHERE paid) AS paid, SUM(amount) AS total FROM orders
-- paid DOUBLE | total DOUBLE
-- 886.5 | 1123.75
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- COUNT_IF and COUNT with FILTER count the same rows.
SELECT COUNT_IF(quantity > 5) AS a, COUNT(*) FILTER (WHERE quantity > 5) AS b FROM orders
-- a HUGEINT | b BIGINT
-- 8 | 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The hidden is not filtered by; the privacy unit may be.
SELECT COUNT(*) AS n FROM orders WHERE customer > 5
-- n BIGINT
-- 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A question mark stands for a value.
-- params: [50, "north"]
SELECT COUNT(*) AS n FROM orders WHERE amount < ? AND region = ?
-- n BIGINT
-- 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A named placeholder may stand twice.
-- params: {"least": 3}
SELECT COUNT_IF(rating >= $least) AS rated, COUNT_IF(quantity >= $least) AS many FROM orders
-- rated HUGEINT | many HUGEINT
-- 13 | 17
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A parameter may be NULL, and nothing equals it.
-- params: [null]
SELECT COUNT(*) AS n FROM orders WHERE region = ?
-- n BIGINT
-- 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A parameter can stand in what is done with released values.
-- params: [10]
SELECT region, COUNT(*) AS n FROM orders GROUP BY region HAVING COUNT(*) >= ? ORDER BY region
-- region VARCHAR | n BIGINT
-- north | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A unit that is a parameter, on private rows and on released ones.
-- params: ["month", "week", "2025-02-01", "QUARTER"]
SELECT DATE_TRUNC(?, day) AS m, COUNT(*) AS n, DATE_TRUNC(?, m) AS w FROM orders WHERE day < ? AND DATE_DIFF(?, day, DATE '2025-04-01') = 1 GROUP BY 1
-- m TIMESTAMP | n BIGINT | w TIMESTAMP
-- 2025-01-01 00:00:00 | 9 | 2024-12-30 00:00:00
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Of a text that is compared with a date, a time of day is left out, as in DuckDB.
SELECT COUNT(*) FILTER (WHERE day >= '2025-02-14 23:59:59') AS a, COUNT(*) FILTER (WHERE day IN ('2025-02-14 12:30', '2025-02-03T08:00:00Z')) AS b,
  COUNT(*) FILTER (WHERE day BETWEEN '2025-02-01 12:00:00' AND '2025-02-14 23:59:59.999999999') AS c
FROM orders
-- a BIGINT | b BIGINT | c BIGINT
-- 11 | 1 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Of a second's fraction six digits count, as in DuckDB.
SELECT COUNT(*) FILTER (WHERE placed >= '2025-02-14 12:15:00.0000009') AS a, COUNT(*) FILTER (WHERE placed >= '2025-02-14 12:15:00.000001999') AS b FROM orders
-- a BIGINT | b BIGINT
-- 11 | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The hour of a date is its midnight, which DuckDB's optimiser takes for no hour at all.
SELECT COUNT(*) FILTER (WHERE date_trunc('hour', day) = TIMESTAMP '2025-02-01') AS on_the_day, COUNT(*) FILTER (WHERE date_trunc('minute', day) > TIMESTAMP '2025-03-31 14:00:00') AS after FROM orders
-- on_the_day BIGINT | after BIGINT
-- 1 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1
