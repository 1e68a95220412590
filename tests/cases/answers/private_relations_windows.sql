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

-- NTILE cuts the rows of each person into parts of one size; the parts are a public domain.
SELECT part, COUNT(*) AS n FROM (SELECT ntile(3) OVER (PARTITION BY customer ORDER BY day, amount) AS part FROM orders) o GROUP BY part ORDER BY part
-- part BIGINT | n BIGINT
-- 1 | 11
-- 2 | 10
-- 3 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- LAST_VALUE over the whole partition: where people ordered last.
SELECT l, COUNT(DISTINCT customer) AS n FROM (SELECT customer, last_value(region) OVER (PARTITION BY customer ORDER BY day, amount ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS l FROM orders) o GROUP BY l HAVING COUNT(DISTINCT customer) > 0 ORDER BY l
-- l VARCHAR | n BIGINT
-- east | 3
-- north | 4
-- south | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The frame that is written nowhere ends with the last of the row's equals.
SELECT SUM(l) AS s FROM (SELECT last_value(quantity) OVER (PARTITION BY customer, region ORDER BY date_trunc('month', day), quantity) AS l FROM orders) o
-- s HUGEINT
-- 106
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NTH_VALUE is NULL where a person has fewer rows.
SELECT second, COUNT(*) AS n FROM (SELECT nth_value(region, 2) OVER (PARTITION BY customer ORDER BY day, amount ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS second FROM orders) o GROUP BY second HAVING COUNT(*) > 0 ORDER BY second NULLS LAST
-- second VARCHAR | n BIGINT
-- east | 4
-- north | 14
-- south | 5
-- NULL | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A default of LAG is one more group; NULL in the row before stays NULL.
SELECT before, COUNT(*) AS n FROM (SELECT lag(region, 1, 'none') OVER (PARTITION BY customer ORDER BY day, amount) AS before FROM orders) o GROUP BY before HAVING COUNT(*) > 0 ORDER BY before
-- before VARCHAR | n BIGINT
-- east | 2
-- none | 9
-- north | 6
-- south | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A default of LEAD further away, of another row's own value.
SELECT SUM(later) AS s FROM (SELECT lead(quantity, 2, quantity) OVER (PARTITION BY customer ORDER BY day, amount) AS later FROM orders) o
-- s HUGEINT
-- 120
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- IGNORE NULLS looks past rows without a value.
SELECT COUNT(x) AS n, SUM(x) AS s FROM (SELECT lag(CASE WHEN region = 'north' THEN quantity END IGNORE NULLS) OVER (PARTITION BY customer ORDER BY day, amount) AS x FROM orders) o
-- n BIGINT | s HUGEINT
-- 11 | 25
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A moving sum of three rows has a bound without a cap of the table.
SELECT COUNT(*) AS n, SUM(s) AS s FROM (SELECT SUM(weight) OVER (PARTITION BY person ORDER BY weight, kind ROWS 2 PRECEDING) AS s FROM parcels JOIN trips ON of_trip = trip) o
-- n BIGINT | s HUGEINT
-- 9 | 52
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A moving average around each row, and one of what came before it.
SELECT SUM(a) AS a, COUNT(b) AS n, SUM(b) AS b FROM (SELECT AVG(amount) OVER (PARTITION BY customer ORDER BY day, amount ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS a, AVG(amount) OVER (PARTITION BY customer ORDER BY day, amount ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS b FROM orders) o
-- a DOUBLE | n BIGINT | b DOUBLE
-- 1123.75 | 15 | 496
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- How many orders of the same person in the last thirty days.
SELECT n, COUNT(*) AS orders FROM (SELECT COUNT(*) OVER (PARTITION BY customer ORDER BY day RANGE BETWEEN INTERVAL 30 DAY PRECEDING AND CURRENT ROW) AS n FROM orders) o GROUP BY n HAVING COUNT(*) > 0 ORDER BY n
-- n BIGINT | orders BIGINT
-- 1 | 15
-- 2 | 4
-- 3 | 3
-- 4 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Distances of numbers, in both directions of the order.
SELECT SUM(a) AS a, SUM(b) AS b FROM (SELECT COUNT(*) OVER (PARTITION BY customer ORDER BY quantity RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS a, SUM(quantity) OVER (PARTITION BY customer ORDER BY amount DESC RANGE BETWEEN 10.5 PRECEDING AND CURRENT ROW) AS b FROM orders) o
-- a HUGEINT | b HUGEINT
-- 54 | 167
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Frames of groups, and rows that are left out.
-- sqlglot: 30
SELECT SUM(a) AS a, SUM(b) AS b, COUNT(c) AS n, SUM(c) AS c FROM (SELECT COUNT(*) OVER (PARTITION BY customer ORDER BY region GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) AS a, COUNT(*) OVER (PARTITION BY customer ORDER BY region GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) AS b, MAX(amount) OVER (PARTITION BY customer ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS c FROM orders) o
-- a HUGEINT | b HUGEINT | n BIGINT | c DOUBLE
-- 67 | 43 | 23 | 1314
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Shares do not depend on how equal rows are ordered.
SELECT SUM(p) AS p, SUM(c) AS c FROM (SELECT percent_rank() OVER (PARTITION BY customer ORDER BY region) AS p, cume_dist() OVER (PARTITION BY customer ORDER BY region) AS c FROM orders) o
-- p DOUBLE | c DOUBLE
-- 6 | 19.70833302
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A key whose rows belong to one unit keeps a window inside it: the lightest parcel of each trip.
SELECT kind, COUNT(*) AS n FROM (SELECT kind, ROW_NUMBER() OVER (PARTITION BY of_trip ORDER BY weight, kind) AS rn FROM parcels) p WHERE rn = 1 GROUP BY kind ORDER BY kind
-- kind VARCHAR | n BIGINT
-- bag | 2
-- box | 3
-- tube | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- From one parcel of a trip to the next, and not to the person's other trips.
SELECT COUNT(*) AS n, SUM(step) AS s FROM (SELECT weight - LAG(weight) OVER (PARTITION BY of_trip ORDER BY weight, kind) AS step FROM parcels) p WHERE step >= 0
-- n BIGINT | s HUGEINT
-- 2 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1
