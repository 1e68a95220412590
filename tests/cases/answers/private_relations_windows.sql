-- policy: linked

-- The first order of each person: of the rows that a number leaves, a unit has one.
SELECT region, COUNT(*) AS n FROM (SELECT * FROM orders QUALIFY row_number() OVER (PARTITION BY customer ORDER BY day, amount, product, region, quantity) = 1) o GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT
-- east | 1
-- north | 5
-- south | 3
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same with the number as a column.
SELECT region, SUM(amount) AS s FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY day, amount, product, region, quantity) AS rn FROM orders) o WHERE rn <= 2 GROUP BY region ORDER BY region
-- region VARCHAR | s DOUBLE
-- east | 224
-- north | 290.75
-- south | 243.5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- WHERE comes before windows, QUALIFY after them, with anything else beside the window.
SELECT COUNT(*) AS n FROM (SELECT customer, row_number() OVER (PARTITION BY customer ORDER BY day, amount) AS rn FROM orders WHERE amount > 20 QUALIFY rn = 1 AND amount < 80) o
-- n BIGINT
-- 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Ranks: rows with one day have one rank, whatever else they have.
SELECT r, COUNT(*) AS n FROM (SELECT rank() OVER (PARTITION BY customer ORDER BY day DESC) AS r FROM orders) o GROUP BY r ORDER BY r
-- r BIGINT | n BIGINT
-- 1 | 9
-- 2 | 8
-- 3 | 2
-- 4 | 1
-- 5 | 1
-- 6 | 1
-- 7 | 1
-- 8 | 1
-- 9 | 0
-- 10 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- DENSE_RANK leaves no number out.
SELECT r, COUNT(*) AS n FROM (SELECT dense_rank() OVER (PARTITION BY customer ORDER BY region) AS r FROM orders) o GROUP BY r HAVING COUNT(*) > 0 ORDER BY r
-- r BIGINT | n BIGINT
-- 1 | 14
-- 2 | 7
-- 3 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Within groups of a person's rows, each has its own first one.
SELECT COUNT(*) AS n FROM (SELECT row_number() OVER (PARTITION BY customer, region ORDER BY day) AS rn FROM orders) o WHERE rn = 1
-- n BIGINT
-- 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The days between one order and the next.
SELECT COUNT(*) AS n, SUM(date_diff('day', before, day)) AS s FROM (SELECT day, lag(day) OVER (PARTITION BY customer ORDER BY day) AS before FROM orders) o WHERE before IS NOT NULL
-- n BIGINT | s HUGEINT
-- 15 | 354
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- From which region to which: the groups are the region's, and NULL where there is no row before.
SELECT region, b, COUNT(*) AS n FROM (SELECT region, lag(region) OVER (PARTITION BY customer ORDER BY day, amount, region) AS b FROM orders) o WHERE region IN ('north', 'south') GROUP BY region, b HAVING COUNT(*) > 0 ORDER BY region, b
-- region VARCHAR | b VARCHAR | n BIGINT
-- north | north | 4
-- north | south | 1
-- north | NULL | 5
-- south | north | 2
-- south | south | 4
-- south | NULL | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- LEAD looks ahead, further than one row as well.
SELECT COUNT(*) AS n, SUM(q) AS s FROM (SELECT lead(quantity, 2) OVER (PARTITION BY customer ORDER BY day, amount, product) AS q FROM orders) o WHERE q IS NOT NULL
-- n BIGINT | s HUGEINT
-- 7 | 36
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A named window, used twice.
SELECT COUNT(*) AS n FROM (SELECT row_number() OVER w AS n, lag(quantity) OVER w AS l FROM orders WINDOW w AS (PARTITION BY customer ORDER BY day, amount, product)) o WHERE n = 3 AND l > 0
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- In which region people order first.
SELECT f, COUNT(*) AS n FROM (SELECT first_value(region) OVER (PARTITION BY customer ORDER BY day, amount, region) AS f, row_number() OVER (PARTITION BY customer) AS n FROM orders) o WHERE n = 1 GROUP BY f HAVING COUNT(*) > 0 ORDER BY f
-- f VARCHAR | n BIGINT
-- east | 1
-- north | 5
-- south | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A running total has a bound where the table has a cap; rows with one day count together.
SELECT COUNT(*) AS n, SUM(running) AS s FROM (SELECT SUM(amount) OVER (PARTITION BY customer ORDER BY day) AS running FROM orders) o
-- n BIGINT | s DOUBLE
-- 24 | 2305.25
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Row by row.
SELECT SUM(running) AS s FROM (SELECT COUNT(*) OVER (PARTITION BY customer ORDER BY day ROWS UNBOUNDED PRECEDING) AS running FROM orders) o
-- s HUGEINT
-- 61
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Shares of a person's own total.
SELECT COUNT(*) AS n FROM (SELECT amount / SUM(amount) OVER (PARTITION BY customer) AS share FROM orders) o WHERE share > 0.5
-- n BIGINT
-- 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows above the average of their person, and those of people with several.
SELECT COUNT(*) AS n FROM (SELECT amount - AVG(amount) OVER (PARTITION BY customer) AS more, COUNT(*) OVER (PARTITION BY customer) AS c, MAX(amount) FILTER (WHERE region = 'north') OVER (PARTITION BY customer) AS m FROM orders) o WHERE more > 0 AND c > 1 AND m > 30
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Beside other rows of the unit, one row of which stays one row.
SELECT plan, COUNT(*) AS n FROM people JOIN (SELECT customer, row_number() OVER (PARTITION BY customer ORDER BY day, amount) AS rn FROM orders) o ON person = customer AND rn = 1 WHERE plan IS NOT NULL GROUP BY plan ORDER BY plan
-- plan VARCHAR | n BIGINT
-- A | 4
-- B | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Each order beside the next one of the same person.
WITH o AS (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY day, amount, product, region, quantity) AS rn FROM orders) SELECT COUNT(*) AS n FROM o a JOIN o b ON a.customer = b.customer AND a.rn = b.rn - 1 WHERE b.amount > a.amount
-- n BIGINT
-- 13
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Inside of a test, and of another window.
SELECT COUNT(*) AS n FROM people WHERE person IN (SELECT customer FROM orders QUALIFY row_number() OVER (PARTITION BY customer ORDER BY day, amount) = 1 AND region = 'north')
-- n BIGINT
-- 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Groups of a person, numbered: the region where each ordered most often.
SELECT region, COUNT(*) AS n FROM (SELECT region, row_number() OVER (PARTITION BY customer ORDER BY n DESC, region) AS rn FROM (SELECT customer, region, COUNT(*) AS n FROM orders GROUP BY customer, region) g) o WHERE rn = 1 GROUP BY region ORDER BY region
-- region VARCHAR | n BIGINT
-- east | 2
-- north | 5
-- south | 2
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Along a foreign key, the owner's key stands in the joined table.
SELECT kind, COUNT(*) AS n FROM (SELECT kind, row_number() OVER (PARTITION BY person ORDER BY weight, kind) AS n FROM parcels JOIN trips ON of_trip = trip) o WHERE n = 1 GROUP BY kind ORDER BY kind
-- kind VARCHAR | n BIGINT
-- bag | 2
-- box | 2
-- tube | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Units are counted behind a window as before it.
SELECT COUNT(DISTINCT customer) AS n FROM (SELECT *, COUNT(*) OVER (PARTITION BY customer) AS c FROM orders) o WHERE c > 2
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- One row of a unit is below the dataset's cap: nothing has to be cut.
-- policy: dataset_cap
SELECT COUNT(*) AS n FROM (SELECT * FROM orders QUALIFY row_number() OVER (PARTITION BY customer ORDER BY day, amount) = 1) o
-- n BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- All rows are numbered, and the cap is for what passes.
-- policy: dataset_cap
SELECT COUNT(*) AS n FROM (SELECT row_number() OVER (PARTITION BY customer ORDER BY day, amount) AS rn FROM orders) o WHERE rn > 1
-- n BIGINT
-- 11
-- epsilon 1, delta 0, releases 1, mechanisms 1
